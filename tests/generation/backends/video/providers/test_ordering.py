"""Every provider from order to conformed clip, and what all of them have to stand."""

import io
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from annotation.backends.media.facts import read_media
from generation.backends.exceptions import RateLimitedError, RejectedError
from generation.backends.video.clips.backend import Anchors
from generation.backends.video.clips.conform import ConformedClip
from generation.backends.video.providers.exceptions import (
    JobFailedError,
    ModerationError,
    NotAVideoError,
    QuotaSpentError,
    UnfitRequestError,
)
from generation.backends.video.providers.ordering import differences, order_of
from generation.backends.video.providers.provider import Size
from tests.fakes.video_provider_server import FORMS, JOB, TAKE, WAIT
from tests.generation.backends.video.providers.conftest import fitted
from tests.recordings import (
    CLIP,
    CLIP_BIT,
    shown_numbers,
    write_recording,
)


def job_of(stage):
    return JOB


def test_clip_of_a_provider_has_the_recordings_form_and_the_wanted_length(stage, tmp_path):
    stage.server.polls = [WAIT, {"do": "done"}]
    out = tmp_path / "clip.mp4"

    made = stage.backend().make_clip(stage.request(), out)

    written = read_media(out)
    assert made == ConformedClip(out, 30, 1.0, has_sound=False)
    assert (written.width, written.height, written.frame_rate) == (192, 108, 30)
    shown = shown_numbers(out)
    # One second of 24 frames, at 30 per second.
    assert (shown, shown[0], shown[-1]) == (sorted(shown), CLIP_BIT, CLIP_BIT + 23)
    assert (stage.noted, len(stage.server.submitted), stage.server.poll_count) == (
        [job_of(stage)],
        1,
        2,
    )
    assert list(tmp_path.iterdir()) == [out]


def test_every_documented_waiting_word_is_waited_for(stage, tmp_path):
    words = range(len(stage.server.forms.waiting))
    stage.server.polls = [*({"do": "wait", "word": word} for word in words), {"do": "done"}]

    stage.backend().make_clip(stage.request(), tmp_path / "clip.mp4")

    assert stage.server.poll_count == len(words) + 1


@pytest.mark.parametrize(
    ("act", "error"),
    [
        ({"do": "refuse"}, ModerationError),
        ({"do": "reject"}, RejectedError),
        ({"do": "limit", "retry_after": 600}, RateLimitedError),
    ],
)
def test_submission_that_is_turned_down_says_why_and_is_not_repeated(stage, act, error, tmp_path):
    stage.server.submissions = [act]

    with pytest.raises(error) as caught:
        stage.backend().make_clip(stage.request(), tmp_path / "clip.mp4")

    assert type(caught.value) is error
    assert str(caught.value).startswith(f"HTTP {stage.server.forms.errors[act['do']][0]}: ")
    assert (len(stage.server.submitted), stage.noted) == (1, [])


@pytest.mark.parametrize("name", ["kling", "runway", "seedance", "openai_videos", "openrouter"])
def test_spent_quota_is_not_taken_for_too_many_requests(stage_of, name, tmp_path):
    stage = stage_of(name)
    stage.server.submissions = [{"do": "spent"}]

    with pytest.raises(QuotaSpentError):
        stage.backend().make_clip(stage.request(), tmp_path / "clip.mp4")

    assert len(stage.server.submitted) == 1


@pytest.mark.parametrize(
    ("do", "error"), [("failed", JobFailedError), ("refused", ModerationError)]
)
def test_failed_job_has_its_reason_and_leaves_no_file(stage, do, error, tmp_path):
    stage.server.polls = [WAIT, {"do": do}]

    with pytest.raises(error) as caught:
        stage.backend().make_clip(stage.request(), tmp_path / "clip.mp4")

    assert type(caught.value) is error
    assert "no reason given" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_answer_without_what_the_provider_documents_is_malformed(stage, tmp_path):
    for acts, place in (("submissions", "answer"), ("polls", "query")):
        setattr(stage.server, acts, [{"do": "say", "document": {"code": 0, "other": place}}])

        with pytest.raises(Exception, match="expected") as caught:
            stage.backend().make_clip(stage.request(), tmp_path / "clip.mp4")

        assert type(caught.value).__name__ == "MalformedAnswerError"
        stage.server.submissions = [TAKE]


