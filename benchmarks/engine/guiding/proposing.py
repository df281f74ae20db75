"""The stages from a recording's features to proposed steps, and how far these are from the truth.

Each stage is computed from the ones before it and is stored as JSON, so that it can go on alone.
Source: Plan, Watch, Recover, appendix I.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import mean, median
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.engine.guiding.proposals import WardTree

# How many columns the strip of features has, and how many merges of the tree are kept to be shown.
STRIP_COLUMNS, SHOWN_MERGES = 200, 40
NEAR_S = (1.0, 2.0)


class Stage(StrEnum):
    """What is done one after the other; from `CAPTIONS` on a model is asked."""

    FEATURES = "features"
    TREE = "tree"
    CUT = "cut"
    CAPTIONS = "captions"
    GROUPS = "groups"
    ALIGNMENT = "alignment"
    SCORES = "scores"


WITHOUT_MODEL = (Stage.FEATURES, Stage.TREE, Stage.CUT)
IN_ORDER = "The pieces are given to the steps in order; nothing has looked at what they show."


@dataclass(frozen=True, slots=True)
class ProposedStep:
    """A proposed stretch: the place of its step in the procedure from 0, None for no step."""

    start_s: float
    end_s: float
    place: int | None
    caption: str = ""


def feature_strip(rows: npt.NDArray[np.float32], columns: int = STRIP_COLUMNS) -> list[float]:
    """How much features change over the recording, from 0 to 1, in at most so many columns."""
    values = np.asarray(rows, dtype=np.float64)
    change = np.r_[0.0, np.sqrt((np.diff(values, axis=0) ** 2).sum(axis=1))]
    parts = np.array_split(change, min(columns, len(change)))
    heights = np.array([part.max() for part in parts])
    most = heights.max()
    return [round(float(one), 3) for one in (heights / most if most else heights)]


def top_merges(tree: WardTree, seconds_per_row: float) -> list[list[float]]:
    """The last merges (start, middle, end in seconds, distance), the greatest distance first."""
    shown = []
    for place in range(len(tree.halves) - 1, max(-1, len(tree.halves) - 1 - SHOWN_MERGES), -1):
        first, end = tree.span(place + tree.row_count)
        middle = tree.span(int(tree.halves[place][1]))[0]
        times = [round(row * seconds_per_row, 3) for row in (first, middle, end)]
        shown.append([*times, round(float(tree.heights[place]), 6)])
    return shown


def span_s(
    rows: tuple[int, int], row_count: int, seconds_per_row: float, length_s: float
) -> tuple[float, float]:
    """The seconds of some rows; the last ends with the recording."""
    first, end = rows
    end_s = length_s if end == row_count else min(end * seconds_per_row, length_s)
    return round(min(first * seconds_per_row, length_s), 3), round(end_s, 3)


def given_in_order(pieces_s: Sequence[tuple[float, float]], step_count: int) -> list[ProposedStep]:
    """Pieces by time, given to the steps in the order of the procedure.

    With fewer pieces than steps, as of a recording of few rows, the last steps get none.
    """
    return [
        ProposedStep(start_s, end_s, place if place < step_count else None)
        for place, (start_s, end_s) in enumerate(pieces_s)
    ]


def evenly(length_s: float, step_count: int) -> list[ProposedStep]:
    """The steps in equal pieces: what needs no features, to compare with."""
    edges = [length_s * place / step_count for place in range(step_count + 1)]
    pieces = [(round(edges[n], 3), round(edges[n + 1], 3)) for n in range(step_count)]
    return given_in_order(pieces, step_count)


def edge_errors(
    truth: Sequence[ProposedStep], proposed: Sequence[ProposedStep]
) -> Mapping[str, Any] | None:
    """How far proposed edges are from true ones; None where the truth has no step with times.

    `median_s` and `mean_s` are over both edges of the steps that both have, each by its first
    time; `near` is the share of true inner edges with any proposed one within so many seconds.
    """
    own, right = _first_by_place(proposed), _first_by_place(truth)
    if not right:
        return None
    errors = [
        abs(mine - yours)
        for place in own.keys() & right.keys()
        for mine, yours in zip(own[place], right[place], strict=True)
    ]
    inner = sorted({step.start_s for step in truth} - {min(step.start_s for step in truth)})
    edges = np.array([time for step in proposed for time in (step.start_s, step.end_s)])
    near = {
        f"{within_s:g}": round(
            mean(bool((abs(edges - time) <= within_s).any()) for time in inner), 3
        )
        for within_s in NEAR_S
        if inner and len(edges)
    }
    return {
        "matched": len(own.keys() & right.keys()),
        "steps": len(right),
        "median_s": round(median(errors), 3) if errors else None,
        "mean_s": round(mean(errors), 3) if errors else None,
        "inner": len(inner),
        "near": near,
    }


def _first_by_place(steps: Sequence[ProposedStep]) -> dict[int, tuple[float, float]]:
    found: dict[int, tuple[float, float]] = {}
    for step in sorted(steps, key=lambda step: step.start_s):
        if step.place is not None:
            found.setdefault(step.place, (step.start_s, step.end_s))
    return found


def step_of(value: Mapping[str, Any]) -> ProposedStep:
    """A proposed step as it is stored."""
    return ProposedStep(
        float(value["start_s"]), float(value["end_s"]), value["place"], value["caption"]
    )
