"""The segments that people begin with: what comes along, and what does not."""

import pytest

from segments.engine.model import Segment
from segments.engine.scheme import scheme
from segments.engine.starting_segments import TimedStep, segments_of_steps, starting_segments

STEPS = (TimedStep("1", "Boil", 0.0, 2.0), TimedStep("", "Sing", 2.0, 3.0))


def told(segments):
    return [(item.start_s, item.end_s, item.step_id, item.text) for item in segments]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        # Its text is the description of a mistake.
        ("egooops", [(0.0, 2.0, "1", ""), (2.0, 3.0, "-1", "Sing")]),
        # It knows no steps beside the procedure's.
        ("captaincook4d", [(0.0, 2.0, "1", ""), (2.0, 3.0, "", "")]),
        # It asks whether the text is right.
        ("partition", [(0.0, 2.0, "1", "Boil"), (2.0, 3.0, "-1", "Sing")]),
    ],
)
def test_steps_become_segments_of_the_schemes_track(name, expected):
    assert told(segments_of_steps(STEPS, scheme(name))) == expected


def test_points_are_no_steps_that_last():
    with pytest.raises(ValueError, match="scheme onset has no track of steps that last"):
        segments_of_steps(STEPS, scheme("onset"))


def test_what_is_given_tells_nothing_of_who_made_it():
    before = (
        Segment("b", "steps", 2, 3, "2", "others", "spill", note="unsure", is_flagged=True,
                revision=7),
        Segment("a", "steps", 0, 1, "1", revision=3),
        Segment("gone", "steps", 1, 2, "1", is_deleted=True),
        Segment("miss", "steps", None, None, "3"),
    )  # fmt: skip

    assert starting_segments(before, is_proposal=True) == (
        Segment("a", "steps", 0, 1, "1", is_proposal=True),
        Segment("b", "steps", 2, 3, "2", "others", "spill", is_proposal=True),
        Segment("miss", "steps", None, None, "3", is_proposal=True),
    )
    assert starting_segments(before, is_proposal=False, has_words=False, has_missing=False) == (
        Segment("a", "steps", 0, 1, "1"),
        Segment("b", "steps", 2, 3, "2"),
    )
    [_, noted, _] = starting_segments(before, is_proposal=True, has_notes=True)
    assert (noted.note, noted.is_flagged) == ("unsure", True)
