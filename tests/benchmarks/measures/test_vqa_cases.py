"""Worked cases of EgoErrorVQA, and what they do not have."""

import json
from collections import Counter

import pytest

from annotation.analytics.agreement.proportions import mcnemar, wilson_interval
from annotation.analytics.cases.worked_cases import mismatches
from benchmarks.engine.measures.error_types import UNREAD, kind_of, published_reading, read_class
from benchmarks.engine.measures.grades import read_grade
from benchmarks.engine.measures.vqa_cases import FAMILY


@pytest.mark.shared_data
def test_every_case_that_can_be_computed_is_reproduced(shared_data):
    cases = json.loads((shared_data / "egoerrorvqa/EXPECTED_metrics.json").read_text())["cases"]
    computed = [case for case in cases if case["kind"] not in FAMILY.not_yet]

    found = [mismatch for case in computed for mismatch in mismatches(FAMILY, case)]

    assert found == []
    left = Counter(case["kind"] for case in cases if case["kind"] in FAMILY.not_yet)
    assert (len(cases), len(computed)) == (34, 34 - left.total())


def test_any_class_of_a_row_is_right_and_what_cannot_be_read_claims_an_error():
    both = ("Wrong action", "Wrong order")

    kinds = [kind_of(both, choice) for choice in (*both, "Omission", UNREAD, "correct", None)]

    assert kinds == [0, 0, 1, 1, 4, 5]
    assert [kind_of(("correct",), choice) for choice in ("correct", UNREAD, None)] == [3, 2, 6]


def test_what_the_published_reader_reads_ours_reads_too():
    for text in ("Omission", ' "wrong order"; ', "CORRECT WRONG ACTION", "correct"):
        reading = read_class(text)

        assert reading.value is not None
        assert reading.value["answer"] == published_reading(text)


def test_without_rows_there_is_no_interval_and_without_differences_no_evidence():
    assert wilson_interval(0, 0) is None
    assert mcnemar([True, False], [True, False]).p == 1.0
    assert mcnemar([True] * 6, [False] * 6).p == pytest.approx(2 * 0.5**6)


@pytest.mark.parametrize("score", ["NaN", "Infinity", "-Infinity", "1e999", "3.5", "true"])
def test_a_grade_that_is_no_whole_number_is_none(score):
    assert read_grade(f'{{"score": {score}}}').reason == "not a whole number"
