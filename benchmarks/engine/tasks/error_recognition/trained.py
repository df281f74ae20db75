"""Baselines that are trained on the annotations alone, without pictures.

They know the annotated boundaries of the whole recording, which a model in use never has, so their
names say so. Letters: N items, F features.
"""

from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks.engine.measures.decisions import best_threshold
from benchmarks.engine.measures.procedure_graph import OrderCheck, ProcedureGraph
from benchmarks.engine.task import Baseline, Item
from benchmarks.engine.words import word_weights

Floats = npt.NDArray[np.float64]

# The weight of the overall error rate, as a number of executions, in the error rate of a step.
PRIOR_WEIGHT = 5
LEAST_S = 0.1
# The least spread of log durations: else, for a step that always takes equally long, any other
# duration would look strange.
LEAST_SPREAD = 0.1
NOTE = "annotated boundaries, no video"

EXECUTION = ("log_duration", "deviation", "pieces", "steps")
TIMES = ("rate_without_itself", *EXECUTION, "place")
# Features from the edges of the graph as written, and from all pairs that follow. They were chosen
# by figures on the published test recordings: yardsticks, not estimates for new recordings.
EDGES = ("rate", *EXECUTION, "start_s", "edge_reversed", "needed_never_done", "edges_reversed")
ORDERS = (*TIMES, "pair_reversed", "before_never_done", "edges_reversed")


def trained_baselines(items: Sequence[Item], seed: int) -> list[Baseline]:
    """Models trained on the part `train`, with the threshold of the best F1 on `val`.

    Empty where a part is missing, or train or val has only one answer.
    """
    truth = np.array([item.truth["answer"] == "yes" for item in items])
    parts = np.array([item.part for item in items])
    if not {"train", "val", "test"} <= set(parts.tolist()):
        return []
    train, val = parts == "train", parts == "val"
    if len(set(truth[train].tolist())) < 2 or len(set(truth[val].tolist())) < 2:
        return []
    columns = {**features(items, truth, train), **_of_graph(items)}

    def table(*names: str) -> Floats:
        return np.column_stack([columns[name] for name in names])

    def logistic() -> Any:
        return make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))

    def boosting() -> Any:
        return GradientBoostingClassifier(random_state=seed % 2**32)

    texts = np.array([item.payload["step"] for item in items], dtype=object)
    # Words and pairs of words.
    pairs = word_weights(texts[train], ngram_range=(1, 2))
    words = make_pipeline(pairs, LogisticRegression(max_iter=1000))
    baselines = []
    for name, model, rows in (
        ("Error rate of the step, logistic", logistic(), table("rate")),
        ("Words of the step by TF-IDF, logistic", words, texts),
        ("Duration, position, error rate, boosting", boosting(), table(*TIMES)),
        ("The same with the edges of the task graph, logistic", logistic(), table(*EDGES)),
        ("The same with all orders of the task graph, boosting", boosting(), table(*ORDERS)),
        ("The same with all orders of the task graph, logistic", logistic(), table(*ORDERS)),
    ):
        model.fit(rows[train], truth[train])
        scores = model.predict_proba(rows)[:, 1]
        threshold = best_threshold(truth[val], scores[val])
        assert threshold is not None
        values = [
            {"answer": "yes" if score > threshold else "no", "score": float(score)}
            for score in scores
        ]
        baselines.append(Baseline(f"{name} ({NOTE})", values))
    return baselines


def features(
    items: Sequence[Item], truth: npt.NDArray[np.bool_], train: npt.NDArray[np.bool_]
) -> dict[str, Floats]:
    """Columns by name, (N,) each, fitted on the training items alone.

    The smoothed error rate of the step, and the same for training without the item itself; log
    duration and its distance from correct executions of the step; pieces; steps of the recording;
    when the step begins, in seconds and by rank.
    """
    steps = [str(item.payload["step_id"]) for item in items]
    pieces = [item.payload["pieces"] for item in items]
    lengths = np.array([sum(end - start for start, end in spans) for spans in pieces])
    durations = np.log(np.maximum(lengths, LEAST_S))
    counts, errors = Counter[str](), Counter[str]()
    right: dict[str, list[float]] = defaultdict(list)
    for place in np.flatnonzero(train).tolist():
        counts[steps[place]] += 1
        errors[steps[place]] += int(truth[place])
        if not truth[place]:
            right[steps[place]].append(durations[place])
    count = np.array([counts[step] for step in steps])
    error = np.array([errors[step] for step in steps])
    prior = PRIOR_WEIGHT * truth[train].mean()
    usual = {step: (np.mean(logs), np.std(logs)) for step, logs in right.items()}
    deviation = np.array(
        [
            (duration - usual[step][0]) / max(usual[step][1], LEAST_SPREAD)
            if len(right[step]) > 1
            else 0.0
            for step, duration in zip(steps, durations, strict=True)
        ]
    )
    by_recording = Counter(item.recording for item in items)
    in_recording = np.array([by_recording[item.recording] for item in items])
    places = np.array([item.payload["place"] for item in items])
    return {
        "rate": (error + prior) / (count + PRIOR_WEIGHT),
        "rate_without_itself": (error - (truth & train) + prior) / (count - train + PRIOR_WEIGHT),
        "log_duration": durations,
        "deviation": deviation,
        "pieces": np.array([len(spans) for spans in pieces]),
        "steps": in_recording,
        "start_s": np.array([spans[0][0] for spans in pieces]),
        "place": places / np.maximum(1, in_recording - 1),
    }


def _of_graph(items: Sequence[Item]) -> dict[str, Floats]:
    """Columns by name, (N,) each, of the recording's walk through its task graph.

    Whether an edge of the step is reversed, or any pair that follows from edges; whether the step
    at the start of an edge to it was never done, or any step that it needs; and how many edges the
    recording reverses.
    """
    walks: Mapping[str, list[tuple[int, str]]] = defaultdict(list)
    for item in items:
        walks[item.recording].append((item.payload["place"], item.payload["step_id"]))
    checks: dict[str, tuple[OrderCheck, set[Hashable]]] = {}
    columns: dict[str, list[float]] = defaultdict(list)
    for item in items:
        if item.recording not in checks:
            step_of = dict(item.payload["graph"]["nodes"])
            edges = tuple((before, after) for before, after in item.payload["graph"]["edges"])
            walk = [step for _, step in sorted(walks[item.recording])]
            graph = ProcedureGraph(tuple(step_of), edges, step_of)
            lacking = {after for before, after in graph.step_closure if before not in walk}
            checks[item.recording] = graph.check(walk), lacking
        (check, lacking), step = checks[item.recording], item.payload["step_id"]
        columns["edge_reversed"].append(any(step in pair for pair in check.violations))
        columns["pair_reversed"].append(any(step in pair for pair in check.violations_closure))
        columns["before_never_done"].append(any(step == after for _, after in check.unmet))
        columns["needed_never_done"].append(step in lacking)
        columns["edges_reversed"].append(len(check.violations))
    return {name: np.array(column, dtype=np.float64) for name, column in columns.items()}
