"""Factories for rows: boring values, no hidden rows beyond the parents that a row must have."""

from datetime import UTC, datetime
from fractions import Fraction

import factory
from django.contrib.auth.hashers import make_password
from django.utils import timezone
from factory.django import DjangoModelFactory

from annotation.engine.taxonomy import EventKind, Mod
from annotation.models import (
    Assignment,
    Campaign,
    CampaignRater,
    Dataset,
    Event,
    GuidelineVersion,
    Phase,
    RatingRound,
    Role,
    Round,
    RoundRater,
    Step,
    Take,
    Trace,
    TraceStep,
    User,
    Video,
    VideoIngest,
)
from segments.models import SEGMENTS, Segmentation, SegmentRecording, SegmentRound

PASSWORD = "correct horse battery"


def numbered(word: str) -> factory.Sequence:
    """Return names that sort as they were made: after 9 comes 10, not before it."""
    return factory.Sequence(lambda number: f"{word}{number:06}")


class UserFactory(DjangoModelFactory):
    """An annotator whose password is `PASSWORD`; give `role` for the other two."""

    class Meta:
        model = User

    username = numbered("user")
    password = factory.LazyFunction(lambda: make_password(PASSWORD))
    role = Role.ANNOTATOR


class DatasetFactory(DjangoModelFactory):
    """A data set without an owner, not shared, without takes."""

    class Meta:
        model = Dataset

    name = numbered("Dataset ")
    format = "egooops"


class VideoFactory(DjangoModelFactory):
    """Ten seconds of H.264 at 640 x 360; there is no file behind it."""

    class Meta:
        model = Video

    dataset = factory.SubFactory(DatasetFactory)
    stem = numbered("recording")
    path = factory.LazyAttribute(lambda video: f"{video.stem}.mp4")
    size_bytes = 1000
    container = "mov,mp4,m4a,3gp,3g2,mj2"
    video_codec = "h264"
    width = 640
    height = 360
    frame_rate = 30.0
    frame_count = 300
    duration_s = 10.0


class VideoIngestFactory(DjangoModelFactory):
    """A recording that browsers play as it is, with one picture (seconds 0 to 2) and two tiles.

    Its frames are known, at the video's own rate.
    """

    class Meta:
        model = VideoIngest

    video = factory.SubFactory(VideoFactory)
    digest = "0" * 64
    folder = factory.LazyAttribute(
        lambda row: f"ingest/{row.video.dataset.public_id}/{row.video.public_id}/0"
    )
    finished_at = datetime(2026, 1, 12, tzinfo=UTC)
    copy = factory.LazyFunction(lambda: {"name": "copy.mp4", "content": ""})
    peaks = factory.LazyFunction(lambda: [0, 50, 100])
    thumbnails = factory.LazyFunction(
        lambda: [
            {
                "start_s": 0.0,
                "end_s": 2.0,
                "name": "step-0000",
                "time_s": 1.0,
                "frame": 30,
                "pts": 1,
            }
        ]
    )
    detail = factory.LazyAttribute(
        lambda row: {
            "rate": list(Fraction(row.video.frame_rate).limit_denominator(1001).as_integer_ratio()),
            "sound": {"per_second": 100, "length": 1000, "onset_count": 2},
            "tiles": {
                "tile_s": 1.0,
                "sheet_tiles": 100,
                "columns": 10,
                "tile_width": 96,
                "tile_height": 54,
                "tile_count": 10,
                "names": ["tiles-0000"],
            },
        }
    )
    sprite = factory.LazyFunction(
        lambda: {
            "columns": 2,
            "tile_width": 160,
            "tile_height": 90,
            "positions": [
                {"time_s": 2.5, "frame": 75, "pts": 75},
                {"time_s": 7.5, "frame": 225, "pts": 225},
            ],
        }
    )


def watchable(video: Video, **fields) -> VideoIngest:
    """Let raters watch the video's own file, as if it were the copy that ingestion makes of it.

    Without pictures and without what labelling needs, unless `fields` say otherwise.
    """
    nothing = {"peaks": [], "thumbnails": [], "sprite": {}, "detail": {}}
    copy = {"name": video.path, "content": ""}
    # A folder with a root of its own does not lie below the media folder.
    folder = video.dataset.video_folder
    return VideoIngestFactory(video=video, folder=folder, copy=copy, **{**nothing, **fields})


class TakeFactory(DjangoModelFactory):
    """A take without steps."""

    class Meta:
        model = Take

    dataset = factory.SubFactory(DatasetFactory)
    uid = numbered("take")
    name = factory.SelfAttribute("uid")
    scenario = "Making tea"


class StepFactory(DjangoModelFactory):
    """Step 0 of a take; give `index` for the next ones. It lasts from second 0 to second 2."""

    class Meta:
        model = Step

    take = factory.SubFactory(TakeFactory)
    index = 0
    step_id = factory.LazyAttribute(lambda step: str(step.index + 1))
    text = factory.LazyAttribute(lambda step: f"Do part {step.index + 1}")
    start_s = factory.LazyAttribute(lambda step: 2.0 * step.index)
    end_s = factory.LazyAttribute(lambda step: 2.0 * step.index + 2.0)


class TraceFactory(DjangoModelFactory):
    """A trace without rows; its take lies in the same data set."""

    class Meta:
        model = Trace

    dataset = factory.SubFactory(DatasetFactory)
    take = factory.SubFactory(TakeFactory, dataset=factory.SelfAttribute("..dataset"))
    uid = numbered("trace")
    name = factory.SelfAttribute("uid")


