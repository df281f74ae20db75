"""What happened when in a recording, as tasks ask about it: from the rows of its trace.

A trace knows its mistakes, when they began and which step repaired them. A step that was left out
has no time: it can be noticed once another step was begun instead.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from annotation.engine.procedure import Event, TraceStep
from annotation.engine.taxonomy import ErrorType, EventKind, Mod, TaxonomyLabel
from benchmarks.engine.material import Material, Recording

THIRDS = ("first third", "middle third", "last third")
NO_TRACES = "has no recording with marked mistakes; expected traces with times"


@dataclass(frozen=True, slots=True)
class Happening:
    """One step that was done, in the order of time: `place` counts from 0 among these.

    `event` is the mistake or correction that it belongs to, if any; `is_cascade` marks what merely
    follows from a mistake.
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
class Noticed:
    """A mistake with when it begins and when it can be seen, in s; its rows, none if left out."""

    event: Event
    onset_s: float
    seen_s: float
    rows: tuple[Happening, ...]


def with_mistakes(material: Material) -> list[Recording]:
    """Recordings that have a trace; raises ValueError where there is none."""
    found = [recording for recording in material.recordings if recording.trace is not None]
    if not found:
        raise ValueError(f"{material.name} {NO_TRACES}")
    return found


def happenings(recording: Recording) -> tuple[Happening, ...]:
    """The steps that were done, by time where they have one, else in the order of the trace."""
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
    """Recordings with a trace all of whose steps have times, with these steps."""
    return [
        (recording, done)
        for recording in with_mistakes(material)
        if (done := happenings(recording)) and all(one.end_s is not None for one in done)
    ]


def noticed_mistakes(recording: Recording) -> tuple[Noticed, ...]:
    """The mistakes of a timed recording by when they can be seen."""
    assert recording.trace is not None
    done = happenings(recording)
    found = []
    for event in recording.trace.events:
        if event.kind is not EventKind.MISTAKE:
            continue
        rows = tuple(
            one for one in done
            if one.event is event and not one.is_cascade and one.end_s is not None
        )  # fmt: skip
        shows = rows[0] if rows else _after_left_out(recording, event, done)
        if shows is not None and shows.start_s is not None and shows.end_s is not None:
            found.append(Noticed(event, shows.start_s, shows.end_s, rows))
    return tuple(sorted(found, key=lambda one: (one.seen_s, one.event.event_id)))


def _after_left_out(
    recording: Recording, event: Event, done: Sequence[Happening]
) -> Happening | None:
    """The step that was done where the one of the event was left out; None at the very end."""
    assert recording.trace is not None
    rows = list(recording.trace.steps)
    places = [place for place, row in enumerate(rows) if row.event_id == event.event_id]
    for row in rows[places[0] :] if places else []:
        for one in done:
            if one.row is row and one.start_s is not None:
                return one
    return None


def narrated(done: Sequence[Happening], until_s: float | None = None) -> list[str]:
    """What was done in words, of steps that have ended by a moment."""
    return [
        one.text
        for one in done
        if until_s is None or (one.end_s is not None and one.end_s <= until_s)
    ]


def type_name(event: Event) -> str:
    """How a breakdown calls the type of a mistake: the proposed one, in words."""
    kind = event.proposed_type
    if kind is None:
        return "not typed"
    return kind.words if isinstance(kind, TaxonomyLabel | ErrorType) else str(kind)


def third(moment_s: float | None, duration_s: float | None, place: int, count: int) -> str:
    """In which third of the recording a moment lies; by the order of steps without times."""
    share = place / max(count, 1)
    if moment_s is not None and duration_s:
        share = moment_s / duration_s
    return THIRDS[min(int(3 * share), 2)]


def length_s(recording: Recording, done: Sequence[Happening]) -> float | None:
    ends = [one.end_s for one in done if one.end_s is not None]
    return recording.duration_s or max(ends, default=None)
