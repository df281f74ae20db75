"""Accounts: API tokens."""

from django.db import transaction
from rest_framework.authtoken.models import Token

from annotation.models import User
from annotation.services.audit_log import record


@transaction.atomic
def renew_api_token(*, user: User) -> str:
    """Return a new API token for the account; an older one stops working."""
    Token.objects.filter(user=user).delete()
    token = Token.objects.create(user=user)
    record(actor=user, action="token.renew", subject=f"user:{user.pk}")
    return str(token.key)


def api_token(*, user: User) -> str:
    """Return the account's API token, made at the first asking."""
    token, _ = Token.objects.get_or_create(user=user)
    return str(token.key)
