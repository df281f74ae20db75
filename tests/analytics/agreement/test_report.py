import csv
import json
from dataclasses import asdict, fields, replace

import krippendorff
import numpy as np
import pytest

from annotation.analytics.agreement.agreement import NO_VARIATION
from annotation.analytics.agreement.answers import Answers
from annotation.analytics.agreement.coefficients import Coefficients, coefficients
from annotation.analytics.agreement.metric_ratings import Basis, MetricRatings
from annotation.analytics.agreement.procedure_logic import logic_agreement
from annotation.analytics.agreement.report import COLUMNS, ReportRow, build_report, report_csv_rows
from annotation.engine.csv_cells import csv_lines, restore_cell
from annotation.engine.rubric.rubric import Metric, current_rubric
from annotation.engine.stored import from_stored

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
    """Ratings with these value counts, (N, V): the first raters gave the lowest values.

    `confidences` are as many as there are ratings, `is_implied` likewise.
    """
    counts = np.array(counts, dtype=np.int64)
    units, values = np.repeat(np.argwhere(counts >= 0), counts.ravel(), axis=0).T
    raters = np.arange(len(units)) - np.searchsorted(units, units)
    shape = (len(counts), int(counts.sum(axis=1).max(initial=0)), counts.shape[1])
    nothing = np.zeros(len(units), dtype=np.int8)
    fields = {
        "dataset": dataset,
        "definition": current_rubric().definition(metric),
        "answers": Answers.of(units, raters, values, shape=shape),
        "confidences": nothing,
        "is_implied": nothing.astype(bool),
        "expected": np.full(len(counts), expected),
        "clusters": np.arange(len(counts)) // 2 if clusters is None else clusters,
        "keys": np.arange(len(counts)),
        "unjudged": np.zeros(len(counts), dtype=np.int64),
        "is_correction": np.zeros(len(counts), dtype=bool),
        "takes": tuple(f"take {number}" for number in range(len(counts))),
    }
    return MetricRatings(**(fields | changes))


def random_counts(seed, values=5):
    rng = np.random.default_rng(seed)
    return rng.multinomial(3, np.full(values, 1 / values), size=40)


def test_report_row_carries_alpha_aggregate_and_every_n():
    counts = [[0, 0, 0, 0, 3], [1, 1, 0, 0, 0], [0, 0, 0, 1, 0], [0, 2, 1, 0, 0]]
    is_implied = np.array([True, True] + [False] * 7)
    basis = Basis(campaign="Main", rounds=(2,), phase="main", guidelines=("3",), rubric="v1")
    ratings = make_ratings(Metric.CONFUSABILITY, counts, is_implied=is_implied, basis=basis)

    (row,) = build_report([ratings], seed=5)

    def alpha(level, table=counts):
        return krippendorff.alpha(value_counts=np.array(table), level_of_measurement=level)

    typed = [[0, 0, 0, 0, 1], *counts[1:]]
    # The first rater gave 5, 1, 4 and 2, the second 5, 2 and 2, the third 5 and 3.
    without_each = [
        alpha("ordinal", [[0, 0, 0, 0, 2], [0, 1, 0, 0, 0], [0, 0, 0, 0, 0], [0, 1, 1, 0, 0]]),
        alpha("ordinal", [[0, 0, 0, 0, 2], [1, 0, 0, 0, 0], [0, 0, 0, 1, 0], [0, 1, 1, 0, 0]]),
        alpha("ordinal", [[0, 0, 0, 0, 2], [1, 1, 0, 0, 0], [0, 0, 0, 1, 0], [0, 2, 0, 0, 0]]),
    ]
    cells = row.to_dict()
    assert list(cells) == list(COLUMNS)
    computed = {item.name for item in fields(Coefficients)} | {
        name
        for name in COLUMNS
        if name.startswith(("logic_", "percentile_", "mistakes_", "corrections_"))
    }
    assert {name: cell for name, cell in cells.items() if name not in computed} == {
        "dataset": "EgoOops",
        "metric": "confusability",
        "level": "ordinal",
        "alpha": alpha("ordinal"),
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
        "interval_reason": row.interval.reason,
        "unjudged": 0,
        "is_exploratory": False,
        "planned": 12,
        "coverage": 0.75,
        "is_incomplete": False,
        "step_words": "",
        "campaign": "Main",
        "round": 2,
        "phase": "main",
        "guideline_version": "3",
        "rubric_version": "v1",
        "is_pooled": False,
        "basis": "round 2 (main), guideline 3",
        # Of two traces a t interval goes beyond what alpha can be.
        "interval_method": "none",
        "clusters": 2,
        "cluster_unit": "trace",
        "resamples": 3,
        "undefined_share": 0.0,
        "standard_error": row.interval.standard_error,
        "coefficient": "AC2",
        "coefficient_value": row.coefficients.ac2_quadratic,
        "kappa": row.coefficients.mean_kappa_quadratic,
        "alpha_nominal": alpha("nominal"),
        "alpha_ordinal": alpha("ordinal"),
        "alpha_interval": alpha("interval"),
        "alpha_without_implied": alpha("ordinal", typed),
        "lowest_without_one_rater": pytest.approx(min(without_each)),
        "highest_without_one_rater": pytest.approx(max(without_each)),
        "prevalence": pytest.approx(3 / 9),
        "commonest_value": "2",
        "ratings_per_unit": pytest.approx(9 / 4),
        "note": "",
        "seed": 5,
        "ratings_hash": ratings.hash,
    }
    assert row.coefficients == coefficients(ratings.answers, is_ordered=True)
    assert from_stored(ReportRow, json.loads(json.dumps(asdict(row)))) == row


