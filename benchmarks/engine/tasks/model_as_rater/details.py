"""The tables about a model as rater, besides its row in the table of participants."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from annotation.analytics.raters.raters import mean_over_traces
from annotation.analytics.tables.table import Cell, Column, Row, RowGroup, Table
from annotation.engine.rubric.rubric import Metric, Scale
from benchmarks.engine.model_families import family_of
from benchmarks.engine.task import Answered, Item
from benchmarks.engine.tasks.model_as_rater.calibrating import calibrate
from benchmarks.engine.tasks.model_as_rater.columns import (
    CALIBRATION,
    MetricColumns,
    columns_of,
)
from benchmarks.engine.tasks.model_as_rater.screening import Verdict
from benchmarks.engine.tasks.model_as_rater.verdicts import (
    Agreement,
    Judged,
    agreement,
    judge,
    pair_sums,
)

Floats = npt.NDArray[np.float64]
BREAKDOWNS = ("mistake type", "data set", "generator", "scenario")
OWN_FAMILY, OTHER_FAMILY = "made by a model of its own family", "made by others"
NEVER_POOLED = "A model's answers enter no figure between people."


def details_of(
    items: Sequence[Item], answers: Sequence[Answered], *, epsilon: float, model: str
) -> list[Table]:
    """The tables; `epsilon` is the bonus for the model's lower cost, `model` its name or ""."""
    parts: dict[bool, tuple[list[Item], list[Answered]]] = {True: ([], []), False: ([], [])}
    for item, answer in zip(items, answers, strict=True):
        part_items, part_answers = parts[item.part == CALIBRATION]
        part_items.append(item)
        part_answers.append(answer)
    tested, fitted = columns_of(*parts[False]), columns_of(*parts[True])
    if not any(columns.names for columns in tested.values()):
        return []
    judged = {metric: judge(columns, epsilon) for metric, columns in tested.items()}
    return [
        _verdicts(judged, epsilon),
        _each_person(judged),
        _calibration(judged, fitted, epsilon),
        _bias(tested, model),
        *_confusions(tested),
        _repeatability(tested),
    ]


def _verdicts(judged: Mapping[Metric, Judged], epsilon: float) -> Table:
    columns = (
        Column("verdict", "Verdict"),
        Column("with_people", "With people", 3, group="Mean alpha"),
        Column("among_people", "Person with person", 3, group="Mean alpha"),
        Column("gap", "Difference", 3, group="Mean alpha"),
        Column("winning_rate", "Winning rate", 2, group="Alternative annotator"),
        Column("by_take", "On means of takes", 2, group="Alternative annotator"),
        Column("advantage", "Advantage", 2, group="Alternative annotator"),
        Column("gold", "Accepted by gold", 2),
        Column("events", "Events"),
        Column("people", "People"),
    )
    rows = []
    for metric in judged.values():
        test, by_take = metric.test, metric.by_take
        cells = {
            "verdict": Cell(metric.verdict.value, notes=(f"{_title(metric)}: {metric.reason}.",)),
            "with_people": _cell(metric.with_model),
            "among_people": _cell(metric.among_people),
            "gap": _cell(metric.gap),
            "winning_rate": Cell(test.winning_rate, notes=_noted(test.reason)),
            "by_take": Cell(by_take.winning_rate, notes=_noted(by_take.reason)),
            "advantage": Cell(test.mean_advantage),
            "gold": _gold(metric.columns),
            "events": Cell(int((~np.isnan(metric.columns.model)).sum())),
            "people": Cell(metric.columns.people.shape[1]),
        }
        rows.append(Row(Cell(_title(metric)), cells))
    return Table(
        "verdict", "May the model stand in for a person?", "Metric", columns,
        (RowGroup("", tuple(rows)),),
        (
            f"{Verdict.PASSES.value}: by the alternative annotator test (epsilon {epsilon:g}) it is"
            " as good as at least half of the people."
            f" {Verdict.MAY_SCREEN.value}: it is not, but the interval of its agreement with"
            " people lies above 0, so it may sort a queue."
            f" {Verdict.NOT_USABLE.value}: neither, or it shares too few events with people, or"
            " always says the same.",
            "Of the test part, as answered. " + NEVER_POOLED,
        ),
    )  # fmt: skip


