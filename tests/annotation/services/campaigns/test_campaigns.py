"""Campaigns: allocation over rows, topping up, removal, closing, and no over-collection."""

import threading
from collections import Counter
from datetime import UTC, datetime

import pytest
from django.core.exceptions import ValidationError
from django.db import connection

from annotation.models import Assignment, AuditEntry, Phase, RatingEvent, Role, User
from annotation.services.campaigns.campaigns import (
    CampaignClosedError,
    NewCampaign,
    add_datasets,
    add_raters,
    allocate_traces,
    close_campaign,
    create_campaign,
    remove_rater,
)
from annotation.services.ratings.rounds import NewRound, open_round, plan_round
from annotation.services.records.accounts import create_rater_account
from tests.annotation.campaigns import make_campaign, make_dataset
from tests.factories import CampaignFactory, UserFactory


def loads(campaign) -> Counter:
    return Counter(
        Assignment.objects.filter(round__campaign=campaign).values_list("rater", flat=True)
    )


def coverage(campaign) -> Counter:
    return Counter(
        Assignment.objects.filter(round__campaign=campaign).values_list("trace", flat=True)
    )


def begin(assignment: Assignment) -> None:
    RatingEvent.objects.create(
        assignment=assignment,
        metric="error_validity",
        value="yes",
        revision=1,
        client_id="tab",
        client_sequence=1,
        rated_at=datetime(2026, 1, 1, tzinfo=UTC),
    )


def test_create_campaign_uses_the_current_rubric(owner):
    campaign = create_campaign(
        new=NewCampaign(name="Pilot", overlap=2, phase=Phase.PILOT, guideline_version="0.9"),
        actor=owner,
    )

    made = campaign.rounds.get()
    assert (campaign.owner, made.ratings.rubric_version, made.guideline.name) == (
        owner,
        "2",
        "0.9",
    )
    actions = AuditEntry.objects.order_by("pk").values_list("action", flat=True)
    assert list(actions[:2]) == ["campaign.create", "guideline.create"]
    assert set(actions[2:]) == {"round.plan", "guideline.freeze", "round.open"}
    with pytest.raises(ValidationError, match="already exists"):
        create_campaign(new=NewCampaign(name="Pilot"), actor=owner)
    with pytest.raises(ValidationError):
        create_campaign(new=NewCampaign(name="Other", overlap=0, phase=Phase.PILOT), actor=owner)


@pytest.mark.django_db
def test_allocation_gives_each_trace_k_raters_and_even_loads():
    campaign, people = make_campaign(traces=6, raters=3, overlap=2)

    assert set(coverage(campaign).values()) == {2}
    assert loads(campaign) == {rater.pk: 4 for rater in people}
    for rater in people:
        positions = Assignment.objects.filter(rater=rater).values_list("position", flat=True)
        assert sorted(positions) == [0, 1, 2, 3]
    assert allocate_traces(campaign=campaign, actor=None).added_count == 0


@pytest.mark.django_db
def test_allocation_says_how_many_traces_lack_raters():
    campaign = CampaignFactory(overlap=3)
    add_raters(campaign=campaign, raters=UserFactory.create_batch(2), actor=None)

    result = add_datasets(campaign=campaign, datasets=[make_dataset(4)], actor=None)

    assert (result.added_count, result.short_trace_count) == (8, 4)


@pytest.mark.django_db
def test_new_raters_and_datasets_top_up_and_keep_the_begun():
    campaign, people = make_campaign(traces=6, raters=2, overlap=1)
    begun = Assignment.objects.filter(rater=people[0]).order_by("position").first()
    begin(begun)

    late = UserFactory()
    result = add_raters(campaign=campaign, raters=[late, people[0]], actor=None)

    assert result.added_count == 0
    assert result.moved_count == 2
    assert set(coverage(campaign).values()) == {1}
    assert set(loads(campaign).values()) == {2}
    assert Assignment.objects.get(pk=begun.pk).rater == people[0]

    add_datasets(campaign=campaign, datasets=[make_dataset(3)], actor=None)

    assert set(coverage(campaign).values()) == {1}
    assert set(loads(campaign).values()) == {3}


