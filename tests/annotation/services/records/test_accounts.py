"""Accounts and tokens, also when two people press the button at the same moment."""

import threading
from collections.abc import Callable

import pytest
from django.core.exceptions import ValidationError
from django.db import connection
from rest_framework.authtoken.models import Token

from annotation.models import Campaign, Role, User
from annotation.services.campaigns.campaigns import NewCampaign, create_campaign
from annotation.services.records.accounts import (
    AccountChangedError,
    api_token,
    change_password,
    create_rater_account,
    renew_api_token,
)
from tests.factories import UserFactory

AT_ONCE = 4


def run_at_once(work: Callable[[], object]) -> list[str]:
    """Run the work in several threads at one moment; return the names of what was raised."""
    barrier = threading.Barrier(AT_ONCE)
    raised: list[str] = []

    def run() -> None:
        barrier.wait()
        try:
            work()
        except BaseException as error:  # noqa: BLE001 (a thread's error must fail the test)
            raised.append(type(error).__name__)
        finally:
            connection.close()

    threads = [threading.Thread(target=run) for _ in range(AT_ONCE)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return raised


@pytest.mark.django_db(transaction=True)
def test_renew_api_token_at_once_leaves_one_token() -> None:
    user = UserFactory()

    raised = run_at_once(lambda: renew_api_token(user=user))

    assert (raised, Token.objects.filter(user=user).count()) == ([], 1)


@pytest.mark.django_db
@pytest.mark.parametrize("make_token", [api_token, renew_api_token])
def test_no_token_is_made_of_a_login_that_a_new_password_ended_meanwhile(make_token) -> None:
    user = UserFactory()
    checked = User.objects.get(pk=user.pk)
    change_password(user=user, password="another-long-password")

    with pytest.raises(AccountChangedError):
        make_token(user=checked)

    assert not Token.objects.filter(user=user).exists()


@pytest.mark.django_db
@pytest.mark.parametrize("make_token", [api_token, renew_api_token])
def test_no_token_is_made_of_a_login_whose_account_was_closed_meanwhile(make_token) -> None:
    checked = UserFactory()
    User.objects.filter(pk=checked.pk).update(is_active=False)

    with pytest.raises(AccountChangedError):
        make_token(user=checked)

    assert not Token.objects.filter(user=checked).exists()


@pytest.mark.django_db(transaction=True)
def test_create_rater_account_at_once_makes_one_and_refuses_the_others() -> None:
    owner = UserFactory(role=Role.RESEARCHER)

    raised = run_at_once(lambda: create_rater_account(username="mara", actor=owner))

    assert raised == [ValidationError.__name__] * (AT_ONCE - 1)
    assert User.objects.filter(username="mara").count() == 1


@pytest.mark.django_db(transaction=True)
def test_create_campaign_at_once_makes_one_and_refuses_the_others() -> None:
    owner = UserFactory(role=Role.RESEARCHER)

    raised = run_at_once(lambda: create_campaign(new=NewCampaign("Pilot"), actor=owner))

    assert raised == [ValidationError.__name__] * (AT_ONCE - 1)
    assert Campaign.objects.filter(name="Pilot").count() == 1
