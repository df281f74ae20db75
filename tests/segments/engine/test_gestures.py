"""Gestures: what each does, where it stops, and that taking it back leaves everything as it was."""

from dataclasses import replace

import pytest

from annotation.engine.videos.clock import first_frame, last_frame
from segments.engine.model import GestureError, Segment
from segments.engine.scheme import scheme
from segments.engine.starting_segments import TimedStep
from tests.segments.engine.hands import hands_on, spans_of, state_of
from tests.segments.gestures import Edge, snapped


def after(hands, gesture):
    return spans_of(hands.state.apply(gesture))


def with_mistake(state, start_s, end_s, parent_key="s1"):
    mistake = Segment("m1", "mistakes", start_s, end_s, label="slip", parent_key=parent_key)
    return replace(state, segments={**state.segments, "m1": mistake})


# (geometry, shares_edges, edge of s2, to, result); s1 0-10, s2 10-20, s3 25-30
MOVES = [
    ("gaps", True, Edge.START, 12, {"s1": (0, 12), "s2": (12, 20), "s3": (25, 30)}),
    ("gaps", True, Edge.START, -5, {"s1": (0, 0.1), "s2": (0.1, 20), "s3": (25, 30)}),
    ("gaps", True, Edge.START, 40, {"s1": (0, 19.9), "s2": (19.9, 20), "s3": (25, 30)}),
    ("gaps", False, Edge.START, 12, {"s1": (0, 10), "s2": (12, 20), "s3": (25, 30)}),
    ("gaps", True, Edge.END, 40, {"s1": (0, 10), "s2": (10, 25), "s3": (25, 30)}),
    ("gaps", True, Edge.END, 3, {"s1": (0, 10), "s2": (10, 10.1), "s3": (25, 30)}),
    ("free", False, Edge.START, 5, {"s1": (0, 10), "s2": (5, 20), "s3": (25, 30)}),
    ("free", True, Edge.START, 5, {"s1": (0, 5), "s2": (5, 20), "s3": (25, 30)}),
    ("free", True, Edge.END, 400, {"s1": (0, 10), "s2": (10, 100), "s3": (25, 30)}),
    ("partition", False, Edge.START, 5, {"s1": (0, 5), "s2": (5, 20), "s3": (25, 30)}),
]


@pytest.mark.parametrize(("geometry", "shares_edges", "edge", "to_s", "expected"), MOVES)
def test_an_edge_takes_its_neighbour_and_stops(geometry, shares_edges, edge, to_s, expected):
    hands = hands_on(state_of((0, 10), (10, 20), (25, 30)), geometry, shares_edges=shares_edges)

    assert after(hands, hands.move_edge("s2", edge, to_s)) == expected


def test_an_edge_that_cannot_move_is_no_gesture():
    hands = hands_on(state_of((0, 10), (10, 20)), shares_edges=False)

    with pytest.raises(GestureError, match="move end changes nothing"):
        hands.move_edge("s1", Edge.END, 12)


def test_shared_edges_are_the_same_number_after_snapping():
    hands = hands_on(state_of((0, 10.0123), (10.0123, 20), rate=30000 / 1001))

    moved = hands.state.apply(hands.move_edge("s1", Edge.END, 11.0))

    assert moved.segments["s1"].end_s == moved.segments["s2"].start_s
    assert moved.segments["s1"].end_s == 11.011  # frame 330 of 29.97 a second


@pytest.mark.parametrize("rate", [25, 30000 / 1001, 30, 60])
def test_an_edge_on_a_frame_begins_with_it_and_ends_before_it(rate):
    for frame in range(2000):
        edge_s = snapped(frame / rate, resolution_s=None, rate=rate)

        assert (first_frame(edge_s, rate), last_frame(edge_s, rate)) == (frame, frame - 1)


def test_off_means_off():
    hands = hands_on(state_of((0, 10)), snaps=False)

    assert after(hands, hands.move_edge("s1", Edge.END, 12.34567891)) == {"s1": (0, 12.345679)}


def test_drawing_ends_where_the_next_begins():
    hands = hands_on(state_of((0, 10), (15, 20)))

    assert after(hands, hands.draw("steps", 12, 18, step_id="3"))["n1"] == (12, 15)
    with pytest.raises(GestureError, match=r"5\.0 s lies in segment s1; expected a place in a gap"):
        hands.draw("steps", 5, 7)
    with pytest.raises(GestureError, match=r"10\.0 to 10\.0 s is too short"):
        hands.draw("steps", 10, 10)
    with pytest.raises(ValueError, match="track is 'stepz'; expected one of steps, mistakes"):
        hands.draw("stepz", 10, 12)


def test_drawing_on_a_free_track_may_overlap():
    hands = hands_on(state_of((0, 10)), "free")

    assert after(hands, hands.draw("steps", 5, 7)) == {"s1": (0, 10), "n1": (5, 7)}


def test_split_shares_out_what_belongs_to_the_segment():
    hands = hands_on(with_mistake(state_of((0, 10)), 6, 8))

    parted = hands.state.apply(hands.split("s1", 5))

    assert spans_of(parted) == {"s1": (0, 5), "n1": (5, 10)}
    assert parted.segments["m1"].parent_key == "n1"
    assert parted.segments["n1"].step_id == "1"
    for at_s in (0, 10, 12):
        with pytest.raises(GestureError, match="is not inside segment s1"):
            hands.split("s1", at_s)


