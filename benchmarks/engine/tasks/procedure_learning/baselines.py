"""Clusters of frames without a look at any."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from benchmarks.engine.frame_values import packed
from benchmarks.engine.measures.procedure_graph import (
    CyclicGraphError,
    ProcedureGraph,
    TooManyStatesError,
)
from benchmarks.engine.task import Baseline, Floats, Item, Value

Ints = npt.NDArray[np.int64]
# Valid orders that the mean place of a step is taken over.
SAMPLED_ORDERS = 200


def baselines_of(items: Sequence[Item], rng: np.random.Generator) -> Sequence[Baseline]:
    clusters = [item.payload["clusters"] for item in items]
    drawn = [
        packed(rng.integers(count, size=item.payload["frame_count"]), item.payload["fps"])
        for item, count in zip(items, clusters, strict=True)
    ]
    ranks: dict[str, Floats] = {}
    for item in items:
        if item.procedure not in ranks:
            ranks[item.procedure] = _mean_ranks(item, rng)
    lengths = _lengths(items)
    return (
        Baseline("Everything is one cluster", [_in_parts(item, np.ones(1)) for item in items]),
        Baseline("Random clusters", drawn),
        Baseline(
            "As many equal parts as steps",
            [_in_parts(item, np.ones(len(item.payload["steps"]))) for item in items],
        ),
        Baseline(
            "As many equal parts as clusters",
            [_in_parts(item, np.ones(count)) for item, count in zip(items, clusters, strict=True)],
        ),
        Baseline(
            "Mean order of the task graph, mean lengths in other recordings (annotated, no video)",
            [
                _in_parts(item, length, np.argsort(ranks[item.procedure], kind="stable"))
                for item, length in zip(items, lengths, strict=True)
            ],
        ),
    )


def _in_parts(item: Item, lengths: Floats, order: Ints | None = None) -> Value:
    """Parts of these lengths one after the other, each a cluster; `order` says which comes when."""
    count, clusters = item.payload["frame_count"], item.payload["clusters"]
    which = np.arange(len(lengths)) if order is None else order
    ends = np.cumsum(lengths[which]) / lengths.sum()
    places = np.searchsorted(ends, np.arange(count) / count, side="right")
    said = which[np.minimum(places, len(which) - 1)]
    # Where there are fewer clusters than steps, the last ones share one.
    return packed(np.minimum(said, clusters - 1), item.payload["fps"])


def _mean_ranks(item: Item, rng: np.random.Generator) -> Floats:
    """Where each step stands on average in a valid order; as the procedure has it without one."""
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
    """For each recording, the seconds that each step takes on average in the others of its kind."""
    own = []
    of_procedure: dict[str, list[int]] = defaultdict(list)
    for place, item in enumerate(items):
        of_procedure[item.procedure].append(place)
        taken = dict.fromkeys([step_id for step_id, _ in item.payload["steps"]], 0.0)
        for one in item.truth["intervals"]:
            taken[one["label"]] += one["end_s"] - one["start_s"]
        own.append(np.array(list(taken.values())))
    sums = {name: np.sum([own[n] for n in places], axis=0) for name, places in of_procedure.items()}
    found = []
    for item, seconds in zip(items, own, strict=True):
        others = sums[item.procedure] - seconds
        # Alone of its kind, a recording has equal parts.
        found.append(others if others.sum() > 1e-9 else np.ones(len(seconds)))
    return found
