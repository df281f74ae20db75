"""A recording's walk through the task graph of its procedure.

Nodes are matched with the steps of recordings by their text, since rows of a recording name their
step by id and a graph does not.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

import numpy as np

from annotation.engine.corpus.formats.task_graphs import BOUNDARY_NODES
from benchmarks.engine.measures.procedure_graph import (
    OrderCheck,
    ProcedureGraph,
    TooManyStatesError,
)

# The most orders that are listed; where there are more, a sample is drawn.
LISTED_ORDERS = 50


@dataclass(frozen=True, slots=True)
class DoneRow:
    """A row of a recording: its step, when it was done (None if unknown), and its marked mistakes.

    `is_left_out`: the row says that the step was not done.
    """

    step_id: str
    text: str
    start_s: float | None
    end_s: float | None
    marks: tuple[str, ...] = ()
    is_left_out: bool = False


@dataclass(frozen=True, slots=True)
class GraphStep:
    """A node of a graph; `number` is its place in the first order that the graph allows.

    `after` are the numbers of the steps right before it. Where no recording has a step with its
    text, `is_matched` is false and `step_id` is the node's own id.
    """

    number: int
    step_id: str
    text: str
    after: tuple[int, ...]
    is_matched: bool


@dataclass(frozen=True)
class Procedure:
    """A task graph matched with the steps of recordings; `number` is its id in addresses.

    `step_of` gives the step of each node, in the order of the steps' numbers; a cyclic graph allows
    no order, so its nodes are in the order of the file.
    """

    number: int
    scenario: str
    graph: ProcedureGraph
    step_of: Mapping[Hashable, GraphStep]

    @classmethod
    def of(
        cls,
        number: int,
        scenario: str,
        nodes: Iterable[tuple[str, str]],
        edges: Iterable[tuple[str, str]],
        step_of_text: Mapping[str, str],
    ) -> "Procedure":
        """Without the nodes that only mark the beginning and the end: nobody does them."""
        texts = {node: text for node, text in nodes if text not in BOUNDARY_NODES}
        graph = ProcedureGraph(
            tuple(texts),
            tuple((before, after) for before, after in edges if {before, after} <= set(texts)),
            {node: step_of_text.get(text, node) for node, text in texts.items()},
        )
        order = graph.nodes if graph.cycle else next(graph.orders())
        numbers = {node: place for place, node in enumerate(order, start=1)}
        steps: dict[Hashable, GraphStep] = {
            node: GraphStep(
                numbers[node],
                step_of_text.get(texts[node], node),
                texts[node],
                tuple(sorted({numbers[before] for before, after in graph.edges if after == node})),
                texts[node] in step_of_text,
            )
            for node in map(str, order)
        }
        return cls(number, scenario, graph, steps)

    @property
    def steps(self) -> list[GraphStep]:
        return list(self.step_of.values())

    @property
    def edges(self) -> list[tuple[int, int]]:
        """The edges between places of steps, from 0, in the order of the graph."""
        place = {node: place for place, node in enumerate(self.step_of)}
        return [(place[before], place[after]) for before, after in dict.fromkeys(self.graph.edges)]

    @cached_property
    def numbers(self) -> dict[str, str]:
        """The number of each step by its id, as text; a step with two nodes is "2 or 5"."""
        numbers_of: dict[str, list[str]] = {}
        for step in self.steps:
            numbers_of.setdefault(step.step_id, []).append(str(step.number))
        return {step_id: " or ".join(numbers) for step_id, numbers in numbers_of.items()}

    @cached_property
    def texts(self) -> dict[str, str]:
        """The text of each step by its id."""
        return {step.step_id: step.text for step in reversed(self.steps)}

    @cached_property
    def order_count(self) -> int | None:
        """None where there are too many orders to count them."""
        try:
            return self.graph.count_orders()
        except TooManyStatesError:
            return None

    def all_orders(self) -> list[list[GraphStep]]:
        """The first `LISTED_ORDERS` orders; look at `order_count` first."""
        orders = islice(self.graph.orders(), LISTED_ORDERS)
        return [[self.step_of[node] for node in order] for order in orders]

    def sampled_orders(self, count: int, seed: int) -> list[list[GraphStep]]:
        """Orders drawn with replacement, each with the same chance.

        Empty where the graph has a cycle or more orders than can be counted.
        """
        rng = np.random.default_rng(seed)
        orders = (self.graph.sample_order(rng) for _ in range(count if self.order_count else 0))
        return [[self.step_of[node] for node in order] for order in orders]


@dataclass(frozen=True, slots=True)
class BrokenEdge:
    """Two steps, by id, of which `before` should have come first, and when each was first done.

    `is_unmet`: `before` was never done, else it was done too late. `is_direct`: the graph has this
    edge, else it follows through other steps.
    """

    before: str
    after: str
    is_unmet: bool
    is_direct: bool
    before_s: float | None
    after_s: float | None


@dataclass(frozen=True)
class Walk:
    """What was done in a recording, in the order of the beginnings, checked against its procedure.

    `check` is None where the graph has a cycle.
    """

    done: tuple[DoneRow, ...]
    check: OrderCheck | None

    @cached_property
    def pieces(self) -> dict[str, list[DoneRow]]:
        pieces: dict[str, list[DoneRow]] = {}
        for row in self.done:
            pieces.setdefault(row.step_id, []).append(row)
        return pieces

    @cached_property
    def places(self) -> dict[str, int]:
        """The rank, from 1, at which each step was first begun, by its id."""
        return {step: place for place, step in enumerate(self.pieces, start=1)}

    @cached_property
    def broken(self) -> list[BrokenEdge]:
        """Steps done too late, then those never done; direct edges before those that follow."""
        if self.check is None:
            return []
        first_s = {step: pieces[0].start_s for step, pieces in self.pieces.items()}
        direct = set(self.check.violations)
        kinds = [(False, pair in direct, pair) for pair in self.check.violations_closure]
        kinds += [(True, True, pair) for pair in self.check.unmet]
        edges = []
        for is_unmet, is_direct, pair in sorted(kinds, key=lambda kind: (kind[0], not kind[1])):
            before, after = map(str, pair)
            times = first_s.get(before), first_s.get(after)
            edges.append(BrokenEdge(before, after, is_unmet, is_direct, *times))
        return edges

    @cached_property
    def faults(self) -> list[str]:
        """Why the recording is not a valid order, in words; empty where it is one."""
        if self.check is None:
            return ["the graph has a cycle"]
        counts = (
            (len(self.check.violations_closure), "pair of steps in the wrong order",
             "pairs of steps in the wrong order"),
            (len(self.check.missing), "step left out", "steps left out"),
            (len(self.check.repeated), "step done more than once", "steps done more than once"),
            (len(self.check.unknown), "step that the graph does not have",
             "steps that the graph does not have"),
        )  # fmt: skip
        return [
            f"{count} {singular if count == 1 else plural}"
            for count, singular, plural in counts
            if count
        ]

    @property
    def length_s(self) -> float:
        return max((row.end_s for row in self.done if row.end_s is not None), default=0.0)


def walk_of(procedure: Procedure, rows: Sequence[DoneRow]) -> Walk:
    """The walk of the rows that were done. Where some have times, rows without one are left out."""
    done = [row for row in rows if not row.is_left_out]
    if timed := [row for row in done if row.start_s is not None]:
        done = sorted(timed, key=lambda row: row.start_s or 0.0)
    graph = procedure.graph
    return Walk(tuple(done), None if graph.cycle else graph.check([row.step_id for row in done]))
