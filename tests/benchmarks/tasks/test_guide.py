"""An assistant that announces steps and speaks about deviations, on a recording written by hand."""

from dataclasses import replace

import numpy as np
import pytest

from annotation.engine.corpus.procedure import Utterance
from annotation.engine.taxonomy import Speaker
from benchmarks.engine.guiding.decisions import Decision
from benchmarks.engine.guiding.deviations import (
    DISTRACTION,
    Deviation,
    DeviationKind,
    deviations,
    point_events,
)
from benchmarks.engine.task import PLAIN, Answered, AnswerStatus, Earlier
from benchmarks.engine.tasks.guide import MERGED, NO_ROOM, TASK
from benchmarks.engine.tasks.guide.items import CLEAN, EVERY, NO_PLAN, ORACLE, WIDE
from tests.benchmarks.tasks.material import TEA, defaults, figures, read, sample_material

RECORDING = TEA.recordings[0]
SAID = {"answer": "interrupt", "text": "Next: add tea"}
SILENT = {"answer": "silent", "text": ""}
LONG = replace(TEA, recordings=(replace(RECORDING, duration_s=40.0),))


def items_of(material=TEA, **settings):
    return list(TASK.items(material, defaults(TASK) | settings, 0))


def test_deviations_are_exact():
    assert deviations(RECORDING) == (
        Deviation("E1", DeviationKind.OMISSION, 4.0, 6.0, "Warm the pot", place=1),
        Deviation("E2", DeviationKind.SUBSTITUTION, 4.0, 6.0, "Add tea", 6.0, 10.0, 2),
    )


def test_what_is_right_to_say_is_of_the_clean_plan():
    said = [event.utterance for event in point_events(RECORDING)]

    assert said == [
        "Begin with this: Boil water",
        # That it is left out can be known once another step is begun.
        "Next: Warm the pot",
        "You have left out a step. Do it before you go on: Warm the pot",
        "This is not what the step asks for. Do it as planned: Add tea",
        "Next: Pour water",
        "Put this right before you go on: Add tea",
        "Next: Pour water",
    ]
    assert not any("coffee" in words for words in said)


def test_a_distraction_is_led_back_to_the_step_that_is_due():
    chat = Utterance(Speaker.USER, "Did you see the match?", start_s=7.2, reason="Distraction")
    said = (
        chat,
        replace(chat, start_s=9.0, reason="query"),
        replace(chat, start_s=9.5, who=Speaker.ASSISTANT),
        replace(chat, start_s=None),
    )
    tea = replace(TEA, recordings=(replace(LONG.recordings[0], said=said),))

    [event] = point_events(tea.recordings[0], [DISTRACTION])[1:]
    items = items_of(tea, events="deviations, distractions and fixes alone")

    assert (event.time_s, event.utterance) == (7.2, "Leave that for now, and go on: Pour water")
    departures = {item.moment_s: item.truth["departure"] for item in items}
    assert departures[7.5] == DISTRACTION
    assert [one for one in departures.values() if one] == ["deviation", "fix", DISTRACTION]
    assert items_of(tea) == items_of(LONG)
    assert not any("match" in str(item.payload) for item in items)
    right = figures(TASK, items, read(*({**SAID, **item.truth} for item in items)))
    assert right["detected_deviations"] == 1


def test_items_have_the_points_of_events_and_silent_ones_away_from_them():
    items = items_of(LONG)

    spoken = [item.moment_s for item in items if item.truth["answer"] == "interrupt"]
    silent = [item.moment_s for item in items if item.truth["answer"] == "silent"]

    assert spoken == [0.0, 4.0, 6.0, 10.0]
    assert len(silent) == 4
    assert min(abs(one - other) for one in silent for other in spoken) >= 3.0
    assert [item.truth["departure"] for item in items if item.truth["departure"]] == [
        "deviation",
        "fix",
    ]


def test_a_wider_gap_and_the_shortage_are_reported():
    left = TASK.left_out(TEA, defaults(TASK))
    wide = items_of(LONG, points=WIDE)

    assert left == {NO_ROOM: 4, MERGED: 3}
    assert TASK.left_out(TEA, defaults(TASK) | {"points": EVERY}) == {}
    silent = [item.moment_s for item in wide if item.truth["answer"] == "silent"]
    assert min(silent) >= 15.0


