"""Turn annotated recordings into takes, and into traces aligned to their reference by step id."""

from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from operator import itemgetter
from typing import TypeVar

from annotation.engine.corpus.formats.native_labels import (
    EventNumbering,
    counting_labels,
    mod_of,
    propose_type,
)
from annotation.engine.corpus.formats.pairing import RecordedReferences, Reference
from annotation.engine.corpus.procedure import NativeLabel, Step, Take, Trace, TraceStep
from annotation.engine.taxonomy import MODS_WITHOUT_REFERENCE, EventType, Mod, TaxonomyLabel

Item = TypeVar("Item")
# Returns the type that the labels of one step agree on, or None where a person decides.
Proposer = Callable[[Iterable[NativeLabel]], EventType | None]


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


def performed_in_order(steps: Iterable[RecordedStep]) -> list[RecordedStep]:
    """The timed steps by start time; equal starts keep the order of the file."""
    timed = [(step.start_s, step) for step in steps if step.start_s is not None]
    return [step for _start_s, step in sorted(timed, key=itemgetter(0))]


def make_take(recording: Recording) -> Take:
    """A recording without mistakes: timed steps by time, untimed ones last, none left out."""
    untimed = [step for step in recording.steps if step.start_s is None and not step.is_missing]
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


class ReferencePositions:
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


def make_trace(recording: Recording, reference: Reference, propose: Proposer) -> Trace:
    """The trace of a recording: one event per step whose labels count.

    Timed steps stand by time, others where the reference has them, else last.
    """
    positions = ReferencePositions(reference.take)
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
    numbering = EventNumbering()
    rows = []
    for step, position in merge_by_position(timed, untimed) + foreign:
        event = numbering.add(propose(step.labels)) if counting_labels(step.labels) else None
        if step.is_missing:
            assert event is not None, "a step that is left out carries the label that says so"
            assert position is not None, "the reference has every step that is left out"
        mod = Mod.DELETION if step.is_missing else mod_of(event, position)
        rows.append(
            TraceStep(
                mod=mod,
                text="" if step.is_missing else step.text,
                reference_index=None if mod in MODS_WITHOUT_REFERENCE else position,
                event_id=event.event_id if event else None,
                step_id=step.step_id,
                start_s=step.start_s,
                end_s=step.end_s,
                labels=step.labels,
            )
        )
    return Trace(
        uid=recording.uid,
        name=recording.uid,
        take_uid=reference.take.uid,
        steps=tuple(rows),
        events=tuple(numbering.events),
        video_stem=recording.uid,
        reference_reason=reference.reason,
    )


def takes_and_traces(
    recordings: Sequence[Recording],
    with_mistakes: Container[str],
    texts: Mapping[str, Mapping[str, str]],
    proposals: Mapping[str, TaxonomyLabel | None],
) -> tuple[tuple[Take, ...], tuple[Trace, ...]]:
    """Recordings whose uid is in `with_mistakes` become traces, the others takes.

    `texts` are the steps of each scenario's written procedure by id, for the traces that no
    recording can be the reference of; these procedures are takes behind the recorded ones.
    """
    takes = tuple(make_take(item) for item in recordings if item.uid not in with_mistakes)
    recorded = RecordedReferences(takes)
    written: dict[str, Take] = {}
    propose = partial(propose_type, proposals=proposals)
    traces = []
    for item in recordings:
        if item.uid in with_mistakes:
            left_out = {step.step_id for step in item.steps if step.is_missing}
            found = recorded.find(item.scenario, left_out)
            if found is None:
                found = recorded.written_procedure(item.scenario, texts.get(item.scenario, {}))
                written[item.scenario] = found.take
            traces.append(make_trace(item, found, propose))
    return (*takes, *(written[name] for name in sorted(written))), tuple(traces)
