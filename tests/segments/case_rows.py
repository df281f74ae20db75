"""What the table of segments asks: rows worked out by hand, and drawn ones.

`BY_HAND` says where the segments of the first track lie after a row, or the words of its error.
"""

import itertools
import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from segments.engine.model import CONTENT, Gesture, Segment, Segmentation
from segments.engine.scheme import Geometry, Scheme, scheme
from segments.engine.starting_segments import TimedStep
from tests.segments.engine.hands import scheme_of
from tests.segments.gestures import Edge, Hands

ROWS_PER_CHAIN = 14

STEP_IDS = ["1", "2", "3", "4"]

NTSC = 30000 / 1001

SCHEMES: dict[str, Scheme] = {
    **{name: scheme_of(name) for name in Geometry},
    "frames": scheme_of("gaps", resolution_s=None),
    **{name: scheme(name) for name in ("egooops", "onset")},
}

EMPTY = Segment("", "", None, None)


def segments_row(segments: Any) -> list[dict[str, Any]]:
    """Segments without what is empty."""
    rows = []
    for item in segments:
        values = item.to_dict()
        kept = {name: values[name] for name in CONTENT if values[name] != getattr(EMPTY, name)}
        rows.append({"key": item.key, "revision": item.revision, **kept})
    return rows


def state_row(state: Segmentation) -> dict[str, Any]:
    return {
        "duration_s": state.duration_s,
        "rate": state.rate,
        "head": state.head,
        "segments": segments_row(state.segments.values()),
    }


def state_from(row: dict[str, Any]) -> Segmentation:
    segments = {}
    for item in row["segments"]:
        content = {name: item.get(name, getattr(EMPTY, name)) for name in CONTENT}
        segments[item["key"]] = Segment(item["key"], **content, revision=item["revision"])
    return Segmentation(segments, row["duration_s"], row["rate"], row["head"])


def gesture_of(row: dict[str, Any]) -> Gesture:
    """Carry a row's gesture out; raises `GestureError`, or ValueError for an unknown track."""
    numbers = itertools.count(1)
    hands = Hands(
        state_from(row["state"]),
        SCHEMES[row["scheme"]],
        lambda: f"n{next(numbers)}",
        **row["settings"],
    )
    arguments = dict(row["arguments"])
    if arguments.get("edge"):
        arguments["edge"] = Edge(arguments["edge"])
    if row["gesture"] == "copy":
        arguments["steps"] = [TimedStep(**step) for step in arguments["steps"]]
    if row["gesture"] == "restore":
        arguments["past"] = state_from(arguments["past"])
    return getattr(hands, row["gesture"])(**arguments)


def row_of(named: str, state: Segmentation, gesture: str, settings: Any = None, **arguments: Any):
    return {
        "scheme": str(named),
        "state": state_row(state),
        "settings": settings or {},
        "gesture": gesture,
        "arguments": arguments,
    }


def lying(*spans: tuple[float, float], rate: float | None = None, **changes: Any) -> Segmentation:
    """Segments s1, s2 ... of steps 1, 2 ... in 100 s; `changes` of one by its key."""
    made = {}
    for number, (start_s, end_s) in enumerate(spans, start=1):
        key = f"s{number}"
        first = Segment(key, "steps", float(start_s), float(end_s), step_id=str(number))
        made[key] = replace(first, **changes.get(key, {}))
    for key, content in changes.items():
        if key not in made:
            made[key] = Segment(**{"key": key, "start_s": None, "end_s": None, **content})
    return Segmentation(made, 100.0, rate, len(made))


def mistake(start_s: float | None, end_s: float | None, parent_key: str = "s1") -> dict[str, Any]:
    times = {"start_s": start_s, "end_s": end_s}
    return {"track": "mistakes", **times, "label": "slip", "parent_key": parent_key}


THREE = ((0, 10), (10, 20), (25, 30))

APART = {"shares_edges": False}

OFF = {"snaps": False}

SLIP = {"label": "slip"}


# A row and where the segments of the first track lie afterwards, or the words of its error.
# Its end lies on no tenth of a second.
SHORT = replace(lying(rate=60.0), duration_s=13.65)
ENDING = replace(lying((0, 3), (3, 13), rate=60.0), duration_s=13.65)

