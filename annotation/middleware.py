"""A new account changes its first password before anything else."""

from collections.abc import Callable
from http import HTTPStatus

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.urls import reverse

from annotation.models import User
from annotation.services.people import CHANGE_FIRST


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
