"""Reader of the nine public files of EgoErrorVQA: single steps of the recordings of four data sets.

Each recording becomes a trace with the rows that the files have of it; the words of its steps and
the published procedure, one paragraph, are a written take. Source: the public repository of
EgoErrorVQA, `json/`. Its open-ended questions are no part of the recordings: `read_pairs` has them.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

from annotation.engine.corpus.formats.assembly101 import REMARKS, propose_from_remark
from annotation.engine.corpus.formats.errors import fault_of_file
from annotation.engine.corpus.formats.folders import find_file
from annotation.engine.corpus.formats.native_labels import (
    CAPTAINCOOK4D_PROPOSALS,
    EGOOOPS_PROPOSALS,
    EventNumbering,
    mod_of,
    propose_type,
)
from annotation.engine.corpus.formats.reading import Entry, read_json
from annotation.engine.corpus.procedure import (
    NativeLabel,
    Reading,
    Step,
    Take,
    Trace,
    TraceStep,
    WarningList,
)
from annotation.engine.taxonomy import MODS_WITHOUT_REFERENCE, EventType, Mod, TaxonomyLabel

TITLE = "EgoErrorVQA"
DESCRIPTION = (
    "The folder with the nine files of json/: four of multiple choice, four of question pairs, and"
    " procedure.json. Each recording becomes a trace with the steps that the files have of it."
)
IS_VERIFIED = False

COOK, OOPS, TENT, ASSEMBLY = "captaincook4d", "egooops", "epic_tent", "assembly101"
PROCEDURES_FILE = "procedure.json"
# The files of multiple choice and of question pairs.
FILES = {
    COOK: ("captaincook4d_answer.json", "captaincook4d_qa_pairs_updated.json"),
    OOPS: ("egooops_answer.json", "egooops_qa_pair.json"),
    TENT: ("epic_tent_answer_sec.json", "epic_tent_qa_pair.json"),
    ASSEMBLY: ("assembly101_answers.json", "assembly101_qa_pairs_updated.json"),
}
CORRECT = "correct"
ANSWERS = (
    CORRECT, "Wrong object", "Wrong action", "Wrong order", "Omission",
    "Unintended and unnecessary action", "Correct wrong action", "Equipment failure", "Others",
)  # fmt: skip
# The id of the step of a written take that is the whole procedure in prose.
PROSE = "procedure"
# What a derived label of an error begins with, before the answer of its row.
ANSWER = "answer: "
MISSING_TAG = "Missing Step"
UNTIMED = -1.0
MOST_PAIRS = 3
# Of the GoPro recordings of EPIC-Tent; the published seconds took 30.
TENT_RATE, PUBLISHED_RATE = 59.94, 30.0
TIME_CODE = re.compile(r"(-?\d+):(-?\d+):(-?\d+):(-?\d+)")
TENT_CORRECTION = "6"
# From so late on a published time of EPIC-Tent is named by itself.
MUCH_LATER_S = 0.9


@dataclass(frozen=True, slots=True)
class Row:
    """One row of multiple choice; `words` "" where it has no text, `place` its file and place."""

    place: str
    source: str
    video_id: str
    task_id: str
    words: str
    done: str
    step_id: str
    start_s: float | None
    end_s: float | None
    labels: tuple[NativeLabel, ...]
    answers: tuple[str, ...]

    @property
    def is_missing(self) -> bool:
        return self.start_s is None and any(one.name == MISSING_TAG for one in self.labels)


@dataclass(frozen=True, slots=True)
class PairedRow:
    """One row of the open-ended files: a step with `pairs`, (question, answer) each, 1 to 3.

    It has the fields of a `Row` but the answers of multiple choice. `words` are those of the row
    itself, else of the same step of multiple choice, "" where neither has any.
    """

    place: str
    source: str
    video_id: str
    task_id: str
    words: str
    step_id: str
    start_s: float | None
    end_s: float | None
    labels: tuple[NativeLabel, ...]
    pairs: tuple[tuple[str, str], ...]

    @property
    def trace_uid(self) -> str:
        """The uid of the trace that `read` makes of the row's recording."""
        return uid_of(self)


def uid_of(row: Row | PairedRow) -> str:
    return f"{row.source}:{row.video_id}"


def _step_of(row: Row | PairedRow) -> tuple[object, ...]:
    """What a row of the one kind and of the other have in common if they are of the same step."""
    return row.source, row.video_id, row.step_id, row.start_s, row.end_s


def procedure_steps(take: Take) -> list[str]:
    """The written procedure of a take: its prose where it has one, else the texts of its steps."""
    texts = [step.text for step in take.steps]
    return texts[:1] if take.steps and take.steps[0].step_id == PROSE else texts


