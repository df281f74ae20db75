"""The distributions of 1,000 seeds over the 50 published takes beside the reference's.

Prints every figure of the published reference distributions next to ours under the profile
`published`, and checks the promised ones. With --differences, also what each difference between
`published` and `piev` does on its own.

    python -m bench.distributions [--seeds 1000] [--differences]
"""

import argparse
import json
import sys
from dataclasses import replace
from typing import Any

from bench.shared_data import shared_data_folder
from generation.engine.planner.files.plan_files import PlanningInput, read_planning_input
from generation.engine.planner.profiles import DIFFERENCES, PIEV, PUBLISHED, with_changes
from generation.engine.planner.statistics.comparison import (
    ComparedFigure,
    compare,
    largest_difference,
    table,
)
from generation.engine.results.plan_runs import distributions_of_seeds

# Ours draws the corrections of a take independently of its errors, as this part of the reference.
REFERENCE_KEY = "all_seeds_independent_correction_seed"
# The promised bounds: name of the figures and the largest difference from the reference.
GOALS = (
    ("mistakes_per_run.mean", 1.0),
    ("corrections_per_run.mean", 1.0),
    ("type_share_given_phase.", 0.010),
    ("corrections.latency_share.", 0.015),
    ("severity_share.", 0.015),
    ("corrections.correction_type_share.", 0.015),
    ("transposition.distance_share.", 0.015),
)
# What a difference between the profiles is judged by.
EFFECTS = (
    "mistakes_per_run.mean",
    "corrections_per_run.mean",
    "type_share.wrong_execution",
    "type_share.deletion",
    "type_share.substitution",
    "type_share.insertion",
    "type_share.transposition",
    "deletion.requires_correction_share",
    "corrections.latency_share.0",
    "corrections.latency_share.1",
    "corrections.per_mistake_by_type.deletion",
    "corrections.per_mistake_by_type.substitution",
    "corrections.rollback_share_given_correction_type.rollback_and_redo.0",
    "deletion.alternate_count_share.0",
)


def main() -> int:
    """Print the comparison; return 1 when a promised bound is passed."""
    parser = argparse.ArgumentParser(description="Compare planned distributions.")
    parser.add_argument("--seeds", type=int, default=1000)
    parser.add_argument("--differences", action="store_true")
    options = parser.parse_args()
    folder = shared_data_folder() / "piev"
    found = read_planning_input(
        folder / "split_50_rebuilt.json",
        semrep=folder / "semantic_representations_split_50.json",
        taxonomy=folder / "keystep_taxonomy_rebuilt.json",
    )
    reference = json.loads((folder / "reference_distributions.json").read_text())[REFERENCE_KEY]
    ours = distributions_of_seeds(found, profile=PUBLISHED, seeds=range(options.seeds))
    rows = compare(ours, reference)
    print(table(rows, titles=("published here", "reference")))
    is_met = check_goals(rows)
    if options.differences:
        print_differences(found, ours, options.seeds)
    return 0 if is_met else 1


def check_goals(rows: list[ComparedFigure]) -> bool:
    """Print how far each promised figure is from the reference, and return whether all hold."""
    is_met = True
    print()
    for name, bound in GOALS:
        difference = largest_difference(rows, name)
        is_met = is_met and difference <= bound
        verdict = "met" if difference <= bound else "MISSED"
        print(f"  {name:<44} differs by at most {difference:.4f}, goal {bound:g}: {verdict}")
    return is_met


def print_differences(found: PlanningInput, published: dict[str, Any], seeds: int) -> None:
    """Print the effect of each difference applied alone to `published`, and of all together."""
    print(f"\n{'applied alone to published':<38}" + "".join(f"{_short(n):>14}" for n in EFFECTS))
    print(f"{'published':<38}" + _figures(published))
    for name, changes in DIFFERENCES.items():
        alone = replace(with_changes(PUBLISHED, changes), name=name)
        its_own = distributions_of_seeds(found, profile=alone, seeds=range(seeds))
        print(f"{name:<38}" + _figures(its_own), flush=True)
    together = distributions_of_seeds(found, profile=PIEV, seeds=range(seeds))
    print(f"{'piev (all of them)':<38}" + _figures(together))


def _short(name: str) -> str:
    group, _, last = name.rpartition(".")
    return f"{group.rpartition('.')[2][:5]}.{last[:7]}"


def _figures(distributions: dict[str, Any]) -> str:
    by_name = {row.name: row.observed for row in compare(distributions, {})}
    values = [by_name.get(name) or 0.0 for name in EFFECTS]
    return "".join(f"{value:>14.4f}" for value in values)


if __name__ == "__main__":
    sys.exit(main())
