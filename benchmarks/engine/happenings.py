"""The steps that were done in a recording and the mistakes in it, read from its trace.

A step that was left out has no time of its own: it can be noticed once another step is begun
instead. A recording without mistakes is read against the procedure that the others of it have.
"""

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from operator import itemgetter

from annotation.engine.corpus.formats.recordings import ReferencePositions
from annotation.engine.corpus.procedure import Event, Take, Trace, TraceStep
from annotation.engine.taxonomy import ErrorType, EventKind, Mod, TaxonomyLabel
from benchmarks.engine.material import Material, Recording, is_mistake
from benchmarks.engine.task import Setting

THIRDS = ("first third", "middle third", "last third")
NO_TRACES = "has no recording with marked mistakes; expected traces with times"

# What participants read of a step that was done. The row's own words often describe the mistake.
WRITTEN_WORDS = "the procedure's words"
PICTURES = "pictures alone"
OWN_WORDS = "the row's own words"
SHOWN = Setting(
    "shown", "What tells which step it is", WRITTEN_WORDS, (WRITTEN_WORDS, PICTURES, OWN_WORDS)
)
# Why something is not asked about, for `Task.left_out`.
NOT_WRITTEN = "that the procedure does not have: sets of pictures alone ask about them"
WITHOUT_TIMES = "recordings without a time for each of their steps"
TELLS = (
    "Participants read each row's own words. Where it is a mistake these often describe it, so a"
    " comparison of words finds it: see the baseline “Words differ from every written step”."
)


@dataclass(frozen=True, slots=True)
class Happening:
    """A step that was done; `place` is its rank in time, from 0.

    `words` are the procedure's for it, "" where it has no such step. `event` is the mistake or
    correction that it belongs to, if any; `is_cascade` is true where it merely follows from one.
    """

    place: int
    words: str
    start_s: float | None
    end_s: float | None
    row: TraceStep
    event: Event | None

    @property
    def is_cascade(self) -> bool:
        return self.row.mod is Mod.CASCADE

    @property
    def is_mistake(self) -> bool:
        return is_mistake(self.row)

    @property
    def is_correction(self) -> bool:
        return self.row.mod is Mod.CORRECTION

    def text(self, shown: str) -> str:
        """What participants read of it, "" for nothing."""
        return {WRITTEN_WORDS: self.words, OWN_WORDS: self.row.text}.get(shown, "")


@dataclass(frozen=True, slots=True)
class NoticedMistake:
    """A mistake with the seconds at which it begins and can be seen; no `rows` if left out."""

    event: Event
    onset_s: float
    seen_s: float
    rows: tuple[Happening, ...]

    def is_shown(self, shown: str) -> bool:
        """Whether it can be asked about: in the procedure's words not if it has no such step."""
        return shown != WRITTEN_WORDS or not self.rows or any(step.words for step in self.rows)


def references_of(material: Material) -> dict[str, Take]:
    """The take whose steps are the procedure of each recording, by the recording's key.

    A published recording without mistakes has the procedure that most others have. Read against
    itself its procedure would be what was done, step by step, which tells that nothing went wrong.
    A take that is a reference is read against itself; a generated trace shares its take with no
    other recording.
    """
    traced = [recording for recording in material.recordings if recording.trace is not None]
    own = {recording.take.uid for recording in traced}
    published = [recording.take for recording in traced if not recording.generator]
    uses = Counter(take.uid for take in published)
    ranked = sorted(published, key=lambda take: (-uses[take.uid], take.uid), reverse=True)
    common = {take.scenario: take for take in ranked}
    references = {}
    for recording in material.recordings:
        take = recording.take
        shared = common.get(take.scenario)
        is_own = recording.trace is not None or take.uid in own
        references[recording.key] = take
        if shared is not None and not is_own and _ids_of(take) & _ids_of(shared):
            references[recording.key] = shared
    return references


def _ids_of(take: Take) -> set[str]:
    return {step.step_id for step in take.steps if step.step_id}


