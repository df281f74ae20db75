"""Who sees which campaigns, and how far they are at a constant number of queries."""

import numpy as np
import pytest
from django.http import Http404
from django.utils import timezone

from annotation.engine.rubric.rubric import Metric
from annotation.models import Assignment, Campaign
from annotation.models.round_kinds import round_kinds
from annotation.selectors.campaigns.campaigns import (
    Progress,
    campaigns_with_people,
    campaigns_with_progress,
    get_campaign_for_user,
    get_changeable_campaign,
    progress_of,
    rater_progress,
)
from annotation.selectors.campaigns.rounds import rounds_with_progress
from annotation.services.campaigns.campaigns import remove_rater
from annotation.services.ratings.saving import save_changes
from segments.selectors.rounds import segment_rounds
from tests.annotation.campaigns import make_campaign
from tests.annotation.rating_changes import change
from tests.factories import CampaignFactory, EventFactory
from tests.site.furnished import furnish


def test_campaigns_are_seen_by_owner_shared_and_administrator(
    owner, outsider, administrator, annotator
):
    private = CampaignFactory(owner=owner)
    shared = CampaignFactory(owner=owner, is_shared=True)

    def seen(user):
        return set(campaigns_with_progress(user))

    assert [seen(user) for user in (owner, outsider, administrator, annotator)] == [
        {private, shared},
        {shared},
        {private, shared},
        set(),
    ]
    assert get_changeable_campaign(owner, private.public_id) == private
    for user, campaign in ((outsider, private), (annotator, shared)):
        with pytest.raises(Http404):
            get_campaign_for_user(user, campaign.public_id)
    with pytest.raises(Http404):
        get_changeable_campaign(outsider, shared.public_id)


def test_campaigns_with_progress_costs_one_query(owner, django_assert_num_queries):
    for _ in range(3):
        campaign, _ = make_campaign(traces=4, raters=2, overlap=2)
        campaign.owner = owner
        campaign.save()

    with django_assert_num_queries(2):
        found = list(campaigns_with_progress(owner))

    counts = [
        (
            item.rater_count,
            item.trace_count,
            item.assigned_count,
            item.started_count,
            item.submitted_count,
        )
        for item in found
    ]
    assert counts == [(2, 4, 8, 0, 0)] * 3


@pytest.mark.django_db
def test_rater_progress_counts_members_and_who_has_left(django_assert_num_queries):
    campaign, people = make_campaign(traces=4, raters=2, overlap=1)
    assignment = Assignment.objects.filter(rater=people[0]).first()
    EventFactory(trace=assignment.trace, index=0)
    save_changes(
        public_id=assignment.public_id,
        client_id="tab",
        changes=[change(1, Metric.ERROR_VALIDITY, "yes")],
        actor=people[0],
    )
    remove_rater(campaign=campaign, rater=people[0], actor=None)

    with django_assert_num_queries(2):
        found = rater_progress(campaign)

    assert [
        (row.username, row.is_member, row.assigned_count, row.started_count, row.rating_count)
        for row in found
    ] == [(people[0].username, False, 1, 1, 1), (people[1].username, True, 3, 0, 0)]


def test_progress_of_raters_is_that_of_their_campaign(owner):
    furnish(owner)
    campaign, _ = make_campaign(traces=12, raters=4, overlap=3)
    rng = np.random.default_rng(34)
    for assignment in Assignment.objects.filter(round__campaign=campaign):
        if rng.random() < 0.6:
            assignment.started_at = timezone.now()
        if assignment.started_at and rng.random() < 0.5:
            assignment.status, assignment.submitted_at = "submitted", timezone.now()
        assignment.save()
    remove_rater(campaign=campaign, rater=campaign.raters.first().rater, actor=None)
    Campaign.objects.update(owner=owner)

    found = list(campaigns_with_progress(owner))

    assert {item.kind for item in found} == {kind.name for kind in round_kinds()}
    assert 0 < found[0].submitted_count < found[0].started_count < found[0].assigned_count
    with_people = {item.pk: item for item in campaigns_with_people(owner)}
    for item in found:
        counts = Progress(item.assigned_count, item.started_count, item.submitted_count)
        assert progress_of(rater_progress(item)) == counts
        assert with_people[item.pk].rater_count == item.rater_count
        assert with_people[item.pk].trace_count == item.trace_count


@pytest.mark.django_db
@pytest.mark.parametrize("counted", [rounds_with_progress, segment_rounds])
def test_rounds_are_counted_without_joins_that_multiply_each_other(counted):
    # 20 people at 2,000 segmentations of 200 recordings would be eight million rows.
    assert counted(CampaignFactory()).query.group_by is None
