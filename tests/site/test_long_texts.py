"""Patterns over long runs of blanks and repeats: as much more work as the text is longer."""

import time
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from annotation.engine.corpus.formats.captaincook4d import shown_text
from generation.backends.video.providers.adapters.openrouter import checked_card
from generation.engine.english.actions import actions_of
from generation.engine.english.surface import without_final_stop
from generation.engine.prompting.visible_action import visible_action
from segments.formats.exchange import Settings, segment_formats

FEW, MANY = 2_500, 40_000


def actions(text):
    return actions_of.__wrapped__(text)


def card(ratio):
    listed = {"supported_durations": [5], "supported_aspect_ratios": [ratio]}
    return checked_card(listed, "maker/film-2")


def cue(text):
    with TemporaryDirectory() as folder:
        path = Path(folder, "one.vtt")
        path.write_text(f"WEBVTT\n\n00:01.000 --> 00:02.000\n{text}\n")
        return segment_formats()["webvtt"].read(path, Settings())


@pytest.mark.parametrize(
    ("read", "start", "repeated", "end"),
    [
        (without_final_stop, "stir", " ", "x"),
        (without_final_stop, "stir", " .", "x"),
        (without_final_stop, "stir", ".", "x"),
        (actions, "stir", " ", "x"),
        (actions, "stir, instead of", " ", "x"),
        (visible_action, "stir", " ", "x"),
        (visible_action, "stir ", "then ", "x"),
        (visible_action, "", "then ", "x"),
        (visible_action, "", "stop and ", "x"),
        (visible_action, "see ", "is ", "x"),
        (visible_action, "instead of ", "calmly ", "x"),
        (visible_action, "stir", " instead", " x"),
        (visible_action, "undo the extra", " of xing", "x"),
        (shown_text, "", " ", "x"),
        (shown_text, "(", "a", ""),
        (shown_text, "Measure", " ", "x"),
        (shown_text, "Measure and ", "a", ""),
        (card, "", "1", "x"),
        (card, "", "1", ":1x"),
        (card, "1:", "1", "x"),
        (card, "1:", "0", ""),
        (cue, "", "<", "x"),
        (cue, "<b>", "<", "x"),
    ],
)
def test_work_grows_with_the_length(read, start, repeated, end):
    """Sixteen times the text took 256 times the work where every blank began another search."""

    def seconds(length):
        text = start + (repeated * length)[:length] + end
        times = []
        for _ in range(3):
            began = time.process_time()
            read(text)
            times.append(time.process_time() - began)
        return min(times)

    assert seconds(MANY) < 80 * max(seconds(FEW), 1e-5)
