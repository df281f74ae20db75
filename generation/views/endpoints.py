"""The pages of endpoints: of text models, of providers of clips, and of other apps' kinds.

List, new, one with its settings, test, delete. Each address says which kind it is about.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.permissions import researcher_required, signed_in_user
from generation.forms.endpoints import EndpointForm, TextEndpointForm, VideoEndpointForm
from generation.models import Endpoint, TextEndpoint, VideoEndpoint
from generation.selectors.calls.endpoints import (
    endpoints_for_user,
    get_changeable_endpoint,
    get_endpoint_for_user,
    may_change_endpoint,
)
from generation.selectors.clips.calls import clip_use_of
from generation.selectors.texts.calls import text_use_of
from generation.services.calls.endpoints import (
    change_endpoint,
    create_endpoint,
    delete_endpoint,
    no_offer,
)
from generation.services.clips.endpoints import read_offer, try_video_endpoint
from generation.services.texts.endpoints import try_text_endpoint


@dataclass(frozen=True, slots=True)
class EndpointPages:
    """How the pages of one kind of endpoint differ.

    The names of its addresses begin with `url`, those of its templates, in the folder of its app,
    with `templates`. `noun` is what one of them is called, and `unread` begins what is said where
    `read_offer` fails.
    """

    model: type[Endpoint]
    form: type[EndpointForm]
    title: str
    url: str
    templates: str
    use_of: Callable[[Any], object]
    try_it: Callable[..., object]
    read_offer: Callable[[Any], str] = no_offer
    app: str = "generation"
    section: str = "runs"
    noun: str = "endpoint"
    unread: str = "The limits of its model could not be read"

    @property
    def urls(self) -> dict[str, str]:
        """The names of the addresses, by page."""
        pages = ("create", "detail", "test", "delete")
        return {"list": f"{self.url}s", **{page: f"{self.url}-{page}" for page in pages}}

    def template(self, page: str) -> str:
        return f"{self.app}/{self.templates}_{page}.html"

    @property
    def fields_template(self) -> str:
        return f"{self.app}/_{self.templates}_fields.html"


TEXT_MODELS = EndpointPages(
    model=TextEndpoint,
    form=TextEndpointForm,
    title="Text models",
    url="endpoint",
    templates="endpoint",
    use_of=text_use_of,
    try_it=try_text_endpoint,
)
VIDEO_MODELS = EndpointPages(
    model=VideoEndpoint,
    form=VideoEndpointForm,
    title="Video models",
    url="video-endpoint",
    templates="video_endpoint",
    use_of=clip_use_of,
    try_it=try_video_endpoint,
    read_offer=read_offer,
)


@researcher_required
@require_GET
def endpoint_list(request: HttpRequest, pages: EndpointPages) -> HttpResponse:
    rows = endpoints_for_user(signed_in_user(request), pages.model).select_related("owner")
    return _page(request, pages, "list", {"endpoints": rows})


@researcher_required
@require_http_methods(["GET", "POST"])
def endpoint_create(request: HttpRequest, pages: EndpointPages) -> HttpResponse:
    form = pages.form(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            endpoint = create_endpoint(
                endpoint=pages.model(),
                new=form.to_settings(),
                api_key=form.typed_key() or "",
                actor=signed_in_user(request),
            )
        except ValidationError as error:
            form.add_error(None, error)
        else:
            messages.success(request, f"{endpoint.name} is saved. Now try it.")
            _read_offer(request, pages, endpoint)
            return redirect(pages.urls["detail"], endpoint.public_id)
    return _page(request, pages, "create", {"form": form})


@researcher_required
@require_http_methods(["GET", "POST"])
def endpoint_detail(request: HttpRequest, public_id: str, pages: EndpointPages) -> HttpResponse:
    user = signed_in_user(request)
    if request.method == "GET":
        return _detail(request, pages, public_id)
    endpoint = get_changeable_endpoint(user, pages.model, public_id)
    # Validating the form changes its row, so the service gets another one: it compares old and new.
    form = pages.form(request.POST, instance=get_changeable_endpoint(user, pages.model, public_id))
    if form.is_valid():
        had_key = endpoint.has_key
        try:
            changed = change_endpoint(
                endpoint=endpoint, new=form.to_settings(), api_key=form.typed_key(), actor=user
            )
        except ValidationError as error:
            form.add_error(None, error)
        else:
            messages.success(request, f"{changed.name} is saved.")
            _read_offer(request, pages, changed)
            if had_key and not changed.has_key:
                messages.warning(
                    request, "The stored key was removed: type a new one if the server needs it."
                )
            return redirect(pages.urls["detail"], public_id)
    return _detail(request, pages, public_id, form=form, status=400)


@researcher_required
@require_POST
def endpoint_test(request: HttpRequest, public_id: str, pages: EndpointPages) -> HttpResponse:
    user = signed_in_user(request)
    endpoint = get_endpoint_for_user(user, pages.model, public_id)
    test = pages.try_it(endpoint=endpoint, actor=user)
    return _detail(request, pages, public_id, test=test)


@researcher_required
@require_POST
def endpoint_delete(request: HttpRequest, public_id: str, pages: EndpointPages) -> HttpResponse:
    user = signed_in_user(request)
    endpoint = get_changeable_endpoint(user, pages.model, public_id)
    old = pages.form.Settings.of(endpoint)
    delete_endpoint(endpoint=endpoint, old=old, actor=user)
    messages.success(request, f"{old.name} and its key are deleted.")
    return redirect(pages.urls["list"])


def _read_offer(request: HttpRequest, pages: EndpointPages, endpoint: Endpoint) -> None:
    """Read what the server publishes about its model, and say why if that is not possible."""
    if reason := pages.read_offer(endpoint):
        messages.warning(request, f"{pages.unread}: {reason}")


def _detail(
    request: HttpRequest, pages: EndpointPages, public_id: str, *, status: int = 200, **context: Any
) -> HttpResponse:
    user = signed_in_user(request)
    endpoint = get_endpoint_for_user(user, pages.model, public_id)
    may_change = may_change_endpoint(user, endpoint)
    shown = {
        "endpoint": endpoint,
        "use": pages.use_of(endpoint),
        "may_change": may_change,
        "form": pages.form(instance=endpoint) if may_change else None,
    }
    return _page(request, pages, "detail", {**shown, **context}, status=status)


def _page(
    request: HttpRequest,
    pages: EndpointPages,
    page: str,
    context: dict[str, Any],
    status: int = 200,
) -> HttpResponse:
    shown = {"section": pages.section, "pages": pages, **context}
    return render(request, pages.template(page), shown, status=status)
