"""What migrations do to rows that are kept."""

import importlib

import pytest
from django.apps import apps

from annotation.models import User
from annotation.selectors.campaigns.campaigns import get_invitation
from annotation.services.campaigns.campaigns import add_raters
from annotation.services.campaigns.invitations import join_with_new_account, make_invitation
from annotation.services.records.accounts import create_rater_account
from tests.factories import CampaignFactory, UserFactory

pytestmark = pytest.mark.django_db


def test_the_audit_log_tells_who_took_accounts_in():
    owner, administrator = UserFactory(role="researcher"), UserFactory(role="administrator")
    campaign, other = CampaignFactory(owner=owner), CampaignFactory(owner=administrator)
    made = create_rater_account(username="made", actor=administrator).user
    token = make_invitation(campaign=campaign, places=1, actor=owner)
    joined = join_with_new_account(
        invitation=get_invitation(token), username="joined", password="-"
    )
    # Neither of these is the maker of the account.
    plain = UserFactory()
    add_raters(campaign=other, raters=[joined, plain], actor=administrator)
    gone = create_rater_account(username="gone", actor=owner).user
    gone.delete()
    User.objects.update(taken_in_by=None)

    migration = importlib.import_module("annotation.migrations.0033_who_took_accounts_in")
    migration.fill_in(apps, None)

    people = {owner.pk, administrator.pk, made.pk, joined.pk, plain.pk}
    assert dict(User.objects.filter(pk__in=people).values_list("pk", "taken_in_by")) == {
        owner.pk: None,
        administrator.pk: None,
        made.pk: administrator.pk,
        joined.pk: owner.pk,
        plain.pk: None,
    }
