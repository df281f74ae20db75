"""Segments of foreign files: which step and track they are of, and what does not fit."""

import re

from segments.engine.fitting import Misfit, fitted
from segments.engine.model import Segment
from segments.engine.scheme import scheme

STEPS = {"1": "Boil the water.", "2": "Pour it on the leaves"}


def fit(*segments, name="egooops", file_steps=None):
    return fitted(segments, scheme=scheme(name), steps=STEPS, file_steps=file_steps or {})


def test_a_step_is_found_by_id_by_the_files_words_by_label_and_by_text():
    found, misfits = fit(
        Segment("a", "steps", 0, 1, "1"),
        Segment("b", "steps", 1, 2, "x7"),
        Segment("c", "steps", 2, 3, label="pour it  on the leaves"),
        Segment("d", "steps", 3, 4, text="Boil the water"),
        Segment("e", "whatever a tool calls it", 4, 5, "-1", text="Sing"),
        file_steps={"x7": "Pour it on the leaves."},
    )

    assert misfits == ()
    assert [(item.track, item.step_id, item.label, item.text) for item in found] == [
        ("steps", "1", "", ""),
        ("steps", "2", "", ""),
        ("steps", "2", "", ""),
        ("steps", "1", "", ""),
        ("steps", "-1", "", "Sing"),
    ]


def test_an_id_that_means_another_step_in_the_file_goes_by_its_words():
    # The file counts from 0, the procedure from 1; of other words the id decides.
    found, misfits = fit(
        Segment("a", "steps", 0, 1, "1"),
        file_steps={"0": "Boil the water", "1": "Pour it on the leaves"},
    )
    told, _ = fit(Segment("a", "steps", 0, 1, "1"), file_steps={"1": "Pour it away"})

    assert misfits == ()
    assert [item.step_id for item in (*found, *told)] == ["2", "1"]


def test_keys_are_new_and_parents_follow():
    found, misfits = fit(
        Segment("model-1", "steps", 0, 1, "1"),
        Segment("model-2", "mistakes", None, None, label="Timing Error", parent_key="model-1"),
        Segment("gone", "steps", 0, 1, "9", is_deleted=True),
        name="captaincook4d",
    )

    assert misfits == ()
    step, mistake = found
    assert mistake.parent_key == step.key
    assert not {"model-1", "model-2"} & {step.key, mistake.key}
    assert all(re.fullmatch("[0-9a-f]{12}", item.key) for item in found)


def test_what_does_not_fit_is_named_with_what_was_expected():
    _, misfits = fit(
        Segment("a", "steps", 0, 1, "9"),
        Segment("b", "lane", 0, 1, "1"),
        Segment("c", "mistakes", None, None, label="Clumsiness"),
        name="captaincook4d",
    )

    known = "Preparation Error, Measurement Error"
    assert misfits[:2] == (
        Misfit("a", "step_id", "9", "a step of the procedure, by its id or its words"),
        Misfit("b", "track", "lane", "one of steps, mistakes"),
    )
    assert [(item.key, item.field) for item in misfits[2:]] == [("c", "label"), ("c", "parent_key")]
    assert known.split(",")[0] in misfits[2].expected


def test_what_no_gesture_could_make_does_not_fit():
    _, misfits = fit(
        Segment("a", "steps", 0, 1e308, "1"), Segment("b", "steps", 0, 1, "1", note="\0")
    )

    assert [(item.key, item.field) for item in misfits] == [("a", "end_s"), ("b", "note")]


def test_points_have_no_length():
    found, misfits = fit(Segment("a", "onsets", 2, 2, "1"), name="onset")
    assert (len(found), misfits) == (1, ())
    _, [misfit] = fit(Segment("a", "onsets", 2, 3, "1"), name="onset")
    assert (misfit.field, misfit.value) == ("end_s", "3")
