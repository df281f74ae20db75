"""Read endpoints: who may use which, and who may change it."""

from typing import TypeVar

from django.db.models import Max, Q, QuerySet
from django.http import Http404
from django.shortcuts import get_object_or_404

from annotation.models import User
from generation.engine.run_options import RunOptions
from generation.models import Endpoint, TextEndpoint

EndpointRow = TypeVar("EndpointRow", bound=Endpoint)


def endpoints_for_user(user: User, model: type[EndpointRow]) -> QuerySet[EndpointRow]:
    """The endpoints of a kind that the user may use: own and shared, or all, or none."""
    endpoints = model._default_manager
    if user.is_administrator:
        return endpoints.all()
    if user.is_researcher:
        return endpoints.filter(Q(owner=user) | Q(is_shared=True))
    return endpoints.none()


def most_at_once(options: RunOptions) -> int:
    """The highest concurrency of a run's text models; 1 for a run that uses none."""
    endpoints = TextEndpoint.objects.filter(public_id__in=(options.writer, options.judge))
    most: int | None = endpoints.aggregate(most=Max("concurrency"))["most"]
    return most or 1


def may_change_endpoint(user: User, endpoint: Endpoint) -> bool:
    return user.is_administrator or (user.is_researcher and endpoint.owner_id == user.pk)


def get_endpoint_for_user(user: User, model: type[EndpointRow], public_id: str) -> EndpointRow:
    """An endpoint that the user may use; raises Http404 if not, even if the endpoint exists."""
    endpoints = endpoints_for_user(user, model).select_related("owner")
    return get_object_or_404(endpoints, public_id=public_id)


def get_changeable_endpoint(user: User, model: type[EndpointRow], public_id: str) -> EndpointRow:
    """An endpoint that the user may change; raises Http404."""
    endpoint = get_endpoint_for_user(user, model, public_id)
    if not may_change_endpoint(user, endpoint):
        raise Http404
    return endpoint
