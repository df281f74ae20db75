"""The judge on the published outputs: findings per take and code, precision and recall.

Prints one line per take with a finding and one per code, for each published file of rewrites; what
the rules alone make of each file; precision on the labelled findings; recall on planted faults.

    python -m bench.judge_published [--per-code 8] [--takes]
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from bench.planted_faults import planted_form, planted_meaning, planted_sense
from bench.planted_faults.planting import (
    identity_case,
    plant_each,
    recall_by_code,
)
from bench.planted_faults.tally import CheckedTake, check_file, identified
from bench.shared_data import REPOSITORY, shared_data_folder
from generation.engine.judging.case import Case, JudgedTake
from generation.engine.judging.check import all_checks, find_all
from generation.engine.judging.judging import JudgedStatus, judge
from generation.engine.judging.reading import read_rewrite
from generation.engine.planner.files.plan_files import read_plans
from generation.engine.planner.plan import Plan
from generation.engine.rewriting.writer import write_rewrite

FILES = (
    "split_50_error_instructions_openai.json",
    "split_50_error_instructions_openai_judged.json",
    "split_50_error_instructions_qwen_judged.json",
)
LABELS = REPOSITORY / "tests" / "engine" / "judging" / "labelled_findings.json"
MIN_PRECISION, MIN_RECALL = 0.9, 0.95
SEED = 1


def main() -> int:
    """Print all figures; return 1 when precision or recall is too low."""
    parser = argparse.ArgumentParser(description="Judge the published outputs.")
    parser.add_argument("--per-code", type=int, default=8)
    parser.add_argument("--takes", action="store_true", help="one line per take, too")
    options = parser.parse_args()
    folder = shared_data_folder() / "piev"
    found = read_plans(folder / "split_50_error_plan_with_corrections.json").plans
    plans = {plan.take_uid: plan for plan in found}
    checked = {name: list(check_file(name, _takes(folder, name), plans)) for name in FILES}
    print_codes(checked)
    if options.takes:
        print_takes(checked)
    print_repairs(folder, plans)
    is_precise = print_precision([take for takes in checked.values() for take in takes])
    return 0 if print_recall(plans, options.per_code) and is_precise else 1


def _takes(folder: Path, name: str) -> Mapping[str, Any]:
    return json.loads((folder / name).read_text())["takes"]


def print_codes(checked: Mapping[str, list[CheckedTake]]) -> None:
    """Print how many findings of each code every file has."""
    counts = {
        name: Counter(finding.code for take in takes for finding in take.findings)
        for name, takes in checked.items()
    }
    print(f"{'code':28}" + "".join(f"{_short(name):>16}" for name in checked))
    for code in sorted({code for tally in counts.values() for code in tally}):
        print(f"{code:28}" + "".join(f"{tally[code]:16}" for tally in counts.values()))
    clean = [sum(not take.findings for take in takes) for takes in checked.values()]
    print(f"{'takes without a finding':28}" + "".join(f"{count:16}" for count in clean))


def _short(name: str) -> str:
    return name.removeprefix("split_50_error_instructions_").removesuffix(".json")


def print_takes(checked: Mapping[str, list[CheckedTake]]) -> None:
    """Print the findings of every take that has one, counted by code."""
    for name, takes in checked.items():
        print(f"\n{_short(name)}")
        for take in takes:
            tally = Counter(finding.code for finding in take.findings)
            if tally:
                codes = ", ".join(f"{code} {count}" for code, count in sorted(tally.items()))
                print(f"  {take.plan.take_name:28} {codes}")


def print_repairs(folder: Path, plans: Mapping[str, Plan]) -> None:
    """Print how many takes of each file the rules alone can make free of findings."""
    for name in FILES:
        judged = [
            judge(plans[uid], read_rewrite(entry.get("rewrite") or {}))
            for uid, entry in _takes(folder, name).items()
        ]
        before = sum(not item.report.initial for item in judged)
        clean = sum(item.status is JudgedStatus.OK for item in judged)
        print(f"{_short(name)}: {before} takes without a finding, {clean} after repair by rules")


def print_precision(checked: list[CheckedTake]) -> bool:
    """Print the precision of each labelled sample, and return whether all meet the goal."""
    now = [name.to_dict() for name in identified(checked)]
    is_met = True
    for sample in json.loads(LABELS.read_text())["samples"]:
        kept = [
            item
            for item in sample["findings"]
            if {name: value for name, value in item.items() if name != "is_true"} in now
        ]
        true = sum(item["is_true"] for item in kept)
        is_met = is_met and true >= MIN_PRECISION * len(kept)
        print(
            f"precision, {sample['scope']}, seed {sample['seed']}: {true} of {len(kept)} labelled "
            f"findings are true (drawn from {sample['pool']}; goal {MIN_PRECISION})"
        )
    return is_met


def print_recall(plans: Mapping[str, Plan], per_code: int) -> bool:
    """Print the recall on planted faults, and return whether it meets the goal."""
    rng = np.random.default_rng(SEED)
    written = [
        Case(JudgedTake(plan), write_rewrite(plan, rng=rng).rewrite) for plan in plans.values()
    ]
    originals = [identity_case(case) for case in written]
    alarms = sum(bool(find_all(case)) for case in originals)
    clean = [case for case in (*originals, *written) if not find_all(case)]
    planters = {**planted_form.PLANTERS, **planted_meaning.PLANTERS, **planted_sense.PLANTERS}
    recalls = recall_by_code(plant_each(planters, clean, per_code=per_code, rng=rng))
    planted = sum(recall.planted for recall in recalls.values())
    found = sum(recall.found for recall in recalls.values())
    print(f"false alarms on the {len(originals)} originals: {alarms}")
    print(
        f"recall: {found} of {planted} faults planted in {len(clean)} clean rewrites, "
        f"{len(recalls)} codes ({found / planted:.3f}; goal {MIN_RECALL})"
    )
    print(f"not planted: {', '.join(set(all_checks()) - set(planters)) or 'none'}")
    for recall in recalls.values():
        if recall.found < recall.planted:
            print(f"       {recall.code}: {recall.found} of {recall.planted}")
    return found >= MIN_RECALL * planted and not alarms


if __name__ == "__main__":
    sys.exit(main())
