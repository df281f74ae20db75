"""Read recorded clips: the one that was ordered before, and what a run has spent on clips."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.db.models import Count, Q, QuerySet, Sum
from django.utils import timezone

from annotation.models import Job, JobStatus
from generation.backends.video.providers.adapter import DOLLARS
from generation.backends.video.providers.provider import Order
from generation.models import ClipAttempt, ClipCall, ClipCallStatus, Run, RunTake, VideoEndpoint

# Outcomes of attempts that are no names of errors.
LOST, MADE = "lost", "made"


def question_of(order: Order, sample: int) -> dict[str, Any]:
    """Return all of an order that decides its clip, as it is kept with the call."""
    frames = (("first", order.first), ("last", order.last))
    return {
        "prompt": order.prompt,
        "duration_s": order.duration_s,
        "anchors": {name: hashlib.sha256(jpeg).hexdigest() for name, jpeg in frames if jpeg},
        "parameters": {
            "size": order.size.word,
            "width": order.size.width,
            "height": order.size.height,
            "sample": sample,
        },
    }


def clip_key(endpoint: VideoEndpoint, question: Mapping[str, Any]) -> str:
    """Return the hash under which an order is recorded.

    What the endpoint is called, who owns it and how much it takes at once change no clip.
    """
    parts = [endpoint.provider, endpoint.base_url, endpoint.model_name, question]
    written = json.dumps(parts, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(written.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Reported:
    """What providers say that jobs cost, in their own unit: credits or tokens."""

    unit: str
    amount: Decimal


@dataclass(frozen=True, slots=True)
class ClipSpending:
    """What recorded clips add up to, in US dollars.

    `possible_price` is the most that orders can have cost that brought no clip, or are still on
    their way. `unpriced_count` clips were ordered without a known price and are in no sum.
    `reported` holds what providers report in units other than dollars.
    """

    call_count: int
    made_count: int
    failed_count: int
    price: Decimal
    possible_price: Decimal
    unpriced_count: int
    reported: tuple[Reported, ...] = ()

    @property
    def highest_price(self) -> Decimal:
        return self.price + self.possible_price


_NO_CLIP = (
    ClipCallStatus.UNUSABLE,
    ClipCallStatus.REFUSED,
    ClipCallStatus.UNCLEAR,
    ClipCallStatus.FAILED,
)


def clip_spending_of(run: Run) -> ClipSpending:
    """Return what a run has spent on clips so far (three queries)."""
    return _spending(
        ClipCall.objects.filter(run_take__run=run), ClipAttempt.objects.filter(run_take__run=run)
    )


def clip_use_of(endpoint: VideoEndpoint) -> ClipSpending:
    """Return what was ordered from an endpoint so far (three queries)."""
    return _spending(endpoint.calls.all(), endpoint.attempts.all())


def _spending(calls: QuerySet[ClipCall], attempts: QuerySet[ClipAttempt]) -> ClipSpending:
    counts = calls.order_by().aggregate(
        calls=Count("pk"),
        made=Count("pk", filter=Q(status=ClipCallStatus.MADE)),
        failed=Count("pk", filter=Q(status__in=_NO_CLIP)),
    )
    orders = Q(resumes=False, is_free=False)
    sums = attempts.order_by().aggregate(
        paid=Sum("price"),
        possible=Sum("reserved_price", filter=orders & Q(price__isnull=True)),
        unpriced=Count("pk", filter=orders & Q(reserved_price__isnull=True, price__isnull=True)),
    )
    units = attempts.exclude(reported_unit__in=("", DOLLARS)).order_by("reported_unit")
    reported = units.values_list("reported_unit").annotate(Sum("reported_cost"))
    return ClipSpending(
        call_count=counts["calls"],
        made_count=counts["made"],
        failed_count=counts["failed"],
        price=sums["paid"] or Decimal(0),
        possible_price=sums["possible"] or Decimal(0),
        unpriced_count=sums["unpriced"],
        reported=tuple(Reported(unit, amount) for unit, amount in reported),
    )


def open_clip_attempts(endpoint: VideoEndpoint) -> QuerySet[ClipAttempt]:
    """Return the tries that go on at an endpoint right now, from all processes together."""
    return endpoint.attempts.filter(ended_at__isnull=True, lease_until__gt=timezone.now())


def clips_of_run_take(run_take_id: int) -> QuerySet[ClipCall]:
    """Return the clips that a take ordered, with attempts, seconds and price, in their order."""
    return (
        ClipCall.objects.filter(attempts__run_take_id=run_take_id)
        .distinct()
        .prefetch_related("attempts")
        .order_by("pk")
    )


def is_cancelled(run_take: RunTake) -> bool:
    """Return whether somebody cancelled the work on a take, not merely took it over."""
    return Job.objects.filter(pk=run_take.job_id, status=JobStatus.CANCELLED).exists()
