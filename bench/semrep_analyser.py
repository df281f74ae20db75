"""Print how well the rule-based analyser agrees with the published representations.

    python -m bench.semrep_analyser FOLDER [--disagreements development|held_out]

FOLDER holds the published `semantic_representations_split_50.json` and
`split_50_error_plan.json`. The rules were written with the development scenarios in sight; look at
the disagreements of the held-out ones only to judge a release, never to write a rule.
"""

import argparse
import json
import sys
from pathlib import Path

from bench.analyser_agreement import (
    Comparison,
    Score,
    compare_with_reference,
    roles_f1,
    score_analyser,
    split_by_scenario,
)
from bench.shared_data import shared_data_folder
from generation.engine.english.analyser import analyse

CACHE_FILE = "semantic_representations_split_50.json"
PLAN_FILE = "split_50_error_plan.json"
COLUMNS = (
    ("predicate exact", "predicate_share"),
    ("Object head exact", "object_head_share"),
    ("role precision", "role_precision"),
    ("role recall", "role_recall"),
    ("role F1", "role_f1"),
    ("role F1 with Agent", "role_f1_with_agent"),
)


def read_halves(folder: Path) -> dict[str, tuple[tuple[str, str], ...]]:
    """(text, published representation) pairs of the development and the held-out half."""
    cache = json.loads((folder / CACHE_FILE).read_text(encoding="utf-8"))
    plan = json.loads((folder / PLAN_FILE).read_text(encoding="utf-8"))
    scenarios: dict[str, set[str]] = {}
    for take in plan["takes"].values():
        for step in take["steps"]:
            scenarios.setdefault(step["step_description_id"], set()).add(take["scenario"])
    halves = zip(("development", "held_out"), split_by_scenario(scenarios), strict=True)
    return {
        name: tuple(
            (cache[key]["step_description"], cache[key]["semantic_representation"]) for key in keys
        )
        for name, keys in halves
    }


def format_table(scores: dict[str, Score]) -> str:
    """The scores as a Markdown table, one row per half."""
    names = ["half", "texts", "with Object", *(name for name, _ in COLUMNS)]
    lines = ["| " + " | ".join(names) + " |", "|" + "---|" * len(names)]
    for half, score in scores.items():
        shares = [getattr(score, field) for _, field in COLUMNS]
        shown = ["-" if share is None else f"{share:.3f}" for share in shares]
        lines.append(
            f"| {half} | {score.text_count} | {score.object_count} | {' | '.join(shown)} |"
        )
    return "\n".join(lines) + "\n"


def format_disagreements(comparisons: tuple[Comparison, ...]) -> str:
    """The texts on which predicate, Object head or roles differ, with both readings."""
    lines = []
    for item in comparisons:
        has_same_roles = item.reference.role_to_value.keys() == item.found.role_to_value.keys()
        if not (item.has_same_predicate and item.has_same_object_head and has_same_roles):
            lines += [item.text, f"    published  {item.reference_text}"]
            lines += [f"    analyser   {analyse(item.text)}"]
    return "\n".join(lines) + "\n"


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--disagreements", choices=("development", "held_out"))
    options = parser.parse_args(arguments)
    folder = options.folder or shared_data_folder() / "piev"
    compared = {name: compare_with_reference(pairs) for name, pairs in read_halves(folder).items()}
    scores = {name: score_analyser(items) for name, items in compared.items()}
    scores["all"] = score_analyser(item for items in compared.values() for item in items)
    sys.stdout.write(format_table(scores))
    if by_role := roles_f1(compared["held_out"]):
        shown = ", ".join(f"{role} {share:.3f}" for role, share in by_role.items())
        sys.stdout.write(f"\nF1 by role, held_out: {shown}\n")
    if options.disagreements:
        sys.stdout.write("\n" + format_disagreements(compared[options.disagreements]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