def _each_person(judged: Mapping[Metric, Judged]) -> Table:
    names = next(iter(judged.values())).columns.names if judged else ()
    people = range(len(names))
    groups: dict[str, list[tuple[str, int | None, int]]] = {
        "Model and person": [(f"Model – {names[person]}", None, person) for person in people],
        "Person and person": [
            (f"{names[person]} – {names[other]}", person, other)
            for person, other in combinations(people, 2)
        ],
    }
    rows = {
        title: tuple(
            Row(
                Cell(label),
                {
                    metric.value: _cell(
                        agreement(result.columns, [pair_sums(result.columns, first, second)])
                    )
                    for metric, result in judged.items()
                },
            )
            for label, first, second in pairs
        )
        for title, pairs in groups.items()
    }
    return Table(
        "pairs", "Agreement with each person", "Pair", _metric_columns(judged, 2),
        tuple(RowGroup(title, pairs) for title, pairs in rows.items()),
        ("Krippendorff's alpha of two raters over the events that both answered; 95% intervals over"
         " takes.",),
    )  # fmt: skip


def _calibration(
    judged: Mapping[Metric, Judged], fitted: Mapping[Metric, MetricColumns], epsilon: float
) -> Table:
    columns = (
        Column("units", "Events fitted on"),
        Column("before", "Alpha as answered", 3),
        Column("after", "Alpha calibrated", 3),
        Column("error_before", "Mean error as answered", 3),
        Column("error_after", "Mean error calibrated", 3),
        Column("verdict", "Verdict calibrated"),
    )
    rows = []
    for metric, result in judged.items():
        cells = {"before": _cell(result.with_model), "error_before": Cell(_error(result.columns))}
        if metric in fitted:
            calibration = calibrate(fitted[metric], result.columns)
            cells["units"] = Cell(calibration.units)
            if calibration.reason:
                cells["after"] = Cell(None, notes=(calibration.reason,))
            else:
                again = judge(replace(result.columns, model=calibration.values), epsilon)
                cells |= {
                    "after": _cell(again.with_model),
                    "error_after": Cell(_error(again.columns)),
                    "verdict": Cell(again.verdict.value),
                }
        else:
            cells["after"] = Cell(None, notes=("no event lies in the calibration part",))
        rows.append(Row(Cell(_title(result)), cells))
    return Table(
        "calibration", "Calibrated on other takes", "Metric", columns, (RowGroup("", tuple(rows)),),
        ("Fitted to people's mean answers on the calibration part, reported on the test part. The"
         " mean error is the distance from people's mean, in points of the scale.",),
    )  # fmt: skip


def _bias(tested: Mapping[Metric, MetricColumns], model: str) -> Table:
    ordered = {
        metric: columns
        for metric, columns in tested.items()
        if columns.definition.scale is not Scale.TAXONOMY
    }
    groups = [RowGroup("", (_bias_row("All events", ordered, "", "", model),))]
    for name in (*BREAKDOWNS, "family"):
        values = sorted(
            {_group(group, name, model) for columns in ordered.values() for group in columns.groups}
            - {""}
        )
        rows = tuple(_bias_row(value, ordered, name, value, model) for value in values)
        title = "Generator, by family" if name == "family" else name.capitalize()
        groups.append(RowGroup(title, rows))
    return Table(
        "bias", "Bias: the model less people's mean", "Events", _metric_columns(ordered, 2),
        tuple(groups),
        ("In points of a 1-5 scale; of yes/no in shares (+1: the model says yes, nobody else does)."
         " 95% intervals over takes.",),
    )  # fmt: skip


def _bias_row(
    label: str, tested: Mapping[Metric, MetricColumns], name: str, value: str, model: str
) -> Row:
    cells = {}
    for metric, columns in tested.items():
        rows = np.array([not name or _group(one, name, model) == value for one in columns.groups])
        differences = (columns.model - columns.mean_of_people)[rows]
        if np.isnan(differences).all():
            cells[metric.value] = Cell(None, notes=("no event has both answers",))
            continue
        _, takes = np.unique(columns.takes[rows], return_inverse=True)
        mean = mean_over_traces(differences, takes.astype(np.int64))
        notes = _noted(mean.reason.replace("three traces", "three takes"))
        cells[metric.value] = Cell(mean.value, mean.low, mean.high, notes)
    return Row(Cell(label), cells)


