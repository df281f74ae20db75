"""How steps are divided to train and test on, and the graph that they stand in."""

from collections.abc import Mapping, Sequence

from annotation.engine.procedure import TaskGraph
from benchmarks.engine.joined_steps import FIRST, JoinedStep


def graph_on_steps(
    graph: TaskGraph | None, step_of_text: Mapping[str, str]
) -> dict[str, list[list[str]]]:
    """A task graph as JSON: {"nodes": [[node, step id]], "edges": [[before, after]] of nodes}.

    Nodes whose text is no step are left out, with their edges.
    """
    if graph is None:
        return {"nodes": [], "edges": []}
    nodes = {node: step_of_text[text] for node, text in graph.nodes if text in step_of_text}
    return {
        "nodes": [[node, step] for node, step in nodes.items()],
        "edges": [list(edge) for edge in graph.edges if nodes.keys() >= set(edge)],
    }


def parts_by_step(steps: Sequence[JoinedStep]) -> dict[str, str]:
    """The part of each step by the "step split" of CaptainCook4D, as its code makes it.

    Errors and others, by their first row, are each cut in the order of the recording: three
    quarters train, up to 0.91 test, the rest val. The shuffle that was meant has no effect there,
    so training sees the beginning of every recording.
    """
    found = {}
    for is_error in (True, False):
        there = [step.step_id for step in steps if step.is_error(FIRST) == is_error]
        first, second = int(0.75 * len(there)), int(0.91 * len(there))
        for place, step_id in enumerate(there):
            found[step_id] = "train" if place < first else "test" if place < second else "val"
    return found
