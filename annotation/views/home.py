"""The start page and the account page."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST

from annotation.permissions import signed_in_user
from annotation.services.people import renew_api_token


@login_required
def home(request: HttpRequest) -> HttpResponse:
    """Send everyone to where their work is."""
    return redirect("campaigns" if signed_in_user(request).is_researcher else "queue")


@login_required
def account(request: HttpRequest) -> HttpResponse:
    return render(request, "annotation/account_page.html", {"section": "account"})


@login_required
@require_POST
def account_token(request: HttpRequest) -> HttpResponse:
    """Show a fresh API token once; the old one stops working."""
    token = renew_api_token(user=signed_in_user(request))
    context = {"section": "account", "token": token}
    return render(request, "annotation/account_page.html", context)
