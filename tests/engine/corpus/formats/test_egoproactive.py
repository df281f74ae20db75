"""Rows of EgoProactive: steps and words from answers, refusals and warnings. All texts are ours."""

import json

import pytest

from annotation.engine.corpus.formats.egoproactive import read
from annotation.engine.corpus.formats.errors import FormatError
from annotation.engine.corpus.formats.registry import fitting_formats
from annotation.engine.corpus.procedure import Step, Utterance
from annotation.engine.taxonomy import Speaker

QUERY = "How do I hang the shelf?"
ANSWERS = ["$interrupt$Mark the holes.", "$silent$", "$interrupt$ Drill. ", "$silent$"]


def dialogs(answers):
    """The history before each answer, which grows behind interrupts alone."""
    turns = [{"role": "user", "text": QUERY}]
    found = []
    for text in answers:
        found.append(list(turns))
        if str(text).startswith("$interrupt$"):
            turns.append({"role": "assistant", "text": text})
    return found


def row(**changes):
    answers = changes.get("answers", ANSWERS)
    return {
        "video_path": "egoproactive/val/00ff00ff00ff00ff.mp4",
        "duration_in_sec": 30.0,
        "video_intervals": [[0.0, 2.0], [2.0, 6.5], [9.0, 12.0], [12.0, 20.0]],
        "query": QUERY,
        "domain": "Handyman",
        "task": "Hang a shelf",
        "answers": answers,
        "dialog": dialogs(answers) if isinstance(answers, list) else [],
    } | changes


def written(tmp_path, *rows):
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(json.dumps(one) for one in rows))
    return path


def test_an_interrupt_opens_a_step_that_its_silences_continue(tmp_path):
    reading = read(written(tmp_path, row()))

    [take] = reading.takes
    assert (take.uid, take.scenario, take.video_stem) == (
        "00ff00ff00ff00ff",
        "Hang a shelf",
        "00ff00ff00ff00ff",
    )
    assert take.steps == (
        Step("Mark the holes.", "", 0.0, 6.5, taxonomy_path=("Handyman",)),
        Step("Drill.", "", 9.0, 20.0, taxonomy_path=("Handyman",)),
    )
    assert take.intervals == ((0.0, 2.0), (2.0, 6.5), (9.0, 12.0), (12.0, 20.0))
    said = {"take_uid": take.uid}
    assert reading.utterances == (
        Utterance(Speaker.USER, QUERY, start_s=0.0, end_s=0.0, reason="query", **said),
        Utterance(
            Speaker.ASSISTANT, "Mark the holes.", start_s=0.0, end_s=2.0, reason="opening", **said
        ),
        Utterance(Speaker.ASSISTANT, "Drill.", start_s=9.0, end_s=12.0, reason="interrupt", **said),
    )
    assert reading.derived == {
        "interrupts": 2, "silent intervals": 2, "recordings of Handyman": 1,
    }  # fmt: skip
    assert reading.warnings == ()


def test_the_file_is_found_in_a_folder_and_recognised(tmp_path):
    (tmp_path / "egoproactive").mkdir()
    path = written(tmp_path / "egoproactive", row())

    assert read(tmp_path) == read(path)
    assert [item.name for item in fitting_formats(path)] == ["egoproactive"]


WARNED = {
    "begins in silence": row(answers=["$silent$", *ANSWERS[1:]]),
    "an interval of 8.5 s": row(video_intervals=[[0, 2], [2, 6], [9, 12], [12, 20.5]]),
    "has 1, then 1 turns behind an interrupt": row(dialog=[dialogs(["x"])[0]] * 4),
    "has 1, then 2 turns behind a silence": row(
        answers=["$silent$", *ANSWERS[1:]], dialog=dialogs(ANSWERS)
    ),
}


@pytest.mark.parametrize("words", WARNED)
def test_what_is_odd_is_warned_of_with_its_line(tmp_path, words):
    reading = read(written(tmp_path, WARNED[words]))

    [warning, *_] = [one for one in reading.warnings if words in one.message]
    assert warning.where == "rows.jsonl line 1"


