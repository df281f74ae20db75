from dataclasses import replace

import pytest

from annotation.engine.taxonomy import EventKind, Mod
from benchmarks.engine.happenings import OWN_WORDS
from benchmarks.engine.task import Earlier
from benchmarks.engine.tasks.speak_or_stay_silent import TASK
from tests.benchmarks.tasks.material import TEA, TRACE, defaults, figures, read

# With the words of each row, so that there is a moment of each.
ITEMS = list(TASK.items(TEA, {**defaults(TASK), "shown": OWN_WORDS}, 0))
SPEAK = {"answer": "speak", "text": "That is coffee."}
SILENT = {"answer": "silent", "text": ""}


def test_moments_are_middles_and_ends_and_there_is_something_to_say_once_it_shows():
    found = {item.moment_s: item.truth["answer"] for item in ITEMS}

    # The step that was left out shows when the next one has been done, as does the wrong one.
    assert found == {
        2.0: "silent",
        4.0: "silent",
        5.0: "silent",
        6.0: "speak",
        8.0: "silent",
        10.0: "silent",
        11.0: "silent",
        12.0: "silent",
    }
    assert [one["event"] for one in ITEMS[3].truth["mistakes"]] == ["E1", "E2"]
    assert [item.position for item in ITEMS] == list(range(8))
    assert {item.sequence for item in ITEMS} == {"trace:tea-a"}


def test_in_the_words_of_the_procedure_no_moment_shows_a_step_that_it_does_not_have():
    found = list(TASK.items(TEA, defaults(TASK), 0))

    # Tipping out the coffee ends at 10 s and is no moment; 9 s is halfway from one end to the next.
    assert {item.moment_s: item.truth["answer"] for item in found} == {
        2.0: "silent", 4.0: "silent", 5.0: "silent", 6.0: "speak", 9.0: "silent", 12.0: "silent",
    }  # fmt: skip
    assert found[-1].payload["done"] == ["Boil water", "Add tea", "Pour water"]


def test_mistake_in_a_step_that_the_procedure_does_not_have_is_counted_and_not_asked_about():
    added = replace(TRACE, steps=(*TRACE.steps[:3], replace(TRACE.steps[3], mod=Mod.INSERTION)))
    events = (*TRACE.events[:2], replace(TRACE.events[2], kind=EventKind.MISTAKE))
    recording = replace(TEA.recordings[0], trace=replace(added, events=events))
    material = replace(TEA, recordings=(recording,))
    reason = (
        "mistakes in steps that the procedure does not have: sets of pictures alone ask about them"
    )

    def due(**settings):
        found = TASK.items(material, {**defaults(TASK), **settings}, 0)
        return [row["event"] for item in found for row in item.truth["mistakes"]]

    assert due() == ["E1", "E2"]
    assert due(shown="pictures alone") == ["E1", "E2", "C1"]
    assert TASK.left_out(material, defaults(TASK)) == {reason: 1}


def test_mistake_is_due_at_the_end_of_its_step_whatever_the_digits_of_its_time():
    steps = tuple(
        replace(row, start_s=row.start_s + 0.0004321, end_s=row.end_s + 0.0004321)
        if row.start_s is not None else row
        for row in TRACE.steps
    )  # fmt: skip
    recording = replace(TEA.recordings[0], trace=replace(TRACE, steps=steps))

    found = TASK.items(replace(TEA, recordings=(recording,)), defaults(TASK), 0)

    assert [item.moment_s for item in found if item.truth["answer"] == "speak"] == [6.0]


def test_pictures_alone_tell_nothing_that_was_done():
    for item in TASK.items(TEA, {**defaults(TASK), "shown": "pictures alone"}, 0):
        assert set(item.payload) == {"goal", "procedure", "shown", "now_s"}
        assert "coffee" not in TASK.prompt(item, ()).text


def test_published_rows_are_the_six_models_without_fine_tuning():
    rows = {row.name: row.figures["g_mean_f1"] for row in TASK.published(defaults(TASK))}

    assert list(rows.values()) == [0.46, 0.57, 0.0, 0.57, 0.28, 0.49]


def test_prompt_has_nothing_later_than_the_moment():
    assert ITEMS[2].payload["done"] == ["Boil water"]
    assert "coffee" not in TASK.prompt(ITEMS[2], ()).text
    assert (ITEMS[7].start_s, ITEMS[7].moment_s) == (4.0, 12.0)


def test_prompt_says_what_the_participant_said_before():
    earlier = [Earlier(ITEMS[2], SILENT), Earlier(ITEMS[3], SPEAK), Earlier(ITEMS[4], None)]

    text = TASK.prompt(ITEMS[5], earlier).text

    assert "You have said:\nAt 6.0 s: That is coffee.\n\n" in text
    assert "You have said:\nNothing.\n" in TASK.prompt(ITEMS[5], ()).text


def test_figures_by_hand():
    # Right at 6 s, wrong at 12 s, one answer could not be read.
    answers = read(SILENT, SILENT, SILENT, SPEAK, None, SILENT, SILENT, SPEAK)

    assert figures(TASK, ITEMS, answers) == {
        "speak_f1": 0.666667,
        "silent_f1": 0.909091,
        "g_mean_f1": 0.778499,
        "accuracy": 0.857143,
        "speak_share": 0.285714,
        "speak_f1_of_all": 0.5,
        "silent_f1_of_all": 0.833333,
        "g_mean_f1_of_all": 0.645497,
        "accuracy_of_all": 0.75,
        "caught_in_time": 0.5,
        "caught_in_time_of_all": 0.5,
    }


def test_mistake_is_caught_two_seconds_late_and_not_later():
    late = [SILENT] * 8
    late[4] = SPEAK
    later = [SILENT] * 8
    later[5] = SPEAK

    assert figures(TASK, ITEMS, read(*late))["caught_in_time"] == 0.5
    assert figures(TASK, ITEMS, read(*later))["caught_in_time"] == 0.0


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"decision": "speak", "text": " Stop. "}', {"answer": "speak", "text": "Stop."}),
        ("Silent.", {"answer": "silent", "text": ""}),
        ("I would not speak now.", None),
        ('{"decision": "wait"}', None),
    ],
)
def test_reading(text, value):
    assert TASK.read(ITEMS[0], text).value == value