def test_mistakes_and_corrections_are_apart_from_the_whole():
    # Of 2 answers to each of 2 mistakes all agree; of 2 to each of 2 corrections none. With n
    # answers, half of them yes, alpha is 1 - (n - 1) * (units of two minds) / (n / 2)^2.
    counts = [[2, 0], [1, 1], [0, 2], [1, 1], [1, 0]]
    is_correction = np.array([False, True, False, True, True])
    ratings = make_ratings(
        Metric.ERROR_VALIDITY, counts, clusters=np.arange(5), is_correction=is_correction
    )

    (row,) = build_report([ratings])

    cells = row.to_dict()
    assert row.alpha == pytest.approx(1 - 7 * 2 / 16)
    assert cells["alpha"] == row.alpha
    assert cells["mistakes_alpha"] == pytest.approx(1)
    assert cells["corrections_alpha"] == pytest.approx(1 - 3 * 2 / 4)
    assert [cells[f"mistakes_{name}"] for name in ("units", "paired_units", "ratings")] == [2, 2, 4]
    assert [cells[f"corrections_{name}"] for name in ("units", "paired_units", "ratings")] == [
        3, 2, 5,
    ]  # fmt: skip
    assert list(row.kinds) == ["of mistakes", "of corrections"]
    assert from_stored(ReportRow, json.loads(json.dumps(asdict(row)))) == row


def test_intervals_of_one_kind_are_those_of_a_data_set_that_has_only_it():
    counts = random_counts(1)
    is_correction = np.arange(40) % 4 > 1
    both = make_ratings(Metric.CONFUSABILITY, counts, is_correction=is_correction)
    clusters = both.clusters[~is_correction]
    alone = make_ratings(Metric.CONFUSABILITY, counts[~is_correction], clusters=clusters)

    (row,), (own,) = build_report([both]), build_report([alone])

    assert row.of_mistakes.alpha == own.alpha != row.alpha
    assert row.of_mistakes.interval == own.interval == own.of_mistakes.interval
    # A data set without corrections says so, and is not shown twice.
    assert own.of_corrections.reason == "there is no correction to rate"
    assert own.kinds == {}


def test_whole_traces_have_neither_mistakes_nor_corrections():
    (row,) = build_report([make_ratings(Metric.TEXT_VIDEO_GROUNDING, random_counts(1))])

    assert (row.of_mistakes, row.of_corrections, row.kinds) == (None, None, {})
    assert row.to_dict()["mistakes_alpha"] is None


def test_kind_without_two_raters_says_so_of_its_kind():
    ratings = make_ratings(
        Metric.ERROR_VALIDITY, [[2, 0], [0, 2], [1, 0]], is_correction=np.array([0, 0, 1]) > 0
    )

    (row,) = build_report([ratings], resamples=0)

    assert (row.of_corrections.alpha, row.of_corrections.reason) == (
        None, "no correction has two raters yet",
    )  # fmt: skip


