"""A new account changes its first password before anything else."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from annotation.models import User


class FirstPasswordMiddleware:
    """Send whoever still has a password that somebody else made to the page where it is changed.

    The API needs no such wall: a token is given out only after the change, and the session of a
    browser sees pages that the wall stands before.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        user = request.user
        if isinstance(user, User) and user.must_change_password and not _is_open(request.path):
            return redirect("password_change")
        return self.get_response(request)


def _is_open(path: str) -> bool:
    return path in {reverse("password_change"), reverse("logout")}
