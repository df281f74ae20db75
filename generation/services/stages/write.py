"""Write the plan of a take as a whole procedure with its mistakes."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Self

from django.utils import timezone

from generation.engine.judging.claims import claimed_plan
from generation.engine.planner.randomness import generator_for
from generation.engine.rewriting.exceptions import PlanConflictError
from generation.engine.rewriting.freeform.reading import read_freeform
from generation.engine.rewriting.rewrite import Rewrite, rewrite_from_dict
from generation.engine.rewriting.writer import write_rewrite
from generation.engine.run_options import RULES
from generation.engine.stages import Stage
from generation.models import RunTake, TakeRewrite
from generation.services.stage import StageWork, TakeFailedError, TakeWork, store_row
from generation.services.stages.plan import PlanProduct, plan_of
from generation.services.texts.run_models import asker_of, model_failures, text_endpoint_by_id
from generation.services.texts.writing import write_by_model, write_freely_by_model


@dataclass(frozen=True, slots=True)
class RewriteProduct:
    """The written procedure of one take, and who wrote it.

    `problems` says where it breaks the freeform contract.
    """

    rewrite: Rewrite
    model: str
    answered_by: str = ""
    prompt_version: str = ""
    notes: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()

    @classmethod
    def load(cls, run_take: RunTake) -> Self:
        row = TakeRewrite.objects.get(run_take=run_take)
        return cls(
            rewrite=rewrite_from_dict(row.document),
            model=row.model,
            answered_by=row.answered_by,
            prompt_version=row.prompt_version,
            notes=tuple(row.notes),
            problems=tuple(row.problems),
        )

    def prepare(self, run_take: RunTake) -> Callable[[], object]:
        row = TakeRewrite(
            run_take=run_take,
            document=self.rewrite.to_dict(),
            model=self.model,
            answered_by=self.answered_by,
            prompt_version=self.prompt_version,
            notes=list(self.notes),
            problems=list(self.problems),
            written_at=timezone.now(),
        )
        return partial(store_row, row)

    def summary(self) -> dict[str, object]:
        changed = self.rewrite.to_dict()["changed_new_indices"]
        return {"writer": self.model, "changed_steps": len(changed)}


def work(take: TakeWork) -> None:
    """Write with the model that the run's options name."""
    options = take.settings.options
    if options.is_freeform:
        _write_freely(take, options.writer)
    elif options.writer == RULES:
        plan = plan_of(take)
        rng = generator_for(take.settings.seed, plan.take_uid, Stage.WRITE)
        try:
            written = write_rewrite(plan, rng=rng)
        except PlanConflictError as error:
            raise TakeFailedError(f"The plan cannot be written out: {error}.") from error
        take.hand_over(RewriteProduct(written.rewrite, RULES, notes=written.notes))
    else:
        endpoint = text_endpoint_by_id(options.writer)
        with model_failures(endpoint):
            by_model = write_by_model(plan_of(take), ask=asker_of(take, endpoint))
        origin = (by_model.answered_by, by_model.prompt_version, by_model.notes)
        take.hand_over(RewriteProduct(by_model.rewrite, endpoint.name, *origin))


def _write_freely(take: TakeWork, writer: str) -> None:
    """Hand over the text, and as its plan the mistakes and corrections that it claims to have."""
    endpoint = text_endpoint_by_id(writer)
    with model_failures(endpoint):
        freeform = write_freely_by_model(take.procedure, ask=asker_of(take, endpoint))
    reading = read_freeform([step.text for step in take.procedure.steps], freeform.document)
    settings = take.settings
    plan = claimed_plan(
        take.procedure, reading, profile=settings.profile, statistics=settings.statistics
    )
    take.hand_over(PlanProduct(plan, take.input_hash))
    problems = tuple(issue.message for issue in freeform.issues)
    origin = (freeform.answered_by, freeform.prompt_version, freeform.notes)
    take.hand_over(RewriteProduct(reading.rewrite, endpoint.name, *origin, problems))


WORK = StageWork(Stage.WRITE, work, lambda options: options.writer == RULES)
