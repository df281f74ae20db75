"""Worked cases of detection, through the functions that tasks use.

What a case holds is written in `docs/detection.md`, under "Check the measures".
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from annotation.analytics.segments.cases import tiou_agreement
from annotation.analytics.segments.kappas import kappa
from annotation.analytics.worked_cases import Family
from annotation.engine.formats.egooops import derive_order_labels
from annotation.engine.formats.native_labels import Derived
from benchmarks.engine.measures.decisions import (
    Confusion,
    curve,
    normalised,
    per_class,
    scores_of_steps,
)
from benchmarks.engine.measures.frame_alignment import alignment_figures
from benchmarks.engine.measures.keysteps import keystep_figures
from benchmarks.engine.measures.localisation import (
    Intervals,
    MatchingRule,
    mean_average_precision,
    recall_at,
    temporal_iou,
)
from benchmarks.engine.measures.procedure_graph import ProcedureGraph

Input = Mapping[str, Any]


def _truth_and_predictions(case: Input) -> tuple[Intervals, Intervals, dict[int, Any]]:
    """Both, and the label of each number: numbers stand for themselves, names are numbered."""
    rows = [row for side in ("truth", "predictions") for row in case[side]]
    recordings = {name: n for n, name in enumerate(dict.fromkeys(row["video"] for row in rows))}
    names = list(dict.fromkeys([*case.get("classes", ()), *(row["label"] for row in rows)]))
    are_numbers = all(isinstance(name, int) for name in names)
    labels = {name: name if are_numbers else n for n, name in enumerate(names)}
    truth, predictions = (
        Intervals.of(
            [
                (
                    recordings[row["video"]],
                    labels[row["label"]],
                    row["start"],
                    row["end"],
                    row.get("score", 0.0),
                )
                for row in case[side]
            ]
        )
        for side in ("truth", "predictions")
    )
    return truth, predictions, {number: name for name, number in labels.items()}


def _named(found: object, *names: str) -> dict[str, Any]:
    return {name: getattr(found, name) for name in names}


def average_precision(case: Input) -> dict[str, Any]:
    """Rows {video, start, end, label} of truth and, with a score, of predictions.

    With `classes` only those enter the mean.
    """
    truth, predictions, names = _truth_and_predictions(case)
    if "classes" in case:
        wanted = [number for number, name in names.items() if name in case["classes"]]
        truth = truth.take(np.isin(truth.labels, wanted))
    rule = MatchingRule(case.get("rule", MatchingRule.FIELD))
    found = mean_average_precision(truth, predictions, case["thresholds"], rule=rule)
    rows = zip(found.classes.tolist(), found.average_precision.tolist(), strict=True)
    return {
        "per_class": {str(names[label]): values for label, values in rows},
        "mAP": found.mean,
        "average": found.average,
        "foreign": found.foreign_count,
        "dropped": found.dropped_truth_count,
    }


def recall_of_first(case: Input) -> dict[str, Any]:
    """The same rows, with `ks`."""
    truth, predictions, _ = _truth_and_predictions(case)
    rule = MatchingRule(case.get("rule", MatchingRule.FIELD))
    found = recall_at(truth, predictions, case["thresholds"], case["ks"], rule=rule)
    return {f"R@{k}": values for k, values in found.items()}


def decisions(case: Input) -> dict[str, Any]:
    """`truth` 0 or 1 and `scores`; a score above the threshold is a mistake."""
    scores = np.array(case["scores"], dtype=np.float64)
    return _confusion(case["truth"], scores > case["threshold"])


def decisions_of_steps(case: Input) -> dict[str, Any]:
    """`sub_scores` of each step, put together by `rule`; with `normalise` from 0 to 1 first."""
    scores = scores_of_steps(case["sub_scores"], case["rule"])
    decided = (normalised(scores) if case.get("normalise") else scores) > case["threshold"]
    return _confusion(case["truth"], decided) | {
        "auc": areas({"truth": case["truth"], "scores": scores})["auc"]
    }


def votes(case: Input) -> dict[str, Any]:
    """Answers 0 or 1 of each step; one is enough for a mistake."""
    return _confusion(case["truth"], np.array(case["votes"], dtype=np.bool_).any(axis=1))


def _confusion(truth: Sequence[int], decided: Any) -> dict[str, Any]:
    found = Confusion.of(np.array(truth, dtype=np.bool_), decided)
    return asdict(found) | _named(found, "accuracy", "precision", "recall", "f1")


def areas(case: Input) -> dict[str, Any]:
    """`truth` 0 or 1 and `scores`: None where a class is absent."""
    scores = np.array(case["scores"], dtype=np.float64)
    found = curve(np.array(case["truth"], dtype=np.bool_), scores)
    return {"auc": found and found.area, "eer": found and found.equal_error_rate}


def classes(case: Input) -> dict[str, Any]:
    found = per_class(case["truth"], case["predicted"], case["classes"])
    names = ("precision", "recall", "f1", "support", "predicted")
    return {str(name): _named(one, *names) for name, one in found.items()}


def keysteps(case: Input) -> dict[str, Any]:
    """A cluster and a key-step for each frame."""
    found = keystep_figures(
        np.array(case["predicted"], dtype=np.int64),
        np.array(case["truth"], dtype=np.int64),
        cluster_count=case["n_clusters"],
        class_count=case["n_classes"],
        per_keystep=case.get("per_keystep", True),
    )
    return _named(found, "precision", "recall", "f1", "iou")


def frames(case: Input) -> dict[str, Any]:
    """A step for each frame, -1 for none."""
    found = alignment_figures(
        np.array(case["predicted"], dtype=np.int64), np.array(case["truth"], dtype=np.int64)
    )
    return asdict(found) | {"f1": found.f1}


def _graph(case: Input) -> ProcedureGraph:
    return ProcedureGraph(tuple(case["nodes"]), tuple((edge[0], edge[1]) for edge in case["edges"]))


def order(case: Input) -> dict[str, Any]:
    """`nodes`, `edges` [before, after] and the steps as they were `executed`."""
    found = _graph(case).check(case["executed"])
    steps = _named(found, "missing", "repeated", "unknown")
    pairs = _named(found, "violations", "unmet", "violations_closure")
    return {
        "valid": found.is_valid,
        "order_ok": found.is_order_right,
        **{name: list(one) for name, one in steps.items()},
        **{name: [list(pair) for pair in one] for name, one in pairs.items()},
    }


def order_labels(case: Input) -> dict[str, int]:
    """Step numbers of one recording of EgoOops, -1 for undefined ones."""
    missing, labels = derive_order_labels(case["step_ids"], case["n_steps"])
    said = [label for found in labels for label in found]
    return {
        "missing": len(missing),
        "out_of_order": said.count(Derived.OUT_OF_ORDER),
        "pause_and_resume": said.count(Derived.PAUSE_AND_RESUME),
        "undefined": said.count(Derived.UNDEFINED_STEP),
    }


def kappa_of(case: Input) -> float | None:
    """Two lists of labels; None where only one label is used."""
    codes: dict[Hashable, int] = {}
    sides = (
        [codes.setdefault(label, len(codes)) for label in case[side]]
        for side in ("first", "second")
    )
    return kappa(*sides)


def iou(case: Input) -> float:
    """Two intervals [start, end]."""
    (start_s, end_s), (other_start_s, other_end_s) = case["a"], case["b"]
    others = np.array([other_start_s], dtype=np.float64), np.array([other_end_s], dtype=np.float64)
    return float(temporal_iou(start_s, end_s, *others)[0])


KINDS: dict[str, Callable[[Input], Any]] = {
    "tiou": iou,
    "map": average_precision,
    "recall_kx": recall_of_first,
    "binary": decisions,
    "binary_steps": decisions_of_steps,
    "or_vote": votes,
    "auc_eer": areas,
    "per_class": classes,
    "keysteps": keysteps,
    "frame_alignment": frames,
    "tiou_agreement": tiou_agreement,
    "kappa": kappa_of,
    "topological_orders": lambda case: [list(found) for found in _graph(case).orders()],
    "count_orders": lambda case: _graph(case).count_orders(),
    "check_order": order,
    "order_mistakes": order_labels,
}
FAMILY = Family(kinds=KINDS, bands={})
