"""Worked cases of Plan, Watch, Recover, and what they do not have."""

import json
import math

import numpy as np
import pytest

from annotation.analytics.cases.worked_cases import mismatches
from benchmarks.engine.guiding.decisions import literal_reading, read_decision
from benchmarks.engine.measures.guidance import GradeFaultError, parse_grades
from benchmarks.engine.measures.guiding import (
    GUIDING_MEASURES,
    WIDTH,
    Departure,
    Points,
    guiding_figures,
    mean_over_datasets,
    quality,
)
from benchmarks.engine.measures.pwr_cases import FAMILY


@pytest.mark.shared_data
def test_every_case_is_reproduced(shared_data):
    content = json.loads((shared_data / "pwr/EXPECTED_metrics.json").read_text())
    cases = [{"tolerance": content["tolerance"], **case} for case in content["cases"]]

    found = [mismatch for case in cases for mismatch in mismatches(FAMILY, case)]

    assert found == []
    assert (len(cases), {case["kind"] for case in cases}) == (78, FAMILY.kinds.keys())


def points(rows):
    """Points from (should, said, departure, grades)."""
    should, said, departures, grades = zip(*rows, strict=True)
    return Points(
        np.array(should, dtype=float),
        np.array(said, dtype=float),
        np.array(departures, dtype=np.int64),
        np.zeros(len(rows), dtype=bool),
        np.array(grades, dtype=float).reshape(-1, 4),
    )


NO_GRADES = [math.nan] * 4


def figures_of(rows, places=None):
    sums = points(rows).sums(np.zeros(len(rows), dtype=np.int64) if places is None else places, 1)
    assert sums.shape == (1, WIDTH)
    with np.errstate(divide="ignore", invalid="ignore"):
        return {key: float(figure(sums)[0]) for key, figure in guiding_figures().items()}


def test_every_measure_has_a_figure_and_every_figure_a_measure():
    assert {measure.key for measure in GUIDING_MEASURES} == guiding_figures().keys()


def test_what_was_not_read_is_worth_nothing_and_only_of_all():
    # Three points: right silence, a right interrupt graded 5, and a deviation without an answer.
    rows = [
        (0, 0, Departure.NONE, NO_GRADES),
        (1, 1, Departure.MISTAKE, [5] * 4),
        (1, math.nan, Departure.MISTAKE, NO_GRADES),
    ]

    found = figures_of(rows)

    assert found["pqs"] == 1.0
    assert found["pqs_of_all"] == pytest.approx(2 / 3)
    assert (found["detected_deviations"], found["detected_deviations_of_all"]) == (1.0, 0.5)
    assert (found["recovery"], found["recovery_with_misses"]) == (5.0, 1.0)
    assert found["recovery_with_misses_of_all"] == 0.5
    assert found["accuracy_of_all"] == pytest.approx(2 / 3)
    assert math.isnan(found["recovery_of_fixes"])


def test_a_hit_without_a_grade_leaves_bounds_and_no_value():
    rows = [(1, 1, Departure.FIX, NO_GRADES), (1, 1, Departure.FIX, [3] * 4)]

    found = figures_of(rows)

    assert math.isnan(found["pqs"])
    assert (found["pqs_low"], found["pqs_high"]) == (0.25, 0.75)
    assert math.isnan(found["recovery_with_misses"])
    assert found["content"] == 0.5


def test_a_grade_of_a_wrong_interrupt_counts_nowhere():
    rows = [(0, 1, Departure.NONE, [5] * 4), (1, 0, Departure.NONE, [5] * 4)]

    sums = points(rows).sums(np.zeros(2, dtype=np.int64), 1)

    assert quality(sums).low[0] == 0.0
    assert math.isnan(figures_of(rows)["content"])


def test_pqs_is_never_above_accuracy():
    rng = np.random.default_rng(3)
    for _ in range(200):
        count = int(rng.integers(1, 30))
        rows = [
            (
                int(rng.integers(2)),
                int(rng.integers(2)),
                int(rng.integers(4)),
                rng.integers(1, 6, 4).tolist(),
            )
            for _ in range(count)
        ]
        found = figures_of(rows)
        assert found["pqs"] <= found["accuracy"] + 1e-12
        assert found["pqs"] == found["pqs_low"] == found["pqs_high"]


def test_openings_are_apart():
    one = Points(
        np.array([1.0, 0.0]),
        np.array([1.0, 1.0]),
        np.zeros(2, dtype=np.int64),
        np.array([True, False]),
        np.full((2, 4), np.nan),
    )
    sums = one.sums(np.zeros(2, dtype=np.int64), 1)
    figures = guiding_figures()

    assert figures["accuracy"](sums)[0] == 0.5
    assert figures["accuracy_without_openings"](sums)[0] == 0.0


def test_sums_of_recordings_add_up_to_those_of_all():
    rows = [(1, 1, Departure.NONE, [4] * 4), (0, 1, Departure.FIX, NO_GRADES)]
    apart = points(rows).sums(np.array([1, 0]), 2)

    together = points(rows).sums(np.zeros(2, dtype=np.int64), 1)

    assert (apart.sum(axis=0) == together[0]).all()


def test_without_data_sets_there_is_no_mean():
    found = mean_over_datasets({})

    assert math.isnan(found.mean)
    assert math.isnan(found.pooled)


READINGS = [
    ("$silent$", "silent", "silent", False),
    (" $interrupt$ Turn it. ", "interrupt", "interrupt", False),
    ("Sure! $interrupt$ Turn it.", "interrupt", "silent", True),
    ("**$SILENT$**", "silent", "silent", True),
    ("$silent$ All is well.", "silent", "silent", True),
    ("$interrupt$", "interrupt", "interrupt", True),
    ("<think>$silent$ or $interrupt$?</think>$interrupt$ Turn it.", "interrupt", "silent", True),
]


@pytest.mark.parametrize(("text", "ours", "theirs", "is_malformed"), READINGS)
def test_both_readings_of_an_answer(text, ours, theirs, is_malformed):
    value = read_decision(text).value

    assert (value["answer"], value["literal"]) == (ours, theirs)
    assert value.get("malformed", False) is is_malformed
    assert literal_reading(text).decision == theirs


@pytest.mark.parametrize("text", ["", "  ", "All is well.", "silent", "$silent$ $interrupt$ Go"])
def test_what_has_no_single_token_is_no_silence(text):
    assert read_decision(text).value is None
    assert read_decision(text).reason


GOOD = '"relevance": 3, "specificity": 2, "actionability": 4'
REPLIES = [
    ("[1, 2, 3, 4]", "not_json", ""),
    (f"{{{GOOD}, ", "not_json", ""),
    (f'{{{GOOD}, "conciseness": true}}', "not_a_whole_number", "conciseness"),
    (f'{{{GOOD}, "conciseness": "4"}}', "not_a_whole_number", "conciseness"),
    (f'{{{GOOD}, "conciseness": null}}', "not_a_whole_number", "conciseness"),
    (f'{{{GOOD}, "conciseness": NaN}}', "not_a_whole_number", "conciseness"),
    (f'{{{GOOD}, "conciseness": 6}}', "out_of_range", "conciseness"),
    (f"{{{GOOD}}}", "missing", "conciseness"),
]


@pytest.mark.parametrize(("text", "code", "dimension"), REPLIES)
def test_a_reply_without_four_grades_says_which(text, code, dimension):
    with pytest.raises(GradeFaultError) as raised:
        parse_grades(text)

    assert (raised.value.code, raised.value.dimension) == (code, dimension)
