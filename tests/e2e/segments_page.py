"""The segment editor in a browser: a recording with numbered frames, and what tests do there."""

import io
import json
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from django.urls import reverse
from playwright.sync_api import Page

from annotation.models import User
from segments.engine.model import Segment
from segments.formats.exchange import segment_formats
from segments.models import Segmentation
from segments.services.export import SegmentExport, export_segments
from tests.e2e.site import enter
from tests.factories import (
    DatasetFactory,
    SegmentationFactory,
    SegmentRecordingFactory,
    SegmentRoundFactory,
    StepFactory,
    TakeFactory,
    UserFactory,
    VideoFactory,
    VideoIngestFactory,
    watchable,
)
from tests.recordings import write_recording

RATE = 25
DURATION_S = 20.0
STEPS = (
    "Pour about 15 mL of water into a cup",
    "Add a spoon of detergent and stir",
    "Drop yellow paint into the second cup",
    "Draw the green liquid with the pipette",
    "Hold the blacklight over the café crème",
)


@dataclass(frozen=True)
class Segmenting:
    """A person with one recording to segment."""

    person: User
    own: Segmentation

    def segments(self) -> list[tuple]:
        """Return what is stored, by time: (start, end, step, label, text)."""
        rows = self.own.segments.filter(is_deleted=False).order_by("start_s", "end_s", "step_id")
        return list(rows.values_list("start_s", "end_s", "step_id", "label", "text"))


def make_segmenting(
    folder: Path,
    *,
    steps=STEPS,
    duration_s: float = DURATION_S,
    proposals: tuple[Segment, ...] = (),
    has_video: bool = True,
    is_ingested: bool = True,
    username: str = "newcomer",
    **of_round,
) -> Segmenting:
    """Return somebody with a take of untimed steps, and its video, to segment."""
    dataset = DatasetFactory(video_folder=str(folder))
    video = None
    if has_video:
        write_recording(
            folder / "recording.mp4", rate=Fraction(RATE), frame_count=round(duration_s * RATE),
            size=(320, 180), group=RATE, sound=None, is_faststart=True,
        )  # fmt: skip
        video = VideoFactory(
            dataset=dataset, path="recording.mp4", stem="recording", duration_s=duration_s,
            frame_rate=RATE, frame_count=round(duration_s * RATE), width=320, height=180,
        )  # fmt: skip
        # The factory tells of files that are not there.
        told = VideoIngestFactory.build(video=video)
        pictures = {"thumbnails": told.thumbnails, "sprite": told.sprite, "peaks": told.peaks}
        no_tiles = told.detail["tiles"] | {"tile_count": 0, "names": []}
        detail = told.detail | {"sound": None, "tiles": no_tiles}
        watchable(video, **pictures, detail=detail) if is_ingested else watchable(video)
    take = TakeFactory(dataset=dataset, uid="recording", video=video, scenario="Mixing colours")
    for index, text in enumerate(steps):
        StepFactory(take=take, index=index, step_id=str(index), text=text, start_s=None, end_s=None)
    made = SegmentRoundFactory(**of_round).round
    recording = SegmentRecordingFactory(
        round=made, take=take, proposals=[item.to_dict() for item in proposals]
    )
    person = UserFactory(username=username)
    return Segmenting(person, SegmentationFactory(recording=recording, person=person))


def open_segments(page: Page, live_server, segmenting: Segmenting) -> None:
    if not page.context.cookies():
        enter(page, live_server, segmenting.person)
    page.goto(live_server.url + reverse("segments", args=[segmenting.own.public_id]))
    page.wait_for_selector("html[data-ready]")


def wait_until_playable(page: Page) -> None:
    page.wait_for_function("() => document.querySelector('#player video').readyState >= 2")


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def playhead_s(page: Page) -> float:
    """Return the time that the clock over the recording says."""
    minutes, _, rest = page.locator("#clock").inner_text().split(" ")[0].partition(":")
    return int(minutes) * 60 + float(rest)


def exported(segmenting: Segmenting) -> dict:
    """Return what the site exports of the round as an EgoOops file."""
    out = io.BytesIO()
    export_segments(segmenting.own.round, SegmentExport(segment_formats()["egooops"]), out)
    return json.loads(out.getvalue())
