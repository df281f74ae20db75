"""A recording's walk through the task graph of its procedure.

Nodes of a graph are joined to the steps of recordings by their text; a recording knows no more than
the id of a step.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

import numpy as np

from annotation.engine.formats.task_graphs import BOUNDARY_NODES
from benchmarks.engine.measures.procedure_graph import (
    OrderCheck,
    ProcedureGraph,
    TooManyStatesError,
)

# So many orders are listed at most; where there are more, some are drawn.
LISTED_ORDERS = 50


@dataclass(frozen=True, slots=True)
class Done:
    """A row of a recording: a step, when it was done (None: nobody knows), what is marked wrong.

    `is_left_out` rows say that the step was not done.
    """

    step_id: str
    text: str
    start_s: float | None
    end_s: float | None
    marks: tuple[str, ...] = ()
    is_left_out: bool = False


@dataclass(frozen=True, slots=True)
class GraphStep:
    """A node of a graph as pages call it: by its place in the first order that the graph allows.

    `after` are the numbers of what it must come right after. Where no recording has a step with its
    words, `is_matched` is false and its `step_id` is the node's own.
    """

    number: int
    step_id: str
    text: str
    after: tuple[int, ...]
    is_matched: bool


@dataclass(frozen=True)
class Procedure:
    """A task graph on the steps of recordings; `number` names it in addresses.

    `step_of` is by node, in the order of the steps' numbers: cyclic graphs, which allow no order,
    have their nodes as listed.
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
        """The nodes that only mark begin and end are left out: no recording does them."""
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
        """By the places of their steps, from 0, in the order of the graph."""
        place = {node: place for place, node in enumerate(self.step_of)}
        return [(place[before], place[after]) for before, after in dict.fromkeys(self.graph.edges)]

    @cached_property
    def numbers(self) -> dict[str, str]:
        """By step id, as the pages write it; a step that two nodes stand for has two numbers."""
        found: dict[str, list[str]] = {}
        for step in self.steps:
            found.setdefault(step.step_id, []).append(str(step.number))
        return {step_id: " or ".join(numbers) for step_id, numbers in found.items()}

    @cached_property
    def texts(self) -> dict[str, str]:
        """By step id."""
        return {step.step_id: step.text for step in reversed(self.steps)}

    @cached_property
    def order_count(self) -> int | None:
        """None where the graph is too free to be counted."""
        try:
            return self.graph.count_orders()
        except TooManyStatesError:
            return None

    def all_orders(self) -> list[list[GraphStep]]:
        """The first `LISTED_ORDERS`; count before you list."""
        orders = islice(self.graph.orders(), LISTED_ORDERS)
        return [[self.step_of[node] for node in order] for order in orders]

    def sampled_orders(self, count: int, seed: int) -> list[list[GraphStep]]:
        """Each order with the same chance, also one that was drawn before.

        There are none where the graph has a cycle, or more orders than can be counted.
        """
        rng = np.random.default_rng(seed)
        orders = (self.graph.sample_order(rng) for _ in range(count if self.order_count else 0))
        return [[self.step_of[node] for node in order] for order in orders]


@dataclass(frozen=True, slots=True)
class BrokenEdge:
    """Two steps, by id, of which `before` must come first, and when either was first done.

    `is_unmet`: it never was; else it came later. `is_direct`: the graph has the edge itself.
    """

    before: str
    after: str
    is_unmet: bool
    is_direct: bool
    before_s: float | None
    after_s: float | None


@dataclass(frozen=True)
class Walk:
    """What a recording did, in the order in which it was begun, against its procedure.

    `check` is None where the graph has a cycle.
    """

    done: tuple[Done, ...]
    check: OrderCheck | None

    @cached_property
    def pieces(self) -> dict[str, list[Done]]:
        found: dict[str, list[Done]] = {}
        for one in self.done:
            found.setdefault(one.step_id, []).append(one)
        return found

    @cached_property
    def places(self) -> dict[str, int]:
        """By step id: as the how-manyth step it was first begun."""
        return {step: place for place, step in enumerate(self.pieces, start=1)}

    @cached_property
    def broken(self) -> list[BrokenEdge]:
        """What was done too late, then what never was; edges before what follows from them."""
        if self.check is None:
            return []
        first_s = {step: pieces[0].start_s for step, pieces in self.pieces.items()}
        direct = set(self.check.violations)
        kinds = [(False, pair in direct, pair) for pair in self.check.violations_closure]
        kinds += [(True, True, pair) for pair in self.check.unmet]
        found = []
        for is_unmet, is_direct, pair in sorted(kinds, key=lambda kind: (kind[0], not kind[1])):
            before, after = map(str, pair)
            times = first_s.get(before), first_s.get(after)
            found.append(BrokenEdge(before, after, is_unmet, is_direct, *times))
        return found

    @cached_property
    def faults(self) -> list[str]:
        """In words: why the recording is no valid order; none where it is."""
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
        return [f"{count} {one if count == 1 else more}" for count, one, more in counts if count]

    @property
    def length_s(self) -> float:
        return max((one.end_s for one in self.done if one.end_s is not None), default=0.0)


def walk_of(procedure: Procedure, rows: Sequence[Done]) -> Walk:
    """Rows without a time are left out where others have one: nobody saw when they were done."""
    kept = [row for row in rows if not row.is_left_out]
    if timed := [row for row in kept if row.start_s is not None]:
        kept = sorted(timed, key=lambda row: row.start_s or 0.0)
    graph = procedure.graph
    return Walk(tuple(kept), None if graph.cycle else graph.check([row.step_id for row in kept]))
