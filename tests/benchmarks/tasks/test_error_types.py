"""Classes of mistakes as a task: items, both readings, both countings, rows of papers."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest

from annotation.engine.corpus.procedure import Event
from annotation.engine.taxonomy import EventKind, Mod, TaxonomyLabel
from benchmarks.engine.error_classes import CORRECT, OPTIONS
from benchmarks.engine.measures.vqa_cases import as_printed
from benchmarks.engine.task import MISSING, Answered, AnswerStatus
from benchmarks.engine.tasks.error_types import (
    ALL_NEUTRAL,
    ALL_WHOLE,
    LETTERS,
    NEUTRAL,
    TASK,
    UNNAMED,
    WHOLE,
    chosen,
)
from tests.benchmarks.tasks.material import (
    TEA,
    defaults,
    figures,
    published_material,
    read,
    row,
    sample_material,
)


def items_of(material, seed=0, **settings):
    return list(TASK.items(material, {**defaults(TASK), **settings}, seed))


def test_every_step_with_words_and_a_time_is_asked_about():
    items = items_of(TEA)

    assert [(item.payload["step"], item.truth["classes"]) for item in items] == [
        ("Boil water", [CORRECT]), ("Add tea", ["Wrong object"]), ("Pour water", [CORRECT]),
    ]  # fmt: skip
    assert TASK.left_out(TEA, defaults(TASK)) == {
        "steps that the procedure has no words for": 1, "steps without a time": 1,
    }  # fmt: skip


def test_steps_without_words_or_time_are_asked_about_on_request_and_a_warning_says_what_it_tells():
    settings = {**defaults(TASK), "unnamed": NEUTRAL, "untimed": WHOLE}

    items = items_of(TEA, **settings)

    of_class = {item.truth["answer"]: item for item in items}
    assert of_class["Correct wrong action"].payload["step"] == UNNAMED
    omitted = of_class["Omission"]
    assert (omitted.start_s, omitted.moment_s) == (0.0, 12.0)
    assert TASK.left_out(TEA, settings) == {}
    assert sum("gives the answer away" in text for text in TASK.warnings(settings)) == 2
    equal = {**settings, "unnamed": ALL_NEUTRAL, "untimed": ALL_WHOLE}
    told = {(item.payload["step"], item.start_s, item.moment_s) for item in items_of(TEA, **equal)}
    assert told == {(UNNAMED, 0.0, 12.0)}
    assert not any("gives the answer away" in text for text in TASK.warnings(equal))


def test_letters_are_in_another_order_for_each_step_and_seed_and_say_the_same():
    names, letters = items_of(TEA), items_of(TEA, answers=LETTERS)

    assert items_of(TEA, answers=LETTERS) == letters
    orders = {tuple(item.payload["options"].values()) for item in letters}
    assert len(orders) == len(letters)
    assert items_of(TEA, seed=1, answers=LETTERS) != letters
    for one, other in zip(names, letters, strict=True):
        assert one.truth == other.truth
        assert {chosen(other, {"answer": letter}) for letter in other.choices} == set(OPTIONS)
        right = [c for c in other.choices if TASK.is_right(other, {"answer": c})]
        assert [chosen(other, {"answer": letter}) for letter in right] == one.truth["classes"]
        assert TASK.read(other, f"The answer is {right[0]}.").value["answer"] == right[0]
    rng = np.random.default_rng(0)
    for one, other in zip(TASK.baselines(names, rng), TASK.baselines(letters, rng), strict=True):
        assert figures(TASK, names, read(*one.values)) == pytest.approx(
            figures(TASK, letters, read(*other.values)), nan_ok=True
        )


def test_what_was_done_instead_is_in_nothing_that_leaves():
    """The leak of the published data: a changed description tells the mistake."""
    [recording] = TEA.recordings
    planted = "⟦coffee by mistake⟧"
    rows = tuple(
        replace(one, text=planted) if one.mod is Mod.ERROR else one for one in recording.trace.steps
    )
    leaky = replace(
        TEA, recordings=(replace(recording, trace=replace(recording.trace, steps=rows)),)
    )

    for answers in ("names", LETTERS):
        items = items_of(leaky, answers=answers, unnamed=NEUTRAL, untimed=WHOLE)
        for item in items:
            shown = replace(item, truth={}, groups={})
            sent = [item.payload, item.question, item.choices, TASK.prompt(shown, ()).text]
            assert planted not in json.dumps(sent, ensure_ascii=False)
            assert "Tip out" not in json.dumps(sent)


def test_any_class_of_a_step_is_right():
    item = replace(items_of(TEA)[1], truth={"answer": "a", "classes": ["Omission", "Others"]})

    right = [option for option in OPTIONS if TASK.is_right(item, {"answer": option})]

    assert right == ["Omission", "Others"]


def test_both_readings_of_an_answer_are_kept():
    item = items_of(TEA)[0]

    assert TASK.read(item, "omission.").value == {
        "answer": "Omission", "score": None, "published": "Omission",
    }  # fmt: skip
    value = TASK.read(item, "**Wrong action**").value
    assert (value["answer"], value["published"]) == ("Wrong action", "unparsed")
    assert TASK.read(item, "The step is not correct").value is None


def test_what_cannot_be_read_claims_an_error_and_no_reply_counts_in_accuracy_alone():
    items = items_of(TEA)
    right = [Answered(AnswerStatus.READ, {"answer": item.truth["answer"]}) for item in items]
    last = Answered(AnswerStatus.MALFORMED), Answered(AnswerStatus.MALFORMED, is_empty=True)

    found = [figures(TASK, items, [*right[:2], answer]) for answer in (right[2], *last, MISSING)]

    accuracies, precisions, recalls = (
        [one[key] for one in found] for key in ("accuracy_of_all", "precision", "recall")
    )
    assert accuracies == [1, 0.666667, 0.666667, 0.666667]
    assert precisions == [1, 0.5, 1, 1]
    assert recalls == [1, 1, 1, 1]


def test_error_that_got_another_class_is_found_but_not_typed():
    items = items_of(TEA)
    answers = read(*({"answer": name} for name in (CORRECT, "Wrong order", CORRECT)))

    found = figures(TASK, items, answers)

    assert (found["detection_recall"], found["type_accuracy"]) == (1, 0)
    assert (found["typed_recall_of_all"], found["specificity"]) == (0, 1)
    assert np.isnan(found["recall"])


def test_details_have_both_readers_corrections_and_all_answers():
    items = items_of(TEA, unnamed=NEUTRAL)
    texts = [CORRECT, "**Wrong object**", "Correct wrong action", "nothing to say"]
    readings = [TASK.read(item, text) for item, text in zip(items, texts, strict=True)]
    statuses = [AnswerStatus.READ if one.value else AnswerStatus.MALFORMED for one in readings]
    answers = [Answered(*pair) for pair in zip(statuses, [r.value for r in readings], strict=True)]

    counts, classes, confusions = TASK.details(items, answers, {})

    rows = {one.label.value: one.cells for one in counts.rows()}
    assert [cells["TP"].value for cells in rows.values()] == [2, 1, 1]
    assert rows["as read here"]["accuracy"].low < 0.75 < rows["as read here"]["accuracy"].high
    assert rows["corrections taken as correct"]["TN"].value == 2
    assert len(list(confusions.rows())) == 9
    assert len(confusions.columns) == 11
    assert len(list(classes.rows())) == 10


def test_published_rows_come_out_of_their_own_counts():
    rows = TASK.published(defaults(TASK))

    assert len(rows) == 33
    for one in rows:
        tp, fp, tn, fn = map(int, re.findall(r"(?:TP|FP|TN|FN) (\d+)", one.warning))
        total = 99 if one.name == "People" else 1857
        assert tp + fp + tn + fn == (99 if total == 99 else 1843)
        shares = {
            "accuracy_of_all": (tp + tn) / total, "precision": tp / (tp + fp),
            "recall": tp / (tp + fn), "f1": 2 * tp / (2 * tp + fp + fn),
        }  # fmt: skip
        for key, share in shares.items():
            assert abs(100 * one.figures[key] - as_printed(share)) < 0.04
    [wrong] = [one for one in rows if "31.7" in one.warning]
    assert wrong.figures["accuracy_of_all"] == pytest.approx(0.51)
    assert TASK.published({**defaults(TASK), "answers": LETTERS}) == ()


def test_clip_with_two_answers_is_marked():
    [recording] = TEA.recordings
    again = row(Mod.ERROR, "Boil it", 0, 0.0, 4.0, "E9")
    trace = replace(
        recording.trace,
        steps=(*recording.trace.steps, again),
        events=(
            *recording.trace.events,
            Event("E9", EventKind.MISTAKE, TaxonomyLabel.WRONG_EXECUTION),
        ),
    )

    items = items_of(replace(TEA, recordings=(replace(recording, trace=trace),)))

    marks = [item.groups["same clip"] for item in items if item.payload["step"] == "Boil water"]
    assert marks == ["has another answer too"] * 2


@pytest.mark.shared_data
@pytest.mark.parametrize(
    ("name", "count", "errors"),
    [("egooops", 503, 60), ("captaincook4d", 5413, 1683), ("assembly101", 2824, 216)],
)
def test_items_of_published_data_sets(shared_data, name, count, errors):
    items = items_of(published_material(shared_data, name))

    assert (len(items), sum(CORRECT not in item.truth["classes"] for item in items)) == (
        count, errors,
    )  # fmt: skip
    written = all(item.payload["step"] in item.payload["procedure"] for item in items)
    assert written


def test_sample_has_several_classes():
    answers = {item.truth["answer"] for item in items_of(sample_material(), untimed=WHOLE)}

    assert {CORRECT, "Omission", "Wrong action"} <= answers
