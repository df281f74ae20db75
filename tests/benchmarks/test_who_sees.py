"""Who may see an item set, and who may read the answers of others."""

import pytest

from annotation.models import Role
from annotation.selectors.campaigns.campaigns import resettable_raters
from annotation.selectors.corpus.blinding import HiddenWhileRatingError
from benchmarks.models import Assessment
from benchmarks.selectors.item_sets import (
    get_item_set_for_user,
    visible_item_sets,
)
from benchmarks.selectors.readers import may_see_answers
from benchmarks.services.answering import start_answering
from tests.benchmarks.asked import small_set
from tests.benchmarks.made import frozen, made_set
from tests.factories import CampaignFactory, CampaignRaterFactory, UserFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def other():
    return UserFactory(role=Role.RESEARCHER)


def test_a_shared_set_is_found_by_others_once_it_is_frozen(sample, owner, other):
    made = made_set(sample, owner, is_shared=True)

    assert not visible_item_sets(other).exists()
    frozen(made, owner)
    assert list(visible_item_sets(other)) == [made]


def test_raters_of_the_data_do_not_see_its_sets_until_the_campaign_ends(sample, owner, other):
    made = made_set(sample, owner, is_shared=True)
    frozen(made, owner)
    campaign = CampaignFactory()
    campaign.datasets.add(sample)
    for person in (owner, other):
        CampaignRaterFactory(campaign=campaign, rater=person)

    for person in (owner, other):
        assert not visible_item_sets(person).exists()
        with pytest.raises(HiddenWhileRatingError):
            get_item_set_for_user(person, made.public_id)
    campaign.state = "closed"
    campaign.save()
    assert list(visible_item_sets(other)) == [made]


def test_own_unfinished_answers_do_not_open_those_of_others(sample, owner, other):
    made = small_set(sample, owner, item_count=3, is_shared=True)
    baseline = made.assessments.first()
    own = Assessment.objects.create(item_set=made, kind="endpoint", name="Asked", owner=other)

    assert not may_see_answers(other, baseline)
    assert may_see_answers(other, own)
    own.frozen_at = made.frozen_at
    own.save()
    assert may_see_answers(other, baseline)


def test_owner_of_campaigns_may_not_set_passwords_of_other_participants(sample, owner, other):
    made = small_set(sample, owner, item_count=3)
    own, others = CampaignFactory(owner=owner), CampaignFactory(owner=other)
    busy, free = UserFactory(taken_in_by=owner), UserFactory(taken_in_by=other)
    start_answering(item_set=made, person=busy, actor=owner)
    for person in (busy, free):
        CampaignRaterFactory(campaign=others, rater=person)

    assert list(resettable_raters(other, others)) == [free]
    others.raters.all().delete()
    CampaignRaterFactory(campaign=own, rater=busy)
    assert list(resettable_raters(owner, own)) == [busy]
