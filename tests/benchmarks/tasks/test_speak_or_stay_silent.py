import pytest

from benchmarks.engine.task import Earlier
from benchmarks.engine.tasks.speak_or_stay_silent import TASK
from tests.benchmarks.tasks.material import TEA, defaults, figures, read

ITEMS = list(TASK.items(TEA, defaults(TASK), 0))
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
        "caught_in_time": 0.5,
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
