"""Worked cases, the one published file of predictions, and 384 walks through 24 graphs."""

import csv
import json
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from annotation.analytics.cases.worked_cases import mismatches
from annotation.engine.corpus.formats import captaincook4d
from annotation.engine.corpus.formats.task_graphs import BOUNDARY_NODES
from benchmarks.engine.measures.detection_cases import FAMILY
from benchmarks.engine.measures.localisation import (
    Intervals,
    MatchingRule,
    mean_average_precision,
    recall_at,
)
from benchmarks.engine.measures.procedure_graph import ProcedureGraph

pytestmark = pytest.mark.shared_data
THRESHOLDS = (0.1, 0.2, 0.3, 0.4, 0.5)


@pytest.fixture(scope="module")
def expected(shared_data):
    return json.loads((shared_data / "detection/EXPECTED_metrics.json").read_text())


def test_every_worked_case_is_reproduced(expected):
    found = [mismatch for case in expected["cases"] for mismatch in mismatches(FAMILY, case)]

    assert found == []
    assert len(expected["cases"]) == 69


def test_the_released_code_is_told_apart(expected):
    cases = [case for case in expected["cases"] if "released_code" in case]
    for case in cases:
        figures = FAMILY.kinds[case["kind"]](case["input"] | {"rule": MatchingRule.RELEASED_CODE})
        assert {name: figures[name] for name in case["released_code"]} == case["released_code"]
    assert len(cases) == 4


@pytest.fixture(scope="module")
def published(shared_data):
    """Truth and predictions, with recordings as numbers."""
    folder = shared_data / "detection/real_predictions"
    truth = json.loads((folder / "truth_environment_test.json").read_text())["database"]
    numbers = {name: number for number, name in enumerate(truth)}
    rows = [
        (numbers[name], item["label_id"], *item["segment"])
        for name, recording in truth.items()
        for item in recording["annotations"]
    ]
    with (folder / "preds.csv").open(newline="") as file:
        said = [
            (
                numbers[row["video-id"]],
                int(row["label"]),
                float(row["t-start"]),
                float(row["t-end"]),
                float(row["score"]),
            )
            for row in csv.DictReader(file)
        ]
    return intervals(rows), intervals(said)


def intervals(rows):
    table = np.array(rows)
    scores = table[:, 4] if table.shape[1] > 4 else None
    return Intervals(
        table[:, 0].astype(int), table[:, 1].astype(int), table[:, 2], table[:, 3], scores
    )


@pytest.mark.parametrize(
    ("name", "rule", "is_limited"),
    [
        ("truth of all 53 videos", MatchingRule.FIELD, False),
        ("truth of the 19 predicted videos", MatchingRule.FIELD, True),
        ("released code, all 53", MatchingRule.RELEASED_CODE, False),
        ("released code, 19 videos", MatchingRule.RELEASED_CODE, True),
    ],
)
def test_the_published_predictions_get_their_figures(expected, published, name, rule, is_limited):
    truth, predictions = published
    if is_limited:
        truth = truth.take(np.isin(truth.recordings, predictions.recordings))

    found = mean_average_precision(truth, predictions, THRESHOLDS, rule=rule)
    recalls = recall_at(truth, predictions, THRESHOLDS, (1, 5), rule=rule)

    figures = {
        "mAP": percent(found.mean),
        "average": round(100 * found.average, 2),
        "R@1": percent(recalls[1]),
        "R@5": percent(recalls[5]),
    }
    assert figures == expected["real_predictions"][name]


def percent(values):
    return [round(100 * value, 2) for value in values]


@pytest.fixture(scope="module")
def corpus(shared_data):
    return captaincook4d.read(shared_data / "captaincook4d")


@pytest.fixture(scope="module")
def graphs(corpus):
    """Each graph on the ids of its nodes, without the two dummies, by the name of its file."""
    found = {}
    for graph in corpus.task_graphs:
        ids = [node for node, text in graph.nodes if text not in BOUNDARY_NODES]
        edges = tuple(edge for edge in graph.edges if set(edge) <= set(ids))
        name = graph.scenario.replace(" ", "").replace("-", "").lower()
        found[name] = ProcedureGraph(tuple(ids), edges)
    return found


def test_orders_of_all_published_graphs_are_counted(graphs, expected):
    counts = sorted(graph.count_orders() for graph in graphs.values())

    published = expected["captaincook4d"]["task_graphs"].values()
    assert counts == sorted(graph["topological_orders"] for graph in published)
    assert counts[-1] == 15_850_598_400


def test_the_walks_of_all_recordings_are_as_counted(shared_data, graphs, expected):
    annotations = json.loads(
        (shared_data / "captaincook4d/annotation_json/error_annotations.json").read_text()
    )
    known = expected["captaincook4d"]
    name_of = {graph["activity_id"]: name for name, graph in known["task_graphs"].items()}
    found, valid = Counter(), Counter()
    for recording in annotations:
        name, rows = name_of[recording["activity_id"]], recording["step_annotations"]
        timed = [row for row in rows if row["start_time"] >= 0 and row["end_time"] >= 0]
        walk = [row["step_id"] for row in sorted(timed, key=lambda row: row["start_time"])]
        check = replace(graphs[name], step_of=known["graph_node_to_step_id"][name]).check(walk)
        errors = [error["tag"] for row in rows for error in row.get("errors", ())]
        found[not check.is_order_right, "Order Error" in errors] += 1
        valid[not errors, check.is_valid] += 1

    counted = known["order_check"]
    assert list(counted["recordings"].values()) == [
        found[True, True], found[True, False], found[False, True], found[False, False],
    ]  # fmt: skip
    assert list(counted["fully_valid_orders"].values()) == [
        valid[True, True], valid[True, False], valid[False, True], valid[False, False],
    ]  # fmt: skip
    assert sum(found.values()) == 384
