"""Reader of the mistake detection labels of Assembly101: one headerless CSV per sequence.

Columns: start, end (frames at 30 per second), verb, this, that, label, remark. Source: README of
the repository assembly101-mistake-detection.
"""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from annotation.engine.corpus.formats.csv_tables import read_csv_rows
from annotation.engine.corpus.formats.errors import (
    MAX_PROBLEMS,
    Faults,
    FormatError,
    Problem,
    fault_of_file,
)
from annotation.engine.corpus.formats.folders import files_under
from annotation.engine.corpus.formats.native_labels import ASSEMBLY101_PROPOSALS, propose_type
from annotation.engine.corpus.formats.pairing import RecordedReferences, Reference
from annotation.engine.corpus.formats.reading import note_repeats
from annotation.engine.corpus.formats.recordings import (
    RecordedStep,
    Recording,
    make_take,
    make_trace,
)
from annotation.engine.corpus.procedure import NativeLabel, Reading, Step, Take, WarningList
from annotation.engine.taxonomy import EventType

TITLE = "Assembly101 mistake detection"
DESCRIPTION = (
    "The folder annots/ with one CSV file per sequence, or one such file. Sequences without "
    "mistakes and corrections become takes, the others traces; the toy is the scenario."
)
IS_VERIFIED = True
LICENCE = "CC BY-NC 4.0"

# Annotated frames per second; the raw video has 60 (README of the repository).
FRAME_RATE = 30
ANNOTATIONS_FOLDER = "annots"
LABELS = ("correct", "mistake", "correction")
VERBS = frozenset({"attach", "detach", "position"})
PREPOSITIONS = {"attach": "to", "detach": "from", "position": "on"}
# The nine spellings of the published files and the four remarks that they mean.
REMARKS = {
    "shouldn't have happened": "shouldn't have happened",
    "shouln't have happened": "shouldn't have happened",
    "wrong order": "wrong order",
    "worng order": "wrong order",
    "wrong position": "wrong position",
    "previous one is a mistake": "previous one is a mistake",
    "previous one is mistake": "previous one is a mistake",
    "previous one was mistake": "previous one is a mistake",
    "previous is a mistake": "previous one is a mistake",
}
# The second actor of seven sequences is not the first, so the two are read apart.
SEQUENCE_NAME = re.compile(
    r"nusar-2021_action_both_(?P<actor>\d+)-(?P<toy>[a-z]\d+[a-z]?)_(?P<wearer>\d+)"
    r"_user_id_\d{4}-\d{2}-\d{2}_\d{6}"
)
FRAME_NUMBER = re.compile(r"[0-9]{1,9}")


@dataclass(frozen=True, slots=True)
class Row:
    """One annotated action, with its line; frames as in the file."""

    line: int
    start_frame: int
    end_frame: int
    verb: str
    this: str
    that: str
    label: str
    # None where the line has no column for it.
    written_remark: str | None

    @property
    def remark(self) -> str:
        return self.written_remark or ""

    @property
    def step_id(self) -> str:
        return f"{self.verb},{self.this},{self.that}"

    @property
    def text(self) -> str:
        words = [self.verb, self.this, PREPOSITIONS.get(self.verb, ""), self.that]
        return " ".join(word for word in words if word)


@dataclass(frozen=True, slots=True)
class Sequence101:
    """One recording of work on a toy, action by action."""

    uid: str
    toy: str
    rows: tuple[Row, ...]

    @property
    def is_mistake_free(self) -> bool:
        return all(row.label == "correct" for row in self.rows)


def _read_frame(cell: str, field: str, place: str, faults: Faults) -> int:
    if FRAME_NUMBER.fullmatch(cell):
        return int(cell)
    expected = "a frame number: digits only, at most nine"
    faults.add(place, field, cell, expected)
    return 0


def _read_sequence(path: Path) -> Sequence101:
    faults = Faults(path.name)
    name = SEQUENCE_NAME.fullmatch(path.stem)
    if not name:
        expected = "nusar-2021_action_both_<actor>-<toy>_<actor>_user_id_<date>_<time>.csv"
        faults.add("", "file name", path.stem, expected)
    rows, lines = [], read_csv_rows(path)
    if not lines:
        faults.add("", "", "no rows", "at least one annotated action")
    for line, cells in lines:
        place = f"line {line}"
        stripped = [cell.strip() for cell in cells]
        if len(stripped) not in (6, 7):
            expected = "6 or 7: start, end, verb, this, that, label, remark"
            faults.add(place, "number of columns", len(cells), expected)
            continue
        start_frame = _read_frame(stripped[0], "start", place, faults)
        end_frame = _read_frame(stripped[1], "end", place, faults)
        if end_frame < start_frame:
            expected = f"a frame not before the start, {start_frame}"
            faults.add(place, "end", end_frame, expected)
        verb, this, that, label, *remark = stripped[2:]
        for field, value in (("verb", verb), ("this", this), ("that", that)):
            if not value:
                faults.add(place, field, value, "text that is not empty")
        if label not in LABELS:
            faults.add(place, "label", label, " or ".join(LABELS))
        written = remark[0] if remark else None
        rows.append(Row(line, start_frame, end_frame, verb, this, that, label, written))
    faults.raise_if_any()
    assert name is not None
    return Sequence101(uid=path.stem, toy=name["toy"], rows=tuple(rows))


