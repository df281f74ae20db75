"""A procedure as a graph of which step must come before which: its orders, and recordings' walks.

Orders are counted before any is listed: one recipe of CaptainCook4D has 15,850,598,400.

ValueError
  CyclicGraphError     no order exists; names the steps of a cycle
  TooManyStatesError   the graph is too free to be counted
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from graphlib import CycleError, TopologicalSorter

import numpy as np

# Sets of finished steps in memory while orders are counted. The largest published graph has some
# thousand; more than this would take a page longer than a few seconds.
MAX_STATES = 100_000


class CyclicGraphError(ValueError):
    """The graph has no order; `cycle` are steps of which each must come before the next."""

    def __init__(self, cycle: Sequence[Hashable]) -> None:
        self.cycle = tuple(cycle)
        super().__init__(f"steps {' before '.join(map(str, cycle))}; expected no cycle")


class TooManyStatesError(ValueError):
    """Too many sets of finished steps are possible to count the orders."""


@dataclass(frozen=True, slots=True)
class OrderCheck:
    """A recording's order compared with the graph; pairs are (before, after).

    The first execution of a step counts. `violations` are edges whose steps were done the other way
    round, `violations_closure` all such pairs, those through other steps included; `unmet` are
    edges whose first step was never done. The order is right when no pair is violated, and valid
    when also every step was done exactly once.
    """

    missing: tuple[Hashable, ...]
    repeated: tuple[Hashable, ...]
    unknown: tuple[Hashable, ...]
    violations: tuple[tuple[Hashable, Hashable], ...]
    unmet: tuple[tuple[Hashable, Hashable], ...]
    violations_closure: tuple[tuple[Hashable, Hashable], ...]

    @property
    def is_order_right(self) -> bool:
        return not self.violations_closure

    @property
    def is_valid(self) -> bool:
        return self.is_order_right and not (self.missing or self.repeated or self.unknown)


@dataclass(frozen=True)
class ProcedureGraph:
    """Nodes, and edges (before, after) between them. Raises ValueError for an unknown node.

    `step_of` is the step that a node stands for, by default the node itself; recordings name steps.
    Two nodes may stand for one step.
    """

    nodes: tuple[Hashable, ...]
    edges: tuple[tuple[Hashable, Hashable], ...]
    step_of: Mapping[Hashable, Hashable] = field(default_factory=dict)
    _places: dict[Hashable, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        places = {node: place for place, node in enumerate(self.nodes)}
        if len(places) < len(self.nodes):
            twice = [node for node, count in Counter(self.nodes).items() if count > 1]
            raise ValueError(f"steps {twice} are there twice; expected each once")
        for edge in self.edges:
            for node in edge:
                if node not in places:
                    raise ValueError(f"edge {edge} names {node!r}; expected a step of the graph")
        object.__setattr__(self, "_places", places)

    @cached_property
    def cycle(self) -> tuple[Hashable, ...]:
        """Steps of which each must come before the next, ending with the first again; or ()."""
        sorter: TopologicalSorter[Hashable] = TopologicalSorter()
        for before, after in self.edges:
            sorter.add(after, before)
        try:
            sorter.prepare()
        except CycleError as error:
            return tuple(error.args[1])
        return ()

    def _refuse_cycle(self) -> None:
        if self.cycle:
            raise CyclicGraphError(self.cycle)

    @cached_property
    def closure(self) -> tuple[tuple[Hashable, Hashable], ...]:
        """Every pair of nodes of which the first must come before the second, in order of `nodes`.

        Raises `CyclicGraphError`.
        """
        earlier = [0] * len(self.nodes)
        for node in next(self.orders()):
            place = self._places[node]
            for before in self._befores[place]:
                earlier[place] |= earlier[before] | 1 << before
        return tuple(
            (before, after)
            for first, before in enumerate(self.nodes)
            for second, after in enumerate(self.nodes)
            if earlier[second] >> first & 1
        )

    @cached_property
    def _befores(self) -> list[set[int]]:
        befores: list[set[int]] = [set() for _ in self.nodes]
        for before, after in self.edges:
            befores[self._places[after]].add(self._places[before])
        return befores

    def count_orders(self) -> int:
        """How many orders there are; 0 where the graph has a cycle."""
        return 0 if self.cycle else self._completions[0]

    @cached_property
    def _completions(self) -> dict[int, int]:
        """For each reachable set of finished steps (bits), in how many ways the rest is done."""
        self._refuse_cycle()
        following: dict[int, list[int]] = {}
        level = {0}
        for _ in self.nodes:
            following |= {
                done: [done | 1 << place for place in self._ready(done)] for done in level
            }
            level = {after for done in level for after in following[done]}
            if len(following) + len(level) > MAX_STATES:
                raise TooManyStatesError(
                    f"more than {MAX_STATES} sets of finished steps; expected a graph with fewer"
                )
        completions = dict.fromkeys(level, 1)
        for done, afters in reversed(following.items()):
            completions[done] = sum(completions[after] for after in afters)
        return completions

    def _ready(self, done: int) -> list[int]:
        """The steps that can come next: not done yet, and everything before them is."""
        return [place for place, needed, looked_at in self._needs if done & looked_at == needed]

    @cached_property
    def _needs(self) -> list[tuple[int, int, int]]:
        """The place of each step, the bits of the steps before it, and these with its own bit."""
        needed = [sum(1 << before for before in befores) for befores in self._befores]
        return [(place, steps, steps | 1 << place) for place, steps in enumerate(needed)]

    def orders(self) -> Iterator[tuple[Hashable, ...]]:
        """Yield every order, in lexicographic order of `nodes`; raises `CyclicGraphError`."""
        self._refuse_cycle()
        waiting: list[tuple[int, tuple[int, ...]]] = [(0, ())]
        while waiting:
            done, walked = waiting.pop()
            if len(walked) == len(self.nodes):
                yield tuple(self.nodes[place] for place in walked)
            for place in reversed(self._ready(done)):
                waiting.append((done | 1 << place, (*walked, place)))

    def sample_order(self, rng: np.random.Generator) -> tuple[Hashable, ...]:
        """A random order, uniformly; raises `CyclicGraphError`, `TooManyStatesError`.

        Each next step is drawn with the share of the remaining orders that begin with it.
        """
        completions, done = self._completions, 0
        walked: list[int] = []
        while len(walked) < len(self.nodes):
            ready = self._ready(done)
            # Counts may exceed 64 bits, so they are divided as Python ints.
            shares = np.array(
                [completions[done | 1 << place] / completions[done] for place in ready]
            )
            place = ready[int(rng.choice(len(ready), p=shares / shares.sum()))]
            walked.append(place)
            done |= 1 << place
        return tuple(self.nodes[place] for place in walked)

    @cached_property
    def _steps(self) -> dict[Hashable, None]:
        """The steps that the nodes stand for, in order of `nodes`."""
        return dict.fromkeys(self.step_of.get(node, node) for node in self.nodes)

    @cached_property
    def step_edges(self) -> list[tuple[Hashable, Hashable]]:
        return self._on_steps(self.edges)

    @cached_property
    def step_closure(self) -> list[tuple[Hashable, Hashable]]:
        """`closure` as pairs of steps; raises `CyclicGraphError`."""
        return self._on_steps(self.closure)

    def _on_steps(
        self, pairs: Iterable[tuple[Hashable, Hashable]]
    ) -> list[tuple[Hashable, Hashable]]:
        named = (tuple(self.step_of.get(node, node) for node in pair) for pair in pairs)
        return list(dict.fromkeys((first, second) for first, second in named if first != second))

    def check(self, executed: Sequence[Hashable]) -> OrderCheck:
        """Compare an executed order of steps with the graph; raises `CyclicGraphError`."""
        counts = Counter(executed)
        first = {step: place for place, step in reversed(list(enumerate(executed)))}

        def reversed_of(
            pairs: list[tuple[Hashable, Hashable]],
        ) -> tuple[tuple[Hashable, Hashable], ...]:
            return tuple(
                (before, after)
                for before, after in pairs
                if before in first and after in first and first[before] > first[after]
            )

        return OrderCheck(
            missing=tuple(step for step in self._steps if step not in counts),
            repeated=tuple(step for step in self._steps if counts[step] > 1),
            unknown=tuple(step for step in counts if step not in self._steps),
            violations=reversed_of(self.step_edges),
            unmet=tuple(
                (before, after)
                for before, after in self.step_edges
                if before not in first and after in first
            ),
            violations_closure=reversed_of(self.step_closure),
        )
