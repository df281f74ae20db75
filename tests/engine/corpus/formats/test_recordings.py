from hypothesis import given
from hypothesis import strategies as st

from annotation.engine.corpus.formats.pairing import Reference
from annotation.engine.corpus.formats.recordings import (
    RecordedStep,
    Recording,
    make_take,
    make_trace,
    merge_by_position,
)
from annotation.engine.corpus.procedure import NativeLabel, Step, Take
from annotation.engine.taxonomy import Mod, TaxonomyLabel


def _step(step_id, start_s=None, *labels, is_missing=False):
    end_s = None if start_s is None else start_s + 1
    return RecordedStep(f"do {step_id}", step_id, start_s, end_s, tuple(labels), is_missing)


def _reference(*step_ids):
    steps = tuple(Step(f"do {step_id}", step_id) for step_id in step_ids)
    return Reference(Take("r", "r", "tea", steps), "Because.")


def _trace(reference, *steps):
    recording = Recording("t", "tea", steps)
    return make_trace(recording, reference, lambda labels: TaxonomyLabel.DELETION)


def _shape(trace):
    return [(step.mod, step.step_id, step.reference_index) for step in trace.steps]


def test_make_take_orders_timed_steps_and_puts_untimed_ones_last():
    recording = Recording("t", "tea", (_step("b"), _step("c", 4.0), _step("a", 1.0)), 3)

    take = make_take(recording)

    assert [step.step_id for step in take.steps] == ["a", "c", "b"]
    assert (take.uid, take.video_stem, take.order_deviations) == ("t", "t", 3)


def test_equal_starts_keep_the_order_of_the_file():
    take = make_take(Recording("t", "tea", (_step("b", 1.0), _step("a", 1.0))))

    assert [step.step_id for step in take.steps] == ["b", "a"]


def test_nth_use_of_a_step_refers_to_its_nth_place():
    trace = _trace(_reference("a", "b", "a"), _step("a", 1.0), _step("a", 2.0), _step("a", 3.0))

    assert [step.reference_index for step in trace.steps] == [0, 2, 2]


def test_missing_steps_stand_where_the_reference_has_them():
    missing = NativeLabel("Missing Step")
    trace = _trace(
        _reference("a", "b", "c", "d", "e"),
        _step("e", None, missing, is_missing=True),
        _step("c", None, missing, is_missing=True),
        _step("a", None, missing, is_missing=True),
        _step("d", 1.0),
        _step("b", 2.0),
    )

    assert _shape(trace) == [
        (Mod.DELETION, "a", 0),
        (Mod.UNCHANGED, "d", 3),
        (Mod.DELETION, "e", 4),
        (Mod.UNCHANGED, "b", 1),
        (Mod.DELETION, "c", 2),
    ]
    assert [event.event_id for event in trace.events] == ["E01", "E02", "E03"]


def test_untimed_step_that_the_reference_lacks_comes_last():
    trace = _trace(_reference("a"), _step("x"), _step("a", 1.0))

    assert _shape(trace) == [(Mod.UNCHANGED, "a", 0), (Mod.UNCHANGED, "x", None)]


@given(
    placed=st.lists(st.one_of(st.none(), st.integers(0, 9)), max_size=12),
    unplaced=st.lists(st.integers(0, 9), max_size=8),
)
def test_merge_keeps_rows_in_order_and_loses_nothing(placed, unplaced):
    rows = [(("row", index), position) for index, position in enumerate(placed)]
    added = [(("added", index), position) for index, position in enumerate(unplaced)]

    merged = merge_by_position(rows, added)

    assert [pair for pair in merged if pair[0][0] == "row"] == rows
    assert sorted(pair for pair in merged if pair[0][0] == "added") == added
    for index, (item, position) in enumerate(merged):
        before = [other for other, _ in merged[:index]]
        if item[0] == "added" and before:
            last_row = next((other for other in reversed(before) if other[0] == "row"), None)
            assert last_row is None or placed[last_row[1]] <= position
