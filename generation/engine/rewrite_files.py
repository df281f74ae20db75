"""Files of rewrites in the published form: the writer's, the judge's, and what they add up to."""

import csv
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from annotation.engine.formats.errors import FormatError, problem
from generation.engine.judging.findings import REPORT_COLUMNS, FindingSeverity
from generation.engine.planner.input_fields import as_mapping, read_json

OK, FAILED = "ok", "parse_failed"


def read_rewrite_file(path: Path) -> dict[str, Mapping[str, Any]]:
    """Return the take objects of a writer's or judge's output by uid, in file order.

    Raises FormatError where the file is not one.
    """
    whole = as_mapping(read_json(path), file=path.name, place="", field="")
    takes = as_mapping(whole.get("takes"), file=path.name, place="", field="takes")
    for uid, take in takes.items():
        as_mapping(take, file=path.name, place=f"take {uid}", field="")
    return dict(takes)


def check_takes_are_planned(uids: Iterable[str], planned: Iterable[str], *, file: str) -> None:
    """Raise FormatError with every take that the plan does not have."""
    known = set(planned)
    problems = [
        problem(file=file, place="", field="take", value=uid, expected="a take of the plan")
        for uid in uids
        if uid not in known
    ]
    if problems:
        raise FormatError(problems)


def making_of(**told: object) -> dict[str, Any]:
    """Return the `meta` of an output: when, and with what it was made."""
    return {"created_at_utc": datetime.now(UTC).isoformat(), **told}


def summary_of(entries: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return takes, ok, hard, soft and counts by code of judged takes: what is left at the end."""
    findings = [finding for entry in entries.values() for finding in entry["judge"]["remaining"]]
    severities = Counter(finding["severity"] for finding in findings)
    codes = Counter(finding["code"] for finding in findings)
    return {
        "takes": len(entries),
        "ok": sum(entry["status"] == OK for entry in entries.values()),
        "hard": severities[FindingSeverity.HARD],
        "soft": severities[FindingSeverity.SOFT],
        "codes": dict(codes.most_common()),
    }


def write_report(rows: Sequence[Mapping[str, str]], path: Path) -> None:
    """Write the rows of a judge report as CSV, making its folder where there is none."""
    write_table(REPORT_COLUMNS, rows, path)


def write_table(columns: Sequence[str], rows: Iterable[Mapping[str, Any]], path: Path) -> None:
    """Write rows as CSV, making the folder where there is none."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns)
        writer.writeheader()
        writer.writerows(rows)
