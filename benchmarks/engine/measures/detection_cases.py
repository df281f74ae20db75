"""Worked cases of detection, computed by the functions that tasks use.

`docs/detection.md`, "Check the measures", describes the cases.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from annotation.analytics.cases.worked_cases import Family
from annotation.engine.corpus.formats.egooops import derive_order_labels
from annotation.engine.corpus.formats.native_labels import Derived
from benchmarks.engine.measures.decisions import (
    Confusion,
    curve,
    normalise,
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
from segments.measures.cases import tiou_agreement
from segments.measures.kappas import kappa

Input = Mapping[str, Any]


def _truth_and_predictions(case: Input) -> tuple[Intervals, Intervals, dict[int, Any]]:
    """Truth and predictions, and the label of each number: labels that are numbers are kept."""
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


def _named(figures: object, *names: str) -> dict[str, Any]:
    return {name: getattr(figures, name) for name in names}


def average_precision(case: Input) -> dict[str, Any]:
    """Rows {video, start, end, label} of truth and, with a score, of predictions.

    With `classes` only those enter the mean.
    """
    truth, predictions, names = _truth_and_predictions(case)
    if "classes" in case:
        classes = [number for number, name in names.items() if name in case["classes"]]
        truth = truth.take(np.isin(truth.labels, classes))
    rule = MatchingRule(case.get("rule", MatchingRule.FIELD))
    localisation = mean_average_precision(truth, predictions, case["thresholds"], rule=rule)
    rows = zip(localisation.classes.tolist(), localisation.average_precision.tolist(), strict=True)
    return {
        "per_class": {str(names[label]): values for label, values in rows},
        "mAP": localisation.mean,
        "average": localisation.average,
        "foreign": localisation.foreign_count,
        "dropped": localisation.dropped_truth_count,
    }


def recall_of_first(case: Input) -> dict[str, Any]:
    """The same rows, with `ks`."""
    truth, predictions, _ = _truth_and_predictions(case)
    rule = MatchingRule(case.get("rule", MatchingRule.FIELD))
    recalls = recall_at(truth, predictions, case["thresholds"], case["ks"], rule=rule)
    return {f"R@{k}": values for k, values in recalls.items()}


def decisions(case: Input) -> dict[str, Any]:
    """`truth` 0 or 1 and `scores`; a score above the threshold is a mistake."""
    scores = np.array(case["scores"], dtype=np.float64)
    return _confusion(case["truth"], scores > case["threshold"])


def decisions_of_steps(case: Input) -> dict[str, Any]:
    """`sub_scores` of each step, combined by `rule`; `normalise` stretches them to 0 and 1."""
    scores = scores_of_steps(case["sub_scores"], case["rule"])
    decided = (normalise(scores) if case.get("normalise") else scores) > case["threshold"]
    return _confusion(case["truth"], decided) | {
        "auc": areas({"truth": case["truth"], "scores": scores})["auc"]
    }


def votes(case: Input) -> dict[str, Any]:
    """Answers 0 or 1 of each step; one is enough for a mistake."""
    return _confusion(case["truth"], np.array(case["votes"], dtype=np.bool_).any(axis=1))


def _confusion(truth: Sequence[int], decided: Any) -> dict[str, Any]:
    confusion = Confusion.of(np.array(truth, dtype=np.bool_), decided)
    return asdict(confusion) | _named(confusion, "accuracy", "precision", "recall", "f1")


def areas(case: Input) -> dict[str, Any]:
    """`truth` 0 or 1 and `scores`: None where a class is absent."""
    scores = np.array(case["scores"], dtype=np.float64)
    roc = curve(np.array(case["truth"], dtype=np.bool_), scores)
    return {"auc": roc and roc.area, "eer": roc and roc.equal_error_rate}


def classes(case: Input) -> dict[str, Any]:
    confusions = per_class(case["truth"], case["predicted"], case["classes"])
    names = ("precision", "recall", "f1", "support", "predicted")
    return {str(name): _named(confusion, *names) for name, confusion in confusions.items()}


def keysteps(case: Input) -> dict[str, Any]:
    """A cluster and a key-step for each frame."""
    figures = keystep_figures(
        np.array(case["predicted"], dtype=np.int64),
        np.array(case["truth"], dtype=np.int64),
        cluster_count=case["n_clusters"],
        class_count=case["n_classes"],
        per_keystep=case.get("per_keystep", True),
    )
    return _named(figures, "precision", "recall", "f1", "iou")


def frames(case: Input) -> dict[str, Any]:
    """A step for each frame, -1 for none."""
    figures = alignment_figures(
        np.array(case["predicted"], dtype=np.int64), np.array(case["truth"], dtype=np.int64)
    )
    return asdict(figures) | {"f1": figures.f1}


def _graph(case: Input) -> ProcedureGraph:
    return ProcedureGraph(tuple(case["nodes"]), tuple((edge[0], edge[1]) for edge in case["edges"]))


def order(case: Input) -> dict[str, Any]:
    """`nodes`, `edges` as [before, after], and the steps in the order `executed`."""
    check = _graph(case).check(case["executed"])
    steps = _named(check, "missing", "repeated", "unknown")
    pairs = _named(check, "violations", "unmet", "violations_closure")
    return {
        "valid": check.is_valid,
        "order_ok": check.is_order_right,
        **{name: list(values) for name, values in steps.items()},
        **{name: [list(pair) for pair in values] for name, values in pairs.items()},
    }


def order_labels(case: Input) -> dict[str, int]:
    """Step numbers of one recording of EgoOops, -1 for undefined ones."""
    missing, labels = derive_order_labels(case["step_ids"], case["n_steps"])
    derived = [label for labels_of_step in labels for label in labels_of_step]
    return {
        "missing": len(missing),
        "out_of_order": derived.count(Derived.OUT_OF_ORDER),
        "pause_and_resume": derived.count(Derived.PAUSE_AND_RESUME),
        "undefined": derived.count(Derived.UNDEFINED_STEP),
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