def test_submitted_job_is_finished_without_ordering_again(stage, tmp_path):
    out = tmp_path / "clip.mp4"
    made = stage.backend().make_clip(stage.request(), out, job_of(stage))

    assert (made.frame_count, stage.server.submitted) == (30, [])


@pytest.mark.parametrize(
    "content",
    [b"", b"<html>Expired</html>", b"#EXTM3U\n#EXTINF:5,\n/etc/passwd\n", b"\x89PNG\r\n\x1a\n" * 9],
)
def test_file_that_is_no_video_by_content_is_refused(seedance, content, tmp_path):
    seedance.server.downloads = [{"do": "file", "content": content}]

    with pytest.raises(NotAVideoError):
        seedance.backend().make_clip(seedance.request(), tmp_path / "clip.mp4")

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("is_faststart", [False, True])
def test_file_that_ends_early_is_refused(seedance, is_faststart, tmp_path):
    recipe = replace(CLIP, frame_count=48, is_faststart=is_faststart)
    content = write_recording(tmp_path / "whole.mp4", recipe).read_bytes()
    seedance.server.downloads = [{"do": "file", "content": content[: len(content) // 2]}]

    with pytest.raises(NotAVideoError):
        seedance.backend().make_clip(seedance.request(duration_s=2.0), tmp_path / "clip.mp4")

    assert [path.name for path in tmp_path.iterdir()] == ["whole.mp4"]


def test_shorter_clip_than_wanted_stays_shorter(seedance, tmp_path):
    made = seedance.backend().make_clip(seedance.request(duration_s=4.0), tmp_path / "clip.mp4")

    assert made.duration_s == 2.0


def order(name, request):
    return order_of(request, fitted(name).limits)


def test_order_asks_for_the_shortest_offered_length_that_is_enough(seedance):
    asked = {
        name: [order(name, seedance.request(duration_s=wanted_s)).duration_s for wanted_s in wanted]
        for name in FORMS
        for wanted in [(0.5, 4.0, 4.2, 7.9, 30.0)]
    }

    assert asked == {
        "kling": [3, 4, 5, 8, 15],
        "openai_videos": [2, 4, 8, 8, 8],
        "openrouter": [2, 4, 5, 8, 8],
        "runway": [2, 4, 5, 8, 10],
        "seedance": [2, 4, 5, 8, 12],
    }


def test_last_frame_is_asked_for_only_where_the_clip_is_shown_to_its_end(seedance):
    with_last = {
        name: [
            wanted_s
            for wanted_s in (0.5, 2.5, 4.0, 7.5, 8.0, 30.0)
            if order(name, seedance.request(duration_s=wanted_s)).last
        ]
        for name in FORMS
    }

    assert with_last == {
        "kling": [2.5, 4.0, 7.5, 8.0, 30.0],
        "openai_videos": [],
        "openrouter": [2.5, 4.0, 7.5, 8.0, 30.0],
        "runway": [],
        "seedance": [2.5, 4.0, 7.5, 8.0, 30.0],
    }


def test_order_without_a_first_frame_has_no_last_one_or_is_refused(seedance):
    anchors = replace(seedance.request().anchors, first=None)
    request = seedance.request(duration_s=8.0, anchors=anchors)

    assert [order(name, request).last for name in ("kling", "seedance", "openrouter")] == [None] * 3
    with pytest.raises(UnfitRequestError, match="no frame before the clip"):
        order("runway", request)


def test_frames_fill_the_size_or_are_enlarged(seedance):
    request = seedance.request(duration_s=8.0)

    sizes = {name: Image.open(io.BytesIO(order(name, request).first)).size for name in FORMS}

    assert sizes == {
        "kling": (534, 300),
        "openai_videos": (1280, 720),
        "openrouter": (1280, 720),
        "runway": (1280, 720),
        "seedance": (534, 300),
    }


def test_upright_recording_is_ordered_in_an_upright_size(seedance):
    tall = replace(seedance.recording, width=108, height=192)
    request = seedance.request(recording=tall, anchors=Anchors(None, None))

    assert order("openai_videos", request).size == Size("720x1280", 720, 1280)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"prompt": " ", "style_lock": ""}, "the prompt is empty"),
        ({"prompt": "x" * 1990}, "2003 characters; expected at most 2000"),
    ],
)
def test_prompt_outside_the_limits_is_refused_before_anything_is_sent(
    seedance, changes, message, tmp_path
):
    with pytest.raises(UnfitRequestError, match=message):
        seedance.backend().make_clip(seedance.request(**changes), tmp_path / "clip.mp4")

    assert seedance.server.asked == []


