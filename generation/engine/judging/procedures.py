"""The procedure that a plan was made for, for files that hold the plan only."""

from generation.engine.planner.plan import Plan
from generation.engine.planner.procedure_to_plan import Block, Procedure, ProcedureStep


def procedure_of_plan(plan: Plan) -> Procedure:
    steps = []
    for step in plan.steps:
        block = None
        if step.block_id is not None:
            block = Block(step.block_id, step.block_name or "", step.taxonomy_path)
        steps.append(
            ProcedureStep(
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
        )
    return Procedure(plan.take_uid, plan.take_name, plan.scenario, tuple(steps))
