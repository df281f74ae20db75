"""A recording of two sheets of stills, with sound, as ingestion reads it and the page shows it."""

from fractions import Fraction

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from annotation.models import VideoIngest
from tests.e2e.looks import problems_of
from tests.e2e.segments_page import open_segments, wait_until_playable
from tests.e2e.test_segment_frames import SEGMENT_S, Filmed, ingest, segment_filmed
from tests.recordings import BIT_COUNT

pytestmark = pytest.mark.e2e

LENGTH_S, RATE = 110, 10
# The last segment ends after the recording, and what is shown ends with it.
SHOWN_S = LENGTH_S - 0.2 + SEGMENT_S
# The number in the tile that is shown, read off its sheet.
TILE = """async (bitCount) => {
  const picture = document.querySelector(".still-at div");
  const sheet = new Image();
  sheet.src = picture.style.backgroundImage.slice(5, -2);
  await sheet.decode();
  const [x, y] = picture.style.backgroundPosition.split(" ").map((text) => -parseInt(text, 10));
  const [width, height] = [parseInt(picture.style.width, 10), parseInt(picture.style.height, 10)];
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { width, height });
  const context = canvas.getContext("2d");
  context.drawImage(sheet, x, y, width, height, 0, 0, width, height);
  let number = 0;
  for (let bit = 0; bit < bitCount; bit += 1) {
    const x = Math.round((width * (bit + 0.5)) / bitCount);
    const [red] = context.getImageData(x, height / 2, 1, 1).data;
    if (red > 125) number += 2 ** bit;
  }
  return [number, sheet.src.split("/").at(-2)];
}"""


@pytest.fixture
def segmenting(transactional_db, tmp_path, settings):
    settings.MEDIA_ROOT = tmp_path / "media"
    made = segment_filmed(
        tmp_path, Filmed(Fraction(RATE), LENGTH_S, group=20), sound=(48_000, "mono")
    )
    ingest(made)
    return made


def test_picture_of_the_second_under_the_pointer(page: Page, live_server, segmenting):
    open_segments(page, live_server, segmenting)

    for place, second in (("#overview", 3), ("#overview", 108), ("[data-ruler]", 99)):
        box = page.locator(place).bounding_box()
        page.mouse.move(box["x"] + box["width"] * (second + 0.5) / SHOWN_S, box["y"] + 5)
        expect(page.locator(".still-at div")).to_have_attribute("data-tile", str(second))
        number, sheet = page.evaluate(TILE, BIT_COUNT)
        # A frame or two before the middle of the second: those on which others lean.
        assert 0 <= second * RATE + RATE // 2 - number <= 3
        assert sheet == f"tiles-000{second // 100}"
        page.mouse.move(10, 10)
        expect(page.locator(".still-at")).to_be_hidden()


def test_sound_of_the_recording_is_drawn_in_its_lane(page: Page, live_server, segmenting):
    with page.expect_response("**/sound/") as answer:
        open_segments(page, live_server, segmenting)
    wait_until_playable(page)

    detail = VideoIngest.objects.get().detail["sound"]
    levels = np.frombuffer(answer.value.body(), np.uint8)
    assert (len(levels), levels.max()) == (detail["length"], 255) == (100 * LENGTH_S, 255)
    page.wait_for_function(
        """() => {
          const canvas = document.querySelector(".lane.sound canvas");
          const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
          return pixels.data.some((value) => value > 0);
        }"""
    )


def test_a_strip_of_pictures_lies_on_the_time_scale_and_is_pulled_higher(
    page: Page, live_server, segmenting
):
    open_segments(page, live_server, segmenting)
    canvas, pull = page.locator(".film canvas"), page.locator("[data-pull]")
    drawn = """() => {
      const canvas = document.querySelector(".film canvas");
      const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
      return [...pixels].filter((value, at) => at % 4 === 3 && value > 0).length;
    }"""
    page.wait_for_function(f"() => ({drawn})() > 1000")

    before = canvas.bounding_box()["height"]
    box = pull.bounding_box()
    page.mouse.move(box["x"] + 50, box["y"] + 4)
    page.mouse.down()
    page.mouse.move(box["x"] + 50, box["y"] + 44)
    page.mouse.up()
    assert canvas.bounding_box()["height"] == before + 40
    pull.focus()
    page.keyboard.press("ArrowUp")
    expect(pull).to_have_attribute("aria-valuenow", str(round(before + 32)))
    assert problems_of(page) == []
    page.reload()
    page.wait_for_selector("html[data-ready]")
    assert canvas.bounding_box()["height"] == before + 32
