"""Rounds of segments: planned, opened, closed, and who gets what."""

import pytest

from annotation.models import (
    Campaign,
    RoundKind,
    Stage,
)
from annotation.services.campaigns import NewCampaign, add_raters, create_campaign
from annotation.services.segment_rounds import (
    NewSegmentRound,
    open_segment_round,
    plan_segment_round,
)
from tests.factories import DatasetFactory, StepFactory, TakeFactory, UserFactory, VideoFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign(owner) -> Campaign:
    """Return a campaign of segments over three takes of two scenarios, with two people."""
    dataset = DatasetFactory(owner=owner)
    for place, scenario in enumerate(("tea", "tea", "toast")):
        take = TakeFactory(
            dataset=dataset,
            uid=f"take-{place}",
            scenario=scenario,
            video=VideoFactory(dataset=dataset),
        )
        for index in range(2):
            StepFactory(take=take, index=index, step_id=f"s{index}", start_s=None, end_s=None)
    made = create_campaign(
        new=NewCampaign("Labels", kind=RoundKind.SEGMENTS), actor=owner, datasets=[dataset]
    )
    add_raters(
        campaign=made,
        raters=[UserFactory(username="ann"), UserFactory(username="ben")],
        actor=owner,
    )
    return made


def opened(campaign, owner, **new):
    planned, _ = plan_segment_round(campaign=campaign, new=NewSegmentRound(**new), actor=owner)
    result = open_segment_round(planned=planned, actor=owner)
    planned.refresh_from_db()
    return planned, result


def test_a_round_of_labels_gives_each_recording_to_k_people(campaign, owner):
    made, result = opened(campaign, owner, stage=Stage.LABEL, scheme="egooops", overlap=2)

    assert (result.added_count, result.short_trace_count) == (6, 0)
    assert made.guideline.is_frozen
    given = sorted(made.segmentations.values_list("person__username", "position"))
    assert given == [(name, place) for name in ("ann", "ben") for place in range(3)]