def test_points_of_a_recording_do_not_depend_on_the_others():
    material = sample_material()
    last = replace(material, recordings=material.recordings[-1:])

    def moments(items):
        key = material.recordings[-1].key
        return [(one.moment_s, one.truth["answer"]) for one in items if one.recording == key]

    assert moments(items_of(material)) == moments(items_of(last))


@pytest.mark.parametrize("plan", [NO_PLAN, CLEAN, ORACLE])
def test_nothing_that_happens_later_is_told(plan):
    for item in items_of(LONG, plan=plan):
        text = TASK.prompt(replace(item, truth={}, groups={}), ()).text
        if plan != ORACLE:
            assert "coffee" not in text
        assert ("The plan:" in text) == (plan == CLEAN)


def test_the_plan_as_it_was_done_is_that_of_the_last_interrupt():
    states = {item.moment_s: item.payload for item in items_of(LONG, plan=ORACLE)}

    assert states[4.0]["completed"] == []
    assert states[6.0]["completed"] == ["Boil water"]
    assert states[6.0]["current"] == ["Add coffee"]


def test_the_prompt_says_what_was_said_before():
    first, second, *_ = items_of(LONG)

    prompt = TASK.prompt(second, [Earlier(first, SAID)], PLAIN)

    assert "At 0.0 s, you: Next: add tea" in prompt.text
    assert prompt.schema is None


def test_perfect_silent_and_constant_assistants_have_the_figures_worked_out_by_hand():
    items = items_of(LONG)
    perfect = [SAID if one.truth["answer"] == "interrupt" else SILENT for one in items]

    right = figures(TASK, items, read(*perfect))
    silent = figures(TASK, items, read(*[SILENT] * len(items)))
    always = figures(TASK, items, read(*[SAID] * len(items)))

    assert (right["g_mean_f1"], right["onset_recall"], right["detected_fixes"]) == (1.0, 1.0, 1.0)
    assert (right["pqs_low"], right["pqs_high"]) == (0.5, 1.0)
    # 4 of 8 points are silent: F1 of interrupts 0, of silence 2 * 4 / (2 * 4 + 4).
    assert (silent["g_mean_f1"], silent["silent_f1"]) == (0.0, 0.666667)
    assert (silent["pqs"], silent["detected_deviations"]) == (0.5, 0.0)
    # The share p of interrupts is a half: 2p / (1 + p).
    assert (always["speak_f1"], always["repeated"]) == (0.666667, 0.875)


def judged(*grades, **more):
    names = ("relevance", "specificity", "actionability", "conciseness")
    return {"judge": {**dict(zip(names, grades, strict=True)), "reason": "", **more}}


def test_grades_make_a_value_of_bounds_and_harm_is_a_share():
    items = items_of(LONG)
    answers = []
    for item in items:
        is_right = item.truth["answer"] == "interrupt"
        harm = {"harmful": True} if item.truth["departure"] == "deviation" else {}
        grades = judged(5, 4, 4, 3, **harm) if is_right else {}
        answers.append(Answered(AnswerStatus.READ, SAID if is_right else SILENT, grades))

    found = figures(TASK, items, answers)

    # Four right silences of 1 and four right interrupts of 3/4.
    assert (found["pqs"], found["content"], found["guidance"]) == (0.875, 0.75, 4.0)
    assert (found["recovery"], found["recovery_with_misses"], found["harmful"]) == (4.0, 0.75, 1.0)


def test_both_readings_of_an_answer_are_kept():
    items = items_of(LONG)
    answers = [
        Answered(AnswerStatus.READ, TASK.read(item, "Well: $interrupt$ Stop.").value)
        for item in items
    ]
    answers[0] = Answered(AnswerStatus.MALFORMED)

    found = figures(TASK, items, answers)

    assert found["speak_share"] == 1.0
    # By the released scorer's rule all are silent: F1 of silence is 2 * 4 / (2 * 4 + 4).
    assert found["official_macro_f1"] == pytest.approx(0.333333)
    assert found["malformed_share"] == 1.0


