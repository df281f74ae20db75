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


@dataclass(frozen=True)
class Procedure:
    """A task graph on the steps of recordings.

    `texts` and `step_of` are by node; one whose text is no step of a recording stands for itself.
    """

    scenario: str
    graph: ProcedureGraph
    texts: Mapping[Hashable, str]
    step_of: Mapping[Hashable, str]
    unmatched: tuple[Hashable, ...]

    @classmethod
    def of(
        cls,
        scenario: str,
        nodes: Iterable[tuple[str, str]],
        edges: Iterable[tuple[str, str]],
        step_of_text: Mapping[str, str],
    ) -> "Procedure":
        """The nodes that only mark begin and end are left out: no recording does them."""
        texts: dict[Hashable, str] = {
            node: text for node, text in nodes if text not in BOUNDARY_NODES
        }
        inner = tuple((before, after) for before, after in edges if {before, after} <= set(texts))
        return cls(
            scenario,
            ProcedureGraph(tuple(texts), inner),
            texts,
            {node: step_of_text.get(text, str(node)) for node, text in texts.items()},
            tuple(node for node, text in texts.items() if text not in step_of_text),
        )

    @cached_property
    def order(self) -> tuple[Hashable, ...]:
        """The first order that the graph allows, as its nodes are listed; cyclic graphs have none.

        Steps are numbered by it on every page.
        """
        return self.graph.nodes if self.graph.cycle else next(self.graph.orders())

    @cached_property
    def numbers(self) -> dict[Hashable, int]:
        return {node: number for number, node in enumerate(self.order, start=1)}

    @cached_property
    def step_numbers(self) -> dict[str, str]:
        """By step id, as the pages write it; a step that two nodes stand for has two numbers."""
        found: dict[str, list[str]] = {}
        for node in self.order:
            found.setdefault(self.step_of[node], []).append(str(self.numbers[node]))
        return {step: " or ".join(numbers) for step, numbers in found.items()}

    @cached_property
    def step_texts(self) -> dict[str, str]:
        return {self.step_of[node]: self.texts[node] for node in reversed(self.order)}

    @cached_property
    def order_count(self) -> int | None:
        """None where the graph is too free to be counted."""
        try:
            return self.graph.count_orders()
        except TooManyStatesError:
            return None

    def before(self, node: Hashable) -> list[Hashable]:
        """What must come right before a node, by number."""
        found = {before for before, after in self.graph.edges if after == node}
        return sorted(found, key=self.numbers.__getitem__)

    def all_orders(self) -> list[tuple[Hashable, ...]]:
        """The first `LISTED_ORDERS`; count before you list."""
        return list(islice(self.graph.orders(), LISTED_ORDERS))

    def sampled_orders(self, count: int, seed: int) -> list[tuple[Hashable, ...]]:
        """Each order with the same chance, also one that was drawn before."""
        rng = np.random.default_rng(seed)
        return [self.graph.sample_order(rng) for _ in range(count)]


@dataclass(frozen=True, slots=True)
class BrokenEdge:
    """Two steps, by id, of which `before` must come first, and when either was first done.

    `is_unmet`: it never was; else it came later. `is_direct`: the graph has the edge itself.
    """

    before: Hashable
    after: Hashable
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
    broken: tuple[BrokenEdge, ...]

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

    @property
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
    if procedure.graph.cycle:
        return Walk(tuple(kept), None, ())
    check = procedure.graph.check([row.step_id for row in kept], procedure.step_of)
    first: dict[Hashable, float | None] = {}
    for row in kept:
        first.setdefault(row.step_id, row.start_s)
    broken = [
        BrokenEdge(
            before, after, is_unmet, (before, after) in direct, first.get(before), first.get(after)
        )
        for is_unmet, pairs, direct in (
            (False, check.violations_closure, set(check.violations)),
            (True, check.unmet, set(check.unmet)),
        )
        for before, after in pairs
    ]
    # What the graph says itself comes before what follows from it.
    broken.sort(key=lambda edge: (edge.is_unmet, not edge.is_direct))
    return Walk(tuple(kept), check, tuple(broken))