@pytest.mark.django_db
def test_queues_differ_between_raters_and_repeat_with_the_seed():
    campaign, people = make_campaign(traces=12, raters=2, overlap=2)

    def queue(rater):
        own = Assignment.objects.filter(rater=rater).order_by("position")
        return list(own.values_list("trace", flat=True))

    before = [queue(rater) for rater in people]
    assert before[0] != before[1]

    Assignment.objects.all().delete()
    allocate_traces(campaign=campaign, actor=None)

    assert [queue(rater) for rater in people] == before


@pytest.mark.django_db
def test_remove_rater_keeps_ratings_and_hands_on_the_rest():
    campaign, people = make_campaign(traces=6, raters=3, overlap=1)
    begun = Assignment.objects.filter(rater=people[0]).first()
    begin(begun)

    remove_rater(campaign=campaign, rater=people[0], actor=None)

    assert list(Assignment.objects.filter(rater=people[0])) == [begun]
    assert RatingEvent.objects.count() == 1
    assert set(coverage(campaign).values()) == {1}
    assert sorted(loads(campaign).values()) == [1, 2, 3]

    add_raters(campaign=campaign, raters=[people[0]], actor=None)

    assert set(loads(campaign).values()) == {2}


@pytest.mark.django_db
def test_a_closed_campaign_takes_nobody_until_another_round_is_open():
    campaign, _ = make_campaign()
    close_campaign(campaign=campaign, actor=None)
    close_campaign(campaign=campaign, actor=None)

    with pytest.raises(CampaignClosedError, match="plan another round"):
        add_raters(campaign=campaign, raters=[UserFactory()], actor=None)
    first = campaign.rounds.get()
    again = NewRound(Phase.MAIN, first.guideline, rates_pilot_again=True)
    open_round(planned=plan_round(campaign=campaign, new=again, actor=None), actor=None)
    add_raters(campaign=campaign, raters=[UserFactory()], actor=None)

    actions = Counter(AuditEntry.objects.values_list("action", flat=True))
    assert (actions["campaign.close"], actions["round.open"]) == (1, 1)
    assert [made.is_open for made in campaign.rounds.all()] == [False, True]


@pytest.mark.django_db(transaction=True)
def test_concurrent_allocation_collects_no_more_than_k():
    campaign, _ = make_campaign(traces=8, raters=2, overlap=2)
    newcomers = UserFactory.create_batch(4)
    datasets = [make_dataset(3) for _ in range(4)]
    errors: list[BaseException] = []

    def work(rater, dataset) -> None:
        try:
            add_raters(campaign=campaign, raters=[rater], actor=None)
            add_datasets(campaign=campaign, datasets=[dataset], actor=None)
            allocate_traces(campaign=campaign, actor=None)
        except BaseException as error:  # noqa: BLE001 (a thread's error must fail the test)
            errors.append(error)
        finally:
            connection.close()

    threads = [
        threading.Thread(target=work, args=pair) for pair in zip(newcomers, datasets, strict=True)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert errors == []
    assert coverage(campaign) == dict.fromkeys(coverage(campaign), 2)
    assert len(coverage(campaign)) == 8 + 12
    counts = loads(campaign).values()
    assert max(counts) - min(counts) <= 1


def test_create_rater_account_shows_a_password_that_works(owner):
    made = create_rater_account(username="new.rater", actor=owner)

    user = User.objects.get(username="new.rater")
    assert (user.role, user.check_password(made.password)) == (Role.ANNOTATOR, True)
    assert made.password not in str(AuditEntry.objects.values_list("detail"))
    for wrong in ("new.rater", "no spaces", ""):
        with pytest.raises(ValidationError):
            create_rater_account(username=wrong, actor=owner)
