"""The tables of the PIE-V paper with its own values, and rows of one's own data laid in.

Main Tables 2 to 5 and supplementary Tables 2 and 3. Where paper and script leave open how a value
was made, the table says so and shows both readings under their own names.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from enum import StrEnum

from annotation.analytics.agreement.report import KINDS
from annotation.analytics.tables import example_cases
from annotation.analytics.tables.own_rows import (
    OwnFigures,
    OwnScale,
    left_out_note,
    own_cell,
    own_label,
)
from annotation.analytics.tables.published import (
    Origin,
    PublishedDataset,
    PublishedScale,
    published_datasets,
)
from annotation.analytics.tables.table import Best, Cell, Column, Row, RowGroup, Table
from annotation.engine.campaigns.guideline import GuidelineText, Subject
from annotation.engine.rubric.rubric import Metric, MetricDefinition, Rubric, Scale, Scope


class PaperTable(StrEnum):
    """A table of the paper by its number; S stands for the supplementary material.

    Two have none there: the examples of section D.4, and agreement by the kind of event.
    """

    RUBRIC = "2"
    AGGREGATES = "3"
    GENERATED_SCALE = "4"
    AGREEMENT = "5"
    SAMPLE = "S2"
    ALL_AGREEMENT = "S3"
    KINDS = "KINDS"
    EXAMPLES = example_cases.KEY


# As the paper heads its columns; a direction where it names one (Table 3).
SHORT_TITLES = {
    Metric.ERROR_VALIDITY: "Err.Valid",
    Metric.HUMAN_PLAUSIBILITY: "Human Pl.",
    Metric.CONFUSABILITY: "Confus.",
    Metric.PROCEDURE_LOGIC: "Proc.Logic",
    Metric.SEQUENCE_CONSISTENCY: "Seq.Cons.",
    Metric.STATE_CHANGE_COHERENCE: "State-Chg",
    Metric.TAXONOMY_FIT: "Taxonomy Fit",
    Metric.VIDEO_PLAUSIBILITY: "Vid.Pl.",
    Metric.TEXT_VIDEO_GROUNDING: "T–V Gr.",
}
PERCENTAGES = {Metric.ERROR_VALIDITY, Metric.PROCEDURE_LOGIC, Metric.STATE_CHANGE_COHERENCE}
LOWER_IS_BETTER = {Metric.PROCEDURE_LOGIC, Metric.STATE_CHANGE_COHERENCE}

# The key of the second reading of Procedure Logic, beside that of the metric itself.
COMPOSITE = "procedure_logic_composite"

FIVE_RATERS = (
    "The paper reports five annotators; it does not say that each of them rated everything."
)
MISTAKE_STEPS = (
    "Rows of a trace that stand for a mistake or a correction. Both halves of a swap, corrections"
    " and (in the published figures) repairs made by the judge count."
)
EVENTS = (
    "What is rated: a swap is one event. The paper gives no such count per data set; it names 102"
    " mistakes and 27 corrections planned for the 50 takes."
)
BOTH_READINGS = (
    "Paper and published script do not say whether their value is the alpha of the yes/no answers"
    " or the script's composite with the alpha of the confidences, so it stands under both. No"
    " interval is computed for the composite."
)

OVER_EVENTS = (
    "Our rows are means over events, which the paper calls the sample level; where people rated"
    " unevenly, a second row counts every rating once. Proc.Logic is 100 times the mean of the"
    " paper’s equation 1 over events in both."
)
OURS, INCOMPLETE = "Ours", "Ours, of too few answers to compare"
NO_KINDS = "There are not events of both kinds."
OF_KIND = (
    "Each α is of these events alone. The α of all events is not their mean: chance is counted over"
    " other answers."
)
IMPLIED = "Answers implied by a skip rule count as given, as in the published protocol."


def paper_table(
    which: PaperTable,
    figures: Sequence[OwnFigures] = (),
    *,
    rubric_: Rubric,
    guideline: GuidelineText,
    shows_intervals: bool = False,
    has_incomplete: bool = False,
) -> Table:
    """A table of the paper with the rows of `figures` below the published ones.

    `rubric_` and `guideline` fill Table 2. Intervals are always in the CSV file; a printed table
    has room for them only where it is asked to show them. Figures of too few answers or raters are
    left out and named, with `has_incomplete` they stand apart and are not compared. Example cases
    are of no figures: `example_table` makes theirs.
    """
    if which is PaperTable.RUBRIC:
        return _rubric_table(rubric_, guideline)
    if which is PaperTable.EXAMPLES:
        raise ValueError("example cases are of no figures; expected a call of example_table")
    shown = [item for item in figures if has_incomplete or not item.is_incomplete]
    if which is PaperTable.AGGREGATES:
        table = _aggregates_table(shown, has_incomplete)
    elif which in (PaperTable.GENERATED_SCALE, PaperTable.SAMPLE):
        table = _scale_table(which, shown)
    elif which is PaperTable.KINDS:
        table = replace(_kinds_table(shown, has_incomplete), shows_intervals=shows_intervals)
    else:
        table = _agreement_table(which, shown, has_incomplete)
        table = replace(table, shows_intervals=shows_intervals)
    left_out = [item for item in figures if item not in shown]
    return replace(table, notes=(*table.notes, *map(left_out_note, left_out)))


def _rubric_table(rubric_: Rubric, guideline: GuidelineText) -> Table:
    scales = {Scale.YES_NO: "yes/no", Scale.LIKERT: "1–5", Scale.TAXONOMY: "six labels"}

    def row(definition: MetricDefinition) -> Row:
        is_trace = definition.scope is Scope.TRACE
        text = guideline.texts.get(
            (definition.metric, Subject.TRACE if is_trace else Subject.MISTAKE)
        )
        cells = {
            "scale": Cell(
                scales[definition.scale] + (", confidence 1–3" if definition.has_confidence else "")
            ),
            "rated": Cell("trace" if is_trace else "event"),
            "question": Cell(None if text is None else text.question),
        }
        note = "The paper describes this metric in its text, not in its table."
        is_fit = definition.metric is Metric.TAXONOMY_FIT
        return Row(Cell(definition.title, notes=(note,) if is_fit else ()), cells)

    return Table(
        key=PaperTable.RUBRIC.value,
        title=f"Rubric version {rubric_.version}; questions as in guideline {guideline.name}.",
        label_title="Metric",
        columns=(
            Column("scale", "Scale"),
            Column("rated", "Per"),
            Column("question", "What raters are asked of a mistake", is_long_text=True),
        ),
        groups=(RowGroup("", tuple(map(row, rubric_.metrics))),),
    )


def _aggregates_table(figures: Sequence[OwnFigures], has_incomplete: bool) -> Table:
    shown = [metric for metric in SHORT_TITLES if metric is not Metric.TAXONOMY_FIT]
    columns = (
        Column(
            metric.value,
            SHORT_TITLES[metric] + (" (Yes, %)" if metric in PERCENTAGES else ""),
            decimals=0 if metric in PERCENTAGES else 2,
            best=Best.LOWEST if metric in LOWER_IS_BETTER else Best.HIGHEST,
        )
        for metric in shown
    )

    def published(item: PublishedDataset) -> dict[str, Cell]:
        return {metric.value: Cell(value) for metric, value in item.aggregates.items()}

    rows: list[tuple[OwnFigures, Row]] = []
    for item in figures:
        over_events, over_ratings = (
            {
                metric.value: own_cell(row, getattr(row, field), None, item, has_incomplete)
                for metric in shown
                if (row := item.rows.get(metric)) is not None
            }
            for field in ("aggregate_event_mean", "aggregate")
        )
        rows.append((item, Row(own_label(item), over_events)))
        if not _are_alike(over_events, over_ratings):
            second = Row(Cell(f"{item.name}, over ratings"), over_ratings, is_compared=False)
            rows.append((item, second))
    return Table(
        key=PaperTable.AGGREGATES.value,
        title=(
            "Aggregated rubric statistics. Lower is better for Proc.Logic and State-Chg, higher for"
            " the rest; the best value of a column is bold."
        ),
        label_title="Dataset",
        columns=tuple(columns),
        groups=_groups(published_datasets(), published, rows),
        notes=(FIVE_RATERS, *((OVER_EVENTS,) if rows else ())),
    )


def _are_alike(first: Mapping[str, Cell], second: Mapping[str, Cell]) -> bool:
    """Whether both have the same values; sums in another order differ in the last digit."""
    return all(
        one.value == other.value
        or (
            isinstance(one.value, float)
            and isinstance(other.value, float)
            and math.isclose(one.value, other.value)
        )
        for one, other in zip(first.values(), second.values(), strict=True)
    )


def _scale_table(which: PaperTable, figures: Sequence[OwnFigures]) -> Table:
    is_sample = which is PaperTable.SAMPLE
    origin = Origin.RECORDED if is_sample else Origin.GENERATED
    columns = [
        Column("videos", "Videos"),
        Column("total_steps", "Total steps"),
        Column("mistake_steps", "Mistake steps", notes=(MISTAKE_STEPS,)),
        Column("mistake_rate", "Mistake rate (%)", decimals=2),
        Column("steps_per_video", "Avg. steps/video", decimals=2),
        Column("mistakes_per_video", "Avg. mistakes/video", decimals=2),
        Column("mistakes", "Mistakes", group="Rated events", notes=(EVENTS,)),
        Column("corrections", "Corrections", group="Rated events", notes=(EVENTS,)),
    ]
    if not is_sample:
        columns = [column for column in columns if column.key != "steps_per_video"]
    known = {column.key for column in columns}

    def cells(values: Mapping[str, float | int | None]) -> dict[str, Cell]:
        return {key: Cell(value) for key, value in values.items() if key in known}

    rows = (
        (item, Row(Cell(item.name), cells({**asdict(item.scale), **scale_rates(item.scale)})))
        for item in figures
    )
    return Table(
        key=which.value,
        title=(
            "Audit sample: how much was rated."
            if is_sample
            else "Scale of the generated settings (50 takes each)."
        ),
        label_title="Dataset" if is_sample else "Setting",
        columns=tuple(columns),
        groups=_groups(
            (item for item in published_datasets() if item.origin is origin),
            lambda item: cells(asdict(item.scale)),
            rows,
        ),
    )


def scale_rates(scale: OwnScale | PublishedScale) -> dict[str, float | None]:
    """The rates of a data set from its own counts; None where there is nothing to divide by.

    >>> round(scale_rates(OwnScale(25, 302, 87, 80, 7))["mistake_rate"], 2)
    28.81
    """
    videos, steps = scale.videos, scale.total_steps
    return {
        "mistake_rate": 100 * scale.mistake_steps / steps if steps else None,
        "steps_per_video": steps / videos if videos else None,
        "mistakes_per_video": scale.mistake_steps / videos if videos else None,
    }


def _agreement_table(
    which: PaperTable, figures: Sequence[OwnFigures], has_incomplete: bool
) -> Table:
    is_main = which is PaperTable.AGREEMENT
    columns = []
    for metric, title in SHORT_TITLES.items():
        if metric is Metric.PROCEDURE_LOGIC:
            columns += [
                Column(metric.value, "yes/no", 3, group=title, notes=(BOTH_READINGS,)),
                Column(COMPOSITE, "composite", 3, group=title, notes=(BOTH_READINGS,)),
            ]
        else:
            columns.append(Column(metric.value, title, 3))

    def published(item: PublishedDataset) -> dict[str, Cell]:
        cells = {metric.value: Cell(value) for metric, value in item.alpha.items()}
        return {**cells, COMPOSITE: cells[Metric.PROCEDURE_LOGIC.value]}

    def row(item: OwnFigures) -> tuple[OwnFigures, Row]:
        cells = {
            metric.value: own_cell(row, row.alpha, row.interval, item, has_incomplete)
            for metric, row in item.rows.items()
        }
        logic = item.rows.get(Metric.PROCEDURE_LOGIC)
        if logic is not None and logic.logic is not None:
            composite = logic.logic.composite
            cells[COMPOSITE] = own_cell(logic, composite, None, item, has_incomplete)
        return item, Row(own_label(item), cells)

    return Table(
        key=which.value,
        title=(
            "Krippendorff’s α"
            + ("." if is_main else " for all settings.")
            + " Nominal for yes/no and labels, ordinal for 1–5."
        ),
        label_title="Dataset",
        columns=tuple(columns),
        groups=_groups(
            (item for item in published_datasets() if item.is_in_main_text or not is_main),
            published,
            map(row, figures),
        ),
        notes=(FIVE_RATERS, *((IMPLIED,) if figures else ())),
    )


def _kinds_table(figures: Sequence[OwnFigures], has_incomplete: bool) -> Table:
    """Alpha of mistakes and of corrections alone; the paper prints neither."""

    def row(item: OwnFigures, kind: str) -> tuple[OwnFigures, Row]:
        cells: dict[str, Cell] = {}
        for metric, row in item.rows.items():
            if metric.value not in columns:
                continue
            found = row.kinds.get(kind)
            cells[metric.value] = (
                Cell(notes=(NO_KINDS,))
                if found is None
                else own_cell(
                    replace(row, reason=found.reason),
                    found.alpha,
                    found.interval,
                    item,
                    has_incomplete,
                )
            )
        label = own_label(item)
        return item, Row(replace(label, value=f"{label.value}, {kind}"), cells)

    columns = {
        metric.value: Column(metric.value, title, 3)
        for metric, title in SHORT_TITLES.items()
        if metric is not Metric.TEXT_VIDEO_GROUNDING
    }
    return Table(
        key=PaperTable.KINDS.value,
        title=(
            "Krippendorff’s α of mistakes and of corrections apart. Nominal for yes/no and labels,"
            " ordinal for 1–5."
        ),
        label_title="Dataset",
        columns=tuple(columns.values()),
        groups=_groups((), lambda _: {}, (row(item, kind) for item in figures for kind in KINDS)),
        notes=(OF_KIND, *((IMPLIED,) if figures else ())),
    )


def _groups(
    items: Iterable[PublishedDataset],
    cells: Callable[[PublishedDataset], dict[str, Cell]],
    own_rows: Iterable[tuple[OwnFigures, Row]],
) -> tuple[RowGroup, ...]:
    """The published rows, those of recordings and those of generated videos apart, and ours.

    Those of ours that are of too few answers stand apart from the rest.
    """
    ours: dict[bool, list[Row]] = {False: [], True: []}
    for own, row in own_rows:
        row = replace(row, is_compared=row.is_compared and not own.is_incomplete)
        ours[own.is_incomplete].append(row)
    rows: dict[Origin, list[Row]] = {origin: [] for origin in Origin}
    for item in items:
        name = f"{item.name} ({item.settings})" if item.settings else item.name
        rows[item.origin].append(Row(Cell(name), cells(item)))
    return (
        *(RowGroup(f"Published, {origin.value}", tuple(found)) for origin, found in rows.items()),
        RowGroup(OURS, tuple(ours[False])),
        *((RowGroup(INCOMPLETE, tuple(ours[True])),) if ours[True] else ()),
    )
