"""What the launch form and the API take for an answer about clips."""

import pytest
from django.urls import reverse
from rest_framework.test import APIClient

from annotation.models import Role
from generation.engine.prompting.clip_prompt import View
from generation.engine.run_options import ClipOptions, RunOptions
from generation.models import Run
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db
ALL_CHOSEN = ClipOptions("bridge", "ID", View.FIXED, False, False, 0.25, True)


def form_of(dataset, **fields):
    usual = {"dataset": dataset.public_id, "profile": "piev", "seed": "1"}
    return {**usual, "stages": ["plan", "write", "video"], **fields}


def stored_clips():
    return RunOptions.from_dict(Run.objects.get().options).clips


def test_launch_form_that_says_nothing_of_clips_makes_marked_placeholders(
    owner_client, tea_dataset
):
    owner_client.post(reverse("run-launch"), form_of(tea_dataset))

    assert stored_clips() == ClipOptions()


def test_launch_form_keeps_every_choice_about_clips(owner_client, tea_dataset, endpoint):
    fields = {
        "clip_maker": "bridge", "clip_prompts": endpoint.public_id, "clip_view": "fixed",
        "clip_cross_fade_s": "0.25", "clip_reviews_prompts": "on", "clip_hides_caption": "on",
        "clip_hides_mark": "on",
    }  # fmt: skip

    owner_client.post(reverse("run-launch"), form_of(tea_dataset, **fields))

    assert stored_clips().to_dict() == {**ALL_CHOSEN.to_dict(), "prompts": endpoint.public_id}


def test_launch_form_asks_for_no_review_of_clips_made_by_hand(owner_client, tea_dataset):
    page = owner_client.get(reverse("run-launch")).content.decode()
    fields = {"clip_maker": "manual", "clip_reviews_prompts": "on"}

    owner_client.post(reverse("run-launch"), form_of(tea_dataset, **fields))

    assert stored_clips() == ClipOptions(maker="manual")
    assert "You send every prompt yourself, so none waits for a review." in page


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ({"clip_maker": "unknown"}, "Select a valid choice. unknown is not one of"),
        ({"clip_cross_fade_s": "1.5"}, "less than or equal to 1.0"),
        ({"clip_view": "above"}, "above is not one of the available choices"),
    ],
)
def test_launch_form_shows_what_is_wrong_with_a_choice_and_opens_its_part(
    owner_client, tea_dataset, fields, fault
):
    page = owner_client.post(reverse("run-launch"), form_of(tea_dataset, **fields))

    text = page.content.decode()
    assert fault in text
    assert '<details class="clips" open>' in text
    assert not Run.objects.exists()


def test_api_keeps_every_choice_about_clips(owner, tea_dataset, endpoint):
    clips = {**ALL_CHOSEN.to_dict(), "prompts": endpoint.public_id}
    api = APIClient()
    api.force_authenticate(owner)
    body = {"dataset": tea_dataset.public_id, "seed": 1, "clips": clips}

    answer = api.post("/api/v1/runs/", body, format="json")

    assert (answer.status_code, answer.json()["options"]["clips"]) == (201, clips)


@pytest.mark.parametrize(
    ("clips", "faults"),
    [
        ({"maker": "unknown"}, {"maker": ["There is no such video model."]}),
        ({"prompts": "ID"}, {"prompts": ["There is no such text model."]}),
        (
            {"maker": "manual", "reviews_prompts": True},
            {
                "reviews_prompts": [
                    "With clips made by hand you send every prompt yourself, so none"
                    " waits for a review."
                ]
            },
        ),
        ({"cross_fade_s": 2}, {"cross_fade_s": None}),
    ],
)
def test_api_refuses_models_of_others_and_impossible_options(tea_dataset, endpoint, clips, faults):
    type(tea_dataset).objects.update(is_shared=True)
    clips = {name: endpoint.public_id if it == "ID" else it for name, it in clips.items()}
    api = APIClient()
    api.force_authenticate(UserFactory(role=Role.RESEARCHER))
    body = {"dataset": tea_dataset.public_id, "seed": 1, "clips": clips}

    answer = api.post("/api/v1/runs/", body, format="json")

    said = answer.json()["clips"]
    assert (answer.status_code, said.keys()) == (400, faults.keys())
    assert all(said[name] == fault for name, fault in faults.items() if fault)
    assert not Run.objects.exists()


def test_api_names_faulty_models_of_texts_and_clips_at_once(owner, tea_dataset):
    api = APIClient()
    api.force_authenticate(owner)
    body = {"dataset": tea_dataset.public_id, "seed": 1}

    answer = api.post(
        "/api/v1/runs/", {**body, "judge": "gone", "clips": {"maker": "gone"}}, format="json"
    )

    assert (answer.status_code, answer.json()) == (
        400,
        {
            "judge": ["There is no such text model."],
            "clips": {"maker": ["There is no such video model."]},
        },
    )
