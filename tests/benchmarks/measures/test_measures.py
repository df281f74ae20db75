"""Measures against their definitions written out plainly, on random rows."""

import itertools

import networkx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score

from benchmarks.engine.measures import procedure_graph
from benchmarks.engine.measures.counts import YesNo
from benchmarks.engine.measures.decisions import (
    AreaByRecording,
    Confusion,
    best_threshold,
    curve,
    scores_of_steps,
)
from benchmarks.engine.measures.keysteps import keystep_figures
from benchmarks.engine.measures.localisation import Intervals, mean_average_precision, recall_at
from benchmarks.engine.measures.procedure_graph import (
    CyclicGraphError,
    ProcedureGraph,
    TooManyStatesError,
)
from benchmarks.engine.scoring import values_of


def random_rows(rng, count, *, with_scores):
    starts = rng.integers(0, 40, count).astype(float)
    lengths = rng.integers(1, 20, count)
    scores = rng.permutation(count) / count if with_scores else None
    return Intervals(
        rng.integers(0, 4, count), rng.integers(0, 3, count), starts, starts + lengths, scores
    )


def plain_iou(first, second):
    overlap = max(0.0, min(first[1], second[1]) - max(first[0], second[0]))
    return overlap / ((first[1] - first[0]) + (second[1] - second[0]) - overlap)


def plain_average_precision(truth, predictions, label, limit):
    """The definition, one prediction after the other."""
    truths = [
        (r, (s, e))
        for r, c, s, e in zip(
            truth.recordings, truth.labels, truth.starts_s, truth.ends_s, strict=True
        )
        if c == label
    ]
    taken, hits = set(), []
    for row in np.argsort(-predictions.scores):
        if predictions.labels[row] != label:
            continue
        span = predictions.starts_s[row], predictions.ends_s[row]
        there = [
            (plain_iou(span, other), place)
            for place, (recording, other) in enumerate(truths)
            if recording == predictions.recordings[row] and place not in taken
        ]
        best = max(there, key=lambda item: (item[0], -item[1]), default=(0.0, -1))
        hits.append(best[0] >= limit and best[1] >= 0)
        if hits[-1]:
            taken.add(best[1])
    area, count = 0.0, 0
    precisions = [sum(hits[: n + 1]) / (n + 1) for n in range(len(hits))]
    for place, is_hit in enumerate(hits):
        count += is_hit
        area += is_hit * max(precisions[place:], default=0.0)
    return area / len(truths)


@pytest.mark.parametrize("seed", range(20))
def test_average_precision_is_its_definition(seed):
    rng = np.random.default_rng(seed)
    truth = random_rows(rng, 25, with_scores=False)
    # Rows that say the same count once, and are left to the test of that.
    _, kept = np.unique(
        np.stack([truth.recordings, truth.labels, truth.starts_s, truth.ends_s], axis=1),
        axis=0,
        return_index=True,
    )
    truth = truth.take(np.sort(kept))
    predictions = random_rows(rng, 60, with_scores=True)

    found = mean_average_precision(truth, predictions, (0.1, 0.5))

    for place, label in enumerate(found.classes):
        for at, limit in enumerate((0.1, 0.5)):
            plain = plain_average_precision(truth, predictions, label, limit)
            assert found.average_precision[place, at] == pytest.approx(plain, abs=1e-12)


def test_without_truth_nothing_is_defined():
    rng = np.random.default_rng(0)
    nothing = random_rows(rng, 0, with_scores=False)
    predictions = random_rows(rng, 5, with_scores=True)

    found = mean_average_precision(nothing, predictions, (0.5,))

    assert (found.mean, found.average, found.foreign_count) == ([None], None, 5)
    assert recall_at(nothing, predictions, (0.5,), (1,)) == {1: [None]}


def test_area_by_recording_is_the_area_of_the_drawn_items():
    rng = np.random.default_rng(3)
    truth, scores = rng.random(300) < 0.4, np.round(rng.normal(size=300), 1)
    recordings = rng.integers(0, 12, 300)
    prepared = AreaByRecording.of(truth, scores, recordings)
    drawn = rng.multinomial(12, np.full(12, 1 / 12), size=50)

    found = prepared.areas(drawn.astype(float))

    for weights, area in zip(drawn, found, strict=True):
        rows = np.concatenate(
            [np.tile(np.flatnonzero(recordings == n), times) for n, times in enumerate(weights)]
        )
        assert area == pytest.approx(curve(truth[rows], scores[rows]).area, abs=1e-12)


