"""What a login asks for: a first password is changed at once; a form outlives a login's end."""

from collections.abc import Callable
from http import HTTPStatus

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render, resolve_url
from django.urls import reverse

from annotation.models import User
from annotation.services.records.accounts import CHANGE_FIRST


class FirstPasswordMiddleware:
    """Send users who still have a password that somebody else made to the page where it is changed.

    A token for the API is given out only after the change; a session is told so in JSON.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        user = request.user
        if (
            isinstance(user, User)
            and user.must_change_password
            and request.path not in {reverse("password_change"), reverse("logout")}
        ):
            if request.path.startswith("/api/"):
                return JsonResponse({"detail": CHANGE_FIRST}, status=HTTPStatus.FORBIDDEN)
            return redirect("password_change")
        return self.get_response(request)


def is_secret(name: str) -> bool:
    """Whether a field is not to be written into a page."""
    return "password" in name or name == "api_key"


class KeptFormMiddleware:
    """Give a form back to somebody whose login ended before it was sent, to be sent once more.

    The login page would lose it: who has logged in opens an address, and sends nothing to it.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        login = f"{resolve_url(settings.LOGIN_URL)}?"
        if not response.get("Location", "").startswith(login):
            return response
        if request.headers.get("HX-Request"):
            # A part of a page is asked for: the login is none. What only polls begins anew.
            refresh = {"HX-Refresh": "true"} if request.method == "GET" else {}
            return HttpResponse(status=HTTPStatus.FORBIDDEN, headers=refresh)
        if request.method != "POST":
            return response
        fields = [
            (name, value)
            for name, values in request.POST.lists()
            if name != "csrfmiddlewaretoken" and not is_secret(name)
            for value in values
        ]
        context = {
            "fields": fields,
            "has_files": bool(request.FILES),
            "has_secrets": any(map(is_secret, request.POST)),
        }
        return render(request, "registration/kept_form.html", context, status=HTTPStatus.FORBIDDEN)
