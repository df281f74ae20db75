"""Figures of raters gathered: side by side with and without somebody, and as a table."""

import numpy as np
import pytest

from annotation.analytics.agreement.agreement import krippendorff_alpha
from annotation.analytics.raters.rater_report import (
    CSV_COLUMNS,
    rater_csv_rows,
    rater_figures,
    with_everybody_and_accepted,
)
from annotation.engine.rubric.rubric import Metric
from bench.planted_raters import Kind, made_up_audit


@pytest.fixture(scope="module")
def audit():
    kinds = [Kind.HONEST, Kind.RANDOM, Kind.HONEST, Kind.HONEST]
    return made_up_audit(kinds, rng=np.random.default_rng(3), traces=30)


def of_metric(audit, metric):
    return next(item for item in audit.answers if item.metric is metric)


def test_accepted_side_is_alpha_of_their_answers_alone(audit):
    given = of_metric(audit, Metric.HUMAN_PLAUSIBILITY)
    unit_datasets = (np.arange(150) >= 75).astype(int)

    rows = with_everybody_and_accepted(
        given,
        is_accepted=np.array([True, False, True, True]),
        datasets=["Salad", "Tea"],
        unit_datasets=unit_datasets,
        seed=0,
    )

    assert [(row.dataset, row.everybody.raters, row.accepted.raters) for row in rows] == [
        ("Salad", 4, 3),
        ("Tea", 4, 3),
    ]
    for place, row in enumerate(rows):
        for side, kept in ((row.everybody, given.raters >= 0), (row.accepted, given.raters != 1)):
            chosen = kept & (unit_datasets[given.units] == place)
            counts = np.zeros((150, 5), dtype=int)
            np.add.at(counts, (given.units[chosen], given.values[chosen]), 1)
            alpha = krippendorff_alpha(counts, given.definition.level).value
            assert side.alpha == pytest.approx(alpha, abs=1e-9)
            assert side.low < alpha < side.high
        assert row.accepted.alpha > row.everybody.alpha


def test_figures_name_everybody(audit):
    figures = rater_figures(audit.answers, audit.evidence)

    assert [item.name for item in figures] == [f"rater {number}" for number in range(4)]
    assert {len(item.metrics) for item in figures} == {9}
    assert sum(item.answers for item in figures) == sum(len(item.raters) for item in audit.answers)
    assert figures[0].self_agreement == pytest.approx(sum(audit.evidence[0].repeats) / 40)


def test_table_has_a_row_per_rater_and_metric(audit):
    header, *rows = rater_csv_rows(rater_figures(audit.answers, audit.evidence))

    assert tuple(header) == CSV_COLUMNS
    assert len(rows) == 4 * 9
    assert {len(row) for row in rows} == {len(header)}
    labels = next(row for row in rows if row[1] == "taxonomy_fit")
    assert labels[header.index("bias")] is None
    assert float(labels[header.index("correlation_with_others")]) > 0.3
