"""The table that the engine of segments and its twin in the browser both play.

A row of `gestures` has a scheme, a state, a gesture with its arguments, and what comes of it: the
gesture as it is sent with the faults that it leaves, or the words of an error. `faults`, `snapped`
and `templates` ask for one function each. What is asked stands in `case_rows.py`, the rows
worked out by hand first. After a change of the rules:

    .venv/bin/python -m tests.segments.cases
    git diff tests/data
"""

import json
import random
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from annotation.engine.videos.clock import first_frame, last_frame, rounded, shortest_s
from segments.engine.difference import differences
from segments.engine.faults import faults
from segments.engine.model import CONTENT, Gesture, Segmentation
from segments.engine.scheme import Geometry, Scheme
from segments.engine.templates import Template, TemplateError
from tests.segments.case_rows import (
    BY_HAND,
    EMPTY,
    NTSC,
    SCHEMES,
    SLIP,
    STEP_IDS,
    TEMPLATES,
    drawn_rows,
    gesture_of,
    lying,
    mistake,
    state_from,
    state_row,
    time_rows,
)
from tests.segments.gestures import inverse, snapped

FILE = Path(__file__).with_name("cases.json")

SEED = 12


def as_sent(gesture: Gesture) -> dict[str, Any]:
    """A gesture as a browser sends it: of each segment only what changes."""
    changes = []
    for change in gesture.changes:
        base = change.before or EMPTY
        values = {
            name: getattr(change.after, name)
            for name in CONTENT
            if getattr(change.after, name) != getattr(base, name)
        }
        place = {"key": change.key, "base_revision": base.revision if change.before else 0}
        if change.before is None:
            changes.append({**place, "insert": values})
        elif values == {"is_deleted": True}:
            changes.append({**place, "delete": True})
        else:
            changes.append({**place, "set": values})
    return {"name": gesture.name, "changes": changes}


def outcome(row: dict[str, Any]) -> dict[str, Any]:
    """What the engine makes of a row: `sent` and `faults`, or `error`."""
    state = state_from(row["state"])
    try:
        gesture = gesture_of(row)
        after = state.apply(gesture)
    except ValueError as error:
        return {"error": str(error)}
    return {
        "sent": as_sent(gesture),
        "undone": as_sent(inverse(gesture)),
        "faults": fault_rows(after, SCHEMES[row["scheme"]]),
        "badges": {item.key: list(item.words) for item in differences(state, after) if item.words},
    }


def fault_rows(state: Segmentation, named: Scheme) -> list[dict[str, Any]]:
    return [asdict(fault) for fault in faults(state, named, STEP_IDS)]


def outcome_of_template(row: dict[str, Any]) -> dict[str, Any]:
    template = Template(row["pattern"])
    if "read" in row:
        return {"values": template.values(row["read"])}
    try:
        return {"text": template.text(row["values"])}
    except TemplateError as error:
        return {"error": str(error)}


def outcome_of_time(row: dict[str, Any]) -> dict[str, Any]:
    grid = {"resolution_s": row["resolution_s"], "rate": row["rate"]}
    edge_s, rate = snapped(row["time_s"], **grid), row["rate"]
    return {
        "rounded_s": rounded(row["time_s"]),
        "snapped_s": edge_s,
        "shortest_s": shortest_s(**grid),
        "frames": [last_frame(edge_s, rate), first_frame(edge_s, rate)] if rate else None,
    }


def spans_after(row: dict[str, Any]) -> dict[str, list[float]]:
    """Where the segments of the first track lie after a row."""
    after = state_from(row["state"]).apply(gesture_of(row))
    track = SCHEMES[row["scheme"]].tracks[0].name
    return {item.key: list(item.span) for item in after.timed(track)}


def table() -> dict[str, Any]:
    """The whole table; fails where the engine does other than was worked out by hand."""
    rng = random.Random(SEED)
    gestures = []
    for row, expected in BY_HAND:
        found = outcome(row)
        spans = found.get("error") or spans_after(row)
        assert spans == expected, (
            f"{row['gesture']} {row['arguments']}: {spans}; expected {expected}"
        )
        gestures.append({**row, **found})
    gestures += [{**row, **outcome(row)} for row in drawn_rows(rng)]
    odd = lying((2, 10), (10, 20), (18, 19), (25, 105), rate=25.0, s2={"step_id": "9"},
                s3={"step_id": ""}, s4={"step_id": "-1"}, m1={"track": "steps", "step_id": "1"},
                m2=mistake(None, None, "s9"), m3={**mistake(1.0, 2.0), "label": ""})  # fmt: skip
    states = [odd, lying(), replace(odd, duration_s=None, rate=None)]
    labelled = {"s1": {"label": "unintended actions"}, "s2": {**SLIP, "is_proposal": True}}
    named = [(name, state) for name in (*Geometry, "frames") for state in states]
    # The last frame begins a rounding before 300 / NTSC s less a frame: nothing is left to cover.
    to_the_last_frame = replace(lying((0, 9.976633), rate=NTSC), duration_s=10.01)
    named.append(("partition", to_the_last_frame))
    named.append(("egooops", lying((0, 10), (10, 20), **labelled)))
    named.append(("onset", lying((1, 1), (2, 3), s1={"track": "onsets"}, s2={"track": "onsets"})))
    return {
        "step_ids": STEP_IDS,
        "schemes": {str(name): one.to_dict() for name, one in SCHEMES.items()},
        "gestures": gestures,
        "faults": [
            {
                "scheme": str(name),
                "state": state_row(state),
                "faults": fault_rows(state, SCHEMES[name]),
            }
            for name, state in named
        ],
        "snapped": [{**row, **outcome_of_time(row)} for row in time_rows(rng)],
        "templates": [{**row, **outcome_of_template(row)} for row in TEMPLATES],
    }


def as_text(found: dict[str, Any]) -> str:
    """The table with a row per line, so that a difference is a line."""
    parts = []
    for name, value in found.items():
        if isinstance(value, list) and name != "step_ids":
            rows = ",\n  ".join(json.dumps(row, ensure_ascii=False) for row in value)
            parts.append(f" {json.dumps(name)}: [\n  {rows}\n ]")
        else:
            parts.append(f" {json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def main() -> None:
    FILE.parent.mkdir(exist_ok=True)
    FILE.write_text(as_text(table()), encoding="utf-8")


if __name__ == "__main__":
    main()
