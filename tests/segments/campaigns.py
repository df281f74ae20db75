"""Campaigns of segments for tests: their recordings, their rounds, and people who work in them."""

from annotation.services.campaigns.campaigns import NewCampaign, add_raters, create_campaign
from segments.models import SEGMENTS, Segment, SegmentSource, Stage
from segments.services.rounds import NewSegmentRound, open_segment_round, plan_segment_round
from segments.services.segmentations import begin, submit
from tests.factories import DatasetFactory, StepFactory, TakeFactory, UserFactory, VideoFactory
from tests.segments.segmenting import answer, insert, put, save

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
        new=NewCampaign(name, kind=SEGMENTS), actor=owner, datasets=[dataset]
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


def audit_and_correction(owner, **of_campaign):
    """Return an audit of six recordings, two with a "no", and the opened correction of these."""
    of_campaign = {"takes": 6, "people": ("ann", "ben", "cem", "dora"), **of_campaign}
    campaign, people = segment_campaign(owner, **of_campaign)
    of_audit = {"stage": Stage.AUDIT, "scheme": "partition", "source": SegmentSource.STEPS}
    auditors = [people["ann"], people["ben"]]
    audit, _ = opened(campaign, owner, **of_audit, people=auditors)
    rows = audit.segmentations.order_by("recording__take__uid")
    for place, own in enumerate(rows):
        audited(own, noes={(1, "complete")} if place in (1, 4) else ())
    correction, _ = opened(
        campaign, owner, stage=Stage.CORRECT, scheme="partition", source=SegmentSource.ROUND,
        source_round=audit, people=[people["cem"]],
    )  # fmt: skip
    return campaign, people, audit, correction


def corrected(own):
    """Move the shared edge, add a segment at the end, say yes to everything, and submit."""
    begin(public_id=own.public_id, actor=own.person)
    first, second = Segment.objects.filter(segmentation=own)
    save(own, put(1, second.key, 1, start_s=4.0), put(2, first.key, 1, end_s=4.0))
    added = insert(4, "0a1b2c3d4e5f", 8.0, 10.0, step_id="-1", text="Stir")
    save(own, put(3, second.key, 2, end_s=8.0), added)
    segments = Segment.objects.filter(segmentation=own)
    answer(
        own, *((item.key, item.revision, asked, True) for item in segments for asked in QUESTIONS)
    )
    submit(public_id=own.public_id, actor=own.person)
