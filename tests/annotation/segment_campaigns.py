"""Campaigns of segments for tests: their recordings, their rounds, and people who work in them."""

from annotation.models import RoundKind, Segment
from annotation.services.campaigns import NewCampaign, add_raters, create_campaign
from annotation.services.segment_rounds import (
    NewSegmentRound,
    open_segment_round,
    plan_segment_round,
)
from annotation.services.segmentations import begin, submit
from tests.annotation.segmenting import answer
from tests.factories import DatasetFactory, StepFactory, TakeFactory, UserFactory, VideoFactory

QUESTIONS = ("accurate", "specific", "complete")


def timed_dataset(owner, *, takes=3, scenarios=("tea",), has_times=True):
    """Return a data set of takes of ten seconds with a video and two steps, whole or untimed."""
    made = DatasetFactory(owner=owner)
    for place in range(takes):
        take = TakeFactory(
            dataset=made,
            uid=f"take-{place}",
            scenario=scenarios[place % len(scenarios)],
            video_stem=f"video-{place}",
            video=VideoFactory(dataset=made, stem=f"video-{place}", duration_s=10.0),
        )
        for index, text in enumerate(("Boil the water", "Pour it on the leaves")):
            times = {"start_s": 5.0 * index, "end_s": 5.0 * index + 5.0}
            StepFactory(
                take=take,
                index=index,
                step_id=f"s{index}",
                text=text,
                **(times if has_times else {"start_s": None, "end_s": None}),
            )
    return made


def segment_campaign(owner, *, people=("ann", "ben"), name="Labels", **of_dataset):
    """Return a campaign of segments with its people by name."""
    dataset = timed_dataset(owner, **of_dataset)
    campaign = create_campaign(
        new=NewCampaign(name, kind=RoundKind.SEGMENTS), actor=owner, datasets=[dataset]
    )
    users = {username: UserFactory(username=username) for username in people}
    add_raters(campaign=campaign, raters=users.values(), actor=owner)
    return campaign, users


def opened(campaign, owner, **new):
    """Return a round that was planned and opened, and what was given out."""
    planned, _ = plan_segment_round(campaign=campaign, new=NewSegmentRound(**new), actor=owner)
    result = open_segment_round(planned=planned, actor=owner)
    planned.refresh_from_db()
    return planned, result


def audited(own, *, noes=()):
    """Answer every question about every segment, "no" where (place, question) is named; submit."""
    begin(public_id=own.public_id, actor=own.person)
    segments = Segment.objects.filter(segmentation=own, is_deleted=False)
    answer(
        own,
        *(
            (item.key, item.revision, question, (place, question) not in noes)
            for place, item in enumerate(segments)
            for question in QUESTIONS
        ),
    )
    submit(public_id=own.public_id, actor=own.person)