def test_frames_go_out_in_the_order_of_the_recording(seedance):
    made = order("seedance", seedance.request(duration_s=2.0))
    pictures = [
        np.asarray(Image.open(io.BytesIO(jpeg))).astype(int) for jpeg in (made.first, made.last)
    ]
    anchors = seedance.request().anchors

    for picture, anchor in zip(pictures, (anchors.first, anchors.last), strict=True):
        wanted = np.asarray(anchor.resize((534, 300), Image.Resampling.LANCZOS)).astype(int)
        assert np.abs(picture - wanted).mean() < 3


@pytest.mark.parametrize(
    ("name", "changes", "notes"),
    [
        # The file is square where the order says 16:9, and lasts 2 s.
        (
            "openai_videos",
            {"duration_s": 3.5},
            "The picture is {size}; expected the shape of 1280x720, so it is cropped."
            " The clip lasts 2.00 s; ordered were 4 s.",
        ),
        (
            "seedance",
            {"duration_s": 1.5},
            "The picture is {size}; expected the shape of 192x108, so it is cropped.",
        ),
    ],
)
def test_other_shape_or_length_than_ordered_is_reported(stage_of, tmp_path, name, changes, notes):
    stage = stage_of(name)
    path = write_recording(tmp_path / "square.mp4", replace(CLIP, frame_count=48, size=(160, 160)))
    request = stage.request(**changes)
    limits = fitted(name).limits

    told = differences(path, order_of(request, limits), request, limits)

    assert told == notes.format(size="160x160")


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("change", ["more", "less", "other"])
def test_order_that_is_not_of_the_form_is_turned_down(stage_of, name, change, tmp_path):
    """The servers that play the providers read orders as strictly as the real ones."""
    stage = stage_of(name)
    backend = stage.backend()
    backend.adapter = Spoiled(backend.adapter, change)

    with pytest.raises(RejectedError, match="HTTP 400: "):
        backend.make_clip(stage.request(), tmp_path / "clip.mp4")

    assert len(stage.server.submitted) == 1


class Spoiled:
    """An adapter whose orders have a field too many, one too few, or a word that nobody knows."""

    def __init__(self, adapter, change):
        self.adapter, self.change = adapter, change

    def __getattr__(self, name):
        return getattr(self.adapter, name)

    def submission(self, order, model):
        call = self.adapter.submission(order, model)
        body = dict(call.document or call.form)
        named = next(name for name in ("prompt", "promptText", "content") if name in body)
        if self.change == "more":
            body["camera_fixed"] = "no"
        elif self.change == "less":
            del body[named]
        else:
            body["model_name" if "model_name" in body else "model"] = "of-yesterday"
        part = "document" if call.document else "form"
        return replace(call, **{part: body})
