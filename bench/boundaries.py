"""Ten boundaries put right by keys alone: our page beside VIA, the one that is known for its keys.

    python -m bench.boundaries [--via FOLDER] [--seed 1]

Five segments with gaps between them, each edge off by 0.08 to 0.56 s, on the same clip in both
programs, driven in Chromium with the keys that each names in its list or on its screen (for VIA
also Ctrl, which moves an edge by a second and stands in neither). At each press the program takes
the key that comes nearest, as somebody does who has read the list once.

There is no newcomer here: their time is that of the keystroke-level model (Card, Moran and Newell,
"The keystroke-level model for user performance time with interactive systems", Communications of
the ACM 23(7), 1980): 0.28 s a key, 1.35 s to make up one's mind, which here is a look before an
edge is moved and another when it has been. A key that is needed often is held down where that is
quicker. Beside it stands what the machine itself took.

FOLDER (or VIA_FOLDER) is `via-3.x.y` of a checkout of VIA; nothing of it is kept here, and it may
not call its makers from here. Without it ours is measured alone.
"""

import argparse
import itertools
import os
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from bench.segment_page import STATE, give_out, make_take, open_page
from bench.serving import browser_path

# isort: split
# The line above has set up Django.
from django.urls import reverse
from playwright.sync_api import Page

from bench.playing_videos import NOISE_RATE, write_clip
from bench.serving import PORT, page_of, served
from segments.engine.model import Segment
from segments.models import Segmentation

KEY_S, MIND_S = 0.28, 1.35
# What desktops set at first: half a second until a held key repeats, then thirty times a second.
REPEAT_AFTER_S, REPEATS_PER_S = 0.5, 30
CLIP_S, SEGMENTS, EVERY_S = 15, 5, 3.0
TOLERANCE_S = 0.5 / NOISE_RATE + 1e-6
EDGES = ("start", "end")
# Nobody reads what is not drawn yet.
DRAWN = "() => new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)))"
VIA_PAGE = Path("src/html/_via_video_annotator.html")


@dataclass(frozen=True)
class Task:
    """The times of the edges, by segment and edge: as they are and as they should be."""

    there: list[tuple[float, float]]
    wanted: list[tuple[float, float]]


@dataclass
class Program:
    """A program and its keys; each step is (keys to press, seconds by which the edge moves)."""

    name: str
    page: Page
    to_next: Sequence[str]
    hold: dict[str, Sequence[str]]
    steps: dict[str, Sequence[tuple[str, float]]]
    edges: Callable[[], tuple[float, float]]
    pressed: list[str] = field(default_factory=list)
    looks: int = 0

    def press(self, key: str) -> None:
        self.page.keyboard.press(key)
        self.page.evaluate(DRAWN)
        self.pressed.append(key)

    @property
    def person_s(self) -> float:
        """What the keystroke-level model says of the keys pressed and the looks."""
        total_s = MIND_S * self.looks
        for key, run in itertools.groupby(self.pressed):
            count = len(list(run))
            # A key that is held beside it is one more.
            total_s += KEY_S * key.count("+")
            held_s = KEY_S + REPEAT_AFTER_S + count / REPEATS_PER_S + MIND_S
            total_s += min(KEY_S * count, held_s)
        return total_s


def main() -> int:
    parser = argparse.ArgumentParser(description="Ten boundaries by keys, here and in VIA.")
    parser.add_argument("--via", default=os.environ.get("VIA_FOLDER", ""))
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    browser_path()  # before minutes of work
    via = Path(options.via).resolve() if options.via else None
    if via and not (via / VIA_PAGE).is_file():
        sys.exit(f"{via} has no {VIA_PAGE}; expected the folder via-3.x.y of a checkout of VIA")
    task = draw_task(np.random.default_rng(options.seed))
    folder = Path(STATE.name) / "videos"
    folder.mkdir()
    write_clip(folder / "clip.mp4", CLIP_S)
    own = give_out(make_take(folder, "clip", SEGMENTS), proposals_of(task))
    print(f"{2 * SEGMENTS} boundaries of {SEGMENTS} segments, by keys alone")
    theirs = None
    with served(), page_of(own.person) as page:
        ours = correct(open_ours(page, own), task, finish=lambda: wait_until_saved(page))
        if via:
            program = open_via(page, via, folder / "clip.mp4", task)
            theirs = correct(program, task, finish=lambda: None)
            check(page.evaluate(VIA_TIMES), task)
    check([(row.start_s, row.end_s) for row in own.segments.order_by("start_s")], task)
    if theirs is None:
        print("  VIA was not measured: name its folder with --via or VIA_FOLDER")
        return 0
    print(f"  a person takes {theirs / ours:.2f} times as long in VIA (goal: at least 1)")
    return 0 if ours <= theirs else 1


def draw_task(rng: np.random.Generator) -> Task:
    wanted = [(EVERY_S * place + 0.6, EVERY_S * place + 2.4) for place in range(SEGMENTS)]
    sizes = rng.integers(2, 15, (SEGMENTS, 2)) * rng.choice([-1, 1], (SEGMENTS, 2)) / NOISE_RATE
    there = [
        (round(start_s + by[0], 3), round(end_s + by[1], 3))
        for (start_s, end_s), by in zip(wanted, sizes.tolist(), strict=True)
    ]
    return Task(there, wanted)


