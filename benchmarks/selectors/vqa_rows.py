"""Rows of the public files of EgoErrorVQA: their answers, and where their data sets have them."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from django.db.models import QuerySet

from annotation.engine.corpus.formats.egoerrorvqa import ANSWER, COOK, TITLE, PairedRow
from annotation.engine.corpus.formats.errors import Faults
from annotation.engine.corpus.procedure import Reading, TraceStep
from annotation.engine.stored import from_stored
from annotation.models import Dataset, Step
from annotation.models import TraceStep as StepRow
from annotation.selectors.corpus.corpus import visible_datasets
from benchmarks.engine.error_classes import UnknownLabelError, classes_of_labels
from benchmarks.models import QuestionSet
from benchmarks.models.questions import USABLE

# By how many seconds the times of two files may differ; the sources that can be joined.
TOLERANCE_S = {"captaincook4d": 0.01, "egooops": 1e-6, "assembly101": 1e-3}
ROUNDING_S = 1e-9
# What of a row is compared with what it was, in words.
COMPARED = {
    "step_id": "another step:",
    "start_s": "another start:",
    "end_s": "another end:",
    "labels": "other labels:",
}


@dataclass(frozen=True, slots=True)
class Joined:
    """How many rows of a source a data set has once with the same labels; which it has not."""

    dataset: Dataset
    row_count: int
    found_count: int
    others: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SourceRow:
    """A row of the data set `dataset` (a public id), and what that says of it.

    `recording` is "trace:<uid>" or "take:<uid>", `place` the row's index in it.
    """

    dataset: str
    recording: str
    place: int
    step_id: str
    start_s: float | None
    end_s: float | None
    labels: tuple[str, ...]

    @property
    def where(self) -> tuple[str, int]:
        return self.recording, self.place

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> "SourceRow":
        return from_stored(cls, stored)


def check_answers(reading: Reading) -> None:
    """Raise FormatError where the published answer of an error is not that of its labels."""
    faults = Faults(TITLE)
    for trace in reading.traces:
        source = trace.uid.partition(":")[0]
        for number, row in enumerate(trace.steps, start=1):
            place = f"recording {trace.uid}, row {number}"
            derived = [label.name for label in row.labels if label.is_derived]
            answers = [name.removeprefix(ANSWER) for name in derived if name.startswith(ANSWER)]
            try:
                classes = classes_of_labels(source, row.labels)
            except UnknownLabelError as error:
                faults.add(place, "label", str(error), "a label of the table")
                continue
            if row.labels and classes != tuple(sorted(answers)):
                faults.add(
                    place, "close_end_answer", answers, f"{', '.join(classes)} by its labels"
                )
    faults.raise_if_any()


def join_rows(reading: Reading, datasets: QuerySet[Dataset]) -> Iterator[Joined]:
    """The rows of each source in the data sets of its format, by the source's own keys."""
    for dataset in datasets.filter(format__in=TOLERANCE_S).order_by("name"):
        stored = rows_of(dataset)
        row_count, others = 0, []
        for trace in reading.traces:
            source, _, uid = trace.uid.partition(":")
            if source != dataset.format:
                continue
            for number, row in enumerate(trace.steps, start=1):
                row_count += 1
                _, fault = _match(row, source, stored.get(uid, []))
                if fault:
                    others.append(f"recording {trace.uid}, row {number}: {fault}")
        yield Joined(dataset, row_count, row_count - len(others), tuple(others))


def links_of(rows: Sequence[PairedRow], datasets: QuerySet[Dataset]) -> list[SourceRow | None]:
    """For each row the one that it was taken from, where a data set has it once with its labels.

    Of several such data sets the first by name (two queries each).
    """
    links: list[SourceRow | None] = [None] * len(rows)
    sources = {row.source for row in rows} & TOLERANCE_S.keys()
    for dataset in datasets.filter(format__in=sources).order_by("name"):
        stored = rows_of(dataset)
        for place, row in enumerate(rows):
            if links[place] is None and row.source == dataset.format:
                uid = row.trace_uid.partition(":")[2]
                links[place], _ = _match(row, row.source, stored.get(uid, []))
    return links


def changes_of_links(question_set: QuestionSet) -> Iterator[str]:
    """What the data sets that published pairs were found in say otherwise since, a sentence each.

    A data set that was deleted, or is its owner's no more, says nothing (four queries each).
    """
    linked: dict[str, dict[str, SourceRow]] = defaultdict(dict)
    questions = question_set.questions.filter(state__in=USABLE).exclude(source_row={})
    for sample, stored in questions.order_by("position").values_list("sample", "source_row"):
        row = SourceRow.from_dict(stored)
        linked[row.dataset][sample] = row
    owner = question_set.owner
    readable = Dataset.objects.all() if owner is None else visible_datasets(owner)
    for dataset in readable.filter(public_id__in=linked).order_by("name"):
        rows = rows_of(dataset)
        for old in linked[dataset.public_id].values():
            uid = old.recording.partition(":")[2]
            same = [new for new in rows.get(uid, []) if (new.recording, new.place) == old.where]
            where = f"recording {uid} of {dataset.name}, row {old.place + 1}"
            if not same:
                yield f"{where} is no longer there"
            for name, words in COMPARED.items() if same else ():
                was, now = getattr(old, name), getattr(same[0], name)
                if was != now:
                    yield f"{where} has {words} {was!r}, now {now!r}"


def rows_of(dataset: Dataset) -> dict[str, list[SourceRow]]:
    """Every row of a data set by the uid of its recording (two queries)."""
    found: dict[str, list[SourceRow]] = defaultdict(list)
    key = dataset.public_id
    steps = Step.objects.filter(take__dataset=dataset).exclude(take__video_stem="")
    of_takes = steps.values_list("take__uid", "index", "step_id", "start_s", "end_s")
    for uid, place, step_id, start_s, end_s in of_takes:
        found[uid].append(SourceRow(key, f"take:{uid}", place, step_id, start_s, end_s, ()))
    rows = StepRow.objects.filter(trace__dataset=dataset)
    columns = ("trace__uid", "index", "step_id", "start_s", "end_s", "labels")
    for uid, place, step_id, start_s, end_s, labels in rows.values_list(*columns):
        names = tuple(sorted({one["name"] for one in labels if not one.get("is_derived")}))
        found[uid].append(SourceRow(key, f"trace:{uid}", place, step_id, start_s, end_s, names))
    return found


def _match(
    row: TraceStep | PairedRow, source: str, stored: Sequence[SourceRow]
) -> tuple[SourceRow | None, str]:
    """The one of the rows of its recording that a row is, or why it is not exactly one."""
    found = [
        one
        for one in stored
        if (source != COOK or one.step_id == row.step_id)
        and _are_close(one.start_s, row.start_s, source)
        and _are_close(one.end_s, row.end_s, source)
    ]
    if len(found) != 1:
        return None, f"{len(found)} rows with its step and times"
    own = tuple(sorted({label.name for label in row.labels if not label.is_derived}))
    if own != found[0].labels:
        return None, f"labels {list(own)}, there {list(found[0].labels)}"
    return found[0], ""


def _are_close(first_s: float | None, second_s: float | None, source: str) -> bool:
    if first_s is None or second_s is None:
        return first_s is second_s
    return abs(first_s - second_s) <= TOLERANCE_S[source] + ROUNDING_S
