"""The procedure that a plan was made for, for files that hold the plan only."""

from generation.engine.planner.plan import Plan, PlannedStep
from generation.engine.planner.procedure_to_plan import Block, Procedure, ProcedureStep


def procedure_of_plan(plan: Plan) -> Procedure:
    """Return the procedure whose steps the plan repeats."""
    return Procedure(
        take_uid=plan.take_uid,
        take_name=plan.take_name,
        scenario=plan.scenario,
        steps=tuple(map(_step, plan.steps)),
    )


def _step(step: PlannedStep) -> ProcedureStep:
    block = None
    if step.block_id is not None:
        block = Block(step.block_id, step.block_name or "", step.taxonomy_path)
    return ProcedureStep(
        text=step.text,
        start_s=step.start_s,
        end_s=step.end_s,
        unique_id=step.unique_id,
        vocabulary_id=step.vocabulary_id,
        is_essential=step.is_essential,
        semrep=step.semrep,
        block=block,
        shared_id_block=block,
    )
