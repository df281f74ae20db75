"""The recordings that a task makes its items from, with their steps, mistakes and corrections.

It is the same for a data set that was imported, generated or labelled here.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypedDict

from annotation.engine.corpus.procedure import Step, Take, TaskGraph, Trace, TraceStep, Utterance
from annotation.engine.taxonomy import Mod

# The marks of rows that are mistakes: both halves of two steps that changed places, but neither a
# correction nor a step that was merely changed to fit an earlier mistake.
MISTAKES = (Mod.ERROR, Mod.INSERTION, Mod.MOVED_SOURCE, Mod.MOVED_TARGET, Mod.DELETION)

# The breakdown by data set, which every item has.
DATA_SET = "data set"
# The format of files with recordings of several data sets, which their uids begin with.
MIXED_FORMAT = "egoerrorvqa"


def source_in(groups: Mapping[str, str]) -> str:
    """The data set that an item is of, also in a file with those of several."""
    return groups.get("source") or groups.get(DATA_SET, "")


class Origin(TypedDict):
    """The fields of an item that say where it comes from."""

    recording: str
    procedure: str
    person: str
    groups: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class MarkedOnset:
    """When people saw a step begin to go wrong; the step by its id, or its place without ids."""

    step_id: str
    time_s: float


@dataclass(frozen=True, slots=True)
class Recording:
    """One recording of a data set, or a written sequence that was never recorded.

    `key` is "trace:<uid>" or "take:<uid>"; a take by itself has no trace and no mistakes.
    `duration_s` is None without a video. `person` and `generator` are "" where not known. `said` is
    what the source has of words in it. `onsets` are those that people marked, None where nobody
    was asked to mark any.
    """

    key: str
    take: Take
    trace: Trace | None = None
    duration_s: float | None = None
    person: str = ""
    generator: str = ""
    said: tuple[Utterance, ...] = ()
    onsets: tuple[MarkedOnset, ...] | None = None

    @property
    def uid(self) -> str:
        return self.key.partition(":")[2]

    @property
    def is_recorded(self) -> bool:
        """Whether somebody did it, which nobody did a take that has no times."""
        return self.trace is not None or bool(self.timed_rows)

    @property
    def written(self) -> dict[str, Any]:
        """The part of a payload that describes the procedure."""
        return written_of(self.take)

    @property
    def rows(self) -> Sequence[Step | TraceStep]:
        return self.take.steps if self.trace is None else self.trace.steps

    def words_of(self, row: Step | TraceStep) -> str:
        """The procedure's words for a row, "" where it has no such step.

        The own words of a trace's row may describe what went wrong.
        """
        if isinstance(row, Step):
            return row.text
        return "" if row.reference_index is None else self.take.steps[row.reference_index].text

    @property
    def timed_rows(self) -> list[Step | TraceStep]:
        """The rows that were done at a known time, in order of time."""
        timed = [
            row
            for row in self.rows
            if row.start_s is not None and getattr(row, "mod", None) is not Mod.DELETION
        ]
        return sorted(timed, key=lambda row: (row.start_s, row.end_s))

    @property
    def last_s(self) -> float | None:
        """When the last annotation ends, None where nothing has a time."""
        return max((row.end_s for row in self.rows if row.end_s is not None), default=None)

    def whole(self, last_s: float) -> dict[str, Any]:
        """The part of a payload that describes a whole recording, without a video up to `last_s`.

        "recording_id" is the name that published predictions and features use.
        """
        return {
            "recording_id": self.uid,
            "goal": self.take.scenario,
            "duration_s": round(max(self.duration_s or 0.0, last_s), 3),
            "has_video": self.duration_s is not None,
        }


def written_of(take: Take) -> dict[str, Any]:
    """The part of a payload that describes the procedure, where that is another take's."""
    return {"goal": take.scenario, "procedure": [step.text for step in take.steps]}


def tags_of(row: Step | TraceStep) -> tuple[str, ...]:
    """The data set's own labels of a row; a take's rows have none."""
    return tuple(label.name for label in getattr(row, "labels", ()) if not label.is_derived)


def is_mistake(row: Step | TraceStep) -> bool:
    """Whether a row is a mistake, in the one meaning of all tasks: marked, and not by rule alone.

    A label that a rule derived from the order of the steps ("out of order", "missing") makes no
    mistake: recordings that count as free of mistakes depart from the order as well, unmarked.
    """
    if isinstance(row, Step) or row.mod not in MISTAKES:
        return False
    return not row.labels or bool(tags_of(row))


@dataclass(frozen=True, slots=True)
class Material:
    """Everything that a task may read of a data set, in a stable order.

    `extra` is what the source of a task adds, by name, such as the ratings of a round.
    """

    name: str
    recordings: tuple[Recording, ...]
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def graphs(self) -> dict[str, TaskGraph]:
        """The task graphs by procedure."""
        return {graph.scenario: graph for graph in self.extra.get("graphs", ())}

    @property
    def format(self) -> str:
        """The file format of the data set, whose labels its rows have; "" where not known."""
        return str(self.extra.get("format", ""))

    def source_of(self, recording: Recording) -> str:
        """The data set that a recording is of where this one has those of several, else ""."""
        return recording.uid.partition(":")[0] if self.format == MIXED_FORMAT else ""

    def origin(self, recording: Recording, groups: Mapping[str, str] | None = None) -> Origin:
        """Where an item is from; `groups` are its breakdowns besides those of every task."""
        common = {DATA_SET: self.name, "scenario": recording.take.scenario}
        if recording.generator:
            common["generator"] = recording.generator
        return {
            "recording": recording.key,
            "procedure": recording.take.scenario,
            "person": recording.person,
            "groups": {**common, **(groups or {})},
        }

    @property
    def generated_from(self) -> dict[str, str]:
        """The uid of the take that each generated recording was made from, by the recording's key.

        Published recordings are not in it: their take may be a recipe, of which they share only the
        procedure, so their task decides whether items share a take.
        """
        return {
            recording.key: recording.take.uid
            for recording in self.recordings
            if recording.generator
        }

    def timed(self, uids: str = "") -> list[Recording]:
        """The recordings with timed steps, of all or of `uids`; raises ValueError for none."""
        found = [recording for recording in self.only(uids) if recording.timed_rows]
        if not found:
            raise ValueError(f"{self.name} has no recording with timed steps")
        return found

    def only(self, uids: str) -> tuple[Recording, ...]:
        """All recordings, or those in `uids`, separated by blanks; raises ValueError for others."""
        wanted = set(uids.split())
        if unknown := sorted(wanted - {recording.uid for recording in self.recordings}):
            raise ValueError(f"{', '.join(unknown)}: {self.name} has no such recordings")
        found = tuple(one for one in self.recordings if not wanted or one.uid in wanted)
        if not found:
            raise ValueError(f"{self.name} has no recording")
        return found
