"""What a run's writing would cost, before it is launched."""

import json
from dataclasses import dataclass
from decimal import Decimal

from django.db.models import QuerySet

from annotation.engine.formats.errors import FormatError
from annotation.models import Take
from generation.engine.corrections.simulation import correct_plan
from generation.engine.planner.plan import Plan
from generation.engine.planner.plan_files import needs_run_statistics
from generation.engine.planner.planning import plan_take
from generation.engine.planner.procedure import Procedure
from generation.engine.planner.profile import Profile
from generation.engine.planner.randomness import generator_for
from generation.engine.planner.run_statistics import run_statistics_of
from generation.engine.prompting.freeform import freeform_prompt
from generation.engine.prompting.writer import writer_prompt
from generation.engine.rewriting.exceptions import PlanConflictError
from generation.engine.rewriting.writer import write_rewrite
from generation.engine.stages import Stage
from generation.models import TextEndpoint
from generation.selectors.procedures import prepare_takes
from generation.selectors.text_calls import price_of

SAMPLE_TAKES = 10
SEED = 0
# English has about four characters to a token.
CHARACTERS_PER_TOKEN = 4


@dataclass(frozen=True, slots=True)
class WritingPrice:
    """One call per take; tokens and US dollars are estimates, `price` None without prices."""

    call_count: int
    tokens_in: int
    tokens_out: int
    price: Decimal | None


def price_of_writing(
    takes: QuerySet[Take], profile: Profile, endpoint: TextEndpoint, *, is_freeform: bool = False
) -> WritingPrice | None:
    """Return what an endpoint would ask for writing these takes; None where none can be planned.

    Prompts are those of a sample of the takes; answers are taken to be as long as what the rules
    write. Repeated answers and the judge's calls come on top.
    """
    rows = prepare_takes(takes.order_by("content_hash")[:SAMPLE_TAKES])
    procedures = [row.procedure for row in rows if not isinstance(row, FormatError)]
    readable = [procedure for procedure in procedures if procedure.steps]
    if not readable:
        return None
    plans = sample_plans(readable, profile)
    scale = takes.count() / len(plans)
    lengths = map(_free_prompt_length, readable) if is_freeform else map(_prompt_length, plans)
    asked = sum(lengths) * scale / CHARACTERS_PER_TOKEN
    answered = sum(map(_answer_length, plans)) * scale / CHARACTERS_PER_TOKEN
    tokens_in, tokens_out = round(asked), round(answered)
    price = price_of(endpoint, tokens_in, tokens_out)
    return WritingPrice(takes.count(), tokens_in, tokens_out, price)


def sample_plans(
    procedures: list[Procedure], profile: Profile, *, corrects: bool = True
) -> list[Plan]:
    """Return a plan of each procedure, as a run of its own would make them."""
    needs = needs_run_statistics(profile)
    statistics = run_statistics_of(procedures, profile=profile) if needs else None
    planned = [
        plan_take(procedure, profile=profile, seed=SEED, run_statistics=statistics)
        for procedure in procedures
    ]
    if not corrects:
        return planned
    return [correct_plan(plan, profile=profile, seed=SEED) for plan in planned]


def _prompt_length(plan: Plan) -> int:
    prompt = writer_prompt(plan)
    return len(prompt.system) + len(prompt.text) + len(json.dumps(prompt.schema))


def _free_prompt_length(procedure: Procedure) -> int:
    prompt = freeform_prompt(procedure)
    return len(prompt.system) + len(prompt.text) + len(json.dumps(prompt.schema))


def _answer_length(plan: Plan) -> int:
    rng = generator_for(SEED, plan.take_uid, Stage.WRITE)
    try:
        document = write_rewrite(plan, rng=rng).rewrite.to_dict()
    except PlanConflictError:
        return sum(len(step.text) for step in plan.steps)
    return len(json.dumps({name: document[name] for name in ("final_steps", "meta")}))
