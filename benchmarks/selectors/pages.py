"""Stored rows of benchmarks, prepared for pages."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils import timezone

from annotation.analytics.tables.table import (
    Cell,
    Column,
    Row,
    RowGroup,
    ShownTable,
    Table,
    lay_out,
)
from annotation.models import AT_WORK, JobStatus
from benchmarks.engine.charts import Estimate, Forest, forest
from benchmarks.engine.shown import value_in_words
from benchmarks.engine.task import AnswerStatus, Measure, Task
from benchmarks.models import Answer, Assessment, Figure, ParticipantKind
from benchmarks.selectors.asked import asked_of
from benchmarks.selectors.assessments import asked_count, repeats_of, state_of, usage_of
from benchmarks.selectors.judging import judgements_of
from benchmarks.selectors.tables import GROUP_TITLES, figure_columns, notes_of
from benchmarks.selectors.training import epochs_of, seconds_of_epochs

# The figures of one participant that are drawn on a common axis lie between these.
SHARES = (-1.0, 1.0)


def drawing_of(table: Table, task: Task, key: str) -> Forest | None:
    """The forest plot of the measure `key`, or else of the first with an interval, or a figure."""
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

    def place(measure: Measure) -> tuple[bool, bool]:
        has_interval = any(estimate.low is not None for estimate in estimates(measure))
        return measure.key != key, not has_interval

    # The sort is stable: measures that come to one place keep their order.
    for measure in sorted(task.measures, key=place):
        if drawing := forest(estimates(measure), measure.title):
            return drawing
    return None


def figures_drawn(figures: Iterable[Figure], task: Task) -> Forest | None:
    """The forest plot of a participant's figures between -1 and 1, over all items."""
    titles = {measure.key: measure.title for measure in task.measures}
    lowest, highest = SHARES
    return forest(
        [
            Estimate(titles.get(row.measure, row.measure), "", row.value, row.low, row.high)
            for row in figures
            if not row.group and row.value is not None and lowest <= row.value <= highest
        ],
        "Value",
    )


def breakdowns_of(figures: Iterable[Figure], task: Task) -> list[tuple[str, ShownTable]]:
    """The figures of a participant in their order, a table for each breakdown."""
    by_group: dict[str, dict[str, dict[str, Figure]]] = defaultdict(lambda: defaultdict(dict))
    for row in figures:
        if row.group:
            by_group[row.group][row.group_value][row.measure] = row
    columns = (*figure_columns(task), Column("items", "Items"))
    tables = []
    for name, by_value in by_group.items():
        rows = []
        for value, by_measure in by_value.items():
            cells = {
                key: Cell(row.value, row.low, row.high, notes_of(row))
                for key, row in by_measure.items()
            }
            cells["items"] = Cell(next(iter(by_measure.values())).item_count)
            rows.append(Row(Cell(value), cells, is_compared=False))
        groups = (RowGroup("", tuple(rows)),)
        table = Table(name, f"Figures by {name}", name.capitalize(), columns, groups)
        tables.append((name, lay_out(table)))
    return tables


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of an assessment: `done_count` of `asked_count` units of its `work`.

    `left_s` is estimated from its speed so far, None where that is unknown.
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
    """The progress of an assessment with these `counts` (at most three queries)."""
    answer_count = total = asked_count(assessment) * repeats_of(assessment)
    done_count = sum(count for status, count in counts.items() if status != AnswerStatus.MISSING)
    job, work = assessment.job, "Items answered"
    is_at_work = job is not None and job.status in AT_WORK
    is_trained = assessment.kind == ParticipantKind.TRAINED
    left_s = None
    if is_trained and job is not None:
        work, total, done_count = "Epochs trained", epochs_of(assessment), job.done_count
        left_s = seconds_of_epochs(assessment, total - done_count) if is_at_work else None
    elif job is not None and assessment.settings.get("judges") and done_count >= total:
        work, total, done_count = "Answers graded", job.total_count, job.done_count
    elif is_at_work and job is not None and done_count and job.started_at is not None:
        # Since the last start or resume: what was answered before took none of this time.
        since = assessment.answers.filter(answered_at__gte=job.started_at).count()
        seconds = (timezone.now() - job.started_at).total_seconds()
        left_s = seconds / since * (total - done_count) if since else None
    return Progress(
        state=state_of(assessment),
        work=work,
        is_at_work=is_at_work,
        can_resume=job is not None and job.status in {JobStatus.CANCELLED, JobStatus.FAILED},
        answer_count=answer_count,
        asked_count=total,
        done_count=done_count,
        left_s=left_s,
        usage=usage_of(assessment),
    )


@dataclass(frozen=True, slots=True)
class AnswerLine:
    """An answer in words, with its judgements by judge, and what the participant saw.

    `asked` is the request as it was sent, for users who may read it, see `asked_of`.
    """

    answer: Answer
    words: str
    judged: tuple[tuple[str, str], ...]
    saw: str
    asked: Mapping[str, Any] | None = None


def answer_lines(
    answers: Iterable[Answer],
    *,
    sees_truth: bool,
    is_grading: bool = False,
    asked_by: Collection[int] = (),
) -> list[AnswerLine]:
    """Answers for a page; of the assessments `asked_by` (row ids) with what they were asked."""
    return [
        AnswerLine(
            answer,
            value_in_words(answer.value),
            tuple(
                (name, value_in_words(judgement.get("value")) or judgement.get("reason", ""))
                for name, judgement in judgements_of(
                    answer, sees_truth=sees_truth, is_grading=is_grading
                ).items()
            ),
            _saw(answer.saw),
            asked_of(answer)
            if (answer.call_id or answer.agent_call_id) and answer.assessment_id in asked_by
            else None,
        )
        for answer in answers
    ]


def _saw(saw: Mapping[str, Any]) -> str:
    if not saw:
        return ""
    pictures = saw.get("pictures")
    if pictures is None:
        return "" if saw.get("until_s") is None else f"up to {saw['until_s']:g} s"
    examples = saw.get("examples", ())
    after = f", after {len(examples)} example{'s' * (len(examples) != 1)}" if examples else ""
    if not pictures:
        return f"words only{after}"
    times = ", ".join(f"{picture['time_s']:g}" for picture in pictures)
    return f"{len(pictures)} picture{'s' * (len(pictures) != 1)}, at {times} s{after}"
