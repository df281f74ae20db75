"""What migrations do to rows that are kept."""

import importlib

import pytest
from django.apps import apps

from generation.models import ClipCall, VideoEndpoint
from generation.selectors.calls.clip_calls import clip_key
from tests.generation.video_endpoints import make_video_endpoint

pytestmark = pytest.mark.django_db
QUESTION = {
    "prompt": "A hand drops a cup. Same camera.",
    "duration_s": 4,
    "anchors": {"first": "0" * 64},
    "parameters": {"size": "1280x720", "width": 1280, "height": 720, "sample": 0},
}


def test_clips_of_sora_are_found_again_and_not_ordered_anew():
    kept = make_video_endpoint(
        "https://own.example/v1", "openai_videos", model_name="film", lengths="", sizes=""
    )
    VideoEndpoint.objects.update(provider="sora")
    call = ClipCall.objects.create(
        key="as it was", provider="sora", base_url=kept.base_url, model_name="film", **QUESTION
    )
    other = ClipCall.objects.create(key="another", provider="runway", **QUESTION)

    migration = importlib.import_module("generation.migrations.0014_video_models_as_they_are")
    migration.rename_sora(apps, None)

    kept.refresh_from_db()
    call.refresh_from_db()
    other.refresh_from_db()
    assert (kept.provider, kept.fault) == ("openai_videos", "")
    assert (call.provider, call.key) == ("openai_videos", clip_key(kept, QUESTION))
    assert (other.provider, other.key) == ("runway", "another")
