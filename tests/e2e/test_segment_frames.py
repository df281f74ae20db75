"""Edges and the frames beside them, read off recordings whose every frame says its number."""

from bisect import bisect_right
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotation.models import Video
from annotation.services.videos.ingest import queue_ingest
from annotation.services.videos.ingest_work import ingest_videos
from annotation.services.videos.linking import link_videos
from segments.engine.model import Segment
from tests.e2e.segments_page import Segmenting, open_segments, wait_until_playable
from tests.e2e.site import in_worker
from tests.factories import (
    DatasetFactory,
    SegmentationFactory,
    SegmentRecordingFactory,
    SegmentRoundFactory,
    StepFactory,
    TakeFactory,
    UserFactory,
    watchable,
)
from tests.recordings import BIT_COUNT, write_recording

pytestmark = pytest.mark.e2e

RATES = (Fraction(25), Fraction(30000, 1001), Fraction(30), Fraction(60))
SEGMENT_S = 0.9
READ = """(canvas) => {
  const context = canvas.getContext("2d");
  let number = 0;
  for (let bit = 0; bit < bitCount; bit += 1) {
    const x = Math.round((canvas.width * (bit + 0.5)) / bitCount);
    const [red] = context.getImageData(x, Math.round(canvas.height / 2), 1, 1).data;
    if (red > 125) number += 2 ** bit;
  }
  return number;
}"""
# The numbers of both pictures at the held edge with the words on them, and that in the player.
STILLS = f"""(bitCount) => ["last", "first"].map((name) => {{
  const figure = document.querySelector(`[data-still=${{name}}]`);
  const read = {READ};
  return [read(figure.querySelector("canvas")), figure.querySelector("[data-frame]").textContent];
}})"""
PLAYED = f"""(bitCount) => {{
  const video = document.querySelector("#player video");
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [video.videoWidth, video.videoHeight];
  canvas.getContext("2d").drawImage(video, 0, 0);
  const read = {READ};
  return read(canvas);
}}"""

# What the stills of an edge show of a video whose seeks take long and whose pictures come later.
LATE_STILLS = """async () => {
  const { EdgeFrames } = await import("/static/segments/js/edge_frames.js");
  const root = document.createElement("div");
  root.innerHTML = ["last", "first"].map((name) => (
    `<div data-still="${name}">
      <canvas></canvas><i data-what></i><i data-when></i><i data-frame></i>
    </div>`
  )).join("");
  const frames = new EdgeFrames({ root, url: "data:,", rate: 25 });
  const video = document.createElement("canvas");
  let [at, looks] = [0, []];
  Object.assign(video, {
    videoWidth: 2, videoHeight: 2, readyState: 4,
    requestVideoFrameCallback: (look) => { looks.push(look); },
  });
  const show = (frame) => {
    const context = video.getContext("2d");
    context.fillStyle = `rgb(${frame}, 0, 0)`;
    context.fillRect(0, 0, video.width, video.height);
    looks.splice(0).forEach((look) => look(0, { mediaTime: frame / 25 }));
  };
  Object.defineProperty(video, "currentTime", {
    get: () => at,
    set: (timeS) => {
      at = timeS;
      setTimeout(() => video.dispatchEvent(new Event("seeked")), 300);
      setTimeout(() => show(Math.floor(timeS * 25)), 400);
    },
  });
  frames.video = video;
  frames.show({ timeS: 4 });
  while (root.querySelectorAll("[data-drawn]").length < 2) await new Promise(requestAnimationFrame);
  return [...root.querySelectorAll("canvas")].map(
    (canvas) => canvas.getContext("2d").getImageData(0, 0, 1, 1).data[0]
  );
}"""


@dataclass(frozen=True)
class Filmed:
    """A recording; `times` are when its frames begin, in ticks of 1 / rate."""

    rate: Fraction
    seconds: int
    group: int
    gaps: tuple[int, ...] = (1,)

    @property
    def times(self) -> list[int]:
        found = [0]
        while found[-1] < self.seconds * self.rate:
            found.append(found[-1] + self.gaps[(len(found) - 1) % len(self.gaps)])
        return found[:-1]

    def number_at(self, time_s: Fraction) -> int:
        """Return the number of the frame that is shown a moment after a time."""
        return bisect_right(self.times, time_s * self.rate + Fraction(1, 1000)) - 1


def edges_of(filmed: Filmed) -> list[int]:
    """Return edges as frames of the grid: near both ends, at key frames, and between."""
    last = int(filmed.seconds * filmed.rate) - 2
    wanted = (1, filmed.group, filmed.group + 1, round(last / 2), last)
    return sorted({edge for edge in wanted if edge <= last})