def test_silence_before_the_first_interrupt_is_of_no_step(tmp_path):
    reading = read(written(tmp_path, row(answers=["$silent$", *ANSWERS[1:]])))

    assert [step.text for step in reading.takes[0].steps] == ["Drill."]
    assert reading.derived["silent intervals before the first interrupt"] == 2


INTERVALS = [[0.0, 2.0], [2.0, 6.5], [9.0, 12.0], [12.0, 20.0]]
REFUSED = {
    "answers short": (row(answers=ANSWERS[:3]), "answers"),
    "dialog short": (row(dialog=dialogs(ANSWERS)[:3]), "dialog"),
    "intervals short": (row(video_intervals=INTERVALS[:3]), "answers"),
    "times fall": (row(video_intervals=[INTERVALS[1], INTERVALS[0], *INTERVALS[2:]]),
                   "video_intervals[1]"),
    "overlap": (row(video_intervals=[[0, 3], *INTERVALS[1:]]), "video_intervals[1]"),
    "interval backwards": (row(video_intervals=[[2, 0], *INTERVALS[1:]]), ""),
    "interval empty": (row(video_intervals=[[2, 2], *INTERVALS[1:]]), ""),
    "interval of three": (row(video_intervals=[[0, 1, 2], *INTERVALS[1:]]), ""),
    "interval a text": (row(video_intervals=["0-2", *INTERVALS[1:]]), ""),
    "time a text": (row(video_intervals=[["0", 2], *INTERVALS[1:]]), "start"),
    "before the start": (row(video_intervals=[[-1, 2], *INTERVALS[1:]]), ""),
    "after the end": (row(duration_in_sec=19.0), "video_intervals[3]"),
    "no intervals": (row(video_intervals=[], answers=[], dialog=[]), "video_intervals"),
    "neither token": (row(answers=["Go on.", *ANSWERS[1:]]), ""),
    "another case": (row(answers=["$INTERRUPT$Go on.", *ANSWERS[1:]]), ""),
    "silence with words": (row(answers=[ANSWERS[0], "$silent$ Fine.", *ANSWERS[2:]]), ""),
    "interrupt without words": (row(answers=["$interrupt$ ", *ANSWERS[1:]]), ""),
    "answer a number": (row(answers=[1, *ANSWERS[1:]]), ""),
    "answers a text": (row(answers="$silent$"), "answers"),
    "dialog of another role": (row(dialog=[[{"role": "system", "text": "x"}]] * 4), "role"),
    "dialog without text": (row(dialog=[[{"role": "user"}]] * 4), "text"),
    "no query": ({key: value for key, value in row().items() if key != "query"}, "query"),
    "task blank": (row(task=" "), "task"),
    "no domain": (row(domain=None), "domain"),
    "duration a text": (row(duration_in_sec="30"), "duration_in_sec"),
    "no video": (row(video_path=""), "video_path"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_a_row_with_anything_wrong_is_refused_with_line_and_field(tmp_path, name):
    wrong, field = REFUSED[name]

    with pytest.raises(FormatError) as raised:
        read(written(tmp_path, row(video_path="other.mp4"), wrong))

    problems = raised.value.problems
    assert all(one.place.startswith("line 2") for one in problems)
    assert field in {one.field for one in problems}
    assert all(one.expected for one in problems)


def test_a_video_that_stands_twice_is_refused_whatever_folder_it_is_in(tmp_path):
    again = row(video_path="elsewhere/00ff00ff00ff00ff.mp4")

    with pytest.raises(FormatError, match="each video_path once"):
        read(written(tmp_path, row(), again))


@pytest.mark.parametrize("text", ["", "\n\n", "[]", "not JSON"])
def test_a_file_without_rows_is_refused(tmp_path, text):
    path = tmp_path / "rows.jsonl"
    path.write_text(text)

    with pytest.raises(FormatError):
        read(path)