def proposals_of(task: Task) -> list[dict[str, object]]:
    return [
        Segment(f"k{place}", "steps", *times, str(place)).to_dict()
        for place, times in enumerate(task.there)
    ]


def correct(program: Program, task: Task, *, finish: Callable[[], None]) -> float:
    """Put every edge where it should be; prints what it took, returns a person's seconds."""
    started = time.perf_counter()
    for wanted in task.wanted:
        for key in program.to_next:
            program.press(key)
        for index, edge in enumerate(EDGES):
            for key in program.hold[edge]:
                program.press(key)
            while abs(rest_s := wanted[index] - program.edges()[index]) > TOLERANCE_S:
                key, by_s = min(program.steps[edge], key=lambda step: abs(rest_s - step[1]))
                if abs(rest_s - by_s) >= abs(rest_s):
                    sys.exit(f"{program.name}: no key brings {edge} nearer than {rest_s:.3f} s")
                program.press(key)
            program.looks += 2
    finish()
    machine_s = time.perf_counter() - started
    count = 2 * len(task.wanted)
    print(
        f"  {program.name:8s} {len(program.pressed) / count:5.1f} keys a boundary, a person"
        f" {program.person_s / count:5.1f} s, the machine {machine_s / count:5.2f} s"
    )
    return program.person_s


def check(found: Sequence[Sequence[float]], task: Task) -> None:
    """End unless what is stored is what was wanted."""
    for is_s, wanted_s in zip(itertools.chain(*found), itertools.chain(*task.wanted), strict=True):
        if abs(is_s - wanted_s) > TOLERANCE_S:
            sys.exit(f"an edge is stored at {is_s} s; expected {wanted_s} s")


def open_ours(page: Page, own: Segmentation) -> Program:
    open_page(page, f"http://127.0.0.1:{PORT}{reverse('segments', args=[own.public_id])}")
    nudges = [
        (",", -1 / NOISE_RATE),
        (".", 1 / NOISE_RATE),
        ("ArrowLeft", -0.1),
        ("ArrowRight", 0.1),
    ]
    nudges += [("Shift+ArrowLeft", -1.0), ("Shift+ArrowRight", 1.0)]

    def edges() -> tuple[float, float]:
        handles = (page.locator(f".handle[data-edge={edge}]") for edge in EDGES)
        start_s, end_s = (
            float(handle.get_attribute("aria-valuenow") or "nan") for handle in handles
        )
        return start_s, end_s

    hold = {"start": ["b"], "end": ["b"]}
    return Program("PIE-V", page, ["n"], hold, dict.fromkeys(EDGES, nudges), edges)


def wait_until_saved(page: Page) -> None:
    page.keyboard.press("Escape")
    page.get_by_text("All changes saved").wait_for()


# The times of VIA's segments in order, and of the selected one.
VIA_TIMES = (
    "() => Object.values(via.d.store.metadata).map(({ z }) => z).sort((a, b) => a[0] - b[0])"
)
VIA_SELECTED = """() => {
  const { d, selected_mid: key } = via.va.temporal_segmenter;
  return d.store.metadata[key].z;
}"""


def open_via(page: Page, via: Path, clip: Path, task: Task) -> Program:
    """VIA with the same segments, loaded as its own project file would be."""
    page.context.route("http*://**", lambda route: route.abort())
    page.goto((via / VIA_PAGE).as_uri(), wait_until="domcontentloaded")
    option = {"aname": "step", "anchor_id": "FILE1_Z2_XY0", "type": 1, "desc": "", "options": {}}
    segments = {
        f"k{place}": {"vid": "1", "flg": 0, "z": times, "xy": [], "av": {"1": "steps"}}
        for place, times in enumerate(task.there)
    }
    project = {
        "project": {
            "pid": "__VIA_PROJECT_ID__", "rev": "__VIA_PROJECT_REV_ID__",
            "rev_timestamp": "__VIA_PROJECT_REV_TIMESTAMP__", "pname": "Bench",
            "creator": "", "created": 0, "data_format_version": "3.1.0",
        },
        "config": {
            "file": {"loc_prefix": {"1": "", "2": "", "3": "", "4": ""}},
            "ui": {"file_content_align": "center"},
        },
        "attribute": {"1": option | {"default_option_id": ""}},
        "file": {"1": {"fid": 1, "fname": "clip", "type": 4, "loc": 3, "src": clip.as_uri()}},
        "view": {"1": {"fid_list": [1]}},
        "vid_list": ["1"],
        "metadata": segments,
    }  # fmt: skip
    page.evaluate("(project) => via.d.project_load_json(project)", project)
    page.wait_for_function("() => via.va.temporal_segmenter?.is_init_success")
    page.wait_for_timeout(500)
    steps = {
        "start": [("l", -0.02), ("Shift+L", 0.02), ("Control+l", -1.0), ("Control+Shift+L", 1.0)],
        "end": [("r", 0.02), ("Shift+R", -0.02), ("Control+r", 1.0), ("Control+Shift+R", -1.0)],
    }

    def edges() -> tuple[float, float]:
        start_s, end_s = page.evaluate(VIA_SELECTED)
        return start_s, end_s

    return Program("VIA", page, ["Tab"], {"start": [], "end": []}, steps, edges)


if __name__ == "__main__":
    sys.exit(main())