def test_join_asks_whose_words_stay():
    hands = hands_on(with_mistake(state_of((0, 10), (12, 20)), 13, 14, "s2"))

    with pytest.raises(GestureError, match="s1 and s2 differ; expected whose words stay"):
        hands.join("s1")
    joined = hands.state.apply(hands.join("s1", "s2"))

    assert spans_of(joined) == {"s1": (0, 20)}
    assert joined.segments["s1"].step_id == "2"
    assert joined.segments["m1"].parent_key == "s1"
    with pytest.raises(GestureError, match="no segment follows s2"):
        hands.join("s2")


@pytest.mark.parametrize(
    ("key", "expected"),
    [("s1", {"s2": (0, 20), "s3": (20, 30)}), ("s2", {"s1": (0, 20), "s3": (20, 30)})],
)
def test_deleting_in_a_partition_leaves_no_gap(key, expected):
    hands = hands_on(state_of((0, 10), (10, 20), (20, 30)), "partition")

    assert after(hands, hands.delete(key)) == expected


def test_deleting_takes_along_what_belongs_to_the_segment():
    hands = hands_on(with_mistake(state_of((0, 10)), None, None))

    emptied = hands.state.apply(hands.delete("s1"))

    assert list(emptied) == []
    assert sorted(emptied.segments) == ["m1", "s1"]


@pytest.mark.parametrize(
    ("by_s", "expected"),
    [
        (2, {"s1": (0, 10), "s2": (12, 17), "s3": (20, 30)}),
        (9, {"s1": (0, 10), "s2": (15, 20), "s3": (20, 30)}),
        (-9, {"s1": (0, 10), "s2": (10, 15), "s3": (20, 30)}),
    ],
)
def test_a_nudged_segment_stops_at_its_neighbours(by_s, expected):
    hands = hands_on(state_of((0, 10), (10, 15), (20, 30)))
    start = replace(hands, state=state_of((0, 10), (10, 15), (20, 30)))
    if by_s < 0:
        start = replace(start, state=state_of((0, 10), (14, 19), (20, 30)))

    assert after(start, start.nudge("s2", by_s)) == expected


def test_ripple_says_how_many_and_is_refused_whole():
    hands = hands_on(state_of((0, 10), (12, 20), (30, 40), (50, 60)))

    ripple = hands.ripple("steps", 12, 2)

    assert ripple.name == "move 3 later segments by +2 s"
    assert after(hands, ripple) == {
        "s1": (0, 10), "s2": (14, 22), "s3": (32, 42), "s4": (52, 62),
    }  # fmt: skip
    with pytest.raises(GestureError, match=r"the first would start at 9 s; expected 10 or later"):
        hands.ripple("steps", 12, -3)
    with pytest.raises(GestureError, match="the last would end at 101 s; expected 100"):
        hands.ripple("steps", 12, 41)
    with pytest.raises(GestureError, match=r"nothing is moved by 2 s from 70 s on"):
        hands.ripple("steps", 70, 2)


def test_copies_are_proposals_until_they_are_accepted():
    hands = hands_on(state_of())
    steps = [TimedStep("1", "Boil water", 0, 10), TimedStep("2", "Pour", 10.04, 20)]

    copied = hands.state.apply(hands.copy("steps", steps))
    hands = replace(hands, state=copied)
    accepted = copied.apply(hands.accept(["n1"]))

    assert [(item.key, item.step_id, item.span, item.is_proposal) for item in accepted] == [
        ("n1", "1", (0, 10), False),
        ("n2", "2", (10, 20), True),
    ]
    with pytest.raises(GestureError, match="segment n1 is no proposal"):
        replace(hands, state=accepted).accept(["n1"])
    labelled = copied.apply(hands.label("n2", step_id="3"))
    assert not labelled.segments["n2"].is_proposal


def test_words_and_flags_change_what_they_say():
    hands = hands_on(state_of((0, 10)))

    labelled = hands.state.apply(hands.label("s1", step_id="4", label="slip"))
    written = labelled.apply(replace(hands, state=labelled).write("s1", "Pour oil"))
    flagged = written.apply(replace(hands, state=written).flag("s1", "too dark"))

    assert flagged.segments["s1"] == Segment(
        "s1", "steps", 0, 10, "4", "slip", "Pour oil", note="too dark", is_flagged=True, revision=4
    )
    with pytest.raises(GestureError, match="label changes text; expected step_id or label"):
        hands.label("s1", text="Pour oil")
    with pytest.raises(GestureError, match="segment 's9' is not there"):
        hands.write("s9", "Pour oil")


def test_a_step_is_said_to_be_missing_once():
    hands = hands_on(state_of((0, 10)))

    said = hands.state.apply(hands.missing("steps", "2"))

    assert [item.step_id for item in said if item.is_missing] == ["2"]
    with pytest.raises(GestureError, match="step 2 is said to be missing already"):
        replace(hands, state=said).missing("steps", "2")


def test_points_are_moved_whole():
    hands = hands_on(state_of(rate=25), scheme=scheme("onset"))

    made = hands.state.apply(hands.draw("onsets", 4.013, 9, step_id="1"))
    moved = made.apply(replace(hands, state=made).move_edge("n1", Edge.END, 5))

    assert made.segments["n1"].span == (4.0, 4.0)
    assert moved.segments["n1"].span == (5.0, 5.0)
