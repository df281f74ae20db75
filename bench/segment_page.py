"""The segment editor in Chromium: 2,000 segments on an hour of 640x360 video, 25 frames a second.

    python -m bench.segment_page [--segments 2000] [--opens 5] [--seconds 4]

How long the page takes until it can be used, and the gaps between animation frames while the video
plays and somebody drags an edge, scrolls and zooms. The peer is the same page with hidden lanes,
under the same movements of the same mouse, in the same run. Chromium is the system's, and so is
Firefox, where it can be driven; the machine should do nothing else meanwhile.
"""

import argparse
import json
import os
import secrets
import statistics
import sys
import tempfile
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import django
import numpy as np
from PIL import Image

STATE = tempfile.TemporaryDirectory(prefix="piev-bench-")
# A private database, whatever this machine is set up to use.
os.environ.update(PIEV_STATE=STATE.name, DATABASE_URL="", DEBUG="0")
os.environ.update(SECRET_KEY=secrets.token_urlsafe(32), LOG_LEVEL="WARNING")
os.environ["DJANGO_SETTINGS_MODULE"] = "piev_site.settings"
django.setup()

from django.conf import settings
from django.core.management import call_command
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Page

from annotation.engine.videos.recording_detail import ENVELOPE_RATE
from annotation.models import (
    Campaign,
    CampaignRater,
    Dataset,
    GuidelineVersion,
    Round,
    RoundRater,
    Step,
    Take,
    User,
    VideoIngest,
)
from annotation.selectors.videos.media import ONSETS_NAME, PICTURE_SUFFIX, SOUND_NAME
from annotation.services.videos.linking import link_videos
from bench.firefox import NoFirefoxError, run_in_firefox
from bench.playing_videos import HOUR_S, NOISE_RATE, write_hour
from bench.serving import (
    PORT,
    RECORD_GAPS,
    STOP_GAPS,
    browser_path,
    page_of,
    served,
)
from segments.engine.model import Segment
from segments.models import SEGMENTS, Segmentation, SegmentRecording, SegmentRound

