"""What the pages of benchmarks show of stored rows, put the way a reader takes it in."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils import timezone

from annotation.analytics.table import Cell, Column, Row, RowGroup, ShownTable, Table, lay_out
from annotation.models import AT_WORK, JobStatus
from benchmarks.engine.charts import Estimate, Forest, forest
from benchmarks.engine.shown import value_in_words
from benchmarks.engine.task import AnswerStatus, Measure, Task
from benchmarks.models import Answer, Assessment, Figure, ParticipantKind
from benchmarks.selectors.assessments import repeats_of, state_of, usage_of
from benchmarks.selectors.tables import GROUP_TITLES, figure_columns
from benchmarks.selectors.training import epochs_of, seconds_of_epochs

# Figures of one participant that share an axis lie between these.
SHARES = (-1.0, 1.0)


def drawing_of(table: Table, task: Task, key: str) -> Forest | None:
    """The asked measure of a table of figures, else the first that anybody has a figure of."""
    kinds = {title: kind.label.lower() for kind, title in GROUP_TITLES.items()}
    rows = [
        (kinds[group.title], row)
        for group in table.groups
        if group.title in kinds
        for row in group.rows
        if row.is_shown
    ]

    def estimates(measure: Measure) -> list[Estimate]:
        cells = [(kind, row.label, row.cells.get(measure.key)) for kind, row in rows]
        return [
            Estimate(str(label.value), kind, float(cell.value), cell.low, cell.high)
            for kind, label, cell in cells
            if cell is not None and cell.value is not None
        ]

    # The sort is stable: the asked one first, the others as they are.
    for measure in sorted(task.measures, key=lambda one: one.key != key):
        if drawn := forest(estimates(measure), measure.title):
            return drawn
    return None


def figures_drawn(assessment: Assessment, task: Task) -> Forest | None:
    """All figures of a participant over all items that lie between -1 and 1 (one query)."""
    titles = {measure.key: measure.title for measure in task.measures}
    rows = assessment.figures.filter(group="", value__range=SHARES).order_by("pk")
    return forest(
        [
            Estimate(titles.get(row.measure, row.measure), "", row.value or 0, row.low, row.high)
            for row in rows
        ],
        "Value",
    )


def breakdowns_of(assessment: Assessment, task: Task) -> list[tuple[str, ShownTable]]:
    """The figures of a participant by every breakdown, a table of each (one query)."""
    found: dict[str, dict[str, dict[str, Figure]]] = defaultdict(lambda: defaultdict(dict))
    for row in assessment.figures.exclude(group="").order_by("group", "group_value"):
        found[row.group][row.group_value][row.measure] = row
    return [(name, lay_out(_breakdown(name, by_value, task))) for name, by_value in found.items()]


def _breakdown(name: str, by_value: Mapping[str, Mapping[str, Figure]], task: Task) -> Table:
    rows = []
    for value, figures in by_value.items():
        cells = {key: Cell(row.value, row.low, row.high) for key, row in figures.items()}
        items = next(iter(figures.values())).item_count
        cells["items"] = Cell(items)
        rows.append(Row(Cell(value), cells, is_compared=False))
    shown = (*figure_columns(task), Column("items", "Items"))
    return Table(name, f"Figures by {name}", name.capitalize(), shown, (RowGroup("", tuple(rows)),))


@dataclass(frozen=True, slots=True)
class Progress:
    """How far an assessment is with its `work`, `done_count` of `asked_count`.

    `left_s` goes by its own speed so far, None where nobody can say.
    """

    state: str
    work: str
    is_at_work: bool
    can_resume: bool
    answer_count: int
    asked_count: int
    done_count: int
    left_s: float | None
    usage: Mapping[str, Any]

    @property
    def tokens(self) -> int:
        return int(self.usage["tokens_in"] + self.usage["tokens_out"]) if self.usage else 0


def progress_of(assessment: Assessment, counts: Mapping[str, int]) -> Progress:
    """One query at most, for what it took; two where a model is trained."""
    answer_count = asked = assessment.item_set.item_count * repeats_of(assessment)
    done = sum(count for status, count in counts.items() if status != AnswerStatus.MISSING)
    job, work = assessment.job, "Items answered"
    is_at_work = job is not None and job.status in AT_WORK
    is_trained = assessment.kind == ParticipantKind.TRAINED
    left_s = None
    if is_trained and job is not None:
        work, asked, done = "Epochs trained", epochs_of(assessment), job.done_count
        left_s = seconds_of_epochs(assessment, asked - done) if is_at_work else None
    elif job is not None and assessment.settings.get("judges") and done >= asked:
        work, asked, done = "Answers graded", job.total_count, job.done_count
    elif is_at_work and job is not None and done and job.started_at is not None:
        left_s = (timezone.now() - job.started_at).total_seconds() / done * (asked - done)
    return Progress(
        state=state_of(assessment),
        work=work,
        is_at_work=is_at_work,
        can_resume=job is not None and job.status in {JobStatus.CANCELLED, JobStatus.FAILED},
        answer_count=answer_count,
        asked_count=asked,
        done_count=done,
        left_s=left_s,
        usage=usage_of(assessment),
    )


@dataclass(frozen=True, slots=True)
class AnswerLine:
    """An answer in words: what was said, what judges said, what the participant saw."""

    answer: Answer
    words: str
    judged: tuple[tuple[str, str], ...]
    saw: str


def answer_lines(answers: Iterable[Answer]) -> list[AnswerLine]:
    return [
        AnswerLine(
            answer,
            value_in_words(answer.value),
            tuple(
                (name, value_in_words(found.get("value")) or found.get("reason", ""))
                for name, found in answer.judged.items()
            ),
            _saw(answer.saw),
        )
        for answer in answers
    ]


def _saw(saw: Mapping[str, Any]) -> str:
    if not saw:
        return ""
    pictures = saw.get("pictures")
    if pictures is None:
        return "" if saw.get("until_s") is None else f"up to {saw['until_s']:g} s"
    if not pictures:
        return "words only"
    times = ", ".join(f"{one['time_s']:g}" for one in pictures)
    return f"{len(pictures)} picture{'s' * (len(pictures) != 1)}, at {times} s"