def watched_recordings(material: Material) -> list[Recording]:
    """The recordings with a trace, and those without mistakes, each with a trace without events.

    Raises ValueError where none has mistakes.
    """
    if all(recording.trace is None for recording in material.recordings):
        raise ValueError(f"{material.name} {NO_TRACES}")
    return read_as_traces(material)


def read_as_traces(material: Material) -> list[Recording]:
    """The same also where no mistake is marked in any."""
    references = references_of(material)
    return [
        recording
        if recording.trace is not None
        else _as_trace(recording, references[recording.key])
        for recording in material.recordings
        if recording.is_recorded
    ]


def _as_trace(recording: Recording, reference: Take) -> Recording:
    """A recording without mistakes, as a trace of its reference without an event."""
    take = recording.take
    places: list[int | None] = [*range(len(take.steps))]
    if reference is not take:
        positions = ReferencePositions(reference)
        places = [positions.next_position(step.step_id) for step in take.steps]
    rows = tuple(
        TraceStep(
            Mod.UNCHANGED, step.text, place,
            step_id=step.step_id, start_s=step.start_s, end_s=step.end_s,
        )
        for step, place in zip(take.steps, places, strict=True)
    )  # fmt: skip
    trace = Trace(take.uid, take.name, reference.uid, rows, ())
    return replace(recording, take=reference, trace=trace)


def happenings(recording: Recording) -> tuple[Happening, ...]:
    """The steps that were done, by time where all have one, else in the order of the trace."""
    assert recording.trace is not None
    events = {event.event_id: event for event in recording.trace.events}
    done = [row for row in recording.trace.steps if row.mod is not Mod.DELETION]
    if all(row.start_s is not None for row in done):
        done.sort(key=lambda row: (row.start_s, row.end_s))
    return tuple(
        Happening(
            place,
            recording.words_of(row),
            row.start_s,
            row.end_s,
            row,
            events.get(row.event_id or ""),
        )
        for place, row in enumerate(done)
    )


def timed_happenings(material: Material) -> list[tuple[Recording, tuple[Happening, ...]]]:
    """The recordings whose trace has times for all its steps, each with these steps."""
    return with_times(watched_recordings(material))


def with_times(recordings: Sequence[Recording]) -> list[tuple[Recording, tuple[Happening, ...]]]:
    """Those of some recordings with a trace that has times for all its steps."""
    return [
        (recording, steps)
        for recording in recordings
        if (steps := happenings(recording)) and all(step.end_s is not None for step in steps)
    ]


def noticed_mistakes(recording: Recording) -> tuple[NoticedMistake, ...]:
    """The mistakes of a timed recording by when they can be seen."""
    assert recording.trace is not None
    marked = {row.event_id for row in recording.trace.steps if is_mistake(row)}
    steps = happenings(recording)
    rows_of = defaultdict(list)
    for step in steps:
        if step.event is not None and step.is_mistake and step.end_s is not None:
            rows_of[step.event.event_id].append(step)
    mistakes = []
    for event in recording.trace.events:
        if event.kind is not EventKind.MISTAKE or event.event_id not in marked:
            continue
        rows = tuple(step for step in rows_of[event.event_id] if step.event is event)
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


def narration(steps: Sequence[Happening], shown: str) -> list[str]:
    """What participants read of the steps."""
    return [text for step in steps if (text := step.text(shown))]


class NarrationByEnds:
    """What participants read of the steps that have ended, by their ends.

    Put in order once for all moments of a recording, of which a long one has thousands.
    """

    def __init__(self, steps: Sequence[Happening], shown: str) -> None:
        ended = [(step.end_s, step.text(shown)) for step in steps if step.end_s is not None]
        told = sorted((pair for pair in ended if pair[1]), key=itemgetter(0))
        # Moments are rounded to milliseconds, and so are the ends that they are compared with.
        self._ends = [milliseconds(end_s) for end_s, _ in told]
        self._texts = [text for _, text in told]

    def until(self, moment_s: float) -> list[str]:
        return self._texts[: bisect_right(self._ends, moment_s)]


def milliseconds(moment_s: float) -> float:
    """A moment as items have it."""
    return round(moment_s, 3)


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
