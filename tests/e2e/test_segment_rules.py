"""Segments in the browser: the same gestures as in the engine, and what edges snap to."""

import json
from pathlib import Path

import pytest
from django.urls import reverse
from playwright.sync_api import Page

from tests.segments.cases import FILE

pytestmark = pytest.mark.e2e

PLAYER = (Path(__file__).parent / "play_segment_cases.js").read_text(encoding="utf-8")
PLAY_ALL = PLAYER.replace("export async function play", "async function play")
SNAP_ALL = """async (rows) => {
  const { snap, lastFrame } = await import("/static/segments/js/snapping.js");
  return rows.map(([timeS, pxPerS, targets, { isOff, rate = 25, resolutionS = null }]) => {
    const found = snap(timeS, { pxPerS, targets, rate, resolutionS, isOff });
    return [found.timeS, found.kind, rate && lastFrame(found.timeS, rate)];
  });
}"""


@pytest.fixture
def blank(page: Page, live_server) -> Page:
    page.goto(live_server.url + reverse("login"))
    return page


def test_the_browser_does_what_the_engine_does(blank):
    table = json.loads(FILE.read_text(encoding="utf-8"))

    found = blank.evaluate(f"(table) => {{ {PLAY_ALL} return play(table); }}", table)

    for name, rows in found.items():
        for got, row in zip(rows, table[name], strict=True):
            assert got == {field: row.get(field) for field in got}, row
    assert {name: len(rows) for name, rows in found.items()} == {
        name: len(table[name]) for name in found
    }


def test_an_edge_snaps_within_eight_pixels_to_the_strongest(blank):
    targets = {"playhead": [10.0], "own": [9.96, 12.34567], "reference": [9.0], "onset": [9.02]}
    rows = [
        # The same eight pixels at three zooms.
        (10.15, 50, targets, {}), (10.17, 50, targets, {}),
        (10.75, 10, targets, {}), (10.85, 10, targets, {}),
        (10.02, 300, targets, {}), (10.04, 300, targets, {}),
        # The playhead before an own edge that is nearer, a reference before an onset.
        (9.97, 50, targets, {}), (9.02, 50, targets, {}),
        # An own edge off the frames stays the same number, so that both touch.
        (12.3, 50, targets, {}),
        # Alt, or switched off: on a frame all the same, where frames are known.
        (50.3376, 50, targets, {"isOff": True}), (-1, 50, targets, {"isOff": True}),
        (10.0123456, 50, targets, {"isOff": True, "rate": None}),
        # The step of the scheme, and no frames.
        (20.26, 50, {}, {"resolutionS": 0.1, "rate": None}), (20.26, 50, {}, {"rate": None}),
    ]  # fmt: skip

    found = blank.evaluate(SNAP_ALL, rows)

    assert [row[:2] for row in found] == [
        [10.0, "playhead"], [10.16, None],
        [10.0, "playhead"], [10.84, None],
        [10.0, "playhead"], [10.04, None],
        [10.0, "playhead"], [9.0, "reference"],
        [12.34567, "own"],
        [50.32, None], [0, None], [10.012346, None],
        [20.3, None], [20.3, None],
    ]  # fmt: skip


@pytest.mark.parametrize("rate", [25, 30000 / 1001, 30, 60])
def test_an_end_that_snaps_to_a_cut_leaves_out_the_next_shot(blank, rate):
    cuts = [frame / rate for frame in range(1, 3000, 7)]
    rows = [(cut + 0.003, 100, {"onset": [cut]}, {"rate": rate}) for cut in cuts]

    found = blank.evaluate(SNAP_ALL, rows)

    assert [last for _, _, last in found] == [frame - 1 for frame in range(1, 3000, 7)]
    assert {kind for _, kind, _ in found} == {"onset"}