def test_every_half_second_has_figures_of_the_clock():
    items = items_of(LONG, points=EVERY)
    late = [SAID if one.moment_s in (1.0, 5.0, 8.5) else SILENT for one in items]

    found = figures(TASK, items, read(*late))

    assert len(items) == 81
    # Due at 0, 4, 6 and 10 s; said at 1, 5 and 8.5 s, within 2 s of 0, 4 and 10.
    assert (found["free_precision"], found["free_recall"]) == (1.0, 0.75)
    assert found["per_minute"] == pytest.approx(3 / (81 * 0.5 / 60), abs=1e-6)
    assert TASK.left_out(LONG, defaults(TASK) | {"points": EVERY}) == {}


def test_only_right_interrupts_are_judged_and_harm_is_asked_at_mistakes_alone():
    items = {item.moment_s: item for item in items_of(LONG)}
    silent = next(item for item in items.values() if item.truth["answer"] == "silent")

    assert TASK.judge_prompt(items[4.0], SILENT) is None
    assert TASK.judge_prompt(silent, SAID) is None
    at_mistake, at_fix = (TASK.judge_prompt(items[now_s], SAID).text for now_s in (4.0, 6.0))
    assert "Add coffee" in at_mistake
    assert '"harmful"' in at_mistake
    assert '"harmful"' not in at_fix


def test_details_print_the_gap_the_onsets_and_why_there_are_none():
    items = items_of(LONG)
    answers = read(*[SAID] * len(items))

    points, decisions, onsets = TASK.details(items, answers, {})

    [row] = points.rows()
    assert [cell.value for cell in row.cells.values()][:3] == [1, 4, 4]
    assert row.cells["gap"].value >= 3.0
    assert [row.cells["tp"].value for row in decisions.rows()] == [4, 4]
    assert [row.cells["recall"].value for row in onsets.rows()][2] == 1.0
    clean = [item for item in items if not item.truth["onsets_s"]]
    [_, _, empty] = TASK.details(clean, read(*[SAID] * len(clean)), {})
    assert (list(empty.rows()), len(empty.notes)) == ([], 1)


def test_a_silence_with_words_is_refused():
    [item, *_] = items_of(LONG)

    assert TASK.check(item, {"answer": "silent", "text": "Hm."})
    assert TASK.check(item, SAID) == ""
    assert item.choices == tuple(map(str, Decision))


def test_reading_out_the_plan_speaks_once_for_each_step():
    items = items_of(LONG, points=EVERY)
    last = TASK.baselines(items, np.random.default_rng(1))[-1]

    assert [value["text"] for value in last.values if value["text"]] == [
        "Boil water", "Warm the pot", "Add tea", "Pour water",
    ]  # fmt: skip


def test_a_mistake_after_the_last_moment_of_the_grid_is_at_it():
    steps = (*RECORDING.trace.steps[:-1],)
    late = tuple(
        replace(row, start_s=row.start_s and row.start_s + 0.3, end_s=row.end_s and row.end_s + 0.3)
        for row in steps
    )
    trace = replace(RECORDING.trace, steps=late)
    material = replace(TEA, recordings=(replace(RECORDING, trace=trace, duration_s=4.4),))

    last = items_of(material)[-1]

    assert (last.moment_s, last.truth["departure"]) == (4.0, "deviation")
    assert last.truth["onsets_s"] == [4.3, 4.3]


def test_published_content_is_that_of_the_published_grades():
    rows = [row for row in TASK.published({}) if row.group[0] and "guidance" in row.figures]
    cells = [row.figures for row in rows if "content" in row.figures]

    # Five data sets of nine systems: what Table 2 prints as PQS is (grade of Table 4 - 1) / 4.
    assert len(cells) == 45
    assert all(abs((one["guidance"] - 1) / 4 - one["content"]) <= 0.0051 for one in cells)
    assert len({row.group for row in rows}) == 6
    assert all("PQS" in row.warning for row in rows)
