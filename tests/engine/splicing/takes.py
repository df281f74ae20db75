"""Takes and traces for the tests of edit lists, drawn or written by hand."""

from dataclasses import dataclass

import hypothesis.strategies as st

from annotation.engine.corpus.procedure import Event, Step, Take, Trace, TraceStep
from annotation.engine.taxonomy import EventKind, Mod, TaxonomyLabel

TYPE_OF_MOD = {
    Mod.ERROR: TaxonomyLabel.WRONG_EXECUTION,
    Mod.INSERTION: TaxonomyLabel.INSERTION,
    Mod.DELETION: TaxonomyLabel.DELETION,
    Mod.CORRECTION: TaxonomyLabel.CORRECTION,
    Mod.MOVED_SOURCE: TaxonomyLabel.TRANSPOSITION,
    Mod.MOVED_TARGET: TaxonomyLabel.TRANSPOSITION,
}


@dataclass(frozen=True)
class Case:
    """A take of a recording with one trace of it."""

    take: Take
    trace: Trace
    duration_s: float


def make_take(*times: tuple[float, float] | None) -> Take:
    steps = tuple(
        Step(
            text=f"Do thing {index}",
            step_id=str(100 + index),
            start_s=None if span is None else span[0],
            end_s=None if span is None else span[1],
            is_essential=True,
            taxonomy_path=("Things", f"Thing {index}"),
        )
        for index, span in enumerate(times)
    )
    return Take(uid="take-1", name="lab_1", scenario="Things", steps=steps)


def make_trace(*rows: tuple[Mod, int | None]) -> Trace:
    """Return a trace; swapped rows share the event "swap", every other event is its own."""
    steps, events = [], {}
    for index, (mod, reference) in enumerate(rows):
        event_id = None
        if mod in TYPE_OF_MOD:
            is_moved = mod in {Mod.MOVED_SOURCE, Mod.MOVED_TARGET}
            event_id = "swap" if is_moved else f"E{index}"
            is_correction = mod is Mod.CORRECTION
            kind = EventKind.CORRECTION if is_correction else EventKind.MISTAKE
            events[event_id] = Event(event_id, kind, TYPE_OF_MOD[mod])
        text = "" if mod is Mod.DELETION else f"Row {index}"
        steps.append(TraceStep(mod=mod, text=text, reference_index=reference, event_id=event_id))
    return Trace(
        uid="trace-1",
        name="lab_1_e1",
        take_uid="take-1",
        steps=tuple(steps),
        events=tuple(events.values()),
    )


@st.composite
def cases(draw: st.DrawFn, *, overlapping: bool = True) -> Case:
    """Draw takes with gaps, overlaps, short, long and untimed steps, and traces of them."""
    spans: list[tuple[float, float] | None] = []
    at_s = 0.0
    for _ in range(draw(st.integers(1, 7))):
        if draw(st.integers(0, 9)) == 0:
            spans.append(None)
            continue
        shift_s = draw(st.floats(-3.0 if overlapping else 0.0, 4.0))
        start_s = max(0.0, at_s + shift_s)
        length_s = draw(st.sampled_from([0.05, 0.3, 1.0, 4.0, 9.0, 14.0, 40.0, 290.0]))
        spans.append((start_s, start_s + length_s))
        at_s = start_s + length_s
    ends_s = [span[1] for span in spans if span]
    duration_s = max(ends_s, default=0.0) + draw(st.sampled_from([0.0, 0.5, 6.0])) or 5.0
    rows = draw(_rows(len(spans)))
    return Case(make_take(*spans), make_trace(*rows), duration_s)


@st.composite
def _rows(draw: st.DrawFn, step_count: int) -> list[tuple[Mod, int | None]]:
    mods = st.sampled_from([Mod.UNCHANGED, Mod.UNCHANGED, Mod.ERROR, Mod.CASCADE, Mod.DELETION])
    rows: list[tuple[Mod, int | None]] = [(draw(mods), index) for index in range(step_count)]
    if step_count > 1 and draw(st.booleans()):
        first = draw(st.integers(0, step_count - 2))
        second = draw(st.integers(first + 1, step_count - 1))
        rows[first], rows[second] = (Mod.MOVED_TARGET, second), (Mod.MOVED_SOURCE, first)
    for _ in range(draw(st.integers(0, 3))):
        added = draw(st.sampled_from([Mod.INSERTION, Mod.CORRECTION]))
        rows.insert(draw(st.integers(0, len(rows))), (added, None))
    return rows
