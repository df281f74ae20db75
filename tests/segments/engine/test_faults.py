"""Faults of geometry, words and steps, and what badges say."""

from dataclasses import replace

from segments.engine.difference import Difference, differences
from segments.engine.faults import Fault, FaultKind, faults
from segments.engine.model import Segment
from segments.engine.scheme import scheme
from tests.segments.engine.hands import scheme_of, state_of


def test_a_partition_has_no_gap_and_no_overlap():
    state = state_of((2, 10), (10, 20), (18, 19), (25, 105))

    assert faults(state, scheme_of("partition")) == (
        Fault(FaultKind.BEYOND_THE_END, "s4", "", 100.0, 105),
        Fault(FaultKind.GAP, "", "s1", 0.0, 2),
        Fault(FaultKind.OVERLAP, "s2", "s3", 18, 19),
        Fault(FaultKind.GAP, "s2", "s4", 20, 25),
    )
    assert faults(state_of((0, 10), (10, 100)), scheme_of("partition")) == ()
    assert faults(state_of((0, 10)), scheme_of("partition")) == (
        Fault(FaultKind.GAP, "s1", "", 10, 100.0),
    )


def test_gaps_and_overlaps_are_faults_only_where_the_track_says_so():
    state = state_of((0, 10), (8, 20), (30, 40))

    assert faults(state, scheme_of("gaps")) == (Fault(FaultKind.OVERLAP, "s1", "s2", 8, 10),)
    assert faults(state, scheme_of("free")) == ()


def test_steps_are_done_or_said_to_be_missing():
    state = state_of((0, 10, "1"), (10, 20, "9"), (20, 30, ""), (30, 40, "-1"), (50, 50.05, "2"))
    missing = {
        "m1": Segment("m1", "steps", None, None, "1"),
        "m2": Segment("m2", "steps", None, None, "3"),
    }
    state = replace(state, segments={**state.segments, **missing})

    assert faults(state, scheme_of("gaps"), ["1", "2", "3", "4"]) == (
        Fault(FaultKind.TOO_SHORT, "s5"),
        Fault(FaultKind.UNKNOWN_STEP, "s2", "9"),
        Fault(FaultKind.NO_STEP, "s3"),
        Fault(FaultKind.NO_TEXT, "s4"),
        Fault(FaultKind.DONE_AND_MISSING, "m1", "1"),
        Fault(FaultKind.NOT_SAID, "", "4"),
    )


def test_labels_texts_and_parents_are_looked_up():
    egooops = scheme("egooops")
    state = state_of((0, 10), (10, 20))
    first, second = state.segments.values()
    state = replace(
        state,
        segments={
            "s1": replace(first, label="unintended actions"),
            "s2": replace(second, label="slip", is_proposal=True),
        },
    )

    assert faults(state, egooops) == (
        Fault(FaultKind.NO_TEXT, "s1", "unintended actions"),
        Fault(FaultKind.PROPOSAL, "s2"),
        Fault(FaultKind.UNKNOWN_LABEL, "s2", "slip"),
    )
    lost = Segment("m1", "mistakes", None, None, parent_key="s9")
    state = state_of((0, 10))
    assert faults(replace(state, segments={**state.segments, "m1": lost}), scheme_of("free")) == (
        Fault(FaultKind.NO_LABEL, "m1"),
        Fault(FaultKind.PARENT_LOST, "m1", "s9"),
    )


def test_differences_are_told_by_key():
    before = state_of((0, 10), (10, 20), (20, 30), (30, 40))
    segments = dict(before.segments)
    segments["s1"] = replace(segments["s1"], end_s=9, text="Pour", revision=2)
    segments["s2"] = replace(segments["s2"], is_deleted=True)
    segments["s3"] = replace(segments["s3"], step_id="7", label="slip", is_flagged=True)
    segments["n1"] = Segment("n1", "steps", 12, 14)
    after = replace(before, segments=segments)

    found = differences(before, after)

    assert [(item.key, item.words) for item in found] == [
        ("s1", ("bounds", "text")),
        ("s2", ("deleted",)),
        ("n1", ("inserted",)),
        ("s3", ("step", "label", "flag")),
        ("s4", ()),
    ]
    assert found[1] == Difference("s2", before.segments["s2"], None)
