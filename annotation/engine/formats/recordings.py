"""Turn annotated recordings into takes, and into traces aligned to their reference by step id."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from annotation.engine.formats.native_labels import EventNumbering, counting_labels, mod_of
from annotation.engine.formats.pairing import Reference
from annotation.engine.procedure import NativeLabel, Step, Take, Trace, TraceStep
from annotation.engine.taxonomy import Mod, TaxonomyLabel

Item = TypeVar("Item")
# Returns the type that the labels of one step agree on, or None where a person decides.
Proposer = Callable[[Iterable[NativeLabel]], TaxonomyLabel | None]


@dataclass(frozen=True, slots=True)
class RecordedStep:
    """One annotated step of a recording; `is_missing` marks one that the person left out."""

    text: str
    step_id: str
    start_s: float | None = None
    end_s: float | None = None
    labels: tuple[NativeLabel, ...] = ()
    is_missing: bool = False


@dataclass(frozen=True, slots=True)
class Recording:
    """One annotated recording; its steps may be in any order and some may be untimed."""

    uid: str
    scenario: str
    steps: tuple[RecordedStep, ...]
    order_deviations: int = 0
    provenance: Mapping[str, str] = field(default_factory=dict)

    def left_out_step_ids(self) -> frozenset[str]:
        """Return the steps that the person left out, which the reference must have."""
        return frozenset(step.step_id for step in self.steps if step.is_missing)


def _start_of(step: RecordedStep) -> float:
    return 0.0 if step.start_s is None else step.start_s


def performed_in_order(steps: Iterable[RecordedStep]) -> list[RecordedStep]:
    """Return the timed steps by start time; equal starts keep the order of the file."""
    return sorted((step for step in steps if step.start_s is not None), key=_start_of)


def make_take(recording: Recording) -> Take:
    """Return a mistake-free recording as a take: timed steps by time, untimed ones last."""
    untimed = [step for step in recording.steps if step.start_s is None]
    return Take(
        uid=recording.uid,
        name=recording.uid,
        scenario=recording.scenario,
        steps=tuple(
            Step(text=step.text, step_id=step.step_id, start_s=step.start_s, end_s=step.end_s)
            for step in performed_in_order(recording.steps) + untimed
        ),
        video_stem=recording.uid,
        order_deviations=recording.order_deviations,
    )


class _ReferencePositions:
    """Say which step of the reference realises a step id: its n-th use is the n-th such step.

    A step done more often than in the reference refers to the last such step again.
    """

    def __init__(self, take: Take) -> None:
        self._positions: dict[str, list[int]] = defaultdict(list)
        for index, step in enumerate(take.steps):
            if step.step_id:
                self._positions[step.step_id].append(index)
        self._used: dict[str, int] = defaultdict(int)

    def next_position(self, step_id: str) -> int | None:
        positions = self._positions.get(step_id)
        if not positions:
            return None
        use_index = min(self._used[step_id], len(positions) - 1)
        self._used[step_id] += 1
        return positions[use_index]


def merge_by_position(
    placed: Sequence[tuple[Item, int | None]], unplaced: Iterable[tuple[Item, int]]
) -> list[tuple[Item, int | None]]:
    """Put each unplaced item behind the last row of the nearest reference step before its own.

    Items are (anything, position in the reference); `placed` keeps its order. An item without any
    reference step before it comes first.
    """
    last_row_of: dict[int, int] = {}
    for row_index, (_item, position) in enumerate(placed):
        if position is not None:
            last_row_of[position] = row_index
    behind: dict[int, list[tuple[Item, int | None]]] = defaultdict(list)
    anchors = sorted(last_row_of)
    reached, anchor_row = 0, -1
    for item, wanted in sorted(unplaced, key=lambda pair: pair[1]):
        while reached < len(anchors) and anchors[reached] <= wanted:
            anchor_row = last_row_of[anchors[reached]]
            reached += 1
        behind[anchor_row].append((item, wanted))
    merged = list(behind[-1])
    for row_index, pair in enumerate(placed):
        merged.append(pair)
        merged.extend(behind[row_index])
    return merged


def _in_procedure_order(
    recording: Recording, reference: Take
) -> list[tuple[RecordedStep, int | None]]:
    """Return the timed steps by time, each untimed one where the reference has it.

    Untimed steps that the reference lacks come last, as nothing says where they belong.
    """
    positions = _ReferencePositions(reference)
    timed = [
        (step, positions.next_position(step.step_id))
        for step in performed_in_order(recording.steps)
    ]
    untimed: list[tuple[RecordedStep, int]] = []
    foreign: list[tuple[RecordedStep, int | None]] = []
    for step in recording.steps:
        if step.start_s is None:
            position = positions.next_position(step.step_id)
            if position is None:
                foreign.append((step, None))
            else:
                untimed.append((step, position))
    return merge_by_position(timed, untimed) + foreign


def _missing_row(step: RecordedStep, position: int | None, event_id: str) -> TraceStep:
    assert position is not None, "the reference was chosen to have every step that is left out"
    return TraceStep(
        mod=Mod.DELETION,
        text="",
        reference_index=position,
        event_id=event_id,
        step_id=step.step_id,
        labels=step.labels,
    )


def _performed_row(
    step: RecordedStep, position: int | None, mod: Mod, event_id: str | None
) -> TraceStep:
    is_foreign = mod in (Mod.CORRECTION, Mod.INSERTION)
    return TraceStep(
        mod=mod,
        text=step.text,
        reference_index=None if is_foreign else position,
        event_id=event_id,
        step_id=step.step_id,
        start_s=step.start_s,
        end_s=step.end_s,
        labels=step.labels,
    )


def make_trace(recording: Recording, reference: Reference, propose: Proposer) -> Trace:
    """Return a recording with mistakes as a trace: one event per step whose labels count."""
    numbering = EventNumbering()
    rows = []
    for step, position in _in_procedure_order(recording, reference.take):
        event = numbering.add(propose(step.labels)) if counting_labels(step.labels) else None
        if step.is_missing:
            assert event is not None, "a step that is left out carries the label that says so"
            rows.append(_missing_row(step, position, event.event_id))
        else:
            event_id = event.event_id if event else None
            rows.append(_performed_row(step, position, mod_of(event, position), event_id))
    return Trace(
        uid=recording.uid,
        name=recording.uid,
        take_uid=reference.take.uid,
        steps=tuple(rows),
        events=tuple(numbering.events),
        video_stem=recording.uid,
        reference_reason=reference.reason,
        provenance=recording.provenance,
    )