def tent_seconds(code: str, rate: float = TENT_RATE) -> float | None:
    """The seconds of a time code hours:minutes:seconds:frames; None for one that is none.

    >>> tent_seconds("00:00:46:40"), tent_seconds("00:00:46:40", PUBLISHED_RATE)
    (46.667, 47.333)
    """
    found = TIME_CODE.fullmatch(code)
    parts = [int(part) for part in found.groups()] if found else []
    if not parts or (min(parts) < 0 and rate == TENT_RATE):
        return None
    hours, minutes, seconds, frames = parts
    return round(3600 * hours + 60 * minutes + seconds + frames / rate, 3)


def _answers_of(entry: Entry, source: str) -> tuple[str, ...]:
    """The answers of a row: of CaptainCook4D a sorted list, else one text."""
    value = entry.raw("close_end_answer")
    listed = value if source == COOK and isinstance(value, list) else [value]
    are_named = bool(listed) and all(isinstance(one, str) and one in ANSWERS for one in listed)
    if not are_named or (source == COOK) != isinstance(value, list):
        kind = "a list of" if source == COOK else "one of"
        entry.fault("close_end_answer", value, f"{kind} {', '.join(ANSWERS)}")
        return (CORRECT,)
    names = tuple(map(str, listed))
    if any(one >= other for one, other in pairwise(names)) or (CORRECT in names and names[1:]):
        entry.fault("close_end_answer", value, "answers in order, each once, correct by itself")
    if source != ASSEMBLY and entry.boolean("is_error") == (CORRECT in names):
        entry.fault("is_error", entry.value["is_error"], "true exactly where it is not correct")  # type: ignore[index]
    return names


def _times_of(
    entry: Entry, source: str, warnings: WarningList
) -> tuple[float | None, float | None]:
    where = f"{entry.faults.file} {entry.place}"
    if source == TENT:
        published = entry.number("start_time"), entry.number("end_time")
        codes = [entry.text(name) for name in ("str_GoPro_ts", "end_GoPro_ts")]
        start_s, end_s = map(tent_seconds, codes)
        if start_s is None or end_s is None:
            warnings.add(where, f"time codes {codes[0]} to {codes[1]} are no times: untimed")
            return None, None
        if published[0] > published[1]:
            warnings.add(where, f"starts at {published[0]} s, after its end at {published[1]} s")
        if end_s < start_s:
            entry.fault("end_GoPro_ts", codes[1], f"a time code not before {codes[0]}")
        late_s = max(published[0] - start_s, published[1] - end_s)
        if late_s >= MUCH_LATER_S:
            warnings.add(where, f"published {late_s:.2f} s after its time code")
        return start_s, end_s
    if entry.raw("start_time") == UNTIMED == entry.raw("end_time"):
        warnings.add(where, "has no time (-1): an untimed step")
        return None, None
    return entry.times("start_time", "end_time")


def _cook(entry: Entry) -> tuple[str, str, list[NativeLabel]]:
    """The step, what was done, the labels; so for each of the four."""
    labels = [
        NativeLabel(one.text("tag"), one.text("description", is_required=False))
        for one in entry.objects("errors")
    ]
    done = entry.text("modified_description", is_required=False)
    return entry.identifier("step_id"), done, labels


def _oops(entry: Entry) -> tuple[str, str, list[NativeLabel]]:
    caption = entry.text("error_caption", is_required=False)
    labels = [NativeLabel(one.as_text(), caption) for one in entry.elements_of("error_labels")]
    number = entry.integer("instruction")
    return "" if number < 0 else str(number), caption, labels


def _tent(entry: Entry) -> tuple[str, str, list[NativeLabel]]:
    labels = []
    if entry.has("error_label_main"):
        note = entry.text("error_annotation_main", is_required=False)
        labels = [NativeLabel(entry.identifier("error_label_main"), note)]
    return entry.identifier("action_label"), "", labels


def _assembly(entry: Entry) -> tuple[str, str, list[NativeLabel]]:
    parts = [entry.text(name) for name in ("verb", "first_object", "second_object")]
    label, remark = entry.text("error_label"), entry.text("error_annotation", is_required=False)
    labels = [] if label == CORRECT else [NativeLabel(label, remark)]
    if labels and remark in REMARKS:
        labels.append(NativeLabel(REMARKS[remark], is_derived=True))
    return ",".join(parts), "", labels


_READERS: Mapping[str, Callable[[Entry], tuple[str, str, list[NativeLabel]]]] = {
    COOK: _cook, OOPS: _oops, TENT: _tent, ASSEMBLY: _assembly,
}  # fmt: skip


