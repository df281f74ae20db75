from annotation.engine.taxonomy import Mod
from generation.engine.splicing.anchors import AnchorTimes, anchor_times
from generation.engine.splicing.planning import plan_edits
from tests.engine.splicing.takes import make_take, make_trace


def anchors_of(spans, rows) -> list[AnchorTimes]:
    edits = plan_edits(take=make_take(*spans), trace=make_trace(*rows), source_duration_s=30)
    return list(anchor_times(edits).values())


def test_a_replacement_stands_between_the_frames_beside_its_step() -> None:
    assert anchors_of([(2, 8)], [(Mod.ERROR, 0)]) == [AnchorTimes(2, 8)]


def test_clips_of_one_step_meet_in_the_middle() -> None:
    anchors = anchors_of([(2, 22)], [(Mod.ERROR, 0)])

    assert anchors == [AnchorTimes(2, 12), AnchorTimes(12, 22)]


def test_an_added_clip_leaves_the_scene_as_it_found_it() -> None:
    anchors = anchors_of(
        [(2, 8), (10, 12)], [(Mod.UNCHANGED, 0), (Mod.INSERTION, None), (Mod.UNCHANGED, 1)]
    )

    assert anchors == [AnchorTimes(8, 8)]


def test_a_correction_follows_the_end_of_the_mistake() -> None:
    anchors = anchors_of([(2, 8)], [(Mod.ERROR, 0), (Mod.CORRECTION, None)])

    assert anchors == [AnchorTimes(2, 8), AnchorTimes(8, 8)]


def test_a_bridge_spans_what_was_removed() -> None:
    assert anchors_of([(2, 8)], [(Mod.DELETION, 0)]) == [AnchorTimes(2, 8)]
