"""Write, judge and write freely for commands: plans and rewrites in, entries of files out.

If a model fails, the entry of that take says why; the other takes go on.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from generation.backends.exceptions import ModelError
from generation.engine.judging.claims import claimed_plan
from generation.engine.judging.findings import report_rows
from generation.engine.judging.judging import Judged, judge
from generation.engine.judging.model import Repairer
from generation.engine.judging.reading import read_claims, read_rewrite
from generation.engine.planner.files.plan_json import plan_to_dict
from generation.engine.planner.plan import Plan
from generation.engine.planner.procedure_to_plan import Procedure
from generation.engine.planner.profiles import DEFAULT_PROFILE
from generation.engine.planner.randomness import generator_for
from generation.engine.results.rewrite_files import FAILED, INVALID, OK, freeform_document
from generation.engine.rewriting.exceptions import PlanConflictError
from generation.engine.rewriting.freeform.reading import read_freeform
from generation.engine.rewriting.writer import write_rewrite
from generation.engine.stages import Stage
from generation.models import TextEndpoint
from generation.services.calls.keys import UnreadableKeyError
from generation.services.texts.command_budget import CommandBudget
from generation.services.texts.writing import (
    NotWrittenError,
    repairer,
    write_by_model,
    write_freely_by_model,
)

Entry = dict[str, Any]
# Errors of one take that do not concern the others.
FAILURES = (ModelError, NotWrittenError, PlanConflictError, UnreadableKeyError)


class UnknownModelError(ValueError):
    """There is no model of that name; the message lists the existing ones."""


@dataclass(frozen=True, slots=True)
class NamedModel:
    """A model as a command names it; `endpoint` is None for a word such as "rules" or "none"."""

    name: str
    endpoint: TextEndpoint | None = None
    budget: CommandBudget = field(default_factory=lambda: CommandBudget(None))

    @property
    def thread_count(self) -> int:
        """How many takes it makes sense to work on at once."""
        return 1 if self.endpoint is None else self.endpoint.concurrency


def model_named(name: str, *, word: str | None, budget: CommandBudget | None = None) -> NamedModel:
    """The model of that name; `word` is the one name that needs no endpoint, None if there is none.

    Models that are given the same `budget` share it.
    """
    if name == word:
        return NamedModel(name)
    endpoint = TextEndpoint.objects.filter(name=name).first()
    if endpoint is None:
        names = list(TextEndpoint.objects.values_list("name", flat=True))
        choices = ", ".join([*([word] if word else []), *names]) or "none is set up"
        raise UnknownModelError(f"there is no text model {name!r}; known: {choices}")
    return NamedModel(name, endpoint, budget or CommandBudget(None))


def written_entry(plan: Plan, *, model: NamedModel, seed: int, keeps_plan: bool = False) -> Entry:
    """The take object of a writer's output; with `keeps_plan` it contains the plan as well."""
    entry: Entry = {"take_name": plan.take_name}
    try:
        if model.endpoint is None:
            by_rules = write_rewrite(plan, rng=generator_for(seed, plan.take_uid, Stage.WRITE))
            text: Entry = {"rewrite": by_rules.rewrite.to_dict(), "notes": list(by_rules.notes)}
        else:
            by_model = write_by_model(plan, ask=model.budget.asking(model.endpoint))
            text = {
                "rewrite": by_model.rewrite.to_dict(),
                "answered_by": by_model.answered_by,
                "prompt_version": by_model.prompt_version,
                "notes": list(by_model.notes),
            }
    except FAILURES as error:
        return {**entry, "status": FAILED, "error": f"{type(error).__name__}: {error}"}
    kept = {"plan": plan_to_dict(plan)} if keeps_plan else {}
    return {**entry, "status": OK, **text, **kept}


def judged_entry(plan: Plan, take: Mapping[str, Any], *, model: NamedModel) -> Entry:
    """The take object of a judge's output, with the rows of the report in `report`.

    Each part of the rewrite that cannot be read is a finding; the rest is judged.
    """
    submission = read_rewrite(take.get("rewrite") or {})
    return _judged(plan, judge(plan, submission, ask=_repair_ask(model)))


def judged_freeform_entry(
    procedure: Procedure, take: Mapping[str, Any], *, model: NamedModel
) -> Entry:
    """The same for a freeform take, judged against the mistakes that it claims to contain.

    An invalid answer is judged too, if the file has kept it.
    """
    document = freeform_document(take)
    reading = read_freeform([step.text for step in procedure.steps], document)
    plan = claimed_plan(procedure, reading, profile=DEFAULT_PROFILE)
    judged = judge(plan, read_claims(reading), ask=_repair_ask(model))
    claims = {
        "errors": [error.to_dict() for error in plan.errors],
        "corrections": [correction.to_dict() for correction in plan.corrections or ()],
    }
    return {**_judged(plan, judged), "claims": claims}


def _judged(plan: Plan, judged: Judged) -> Entry:
    document = judged.rewrite.to_dict()
    return {
        "take_uid": plan.take_uid,
        "take_name": plan.take_name,
        "status": str(judged.status),
        "rewrite": {"final_steps": document["final_steps"], "meta": document["meta"]},
        "judge": judged.report.to_dict(),
        "report": report_rows(
            plan.take_uid, plan.take_name, judged.rewrite, judged.report.remaining
        ),
    }


def _repair_ask(model: NamedModel) -> Repairer | None:
    if model.endpoint is None:
        return None
    return repairer(model.budget.asking(model.endpoint))


def freeform_entry(
    procedure: Procedure, *, model: NamedModel, judge: NamedModel | None = None
) -> Entry:
    """The take object of a freeform output; it keeps the source steps for `diagnose`.

    With a judge, `judged` holds the judged and repaired text; the text itself stays as written.
    """
    texts = [step.text for step in procedure.steps]
    entry: Entry = {
        "scenario": procedure.scenario,
        "take_name": procedure.take_name,
        "n_input_steps": len(texts),
        "input_steps": texts,
    }
    if not texts:
        return {**entry, "status": "empty_procedure", "error": "the take has no steps"}
    try:
        assert model.endpoint is not None  # noqa: S101 - no word stands for a freeform writer
        ask = model.budget.asking(model.endpoint)
        freeform = write_freely_by_model(procedure, ask=ask)
    except FAILURES as error:
        return {**entry, "status": FAILED, "error": f"{type(error).__name__}: {error}"}
    document = {
        **freeform.document, "take_uid": procedure.take_uid, "scenario": procedure.scenario
    }  # fmt: skip
    kept: Entry = {"status": OK, "rewrite": document}
    if freeform.issues:
        # A text that breaks the contract has its own key, as in the published files.
        faults = "; ".join(f"{issue.code}: {issue.message}" for issue in freeform.issues)
        kept = {"status": INVALID, "error": faults, "parsed_output": document}
    written = {
        **entry,
        **kept,
        "answered_by": freeform.answered_by,
        "prompt_version": freeform.prompt_version,
        "notes": list(freeform.notes),
    }
    if judge is not None:
        written["judged"] = judged_freeform_entry(procedure, written, model=judge)
    return written
