"""Takes, traces and their steps as plain values: what every importer yields and every stage reads.

A `Take` is one reference recording (or one written procedure) with ordered steps; a `Trace` is a
mistake-aware sequence aligned to a take. Positions (`reference_index`) are 0-based over the steps
of the take in procedure order. Times are seconds from the start of the recording, `None` when the
source does not time the step. Ids are the source's own, kept verbatim.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from annotation.engine.taxonomy import EventKind, EventType, Mod, Speaker

# What made clips that are no pictures of anything.
PLACEHOLDERS = "bridge"


@dataclass(frozen=True, slots=True)
class Step:
    """One keystep of a take.

    `step_id` is the source's id of the *kind* of step (a taxonomy node, an instruction number): a
    take that does the same step twice has it twice. `is_essential` is None when the source does
    not say. `semrep` is `PREDICATE(Role: value, ...)` or empty; `taxonomy_path` runs from the root
    to the leaf.
    """

    text: str
    step_id: str = ""
    start_s: float | None = None
    end_s: float | None = None
    is_essential: bool | None = None
    semrep: str = ""
    taxonomy_path: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Take:
    """One mistake-free reference: a recording, or the written procedure when there is none.

    `video_stem` is what the data set's file-name pattern calls the recording, empty for a written
    procedure. `order_deviations` counts departures from the written order and is what the pairing
    of recordings with references minimises. At the end of each of its `intervals`, in seconds, the
    source asks an assistant; it should speak where one is said from the interval's start.
    """

    uid: str
    name: str
    scenario: str
    steps: tuple[Step, ...]
    video_stem: str = ""
    order_deviations: int = 0
    intervals: tuple[tuple[float, float], ...] = ()


@dataclass(frozen=True, slots=True)
class NativeLabel:
    """A label as the source wrote it, verbatim; `is_derived` marks one that a stated rule made."""

    name: str
    note: str = ""
    is_derived: bool = False


@dataclass(frozen=True, slots=True)
class TraceStep:
    """One row of a trace.

    `reference_index` is the step of the take that the row realises (None for rows that the
    reference lacks). `event_id` names the event that the row belongs to; a cascade row names the
    mistake that it follows from. A deleted step has the text "" and no times.
    """

    mod: Mod
    text: str
    reference_index: int | None = None
    event_id: str | None = None
    step_id: str = ""
    start_s: float | None = None
    end_s: float | None = None
    labels: tuple[NativeLabel, ...] = ()


@dataclass(frozen=True, slots=True)
class Event:
    """One error or one correction of a trace.

    `proposed_type` comes from the source's own type or from the mapping of native labels; None
    where a person has to decide. `target_event_id` is the mistake that a correction repairs.
    """

    event_id: str
    kind: EventKind
    proposed_type: EventType | None = None
    target_event_id: str | None = None


@dataclass(frozen=True, slots=True)
class Trace:
    """A mistake-aware sequence aligned to the take `take_uid`.

    `reference_reason` says in one sentence why this take is the reference. `provenance` is which
    generator or data set made the trace (never shown to raters).
    """

    uid: str
    name: str
    take_uid: str
    steps: tuple[TraceStep, ...]
    events: tuple[Event, ...]
    video_stem: str = ""
    reference_reason: str = ""
    provenance: Mapping[str, str] = field(default_factory=dict)

    @property
    def has_placeholders(self) -> bool:
        """Whether its recording shows placeholders where it shows steps, by its provenance.

        `clips` names the makers of clips, those of steps before those of what lies between them.
        """
        return self.provenance.get("clips", "").split(", ")[0] == PLACEHOLDERS


@dataclass(frozen=True, slots=True)
class TaskGraph:
    """The ordering constraints of a scenario: `edges` are (before, after) pairs of node ids."""

    scenario: str
    nodes: tuple[tuple[str, str], ...]
    edges: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Utterance:
    """Something that is said in the recording of a take or of a trace, from one second to another.

    Exactly one of `take_uid` and `trace_uid` says which. `reason` is why, in a word of the source.
    """

    who: Speaker
    text: str
    take_uid: str = ""
    trace_uid: str = ""
    start_s: float | None = None
    end_s: float | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ReadingWarning:
    """A flaw of a file that does not stop its import, and where it is."""

    where: str
    message: str


class WarningList:
    """The warnings of a reader, in the order in which it gave them."""

    def __init__(self) -> None:
        self._warnings: list[ReadingWarning] = []

    def add(self, where: str, message: str) -> None:
        self._warnings.append(ReadingWarning(where=where, message=message))

    def extend(self, warnings: Iterable[ReadingWarning]) -> None:
        self._warnings.extend(warnings)

    def as_tuple(self) -> tuple[ReadingWarning, ...]:
        return tuple(self._warnings)


@dataclass(frozen=True, slots=True)
class Reading:
    """Everything one import yields, before anything is written.

    `native_labels` counts labels exactly as the source has them; `derived` counts what stated
    rules made of them (order mistakes, normalised remarks, timed rows) by name.
    """

    takes: tuple[Take, ...] = ()
    traces: tuple[Trace, ...] = ()
    task_graphs: tuple[TaskGraph, ...] = ()
    utterances: tuple[Utterance, ...] = ()
    native_labels: Mapping[str, int] = field(default_factory=dict)
    derived: Mapping[str, int] = field(default_factory=dict)
    warnings: tuple[ReadingWarning, ...] = ()
