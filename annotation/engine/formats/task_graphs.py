"""Task graphs in the form of CaptainCook4D: `{"steps": {id: text}, "edges": [[before, after]]}`."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path

from annotation.engine.formats.reading import Entry, read_json
from annotation.engine.procedure import TaskGraph

# The two nodes that every graph has and no recording performs.
BOUNDARY_NODES = frozenset({"START", "END"})


def _read_edge(entry: Entry, nodes: Mapping[str, str]) -> tuple[str, str]:
    ends = entry.elements()
    ids = [str(end.value) for end in ends if type(end.value) is int]
    if len(ends) != 2 or len(ids) != 2 or not all(node in nodes for node in ids):
        entry.fault("", entry.value, "two node ids of this graph: [before, after]")
        return "", ""
    return ids[0], ids[1]


def _is_acyclic(nodes: Iterable[str], edges: Iterable[tuple[str, str]]) -> bool:
    """Return whether every node can be taken after all that come before it (Kahn, 1962)."""
    after: dict[str, list[str]] = defaultdict(list)
    open_count = dict.fromkeys(nodes, 0)
    for before_id, after_id in edges:
        after[before_id].append(after_id)
        open_count[after_id] += 1
    ready = [node for node, count in open_count.items() if count == 0]
    taken_count = 0
    while ready:
        taken_count += 1
        for node in after[ready.pop()]:
            open_count[node] -= 1
            if open_count[node] == 0:
                ready.append(node)
    return taken_count == len(open_count)


def read_task_graph(path: Path, scenario: str) -> TaskGraph:
    """Return the graph of `scenario`; an unknown node or a cycle is refused."""
    root = read_json(path).as_object()
    nodes = {node_id: item.as_text() for node_id, item in root.child("steps").items()}
    edges = [_read_edge(item, nodes) for item in root.elements_of("edges")]
    root.faults.raise_if_any()
    if not _is_acyclic(nodes, edges):
        root.fault("edges", f"{len(edges)} edges", "no step to come before itself")
    root.faults.raise_if_any()
    return TaskGraph(scenario=scenario, nodes=tuple(nodes.items()), edges=tuple(edges))


def count_order_deviations(graph: TaskGraph, start_of: Mapping[str, float]) -> int:
    """Return how often a recording departs from the graph, steps being joined by their text.

    `start_of` gives the first start of each performed step in seconds. A departure is an edge
    whose later step starts first, or a step of the graph that was not done.
    """
    texts = dict(graph.nodes)
    starts = {node: start_of.get(text) for node, text in texts.items()}
    deviations = 0
    for before_id, after_id in graph.edges:
        before_s, after_s = starts[before_id], starts[after_id]
        deviations += before_s is not None and after_s is not None and after_s < before_s
    absent = (text not in BOUNDARY_NODES and starts[node] is None for node, text in texts.items())
    return deviations + sum(absent)
