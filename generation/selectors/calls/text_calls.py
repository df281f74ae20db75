"""Read recorded calls: the answer to a question that was asked before, and what a run has spent."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery, Sum

from generation.backends.text.model import ImageDetail, TextRequest
from generation.models import Run, TextAttempt, TextCall, TextCallStatus, TextEndpoint, TextUse

PAID = (TextCallStatus.ANSWERED, TextCallStatus.UNUSABLE)
LOST = "lost"
TIMED_OUT = "NoAnswerInTimeError"
# The most tokens that a picture costs. OpenAI's models cut one into at most 1,536 patches, an
# original into 10,000, and count up to 2.46 tokens for each (guide "Images and vision").
TOKENS_PER_IMAGE = {
    ImageDetail.LOW: 1_000,
    ImageDetail.AUTO: 4_000,
    ImageDetail.HIGH: 4_000,
    ImageDetail.ORIGINAL: 25_000,
}
# English has about four characters to a token; three leave room for rarer words.
CHARACTERS_PER_TOKEN = 3
MILLION = Decimal(1_000_000)


def question_of(request: TextRequest) -> dict[str, Any]:
    """Return all of a request that decides its answer, as it is kept with the call."""
    return {
        "system": request.system,
        "prompt": request.prompt,
        "prompt_version": request.prompt_version,
        "schema": request.schema,
        "images": [
            {"sha256": hashlib.sha256(image.jpeg).hexdigest(), "caption": image.caption}
            for image in request.images
        ],
        "parameters": {
            "temperature": request.temperature,
            "max_tokens": request.max_tokens,
            "sample": request.sample,
        },
    }


def call_key(endpoint: TextEndpoint, question: Mapping[str, Any]) -> str:
    """Return the hash under which a question to an endpoint is recorded.

    What the endpoint is called, who owns it and how fast it may be asked change no answer.
    """
    parts = [endpoint.base_url, endpoint.model_name, endpoint.api_style, question]
    written = json.dumps(parts, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(written.encode()).hexdigest()


def price_of(endpoint: TextEndpoint, tokens_in: int, tokens_out: int) -> Decimal | None:
    """Return what so many tokens cost in US dollars; None where the endpoint has no prices."""
    if endpoint.price_in is None or endpoint.price_out is None:
        return None
    return (endpoint.price_in * tokens_in + endpoint.price_out * tokens_out) / MILLION


def seconds_per_token(endpoint: TextEndpoint) -> float | None:
    """Return how long the recorded answers of an endpoint's model took for each of their tokens.

    None where it has answered nothing yet, or says no tokens.
    """
    calls = TextCall.objects.filter(
        base_url=endpoint.base_url, model_name=endpoint.model_name, status__in=PAID
    )
    sums = calls.aggregate(seconds=Sum("seconds"), tokens=Sum("tokens_out"))
    return sums["seconds"] / sums["tokens"] if sums["tokens"] else None


def highest_price(endpoint: TextEndpoint, request: TextRequest) -> Decimal | None:
    """Return the most that a request is expected to cost: all its tokens used."""
    schema_text = "" if request.schema is None else json.dumps(request.schema)
    characters = len(request.system) + len(request.prompt) + len(schema_text)
    per_image = TOKENS_PER_IMAGE[ImageDetail(endpoint.image_detail)]
    tokens_in = -(-characters // CHARACTERS_PER_TOKEN) + len(request.images) * per_image
    return price_of(endpoint, tokens_in, request.max_tokens)


@dataclass(frozen=True, slots=True)
class Spending:
    """What the recorded calls of a run add up to, in US dollars and tokens.

    `possible_price` is the most that requests can have cost whose answers never arrived (timed
    out, or lost with their process) or are still on their way. `unpriced_count` calls were
    answered by endpoints without prices and are in no sum.
    """

    call_count: int
    answered_count: int
    unusable_count: int
    failed_count: int
    tokens_in: int
    tokens_out: int
    price: Decimal
    possible_price: Decimal
    unpriced_count: int

    @property
    def highest_price(self) -> Decimal:
        return self.price + self.possible_price


def spending_of(run: Run) -> Spending:
    """Return what a run has spent so far (two queries)."""
    of_run = TextCall.objects.filter(run_take__run=run).order_by()
    sums = of_run.aggregate(
        calls=Count("pk"),
        answered=Count("pk", filter=Q(status=TextCallStatus.ANSWERED)),
        unusable=Count("pk", filter=Q(status=TextCallStatus.UNUSABLE)),
        failed=Count("pk", filter=Q(status=TextCallStatus.FAILED)),
        unpriced=Count("pk", filter=Q(status__in=PAID, price__isnull=True)),
        tokens_in=Sum("tokens_in"),
        tokens_out=Sum("tokens_out"),
        price=Sum("price"),
    )
    unknown = TextAttempt.objects.filter(_may_have_cost(), call__run_take__run=run).order_by()
    possible = unknown.aggregate(price=Sum("reserved_price"))["price"]
    return Spending(
        call_count=sums["calls"],
        answered_count=sums["answered"],
        unusable_count=sums["unusable"],
        failed_count=sums["failed"],
        tokens_in=sums["tokens_in"] or 0,
        tokens_out=sums["tokens_out"] or 0,
        price=sums["price"] or Decimal(0),
        possible_price=possible or Decimal(0),
        unpriced_count=sums["unpriced"],
    )


def _may_have_cost() -> Q:
    return Q(ended_at__isnull=True) | Q(outcome__in=[LOST, TIMED_OUT])


@dataclass(frozen=True, slots=True)
class CallSums:
    """What the calls of one take add up to; `price` is in US dollars, None where none is known.

    `read_count` answers were read from the record: others had paid for them.
    """

    count: int
    read_count: int
    tokens_in: int
    tokens_out: int
    price: Decimal | None


def call_sums_of(run_take_id: int) -> CallSums:
    """Return the sums over the calls that a take paid for (two queries)."""
    sums = TextCall.objects.filter(run_take_id=run_take_id).aggregate(
        count=Count("pk"),
        tokens_in=Sum("tokens_in", default=0),
        tokens_out=Sum("tokens_out", default=0),
        price=Sum("price"),
    )
    read_count = TextUse.objects.filter(run_take_id=run_take_id).count()
    return CallSums(read_count=read_count, **sums)


def calls_of_run_take(run_take_id: int) -> QuerySet[TextCall]:
    """Return the calls whose answers a take got, in the order in which they were asked.

    `is_read` tells those that somebody else had paid for.
    """
    read = TextUse.objects.filter(run_take_id=run_take_id, call=OuterRef("pk"))
    calls = TextCall.objects.annotate(is_read=Exists(read), attempt_count=_attempt_count())
    return calls.filter(Q(run_take_id=run_take_id) | Q(is_read=True))


def _attempt_count() -> Subquery:
    attempts = TextAttempt.objects.filter(call=OuterRef("pk")).order_by().values("call")
    return Subquery(attempts.annotate(count=Count("pk")).values("count"))