def segment_filmed(folder: Path, filmed: Filmed, *, sound=None) -> Segmenting:
    """Return somebody who finds segments that begin at the edges, in a recording not ingested."""
    write_recording(
        folder / "numbered.mp4", rate=filmed.rate, frame_count=len(filmed.times),
        times=filmed.times, group=filmed.group, sound=sound, is_faststart=True,
        # The muxer states too short a time for frames that vary and are not stored in their order.
        b_frames=3 if filmed.gaps == (1,) else 0,
    )  # fmt: skip
    dataset = DatasetFactory()
    take = TakeFactory(dataset=dataset, video_stem="numbered")
    StepFactory(take=take, index=0, step_id="0", start_s=None, end_s=None)
    link_videos(dataset=dataset, folder=str(folder), pattern="{stem}.mp4")
    take.refresh_from_db()
    watchable(take.video)
    proposals = [
        Segment(
            key=f"at-{edge}", track="steps", step_id="0",
            start_s=float(edge / filmed.rate), end_s=float(edge / filmed.rate) + SEGMENT_S,
        ).to_dict()
        for edge in edges_of(filmed)
    ]  # fmt: skip
    made = SegmentRoundFactory(scheme="captaincook4d").round
    recording = SegmentRecordingFactory(round=made, take=take, proposals=proposals)
    person = UserFactory()
    return Segmenting(person, SegmentationFactory(recording=recording, person=person))


def ingest(segmenting: Segmenting) -> None:
    dataset = segmenting.own.recording.take.dataset
    in_worker(lambda: ingest_videos(job_ids=queue_ingest(dataset=dataset, actor=None)))


def seen_at_edges(page: Page, filmed: Filmed, *, has_stills: bool = True) -> dict[int, list]:
    """Return what is seen at the start of each segment, by its frame.

    That is the number in the player, and both stills with the words on them.
    """
    found: dict[int, list] = {}
    for edge in edges_of(filmed):
        page.keyboard.press("n")
        page.wait_for_function(
            "(atS) => { const video = document.querySelector('#player video');"
            " return !video.seeking && Math.abs(video.currentTime - atS) < 0.06; }",
            arg=float(edge / filmed.rate),
        )
        # A busy browser ends the seek before it shows the frame.
        page.wait_for_function(
            f"([bitCount, number]) => ({PLAYED})(bitCount) === number",
            arg=[BIT_COUNT, filmed.number_at(edge / filmed.rate)],
        )
        found[edge] = [page.evaluate(PLAYED, BIT_COUNT)]
        if has_stills:
            last, first = (page.locator(f"[data-still={name}]") for name in ("last", "first"))
            expect(first).to_have_attribute("data-drawn", str(edge))
            shown = filmed.times[filmed.number_at(edge / filmed.rate)]
            expect(last).to_have_attribute("data-drawn", str(shown - 1))
            found[edge] += page.evaluate(STILLS, BIT_COUNT)
    return found


@pytest.mark.parametrize("rate", RATES, ids=str)
def test_edge_stands_between_the_last_frame_before_and_the_first_after(
    page: Page, live_server, transactional_db, tmp_path, settings, rate: Fraction
):
    settings.MEDIA_ROOT = tmp_path / "media"
    filmed = Filmed(rate, 6, group=30)
    segmenting = segment_filmed(tmp_path, filmed)
    ingest(segmenting)

    open_segments(page, live_server, segmenting)
    wait_until_playable(page)

    assert Video.objects.get().ingest.proxy == {}
    assert seen_at_edges(page, filmed) == {
        edge: [edge, [edge - 1, f"frame {edge - 1}"], [edge, f"frame {edge}"]]
        for edge in edges_of(filmed)
    }


@pytest.mark.parametrize(
    "filmed",
    [
        *(Filmed(rate, 14, group=2000) for rate in RATES),
        Filmed(Fraction(60), 6, group=30, gaps=(1, 2, 3, 2)),
    ],
    ids=["25", "29.97", "30", "60", "variable"],
)
def test_edge_shows_the_same_before_and_after_a_proxy_was_made(
    page: Page, live_server, transactional_db, tmp_path, settings, filmed: Filmed
):
    """One group of 14 s, or a rate that varies, gets a proxy; the browser plays both."""
    settings.MEDIA_ROOT = tmp_path / "media"
    segmenting = segment_filmed(tmp_path, filmed)
    expected = {edge: filmed.number_at(edge / filmed.rate) for edge in edges_of(filmed)}

    open_segments(page, live_server, segmenting)
    wait_until_playable(page)
    before = seen_at_edges(page, filmed, has_stills=False)
    words = page.locator("#rate-words").inner_text()
    ingest(segmenting)
    open_segments(page, live_server, segmenting)
    wait_until_playable(page)
    after = seen_at_edges(page, filmed)

    assert "not known yet" in words
    assert Video.objects.get().ingest.proxy["frame_rate"] == float(filmed.rate)
    assert before == {edge: [number] for edge, number in expected.items()}
    assert after == {
        edge: [
            number,
            [number - 1, f"frame {filmed.times[number] - 1}"],
            [number, f"frame {edge}"],
        ]
        for edge, number in expected.items()
    }
    varies = "frame rate varies, shown at 60 frames a second"
    is_said = varies in page.locator("#rate-words").inner_text()
    assert is_said == (filmed.gaps != (1,))
    # A frame on or back is a picture on or back.
    page.keyboard.press("b")
    page.keyboard.press(",")
    last = page.locator("[data-still=last]")
    number = filmed.number_at(edges_of(filmed)[-1] / filmed.rate) - 1
    expect(last).to_have_attribute("data-drawn", str(filmed.times[number] - 1))


def test_stills_wait_for_their_frames_where_a_browser_is_slow(page: Page, live_server):
    page.goto(live_server.url + reverse("login"))

    assert page.evaluate(LATE_STILLS) == [99, 100]
