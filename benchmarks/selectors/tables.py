"""The table of an item set: figures of participants and baselines, and rows of papers."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from django.core.exceptions import ValidationError
from django.db.models import Count

from annotation.analytics.agreement.intervals import Method
from annotation.analytics.tables.table import Cell, Column, Row, RowGroup, Table
from benchmarks.engine.folds import MEAN_OF_FOLDS
from benchmarks.engine.task import AnswerStatus, Task
from benchmarks.engine.training.recipes import KINDS
from benchmarks.models import Answer, Assessment, Figure, ItemSet, ParticipantKind
from benchmarks.selectors.assessments import reading_versions, repeats_of
from benchmarks.selectors.item_sets import cautions_of, task_of

GROUP_TITLES = {
    ParticipantKind.ENDPOINT: "Models",
    ParticipantKind.AGENT: "Agents",
    ParticipantKind.TRAINED: "Trained models",
    ParticipantKind.FILE: "Files",
    ParticipantKind.PERSON: "People",
    ParticipantKind.REVIEW: "People who reviewed the questions",
    ParticipantKind.BASELINE: "Trivial baselines",
}
# With fewer of its answers read, a participant is not compared: it may have chosen the easy items.
LEAST_READ = 0.9
BIAS_CORRECTED_NOTE = (
    "The interval is one of bias-corrected percentiles, because resampling shifts the figure."
)
NOT_READ = [status for status in AnswerStatus if status is not AnswerStatus.READ]
OTHER_COLUMNS = (
    Column("read", "Read"),
    Column("not_read", "Not read"),
    Column("cost_usd", "Cost ($)", 4),
    Column("tokens", "Tokens"),
    Column("seconds", "Seconds", 1),
    Column("seconds_median", "Seconds per answer, median", 1),
    Column("seconds_p95", "Seconds per answer, 95th percentile", 1),
)
BOLD_NOTE = (
    f"Bold is the best of the participants with at least {LEAST_READ:.0%} of their answers read."
)
# Longer settings are cut: a list of recordings would fill the page.
MOST_SETTING_CHARACTERS = 60
# As `Figure.group_value` holds.
MOST_VALUE_CHARACTERS = 200


def table_of(
    item_set: ItemSet,
    *,
    group: str = "",
    group_value: str = "",
    shows_intervals: bool = True,
    page: Collection[Assessment] | None = None,
) -> Table:
    """The figures of all finished participants, over all items or one group (two queries).

    With a `page` only its participants are shown, and the baselines, which every page needs.
    """
    task = task_of(item_set)
    assessments = list(item_set.assessments.filter(frozen_at__isnull=False).order_by("pk"))
    figures: dict[int, dict[str, Figure]] = defaultdict(dict)
    stored = Figure.objects.filter(assessment__in=assessments, group=group, group_value=group_value)
    for figure in stored:
        figures[figure.assessment_id][figure.measure] = figure
    titles = {measure.key: measure.title for measure in task.measures}
    is_enough = _are_read_enough(assessments, figures, group, group_value)
    rows: dict[str, list[Row]] = defaultdict(list)
    for assessment in assessments:
        is_shown = page is None or assessment.kind == ParticipantKind.BASELINE or assessment in page
        row = _row(assessment, figures[assessment.pk], titles)
        is_compared = assessment.kind != ParticipantKind.BASELINE and is_enough[assessment.pk]
        rows[assessment.kind].append(replace(row, is_shown=is_shown, is_compared=is_compared))
    groups = [RowGroup(title, tuple(rows[kind])) for kind, title in GROUP_TITLES.items()]
    groups.append(RowGroup("Published", tuple(_published(task, item_set, (group, group_value)))))
    over = f", {group}: {group_value}" if group else ""
    return Table(
        key=item_set.public_id,
        title=f"{task.title}: {item_set}{over}",
        label_title="Participant",
        columns=(*figure_columns(task), *OTHER_COLUMNS),
        groups=tuple(groups),
        notes=(
            items_note(item_set, task),
            *((BOLD_NOTE,) if not all(is_enough.values()) else ()),
            *cautions_of(item_set),
        ),
        shows_intervals=shows_intervals,
    )


def items_note(item_set: ItemSet, task: Task) -> str:
    """The footnote of every table: which items its figures are over."""
    settings = ", ".join(
        f"{name} {_shown(str(value))}" for name, value in item_set.settings.items() if value != ""
    )
    return (
        f"Items: {item_set}, {item_set.item_count} items of {item_set.source}, task {task.name}"
        f" version {item_set.task_version}, seed {item_set.seed}"
        + (f", {settings}" if settings else "")
        + f", SHA-256 {item_set.content_hash}."
        " Intervals: 95%, over draws of recordings, of takes where several share one."
    )


def _shown(value: str) -> str:
    """A setting, cut to the room of a footnote; the hash covers all of it."""
    if len(value) <= MOST_SETTING_CHARACTERS:
        return value
    return f"{value[:MOST_SETTING_CHARACTERS]}… ({len(value)} characters)"


def figure_columns(task: Task) -> list[Column]:
    return [
        Column(
            measure.key,
            measure.title,
            measure.decimals,
            measure.best,
            notes=(measure.note,) if measure.note else (),
        )
        for measure in task.measures
    ]


def notes_of(figure: Figure) -> tuple[str, ...]:
    """Why a figure has no value or no interval, or what is special about its interval."""
    if figure.method == Method.BIAS_CORRECTED:
        return (BIAS_CORRECTED_NOTE,)
    return (figure.reason,) if figure.reason else ()


def _row(assessment: Assessment, figures: Mapping[str, Figure], titles: Mapping[str, str]) -> Row:
    cells = {
        key: Cell(figure.value, figure.low, figure.high, notes_of(figure))
        for key, figure in figures.items()
    }
    counts = assessment.counts
    unread = {status: counts.get(status, 0) for status in NOT_READ if counts.get(status)}
    unread_words = ", ".join(
        f"{count} {status.replace('_', ' ')}" for status, count in unread.items()
    )
    cells["read"] = Cell(counts.get(AnswerStatus.READ, 0))
    cells["not_read"] = Cell(sum(unread.values()), notes=(unread_words,) if unread_words else ())
    if usage := assessment.usage:
        cells["cost_usd"] = Cell(usage["usd"])
        cells["tokens"] = Cell(usage["tokens_in"] + usage["tokens_out"])
        # Assessments from before answers were timed have no seconds for each.
        for key in ("seconds", "seconds_median", "seconds_p95"):
            if usage.get(key) is not None:
                cells[key] = Cell(usage[key])
    spreads = ", ".join(
        f"{title} {figures[key].spread:.4f}"
        for key, title in titles.items()
        if key in figures and figures[key].spread is not None
    )
    spread_note = (f"Standard deviation over seeds: {spreads}.",) if spreads else ()
    label = Cell(assessment.name, notes=(participant_note(assessment), *spread_note))
    return Row(label, cells, key=assessment.public_id)


def _are_read_enough(
    assessments: Sequence[Assessment],
    figures: Mapping[int, Mapping[str, Figure]],
    group: str,
    group_value: str,
) -> dict[int, bool]:
    """Whether so many answers were read, in a group or in all, that figures may be the best.

    By the row ids of the assessments (one query for a group that not everybody answered).
    """
    totals = {one.pk: sum(one.counts.values()) for one in assessments}
    read = {one.pk: one.counts.get(AnswerStatus.READ, 0) for one in assessments}
    if group and group_value != MEAN_OF_FOLDS:
        # Who answered everything answered everything in the group.
        partly = [one for one in assessments if read[one.pk] < totals[one.pk]]
        is_cut = len(group_value) == MOST_VALUE_CHARACTERS
        in_group = {f"item__groups__{group}{'__startswith' * is_cut}": group_value}
        of_group = Answer.objects.filter(
            assessment__in=partly, status=AnswerStatus.READ, **in_group
        )
        counts = of_group.order_by().values_list("assessment").annotate(Count("pk"))
        read |= dict.fromkeys((one.pk for one in partly), 0) | dict(counts if partly else ())
        for one in partly:
            item_count = max((row.item_count for row in figures[one.pk].values()), default=0)
            totals[one.pk] = item_count * repeats_of(one)
    return {pk: read[pk] >= LEAST_READ * total for pk, total in totals.items()}


def participant_note(assessment: Assessment) -> str:
    """The footnote of a participant: its name, date and settings in words."""
    date = f"{assessment.frozen_at:%Y-%m-%d}" if assessment.frozen_at else "not finished"
    parts = [f"{assessment.name}, {date}"]
    settings = assessment.settings
    if assessment.kind in {ParticipantKind.ENDPOINT, ParticipantKind.AGENT}:
        parts += _asking_notes(assessment)
    if assessment.kind == ParticipantKind.TRAINED:
        parts += _training_notes(settings)
    elif assessment.kind == ParticipantKind.REVIEW:
        parts += _review_notes(assessment)
    elif repeats_of(assessment) > 1:
        parts.append(f"{repeats_of(assessment)} repeats")
    if settings.get("own_history"):
        parts.append("own history: it was not told what was right before")
    if settings.get("counts_missing"):
        parts.append("items without an answer count as wrong")
    if settings.get("could_see_truth"):
        parts.append("could see what is right before answering")
    if settings.get("judge_names"):
        parts.append(f"judged by {', '.join(settings['judge_names'])}")
    if assessment.file_hash:
        parts.append(f"file SHA-256 {assessment.file_hash[:12]}")
    return "; ".join(parts) + "."


def _review_notes(assessment: Assessment) -> list[str]:
    settings = assessment.settings
    people, answers = settings["people"], assessment.counts.get(AnswerStatus.READ, 0)
    notes = [
        f"{answers} answer{'s' * (answers != 1)} of {people} {'people' if people > 1 else 'person'}"
        " in the review of the questions, who then said whether the right answer is right"
    ]
    if reworded := settings["reworded"]:
        notes.append(f"{reworded} left out, as the review changed the words of the question since")
    if not settings.get("judge_names"):
        notes.append("not graded by a judge yet")
    return notes


def _asking_notes(assessment: Assessment) -> list[str]:
    settings = assessment.settings
    notes: list[str] = []
    kind = assessment.get_kind_display().lower()
    notes.append(f"{kind} {settings['model']} at {settings['server']}")
    if settings.get("is_text_only"):
        notes.append("text only: it got no pictures")
    elif settings.get("pictures"):
        notes.append(
            f"{settings['pictures']} pictures of at most {settings['picture_side']} pixels,"
            f" detail {settings['picture_detail']}"
        )
    else:
        notes.append("no pictures")
    if assessment.kind == ParticipantKind.ENDPOINT:
        notes.append(f"temperature {settings.get('temperature')}")
    notes += settings.get("role_names", [])
    if settings.get("sampled"):
        notes.append(f"asked about a sample of {settings['sampled']} items")
    versions = " and ".join(map(str, reading_versions(assessment)))
    notes.append(f"answers read by rule {versions}")
    return notes


def _training_notes(settings: dict[str, Any]) -> list[str]:
    recipe = settings["recipe"]
    features = " + ".join(
        f"{row['name']} ({row['made_by']}, SHA-256 {row['content_hash'][:12]})"
        for row in settings["features"]
    )
    count = len(settings["seeds"])
    fold_count = len(settings.get("folds", [""]))
    if KINDS[recipe["model"]].is_of_segments:
        focal = "" if recipe["gamma"] is None else f", focal loss with gamma {recipe['gamma']:g}"
        decided = f"the likeliest class; classes balanced with beta {recipe['beta']:g}{focal}"
    else:
        chosen = "best F1 on val" if recipe["threshold"] is None else f"{recipe['threshold']:g}"
        decided = f"{recipe['step_score']} of a step's rows, threshold {chosen}" + (
            ", scores stretched over the test items" if recipe["normalises"] else ""
        )
    return [
        f"{recipe['model']}, preset {recipe['preset']}, {recipe['epochs']} epochs at"
        f" {recipe['learning_rate']:g}",
        f"trained on {features}",
        f"mean of {count} seeds" if count > 1 else "one seed",
        *([f"a model for each of {fold_count} folds"] if fold_count > 1 else []),
        decided,
    ]


def _published(task: Task, item_set: ItemSet, group: tuple[str, str]) -> Iterable[Row]:
    keys = {measure.key for measure in task.measures}
    for row in task.published(item_set.settings):
        if row.group != group:
            continue
        notes = (row.source, row.warning) if row.warning else (row.source,)
        cells = {key: Cell(value) for key, value in row.figures.items() if key in keys}
        yield Row(Cell(row.name, notes=notes), cells, is_compared=False)


def groups_of(item_set: ItemSet) -> dict[str, list[str]]:
    """The breakdowns that have figures, with their values (one query)."""
    pairs = Figure.objects.filter(assessment__item_set=item_set).exclude(group="")
    groups: dict[str, list[str]] = defaultdict(list)
    for name, value in (
        pairs.order_by("group", "group_value").values_list("group", "group_value").distinct()
    ):
        groups[name].append(value)
    return dict(groups)


def require_group(item_set: ItemSet, group: str, value: str) -> None:
    """Raise ValidationError for a breakdown or a value without figures; "" is all items."""
    if not group and not value:
        return
    groups = groups_of(item_set)
    if group not in groups:
        listed = ", ".join(groups) or "none yet"
        raise ValidationError({"group": f"It is {group!r}; expected one of {listed}."})
    if value not in groups[group]:
        listed = ", ".join(groups[group])
        raise ValidationError({"value": f"It is {value!r}; expected one of {listed}."})
