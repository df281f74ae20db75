"""The layout of task graphs; the templates draw them.

There are two drawings: boxes in layers from top to bottom with a line per edge, and lanes beside a
list with a row per step. Nodes are numbered in an order that the graph allows, so every edge goes
from a lower to a higher number. Letters: N nodes.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import scipy

Edge = tuple[int, int]

BOX_WIDTH, LINE_HEIGHT, BOX_PADDING = 178, 15, 8
GAP_X, GAP_Y, MARGIN = 18, 34, 8
# An edge that crosses a layer has a waypoint there, of this width; its weight keeps edges straight
# rather than boxes centred.
WAYPOINT_WIDTH, WAYPOINT_WEIGHT = 10, 3.0
SWEEPS = 24
LANE_WIDTH = 9


@dataclass(frozen=True, slots=True)
class LayeredDrawing:
    """Boxes as (x, y, width, height) and an SVG path for each edge."""

    boxes: tuple[tuple[float, float, float, float], ...]
    paths: tuple[tuple[Edge, str], ...]
    width: float
    height: float


def layers(edges: Sequence[Edge], line_counts: Sequence[int]) -> LayeredDrawing:
    """The drawing of nodes with `line_counts` (N,) lines of text.

    Sugiyama's method: assign layers, order each layer by barycentres, then place the boxes.
    """
    count = len(line_counts)
    ranks = _ranks(count, edges)
    chains, levels = _with_waypoints(ranks, edges)
    levels = _with_few_crossings(levels, chains)
    centres = _centres(levels, chains, count)
    heights = [BOX_PADDING * 2 + LINE_HEIGHT * lines for lines in line_counts]
    tops, y = [], float(MARGIN)
    for level in levels:
        tops.append(y)
        y += max((heights[node] for node in level if node < count), default=0) + GAP_Y
    left = min(centres[node] - _width(node, count) / 2 for level in levels for node in level)
    x = {node: centre - left + MARGIN for node, centre in centres.items()}
    boxes = tuple(
        (round(x[node] - BOX_WIDTH / 2, 1), tops[ranks[node]], float(BOX_WIDTH), heights[node])
        for node in range(count)
    )
    paths = []
    for edge, chain in zip(edges, chains, strict=True):
        first = ranks[edge[0]]
        parts = [f"M{x[chain[0]]:.1f},{tops[first] + heights[chain[0]]:.1f}"]
        at = x[chain[0]], tops[first] + heights[chain[0]]
        for rank, node in enumerate(chain[1:], start=first + 1):
            middle = (at[1] + tops[rank]) / 2
            parts.append(
                f"C{at[0]:.1f},{middle:.1f} {x[node]:.1f},{middle:.1f}"
                f" {x[node]:.1f},{tops[rank]:.1f}"
            )
            if node >= count:  # straight on, past the boxes of the layer
                bottom = tops[rank + 1] - GAP_Y
                parts.append(f"V{bottom:.1f}")
                at = x[node], bottom
        paths.append((edge, " ".join(parts)))
    right = max(x[node] + _width(node, count) / 2 for level in levels for node in level)
    return LayeredDrawing(boxes, tuple(paths), round(right + MARGIN, 1), y - GAP_Y + MARGIN)


def _ranks(count: int, edges: Sequence[Edge]) -> list[int]:
    """The layer of each node; nodes that may move go to emptier layers, near their neighbours."""
    befores, afters = _neighbours(edges)
    earliest, latest = [0] * count, [0] * count
    for node in range(count):
        earliest[node] = max((earliest[before] + 1 for before in befores.get(node, ())), default=0)
    depth = max(earliest, default=0)
    for node in reversed(range(count)):
        latest[node] = min((latest[after] - 1 for after in afters.get(node, ())), default=depth)
    filled = [0] * (depth + 1)
    for node in range(count):
        if earliest[node] == latest[node]:
            filled[earliest[node]] += 1
    ranks = earliest.copy()
    for node in range(count):
        if earliest[node] == latest[node]:
            continue
        first = max((ranks[before] + 1 for before in befores.get(node, ())), default=0)

        def cost(rank: int, node: int = node) -> float:
            ends = [rank - ranks[before] for before in befores.get(node, ())]
            ends += [latest[after] - rank for after in afters.get(node, ())]
            return filled[rank] + 0.5 * sum(ends)

        ranks[node] = min(range(first, latest[node] + 1), key=cost)
        filled[ranks[node]] += 1
    return ranks


def _with_waypoints(
    ranks: Sequence[int], edges: Sequence[Edge]
) -> tuple[list[list[int]], list[list[int]]]:
    """The nodes along each edge, and the nodes of each layer; numbers from N on are waypoints."""
    levels: list[list[int]] = [[] for _ in range(max(ranks, default=0) + 1)]
    for node, rank in enumerate(ranks):
        levels[rank].append(node)
    chains, following = [], len(ranks)
    for before, after in edges:
        chain = [before]
        for rank in range(ranks[before] + 1, ranks[after]):
            chain.append(following)
            levels[rank].append(following)
            following += 1
        chains.append([*chain, after])
    return chains, levels


def _neighbours(chains: Iterable[Sequence[int]]) -> tuple[dict[int, list[int]], ...]:
    above: dict[int, list[int]] = {}
    below: dict[int, list[int]] = {}
    for chain in chains:
        for upper, lower in pairwise(chain):
            above.setdefault(lower, []).append(upper)
            below.setdefault(upper, []).append(lower)
    return above, below


def _with_few_crossings(levels: list[list[int]], chains: list[list[int]]) -> list[list[int]]:
    """Layers sorted by the mean rank of neighbours, sweeping down and up; the best of all."""
    above, below = _neighbours(chains)
    levels = [list(level) for level in levels]
    best, fewest = levels, _crossings(levels, below)
    for sweep in range(SWEEPS):
        is_down = sweep % 2 == 0
        towards = above if is_down else below
        for index in range(len(levels)) if is_down else reversed(range(len(levels))):
            other = index - 1 if is_down else index + 1
            if not 0 <= other < len(levels):
                continue
            places = {node: place for place, node in enumerate(levels[other])}
            rank_of = {node: float(place) for place, node in enumerate(levels[index])}
            for node in levels[index]:
                if near := [places[neighbour] for neighbour in towards.get(node, ())]:
                    rank_of[node] = sum(near) / len(near)
            levels[index] = sorted(levels[index], key=rank_of.__getitem__)
        count = _crossings(levels, below)
        if count < fewest:
            best, fewest = [list(level) for level in levels], count
    return best


def _crossings(levels: Sequence[Sequence[int]], below: dict[int, list[int]]) -> int:
    count = 0
    for upper, lower in pairwise(levels):
        places = {node: place for place, node in enumerate(lower)}
        ends = [sorted(places[neighbour] for neighbour in below.get(node, ())) for node in upper]
        flat = [place for row in ends for place in row]
        count += sum(first > second for n, first in enumerate(flat) for second in flat[n + 1 :])
    return count


def _width(node: int, count: int) -> float:
    return BOX_WIDTH if node < count else WAYPOINT_WIDTH


def _centres(
    levels: Sequence[Sequence[int]], chains: list[list[int]], count: int
) -> dict[int, float]:
    """The x of each node: near the mean of its neighbours, in the layer's order, without overlap.

    That is an isotonic regression of the wanted positions less the room needed by all to the left.
    """
    above, below = _neighbours(chains)
    x: dict[int, float] = {}
    offsets = []
    for level in levels:
        widths = np.array([_width(node, count) + GAP_X for node in level])
        offset = np.cumsum(widths) - widths / 2
        offsets.append(offset)
        x.update(zip(level, (offset - widths.sum() / 2).tolist(), strict=True))
    for sweep in range(SWEEPS + 1):
        # Going down nodes follow those above, going up those below. The last sweep goes down, which
        # leaves long edges straight.
        towards = above if sweep % 2 == 0 else below
        for index in range(len(levels)) if sweep % 2 == 0 else reversed(range(len(levels))):
            level, offset = levels[index], offsets[index]
            near = [towards.get(node, ()) for node in level]
            wished = np.array(
                [np.mean([x[neighbour] for neighbour in neighbours]) if neighbours else x[node]
                 for node, neighbours in zip(level, near, strict=True)]
            )  # fmt: skip
            weights = np.array([WAYPOINT_WEIGHT if node >= count else 1.0 for node in level])
            fitted = scipy.optimize.isotonic_regression(wished - offset, weights=weights).x
            x.update(zip(level, (fitted + offset).tolist(), strict=True))
    return x


@dataclass(frozen=True, slots=True)
class LaneRow:
    """The x of each lane beside one row of the list.

    `passing` lanes cross the row, `ending` ones reach its dot from above, the `starting` one leaves
    the dot downwards. `joining` are those of passing and ending whose step must come right before
    this row's.
    """

    passing: tuple[float, ...]
    ending: tuple[float, ...]
    starting: float | None
    joining: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Lanes:
    rows: tuple[LaneRow, ...]
    width: float
    dot_x: float


def lanes(count: int, edges: Sequence[Edge]) -> Lanes:
    """A lane for each node with successors, from its row to the row of the last of them.

    Short lanes lie nearest to the dots. No lane begins at the row and x where another ends: the two
    would look like one.
    """
    last: dict[int, int] = {}
    for before, after in edges:
        last[before] = max(after, last.get(before, after))
    columns: list[list[int]] = []
    column_of: dict[int, int] = {}
    for node in sorted(last, key=lambda before: (last[before] - before, before)):
        column = next(
            (
                column
                for column, held in enumerate(columns)
                if all(last[node] < other or last[other] < node for other in held)
            ),
            len(columns),
        )
        if column == len(columns):
            columns.append([])
        columns[column].append(node)
        column_of[node] = column
    dot_x = LANE_WIDTH * (len(columns) + 0.5)
    x = {node: dot_x - LANE_WIDTH * (column + 1) for node, column in column_of.items()}
    rows = []
    for row in range(count):
        befores = sorted({before for before, after in edges if after == row})
        rows.append(
            LaneRow(
                passing=tuple(x[node] for node in last if node < row < last[node]),
                ending=tuple(x[node] for node in last if last[node] == row),
                starting=x.get(row),
                joining=tuple(x[node] for node in befores),
            )
        )
    return Lanes(tuple(rows), dot_x + LANE_WIDTH, dot_x)