def test_average_precision_of_all_items_is_that_of_scikit_learn():
    rng = np.random.default_rng(4)
    truth = (rng.random(3000) < 0.1).astype(float)
    scores, places = rng.random(3000) + truth / 4, rng.integers(0, 30, 3000)

    tally = YesNo(truth, truth, scores).tally(tuple(map(str, range(30))), places)

    found = values_of(tally)["average_precision"]
    assert found == pytest.approx(average_precision_score(truth, scores), abs=1e-12)


def test_few_scores_have_the_area_and_precision_of_the_drawn_items():
    rng = np.random.default_rng(5)
    truth, scores = rng.random(400) < 0.4, np.round(rng.random(400), 1)
    scores[rng.random(400) < 0.1] = np.nan
    recordings = rng.integers(0, 12, 400)
    names = tuple(map(str, range(12)))
    worst = np.where(truth, np.nanmin(scores) - 1, np.nanmax(scores) + 1)

    tally = YesNo(truth.astype(float), truth.astype(float), scores).tally(names, recordings)

    weights = rng.multinomial(12, np.full(12, 1 / 12), size=50)
    found = {key: figure(weights @ tally.sums) for key, figure in tally.figures.items()}
    for draw, times in enumerate(weights):
        drawn = np.repeat(np.arange(400), times[recordings])
        for end, ranked in (("", scores), ("_of_all", np.where(np.isnan(scores), worst, scores))):
            rows = drawn[~np.isnan(ranked[drawn])]
            expected = curve(truth[rows], ranked[rows])
            assert found[f"auc{end}"][draw] == pytest.approx(expected.area, abs=1e-12)
            assert found[f"average_precision{end}"][draw] == pytest.approx(
                average_precision_score(truth[rows], ranked[rows]), abs=1e-12
            )


def test_the_area_is_undefined_where_a_class_is_not_drawn():
    prepared = AreaByRecording.of(np.array([True, False]), np.array([1.0, 0.0]), np.array([0, 1]))

    assert np.isnan(prepared.areas(np.array([[2.0, 0.0]]))).all()


def test_best_threshold_is_strictly_below_positive_scores():
    truth, scores = np.array([True, True, False]), np.array([0.9, 0.6, 0.6])

    threshold = best_threshold(truth, scores)

    assert Confusion.of(truth, scores > threshold).f1 == pytest.approx(0.8)


@pytest.mark.parametrize("seed", range(10))
def test_no_threshold_gives_a_better_f1(seed):
    rng = np.random.default_rng(seed)
    truth, scores = rng.random(40) < 0.5, np.round(rng.random(40), 1)

    threshold = best_threshold(truth, scores)

    best = max(Confusion.of(truth, scores > value).f1 for value in (-1.0, *scores))
    assert Confusion.of(truth, scores > threshold).f1 == pytest.approx(best)


def test_a_step_without_sub_segments_is_refused():
    with pytest.raises(ValueError, match="step 1 has no sub-segments"):
        scores_of_steps([[0.5], []], "mean")


def test_a_class_without_a_cluster_of_its_own_has_nothing():
    found = keystep_figures(
        np.zeros(4, dtype=int), np.array([0, 0, 1, 1]), cluster_count=1, class_count=2
    )

    assert (found.precision, found.recall) == (0.25, 0.5)


def test_orders_are_drawn_with_equal_chances():
    graph = ProcedureGraph((1, 2, 3, 4), ((1, 2), (1, 3)))
    rng = np.random.default_rng(1)

    drawn = [graph.sample_order(rng) for _ in range(4_000)]

    orders = list(graph.orders())
    assert len(orders) == graph.count_orders() == 8
    counts = [drawn.count(order) for order in orders]
    assert sum(counts) == 4_000
    assert 420 < min(counts) <= max(counts) < 580


