"""The rule-based writer: takes per second, and what a step costs in long procedures.

Takes are plans of the sample corpus, each with its own seed. Long procedures are made-up kitchen
steps of which no two read alike, so that no cache of texts helps; each length is written in a fresh
process. The goal of 40 takes/s on two workers is for writing and judging together; half of one
worker's share is what writing may take of it.

    python -m bench.writer [--takes 2000] [--steps 10 100 1000]
"""

import argparse
import itertools
import sys
import time
from collections.abc import Iterator

import numpy as np

from annotation.engine.corpus.procedure import Step, Take
from bench.measure import in_fresh_process, peak_memory_bytes
from generation.engine.corrections.simulation import correct_plan
from generation.engine.planner.plan import Plan
from generation.engine.planner.planning import plan_take
from generation.engine.planner.procedure_to_plan import Procedure, procedure_from_take
from generation.engine.planner.profiles import PIEV
from generation.engine.rewriting.writer import write_rewrite
from sample.corpus import load_corpus

GOAL_TAKES_PER_S = 40
# The cost of a step in the longest procedure may exceed that in the shortest by this factor.
GROWTH_GOAL = 1.5
ROUNDS = 9
MEGABYTE = 1e6
THINGS = ("bowl", "cup", "spoon", "tomato", "pot", "knife", "jar", "onion", "plate", "napkin")
PLACES = ("cabinet", "drawer", "shelf", "countertop", "sink", "table")
ACTIONS = (
    ("Get the {thing} from the {place}", "GET(Object: {head}, Origin: from({place}))"),
    ("Wash the {thing} in the {place}", "WASH(Object: {head}, Location: in({place}))"),
    ("Place the {thing} on the {place}", "PLACE(Object: {head}, Destination: on({place}))"),
    ("Check the {thing} on the {place}", "CHECK(Object: {head}, Location: on({place}))"),
    ("Add the {thing} to the {place}", "ADD(Object: {head}, Destination: to({place}))"),
    ("Wipe the {thing} with the napkin", "WIPE(Object: {head}, Instrument: with(napkin))"),
)


def main() -> int:
    """Print all figures; return 1 when a goal is missed."""
    parser = argparse.ArgumentParser(description="Measure the rule-based writer.")
    parser.add_argument("--takes", type=int, default=2_000)
    parser.add_argument("--steps", type=int, nargs="+", default=[10, 100, 1_000])
    options = parser.parse_args()
    is_fast = print_takes(options.takes)
    return 0 if print_long(options.steps) and is_fast else 1


def print_takes(take_count: int) -> bool:
    """Print takes per second of one process over plans of the sample corpus."""
    plans = list(itertools.islice(sample_plans(), take_count))
    started = time.perf_counter()
    for number, plan in enumerate(plans):
        write_rewrite(plan, rng=np.random.default_rng(number))
    per_s = take_count / (time.perf_counter() - started)
    peak = peak_memory_bytes() / MEGABYTE
    print(
        f"{take_count:,} plans of the sample corpus written: {per_s:.0f} takes/s in one process "
        f"(goal {GOAL_TAKES_PER_S} takes/s), peak {peak:.0f} MB"
    )
    return per_s >= GOAL_TAKES_PER_S


def print_long(lengths: list[int]) -> bool:
    """Print the cost per step of each length, and return whether it stays flat."""
    costs = {length: in_fresh_process(seconds_per_step, length) for length in lengths}
    for length, cost in costs.items():
        print(f"{length:>6,} steps: {cost * 1e6:7.1f} us per step")
    growth = costs[max(lengths)] / costs[min(lengths)]
    print(f"       from the shortest to the longest: x{growth:.2f} (goal x{GROWTH_GOAL})")
    return growth <= GROWTH_GOAL


def seconds_per_step(length: int) -> float:
    """The median processor time of a step over procedures that nothing has seen before."""
    write_rewrite(planned(made_up_take(length, 0), 0), rng=np.random.default_rng(0))
    seconds = []
    for seed in range(1, ROUNDS + 1):
        plan = planned(made_up_take(length, seed), seed)
        started = time.process_time()
        write_rewrite(plan, rng=np.random.default_rng(seed))
        seconds.append((time.process_time() - started) / length)
    return float(np.median(seconds))


def sample_plans() -> Iterator[Plan]:
    """Yield plans of the sample takes with one seed after the other, without end."""
    procedures = [procedure_from_take(take) for take in load_corpus().takes]
    for seed in itertools.count():
        for procedure in procedures:
            yield planned(procedure, seed)


def planned(procedure: Procedure, seed: int) -> Plan:
    return correct_plan(plan_take(procedure, profile=PIEV, seed=seed), profile=PIEV, seed=seed)


def made_up_take(length: int, seed: int) -> Procedure:
    """A procedure of steps that all read differently, and differ from other seeds'."""
    rng = np.random.default_rng(seed)
    steps = tuple(made_up_step(rng, seed * 10_000 + index) for index in range(length))
    return procedure_from_take(Take(f"made-up-{seed}", f"made up {seed}", "Cooking", steps))


def made_up_step(rng: np.random.Generator, number: int) -> Step:
    """An action on a thing whose name has a number that no other has."""
    text, semrep = ACTIONS[rng.integers(len(ACTIONS))]
    thing, place = THINGS[rng.integers(len(THINGS))], PLACES[rng.integers(len(PLACES))]
    return Step(
        text=text.format(thing=f"no{number} {thing}", place=place),
        semrep=semrep.format(head=f"no{number}_{thing}", place=place),
        taxonomy_path=("Kitchen", "Work"),
    )


if __name__ == "__main__":
    sys.exit(main())