class EventFactory(DjangoModelFactory):
    """A mistake without a proposed type and without rows."""

    class Meta:
        model = Event

    trace = factory.SubFactory(TraceFactory)
    index = factory.Sequence(lambda n: n)
    event_id = factory.LazyAttribute(lambda event: f"e{event.index}")
    kind = EventKind.MISTAKE


class TraceStepFactory(DjangoModelFactory):
    """Unchanged row 0 of a trace; give `index` for the next ones, `mod` and `event` for others."""

    class Meta:
        model = TraceStep

    trace = factory.SubFactory(TraceFactory)
    index = 0
    mod = Mod.UNCHANGED
    text = factory.LazyAttribute(lambda row: f"Do part {row.index + 1}")
    start_s = factory.LazyAttribute(lambda row: 2.0 * row.index)
    end_s = factory.LazyAttribute(lambda row: 2.0 * row.index + 2.0)


class CampaignFactory(DjangoModelFactory):
    """A main campaign without data sets and raters, whose one round is open; overlap 1.

    What belongs to the round is given here as well: `phase`, `overlap`, `seed`, `rubric_version`,
    `guideline_version`, `closed_at`.
    """

    class Meta:
        model = Campaign

    name = numbered("Campaign ")

    @classmethod
    def _create(cls, model_class, *args, **kwargs):
        of_round = {
            name: kwargs.pop(name) for name in ("overlap", "seed", "closed_at") if name in kwargs
        }
        phase = kwargs.pop("phase", Phase.MAIN)
        rubric_version = kwargs.pop("rubric_version", "2")
        guideline = kwargs.pop("guideline_version", "1")
        state = "closed" if of_round.get("closed_at") else phase
        campaign = super()._create(model_class, *args, **{"state": state, **kwargs})
        made = Round.objects.create(
            campaign=campaign,
            number=1,
            phase=phase,
            guideline=GuidelineVersion.objects.create(
                campaign=campaign, number=1, name=guideline, frozen_at=timezone.now()
            ),
            opened_at=timezone.now(),
            **{"overlap": 1, **of_round},
        )
        RatingRound.objects.create(round=made, rubric_version=rubric_version)
        return campaign


class CampaignRaterFactory(DjangoModelFactory):
    """An annotator in a campaign and in its rounds."""

    class Meta:
        model = CampaignRater

    @classmethod
    def _create(cls, model_class, *args, **kwargs):
        for made in kwargs["campaign"].rounds.all():
            RoundRater.objects.get_or_create(round=made, rater=kwargs["rater"])
        return super()._create(model_class, *args, **kwargs)

    campaign = factory.SubFactory(CampaignFactory)
    rater = factory.SubFactory(UserFactory)


class AssignmentFactory(DjangoModelFactory):
    """An open assignment at the front of the queue of a rater, in the last round of `campaign`."""

    class Meta:
        model = Assignment

    @classmethod
    def _create(cls, model_class, *args, **kwargs):
        campaign, made = kwargs.pop("campaign"), kwargs.pop("round", None)
        made = made or (campaign or CampaignFactory()).rounds.latest("number")
        CampaignRater.objects.get_or_create(campaign=made.campaign, rater=kwargs["rater"])
        RoundRater.objects.get_or_create(round=made, rater=kwargs["rater"])
        return super()._create(model_class, *args, round=made, **kwargs)

    campaign = None
    rater = factory.SubFactory(UserFactory)
    trace = factory.SubFactory(TraceFactory)
    position = 0


class SegmentRoundFactory(DjangoModelFactory):
    """An open round of segments in a campaign of segments; `stage`, `scheme`, ... as of the model.

    Its guideline is frozen and its campaign has no raters; give `round` to add to one that exists.
    """

    class Meta:
        model = SegmentRound

    class Params:
        campaign = factory.LazyFunction(
            lambda: Campaign.objects.create(
                name=f"Segments {Campaign.objects.count()}", kind=SEGMENTS
            )
        )
        overlap = 2

    scheme = "egooops"
    scheme_version = 1

    @factory.lazy_attribute
    def round(self):
        number = self.campaign.rounds.count() + 1
        guideline = GuidelineVersion.objects.create(
            campaign=self.campaign,
            kind=SEGMENTS,
            number=number,
            name=str(number),
            text={"scheme": self.scheme, "scheme_version": self.scheme_version, "text": "Look."},
            frozen_at=timezone.now(),
        )
        return Round.objects.create(
            campaign=self.campaign,
            number=number,
            kind=SEGMENTS,
            guideline=guideline,
            overlap=self.overlap,
            opened_at=timezone.now(),
        )


class SegmentRecordingFactory(DjangoModelFactory):
    """The recording of a take in an open round of segments."""

    class Meta:
        model = SegmentRecording

    round = factory.LazyFunction(lambda: SegmentRoundFactory().round)
    take = factory.SubFactory(TakeFactory)


class SegmentationFactory(DjangoModelFactory):
    """A person's segmentation, not begun; the person takes part in round and campaign."""

    class Meta:
        model = Segmentation
        skip_postgeneration_save = True

    recording = factory.SubFactory(SegmentRecordingFactory)
    round = factory.SelfAttribute("recording.round")
    person = factory.SubFactory(UserFactory)
    position = factory.LazyAttribute(lambda made: made.round.segmentations.count())

    @factory.post_generation
    def takes_part(self, create, extracted):
        CampaignRater.objects.get_or_create(campaign=self.round.campaign, rater=self.person)
        RoundRater.objects.get_or_create(round=self.round, rater=self.person)
