"""Read endpoints: who may use which, who may change it, and what was asked of a text model."""

from dataclasses import dataclass
from decimal import Decimal
from typing import TypeVar

from django.db.models import Count, Max, Q, QuerySet, Sum
from django.http import Http404
from django.shortcuts import get_object_or_404

from annotation.models import User
from generation.engine.run_options import RunOptions
from generation.models import Endpoint, TextEndpoint, VideoEndpoint
from generation.selectors.calls.text_calls import PAID

EndpointRow = TypeVar("EndpointRow", bound=Endpoint)


def endpoints_for_user(user: User, model: type[EndpointRow]) -> QuerySet[EndpointRow]:
    """Return the endpoints of a kind that the user may use: own and shared, or all, or none."""
    endpoints = model._default_manager
    if user.is_administrator:
        return endpoints.all()
    if user.is_researcher:
        return endpoints.filter(Q(owner=user) | Q(is_shared=True))
    return endpoints.none()


def visible_endpoints(user: User) -> QuerySet[TextEndpoint]:
    """Return the text models that the user may use."""
    return endpoints_for_user(user, TextEndpoint)


def visible_video_endpoints(user: User) -> QuerySet[VideoEndpoint]:
    """Return the providers of clips that the user may use."""
    return endpoints_for_user(user, VideoEndpoint)


def most_at_once(options: RunOptions) -> int:
    """Return how many requests a run's text models take at once, the one that takes most of them.

    1 for a run that asks none.
    """
    asked = TextEndpoint.objects.filter(public_id__in=(options.writer, options.judge))
    most: int | None = asked.aggregate(most=Max("concurrency"))["most"]
    return most or 1


def may_change_endpoint(user: User, endpoint: Endpoint) -> bool:
    """Return whether the user may change and delete the endpoint."""
    return user.is_administrator or (user.is_researcher and endpoint.owner_id == user.pk)


def get_endpoint_for_user(user: User, model: type[EndpointRow], public_id: str) -> EndpointRow:
    """Return an endpoint that the user may use, or raise Http404, whether it exists or not."""
    endpoints = endpoints_for_user(user, model).select_related("owner")
    return get_object_or_404(endpoints, public_id=public_id)


def get_changeable_endpoint(user: User, model: type[EndpointRow], public_id: str) -> EndpointRow:
    """Return an endpoint that the user may change, or raise Http404."""
    endpoint = get_endpoint_for_user(user, model, public_id)
    if not may_change_endpoint(user, endpoint):
        raise Http404
    return endpoint


@dataclass(frozen=True, slots=True)
class EndpointUse:
    """What the recorded calls of an endpoint add up to; the price is in US dollars."""

    call_count: int
    paid_count: int
    unusable_count: int
    failed_count: int
    tokens_in: int
    tokens_out: int
    price: Decimal


def use_of(endpoint: TextEndpoint) -> EndpointUse:
    """Return what was asked of an endpoint so far (one query)."""
    sums = endpoint.calls.order_by().aggregate(
        calls=Count("pk"),
        paid=Count("pk", filter=Q(status__in=PAID)),
        unusable=Count("pk", filter=Q(status="unusable")),
        failed=Count("pk", filter=Q(status="failed")),
        tokens_in=Sum("tokens_in"),
        tokens_out=Sum("tokens_out"),
        price=Sum("price"),
    )
    return EndpointUse(
        call_count=sums["calls"],
        paid_count=sums["paid"],
        unusable_count=sums["unusable"],
        failed_count=sums["failed"],
        tokens_in=sums["tokens_in"] or 0,
        tokens_out=sums["tokens_out"] or 0,
        price=sums["price"] or Decimal(0),
    )