def test_high_agreement_with_low_alpha_is_explained_with_its_prevalence():
    # Gwet (2002): 118 both yes, 5 and 2 of one only, nobody both no.
    counts = [[0, 2]] * 118 + [[1, 1]] * 7

    (row,) = build_report([make_ratings(Metric.ERROR_VALIDITY, counts)], resamples=0)

    assert row.alpha < 0
    assert row.beside.note == (
        "94% of the pairs agree, and alpha is low all the same: 97% of the answers are “Yes”, so "
        "that so much agreement would come about by chance. AC1, which such shares move less, is "
        "0.94."
    )


def test_report_says_where_the_package_differs(monkeypatch):
    monkeypatch.setattr(krippendorff, "alpha", lambda **_: 0.5)

    (row,) = build_report([make_ratings(Metric.ERROR_VALIDITY, [[2, 0], [0, 2]])], resamples=0)

    assert row.alpha == 0.5
    assert row.beside.note == (
        "The krippendorff package and our own count differ by 5.0e-01: please report this."
    )


def test_procedure_logic_has_the_composite_with_its_parts():
    confidences = np.array([3, 2, 1, 1, 3, 1, 2, 3], dtype=np.int8)
    counts = [[0, 2], [2, 0], [1, 1], [0, 2]]
    ratings = make_ratings(Metric.PROCEDURE_LOGIC, counts, confidences=confidences)

    (row,) = build_report([ratings], resamples=0)

    cells = row.to_dict()
    assert row.logic == logic_agreement(ratings.counts, ratings.logic_tallies)
    assert cells["logic_composite"] == row.logic.composite
    assert cells["logic_polarity"] == row.alpha
    assert (cells["logic_n_yes"], cells["logic_n_no"]) == (5, 3)


def test_rows_of_known_ratings_are_not_computed_again():
    one = make_ratings(Metric.CONFUSABILITY, random_counts(1))
    two = make_ratings(Metric.CONFUSABILITY, random_counts(2))
    (first,) = build_report([one])
    known = replace(first, alpha=0.123)

    rows = build_report([one, two], rows_by_hash={first.ratings_hash: known})

    assert rows[0] is known
    assert rows[1].ratings_hash == two.hash


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
    ratings = make_ratings(Metric.PROCEDURE_LOGIC, [[3, 0], [1, 2]])

    (row,) = build_report([ratings])

    assert row.alpha is not None
    assert (row.aggregate, row.left_out) == (None, 6)
    assert row.reason == "no answer on Procedure Logic has a confidence"


def test_report_of_one_trace_has_alpha_without_an_interval():
    counts = random_counts(1)

    (row,) = build_report([make_ratings(Metric.CONFUSABILITY, counts, clusters=np.zeros(40, int))])

    assert row.alpha is not None
    assert (row.interval.low, row.reason) == (None, "")
    assert row.interval.reason == (
        "an interval needs ratings of two traces at least; those of one take count as one"
    )


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


def test_csv_of_the_report_starts_no_formula_and_keeps_exact_numbers():
    name = '=HYPERLINK("http://x")'
    counts = [[1, 1], [1, 1], [2, 0]]
    (row,) = build_report([make_ratings(Metric.ERROR_VALIDITY, counts, dataset=name)])

    (line,) = csv.DictReader(csv_lines(report_csv_rows([row])))

    assert line["dataset"] == "'" + name
    assert restore_cell(line["dataset"]) == name
    assert row.alpha < 0
    assert float(line["alpha"]) == row.alpha
    assert line["reason"] == ""


def test_csv_of_an_empty_report_is_its_header():
    assert list(report_csv_rows([])) == [list(COLUMNS)]


def test_what_raters_saw_is_noted_without_the_name_that_pages_print_before_it():
    ratings = make_ratings(Metric.TAXONOMY_FIT, np.array([[1, 1, 0, 0, 0, 0]] * 4))
    asked = replace(ratings, basis=replace(ratings.basis, step_words=("arrows",)))

    (row,) = build_report([asked])

    assert row.beside.note.startswith("Raters saw empty cells and arrows for changed steps.")
