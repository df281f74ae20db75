"""Accounts and the audit log, for administrators."""

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.forms.records.accounts import AccountForm, NewAccountForm
from annotation.models import Role, User
from annotation.permissions import administrator_required, signed_in_user
from annotation.selectors.records.accounts import (
    accounts,
    audit_entries,
    entries_about,
    is_locked,
)
from annotation.services.records.accounts import (
    AccountChange,
    change_account,
    create_account,
    renew_first_password,
    unlock_account,
)
from annotation.tables import Filter, ListColumn, TableKind, read_table
from annotation.views.records.errors import refusals_shown

ACCOUNTS = TableKind(
    "accounts",
    (
        ListColumn("User name", "username"),
        ListColumn("Role", "role"),
        ListColumn("May log in", "is_active"),
        ListColumn("Last login", "last_login"),
        ListColumn("Since", "date_joined"),
    ),
    searched=("username",),
    filters=(
        Filter("role", "Role", {role.value: (role.label, Q(role=role)) for role in Role}),
        Filter(
            "state",
            "May log in",
            {"yes": ("yes", Q(is_active=True)), "no": ("no", Q(is_active=False))},
        ),
    ),
)
AUDIT_LOG = TableKind(
    "log",
    (
        ListColumn("When"),
        ListColumn("Who"),
        ListColumn("What"),
        ListColumn("Of what"),
        ListColumn("Details"),
    ),
    searched=("actor__username", "action", "subject"),
)


@never_cache
@administrator_required
@require_http_methods(["GET", "POST"])
def account_list(request: HttpRequest) -> HttpResponse:
    """All accounts, and one more; its first password is shown this once."""
    form = NewAccountForm(request.POST or None)
    context = {"section": "status", "form": form}
    if request.method == "POST" and form.is_valid():
        chosen = form.cleaned_data
        try:
            context["new"] = create_account(
                username=chosen["username"],
                role=Role(chosen["role"]),
                actor=signed_in_user(request),
            )
            context["form"] = NewAccountForm()
        except ValidationError as error:
            form.add_error("username", ValidationError(error.messages))
    context["table"] = read_table(request, ACCOUNTS, accounts())
    return render(request, "annotation/account_list.html", context)


@administrator_required
@require_http_methods(["GET", "POST"])
def account_detail(request: HttpRequest, number: int) -> HttpResponse:
    """One account: its name, role and state, and what was changed about it."""
    person = get_object_or_404(User, pk=number)
    form = AccountForm(request.POST) if request.method == "POST" else AccountForm.of(person)
    if request.method == "POST" and form.is_valid():
        chosen = form.cleaned_data
        change = AccountChange(chosen["username"], Role(chosen["role"]), chosen["is_active"])
        try:
            with refusals_shown(request):
                change_account(user=person, change=change, actor=signed_in_user(request))
                messages.success(request, "Saved.")
            return redirect("account-detail", number)
        except ValidationError as error:
            form.add_error("username", ValidationError(error.messages))
    return _account_page(request, person, {"form": form})


def _account_page(request: HttpRequest, person: User, more: dict[str, object]) -> HttpResponse:
    context = {
        "section": "status",
        "person": person,
        "is_own": person.pk == signed_in_user(request).pk,
        "is_locked": is_locked(person),
        "entries": entries_about(person),
        **more,
    }
    return render(request, "annotation/account_detail.html", context)


@never_cache
@administrator_required
@require_POST
def account_password(request: HttpRequest, number: int) -> HttpResponse:
    """Show a new first password once; the old one has ended."""
    person = get_object_or_404(User, pk=number)
    shown: dict[str, object] = {}
    with refusals_shown(request):
        shown["new"] = renew_first_password(user=person, actor=signed_in_user(request))
        person.refresh_from_db()
    return _account_page(request, person, {"form": AccountForm.of(person), **shown})


@administrator_required
@require_POST
def account_unlock(request: HttpRequest, number: int) -> HttpResponse:
    person = get_object_or_404(User, pk=number)
    unlock_account(user=person, actor=signed_in_user(request))
    messages.success(request, f"{person.username} can log in again.")
    return redirect("account-detail", number)


@administrator_required
@require_GET
def audit_log(request: HttpRequest) -> HttpResponse:
    table = read_table(request, AUDIT_LOG, audit_entries())
    return render(request, "annotation/audit_log.html", {"section": "status", "table": table})
