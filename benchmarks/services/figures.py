"""Compute and store figures."""

import json
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from typing import Any

import numpy as np
from django.db import connection
from django.utils import timezone

from annotation.services.records.jobs import Claim, Progress
from benchmarks.engine import task as engine
from benchmarks.engine.mixing import MEANS
from benchmarks.engine.scoring import mean_tally, score, values_of
from benchmarks.engine.task import AnswerStatus
from benchmarks.models import Answer, Assessment, Figure
from benchmarks.selectors.assessments import (
    AnswerSheet,
    repeats_of,
    status_counts,
    tallies_of,
    usage_so_far,
)
from benchmarks.selectors.item_sets import task_of
from benchmarks.selectors.stored_items import Chosen
from benchmarks.services.batches import delete_rows, in_batches, insert_rows

# Breakdowns with more values than this are left out: nobody would read them.
MOST_GROUP_VALUES = 40


def figures_of_answers(assessment: Assessment, sheet: AnswerSheet) -> list[Figure]:
    """The figures of an assessment over all items and every group, not stored yet.

    The mean of folds is one more value of that breakdown, as is that of data sets.
    """
    [figures] = figures_of_each([assessment], [sheet.answers], sheet.items, lambda *_: None)
    return figures


def figures_of_each(
    assessments: Sequence[Assessment],
    answers: Sequence[Sequence[engine.Answered]],
    items: Sequence[engine.Item],
    report: Progress,
) -> list[list[Figure]]:
    """`figures_of_answers` of several assessments of one set, each with its answers to the items.

    Items of a large set are put together once, not for each of them and every group.
    """
    items = list(items)
    task = task_of(assessments[0].item_set)
    sheets = [AnswerSheet(items, own) for own in answers]
    of_all = [
        _figures(one, tallies_of(one, task, sheet), len(items))
        for one, sheet in zip(assessments, sheets, strict=True)
    ]
    rows = [list(figures) for figures in of_all]
    averaged: list[dict[str, list[list[engine.Tally]]]] = [defaultdict(list) for _ in assessments]
    groups = _places_of_groups(items)
    value_counts = Counter(name for name, _ in groups)
    for done_count, ((name, value), chosen) in enumerate(sorted(groups.items()), start=1):
        part = [items[place] for place in chosen] if len(chosen) < len(items) else items
        for number, assessment in enumerate(assessments):
            if part is items:
                # All items have this value: the figures are those over all items.
                rows[number] += [_of_group(row, name, value) for row in of_all[number]]
            elif value_counts[name] <= MOST_GROUP_VALUES:
                sheet = AnswerSheet(part, Chosen(answers[number], chosen))
                tallies = tallies_of(assessment, task, sheet)
                rows[number] += _figures(assessment, tallies, len(part), name, value)
                if name in MEANS:
                    averaged[number][name].append(tallies)
        report(done_count, len(groups))
    for number, by_breakdown in enumerate(averaged):
        for name, each in by_breakdown.items():
            of_seeds = [mean_tally(of_seed) for of_seed in zip(*each, strict=True)]
            rows[number] += _figures(assessments[number], of_seeds, len(items), name, MEANS[name])
    return rows


def _places_of_groups(items: Sequence[engine.Item]) -> dict[tuple[str, str], "array[int]"]:
    """The places of the items of each value of each breakdown."""
    places: dict[tuple[str, str], array[int]] = defaultdict(lambda: array("q"))
    for place, item in enumerate(items):
        for name, value in item.groups.items():
            places[name, str(value)].append(place)
    return places


def _of_group(figure: Figure, group: str, value: str) -> Figure:
    copied = copy(figure)
    copied.group, copied.group_value = group, value[:200]
    return copied


def _figures(
    assessment: Assessment,
    tallies: Sequence[engine.Tally],
    row_count: int,
    group: str = "",
    value: str = "",
) -> list[Figure]:
    """The figures of the mean of these tallies, which are over so many items, repeats and all."""
    tally = mean_tally(tallies)
    measures = task_of(assessment.item_set).measures
    scores = score(tally, measures)
    each = [values_of(tally) for tally in tallies]
    item_count = row_count // repeats_of(assessment)
    return [
        Figure(
            assessment=assessment,
            measure=measure.key,
            group=group,
            group_value=value[:200],
            value=scored.value,
            low=scored.interval.low,
            high=scored.interval.high,
            spread=_spread_of([values[measure.key] for values in each]),
            reason=scored.interval.reason,
            method=str(scored.interval.method),
            item_count=item_count,
            recording_count=len(tally.recordings),
        )
        for measure in measures
        if (scored := scores.get(measure.key))
    ]


def _spread_of(values: Sequence[float]) -> float | None:
    """The standard deviation over seeds; None for one seed, and where one is undefined."""
    if len(values) < 2 or np.isnan(values).any():
        return None
    return float(np.std(values, ddof=1))


def store_figures(assessment: Assessment, figures: Sequence[Figure]) -> None:
    """Replace the figures of an assessment and make its answers final; needs a transaction."""
    Figure.objects.filter(assessment=assessment).delete()
    Figure.objects.bulk_create(figures)
    assessment.counts = status_counts(assessment)
    assessment.usage = usage_so_far(assessment)
    assessment.frozen_at = timezone.now()
    assessment.save(update_fields=["counts", "usage", "frozen_at"])


def answered(value: engine.Value | None) -> engine.Answered:
    """An answer to score before it is stored; None is a missing one."""
    if value is None:
        return engine.MISSING
    # No dictionary of its own for each: there may be a million.
    return engine.Answered(AnswerStatus.READ, value, engine.MISSING.judged)


# Plain SQL: a hundred thousand rows take the ORM many seconds.
ANSWER_SQL = """
INSERT INTO benchmarks_answer
  (assessment_id, item_id, repeat, status, raw, value, reason, saw, judged, state, answered_at)
VALUES (%s, %s, 0, %s, '', %s, '', '{}', '{}', '{}', %s)
"""


def write_answers(claim: Claim, assessment: Assessment, values: Mapping[int, engine.Value]) -> None:
    """Store answers by the row ids of their items, in batches between which others write."""
    written = ((pk, json.dumps(value)) for pk, value in values.items())
    for batch in in_batches(answer_rows(assessment, written)):
        insert_rows(claim, ANSWER_SQL, batch)


def delete_answers(assessment: Assessment, claim: Claim | None = None) -> None:
    """Delete the answers of an assessment, in batches between which others write."""
    delete_rows(claim, Answer.objects.filter(assessment=assessment))


def answer_rows(
    assessment: Assessment, written: Iterable[tuple[int, str]]
) -> Iterator[tuple[Any, ...]]:
    """The rows for `ANSWER_SQL` of answers that were read, as JSON by the items' row ids."""
    now = connection.ops.adapt_datetimefield_value(timezone.now())
    status = str(AnswerStatus.READ)
    for pk, value in written:
        yield assessment.pk, pk, status, value, now
