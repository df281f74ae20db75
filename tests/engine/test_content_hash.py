from dataclasses import fields, replace

import pytest

from annotation.engine.content_hash import hash_take, hash_trace
from annotation.engine.procedure import Event, NativeLabel, Step, TraceStep
from annotation.engine.taxonomy import EventKind, Mod, TaxonomyLabel
from tests.annotation.readings import make_take, make_trace

CHANGES_OF_STEP = {
    "text": "new",
    "step_id": "new",
    "start_s": 0.5,
    "end_s": 9.5,
    "is_essential": True,
    "semrep": "BOIL()",
    "taxonomy_path": ("a",),
}
CHANGES_OF_ROW = {
    "mod": Mod.ERROR,
    "text": "new",
    "reference_index": 2,
    "event_id": "e2",
    "step_id": "new",
    "start_s": 0.5,
    "end_s": 9.5,
    "labels": (NativeLabel("Other", is_derived=True),),
}
CHANGES_OF_EVENT = {
    "event_id": "new",
    "kind": EventKind.CORRECTION,
    "proposed_type": TaxonomyLabel.TRANSPOSITION,
    "target_event_id": "e2",
}


def test_hash_take_is_the_same_for_equal_takes() -> None:
    assert hash_take(make_take()) == hash_take(make_take())


@pytest.mark.parametrize("name", [item.name for item in fields(Step)])
def test_hash_take_sees_every_field_of_a_step(name: str) -> None:
    take = make_take()
    changed = replace(take.steps[0], **{name: CHANGES_OF_STEP[name]})

    assert hash_take(replace(take, steps=(changed, *take.steps[1:]))) != hash_take(take)


@pytest.mark.parametrize("name", [item.name for item in fields(TraceStep)])
def test_hash_trace_sees_every_field_of_a_row(name: str) -> None:
    trace = make_trace()
    changed = replace(trace.steps[0], **{name: CHANGES_OF_ROW[name]})

    other = replace(trace, steps=(changed, *trace.steps[1:]))

    assert hash_trace(other, "") != hash_trace(trace, "")


@pytest.mark.parametrize("name", [item.name for item in fields(Event)])
def test_hash_trace_sees_every_field_of_an_event(name: str) -> None:
    trace = make_trace()
    changed = replace(trace.events[0], **{name: CHANGES_OF_EVENT[name]})

    other = replace(trace, events=(changed, *trace.events[1:]))

    assert hash_trace(other, "") != hash_trace(trace, "")


def test_hash_trace_sees_a_changed_reference() -> None:
    assert hash_trace(make_trace(), "a") != hash_trace(make_trace(), "b")


def test_hash_trace_ignores_the_order_of_provenance() -> None:
    first = replace(make_trace(), provenance={"a": "1", "b": "2"})
    second = replace(make_trace(), provenance={"b": "2", "a": "1"})

    assert hash_trace(first, "") == hash_trace(second, "")
