"""Small procedures for the tests, written as their representations."""

from dataclasses import replace

from generation.engine.planner.procedure_to_plan import Block, Procedure, ProcedureStep
from generation.engine.planner.profile import Profile, RiskRanges
from generation.engine.planner.profiles import PUBLISHED

KITCHEN = Block(1, "kitchen", ("tea", "kitchen"))
GARDEN = Block(2, "garden", ("tea", "garden"))

TEA = (
    "GET(Agent: you, Object: kettle, Origin: from(shelf))",
    "POUR(Agent: you, Object: water, Destination: into(kettle))",
    "TURN_ON(Agent: you, Object: kettle)",
    "GET(Agent: you, Object: cup, Origin: from(cupboard))",
    "ADD(Agent: you, Object: tea_bag, Destination: to(cup))",
    "POUR(Agent: you, Object: water, Origin: from(kettle), Destination: into(cup))",
    "STIR(Agent: you, Object: tea(Location: in(cup)), Instrument: with(spoon))",
    "REMOVE(Agent: you, Object: tea_bag, Origin: from(cup))",
)

# `published` as it would be without the neighbours: risk over fixed ranges, no learned guard.
ALONE: Profile = replace(
    PUBLISHED,
    count=replace(PUBLISHED.count, ranges=RiskRanges.FIXED),
    deletion=replace(PUBLISHED.deletion, has_learned_guard=False),
)


def procedure_of(
    *semreps: str,
    uid: str = "take-1",
    block: Block | None = KITCHEN,
    essential: bool = True,
    step_s: float = 5.0,
) -> Procedure:
    """Return a procedure with one step per representation, all of the same length."""
    steps = tuple(
        ProcedureStep(
            text=f"step {index}: {semrep}",
            start_s=index * step_s,
            end_s=(index + 1) * step_s,
            step_id=str(100 + index),
            unique_id=index,
            is_essential=essential,
            semrep=semrep,
            block=block,
            shared_id_block=block,
        )
        for index, semrep in enumerate(semreps)
    )
    return Procedure(take_uid=uid, take_name=f"{uid}-name", scenario="Making Tea", steps=steps)
