"""A provider of clips is added in the browser and checked; one that is gone is set anew."""

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from annotation.models import Role
from generation.models import VideoEndpoint
from tests.e2e.looks import problems_of
from tests.e2e.site import log_in
from tests.factories import UserFactory
from tests.fakes.video_provider_server import API_KEY, VideoProviderServer
from tests.generation.video_endpoints import make_video_endpoint

pytestmark = pytest.mark.e2e


@pytest.fixture
def owner(transactional_db):
    return UserFactory(username="mara", role=Role.RESEARCHER)


@pytest.fixture
def server(settings):
    with VideoProviderServer("openrouter") as running:
        settings.VIDEO_ENDPOINT_HOSTS = [running.url.removeprefix("http://")]
        yield running


def test_endpoint_is_added_and_says_what_its_model_makes(page, live_server, owner, server):
    log_in(page, live_server, "mara")
    page.goto(live_server.url + reverse("video-endpoint-create"))
    assert problems_of(page) == []
    expect(page.get_by_label("Provider")).to_have_value("openrouter")
    expect(page.get_by_label("Lengths in seconds")).to_be_hidden()
    page.get_by_label("Name", exact=True).fill("Router")
    page.get_by_label("Base URL").fill(server.url)
    page.get_by_label("Model", exact=True).fill("maker/film-2")
    page.get_by_label("Key", exact=True).fill(API_KEY)
    page.get_by_role("button", name="Save the endpoint").click()

    expect(page.get_by_text("Clips of 2 to 8 s; starts from a first")).to_be_visible()
    page.get_by_role("button", name="Check address and key").click()
    expect(page.get_by_text("OpenRouter answered in")).to_be_visible()
    assert problems_of(page) == []
    assert server.submitted == []


def test_endpoint_whose_provider_is_gone_says_so_and_is_set_anew(page, live_server, owner, server):
    endpoint = make_video_endpoint(owner=owner)
    VideoEndpoint.objects.update(provider="veo")
    log_in(page, live_server, "mara")

    page.goto(live_server.url + reverse("video-endpoint-detail", args=[endpoint.public_id]))

    expect(
        page.get_by_text("No clip can be ordered here: the provider veo no longer exists")
    ).to_be_visible()
    assert problems_of(page) == []
    page.get_by_label("Provider").select_option("openrouter")
    page.get_by_label("Base URL").fill(server.url)
    page.get_by_label("Model", exact=True).fill("maker/film-2")
    page.get_by_label("Key", exact=True).fill(API_KEY)
    page.get_by_role("button", name="Save the settings").click()
    expect(page.get_by_text("Clips of 2 to 8 s; starts from a first")).to_be_visible()