def _warn_of(sequence: Sequence101, warnings: WarningList) -> None:
    name = SEQUENCE_NAME.fullmatch(sequence.uid)
    assert name is not None
    if name["actor"] != name["wearer"]:
        message = f"names two actors, {name['actor']} and {name['wearer']}"
        warnings.add(sequence.uid, message)
    short = [str(row.line) for row in sequence.rows if row.written_remark is None]
    if short:
        warnings.add(sequence.uid, f"no remark column in line {', '.join(short)}: read as empty")
    end_before = 0
    for row in sequence.rows:
        where = f"{sequence.uid} line {row.line}"
        if row.verb not in VERBS:
            warnings.add(where, f"verb is {row.verb!r}, not {', '.join(sorted(VERBS))}: kept")
        if row.start_frame == row.end_frame:
            warnings.add(where, f"starts and ends at frame {row.start_frame}: kept")
        if row.start_frame < end_before:
            warnings.add(where, f"overlaps the action before it, which ends at {end_before}: kept")
        meant = REMARKS.get(row.remark)
        if row.remark and meant is None:
            warnings.add(where, f"remark {row.remark!r} is not a known one: no type proposed")
        elif row.remark != (meant or ""):
            warnings.add(where, f"remark {row.remark!r} read as {meant!r}")
        if row.label == "correct" and row.remark:
            warnings.add(where, f"remark {row.remark!r} on a correct action: left out")
        end_before = max(end_before, row.end_frame)


def propose_from_remark(labels: Iterable[NativeLabel]) -> EventType | None:
    """The type of a row: `mistake` says nothing, its remark does; `correction` is one."""
    telling = [label for label in labels if label.name != "mistake"]
    return propose_type(telling, ASSEMBLY101_PROPOSALS)


def _make_recording(sequence: Sequence101) -> Recording:
    steps = []
    for row in sequence.rows:
        # The label with its remark verbatim, and the remark in its one spelling as derived.
        labels = [] if row.label == "correct" else [NativeLabel(name=row.label, note=row.remark)]
        if labels and row.remark in REMARKS:
            labels.append(NativeLabel(name=REMARKS[row.remark], is_derived=True))
        start_s, end_s = row.start_frame / FRAME_RATE, row.end_frame / FRAME_RATE
        steps.append(RecordedStep(row.text, row.step_id, start_s, end_s, tuple(labels)))
    return Recording(
        uid=sequence.uid,
        scenario=sequence.toy,
        steps=tuple(steps),
        # Nobody wrote an order down; an action done again is the departure that can be counted.
        order_deviations=len(steps) - len({step.step_id for step in steps}),
    )


def _read_files(path: Path) -> list[Sequence101]:
    files = files_under(path, ".csv")
    in_folder = [item for item in files if item.parent.name == ANNOTATIONS_FOLDER]
    files = (in_folder or files) if path.is_dir() else files
    if not files:
        sentence = "No CSV file in these files; Assembly101 has one per sequence."
        raise fault_of_file(
            path.name, "no file *.csv", "one CSV file per sequence", sentence=sentence
        )
    found = []
    problems: list[Problem] = []
    for file in files:
        try:
            found.append(_read_sequence(file))
        except FormatError as error:
            problems.extend(error.problems)
        if len(problems) >= MAX_PROBLEMS:
            break
    if problems:
        raise FormatError(problems[:MAX_PROBLEMS])
    faults = Faults(path.name)
    note_repeats(((file.stem, str(file.parent)) for file in files), faults, "sequence")
    faults.raise_if_any()
    return found


def read(path: Path) -> Reading:
    """The derived counts are those of the remarks in their one spelling."""
    warnings = WarningList()
    sequences = _read_files(path)
    for sequence in sequences:
        _warn_of(sequence, warnings)
    takes = [make_take(_make_recording(item)) for item in sequences if item.is_mistake_free]
    recorded = RecordedReferences(takes)
    traces = []
    for sequence in sequences:
        if sequence.is_mistake_free:
            continue
        toy, uid = sequence.toy, sequence.uid
        reference = recorded.find(toy, frozenset())
        if reference is None:
            # Each correct action once, in the order of its first time.
            texts = {row.step_id: row.text for row in sequence.rows if row.label == "correct"}
            take = Take(
                uid=f"{uid}:written",
                name=f"{toy}, written from the correct actions of {uid}",
                scenario=toy,
                steps=tuple(Step(text=text, step_id=step_id) for step_id, text in texts.items()),
            )
            reason = (
                f"Toy {toy} has no mistake-free sequence: these are the correct actions of this "
                "sequence, each once."
            )
            reference = Reference(take=take, reason=reason)
            takes.append(take)
        traces.append(make_trace(_make_recording(sequence), reference, propose_from_remark))
    rows = [row for sequence in sequences for row in sequence.rows]
    return Reading(
        takes=tuple(takes),
        traces=tuple(traces),
        native_labels=dict(Counter(row.label for row in rows)),
        derived=dict(Counter(REMARKS[row.remark] for row in rows if row.remark in REMARKS)),
        warnings=warnings.as_tuple(),
    )
