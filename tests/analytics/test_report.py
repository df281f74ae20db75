import csv
import io
import json

import krippendorff
import numpy as np
import pytest

from annotation.analytics.agreement import NO_VARIATION
from annotation.analytics.metric_ratings import MetricRatings
from annotation.analytics.report import CSV_COLUMNS, build_report, report_csv_rows
from annotation.engine.csv_cells import restore_cell
from annotation.engine.rubric import Metric

ISSUE_KEYS = {
    "dataset",
    "metric",
    "level",
    "alpha",
    "units",
    "raters",
    "ratings",
    "missing",
    "aggregate",
    "reason",
}


def make_ratings(metric, counts, *, dataset="EgoOops", expected=3, clusters=None, **changes):
    counts = np.array(counts, dtype=np.int64)
    return MetricRatings(
        dataset=dataset,
        metric=metric,
        counts=counts,
        expected=np.full(len(counts), expected),
        clusters=np.arange(len(counts)) // 2 if clusters is None else clusters,
        rater_count=3,
        **changes,
    )


def random_counts(seed, values=5):
    rng = np.random.default_rng(seed)
    return rng.multinomial(3, np.full(values, 1 / values), size=40)


def test_report_row_carries_alpha_aggregate_and_every_n():
    counts = [[0, 0, 0, 0, 3], [1, 1, 0, 0, 0], [0, 0, 0, 1, 0], [0, 2, 1, 0, 0]]
    ratings = make_ratings(Metric.CONFUSABILITY, counts, implied_count=2)

    (row,) = build_report([ratings])

    peer = krippendorff.alpha(value_counts=np.array(counts), level_of_measurement="ordinal")
    expected = {
        "dataset": "EgoOops",
        "metric": "confusability",
        "level": "ordinal",
        "alpha": pytest.approx(peer, abs=1e-12),
        "alpha_low": row.interval.low,
        "alpha_high": row.interval.high,
        "units": 4,
        "paired_units": 3,
        "raters": 3,
        "ratings": 9,
        "missing": 3,
        "implied": 2,
        "left_out": 0,
        "aggregate": pytest.approx(29 / 9),
        "aggregate_kind": "mean",
        "aggregate_label": "",
        "aggregate_text": "3.22",
        "aggregate_event_mean": pytest.approx((5 + 1.5 + 4 + 7 / 3) / 4),
        "reason": "",
        "interval_reason": "",
        "unjudged": 0,
    }
    assert row.to_dict() == expected
    assert row.interval.low <= row.alpha <= row.interval.high


def test_report_json_has_the_documented_keys_and_round_trips():
    rows = build_report([make_ratings(Metric.TAXONOMY_FIT, random_counts(1, values=6))])

    exported = json.loads(json.dumps([row.to_dict() for row in rows], allow_nan=False))

    assert exported == [row.to_dict() for row in rows]
    assert set(exported[0]) >= ISSUE_KEYS


@pytest.mark.parametrize(
    ("metric", "counts", "reason"),
    [
        (Metric.ERROR_VALIDITY, [[0, 3], [0, 3]], NO_VARIATION),
        (Metric.ERROR_VALIDITY, [[0, 1], [1, 0]], "no event has two raters yet"),
        (Metric.ERROR_VALIDITY, [[0, 0]], "no ratings"),
        (Metric.ERROR_VALIDITY, np.zeros((0, 2)), "there is no event to rate"),
        (Metric.VIDEO_PLAUSIBILITY, np.zeros((0, 5)), "no event has a video"),
        (Metric.TEXT_VIDEO_GROUNDING, np.zeros((0, 5)), "no trace has a video"),
    ],
)
def test_report_says_why_there_is_no_alpha(metric, counts, reason):
    (row,) = build_report([make_ratings(metric, counts)])

    assert (row.alpha, row.interval.low, row.reason) == (None, None, reason)
    json.dumps(row.to_dict(), allow_nan=False)


def test_report_says_why_there_is_no_procedure_logic_score():
    ratings = make_ratings(
        Metric.PROCEDURE_LOGIC,
        [[3, 0], [1, 2]],
        logic_tallies=np.zeros((2, 2, 3), dtype=np.int64),
    )

    (row,) = build_report([ratings])

    assert row.alpha is not None
    assert (row.aggregate, row.left_out) == (None, 6)
    assert row.reason == "no answer on Procedure Logic has a confidence"


def test_report_of_one_trace_has_alpha_without_an_interval():
    counts = random_counts(1)

    (row,) = build_report([make_ratings(Metric.CONFUSABILITY, counts, clusters=np.zeros(40, int))])

    assert row.alpha is not None
    assert (row.interval.low, row.reason) == (None, "")
    assert row.interval.reason == "an interval needs ratings of at least two traces"


def test_report_row_does_not_change_with_its_company():
    one = make_ratings(Metric.CONFUSABILITY, random_counts(1))
    two = make_ratings(Metric.HUMAN_PLAUSIBILITY, random_counts(2))

    assert build_report([one, two], seed=3) == build_report([two, one], seed=3)[::-1]
    assert build_report([one], seed=3) != build_report([one], seed=4)


def test_report_draws_each_row_from_a_generator_of_its_own():
    rows = build_report(
        make_ratings(Metric.CONFUSABILITY, random_counts(1), dataset=dataset)
        for dataset in ("EgoOops", "EgoPER")
    )

    assert rows[0].alpha == rows[1].alpha
    assert rows[0].interval != rows[1].interval


def test_report_without_resamples_has_no_intervals():
    (row,) = build_report([make_ratings(Metric.CONFUSABILITY, random_counts(1))], resamples=0)

    assert (row.interval.low, row.interval.reason) == (None, "not asked for")


def test_csv_columns_are_the_keys_of_the_json():
    (row,) = build_report([make_ratings(Metric.CONFUSABILITY, random_counts(1))])

    assert tuple(row.to_dict()) == CSV_COLUMNS


def test_csv_of_the_report_starts_no_formula_and_keeps_exact_numbers():
    name = '=HYPERLINK("http://x")'
    counts = [[1, 1], [1, 1], [2, 0]]
    (row,) = build_report([make_ratings(Metric.ERROR_VALIDITY, counts, dataset=name)])
    stream = io.StringIO(newline="")

    csv.writer(stream).writerows(report_csv_rows([row]))

    (line,) = csv.DictReader(io.StringIO(stream.getvalue(), newline=""))
    assert line["dataset"] == "'" + name
    assert restore_cell(line["dataset"]) == name
    assert row.alpha < 0
    assert float(line["alpha"]) == row.alpha
    assert line["reason"] == ""


def test_csv_of_an_empty_report_is_its_header():
    assert list(report_csv_rows([])) == [list(CSV_COLUMNS)]
