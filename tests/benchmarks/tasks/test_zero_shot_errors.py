"""Questions about steps: which answer means an error, and how several decide about one step."""

import json
from collections import Counter

import numpy as np
import pytest

from annotation.engine.corpus.formats import captaincook4d
from annotation.engine.corpus.procedure import NativeLabel, Step, Take, TaskGraph, Trace, TraceStep
from annotation.engine.taxonomy import Mod
from benchmarks.engine.material import Material, Recording
from benchmarks.engine.task import Answered, AnswerStatus
from benchmarks.engine.tasks.zero_shot_errors import (
    ALL_ROWS,
    ONE,
    SEVEN,
    TASK,
    TIMED_ROWS,
)
from benchmarks.engine.tasks.zero_shot_errors.questions import (
    TAG_OF,
    StepContext,
    category_questions,
)
from tests.benchmarks.tasks.material import figures, read

SETTINGS = {"questions": SEVEN, "rows": ALL_ROWS, "only": ""}
STEPS = (
    Step("Boil 2 cups of water for 3 minutes", "1", 0.0, 4.0),
    Step("Stir the soup with a spoon", "2", 4.0, 6.0),
    Step("Cut the leek with a knife", "3", 6.0, 7.0),
    Step("Add salt", "4", 7.0, 9.0),
)
TAKE = Take("r0", "r0", "Soup", STEPS)


def row(place, mod, start_s, end_s, *tags):
    return TraceStep(
        mod, "as it was done", place, step_id=STEPS[place].step_id, start_s=start_s, end_s=end_s,
        labels=tuple(NativeLabel(tag) for tag in tags),
    )  # fmt: skip


TRACE = Trace(
    "r1", "r1", "r0",
    (
        row(0, Mod.ERROR, 0.0, 3.0, "Timing Error", "Measurement Error"),
        row(1, Mod.UNCHANGED, 3.0, 5.0),
        row(2, Mod.ERROR, 5.0, 8.0, "Other"),
        row(3, Mod.DELETION, None, None, "Missing Step"),
    ),
    (),
)  # fmt: skip
GRAPH = TaskGraph(
    "Soup", (("0", "START"), *((step.step_id, step.text) for step in STEPS)),
    (("0", "1"), ("1", "2"), ("1", "3"), ("3", "4")),
)  # fmt: skip
SOUP = Material(
    "Soup", (Recording("take:r0", TAKE), Recording("trace:r1", TAKE, TRACE)), {"graphs": (GRAPH,)}
)


def items(**settings):
    return list(TASK.items(SOUP, {**SETTINGS, **settings}, 0))


def of(all_items, recording, place, category):
    key = f"{recording}#{place}#{category}"
    return next(item for item in all_items if item.key == key)


def test_each_category_has_a_question_with_its_own_truth_and_nothing_of_what_was_done():
    found = items()

    assert Counter(item.payload["category"] for item in found) == dict.fromkeys(
        (
            "technique", "preparation", "order", "missing", "measurement", "temperature", "timing",
        ), 8,
    )  # fmt: skip
    boil = {one: of(found, "trace:r1", 0, one) for one in ("timing", "measurement", "technique")}
    assert [boil[one].truth["answer"] for one in boil] == ["error", "error", "no error"]
    assert {item.truth["step"] for item in boil.values()} == {"error"}
    assert "“3 minutes”" in boil["timing"].question
    assert "“2 cups”" in boil["measurement"].question
    assert "“Boil 2 cups of water for 3 minutes”" in of(found, "take:r0", 2, "order").question
    assert "START" not in of(found, "take:r0", 0, "order").question
    assert (boil["timing"].start_s, boil["timing"].moment_s) == (0.0, 8.0)
    shown = json.dumps([(item.payload, item.question, item.choices) for item in found])
    assert "as it was done" not in shown
    assert "Error" not in shown


def test_the_right_thing_is_one_of_several_and_only_the_truth_knows_which():
    asked = of(items(), "take:r0", 1, "preparation")

    assert "Stir the soup with a …" in asked.question or "Stir the soup with …" in asked.question
    assert asked.choices[-3:] == ("something else", "not applicable", "unclear")
    assert set(asked.choices[:4]) - set(asked.truth["says_error"]) == {"the spoon"}


