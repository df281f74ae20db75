"""Orders of clips: how one is recorded, and what orders have cost so far."""

import hashlib
from dataclasses import dataclass
from decimal import Decimal

from django.db.models import Count, Q, QuerySet, Sum

from generation.backends.video.providers.adapter import DOLLARS
from generation.backends.video.providers.provider import Order
from generation.models import (
    ClipAttempt,
    ClipCall,
    ClipCallStatus,
    ClipUse,
    Run,
    RunTake,
    VideoEndpoint,
)
from generation.selectors.calls.admission import Question, question_of
from generation.selectors.calls.spending import Spending, paid_by, spending_of

_NO_CLIP = (
    ClipCallStatus.UNUSABLE,
    ClipCallStatus.REFUSED,
    ClipCallStatus.UNCLEAR,
    ClipCallStatus.FAILED,
)


def question_for(endpoint: VideoEndpoint, order: Order, repeat: int) -> Question:
    frames = (("first", order.first), ("last", order.last))
    size = order.size
    columns = {
        "prompt": order.prompt,
        "duration_s": order.duration_s,
        "anchors": {name: hashlib.sha256(jpeg).hexdigest() for name, jpeg in frames if jpeg},
        "parameters": {"size": size.word, "width": size.width, "height": size.height},
    }
    server = [endpoint.provider, endpoint.base_url, endpoint.model_name]
    question = question_of(ClipCall, endpoint, server=server, columns=columns, repeat=repeat)
    # Stored for people to read; in the hash it is already part of `server`.
    question.columns["provider"] = endpoint.provider
    return question


@dataclass(frozen=True, slots=True)
class Reported:
    """What jobs cost according to their providers, in their own unit: credits or tokens."""

    unit: str
    amount: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class ClipSpending(Spending):
    """Sums over orders of clips; `reported` is in units other than dollars."""

    made_count: int
    failed_count: int
    reported: tuple[Reported, ...] = ()


def clip_spending_of(run: Run) -> ClipSpending:
    """What a run has spent on clips so far (four queries)."""
    return _spending(*paid_by(ClipCall, run.payer_key))


def clip_use_of(endpoint: VideoEndpoint) -> ClipSpending:
    """What was ordered from an endpoint so far (four queries)."""
    return _spending(endpoint.calls.all(), endpoint.attempts.all(), ClipUse.objects.none())


def _spending(
    calls: QuerySet[ClipCall], attempts: QuerySet[ClipAttempt], uses: QuerySet[ClipUse]
) -> ClipSpending:
    made = Count("pk", filter=Q(status=ClipCallStatus.MADE))
    failed = Count("pk", filter=Q(status__in=_NO_CLIP))
    sums = spending_of(calls, attempts, uses, made_count=made, failed_count=failed)
    units = attempts.exclude(reported_unit__in=("", DOLLARS)).order_by("reported_unit")
    reported = units.values_list("reported_unit").annotate(Sum("reported_cost"))
    return ClipSpending(**sums, reported=tuple(Reported(*row) for row in reported))


def clips_of_run_take(run_take: RunTake) -> QuerySet[ClipCall]:
    """The clips that a take ordered, with all their attempts, in their order."""
    own = {"attempts__payer": run_take.run.payer_key, "attempts__part": run_take.position}
    calls = ClipCall.objects.filter(**own).distinct()
    return calls.prefetch_related("attempts").order_by("pk")