BY_HAND: list[tuple[dict[str, Any], Any]] = [
    # The end of the recording is an edge: from its last frame on that is the nearest.
    (row_of("partition", SHORT, "draw", track="steps", start_s=0.0, end_s=13.633333),
     {"n1": [0, 13.65]}),
    (row_of("partition", replace(SHORT, rate=25.0, duration_s=6.48), "draw",
            track="steps", start_s=0.0, end_s=6.44),
     {"n1": [0, 6.48]}),
    (row_of("partition", SHORT, "draw", track="steps", start_s=0.0, end_s=13.62),
     {"n1": [0, 13.6]}),
    (row_of("partition", ENDING, "move_edge", key="s2", edge="end", time_s=13.65),
     {"s1": [0, 3], "s2": [3, 13.65]}),
    # A shared edge takes its neighbour along and stops where that would vanish.
    (row_of("gaps", lying(*THREE), "move_edge", key="s2", edge="start", time_s=12.0),
     {"s1": [0, 12], "s2": [12, 20], "s3": [25, 30]}),
    (row_of("gaps", lying(*THREE), "move_edge", key="s2", edge="start", time_s=-5.0),
     {"s1": [0, 0.1], "s2": [0.1, 20], "s3": [25, 30]}),
    (row_of("gaps", lying(*THREE), "move_edge", key="s2", edge="start", time_s=40.0),
     {"s1": [0, 19.9], "s2": [19.9, 20], "s3": [25, 30]}),
    (row_of("gaps", lying(*THREE), "move_edge", APART, key="s2", edge="start", time_s=12.0),
     {"s1": [0, 10], "s2": [12, 20], "s3": [25, 30]}),
    (row_of("gaps", lying(*THREE), "move_edge", key="s2", edge="end", time_s=40.0),
     {"s1": [0, 10], "s2": [10, 25], "s3": [25, 30]}),
    (row_of("free", lying(*THREE), "move_edge", APART, key="s2", edge="start", time_s=5.0),
     {"s1": [0, 10], "s2": [5, 20], "s3": [25, 30]}),
    (row_of("free", lying(*THREE), "move_edge", key="s2", edge="end", time_s=400.0),
     {"s1": [0, 10], "s2": [10, 100], "s3": [25, 30]}),
    (row_of("partition", lying(*THREE), "move_edge", APART, key="s2", edge="start", time_s=5.0),
     {"s1": [0, 5], "s2": [5, 20], "s3": [25, 30]}),
    (row_of("gaps", lying((0, 10), (10, 20)), "move_edge", APART,
            key="s1", edge="end", time_s=12.0),
     "move end changes nothing"),
    (row_of("frames", lying((0, 10.0123), (10.0123, 20), rate=NTSC), "move_edge",
            key="s1", edge="end", time_s=11.0),
     {"s1": [0, 11.011], "s2": [11.011, 20]}),
    (row_of("gaps", lying((0, 10)), "move_edge", OFF, key="s1", edge="end", time_s=12.34567891),
     {"s1": [0, 12.345679]}),
    # An edge that a file put beyond the end of the recording stays, and may come back.
    (row_of("gaps", lying((0, 10), (90, 105)), "move_edge", key="s2", edge="end", time_s=108.0),
     "move end changes nothing"),
    (row_of("gaps", lying((0, 10), (90, 105)), "move_edge", key="s2", edge="end", time_s=99.0),
     {"s1": [0, 10], "s2": [90, 99]}),
    # Shorter than a frame: the edge stays at least where it is.
    (row_of("gaps", lying((10, 10.02), (10.02, 20)), "move_edge",
            key="s1", edge="end", time_s=10.0),
     "move end changes nothing"),
    (row_of("gaps", lying((0, 10)), "move_edge", key="s9", edge="end", time_s=1.0),
     "segment 's9' is not there"),
    (row_of("gaps", lying((0, 10), m1=mistake(None, None)), "move_edge",
            key="m1", edge="end", time_s=1.0),
     "segment m1 has no times of its own"),
    # Drawing ends where the next begins.
    (row_of("gaps", lying((0, 10), (15, 20)), "draw", track="steps", start_s=12.0, end_s=18.0,
            step_id="3"),
     {"s1": [0, 10], "s2": [15, 20], "n1": [12, 15]}),
    (row_of("gaps", lying((0, 10)), "draw", track="steps", start_s=5.0, end_s=7.0),
     "5.0 s lies in segment s1; expected a place in a gap"),
    (row_of("gaps", lying((0, 10)), "draw", track="steps", start_s=10.0, end_s=10.0),
     "10.0 to 10.0 s is too short; expected a frame at least"),
    (row_of("gaps", lying((0, 10)), "draw", track="stepz", start_s=10.0, end_s=12.0),
     "track is 'stepz'; expected one of steps, mistakes"),
    (row_of("free", lying((0, 10)), "draw", track="steps", start_s=5.0, end_s=7.0),
     {"s1": [0, 10], "n1": [5, 7]}),
    (row_of("gaps", lying((0, 10)), "draw", track="steps", start_s=98.0, end_s=120.0),
     {"s1": [0, 10], "n1": [98, 100]}),
    (row_of("gaps", lying((0, 10)), "draw", track="mistakes", start_s=2.0, end_s=3.0,
            label="slip", parent_key="s9"),
     "segment 's9' is not there"),
    (row_of("onset", Segmentation({}, 100.0, 25.0), "draw", track="onsets", start_s=4.013,
            end_s=9.0, step_id="1"),
     {"n1": [4, 4]}),
    (row_of("onset", lying((4, 4), rate=25.0, s1={"track": "onsets"}), "move_edge", key="s1",
            edge="end", time_s=5.0),
     {"s1": [5, 5]}),
    # A nudged segment stops at its neighbours.
    (row_of("gaps", lying((0, 10), (10, 15), (20, 30)), "nudge", key="s2", by_s=9.0),
     {"s1": [0, 10], "s2": [15, 20], "s3": [20, 30]}),
    (row_of("gaps", lying((0, 10), (14, 19), (20, 30)), "nudge", key="s2", by_s=-9.0),
     {"s1": [0, 10], "s2": [10, 15], "s3": [20, 30]}),
    (row_of("frames", lying((0, 10), (10, 20), rate=25.0), "nudge", key="s2", by_s=-0.04,
            edge="start"),
     {"s1": [0, 9.96], "s2": [9.96, 20]}),
    # A ripple is refused whole.
    (row_of("gaps", lying((0, 10), (12, 20), (30, 40), (50, 60)), "ripple", track="steps",
            from_s=12.0, by_s=2.0),
     {"s1": [0, 10], "s2": [14, 22], "s3": [32, 42], "s4": [52, 62]}),
    (row_of("gaps", lying((0, 10), (12, 20)), "ripple", track="steps", from_s=12.0, by_s=-3.0),
     "the first would start at 9 s; expected 10.0 or later"),
    (row_of("gaps", lying((0, 10), (12, 60)), "ripple", track="steps", from_s=12.0, by_s=41.0),
     "the last would end at 101 s; expected 100.0 or earlier"),
    (row_of("gaps", lying((0, 10)), "ripple", track="steps", from_s=70.0, by_s=2.0),
     "nothing is moved by 2.0 s from 70.0 s on"),
    # What belongs to a segment goes with the part in which it begins.
    (row_of("gaps", lying((0, 10), m1=mistake(6.0, 8.0)), "split", key="s1", at_s=5.0),
     {"s1": [0, 5], "n1": [5, 10]}),
    (row_of("gaps", lying((0, 10)), "split", key="s1", at_s=10.0),
     "10.0 s is not inside segment s1"),
    (row_of("gaps", lying((0, 10), (12, 20)), "join", key="s1"),
     "s1 and s2 differ; expected whose words stay"),
    (row_of("gaps", lying((0, 10), (12, 20), m1=mistake(13.0, 14.0, "s2")), "join", key="s1",
            words_of="s2"),
     {"s1": [0, 20]}),
    (row_of("free", lying((0, 30), (12, 20), s2={"step_id": "1"}), "join", key="s1"),
     {"s1": [0, 30]}),
    (row_of("gaps", lying((0, 10), (12, 20)), "join", key="s1", words_of="s9"),
     "words of 's9'; expected s1 or s2"),
    (row_of("gaps", lying((0, 10)), "join", key="s1"), "no segment follows s1"),
    # In a partition the neighbour takes the room of what is deleted.
    (row_of("partition", lying((0, 10), (10, 20), (20, 30)), "delete", key="s1"),
     {"s2": [0, 20], "s3": [20, 30]}),
    (row_of("partition", lying((0, 10), (10, 20), (20, 30)), "delete", key="s2"),
     {"s1": [0, 20], "s3": [20, 30]}),
    (row_of("gaps", lying((0, 10), (10, 20), m1=mistake(None, None)), "delete", key="s1"),
     {"s2": [10, 20]}),
    (row_of("gaps", lying((0, 10), s1={"is_deleted": True}), "delete", key="s1"),
     "segment 's1' is not there"),
    # Words, flags, proposals.
    (row_of("gaps", lying((0, 10), s1={"is_proposal": True}), "label", key="s1", step_id="4"),
     {"s1": [0, 10]}),
    (row_of("gaps", lying((0, 10)), "label", key="s1", step_id="1"), "label changes nothing"),
    (row_of("gaps", lying((0, 10)), "write", key="s1", text="Pour “öl” 🥄"), {"s1": [0, 10]}),
    (row_of("gaps", lying((0, 10)), "write", key="s1", text="a\x00b"),
     "text, s1: text is 'a\\x00b'; expected text of at most 10000 letters"),
    (row_of("gaps", lying((0, 10)), "flag", key="s1", note="too dark"), {"s1": [0, 10]}),
    (row_of("gaps", lying((0, 10), s1={"is_flagged": True, "note": "dark"}), "flag", key="s1",
            note="", is_flagged=False),
     {"s1": [0, 10]}),
    (row_of("gaps", lying((0, 10)), "missing", track="steps", step_id="2"), {"s1": [0, 10]}),
    (row_of("gaps", lying((0, 10), m1={"track": "steps", "step_id": "2"}), "missing",
            track="steps", step_id="2"),
     "step 2 is said to be missing already"),
    (row_of("gaps", Segmentation({}, 100.0), "copy", track="steps", steps=[
        {"step_id": "1", "text": "Boil", "start_s": 0.0, "end_s": 10.0},
        {"step_id": "2", "text": "Pour", "start_s": 10.04, "end_s": 20.0}]),
     {"n1": [0, 10], "n2": [10, 20]}),
    (row_of("gaps", lying(), "copy", track="steps", steps=[]),
     "copy 0 steps from the reference changes nothing"),
    (row_of("gaps", lying((0, 10), (10, 20), s1={"is_proposal": True}, s2={"is_proposal": True}),
            "accept", keys=["s1", "s2"]),
     {"s1": [0, 10], "s2": [10, 20]}),
    (row_of("gaps", lying((0, 10)), "accept", keys=["s1"]), "segment s1 is no proposal"),
    (row_of("gaps", lying((0, 12), (12, 20), s1={"revision": 4}), "restore",
            past=state_row(lying((0, 10)))),
     {"s1": [0, 10]}),
    (row_of("gaps", lying((0, 10)), "restore", past=state_row(lying((0, 10)))),
     "restore revision 1 changes nothing"),
]  # fmt: skip