def _task_id(entry: Entry, procedures: Mapping[str, str]) -> str:
    task_id = entry.text("task_id")
    if task_id not in procedures:
        entry.fault("task_id", task_id, f"a procedure of {PROCEDURES_FILE}")
    return task_id


def _read_rows(
    path: Path, source: str, procedures: Mapping[str, str], warnings: WarningList
) -> list[Row]:
    root = read_json(path)
    entries = root.elements() if isinstance(root.value, list) else [one for _, one in root.items()]
    rows = []
    for entry in [one.as_object() for one in entries]:
        start_s, end_s = _times_of(entry, source, warnings)
        step_id, done, labels = _READERS[source](entry)
        task_id = _task_id(entry, procedures)
        rows.append(
            Row(
                f"{path.name} {entry.place}",
                source,
                entry.identifier("video_id"),
                task_id,
                entry.text("action_annotation", is_required=source != OOPS),
                done,
                step_id,
                start_s,
                end_s,
                tuple(labels),
                _answers_of(entry, source),
            )
        )
    root.faults.raise_if_any()
    return rows


def _read_paired(path: Path, source: str, procedures: Mapping[str, str]) -> list[PairedRow]:
    root = read_json(path)
    entries = root.elements() if isinstance(root.value, list) else [one for _, one in root.items()]
    rows = []
    for entry in [one.as_object() for one in entries]:
        pairs = entry.objects("qa_pairs")
        if not 0 < len(pairs) <= MOST_PAIRS:
            entry.fault("qa_pairs", len(pairs), f"1 to {MOST_PAIRS} pairs")
        # What is odd about its time is said of the same row of multiple choice.
        start_s, end_s = _times_of(entry, source, WarningList())
        step_id, _, labels = _READERS[source](entry)
        rows.append(
            PairedRow(
                f"{path.name} {entry.place}",
                source,
                entry.identifier("video_id"),
                _task_id(entry, procedures),
                entry.text("action_annotation", is_required=False),
                step_id,
                start_s,
                end_s,
                tuple(labels),
                tuple((pair.text("question"), pair.text("answer")) for pair in pairs),
            )
        )
    root.faults.raise_if_any()
    return rows


def _with_words(rows: Sequence[Row], warnings: WarningList) -> list[Row]:
    """The rows, of which those of EgoOops without a text have that of their instruction."""
    texts = {(row.source, row.task_id, row.step_id): row.words for row in rows if row.words}
    found = []
    for row in rows:
        if row.words:
            found.append(row)
            continue
        words = texts.get((row.source, row.task_id, row.step_id), "") if row.step_id else ""
        said = f"that of instruction {row.step_id}" if words else "none"
        warnings.add(row.place, f"an error without a step text: {said}")
        found.append(
            Row(
                row.place, row.source, row.video_id, row.task_id, words, row.done, row.step_id,
                row.start_s, row.end_s, row.labels, row.answers,
            )
        )  # fmt: skip
    return found


def _warn_of_clips(rows: Sequence[Row], warnings: WarningList) -> None:
    """Name clips whose step stands with different answers, and remarks in other spellings."""
    answers: dict[object, set[tuple[str, ...]]] = defaultdict(set)
    places: dict[object, list[str]] = defaultdict(list)
    for row in rows:
        if row.start_s is not None:
            key = row.source, row.video_id, row.start_s, row.end_s, row.words
            answers[key].add(row.answers)
            places[key].append(row.place)
        for label in row.labels:
            if label.note != REMARKS.get(label.note, label.note):
                message = f"remark {label.note!r} read as {REMARKS[label.note]!r}"
                warnings.add(row.place, message)
    for clip, found in answers.items():
        if len(found) > 1:
            listed = " and as ".join(sorted(", ".join(one) for one in found))
            warnings.add(", ".join(places[clip]), f"the same clip and step stand as {listed}")


def _warn_of_starts(rows: Sequence[Row], warnings: WarningList) -> None:
    """Name rows of one video that start together: the published ids of their samples collide."""
    starts: dict[tuple[str, str, float], list[str]] = defaultdict(list)
    for row in rows:
        if row.start_s is not None:
            starts[row.source, row.video_id, row.start_s].append(row.place)
    for (*_, start_s), same in starts.items():
        if len(same) > 1:
            warnings.add(", ".join(same), f"{len(same)} rows of one video start at {start_s} s")


def _type_of(source: str, labels: Sequence[NativeLabel]) -> EventType | None:
    if source == ASSEMBLY:
        return propose_from_remark(labels)
    if source == TENT:
        is_correction = any(label.name == TENT_CORRECTION for label in labels)
        return TaxonomyLabel.CORRECTION if is_correction else None
    return propose_type(labels, CAPTAINCOOK4D_PROPOSALS if source == COOK else EGOOOPS_PROPOSALS)


