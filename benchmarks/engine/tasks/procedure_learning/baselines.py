"""Baselines that cluster frames without seeing any."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from benchmarks.engine.frames_task import frames_baseline
from benchmarks.engine.measures.procedure_graph import (
    CyclicGraphError,
    ProcedureGraph,
    TooManyStatesError,
)
from benchmarks.engine.task import Baseline, Floats, Item

Ints = npt.NDArray[np.int64]
# The number of valid orders that a step's mean rank is computed from.
SAMPLED_ORDERS = 200


def baselines_of(items: Sequence[Item], rng: np.random.Generator) -> Sequence[Baseline]:
    drawn = [
        rng.integers(item.payload["clusters"], size=item.payload["frame_count"]) for item in items
    ]
    ranks: dict[str, Floats] = {}
    for item in items:
        if item.procedure not in ranks:
            ranks[item.procedure] = _mean_ranks(item, rng)
    orders = [np.argsort(ranks[item.procedure], kind="stable") for item in items]
    participants: dict[str, Iterable[Ints]] = {
        "Everything is one cluster": (_in_parts(item, np.ones(1)) for item in items),
        "Random clusters": drawn,
        "As many equal parts as steps": (
            _in_parts(item, np.ones(len(item.payload["steps"]))) for item in items
        ),
        "As many equal parts as clusters": (
            _in_parts(item, np.ones(item.payload["clusters"])) for item in items
        ),
        "Mean order of the task graph, mean lengths in other recordings (annotated, no video)": map(
            _in_parts, items, _lengths(items), orders
        ),
    }
    return [frames_baseline(name, items, numbers) for name, numbers in participants.items()]


def _in_parts(item: Item, lengths: Floats, order: Ints | None = None) -> Ints:
    """Consecutive parts of these lengths, each a cluster; `order` is the order of the parts."""
    count, clusters = item.payload["frame_count"], item.payload["clusters"]
    sequence = np.arange(len(lengths)) if order is None else order
    ends = np.cumsum(lengths[sequence]) / lengths.sum()
    places = np.searchsorted(ends, np.arange(count) / count, side="right")
    # With fewer clusters than steps, the last steps share one.
    frames: Ints = np.minimum(sequence[np.minimum(places, len(sequence) - 1)], clusters - 1)
    return frames


def _mean_ranks(item: Item, rng: np.random.Generator) -> Floats:
    """The mean rank of each step in valid orders; without a usable graph, its rank as written."""
    steps = [step_id for step_id, _ in item.payload["steps"]]
    step_of: Mapping[str, str] = dict(item.payload["graph"]["nodes"])
    if set(step_of.values()) != set(steps):
        return np.arange(len(steps), dtype=np.float64)
    edges = tuple((before, after) for before, after in item.payload["graph"]["edges"])
    graph = ProcedureGraph(tuple(step_of), edges)
    ranks = np.zeros(len(steps))
    try:
        for _ in range(SAMPLED_ORDERS):
            for rank, node in enumerate(graph.sample_order(rng)):
                ranks[steps.index(step_of[str(node)])] += rank
    except (CyclicGraphError, TooManyStatesError):
        return np.arange(len(steps), dtype=np.float64)
    return ranks


def _lengths(items: Sequence[Item]) -> list[Floats]:
    """For each recording, the total seconds of each step in the procedure's other recordings."""
    own = []
    of_procedure: dict[str, list[int]] = defaultdict(list)
    for place, item in enumerate(items):
        of_procedure[item.procedure].append(place)
        seconds_of = dict.fromkeys([step_id for step_id, _ in item.payload["steps"]], 0.0)
        for interval in item.truth["intervals"]:
            seconds_of[interval["label"]] += interval["end_s"] - interval["start_s"]
        own.append(np.array(list(seconds_of.values())))
    sums = {name: np.sum([own[n] for n in places], axis=0) for name, places in of_procedure.items()}
    lengths = []
    for item, seconds in zip(items, own, strict=True):
        others = sums[item.procedure] - seconds
        # The only recording of its procedure gets equal parts.
        lengths.append(others if others.sum() > 1e-9 else np.ones(len(seconds)))
    return lengths
