"""Simulate how the mistakes of a take's plan are noticed and corrected."""

from dataclasses import replace

from generation.engine.corrections.simulation import correct_plan
from generation.engine.stages import Stage
from generation.services.stage import StageWork, TakeWork
from generation.services.stages.plan import PlanProduct


def work(take: TakeWork) -> None:
    """Add the corrections to the plan of a take."""
    planned = take.get(PlanProduct)
    plan = correct_plan(planned.plan, profile=take.settings.profile, seed=take.settings.seed)
    take.hand_over(replace(planned, plan=plan))


WORK = StageWork(Stage.CORRECT, work)