STEP_COUNT = 500  # the longest procedure that has to be typed in
KEY_GOAL_MS = 16.0
USABLE_GOAL_S, GAP_GOAL_MS, RATIO_GOAL = 1.0, 20.0, 1.2
MOVES_PER_S = 60
HIDE_LANES = ".lanes { display: none !important; }"


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure the segment editor.")
    parser.add_argument("--segments", type=int, default=2000)
    parser.add_argument("--opens", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=4.0)
    options = parser.parse_args()
    browser_path()  # before minutes of work
    folder = Path(STATE.name) / "videos"
    folder.mkdir()
    write_hour(folder / "hour.mp4")
    own = make_rows(folder, options.segments)
    with served(), page_of(own.person) as page:
        address = f"http://127.0.0.1:{PORT}{reverse('segments', args=[own.public_id])}"
        opens = [open_page(page, address) for _ in range(options.opens + 1)][1:]
        acts = {"drag": drag, "scroll": scroll, "zoom": zoom}
        gaps, peers = {}, {}
        for name, act in acts.items():
            gaps[name] = gaps_of(page, address, act, options.seconds, is_hidden=False)
            peers[name] = gaps_of(page, address, act, options.seconds, is_hidden=True)
        keys_ms = type_steps(page, address)
        page.goto("about:blank")
        cookie = page.context.cookies()[0]
        firefox = firefox_gaps(address, dict(cookie), options.seconds)
    is_met = show(options, opens, gaps, peers)
    is_met = show_firefox(firefox) and is_met
    key_ms = float(np.quantile(keys_ms, 0.95))
    is_met = is_met and key_ms <= KEY_GOAL_MS
    print(
        f"  typing a step of {STEP_COUNT}: {key_ms:.1f} ms a key, 95% of {len(keys_ms)}"
        f"   (goal: {KEY_GOAL_MS:g})"
    )
    print(f"  load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    print(f"  {'goals met' if is_met else 'GOALS MISSED'}")
    return 0 if is_met else 1


def firefox_gaps(address: str, cookie: dict[str, Any], seconds: float) -> dict[str, Any] | str:
    """The gaps in Firefox and those without lanes, or why there are none."""
    shown = {name: cookie[name] for name in ("name", "value", "domain", "path")}
    options = {
        "address": address, "cookie": shown, "seconds": seconds, "movesPerS": MOVES_PER_S,
        "hideLanes": HIDE_LANES,
    }  # fmt: skip
    try:
        return run_in_firefox(Path(__file__).with_name("segment_page_firefox.mjs"), options)
    except NoFirefoxError as error:
        return str(error)


def make_rows(folder: Path, segment_count: int) -> Segmentation:
    """Somebody's segments of the hour, without gaps so that every edge is shared."""
    take = make_take(folder, "hour", STEP_COUNT)
    tiles = {
        "tile_s": 1.0, "sheet_tiles": 100, "columns": 10, "tile_width": 112, "tile_height": 63,
        "tile_count": HOUR_S, "names": [f"tiles-{sheet:04d}" for sheet in range(HOUR_S // 100)],
    }  # fmt: skip
    made = Path(settings.MEDIA_ROOT) / "ingest" / "bench"
    sound = write_sound(made)
    write_sheets(made, tiles)
    (made / "copy.mp4").symlink_to(folder.resolve() / take.video.path)
    rate = list(Fraction(NOISE_RATE).as_integer_ratio())
    VideoIngest.objects.update_or_create(
        video=take.video,
        defaults={
            "digest": "0" * 64, "folder": "ingest/bench", "finished_at": timezone.now(),
            "detail": {"rate": rate, "sound": sound, "tiles": tiles},
            "copy": {"name": "copy.mp4", "content": ""},
        },
    )  # fmt: skip
    length_s = HOUR_S / segment_count
    proposals = [
        Segment(
            f"k{index}",
            "steps",
            round(index * length_s * NOISE_RATE) / NOISE_RATE,
            round((index + 1) * length_s * NOISE_RATE) / NOISE_RATE,
            str(index % STEP_COUNT),
        ).to_dict()
        for index in range(segment_count)
    ]
    return give_out(take, proposals)


def make_take(folder: Path, name: str, step_count: int) -> Take:
    """The only take of a fresh site, linked to the video of its name in the folder."""
    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    dataset = Dataset.objects.create(name="Bench", format="egooops")
    take = Take.objects.create(
        dataset=dataset, uid=name, name=name, scenario="Bench", video_stem=name
    )
    for index in range(step_count):
        text = f"Put part {index} into the second cup and stir it"
        Step.objects.create(take=take, index=index, step_id=str(index), text=text)
    link_videos(dataset=dataset, folder=str(folder), pattern="{stem}.mp4")
    take.refresh_from_db()
    return take


def give_out(take: Take, proposals: list[dict[str, Any]]) -> Segmentation:
    """The take in an open round, with somebody who begins with the proposals."""
    campaign = Campaign.objects.create(name="Bench", kind=SEGMENTS)
    guideline = GuidelineVersion.objects.create(
        campaign=campaign, kind=SEGMENTS, number=1, name="1",
        text={"scheme": "egooops", "scheme_version": 1, "text": ""}, frozen_at=timezone.now(),
    )  # fmt: skip
    made = Round.objects.create(
        campaign=campaign, number=1, kind=SEGMENTS, guideline=guideline, overlap=1,
        opened_at=timezone.now(),
    )  # fmt: skip
    SegmentRound.objects.create(round=made, scheme="egooops", scheme_version=1)
    recording = SegmentRecording.objects.create(round=made, take=take, proposals=proposals)
    person = User.objects.create_user(username="person")
    CampaignRater.objects.create(campaign=campaign, rater=person)
    RoundRater.objects.create(round=made, rater=person)
    return Segmentation.objects.create(round=made, recording=recording, person=person, position=0)


def write_sound(folder: Path) -> dict[str, int]:
    """Write an hour's loudness and onsets, as many as a busy kitchen has, and say what they are."""
    rng = np.random.default_rng(4)
    folder.mkdir(parents=True)
    levels = rng.gamma(1.5, 30, HOUR_S * ENVELOPE_RATE).clip(0, 255).astype(np.uint8)
    (folder / SOUND_NAME).write_bytes(levels.tobytes())
    onsets = np.sort(rng.uniform(0, HOUR_S, 2 * HOUR_S)).round(4).tolist()
    (folder / ONSETS_NAME).write_text(json.dumps({"onsets": onsets}))
    return {"per_second": ENVELOPE_RATE, "length": len(levels), "onset_count": len(onsets)}


def write_sheets(folder: Path, tiles: dict[str, Any]) -> None:
    """Write the sheets of pictures, each as many bytes as a busy kitchen makes of it."""
    rng = np.random.default_rng(5)
    rows = tiles["sheet_tiles"] // tiles["columns"]
    size = tiles["columns"] * tiles["tile_width"], rows * tiles["tile_height"]
    coarse = rng.integers(0, 256, (size[1] // 7, size[0] // 7, 3), dtype=np.uint8)
    sheet = Image.fromarray(coarse).resize(size)
    for name in tiles["names"]:
        sheet.save(folder / f"{name}{PICTURE_SUFFIX}", quality=80)


def open_page(page: Page, address: str) -> float:
    """Seconds from the start of the navigation until the page can be used."""
    page.add_init_script(
        "new MutationObserver((changes, observer) => {"
        " if (!document.documentElement.dataset.ready) return;"
        " window.usableMs ??= performance.now(); observer.disconnect(); })"
        ".observe(document, { subtree: true, attributes: true })"
    )
    page.goto(address, wait_until="commit")
    page.wait_for_selector("html[data-ready]", state="attached")
    return float(page.evaluate("window.usableMs")) / 1000


def gaps_of(
    page: Page, address: str, act: Callable[[Page, float], None], seconds: float, *, is_hidden: bool
) -> list[float]:
    """The gaps between animation frames, in ms, while the video plays and somebody acts."""
    open_page(page, address)
    page.wait_for_function("() => document.querySelector('#player video').readyState === 4")
    # One minute of the hour, away from its ends, with some thirty segments.
    for _ in range(40):
        page.keyboard.press("n")
    for _ in range(8):
        page.keyboard.press("+")
    if is_hidden:
        # A sheet that script makes is not the inline style that the site forbids.
        page.evaluate(
            "css => { const sheet = new CSSStyleSheet(); sheet.replaceSync(css);"
            " document.adoptedStyleSheets = [sheet]; }",
            HIDE_LANES,
        )
    page.keyboard.press("Space")
    page.wait_for_timeout(600)
    page.evaluate(RECORD_GAPS)
    act(page, seconds)
    gaps: list[float] = page.evaluate(STOP_GAPS)
    if not is_hidden and not page.evaluate("window.hasActed"):
        sys.exit(f"{act.__name__} changed nothing on the page")
    return gaps


# Types into the box of labels; a key's time has the search, the drawing and the layout.
TYPE = """(texts) => {
  const input = document.querySelector("#picker-input");
  return texts.flatMap((text) => [...text].map((_, end) => {
    const start = performance.now();
    input.value = text.slice(0, end + 1);
    input.dispatchEvent(new Event("input"));
    input.getBoundingClientRect();
    return performance.now() - start;
  }));
}"""


def type_steps(page: Page, address: str) -> list[float]:
    """How long each key takes while steps are typed, in ms."""
    open_page(page, address)
    page.keyboard.press("n")
    page.keyboard.press("Enter")
    texts = [f"cup {number} second put" for number in range(0, STEP_COUNT, 25)]
    times: list[float] = page.evaluate(TYPE, texts)
    return times


def drag(page: Page, seconds: float) -> None:
    """Move an edge to and fro: that of the selected segment, or where it would be."""
    handle = page.locator(".handle[data-edge=end]").first.bounding_box()
    x, y = (handle["x"] + handle["width"] / 2, handle["y"] + 10) if handle else (700, 720)
    page.mouse.move(x, y)
    page.mouse.down()
    for step in range(round(seconds * MOVES_PER_S)):
        page.mouse.move(x + 30 * np.sin(step / 9), y)
        page.wait_for_timeout(1000 / MOVES_PER_S / 2)
    page.evaluate("window.hasActed = !document.querySelector('[data-tip]').hidden")
    page.mouse.up()


# Tells whether another part of the recording is shown than before.
WATCH_WINDOW = """() => {
  const words = document.querySelector("#window-words");
  const before = words.textContent;
  new MutationObserver(() => { window.hasActed ||= words.textContent !== before; })
    .observe(words, { childList: true, characterData: true, subtree: true });
}"""


def scroll(page: Page, seconds: float) -> None:
    page.evaluate(WATCH_WINDOW)
    page.mouse.move(700, 720)
    for step in range(round(seconds * MOVES_PER_S)):
        page.mouse.wheel(40 if step % 120 < 60 else -40, 0)
        page.wait_for_timeout(1000 / MOVES_PER_S / 2)


def zoom(page: Page, seconds: float) -> None:
    """Out to the whole hour and in again."""
    page.evaluate(WATCH_WINDOW)
    page.mouse.move(700, 720)
    page.keyboard.down("Control")
    for step in range(round(seconds * MOVES_PER_S)):
        page.mouse.wheel(0, 60 if step % 160 < 80 else -60)
        page.wait_for_timeout(1000 / MOVES_PER_S / 2)
    page.keyboard.up("Control")


def show(
    options: argparse.Namespace,
    opens: list[float],
    gaps: dict[str, list[float]],
    peers: dict[str, list[float]],
) -> bool:
    usable_s = statistics.median(opens)
    print(
        f"{options.segments:,} segments on an hour of 640x360 at {NOISE_RATE} fps in Chromium\n"
        f"  usable after    {usable_s:5.2f} s, median of {len(opens)}   (goal: {USABLE_GOAL_S:g})\n"
        f"  gaps between frames while it plays, 95% (goal: {GAP_GOAL_MS:g} ms, or"
        f" {RATIO_GOAL:g} times the page without lanes)"
    )
    return show_gaps(gaps, peers) and usable_s <= USABLE_GOAL_S


def show_firefox(found: dict[str, Any] | str) -> bool:
    if isinstance(found, str):
        print(f"  Firefox was not measured: {found}")
        return True
    print(f"  the same in {found['version']}, driven by Puppeteer")
    return show_gaps(found["gaps"], found["peers"])


def show_gaps(gaps: dict[str, list[float]], peers: dict[str, list[float]]) -> bool:
    """Print the gaps of each act; return whether all meet the goal."""
    is_met = True
    for name, found in gaps.items():
        p95, peer = (float(np.quantile(values, 0.95)) for values in (found, peers[name]))
        is_met = is_met and (p95 <= GAP_GOAL_MS or p95 <= RATIO_GOAL * peer)
        print(
            f"    {name:8s} {p95:6.1f} ms, without lanes {peer:6.1f} ms: {p95 / peer:4.2f} times"
            f"   ({len(found)} and {len(peers[name])} frames)"
        )
    return is_met


if __name__ == "__main__":
    sys.exit(main())