def drawn_rows(rng: random.Random) -> Iterator[dict[str, Any]]:
    """Chains of gestures, each on what the one before left, for every geometry and some rates."""
    chains = [
        ("gaps", None), ("gaps", 25.0), ("frames", NTSC), ("frames", 60.0), ("frames", None),
        ("partition", 30.0), ("partition", None), ("free", 25.0), ("free", NTSC), ("egooops", 30.0),
    ]  # fmt: skip
    for named, rate in chains:
        starts = sorted(rng.uniform(0, 90) for _ in range(5))
        edges = [rng.choice([time_s, round(time_s, 1)]) for time_s in starts] + [95.0]
        ends = edges[1:] if named == "partition" else [
            rng.choice([later_s, start_s + rng.uniform(0, later_s - start_s)])
            for start_s, later_s in itertools.pairwise(edges)
        ]  # fmt: skip
        labels = {f"s{number}": {"step_id": rng.choice(STEP_IDS)} for number in range(1, 6)}
        state = lying(*zip(edges, ends, strict=False), rate=rate, **labels)
        for number in range(ROWS_PER_CHAIN):
            row = drawn_row(rng, named, state)
            yield row
            try:
                state = state.apply(renamed(gesture_of(row), number))
            except ValueError:
                continue


def renamed(gesture: Gesture, number: int) -> Gesture:
    """The gesture with other keys for new segments, which are given anew in each row."""
    changes = []
    for change in gesture.changes:
        after = change.after
        if change.before is None:
            after = replace(after, key=f"{after.key}of{number}")
        if after.parent_key.startswith("n") and "of" not in after.parent_key:
            after = replace(after, parent_key=f"{after.parent_key}of{number}")
        changes.append(replace(change, after=after))
    return replace(gesture, changes=tuple(changes))


