"""Files of rewrites in the published form: the writer's, the judge's, and sums over them."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from annotation.engine.corpus.formats.errors import FormatError, problem
from annotation.engine.csv_cells import csv_lines
from generation.engine.judging.findings import REPORT_COLUMNS, FindingSeverity
from generation.engine.planner.files.input_fields import as_mapping, read_json
from generation.engine.planner.files.plan_files import write_whole

# The status words of the published files; an invalid answer is kept as it was parsed.
OK, INVALID, FAILED = "ok", "invalid_schema", "parse_failed"


def read_rewrite_file(path: Path) -> dict[str, Mapping[str, Any]]:
    """The take objects of a writer's or judge's output by uid, in file order.

    Raises FormatError if the file is not such an output.
    """
    whole = as_mapping(read_json(path), file=path.name, place="", field="")
    takes = as_mapping(whole.get("takes"), file=path.name, place="", field="takes")
    for uid, take in takes.items():
        as_mapping(take, file=path.name, place=f"take {uid}", field="")
    return dict(takes)


def check_takes_are_planned(uids: Iterable[str], planned: Iterable[str], *, file: str) -> None:
    """Raise FormatError with every take that the plan does not have."""
    planned_uids = set(planned)
    problems = [
        problem(file=file, place="", field="take", value=uid, expected="a take of the plan")
        for uid in uids
        if uid not in planned_uids
    ]
    if problems:
        raise FormatError(problems)


def output_meta(**origin: object) -> dict[str, Any]:
    """The `meta` of an output: when it was made, and from what."""
    return {"created_at_utc": datetime.now(UTC).isoformat(), **origin}


def freeform_document(take: Mapping[str, Any]) -> Any:
    """The freeform text of a take object; an invalid answer if it has no valid one."""
    return take.get("rewrite") or take.get("parsed_output")


def is_freeform(takes: Iterable[Mapping[str, Any]]) -> bool:
    """Whether take objects are from a freeform output: its rewrites have a list of deletions."""
    rewrites = [freeform_document(take) for take in takes]
    return any(isinstance(rewrite, Mapping) and "del" in rewrite for rewrite in rewrites)


def summary_of(entries: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Counts over judged takes: takes, ok, and the remaining findings: hard, soft and by code.

    For texts without a plan, `before` has the same counts before repairs, since the writer chose
    the mistakes itself, and `not_applied` the checks that need a real plan.
    """
    counts = {
        "takes": len(entries),
        "ok": sum(entry["status"] == OK for entry in entries.values()),
        **_counts(entries, "remaining"),
    }
    skipped = {code for entry in entries.values() for code in entry["judge"].get("not_applied", ())}
    if not skipped:
        return counts
    clean_count = sum(not entry["judge"]["found"] for entry in entries.values())
    before = {"ok": clean_count, **_counts(entries, "found")}
    return {**counts, "before": before, "not_applied": sorted(skipped)}


def _counts(entries: Mapping[str, Mapping[str, Any]], which: str) -> dict[str, Any]:
    findings = [finding for entry in entries.values() for finding in entry["judge"][which]]
    severities = Counter(finding["severity"] for finding in findings)
    codes = Counter(finding["code"] for finding in findings)
    return {
        "hard": severities[FindingSeverity.HARD],
        "soft": severities[FindingSeverity.SOFT],
        "codes": dict(codes.most_common()),
    }


def summary_lines(counts: Mapping[str, Any]) -> list[str]:
    totals = "{takes} takes, {ok} ok; findings left: {hard} hard, {soft} soft".format_map(counts)
    if "before" not in counts:
        return [totals, *(f"  {count:>5}  {code}" for code, count in counts["codes"].items())]
    before, left = counts["before"], counts["codes"]
    codes = dict.fromkeys([*before["codes"], *left])
    return [
        totals,
        "before repair: {ok} ok; {hard} hard, {soft} soft".format_map(before),
        f"not applied without a plan: {', '.join(counts['not_applied'])}",
        *(f"  {left.get(code, 0):>5} of {before['codes'].get(code, 0):>5}  {code}"
          for code in codes),
    ]  # fmt: skip


def write_report(rows: Sequence[Mapping[str, str]], path: Path) -> None:
    """Write the rows of a judge report as CSV, creating the folder if necessary."""
    write_table(REPORT_COLUMNS, rows, path)


def write_table(columns: Sequence[str], rows: Iterable[Mapping[str, Any]], path: Path) -> None:
    """Write rows as CSV, creating the folder if necessary."""
    lines = csv_lines([columns, *([row.get(name) for name in columns] for row in rows)])
    write_whole("".join(lines), path)
