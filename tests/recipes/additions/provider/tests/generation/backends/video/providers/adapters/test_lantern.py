"""A clip of Lantern's, and where the provider is offered."""

import pytest
from django.urls import reverse
from rest_framework.test import APIClient

from generation.models import VideoEndpoint
from tests.annotation.conftest import owner, owner_client  # noqa: F401
from tests.fakes.video_provider_server import WAIT

SETTINGS = {"name": "Light", "provider": "lantern", "api_key": "k", "price_per_second": "0.1"}


@pytest.fixture
def lantern(stage_of):
    return stage_of("lantern")


def test_order_goes_out_and_the_clip_comes_back(lantern, tmp_path):
    lantern.server.polls = [WAIT, {"do": "done"}]

    made = lantern.backend().make_clip(lantern.request(), tmp_path / "clip.mp4")

    [order] = lantern.server.submitted
    assert order.body == {"words": "A hand drops a cup. Same camera.", "length": 2}
    assert (made.frame_count, lantern.server.poll_count) == (30, 2)


def test_form_offers_it_and_its_page_names_it(owner_client, settings):  # noqa: F811
    settings.VIDEO_ENDPOINT_HOSTS = ["lantern.example"]
    form = owner_client.get(reverse("video-endpoint-create")).content.decode()
    assert '<option value="lantern">Lantern</option>' in form

    made = owner_client.post(
        reverse("video-endpoint-create"),
        {**SETTINGS, "base_url": "", "model_name": "", "concurrency": "2", "timeout_s": "600"},
        follow=True,
    )

    assert "Lantern" in made.content.decode()
    endpoint = VideoEndpoint.objects.get()
    assert (endpoint.base_url, endpoint.model_name) == ("https://lantern.example", "light-1")


def test_api_takes_it_and_its_schema_names_it(owner, settings):  # noqa: F811
    settings.VIDEO_ENDPOINT_HOSTS = ["lantern.example"]
    api = APIClient()
    api.force_authenticate(owner)

    schema = api.get("/api/v1/schema/?format=json").json()
    answer = api.post("/api/v1/video-endpoints/", SETTINGS, format="json")

    assert (answer.status_code, answer.json()["model_name"]) == (201, "light-1")
    assert "'lantern'" in str(schema)