def drawn_row(rng: random.Random, named: str, state: Segmentation) -> dict[str, Any]:
    track = SCHEMES[named].tracks[0].name
    there = [item.key for item in state] or ["s1"]
    key, at_s = rng.choice(there), rng.uniform(0, 102)
    settings = {"snaps": rng.random() < 0.8, "shares_edges": rng.random() < 0.7}
    held = state.segments[key]
    inside_s = at_s if held.start_s is None else rng.uniform(held.start_s, held.end_s)
    follower = rng.choice([None, key, rng.choice(there)])
    drawn = {
        "draw": {"track": track, "start_s": at_s, "end_s": at_s + rng.uniform(0, 9)},
        "move_edge": {"key": key, "edge": rng.choice(["start", "end"]), "time_s": at_s},
        "nudge": {"key": key, "by_s": rng.choice([-1, 1]) * rng.choice([0.04, 0.1, 1.0, 7.3]),
                  "edge": rng.choice([None, "start", "end"])},
        "ripple": {"track": track, "from_s": at_s / 2, "by_s": rng.choice([-1, 1]) * at_s / 9},
        "split": {"key": key, "at_s": inside_s},
        "join": {"key": key, "words_of": follower},
        "delete": {"key": key},
        "label": {"key": key, "step_id": rng.choice([*STEP_IDS, "-1"])},
        "write": {"key": key, "text": rng.choice(["Pour oil", "Grasp tape", ""])},
        "missing": {"track": track, "step_id": rng.choice(STEP_IDS)},
    }  # fmt: skip
    gesture = rng.choice(["move_edge", "nudge", "draw", "split", *drawn])
    return row_of(named, state, gesture, settings, **drawn[gesture])