def _trace(take: Take, uid: str, rows: Sequence[Row]) -> Trace:
    place_of = {step.text: place for place, step in enumerate(take.steps) if place}
    numbering = EventNumbering()
    steps = []
    for row in sorted(rows, key=lambda row: (row.start_s is None, row.start_s or 0.0)):
        event = numbering.add(_type_of(row.source, row.labels)) if row.labels else None
        position = place_of.get(row.words)
        mod = Mod.DELETION if row.is_missing else mod_of(event, position)
        answers = (NativeLabel(ANSWER + name, is_derived=True) for name in row.answers)
        steps.append(
            TraceStep(
                mod,
                "" if mod is Mod.DELETION else row.done or row.words or "not described",
                None if mod in MODS_WITHOUT_REFERENCE else position,
                event.event_id if event else None,
                row.step_id[:100],
                row.start_s,
                row.end_s,
                (*row.labels, *answers) if event else (),
            )
        )
    return Trace(
        uid, uid, take.uid, tuple(steps), tuple(numbering.events),
        video_stem=uid.partition(":")[2], reference_reason="The published procedure and steps.",
    )  # fmt: skip


def _read_procedures(path: Path) -> dict[str, str]:
    if not path.is_dir():
        sentence = "EgoErrorVQA is a folder with nine files, see the description of the format."
        raise fault_of_file(path.name, path.name, "a folder with nine files", sentence=sentence)
    root = read_json(find_file(path, PROCEDURES_FILE))
    procedures = {task_id: entry.as_text() for task_id, entry in root.items()}
    root.faults.raise_if_any()
    return procedures


def read_pairs(path: Path) -> tuple[PairedRow, ...]:
    """The rows of the four files of question pairs, in their order; raises FormatError.

    Of EgoOops and the others whose pairs have no step text it is that of the same row of multiple
    choice, or of its instruction, as in the traces that `read` makes of the same folder.
    """
    procedures = _read_procedures(path)
    rows, paired = [], []
    for source, (choice_file, pairs_file) in FILES.items():
        rows += _read_rows(find_file(path, choice_file), source, procedures, WarningList())
        paired += _read_paired(find_file(path, pairs_file), source, procedures)
    words = {_step_of(row): row.words for row in _with_words(rows, WarningList())}
    return tuple(replace(row, words=row.words or words.get(_step_of(row), "")) for row in paired)


def read(path: Path) -> Reading:
    """The recordings of multiple choice; the question pairs are checked, see `read_pairs`."""
    procedures = _read_procedures(path)
    warnings = WarningList()
    rows: list[Row] = []
    derived: Counter[str] = Counter()
    for source, (choice_file, pairs_file) in FILES.items():
        own = _read_rows(find_file(path, choice_file), source, procedures, warnings)
        paired = _read_paired(find_file(path, pairs_file), source, procedures)
        derived["question pairs"] += sum(len(row.pairs) for row in paired)
        derived[f"rows of {source}"] = len(own)
        derived[f"rows with question pairs of {source}"] = len(paired)
        chosen, asked = Counter(map(_step_of, own)), Counter(map(_step_of, paired))
        derived[f"rows of {source} without question pairs"] = (chosen - asked).total()
        derived[f"rows with question pairs of {source} alone"] = (asked - chosen).total()
        rows += own
    rows = _with_words(rows, warnings)
    _warn_of_clips(rows, warnings)
    _warn_of_starts(rows, warnings)
    of_task: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in rows:
        of_task[row.source, row.task_id].append(row)
    takes, traces = [], []
    for (source, task_id), own in of_task.items():
        words = dict.fromkeys(row.words for row in own if row.words)
        written = (Step(text, str(place)) for place, text in enumerate(words, 1))
        steps = (Step(procedures[task_id], PROSE), *written)
        take = Take(f"{source}:{task_id}:written", task_id, task_id, steps)
        takes.append(take)
        of_video: dict[str, list[Row]] = defaultdict(list)
        for row in own:
            of_video[uid_of(row)].append(row)
        traces += [_trace(take, uid, part) for uid, part in of_video.items()]
    labels = Counter(label.name for row in rows for label in row.labels if not label.is_derived)
    derived["contradictory clips"] = sum("stand as" in one.message for one in warnings.as_tuple())
    derived["untimed rows"] = sum(row.start_s is None for row in rows)
    return Reading(
        tuple(takes),
        tuple(traces),
        native_labels=dict(labels),
        derived=dict(derived),
        warnings=warnings.as_tuple(),
    )
