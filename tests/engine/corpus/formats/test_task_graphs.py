import json

import pytest

from annotation.engine.corpus.formats.errors import FormatError
from annotation.engine.corpus.formats.task_graphs import count_order_deviations, read_task_graph
from annotation.engine.corpus.procedure import TaskGraph

DOCUMENT = {
    "steps": {"0": "START", "1": "Boil", "2": "Cut", "3": "Pour", "4": "END"},
    "edges": [[0, 1], [0, 2], [1, 3], [2, 3], [3, 4]],
}


def _read(folder, document):
    path = folder / "tea.json"
    path.write_text(json.dumps(document))
    return read_task_graph(path, "Tea")


def test_read_task_graph_keeps_nodes_and_edges(tmp_path):
    assert _read(tmp_path, DOCUMENT) == TaskGraph(
        "Tea",
        (("0", "START"), ("1", "Boil"), ("2", "Cut"), ("3", "Pour"), ("4", "END")),
        (("0", "1"), ("0", "2"), ("1", "3"), ("2", "3"), ("3", "4")),
    )


@pytest.mark.parametrize("edge", [[1], [1, 9], ["1", "2"], [1, True], 3])
def test_wrong_edge_is_refused(tmp_path, edge):
    with pytest.raises(FormatError, match=r"tea.json, edges\[0\]"):
        _read(tmp_path, {**DOCUMENT, "edges": [edge]})


def test_cycle_is_refused(tmp_path):
    with pytest.raises(FormatError, match="expected no step to come before itself"):
        _read(tmp_path, {**DOCUMENT, "edges": [[1, 2], [2, 3], [3, 1]]})


@pytest.mark.parametrize(
    ("starts", "deviations"),
    [
        ({"Cut": 0.0, "Boil": 1.0, "Pour": 2.0}, 0),
        ({"Pour": 0.0, "Cut": 1.0, "Boil": 2.0}, 2),
        ({"Cut": 0.0, "Pour": 1.0, "Boil": 2.0}, 1),
        ({"Cut": 0.0, "Pour": 1.0}, 1),
        ({}, 3),
    ],
)
def test_deviations_are_inverted_edges_and_absent_steps(tmp_path, starts, deviations):
    assert count_order_deviations(_read(tmp_path, DOCUMENT), starts) == deviations