def time_rows(rng: random.Random) -> Iterator[dict[str, Any]]:
    """Moments with every step of edges: just between two, on a frame, drawn, before the start."""
    ties = [1 / 128, 3 / 128, 5 / 128, 0.5, 0.25, 0.05, 0.15, 1e-7, -0.2, 0.02, 0.0200001]
    for rate, resolution_s in itertools.product((None, 25.0, NTSC, 30.0, 60.0), (None, 0.1)):
        frames = [frame / (rate or 10) for frame in (1, 7, 29_999)]
        halves = [(frame + 0.5) / (rate or 10) for frame in (0, 1, 2)]
        drawn_s = [rng.uniform(0, 4000) for _ in range(4)]
        for time_s in [*ties, *frames, *halves, *drawn_s]:
            yield {"time_s": time_s, "rate": rate, "resolution_s": resolution_s}


USE = "use {wrong} but should use {correct}"

TEMPLATES: list[dict[str, Any]] = [
    {"pattern": USE, "values": {"wrong": " the  tape", "correct": "glue"}},
    {"pattern": USE, "values": {"wrong": "tape", "correct": " "}},
    {"pattern": "grasp {wrong}", "values": {"wrong": "tape", "right": "glue"}},
    {"pattern": "wait", "values": {"wrong": "tape"}},
    {"pattern": USE, "read": "Use tape  but should use a but should use b"},
    {"pattern": USE, "read": "use  but should use glue"},
    {"pattern": "{verb} {object}", "read": "knock over the cup"},
    {"pattern": "{verb} it, then {verb} (again)", "read": "Stir it, then stir (again)"},
    {"pattern": "{verb} it, then {verb} (again)", "read": "Stir it, then shake (again)"},
    {"pattern": "grasp {wrong}", "read": "grasp ÖL, 100% $1"},
]  # fmt: skip
