"""The steps that were done in a recording and the mistakes in it, read from its trace.

A step that was left out has no time of its own: it can be noticed once another step is begun
instead.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from annotation.engine.corpus.procedure import Event, TraceStep
from annotation.engine.taxonomy import ErrorType, EventKind, Mod, TaxonomyLabel
from benchmarks.engine.material import Material, Recording

THIRDS = ("first third", "middle third", "last third")
NO_TRACES = "has no recording with marked mistakes; expected traces with times"


@dataclass(frozen=True, slots=True)
class Happening:
    """A step that was done; `place` is its rank in time, from 0.

    `event` is the mistake or correction that it belongs to, if any; `is_cascade` is true where it
    merely follows from a mistake.
    """

    place: int
    text: str
    start_s: float | None
    end_s: float | None
    row: TraceStep
    event: Event | None

    @property
    def is_cascade(self) -> bool:
        return self.row.mod is Mod.CASCADE

    @property
    def is_mistake(self) -> bool:
        is_marked = self.event is not None and self.event.kind is EventKind.MISTAKE
        return is_marked and not self.is_cascade

    @property
    def is_correction(self) -> bool:
        return self.row.mod is Mod.CORRECTION


@dataclass(frozen=True, slots=True)
class NoticedMistake:
    """A mistake with the seconds at which it begins and can be seen; no `rows` if left out."""

    event: Event
    onset_s: float
    seen_s: float
    rows: tuple[Happening, ...]


def recordings_with_traces(material: Material) -> list[Recording]:
    """The recordings that have a trace; raises ValueError where none has."""
    recordings = [recording for recording in material.recordings if recording.trace is not None]
    if not recordings:
        raise ValueError(f"{material.name} {NO_TRACES}")
    return recordings


def happenings(recording: Recording) -> tuple[Happening, ...]:
    """The steps that were done, by time where all have one, else in the order of the trace."""
    assert recording.trace is not None
    events = {event.event_id: event for event in recording.trace.events}
    done = [row for row in recording.trace.steps if row.mod is not Mod.DELETION]
    if all(row.start_s is not None for row in done):
        done.sort(key=lambda row: (row.start_s, row.end_s))
    return tuple(
        Happening(place, row.text, row.start_s, row.end_s, row, events.get(row.event_id or ""))
        for place, row in enumerate(done)
    )


def timed_happenings(material: Material) -> list[tuple[Recording, tuple[Happening, ...]]]:
    """The recordings whose trace has times for all its steps, each with these steps."""
    return [
        (recording, steps)
        for recording in recordings_with_traces(material)
        if (steps := happenings(recording)) and all(step.end_s is not None for step in steps)
    ]


def noticed_mistakes(recording: Recording) -> tuple[NoticedMistake, ...]:
    """The mistakes of a timed recording by when they can be seen."""
    assert recording.trace is not None
    steps = happenings(recording)
    mistakes = []
    for event in recording.trace.events:
        if event.kind is not EventKind.MISTAKE:
            continue
        rows = tuple(
            step for step in steps
            if step.event is event and not step.is_cascade and step.end_s is not None
        )  # fmt: skip
        showing = rows[0] if rows else _step_after_omission(recording, event, steps)
        if showing is not None and showing.start_s is not None and showing.end_s is not None:
            mistakes.append(NoticedMistake(event, showing.start_s, showing.end_s, rows))
    return tuple(sorted(mistakes, key=lambda mistake: (mistake.seen_s, mistake.event.event_id)))


def _step_after_omission(
    recording: Recording, event: Event, steps: Sequence[Happening]
) -> Happening | None:
    """The next step that was done after the one that was left out; None at the very end."""
    assert recording.trace is not None
    rows = list(recording.trace.steps)
    places = [place for place, row in enumerate(rows) if row.event_id == event.event_id]
    for row in rows[places[0] :] if places else []:
        for step in steps:
            if step.row is row and step.start_s is not None:
                return step
    return None


def narration(steps: Sequence[Happening], until_s: float | None = None) -> list[str]:
    """The texts of the steps, or of those that have ended by `until_s`."""
    return [
        step.text
        for step in steps
        if until_s is None or (step.end_s is not None and step.end_s <= until_s)
    ]


def type_name(event: Event) -> str:
    """The proposed type of a mistake in words, as breakdowns name it."""
    kind = event.proposed_type
    if kind is None:
        return "not typed"
    return kind.words if isinstance(kind, TaxonomyLabel | ErrorType) else str(kind)


def third_of_recording(
    moment_s: float | None, duration_s: float | None, place: int, count: int
) -> str:
    """The third of the recording that a moment lies in; without times, by the step's rank."""
    share = place / max(count, 1)
    if moment_s is not None and duration_s:
        share = moment_s / duration_s
    return THIRDS[min(int(3 * share), 2)]


def length_s(recording: Recording, steps: Sequence[Happening]) -> float | None:
    ends = [step.end_s for step in steps if step.end_s is not None]
    return recording.duration_s or max(ends, default=None)
