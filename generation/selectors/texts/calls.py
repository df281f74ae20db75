"""Questions to text models: how they are recorded, what they can cost, and what they have cost."""

import hashlib
import json
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery, Sum

from generation.backends.text.model import ImageDetail, TextRequest
from generation.backends.text.registry import DEFAULT_PROTOCOL
from generation.models import (
    Run,
    RunTake,
    TextAttempt,
    TextCall,
    TextCallStatus,
    TextEndpoint,
    TextUse,
)
from generation.selectors.calls.admission import Question, question_of
from generation.selectors.calls.spending import Spending, paid_by, spending_of

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


def question_for(endpoint: TextEndpoint, request: TextRequest) -> Question:
    parameters: dict[str, object] = {
        "temperature": request.temperature,
        "max_tokens": request.max_tokens,
    }
    # Only if set, so that answers recorded before these settings existed are still found.
    if endpoint.reasoning_effort:
        parameters["reasoning_effort"] = endpoint.reasoning_effort
    if request.images and endpoint.image_detail != ImageDetail.LOW:
        parameters["image_detail"] = endpoint.image_detail
    server = [endpoint.base_url, endpoint.model_name, endpoint.api_style]
    if endpoint.protocol != DEFAULT_PROTOCOL:
        server.append(endpoint.protocol)
    columns = prompt_columns(request, parameters)
    question = question_of(
        TextCall, endpoint, server=server, columns=columns, repeat=request.repeat
    )
    # Stored for people to read; in the hash it is already part of `server`.
    question.columns["parameters"]["api_style"] = endpoint.api_style
    return question


def prompt_columns(request: TextRequest, parameters: dict[str, object]) -> dict[str, Any]:
    """The columns of a `PromptCall` that hold the question."""
    return {
        "system": request.system,
        "prompt": request.prompt,
        "prompt_version": request.prompt_version,
        "schema": request.schema,
        "images": [
            {"sha256": hashlib.sha256(image.jpeg).hexdigest(), "caption": image.caption}
            for image in request.images
        ],
        "parameters": parameters,
    }


def price_of(endpoint: TextEndpoint, tokens_in: int, tokens_out: int) -> Decimal | None:
    """The price of so many tokens in US dollars; None if the endpoint has no prices."""
    if endpoint.price_in is None or endpoint.price_out is None:
        return None
    return (endpoint.price_in * tokens_in + endpoint.price_out * tokens_out) / MILLION


def seconds_per_token(endpoint: TextEndpoint) -> float | None:
    """How long the recorded answers of an endpoint's model took per output token.

    None if it has not answered anything yet, or does not report tokens.
    """
    calls = TextCall.objects.filter(
        base_url=endpoint.base_url, model_name=endpoint.model_name, status__in=TextCall.SETTLED
    )
    sums = calls.aggregate(seconds=Sum("seconds"), tokens=Sum("tokens_out"))
    return sums["seconds"] / sums["tokens"] if sums["tokens"] else None


def highest_price(endpoint: TextEndpoint, request: TextRequest) -> Decimal | None:
    """The most that a request is expected to cost, if the answer uses all its tokens."""
    schema_text = "" if request.schema is None else json.dumps(request.schema)
    characters = len(request.system) + len(request.prompt) + len(schema_text)
    per_image = TOKENS_PER_IMAGE[ImageDetail(endpoint.image_detail)]
    tokens_in = -(-characters // CHARACTERS_PER_TOKEN) + len(request.images) * per_image
    return price_of(endpoint, tokens_in, request.max_tokens)


@dataclass(frozen=True, slots=True, kw_only=True)
class TextSpending(Spending):
    """Sums over calls to text models; `paid_count` of them got an answer, usable or not."""

    paid_count: int
    unusable_count: int
    failed_count: int
    tokens_in: int
    tokens_out: int


def text_spending_of(run: Run) -> TextSpending:
    """What a run has spent on texts so far (three queries)."""
    return _spending(*paid_by(TextCall, run.payer_key))


def call_sums_of(run_take: RunTake) -> TextSpending:
    """The sums over the calls that one take paid for (three queries)."""
    return _spending(*paid_by(TextCall, run_take.run.payer_key, part=run_take.position))


def text_use_of(endpoint: Any) -> TextSpending:
    """What was asked of a text model, or of whoever answers as one, so far (three queries)."""
    return _spending(endpoint.calls.all(), endpoint.attempts.all(), TextUse.objects.none())


def _spending(*tables: QuerySet[Any]) -> TextSpending:
    sums = spending_of(
        *tables,
        paid_count=Count("pk", filter=Q(status__in=TextCall.SETTLED)),
        unusable_count=Count("pk", filter=Q(status=TextCallStatus.UNUSABLE)),
        failed_count=Count("pk", filter=Q(status=TextCallStatus.FAILED)),
        tokens_in=Sum("tokens_in", default=0),
        tokens_out=Sum("tokens_out", default=0),
    )
    return TextSpending(**sums)


def calls_of_run_take(run_take: RunTake) -> QuerySet[TextCall]:
    """The calls whose answers a take got, in the order in which they were asked.

    `is_read` marks those that somebody else had paid for.
    """
    paid = {"payer": run_take.run.payer_key, "part": run_take.position}
    read = TextUse.objects.filter(**paid, call=OuterRef("pk"))
    attempts = TextAttempt.objects.filter(call=OuterRef("pk")).order_by().values("call")
    attempt_count = Subquery(attempts.annotate(count=Count("pk")).values("count"))
    calls = TextCall.objects.annotate(is_read=Exists(read), attempt_count=attempt_count)
    return calls.filter(Q(**paid) | Q(is_read=True))
