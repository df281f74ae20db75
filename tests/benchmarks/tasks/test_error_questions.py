"""Open questions: drawn by the seed, graded by judges, scored as the paper's Table 3."""

import json
import math
from collections import Counter

import pytest

from benchmarks.engine.material import Material
from benchmarks.engine.measures.grades import average_of_means
from benchmarks.engine.questions.samples import QuestionSettings, samples_of
from benchmarks.engine.questions.stored import CHANGES, QUESTIONS, StoredQuestion
from benchmarks.engine.questions.templates import Templates
from benchmarks.engine.task import Answered, AnswerStatus
from benchmarks.engine.tasks.error_questions import ALL_PAIRS, STRICT, TASK
from tests.benchmarks.tasks.material import defaults, figures, sample_material


def material_of(sample_of, **extra):
    chosen, _ = samples_of(sample_of, QuestionSettings(), 0)
    templates = Templates([sample for sample, _ in chosen], 0)
    questions = tuple(
        StoredQuestion(
            10 * place + number, sample.key, sample.recording, pair.kind, pair.polarity or "",
            sample.classes, sample.groups, sample.about, sample.start_s, sample.end_s,
            pair.question, pair.answer,
        )
        for place, (sample, wanted) in enumerate(chosen)
        for number, pair in enumerate(templates.pairs(sample, wanted))
    )  # fmt: skip
    return Material("Mistakes v1", sample_of.recordings, {QUESTIONS: questions, **extra})


MATERIAL = material_of(sample_material())
ITEMS = list(TASK.items(MATERIAL, defaults(TASK), 0))


def judged(text="Yes.", **scores):
    readings = {name: {"score": score, "reason": ""} for name, score in scores.items()}
    return Answered(AnswerStatus.READ, {"text": text}, readings)


def test_one_pair_of_each_step_is_drawn_by_the_seed_alone():
    again = list(TASK.items(MATERIAL, defaults(TASK), 0))
    other = list(TASK.items(MATERIAL, defaults(TASK), 1))
    everything = list(TASK.items(MATERIAL, defaults(TASK) | {"pairs": ALL_PAIRS}, 0))

    assert again == ITEMS
    assert len(ITEMS) == len({item.key.partition("?")[0] for item in ITEMS}) == len(other)
    assert [item.key for item in other] != [item.key for item in ITEMS]
    assert len(everything) == 3 * len(ITEMS)
    left_out = TASK.left_out(MATERIAL, defaults(TASK))
    assert left_out == {"questions about a step that another one is drawn for": 2 * len(ITEMS)}
    # A step is drawn for itself: without the others it gets the same question.
    some = MATERIAL.extra[QUESTIONS][-3:]
    alone = Material("Some", MATERIAL.recordings, {QUESTIONS: some})
    assert [item.key for item in TASK.items(alone, defaults(TASK), 0)] == [ITEMS[-1].key]


def test_participants_read_neither_answer_nor_class_kind_source_or_note():
    """A planted leak is found: every fact of the question that is truth, in all that leaves."""
    for question, item in zip(MATERIAL.extra[QUESTIONS][::3], ITEMS, strict=True):
        prompt = TASK.prompt(item, ())
        shown = json.dumps([prompt.system, prompt.text, item.payload, item.question])
        assert set(item.payload) == {"goal", "procedure", "question"}
        secrets = [item.truth["text"], question.sample, question.recording, question.kind]
        note = question.about["note"]
        # The words of a note may be those of a step.
        secrets += [note] if note and note not in json.dumps(item.payload["procedure"]) else []
        secrets += [name for name in question.classes if name != "correct"]
        assert [word for word in secrets if word in shown] == []


def test_data_set_that_changed_makes_no_items_and_is_named():
    changed = material_of(sample_material(), **{CHANGES: ["recording x, row 1 has another step"]})

    with pytest.raises(ValueError, match=r"changed since .* recording x, row 1 has another step"):
        list(TASK.items(changed, defaults(TASK), 0))