@pytest.mark.parametrize("seed", range(10))
def test_orders_are_all_that_keep_every_edge(seed):
    rng = np.random.default_rng(seed)
    nodes = tuple(range(5))
    edges = tuple(
        (one, other) for one, other in itertools.combinations(nodes, 2) if rng.random() < 0.3
    )
    graph = ProcedureGraph(nodes, edges)

    kept = [
        order
        for order in itertools.permutations(nodes)
        if all(order.index(before) < order.index(after) for before, after in edges)
    ]

    assert list(graph.orders()) == kept
    assert graph.count_orders() == len(kept)
    assert all(
        graph.check(order).is_valid == (order in kept) for order in itertools.permutations(nodes)
    )


def test_a_cycle_is_named():
    graph = ProcedureGraph(("cut", "fry", "eat"), (("cut", "fry"), ("fry", "eat"), ("eat", "cut")))

    with pytest.raises(CyclicGraphError, match="before") as caught:
        graph.check(["cut"])

    assert set(caught.value.cycle) == {"cut", "fry", "eat"}
    assert graph.count_orders() == 0


def test_a_graph_that_is_too_free_is_not_counted(monkeypatch):
    monkeypatch.setattr(procedure_graph, "MAX_STATES", 1_000)

    with pytest.raises(TooManyStatesError, match="more than 1000 sets of finished steps"):
        ProcedureGraph(tuple(range(40)), ()).count_orders()


def test_an_unknown_step_of_an_edge_is_refused():
    with pytest.raises(ValueError, match=r"edge .* names 3; expected a step of the graph"):
        ProcedureGraph((1, 2), ((1, 3),))


@given(
    st.integers(1, 6).flatmap(
        lambda count: st.tuples(
            st.just(count),
            st.sets(st.tuples(st.integers(0, count - 1), st.integers(0, count - 1)), max_size=7),
        )
    )
)
def test_orders_cycles_and_what_follows_are_those_of_networkx(drawn):
    count, pairs = drawn
    edges = tuple(sorted(pair for pair in pairs if pair[0] != pair[1]))
    graph, other = ProcedureGraph(tuple(range(count)), edges), networkx.DiGraph(edges)
    other.add_nodes_from(range(count))

    if not networkx.is_directed_acyclic_graph(other):
        assert all(other.has_edge(*pair) for pair in itertools.pairwise(graph.cycle))
        assert graph.count_orders() == 0
        return
    orders = {tuple(order) for order in networkx.all_topological_sorts(other)}
    assert set(graph.orders()) == orders
    assert graph.count_orders() == len(orders)
    assert set(graph.closure) == set(networkx.transitive_closure_dag(other).edges)


@pytest.mark.parametrize("seed", range(20))
def test_figures_of_all_count_what_could_not_be_read_as_wrong(seed):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, 40).astype(float)
    predicted = rng.integers(0, 2, 40).astype(float)
    unread = rng.random(40) < 0.3
    score = np.where(unread, np.nan, rng.integers(0, 5, 40) / 4)
    columns = YesNo(truth, np.where(unread, np.nan, predicted), score)
    wrong = np.where(unread, 1 - truth, predicted)
    worst = np.where(unread, np.where(truth == 1, -1.0, 2.0), score)

    found = values_of(columns.tally(("r",), np.zeros(40, dtype=np.int64)))

    plain = Confusion.of(truth == 1, wrong == 1)
    assert found["f1_of_all"] == pytest.approx(plain.f1)
    assert found["precision_of_all"] == pytest.approx(plain.precision)
    assert found["recall_of_all"] == pytest.approx(plain.recall)
    assert found["auc_of_all"] == pytest.approx(curve(truth == 1, worst).area)
    assert found["auc_of_all"] <= found["auc"]
    assert found["f1_of_all"] <= found["f1"]


def test_few_right_answers_have_a_low_figure_of_all():
    """As 20 of 348 answers, all of them right, that had an F1, precision and recall of 1."""
    truth = np.tile([1.0, 0.0], 174)
    predicted = np.full(348, np.nan)
    predicted[:20] = truth[:20]
    columns = YesNo(truth, predicted, predicted)

    found = values_of(columns.tally(("r",), np.zeros(348, dtype=np.int64)))

    assert [found[name] for name in ("f1", "precision", "recall", "auc")] == [1.0] * 4
    of_all = [found[f"{name}_of_all"] for name in ("f1", "precision", "recall", "auc")]
    assert max(of_all) < 0.06
