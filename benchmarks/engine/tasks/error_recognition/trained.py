"""Participants that are trained on the annotations alone: no picture is seen.

They know the annotated boundaries of the whole recording, which no model at work has; so their
names say it. Letters: N items, F features.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
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

Floats = npt.NDArray[np.float64]

# So many executions of a step count as if they had the error rate of all steps.
PRIOR_WEIGHT = 5
LEAST_S = 0.1
# Of log durations, so that a step which always takes alike does not make every other one strange.
LEAST_SPREAD = 0.1
NOTE = "annotated boundaries, no video"
TIMES, GRAPH = 6, 9


def trained(items: Sequence[Item], seed: int) -> list[Baseline]:
    """Four models trained on the part `train`, with the threshold of the best F1 on `val`.

    There are none where a part is missing, or train or val has one answer only.
    """
    truth = np.array([item.truth["answer"] == "yes" for item in items])
    parts = np.array([item.part for item in items])
    if not {"train", "val", "test"} <= set(parts.tolist()):
        return []
    train, val = parts == "train", parts == "val"
    if len(set(truth[train].tolist())) < 2 or len(set(truth[val].tolist())) < 2:
        return []
    rows = features(items, truth, train)

    def logistic() -> Any:
        return make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))

    def boosting() -> Any:
        return GradientBoostingClassifier(random_state=seed % 2**32)

    found = []
    for name, model, columns in (
        ("Error rate of the step, logistic", logistic(), 1),
        ("Duration, position, error rate, boosting", boosting(), TIMES),
        ("The same with the task graph, logistic", logistic(), GRAPH),
        ("The same with the task graph, boosting", boosting(), GRAPH),
    ):
        model.fit(rows[train, :columns], truth[train])
        scores = model.predict_proba(rows[:, :columns])[:, 1]
        threshold = best_threshold(truth[val], scores[val])
        assert threshold is not None
        values = [
            {"answer": "yes" if score > threshold else "no", "score": float(score)}
            for score in scores
        ]
        found.append(Baseline(f"{name} ({NOTE})", values))
    return found


def features(
    items: Sequence[Item], truth: npt.NDArray[np.bool_], train: npt.NDArray[np.bool_]
) -> Floats:
    """Rows of features, (N, F), fitted on the training items alone.

    The smoothed error rate of the step (without the item itself, in training), log duration, how
    far that lies from right executions of the step, place in the recording, pieces, steps of the
    recording; then of the task graph: whether the step came before or after another one wrongly,
    whether a step that must precede it was never done, and how many edges the recording breaks.
    """
    steps = [str(item.payload["step_id"]) for item in items]
    durations = [
        np.log(max(sum(end - start for start, end in item.payload["pieces"]), LEAST_S))
        for item in items
    ]
    counts, errors = Counter[str](), Counter[str]()
    right: dict[str, list[float]] = defaultdict(list)
    for place in np.flatnonzero(train).tolist():
        counts[steps[place]] += 1
        errors[steps[place]] += int(truth[place])
        if not truth[place]:
            right[steps[place]].append(durations[place])
    base = float(truth[train].mean())
    of_graph = _of_graph(items)
    rows = np.zeros((len(items), GRAPH))
    by_recording = Counter(item.recording for item in items)
    for place, item in enumerate(items):
        step = steps[place]
        count, error = counts[step], errors[step]
        if train[place]:
            count -= 1
            error -= int(truth[place])
        known = right[step]
        deviation = 0.0
        if len(known) > 1:
            spread = max(float(np.std(known)), LEAST_SPREAD)
            deviation = (durations[place] - float(np.mean(known))) / spread
        number = by_recording[item.recording]
        rows[place] = (
            (error + PRIOR_WEIGHT * base) / (count + PRIOR_WEIGHT),
            durations[place],
            deviation,
            item.payload["place"] / max(1, number - 1),
            len(item.payload["pieces"]),
            number,
            *of_graph[place],
        )
    return rows


def _of_graph(items: Sequence[Item]) -> list[tuple[float, float, float]]:
    walks: Mapping[str, list[tuple[float, str]]] = defaultdict(list)
    for item in items:
        walks[item.recording].append((item.payload["pieces"][0][0], item.payload["step_id"]))
    checks: dict[str, OrderCheck] = {}
    found = []
    for item in items:
        if item.recording not in checks:
            step_of = dict(item.payload["graph"]["nodes"])
            edges = tuple((before, after) for before, after in item.payload["graph"]["edges"])
            walk = [step for _, step in sorted(walks[item.recording])]
            graph = ProcedureGraph(tuple(step_of), edges)
            checks[item.recording] = graph.check(walk, step_of)
        check, step = checks[item.recording], item.payload["step_id"]
        found.append(
            (
                float(any(step in pair for pair in check.violations_closure)),
                float(any(step == after for _, after in check.unmet)),
                float(len(check.violations)),
            )
        )
    return found
