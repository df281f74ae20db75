"""The run of the demo, as a visitor meets it first."""

from collections import Counter

from annotation.engine.taxonomy import ErrorType
from generation.engine.corrections.simulation import correct_plan
from generation.engine.planner.planning import plan_take
from generation.engine.planner.procedure_to_plan import procedure_from_take
from generation.engine.planner.profiles import PIEV
from sample.corpus import load_corpus
from sample.management.commands.demo import SEED

TYPES = (
    ErrorType.DELETION, ErrorType.INSERTION, ErrorType.SUBSTITUTION, ErrorType.TRANSPOSITION,
    ErrorType.WRONG_EXECUTION,
)  # fmt: skip


def test_run_of_the_demo_shows_every_type_and_several_kinds_of_corrections():
    plans = [
        correct_plan(
            plan_take(procedure_from_take(take), profile=PIEV, seed=SEED), profile=PIEV, seed=SEED
        )
        for take in load_corpus().takes
    ]

    types = Counter(error.error_type for plan in plans for error in plan.errors)
    kinds = {item.correction_type for plan in plans for item in plan.corrections or ()}
    # A thing or place that could sensibly be another is rare in ten short procedures.
    assert min(types[kind] for kind in TYPES) >= 2
    assert len(kinds) >= 4
