"""Simulate how the mistakes of a take's plan are noticed and corrected."""

from dataclasses import replace

from generation.engine.corrections.simulation import correct_plan
from generation.engine.run_options import RunOptions
from generation.engine.stages import Stage
from generation.services.stage import TakeWork
from generation.services.stages.plan import PlanProduct


class CorrectWork:
    """Adds the corrections to the plan of a take."""

    stage = Stage.CORRECT

    def is_quick(self, options: RunOptions) -> bool:
        return True

    def work(self, take: TakeWork) -> None:
        planned = take.get(PlanProduct)
        plan = correct_plan(planned.plan, profile=take.settings.profile, seed=take.settings.seed)
        take.hand_over(replace(planned, plan=plan))


WORK = CorrectWork()
