"""Rows of the public files of EgoErrorVQA: their answers, and where their data sets have them."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from django.db.models import QuerySet

from annotation.engine.corpus.formats.egoerrorvqa import ANSWER, COOK, TITLE
from annotation.engine.corpus.formats.errors import Faults
from annotation.engine.corpus.procedure import Reading, TraceStep
from annotation.models import Dataset, Step
from annotation.models import TraceStep as StepRow
from benchmarks.engine.error_classes import UnknownLabelError, classes_of_labels

# By how many seconds the times of two files may differ; the sources that can be joined.
TOLERANCE_S = {"captaincook4d": 0.01, "egooops": 1e-6, "assembly101": 1e-3}
ROUNDING_S = 1e-9


@dataclass(frozen=True, slots=True)
class Joined:
    """How many rows of a source a data set has once with the same labels; which it has not."""

    dataset: Dataset
    row_count: int
    found_count: int
    others: tuple[str, ...]


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
        stored = _stored_rows(dataset)
        row_count, others = 0, []
        for trace in reading.traces:
            source, _, uid = trace.uid.partition(":")
            if source != dataset.format:
                continue
            for number, row in enumerate(trace.steps, start=1):
                row_count += 1
                if fault := _fault(row, source, stored.get(uid, [])):
                    others.append(f"recording {trace.uid}, row {number}: {fault}")
        yield Joined(dataset, row_count, row_count - len(others), tuple(others))


Stored = tuple[str, float | None, float | None, frozenset[str]]


def _stored_rows(dataset: Dataset) -> dict[str, list[Stored]]:
    """Step, times and native labels of every row of a data set, by its recording (two queries)."""
    found: dict[str, list[Stored]] = defaultdict(list)
    steps = Step.objects.filter(take__dataset=dataset).exclude(take__video_stem="")
    of_takes = steps.values_list("take__uid", "step_id", "start_s", "end_s")
    for uid, step_id, start_s, end_s in of_takes:
        found[uid].append((step_id, start_s, end_s, frozenset()))
    rows = StepRow.objects.filter(trace__dataset=dataset)
    columns = ("trace__uid", "step_id", "start_s", "end_s", "labels")
    for uid, step_id, start_s, end_s, labels in rows.values_list(*columns):
        names = frozenset(one["name"] for one in labels if not one.get("is_derived"))
        found[uid].append((step_id, start_s, end_s, names))
    return found


def _fault(row: TraceStep, source: str, stored: list[Stored]) -> str:
    """Why a row is not exactly one of those of its recording, "" where it is."""
    found = [
        names
        for step_id, start_s, end_s, names in stored
        if (source != COOK or step_id == row.step_id)
        and _are_close(start_s, row.start_s, source)
        and _are_close(end_s, row.end_s, source)
    ]
    if len(found) != 1:
        return f"{len(found)} rows with its step and times"
    own = {label.name for label in row.labels if not label.is_derived}
    return "" if own == found[0] else f"labels {sorted(own)}, there {sorted(found[0])}"


def _are_close(first_s: float | None, second_s: float | None, source: str) -> bool:
    if first_s is None or second_s is None:
        return first_s is second_s
    return abs(first_s - second_s) <= TOLERANCE_S[source] + ROUNDING_S
