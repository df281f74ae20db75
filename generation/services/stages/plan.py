"""Plan the mistakes of a take."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Self

from django.utils import timezone

from generation.engine.planner.files.plan_json import plan_from_dict, plan_to_dict
from generation.engine.planner.plan import Plan
from generation.engine.planner.planning import plan_take
from generation.engine.stages import Stage
from generation.models import RunTake, TakePlan
from generation.services.stage import StageWork, TakeFailedError, TakeWork, store_row


@dataclass(frozen=True, slots=True)
class PlanProduct:
    """The plan of one take, with or without corrections, and the hash of the take."""

    plan: Plan
    input_hash: str

    @classmethod
    def load(cls, run_take: RunTake) -> Self:
        row = TakePlan.objects.get(run_take=run_take)
        return cls(plan_from_dict(run_take.take.uid, row.document), row.input_hash)

    def prepare(self, run_take: RunTake) -> Callable[[], object]:
        row = TakePlan(
            run_take=run_take,
            document=plan_to_dict(self.plan),
            error_count=len(self.plan.errors),
            correction_count=self._correction_count,
            warning_count=len(self.plan.warnings),
            input_hash=self.input_hash,
            planned_at=timezone.now(),
        )
        return partial(store_row, row)

    def summary(self) -> dict[str, object]:
        return {"errors": len(self.plan.errors), "corrections": self._correction_count}

    @property
    def _correction_count(self) -> int | None:
        return None if self.plan.corrections is None else len(self.plan.corrections)


def plan_of(take: TakeWork) -> Plan:
    """The plan of a take; raises TakeFailedError if the take has changed since."""
    planned = take.get(PlanProduct)
    if planned.input_hash != take.input_hash:
        raise TakeFailedError("The take was changed after it was planned. Clone the run instead.")
    return planned.plan


def work(take: TakeWork) -> None:
    """Draw the mistakes of a take under the run's profile and seed."""
    plan = plan_take(
        take.procedure,
        profile=take.settings.profile,
        seed=take.settings.seed,
        run_statistics=take.settings.statistics,
    )
    take.hand_over(PlanProduct(plan, take.input_hash))


WORK = StageWork(Stage.PLAN, work)