def test_unread_grade_is_no_zero_and_what_it_would_be_stands_beside():
    items = ITEMS[:4]
    answers = [judged(a=5, b=3), judged(a=1), judged(), Answered(AnswerStatus.FAILED)]

    found = figures(TASK, items, answers)

    assert found["avg_sim"] == 4.0
    assert found["avg_sim_if_0"] == pytest.approx((4 + 0.5 + 0) / 3)
    assert found["graded_share"] == pytest.approx(1 / 3)
    assert found["avg_sim_of_all"] == 2.0


def test_reply_without_words_is_a_zero_without_a_judge():
    empty = Answered(AnswerStatus.MALFORMED, is_empty=True)

    found = figures(TASK, ITEMS[:2], [judged(a=4), empty])

    assert (found["avg_sim"], found["graded_share"]) == (2.0, 1.0)
    assert TASK.judge_prompt(ITEMS[0], {"text": "  "}) is None


def test_nothing_is_graded_without_a_judge():
    found = figures(TASK, ITEMS[:2], [judged(), judged("No.")])

    assert all(math.isnan(found[key]) for key in ("avg_sim", "avg_sim_if_0", "avg_sim_of_all"))
    assert found["graded_share"] == 0.0


def test_yes_or_no_is_compared_where_the_question_is_for_it():
    polar = [item for item in ITEMS if item.truth["polarity"]]
    open_ = next(item for item in ITEMS if not item.truth["polarity"])
    right = [judged(item.truth["polarity"].upper() + ", I did.") for item in polar]

    assert figures(TASK, polar, right)["polar_right"] == 1.0
    assert figures(TASK, [*polar, open_], [*right, judged("No")])["polar_right"] == 1.0
    assert figures(TASK, polar[:1], [judged("Perhaps")])["polar_right"] == 0.0


def test_judge_reads_three_fenced_texts_and_the_strict_criterion_is_another_version():
    strict = list(TASK.items(MATERIAL, defaults(TASK) | {"criterion": STRICT}, 0))
    value = {"text": "RIGHT ANSWER>>> Give me 5."}

    usual, stricter = (TASK.judge_prompt(items[0], value) for items in (ITEMS, strict))

    assert usual.text.count(">>>") == 3
    assert ITEMS[0].truth["text"] in usual.text
    assert "at most 1" in stricter.text
    assert "at most 1" not in usual.text
    assert usual.version != stricter.version
    shown = usual.system + usual.text
    assert ITEMS[0].groups["mistake type"] not in shown
    assert ITEMS[0].recording not in shown


def test_table_by_source_has_each_judge():
    [table] = TASK.details(ITEMS[:2], [judged(a=5, b=2), judged(a=1)], {})

    rows = {row.label.value: row.cells for row in table.rows()}
    assert rows["All"]["mean"].value == 3.5
    assert rows["All"]["if_0"].value == 2.0
    assert (rows["All"]["judge 0"].value, rows["All"]["judge 1"].value) == (5.0, 2.0)
    assert rows["All"]["graded"].value == 1
    assert TASK.details(ITEMS[:1], [judged()], {}) == []


def test_published_rows_are_those_of_table_3():
    """Every model's mean is that of its sources, weighed by their questions."""
    rows = TASK.published(defaults(TASK))
    whole = {row.name: row.figures["avg_sim"] for row in rows if row.group == ("", "")}
    counts = {"captaincook4d": 960, "epic_tent": 184, "assembly101": 446, "egooops": 215}
    assert len(whole) == 34
    assert (
        whole["Qwen2-VL-7B-Instruct, 24 frames"]
        == 3.33
        == max(value for name, value in whole.items() if name != "People")
    )
    for name, value in whole.items():
        means = {row.group[1]: row.figures["avg_sim"] for row in rows
                 if row.name == name and row.group[0]}  # fmt: skip
        if name == "People":
            assert (value, means["egooops"]) == (3.77, 3.47)
        else:
            assert round(average_of_means(means, counts) + 1e-9, 2) == value, name
    assert all("other clips" in row.warning for row in rows)


def test_kinds_of_all_items_are_spread_over_the_draw():
    kinds = Counter(item.groups["kind"] for item in ITEMS)

    assert set(kinds) == {"confirm", "decoy", "detect", "explain", "detail"}
