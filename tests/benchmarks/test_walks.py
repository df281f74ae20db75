"""Walks of recordings through task graphs, and the layout of the graphs' drawings."""

import re
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.engine.graphs.drawing import lanes, layers
from benchmarks.engine.graphs.walks import BrokenEdge, DoneRow, GraphStep, Procedure, walk_of

NODES = (("0", "START"), ("3", "Pour"), ("1", "Boil"), ("2", "Warm the pot"), ("9", "END"))
EDGES = (("0", "1"), ("0", "2"), ("1", "3"), ("2", "3"), ("3", "9"))
TEA = Procedure.of(1, "Tea", NODES, EDGES, {"Boil": "b", "Pour": "p", "Warm the pot": "w"})


def done(step, start_s=None, **more):
    return DoneRow(step, step, start_s, None if start_s is None else start_s + 1, **more)


def test_steps_are_numbered_by_an_order_that_the_graph_allows():
    boil, warm, pour = TEA.steps

    assert [step.step_id for step in TEA.steps] == ["b", "w", "p"]
    assert TEA.numbers == {"b": "1", "w": "2", "p": "3"}
    assert pour == GraphStep(3, "p", "Pour", after=(1, 2), is_matched=True)
    assert TEA.order_count == 2
    assert TEA.all_orders() == [[boil, warm, pour], [warm, boil, pour]]
    drawn = TEA.sampled_orders(20, seed=4)
    assert drawn == TEA.sampled_orders(20, seed=4)
    assert all(order in drawn for order in TEA.all_orders())


def test_a_walk_says_what_was_done_too_late_never_and_again():
    rows = [done("p", 5.0), done("b", 7.0), done("b", 9.0), done("w", is_left_out=True)]

    walk = walk_of(TEA, rows)

    assert walk.places == {"p": 1, "b": 2}
    assert walk.broken == [
        BrokenEdge("b", "p", False, True, 7.0, 5.0),
        BrokenEdge("w", "p", True, True, None, 5.0),
    ]
    assert walk.faults == [
        "1 pair of steps in the wrong order", "1 step left out", "1 step done more than once",
    ]  # fmt: skip


def test_rows_without_times_are_read_in_their_order_unless_others_have_times():
    assert walk_of(TEA, [done("w"), done("b"), done("p")]).faults == []
    assert walk_of(TEA, [done("w", 2.0), done("b"), done("p", 1.0)]).faults == [
        "1 pair of steps in the wrong order", "1 step left out",
    ]  # fmt: skip


def test_a_graph_with_a_cycle_has_a_page_and_no_verdict():
    cyclic = Procedure.of(1, "Tea", NODES, (*EDGES, ("3", "1")), {})

    walk = walk_of(cyclic, [done("1", 1.0)])

    assert (cyclic.order_count, walk.check, walk.faults) == (0, None, ["the graph has a cycle"])
    assert [(step.step_id, step.is_matched) for step in cyclic.steps] == [
        ("3", False), ("1", False), ("2", False),
    ]  # fmt: skip


@st.composite
def graphs(draw):
    count = draw(st.integers(1, 14))
    pairs = list(combinations(range(count), 2))
    return count, draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []


@given(graphs())
def test_no_boxes_overlap_and_every_line_goes_down_between_its_boxes(graph):
    count, edges = graph

    drawn = layers(edges, [2] * count)

    for (x, y, width, height), (other_x, other_y, *_) in combinations(drawn.boxes, 2):
        assert abs(x - other_x) >= width or abs(y - other_y) >= height
    assert all(0 <= x <= drawn.width - width for x, _, width, _ in drawn.boxes)
    assert [edge for edge, _ in drawn.paths] == edges
    for (before, after), path in drawn.paths:
        heights = [float(y) for y in re.findall(r"(?:,|V)(-?[\d.]+)", path)]
        _, top, _, height = drawn.boxes[before]
        assert heights[0] == pytest.approx(top + height, abs=0.1)
        assert heights == sorted(heights)
        assert heights[-1] == pytest.approx(drawn.boxes[after][1], abs=0.1)


@given(graphs())
def test_each_edge_can_be_followed_along_its_lane(graph):
    count, edges = graph

    drawn = lanes(count, edges)

    for row in drawn.rows:
        held = [*row.passing, *row.ending]
        assert len(set(held)) == len(held)
        assert row.starting is None or row.starting not in held
    for before, after in edges:
        x = drawn.rows[before].starting
        assert x in drawn.rows[after].joining
        assert all(x in drawn.rows[between].passing for between in range(before + 1, after))
