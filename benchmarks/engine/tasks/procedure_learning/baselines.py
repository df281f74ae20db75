"""Clusters of frames without a look at any."""

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
# Valid orders that the mean place of a step is taken over.
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
    """Parts of these lengths one after the other, each a cluster; `order` says which comes when."""
    count, clusters = item.payload["frame_count"], item.payload["clusters"]
    which = np.arange(len(lengths)) if order is None else order
    ends = np.cumsum(lengths[which]) / lengths.sum()
    places = np.searchsorted(ends, np.arange(count) / count, side="right")
    # Where there are fewer clusters than steps, the last ones share one.
    said: Ints = np.minimum(which[np.minimum(places, len(which) - 1)], clusters - 1)
    return said


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
