"""The start page and the account page."""

from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.decorators import login_required
from django.contrib.auth.forms import PasswordChangeForm
from django.contrib.auth.views import PasswordChangeView
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse_lazy
from django.views.decorators.http import require_POST

from annotation.permissions import signed_in_user
from annotation.selectors.records.status import database_answers
from annotation.services.records.accounts import (
    AccountChangedError,
    change_password,
    renew_api_token,
)
from annotation.views.records.errors import refusals_shown


def health(request: HttpRequest) -> HttpResponse:
    """Tell a monitor of the site, without a login, whether web server and database answer."""
    if not database_answers():
        return HttpResponse("The database does not answer.\n", "text/plain", status=503)
    return HttpResponse("ok\n", "text/plain")


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
    context = {"section": "account"}
    with refusals_shown(request):
        context["token"] = renew_api_token(user=signed_in_user(request))
    return render(request, "annotation/account_page.html", context)


class OwnPasswordView(PasswordChangeView):
    """Change one's own password; the API token that the old one gave stops working."""

    success_url = reverse_lazy("password_change_done")

    def form_valid(self, form: PasswordChangeForm) -> HttpResponse:
        user = signed_in_user(self.request)
        try:
            change_password(user=user, password=form.cleaned_data["new_password1"])
        except AccountChangedError as error:
            form.add_error(None, str(error))
            return self.form_invalid(form)
        update_session_auth_hash(self.request, user)
        return redirect(self.get_success_url())