def _group(groups: Mapping[str, str], name: str, model: str) -> str:
    if name != "family":
        return groups.get(name, "")
    family, generator = family_of(model), groups.get("generator", "")
    if not family or not generator:
        return ""
    return OWN_FAMILY if family in generator.casefold() else OTHER_FAMILY


def _confusions(tested: Mapping[Metric, MetricColumns]) -> Iterator[Table]:
    """What people answered where the model gave an answer, metric by metric."""
    for metric, columns in tested.items():
        shown = [columns.definition.shown(value) for value in columns.definition.values]
        counts = np.zeros((len(shown), len(shown)), dtype=np.int64)
        for person in columns.people.T:
            both = ~np.isnan(person) & ~np.isnan(columns.model)
            places = columns.model[both].astype(np.int64), person[both].astype(np.int64)
            np.add.at(counts, places, 1)
        rows = tuple(
            Row(Cell(answer), {str(at): Cell(int(count)) for at, count in enumerate(line)})
            for answer, line in zip(shown, counts, strict=True)
        )
        heads = tuple(
            Column(str(at), value, group="A person says") for at, value in enumerate(shown)
        )
        title = f"Confusion: {columns.definition.title}"
        yield Table(f"confusion_{metric.value}", title, "The model", heads, (RowGroup("", rows),))


def _repeatability(tested: Mapping[Metric, MetricColumns]) -> Table:
    columns = (
        Column("repeats", "Repeats"),
        Column("same", "Answered alike every time", 3),
        Column("spread", "Mean spread (points)", 3),
        Column("events", "Events"),
    )
    rows = []
    for metric in tested.values():
        repeats = metric.repeats[(~np.isnan(metric.repeats)).sum(axis=1) >= 2]
        cells = {"repeats": Cell(metric.repeats.shape[1]), "events": Cell(len(repeats))}
        if len(repeats):
            spread = np.nanstd(repeats, axis=1)
            cells["same"] = Cell(float((spread == 0).mean()))
            if metric.definition.scale is not Scale.TAXONOMY:
                cells["spread"] = Cell(float(spread.mean()))
        else:
            cells["same"] = Cell(None, notes=("no event was answered twice",))
        rows.append(Row(Cell(metric.definition.title), cells))
    return Table(
        "repeats", "Repeatability", "Metric", columns, (RowGroup("", tuple(rows)),),
        ("Of the test part: the same question, asked again.",),
    )  # fmt: skip


def _metric_columns(tested: Mapping[Metric, Any], decimals: int) -> tuple[Column, ...]:
    table_columns = []
    for metric, result in tested.items():
        columns = result.columns if isinstance(result, Judged) else result
        table_columns.append(Column(metric.value, columns.definition.title, decimals))
    return tuple(table_columns)


def _error(columns: MetricColumns) -> float | None:
    if columns.definition.scale is Scale.TAXONOMY:
        return None
    apart = np.abs(columns.model - columns.mean_of_people)
    errors = apart[~np.isnan(apart)]
    mean = float(errors.mean()) if len(errors) else math.nan
    return None if math.isnan(mean) else mean


def _gold(columns: MetricColumns) -> Cell:
    accepted = columns.accepted[~np.isnan(columns.accepted)]
    if not len(accepted):
        return Cell(None)
    return Cell(float(accepted.mean()), notes=(f"{len(accepted)} events with gold",))


def _title(judged: Judged) -> str:
    return judged.columns.definition.title


def _cell(mean: Agreement) -> Cell:
    reason = mean.interval.reason.replace("traces", "takes") if mean.interval.low is None else ""
    return Cell(mean.value, mean.interval.low, mean.interval.high, _noted(reason))


def _noted(reason: str) -> tuple[str, ...]:
    return (reason,) if reason else ()
