"""What a run's writing would cost, before it is launched."""

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

    `price` is None without prices, `seconds` where the endpoint has answered nothing yet.
    """

    call_count: int
    tokens_in: int
    tokens_out: int
    price: Decimal | None
    seconds: float | None = None

    @property
    def time_text(self) -> str:
        """How long it takes, in the unit that a person would say it in."""
        seconds = self.seconds or 0.0
        for unit, length_s in (("h", SECONDS_PER_HOUR), ("min", SECONDS_PER_MINUTE)):
            if seconds >= 2 * length_s:
                return f"{seconds / length_s:.0f} {unit}"
        return f"{max(1.0, seconds):.0f} s"


def price_of_writing(
    sample: RunSample, endpoint: TextEndpoint, *, is_freeform: bool = False
) -> WritingPrice | None:
    """What an endpoint would ask for writing the takes; None where none can be planned.

    Prompts are those of a sample of the takes; answers are taken to be as long as what the rules
    write, in the rows that were asked for. An answer takes as long as those recorded of the
    endpoint did for each of their tokens, as many at once as it may be asked. Repeated answers and
    the judge's calls come on top.
    """
    if not sample.readable:
        return None
    asked = answered = 0
    procedures = sample.readable[:PRICED_TAKES]
    for procedure in procedures:
        plan = sample.plan(procedure)
        prompt = freeform_prompt(procedure) if is_freeform else writer_prompt(plan)
        asked += len(prompt.system) + len(prompt.text) + len(json.dumps(prompt.schema))
        answered += _answer_length(plan, is_freeform=is_freeform)
    call_count = sample.takes.count()
    tokens = call_count / len(procedures) / CHARACTERS_PER_TOKEN
    tokens_in, tokens_out = round(asked * tokens), round(answered * tokens)
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
    """How long what the rules write is; the procedure itself where they cannot follow the plan."""
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
    gone = [(row.old_index, row.event_id) for row in rewrite.rows if row.is_deleted]
    answer = {
        "final_steps": [row.text for row in shown],
        "meta": [dict(zip(META_FIELDS, row, strict=True)) for row in cells],
        "del": [dict(zip(DELETION_FIELDS, row, strict=True)) for row in gone],
    }
    return len(json.dumps(answer))
