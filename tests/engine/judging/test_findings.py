"""Findings as values, and as rows of the published report."""

from generation.engine.judging.findings import (
    Finding,
    FindingCounts,
    FindingSeverity,
    count_findings,
    report_rows,
)
from generation.engine.rewriting.rewrite import Rewrite
from tests.engine.judging.takes import Rows

HARD = Finding("NOT_VERBATIM", FindingSeverity.HARD, 2, "differs")
SOFT = Finding("USE_BEFORE_INTRO", FindingSeverity.SOFT, 0, "never got", "E01", "cup")
WHOLE = Finding("SOURCE_MISSING", FindingSeverity.HARD, None, "no row")
R = Rows(["Get a cup", "Wash the cup", "Dry the cup"])


def test_counts_tell_hard_from_soft():
    assert count_findings([HARD, SOFT, WHOLE]) == FindingCounts(hard=2, soft=1)
    assert count_findings([]).is_clean


def test_report_row_names_the_step_that_a_reader_sees():
    rewrite = Rewrite((*R.u(0), R.d(1), *R.u(2)))

    rows = report_rows("u-1", "take 1", rewrite, [HARD, SOFT, WHOLE])

    assert [(row["kind"], row["code"], row["step_index"]) for row in rows] == [
        ("schema", "NOT_VERBATIM", "1"),
        ("plausibility", "USE_BEFORE_INTRO", "0"),
        ("schema", "SOURCE_MISSING", ""),
    ]
    assert list(rows[0]) == ["take_uid", "take_name", "kind", "code", "step_index", "detail"]


def test_deleted_row_has_no_step_in_the_report():
    rewrite = Rewrite((*R.u(0), R.d(1), *R.u(2)))
    deleted = Finding("DELETION_HEALED", FindingSeverity.HARD, 1, "done all the same")

    assert report_rows("u-1", "take 1", rewrite, [deleted])[0]["step_index"] == ""
