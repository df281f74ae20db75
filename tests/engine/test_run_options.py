"""What a run stores of its models, its budget and its clips."""

import json

import pytest

from generation.engine.prompting.clip_prompt import View
from generation.engine.run_options import ClipOptions, RunOptions


def test_options_survive_their_json_form():
    options = RunOptions(writer="big model", judge="small model", budget_usd=2.5)

    assert RunOptions.from_dict(options.to_dict()) == options


def test_run_without_options_is_written_by_rules_and_judged_without_a_model():
    assert RunOptions.from_dict({}) == RunOptions(writer="rules", judge="none", budget_usd=None)


@pytest.mark.parametrize(
    ("writer", "judge", "models"),
    [
        ("rules", "none", ()),
        ("big", "none", ("big",)),
        ("rules", "big", ("big",)),
        ("big", "big", ("big",)),
        ("big", "small", ("big", "small")),
    ],
)
def test_models_names_each_endpoint_once(writer, judge, models):
    assert RunOptions(writer=writer, judge=judge).models == models


def test_clip_options_survive_their_json_form_beside_the_others():
    clips = ClipOptions("manual", "big", View.FIXED, False, False, 0.25, True)
    options = RunOptions(clips=clips)

    again = RunOptions.from_dict(json.loads(json.dumps(options.to_dict())))

    assert again == options
    assert again.models == ("big",)


def test_run_from_before_clips_had_options_has_marked_placeholders_and_plain_cuts():
    older = {"writer": "rules", "judge": "none", "budget_usd": None}

    clips = RunOptions.from_dict(older).clips

    assert clips == ClipOptions("bridge", "rules", View.EGOCENTRIC, True, True, 0.0, False)
    assert clips.endpoint is None


@pytest.mark.parametrize(
    ("maker", "endpoint"), [("bridge", None), ("manual", None), ("a1b2", "a1b2")]
)
def test_clip_options_name_the_video_model_only_where_one_makes_the_clips(maker, endpoint):
    assert ClipOptions(maker=maker).endpoint == endpoint
