"""Task graphs in the form of CaptainCook4D: `{"steps": {id: text}, "edges": [[before, after]]}`."""

from collections.abc import Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from annotation.engine.corpus.formats.reading import read_json
from annotation.engine.corpus.procedure import TaskGraph

# The two nodes that every graph has and no recording performs.
BOUNDARY_NODES = frozenset({"START", "END"})


def read_task_graph(path: Path, scenario: str) -> TaskGraph:
    """An unknown node or a cycle is refused."""
    root = read_json(path).as_object()
    nodes = {node_id: item.as_text() for node_id, item in root.child("steps").items()}
    edges = []
    for item in root.elements_of("edges"):
        ends = item.elements()
        ids = [str(end.value) for end in ends if type(end.value) is int and str(end.value) in nodes]
        if len(ends) == len(ids) == 2:
            edges.append((ids[0], ids[1]))
        else:
            item.fault("", item.value, "two node ids of this graph: [before, after]")
    root.faults.raise_if_any()
    order: TopologicalSorter[str] = TopologicalSorter()
    for before_id, after_id in edges:
        order.add(after_id, before_id)
    try:
        order.prepare()
    except CycleError:
        root.fault("edges", f"{len(edges)} edges", "no step to come before itself")
    root.faults.raise_if_any()
    return TaskGraph(scenario=scenario, nodes=tuple(nodes.items()), edges=tuple(edges))


def count_order_deviations(graph: TaskGraph, start_of: Mapping[str, float]) -> int:
    """How often a recording departs from the graph, steps being joined by their text.

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
