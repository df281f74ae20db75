"""Accounts: API tokens, and annotators that a researcher takes in."""

import secrets
from dataclasses import dataclass

from django.db import IntegrityError, transaction
from django.db.models import Model
from rest_framework.authtoken.models import Token

from annotation.models import Role, User
from annotation.services.audit_log import record

# 12 characters: enough for a password that is used once and then changed.
PASSWORD_BYTES = 9


@transaction.atomic
def renew_api_token(*, user: User) -> str:
    """Return a new API token for the account; an older one stops working."""
    # Two clicks at once would each delete the old token and then make one.
    User.objects.select_for_update().get(pk=user.pk)
    Token.objects.filter(user=user).delete()
    token = Token.objects.create(user=user)
    record(actor=user, action="token.renew", subject=f"user:{user.pk}")
    return str(token.key)


def api_token(*, user: User) -> str:
    """Return the account's API token, made at the first asking."""
    token, _ = Token.objects.get_or_create(user=user)
    return str(token.key)


def save_new(row: Model) -> None:
    """Save a new row; raises `ValidationError` also where its name is taken at the same moment."""
    row.full_clean()
    try:
        with transaction.atomic():
            row.save()
    except IntegrityError:
        # PostgreSQL lets two of one name come this far; now the check sees the other one.
        row.full_clean()
        raise


@dataclass(frozen=True, slots=True)
class NewAccount:
    """An account that was just made, with the only copy of its first password."""

    user: User
    password: str


@transaction.atomic
def create_rater_account(*, username: str, actor: User) -> NewAccount:
    """Return a new annotator with a random password, which is shown once and stored nowhere.

    Raises `ValidationError` when the name is taken or not a user name.
    """
    password = secrets.token_urlsafe(PASSWORD_BYTES)
    user = User(username=username, role=Role.ANNOTATOR)
    user.set_password(password)
    save_new(user)
    record(actor=actor, action="user.create", subject=f"user:{user.pk}", detail={"role": user.role})
    return NewAccount(user=user, password=password)
