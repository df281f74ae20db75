"""How many mistakes a text of its own may claim; a plan may have as many as it likes."""

from dataclasses import replace

import pytest

from generation.engine.judging.case import Case
from tests.engine.judging.takes import Rows, case, error, found

TEXTS = ["Get a cup", "Wash the cup", "Dry the cup", "Get a spoon", "Put away the cup"]
R = Rows(TEXTS)


def claimed(rows, errors):
    planned = case(TEXTS, rows, errors)
    return Case(replace(planned.take, is_claimed=True), planned.rewrite)


def mistakes(*event_ids):
    errors = [error(name, index, "WE") for index, name in enumerate(event_ids)]
    rows = [R.we(index, f"{TEXTS[index]} badly", name) for index, name in enumerate(event_ids)]
    return [*rows, *R.u(*range(len(event_ids), len(TEXTS)))], errors


@pytest.mark.parametrize("event_ids", [(), ("E01", "E02", "E03", "E04")])
def test_too_few_or_too_many_claims_are_found(event_ids):
    assert found("CLAIM_COUNT", claimed(*mistakes(*event_ids))) == [(None, None, None)]


@pytest.mark.parametrize("event_ids", [("E01",), ("E01", "E02", "E03"), ("E01", "E01.2", "E02")])
def test_one_to_three_mistakes_may_be_claimed(event_ids):
    assert found("CLAIM_COUNT", claimed(*mistakes(*event_ids))) == []


def test_third_correction_is_found():
    rows, errors = mistakes("E01")
    rows += [R.c("Wash the cup again", name) for name in ("C01", "C02", "C03")]

    assert found("CLAIM_COUNT", claimed(rows, errors)) == [(None, None, None)]


def test_plan_is_not_counted():
    assert found("CLAIM_COUNT", case(TEXTS, *mistakes("E01", "E02", "E03", "E04"))) == []
    assert found("CLAIM_COUNT", case(TEXTS, *mistakes())) == []
