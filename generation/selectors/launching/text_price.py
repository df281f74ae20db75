"""What the texts of a run would cost, before it is launched."""

import json
from dataclasses import dataclass, replace
from decimal import Decimal

from generation.engine.planner.plan import Plan
from generation.engine.planner.randomness import generator_for
from generation.engine.prompting.rewrites import (
    DELETION_FIELDS,
    META_FIELDS,
    freeform_prompt,
    writer_prompt,
)
from generation.engine.rewriting.exceptions import PlanConflictError
from generation.engine.rewriting.writer import write_rewrite
from generation.engine.stages import Stage
from generation.models import TextEndpoint
from generation.selectors.launching.sample import PRICED_TAKES, SEED, RunSample
from generation.selectors.texts.calls import price_of, seconds_per_token

# English has about four characters to a token.
CHARACTERS_PER_TOKEN = 4
SECONDS_PER_MINUTE, SECONDS_PER_HOUR = 60, 3600


@dataclass(frozen=True, slots=True)
class WritingPrice:
    """One call per take; tokens, US dollars and seconds are estimates.

    `price` is None without prices, `seconds` if the endpoint has not answered anything yet.
    """

    call_count: int
    tokens_in: int
    tokens_out: int
    price: Decimal | None
    seconds: float | None = None

    @property
    def time_text(self) -> str:
        """How long it takes, in the unit that a person would use."""
        seconds = self.seconds or 0.0
        for unit, length_s in (("h", SECONDS_PER_HOUR), ("min", SECONDS_PER_MINUTE)):
            if seconds >= 2 * length_s:
                return f"{seconds / length_s:.0f} {unit}"
        return f"{max(1.0, seconds):.0f} s"


def price_of_writing(
    sample: RunSample, endpoint: TextEndpoint, *, is_freeform: bool = False
) -> WritingPrice | None:
    """What an endpoint would charge for writing the takes; None if none can be planned.

    Prompts are those of a sample of the takes; answers are assumed to be as long as what the rules
    write, in the format that is asked for. Time per token is that of the endpoint's recorded
    answers, with as many requests at once as it may get. Repeated answers and the judge's calls are
    not included.
    """
    if not sample.readable:
        return None
    prompt_length = answer_length = 0
    procedures = sample.readable[:PRICED_TAKES]
    for procedure in procedures:
        plan = sample.plan(procedure)
        prompt = freeform_prompt(procedure) if is_freeform else writer_prompt(plan)
        prompt_length += len(prompt.system) + len(prompt.text) + len(json.dumps(prompt.schema))
        answer_length += _answer_length(plan, is_freeform=is_freeform)
    call_count = sample.takes.count()
    tokens = call_count / len(procedures) / CHARACTERS_PER_TOKEN
    tokens_in, tokens_out = round(prompt_length * tokens), round(answer_length * tokens)
    pace = seconds_per_token(endpoint)
    at_once = min(endpoint.concurrency, call_count)
    return WritingPrice(
        call_count,
        tokens_in,
        tokens_out,
        price_of(endpoint, tokens_in, tokens_out),
        None if pace is None else pace * tokens_out / at_once,
    )


def _answer_length(plan: Plan, *, is_freeform: bool) -> int:
    """The length of the rules' text; of the unchanged procedure if they cannot follow the plan."""
    rng = generator_for(SEED, plan.take_uid, Stage.WRITE)
    try:
        rewrite = write_rewrite(plan, rng=rng).rewrite
    except PlanConflictError:
        rewrite = write_rewrite(replace(plan, errors=(), corrections=()), rng=rng).rewrite
    if not is_freeform:
        document = rewrite.to_dict()
        return len(json.dumps({name: document[name] for name in ("final_steps", "meta")}))
    # The same mistakes in the rows of the freeform contract.
    shown = [row for row in rewrite.rows if not row.is_deleted]
    cells = [(row.old_index, row.mod, row.event_id, None) for row in shown]
    deleted = [(row.old_index, row.event_id) for row in rewrite.rows if row.is_deleted]
    answer = {
        "final_steps": [row.text for row in shown],
        "meta": [dict(zip(META_FIELDS, row, strict=True)) for row in cells],
        "del": [dict(zip(DELETION_FIELDS, row, strict=True)) for row in deleted],
    }
    return len(json.dumps(answer))
