"""Accounts: API tokens, people who are taken in, and what administrators decide about them."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass

from axes.utils import reset as reset_lock
from django.contrib.auth.hashers import PBKDF2PasswordHasher, get_hasher, make_password
from django.contrib.auth.tokens import default_token_generator
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import Model
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode
from rest_framework.authtoken.models import Token

from annotation.engine.exceptions import NotNowError
from annotation.models import Role, User
from annotation.services.records.audit_log import record

# 12 characters: enough for a password that has to be changed at the first login.
PASSWORD_BYTES = 9
# Nobody guesses 72 random bits, however quickly one guess is tried: so 500 accounts take a second
# or two and not two minutes, in which nobody could save. The first login hashes it as any other.
FIRST_PASSWORD_ITERATIONS = 2_000
CHANGE_FIRST = "Log in on the site and change your first password; then ask again."


# What an account may, and the password by which that was checked.
RIGHTS = ("password", "role", "is_active", "is_staff", "is_superuser")
CHANGED_MEANWHILE = "Your account was changed at the same moment; try again."


class AccountChangedError(NotNowError):
    """The account has another password or other rights than when its password was checked."""


class FirstPasswordError(ValueError):
    """The account still has the password that somebody else made for it."""


@transaction.atomic
def password_changed(*, user: User, actor: User) -> None:
    """Record that a password was changed; `actor` is who typed the new one.

    A password that an administrator sets for somebody else has to be changed by its owner. What
    the old password gave has ended already (`annotation/password_changes.py`).
    """
    User.objects.filter(pk=user.pk).update(must_change_password=actor.pk != user.pk)
    record(actor=actor, action="password.change", subject=f"user:{user.pk}")


def change_password(*, user: User, password: str) -> None:
    """Store the password that its owner chose; `user` is as read when the right to was checked.

    Raises `AccountChangedError` where password or rights are others by now: a link works once,
    whoever uses it at the same moment, and nobody keeps rights that somebody else takes away.
    """
    before = _rights_of(user)
    # Hashing takes a quarter of a second, in which a transaction would let nobody save.
    user.set_password(password)
    with transaction.atomic():
        _lock_as_checked(user, before)
        user.save(update_fields=["password"])
        password_changed(user=user, actor=user)


def _rights_of(user: User) -> tuple[object, ...]:
    return tuple(getattr(user, name) for name in RIGHTS)


def _lock_as_checked(user: User, checked: tuple[object, ...]) -> None:
    """Lock the account; raises `AccountChangedError` where its rights are not those any more."""
    stored = User.objects.select_for_update().filter(pk=user.pk)
    if list(stored.values_list(*RIGHTS)) != [checked]:
        raise AccountChangedError(CHANGED_MEANWHILE)


def end_api_token(*, user: User) -> None:
    Token.objects.filter(user=user).delete()


@dataclass(frozen=True, slots=True)
class PasswordLink:
    """The parts of a link by which an account chooses a password, once and for some days."""

    user_id: str
    token: str


@transaction.atomic
def make_password_link(*, user: User, actor: User) -> PasswordLink:
    """End the account's sessions, API token and password, and return the link to a new one.

    The link is over when it was used, when another one is made, and after PASSWORD_RESET_TIMEOUT.
    """
    locked = User.objects.select_for_update().get(pk=user.pk)
    # Sessions carry a hash of the password, so they end with it.
    locked.set_unusable_password()
    locked.must_change_password = False
    locked.save(update_fields=["password", "must_change_password"])
    end_api_token(user=locked)
    record(actor=actor, action="password.link", subject=f"user:{locked.pk}")
    token = default_token_generator.make_token(locked)
    return PasswordLink(urlsafe_base64_encode(force_bytes(locked.pk)), token)


@transaction.atomic
def renew_api_token(*, user: User) -> str:
    """Give the account a new API token; an older one stops working.

    `user` is as read with the login. Raises `AccountChangedError` where password or rights are
    others by now: no token is made for a login that a new password has ended.
    """
    # Also, two clicks at once would each delete the old token and then make one.
    _lock_as_checked(user, _rights_of(user))
    Token.objects.filter(user=user).delete()
    token = Token.objects.create(user=user)
    record(actor=user, action="token.renew", subject=f"user:{user.pk}")
    return str(token.key)


@transaction.atomic
def api_token(*, user: User) -> str:
    """The account's API token, made when it is first asked for; `user` is as its password allowed.

    Raises `FirstPasswordError` while the account still has the password that was made for it, and
    `AccountChangedError` where password or rights are others by now: checking a password takes a
    quarter of a second, and a token made after a new one would outlive the old.
    """
    if user.must_change_password:
        raise FirstPasswordError(CHANGE_FIRST)
    _lock_as_checked(user, _rights_of(user))
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


class OwnRightsError(NotNowError):
    """An administrator changes what another account may, not what their own may."""


class TechniciansAccountError(NotNowError):
    """An account with all rights of the machine is changed only by one of its kind."""


@transaction.atomic
def create_rater_account(
    *, username: str, actor: User, details: Mapping[str, str] | None = None
) -> NewAccount:
    """Make an annotator with a random password, which is shown once and stored nowhere.

    `details` are other fields of the account. Raises `ValidationError`, naming the account, when
    the name is taken or not a user name, or a field is wrong.
    """
    try:
        return create_account(
            username=username, role=Role.ANNOTATOR, actor=actor, details=details or {}
        )
    except ValidationError as error:
        raise ValidationError([f"{username}: {message}" for message in error.messages]) from error


@transaction.atomic
def create_account(
    *, username: str, role: Role, actor: User, details: Mapping[str, str] | None = None
) -> NewAccount:
    """Make an account of a role with a random password, which is shown once and stored nowhere."""
    password = secrets.token_urlsafe(PASSWORD_BYTES)
    user = User(
        username=username,
        role=role,
        must_change_password=True,
        taken_in_by=actor,
        password=_hashed_first_password(password),
        **(details or {}),
    )
    save_new(user)
    record(actor=actor, action="user.create", subject=f"user:{user.pk}", detail={"role": user.role})
    return NewAccount(user=user, password=password)


def _hashed_first_password(password: str) -> str:
    hasher = get_hasher()
    if isinstance(hasher, PBKDF2PasswordHasher):
        return hasher.encode(password, hasher.salt(), FIRST_PASSWORD_ITERATIONS)
    return make_password(password)


def renew_first_password(*, user: User, actor: User) -> NewAccount:
    """Give an account a random password that its owner has to change; the old one ends."""
    password = secrets.token_urlsafe(PASSWORD_BYTES)
    hashed = _hashed_first_password(password)
    with transaction.atomic():
        locked = _lock_for(user, actor)
        locked.password = hashed
        # Sessions carry a hash of the password, so they end with it.
        locked.save(update_fields=["password"])
        end_api_token(user=locked)
        password_changed(user=locked, actor=actor)
    return NewAccount(user=locked, password=password)


@dataclass(frozen=True, slots=True)
class AccountChange:
    """What an administrator decides about an account."""

    username: str
    role: Role
    is_active: bool


@transaction.atomic
def change_account(*, user: User, change: AccountChange, actor: User) -> None:
    """Give an account another name, role or state.

    Another name takes the person's name and mail address away, which belong to the old one. Raises
    `ValidationError` where the name is taken or not a user name, `OwnRightsError` and
    `TechniciansAccountError` where the account is not the administrator's to change.
    """
    locked = _lock_for(user, actor)
    detail: dict[str, object] = {
        name: getattr(change, name)
        for name in ("role", "is_active")
        if getattr(change, name) != getattr(locked, name)
    }
    if change.username != locked.username:
        # The log names accounts by their numbers, so that a name can be forgotten.
        detail["renamed"] = True
        locked.first_name = locked.last_name = locked.email = ""
    if not detail:
        return
    locked.username, locked.role = change.username, change.role
    locked.is_active = change.is_active
    save_new(locked)
    record(actor=actor, action="user.change", subject=f"user:{locked.pk}", detail=detail)


def _lock_for(user: User, actor: User) -> User:
    """The account, locked, if it is for this administrator to change."""
    locked = User.objects.select_for_update().get(pk=user.pk)
    if locked.pk == actor.pk:
        raise OwnRightsError("Your own account is changed by another administrator.")
    if locked.is_superuser and not actor.is_superuser:
        raise TechniciansAccountError(
            f"{locked.username} was made on the command line: another such account changes it."
        )
    return locked


def unlock_account(*, user: User, actor: User) -> None:
    """Let somebody log in again who typed too many wrong passwords."""
    with transaction.atomic():
        reset_lock(username=user.username)
        record(actor=actor, action="user.unlock", subject=f"user:{user.pk}")
