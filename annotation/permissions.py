"""Who may open which kind of page. Which *objects* somebody may see is decided by the selectors.

A signed-in account of the wrong role gets 403 for a whole section; an object that is not the
account's to see gets 404 from its selector, so that nobody learns that it exists.
"""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponseBase
from rest_framework.request import Request

from annotation.models import User

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponseBase]


def signed_in_user(request: HttpRequest | Request) -> User:
    """The account behind a request; views behind a login have one."""
    user = request.user
    if not isinstance(user, User):
        raise PermissionDenied
    return user


def researcher_required(view: View[P]) -> View[P]:
    """Open a page to researchers and administrators only."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        if not signed_in_user(request).is_researcher:
            raise PermissionDenied
        return view(request, *args, **kwargs)

    return login_required(guarded)


def administrator_required(view: View[P]) -> View[P]:
    """Open a page to administrators only."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        if not signed_in_user(request).is_administrator:
            raise PermissionDenied
        return view(request, *args, **kwargs)

    return login_required(guarded)