def test_a_step_is_an_error_where_any_answer_says_so_and_categories_count_by_themselves():
    found = items()
    answers = {item.key: "not applicable" for item in found}
    answers["trace:r1#0#timing"] = "no"
    answers["trace:r1#1#technique"] = "no"
    answers["take:r0#0#missing"] = "unclear"
    values = [
        None if item.key == "trace:r1#3#missing" else {"answer": answers[item.key], "score": None}
        for item in found
    ]

    whole = figures(TASK, found, read(*values))

    # Of three errors the boiling was found, and the stirring was called one.
    assert (whole["precision"], whole["recall"]) == (0.5, round(1 / 3, 6))
    assert whole["accuracy"] == whole["accuracy_of_all"] == 5 / 8
    assert (whole["unclear"], whole["not_applicable"]) == (round(2 / 56, 6), round(52 / 56, 6))
    places = [place for place, item in enumerate(found) if item.groups["category"] == "timing"]
    timing = figures(
        TASK, [found[place] for place in places], read(*(values[place] for place in places))
    )
    assert (timing["precision"], timing["recall"], timing["accuracy"]) == (1.0, 1.0, 1.0)


def test_what_an_answer_claims_lies_where_the_step_was_done():
    found = items()
    no = {"answer": "no", "score": None}
    timing, missing = (of(found, "trace:r1", *one) for one in ((0, "timing"), (3, "missing")))

    (claimed,) = TASK.claims(timing, no)
    assert (claimed.start_s, claimed.end_s, claimed.label) == (0.0, 3.0, "timing")
    assert [TASK.claims(timing, timing.truth), TASK.claims(missing, missing.truth)] == [
        [claimed], [],
    ]  # fmt: skip
    assert [TASK.is_right(missing, {"answer": one}) for one in ("no", "yes", "unclear")] == [
        True, False, False,
    ]  # fmt: skip


def test_a_wrong_thing_says_error_and_so_does_no_where_no_thing_is_named():
    asked = of(items(), "trace:r1", 1, "preparation")
    wrong = asked.truth["says_error"][0]
    nameless = category_questions(StepContext("Wait"), np.random.default_rng(0))

    claimed = {
        answer: len(TASK.claims(asked, {"answer": answer}))
        for answer in (wrong, "something else", "the spoon", "not applicable", "unclear")
    }

    assert list(claimed.values()) == [1, 1, 0, 0, 0]
    assert {one.category: one.says_error for one in nameless} == dict.fromkeys(TAG_OF, ("no",))


def test_a_step_with_a_question_that_nobody_answered_is_not_called_right():
    asked = items(questions=ONE)
    yes = Answered(AnswerStatus.READ, {"answer": "yes", "score": None})

    found = figures(TASK, asked, [yes] * 7 + [Answered(AnswerStatus.FAILED)])

    assert (found["accuracy"], found["accuracy_of_all"]) == (round(5 / 7, 6), 5 / 8)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ('{"answer": "no", "reason": "yes, it was left out"}', "no"),
        ("No. The pot stays empty, I am sure.", "no"),
        ("No. The pot stays empty; yes, I am sure.", None),
        ("The step was performed with no problems.", None),
        ("not applicable", "not applicable"),
        ("**Unclear**", "unclear"),
        ("I would have to think about that.", None),
        ('{"answer": "maybe", "reason": "no heat"}', None),
    ],
)
def test_answers_are_read_by_their_field_else_by_what_they_state(text, answer):
    found = TASK.read(of(items(), "take:r0", 0, "timing"), text).value

    assert (found and found["answer"]) == answer


def test_seven_questions_need_tagged_errors():
    untagged = Material("Soup", (Recording("take:r0", TAKE),))

    with pytest.raises(ValueError, match="no recording with errors tagged Technique Error"):
        list(TASK.items(untagged, SETTINGS, 0))


@pytest.mark.shared_data
def test_the_bases_of_the_published_tables_are_counted(shared_data):
    reading = captaincook4d.read(shared_data / "captaincook4d")
    takes = {take.uid: take for take in reading.takes}
    traces = {trace.uid: trace for trace in reading.traces}
    recordings = [Recording(f"take:{uid}", take) for uid, take in takes.items()]
    recordings += [
        Recording(f"trace:{uid}", takes[trace.take_uid], trace) for uid, trace in traces.items()
    ]
    material = Material("CaptainCook4D", tuple(recordings), {"graphs": reading.task_graphs})

    asked = list(TASK.items(material, SETTINGS | {"questions": ONE}, 0))
    everything, *_ = TASK.baselines(asked, np.random.default_rng(0))
    found = figures(TASK, asked, read(*everything.values))
    assert (len(asked), round(100 * found["precision"], 2), round(100 * found["f1"], 2)) == (
        5_700, 34.46, 51.25,
    )  # fmt: skip
    assert sum(1 for _ in TASK.items(material, SETTINGS | {"rows": TIMED_ROWS}, 0)) == 7 * 5_413
    errors = Counter(
        item.payload["category"]
        for item in TASK.items(material, SETTINGS, 0)
        if item.truth["answer"] == "error"
    )
    assert errors == {
        "order": 794, "technique": 498, "preparation": 394, "measurement": 331, "missing": 285,
        "timing": 177, "temperature": 65,
    }  # fmt: skip
