"""Out of which traces a round is drawn: with a video, with a correction, of some scenarios."""

import pytest
from django.urls import reverse

from annotation.engine.campaigns.trace_choice import TraceChoice
from annotation.engine.taxonomy import EventKind
from annotation.models import Event, FilingMoment, Phase, Role, Round
from annotation.selectors.campaigns.protocol import protocol_of
from annotation.services.campaigns.campaigns import NewCampaign, add_datasets, create_campaign
from annotation.services.campaigns.rounds import ProtocolError
from annotation.services.ratings.rounds import NewRound, open_round, plan_round
from tests.factories import (
    DatasetFactory,
    EventFactory,
    TakeFactory,
    TraceFactory,
    UserFactory,
    VideoFactory,
)

pytestmark = pytest.mark.django_db

ALL = {"plain", "filmed", "placeholder", "corrected", "both", "coffee"}
ROWS = [
    # name, scenario, has a video, is a placeholder, has a correction
    ("plain", "tea", False, False, False),
    ("filmed", "tea", True, False, False),
    ("placeholder", "tea", True, True, True),
    ("corrected", "tea", False, False, True),
    ("both", "tea", True, False, True),
    ("coffee", "coffee", True, False, True),
]


@pytest.fixture
def owner():
    return UserFactory(role=Role.RESEARCHER)


@pytest.fixture
def campaign(owner):
    dataset = DatasetFactory(owner=owner)
    for name, scenario, has_video, is_placeholder, has_correction in ROWS:
        take = TakeFactory(dataset=dataset, scenario=scenario)
        trace = TraceFactory(dataset=dataset, take=take, uid=name, has_placeholders=is_placeholder)
        if has_video:
            trace.video = VideoFactory(dataset=dataset)
            trace.save()
        EventFactory(trace=trace, index=0)
        if has_correction:
            EventFactory(trace=trace, index=1, kind=EventKind.CORRECTION)
    return create_campaign(new=NewCampaign("Spring", phase=None), datasets=[dataset], actor=owner)


def planned(campaign, owner, phase=Phase.PILOT, **choice):
    new = NewRound(phase, campaign.guideline_versions.get(), **choice)
    return plan_round(campaign=campaign, new=new, actor=owner)


def names(round_):
    return set(round_.ratings.traces.values_list("uid", flat=True))


@pytest.mark.parametrize(
    ("choice", "drawn"),
    [
        ({}, ALL),
        ({"has_video": True}, {"filmed", "both", "coffee"}),
        ({"has_correction": True}, {"placeholder", "corrected", "both", "coffee"}),
        ({"has_video": True, "has_correction": True}, {"both", "coffee"}),
        ({"scenarios": ("coffee",)}, {"coffee"}),
        ({"has_video": True, "scenarios": ("tea",)}, {"filmed", "both"}),
    ],
)
def test_only_traces_that_are_as_asked_are_drawn(campaign, owner, choice, drawn):
    round_ = planned(campaign, owner, **choice)

    assert names(round_) == drawn
    assert TraceChoice.from_dict(round_.ratings.drawn_from) == TraceChoice(**choice)
    assert round_.ratings.has_all_traces == (not choice)


def test_so_many_are_drawn_of_those_that_fit(campaign, owner):
    round_ = planned(campaign, owner, per_dataset=2, has_correction=True)

    # Scenarios take turns, and only one trace is of coffee.
    assert len(names(round_)) == 2
    assert "coffee" in names(round_)
    assert names(round_) < {"placeholder", "corrected", "both", "coffee"}


def test_where_nothing_fits_no_round_is_planned(campaign, owner):
    with pytest.raises(ProtocolError, match="No trace with a video, of the scenario soup"):
        planned(campaign, owner, has_video=True, scenarios=("soup",))

    assert not Round.objects.exists()


def test_a_training_without_gold_is_not_planned(campaign, owner):
    with pytest.raises(ProtocolError, match="none has any yet: mark gold first"):
        planned(campaign, owner, phase=Phase.TRAINING)

    assert not Round.objects.exists()


def test_traces_that_come_later_stay_out_of_a_narrow_round(campaign, owner):
    round_ = planned(campaign, owner, has_video=True)
    later = TraceFactory(uid="later", video=VideoFactory())
    add_datasets(campaign=campaign, datasets=[later.dataset], actor=owner)

    open_round(planned=round_, actor=owner)

    assert names(round_) == {"filmed", "both", "coffee"}


def test_the_protocol_says_what_was_asked_of_the_traces(campaign, owner):
    planned(campaign, owner, has_video=True, scenarios=("tea",))

    [round_] = protocol_of(campaign, moment=FilingMoment.BEFORE_MAIN)["rounds"]

    assert round_["drawn_from"] == {
        "per_dataset": None, "has_video": True, "has_correction": False, "scenarios": ["tea"],
    }  # fmt: skip


def test_the_page_of_a_planned_round_lists_its_traces(campaign, owner, client):
    client.force_login(owner)
    form = {
        "phase": "pilot", "guideline": 1, "overlap": 2, "seed": 7,
        "has_video": "on", "has_correction": "on", "scenarios": ["tea"],
    }  # fmt: skip

    answer = client.post(reverse("round-new", args=[campaign.public_id]), form, follow=True)

    page = answer.content.decode()
    [(trace, time)] = answer.context["lines"]
    assert (trace.uid, trace.mistake_count, trace.correction_count, time) == ("both", 1, 1, "")
    assert "all traces with a video and a correction, of the scenario tea" in page
    assert "not known yet" in page


def test_a_form_that_asks_for_what_is_not_there_says_so(campaign, owner, client):
    client.force_login(owner)
    form = {"phase": "pilot", "guideline": 1, "overlap": 2, "seed": 7}
    address = reverse("round-new", args=[campaign.public_id])
    Event.objects.filter(kind=EventKind.CORRECTION).delete()

    refused = client.post(address, form | {"has_correction": "on"})
    unknown = client.post(address, form | {"scenarios": ["soup"]})

    assert "No trace with a correction is left to draw." in refused.content.decode()
    assert list(unknown.context["form"].errors) == ["scenarios"]


@pytest.mark.parametrize("count", [1, 3])
def test_the_list_asks_as_much_for_many_traces(owner, client, django_assert_num_queries, count):
    dataset = DatasetFactory(owner=owner)
    for _ in range(count):
        EventFactory(trace__dataset=dataset, trace__video=VideoFactory(dataset=dataset))
    campaign = create_campaign(
        new=NewCampaign("Spring", phase=None), datasets=[dataset], actor=owner
    )
    planned(campaign, owner)
    client.force_login(owner)
    address = reverse("round-detail", args=[campaign.public_id, 1])
    client.get(address)

    with django_assert_num_queries(13):
        client.get(address)


def test_the_api_plans_a_narrow_round(campaign, owner, client):
    client.force_login(owner)
    address = f"/api/v1/campaigns/{campaign.public_id}/rounds/"
    body = {"phase": "pilot", "guideline": 1, "has_video": True, "scenarios": ["tea"]}

    made = client.post(address, body, content_type="application/json")
    none = client.post(address, body | {"scenarios": ["soup"]}, content_type="application/json")

    assert made.status_code == 201
    assert made.json()["drawn_from"]["scenarios"] == ["tea"]
    assert names(Round.objects.get()) == {"filmed", "both"}
    assert none.status_code == 409
    assert "of the scenario soup" in none.json()["detail"]
