"""What the options of a run make of its clips: joins, placeholders, prompts, approval."""

import json
from functools import partial

import pytest

from annotation.models import JobStatus
from generation.backends.retrying import RetryPolicy
from generation.engine.run_options import MANUAL, ClipOptions, RunOptions
from generation.engine.splicing.edit_list import PieceKind
from generation.models import ClipState, TextCall
from generation.services.clips.making import placeholder_backend
from generation.services.run_work import work_on_takes
from generation.services.runs import cancel_run, resume_run
from generation.services.texts.asker import TextAsker
from tests.fakes.openai_server import OpenAiServer
from tests.generation.by_hand import work_on
from tests.generation.filmed import make_run, take_of
from tests.generation.text_endpoints import make_endpoint

pytestmark = pytest.mark.django_db(transaction=True)
QUICK = RetryPolicy(max_attempts=2, first_pause_s=0.01, max_pause_s=0.05)


def run_with(filmed_dataset, owner, **clips):
    options = RunOptions(clips=ClipOptions(**clips)).to_dict()
    return make_run(filmed_dataset, owner, options=options)


def filmed_with(filmed_dataset, owner, **clips):
    run = run_with(filmed_dataset, owner, **clips)
    work_on(run)
    return take_of(run)


def test_cross_fade_mixes_the_joins_and_moves_no_time(filmed_dataset, owner):
    cut = filmed_with(filmed_dataset, owner).made_video
    faded = filmed_with(filmed_dataset, owner, cross_fade_s=0.5).made_video

    times = [
        [(step["start_s"], step["end_s"]) for step in made.edits["steps"]] for made in (cut, faded)
    ]
    assert times[0] == times[1]
    assert faded.frame_count == cut.frame_count
    # Clips that are mixed with the recording cannot be copied.
    assert faded.result["encoded_count"] > cut.result["encoded_count"]
    assert faded.result["verification"]["is_passed"]


@pytest.mark.parametrize("shown", [True, False])
def test_placeholders_are_drawn_as_the_options_say(shown):
    options = ClipOptions(shows_caption=shown, is_marked=shown)

    backend = placeholder_backend(options, lambda: None)

    assert (backend.shows_caption, backend.is_marked) == (shown, shown)


@pytest.fixture
def server():
    with OpenAiServer() as running:
        yield running


@pytest.fixture
def model(server, owner, monkeypatch):
    monkeypatch.setattr(
        "generation.services.texts.run_models.TextAsker", partial(TextAsker, policy=QUICK)
    )
    return make_endpoint(server.url, owner=owner)


def answer(action):
    return {"do": "answer", "text": json.dumps({"action": action, "objects": ["red cup"]})}


def test_text_model_writes_each_prompt_once(filmed_dataset, owner, server, model):
    server.acts = [answer(f"The hand tips cup {number}.") for number in range(3)]
    run = run_with(filmed_dataset, owner, maker=MANUAL, prompts=model.public_id)
    work_on(run)
    cancel_run(run=run, actor=owner)

    work_on_takes(job_ids=resume_run(run=run, actor=owner))

    clips = list(take_of(run).clips.all())
    by_model = [clip for clip in clips if not clip.is_bridge]
    assert [clip.compiled_by for clip in by_model] == ["Local"] * 3
    assert [clip.prompt["action"] for clip in by_model] == [
        f"The hand tips cup {number}." for number in range(3)
    ]
    assert {clip.compiled_by for clip in clips if clip.is_bridge} == {"rules"}
    assert {call.prompt_version for call in TextCall.objects.all()} == {"clip.v2"}
    assert len(server.asked) == TextCall.objects.count() == 3


def test_answer_that_cannot_be_used_is_replaced_by_the_rules_and_a_note(
    filmed_dataset, owner, server, model
):
    server.acts = [{"do": "refuse"}, answer("  "), answer("The hand tips the cup.")]

    run_take = filmed_with(filmed_dataset, owner, maker=MANUAL, prompts=model.public_id)

    clips = [clip for clip in run_take.clips.all() if not clip.is_bridge]
    notes = [clip.prompt["notes"][-1:] for clip in clips]
    assert run_take.job.status == JobStatus.WAITING
    assert [clip.compiled_by for clip in clips] == ["rules", "rules", "Local"]
    assert all("Local gave no usable answer" in note for [note] in notes[:2])


def test_placeholders_ask_no_text_model(filmed_dataset, owner, server, model):
    run_take = filmed_with(filmed_dataset, owner, prompts=model.public_id)

    assert (run_take.job.status, server.asked) == (JobStatus.DONE, [])


def test_prompts_are_reviewed_before_any_clip_but_a_bridge(filmed_dataset, owner):
    run_take = filmed_with(filmed_dataset, owner, reviews_prompts=True)

    states = {(clip.kind == PieceKind.BRIDGE, clip.state) for clip in run_take.clips.all()}
    assert run_take.job.status == JobStatus.WAITING
    assert states == {(True, ClipState.READY), (False, ClipState.PROMPT)}
