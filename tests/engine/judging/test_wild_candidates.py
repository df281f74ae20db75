"""Whatever rows a model hands in, the judge comes to an end, keeps its bound and its records."""

import numpy as np
import pytest

from annotation.engine.taxonomy import Mod
from generation.engine.judging.judging import judge
from generation.engine.judging.reading import Submission
from generation.engine.judging.repair.loop import MAX_RULE_ATTEMPTS
from generation.engine.judging.report import AttemptOutcome
from generation.engine.rewriting.rewrite import Rewrite, RewriteRow
from tests.engine.judging.takes import correction, error, plan

TEXTS = [
    "Get cucumber from the refrigerator",
    "Wash cucumber with water",
    "Chop cucumber with knife on the chopping board",
    "Open the jar",
    "Add chopped cucumber into the bowl",
    "Close the jar",
    "Put away the knife",
]
ERRORS = [
    error("E01", 0, "S"),
    error("E02", 1, "WE"),
    error("E03", 3, "T", target_index=5),
    error("E04", 4, "D"),
    error("E05", 6, "I"),
]
CORRECTIONS = [correction("C1", "E02", 1, redo=1), correction("C2", "E05", 6)]
WORDS = [
    *TEXTS,
    "",
    "  ",
    "the",
    "Get salt",
    "Chop the salt",
    "7 + 7",
    "GET(Object: cup)",
    "…",
    "and",
]
IDS = [None, "E01", "E02", "E03", "E04", "E05", "E99", ""]


def wild_rewrite(rng):
    rows = []
    for _ in range(rng.integers(0, 14)):
        mod = list(Mod)[rng.integers(len(Mod))]
        rows.append(
            RewriteRow(
                mod=mod,
                text=None if mod is Mod.DELETION else WORDS[rng.integers(len(WORDS))],
                old_index=[None, *range(9)][rng.integers(10)],
                error_type=[None, "substitution", "nonsense"][rng.integers(3)],
                event_id=IDS[rng.integers(len(IDS))],
                correction_id=[None, "C1", "C2", "C9"][rng.integers(4)],
            )
        )
    return Rewrite(tuple(rows))


@pytest.mark.parametrize("seed", range(25))
def test_any_rows_are_judged_within_bounds_and_never_made_worse(seed):
    rewrite = wild_rewrite(np.random.default_rng(seed))

    judged = judge(plan(TEXTS, ERRORS, CORRECTIONS), Submission(rewrite))

    report = judged.report
    hard = [
        sum(f.severity == "hard" for f in found) for found in (report.initial, report.remaining)
    ]
    assert hard[1] <= hard[0]
    assert len(report.attempts) <= MAX_RULE_ATTEMPTS
    assert [attempt.number for attempt in report.attempts] == list(
        range(1, len(report.attempts) + 1)
    )
    for attempt in report.adopted:
        assert (attempt.after.hard, attempt.after.soft) < (attempt.before.hard, attempt.before.soft)
    assert all(attempt.outcome in AttemptOutcome for attempt in report.attempts)


def test_same_rows_are_judged_the_same_way():
    rewrite = wild_rewrite(np.random.default_rng(3))

    first, second = (judge(plan(TEXTS, ERRORS, CORRECTIONS), Submission(rewrite)) for _ in range(2))

    assert first == second
