"""The pages of the text models' endpoints: list, new, one with its settings, try, delete."""

from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.permissions import researcher_required, signed_in_user
from generation.endpoint_forms import EndpointForm
from generation.models import TextEndpoint
from generation.selectors.endpoints import (
    get_changeable_endpoint,
    get_endpoint_for_user,
    may_change_endpoint,
    use_of,
    visible_endpoints,
)
from generation.services.endpoints import (
    change_endpoint,
    create_endpoint,
    delete_endpoint,
    try_endpoint,
)

SECTION = {"section": "runs"}


@researcher_required
@require_GET
def endpoint_list(request: HttpRequest) -> HttpResponse:
    rows = visible_endpoints(signed_in_user(request)).select_related("owner")
    return render(request, "generation/endpoint_list.html", SECTION | {"endpoints": rows})


@researcher_required
@require_http_methods(["GET", "POST"])
def endpoint_create(request: HttpRequest) -> HttpResponse:
    form = EndpointForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            endpoint = create_endpoint(
                new=form.to_settings(),
                api_key=form.typed_key() or "",
                actor=signed_in_user(request),
            )
        except ValidationError as error:
            form.add_error(None, error)
        else:
            messages.success(request, f"{endpoint.name} is kept. Now try it.")
            return redirect("endpoint-detail", endpoint.public_id)
    return render(request, "generation/endpoint_create.html", SECTION | {"form": form})


@researcher_required
@require_http_methods(["GET", "POST"])
def endpoint_detail(request: HttpRequest, public_id: str) -> HttpResponse:
    user = signed_in_user(request)
    if request.method == "GET":
        return _detail(request, get_endpoint_for_user(user, public_id))
    endpoint = get_changeable_endpoint(user, public_id)
    # The form writes into the row that it is given, so the service gets one of its own.
    form = EndpointForm(request.POST, instance=get_changeable_endpoint(user, public_id))
    if form.is_valid():
        had_key = endpoint.has_key
        try:
            changed = change_endpoint(
                endpoint=endpoint, new=form.to_settings(), api_key=form.typed_key(), actor=user
            )
        except ValidationError as error:
            form.add_error(None, error)
        else:
            messages.success(request, f"{changed.name} is kept.")
            if had_key and not changed.has_key:
                messages.warning(request, "The stored key is gone: type one if the server asks.")
            return redirect("endpoint-detail", public_id)
    return _detail(request, get_endpoint_for_user(user, public_id), form=form, status=400)


@researcher_required
@require_POST
def endpoint_test(request: HttpRequest, public_id: str) -> HttpResponse:
    user = signed_in_user(request)
    endpoint = get_endpoint_for_user(user, public_id)
    test = try_endpoint(endpoint=endpoint, actor=user)
    return _detail(request, get_endpoint_for_user(user, public_id), test=test)


@researcher_required
@require_POST
def endpoint_delete(request: HttpRequest, public_id: str) -> HttpResponse:
    user = signed_in_user(request)
    endpoint = get_changeable_endpoint(user, public_id)
    delete_endpoint(endpoint=endpoint, actor=user)
    messages.success(request, f"{endpoint.name} and its key are deleted.")
    return redirect("endpoints")


def _detail(
    request: HttpRequest, endpoint: TextEndpoint, *, status: int = 200, **context: Any
) -> HttpResponse:
    may_change = may_change_endpoint(signed_in_user(request), endpoint)
    shown = SECTION | {
        "endpoint": endpoint,
        "use": use_of(endpoint),
        "may_change": may_change,
        "form": EndpointForm(instance=endpoint) if may_change else None,
    }
    return render(request, "generation/endpoint_detail.html", {**shown, **context}, status=status)
