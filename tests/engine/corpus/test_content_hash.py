from dataclasses import fields, replace

import pytest

from annotation.engine.corpus.content_hash import content_version, hash_take, hash_trace
from annotation.engine.corpus.procedure import Event, NativeLabel, Step, Take, Trace, TraceStep
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


@pytest.mark.parametrize("name", [item.name for item in fields(Take) if item.name != "steps"])
def test_hash_take_sees_every_field_of_the_take(name: str) -> None:
    changed: dict[str, str | int] = {name: 7 if name == "order_deviations" else "new"}

    assert hash_take(replace(make_take(), **changed)) != hash_take(make_take())


@pytest.mark.parametrize(
    "name", [item.name for item in fields(Trace) if item.name not in ("steps", "events")]
)
def test_hash_trace_sees_every_field_of_the_trace(name: str) -> None:
    changed: dict[str, object] = {name: {"made by": "new"} if name == "provenance" else "new"}

    assert hash_trace(replace(make_trace(), **changed), "") != hash_trace(make_trace(), "")


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


def test_version_of_what_a_rater_sees_changes_with_trace_take_and_the_choice_of_the_take() -> None:
    seen = {"trace_hash": "a", "take_hash": "b", "take_id": 1}
    changes: list[dict[str, str | int]] = [{"trace_hash": "c"}, {"take_hash": "c"}, {"take_id": 2}]

    versions = [content_version(**(seen | change)) for change in [{}, *changes]]

    assert content_version(trace_hash="a", take_hash="b", take_id=1) == versions[0]
    assert len(set(versions)) == 4
    assert {len(version) for version in versions} == {16}
