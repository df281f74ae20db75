"""Worked cases of segments, computed with the functions that pages, commands and the API use.

`docs/researchers.md`, "Check an installation", says what a case file contains.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from annotation.analytics.cases.worked_cases import Family
from segments.measures.agreement import agreement
from segments.measures.corrections import Corrected, correction_figures
from segments.measures.figures import Compared, Options
from segments.measures.kappas import kappa
from segments.measures.matching import F1_THRESHOLDS, edit_score, hits_of_predictions
from segments.measures.spans import UNDEFINED, Spans, temporal_iou
from segments.measures.texts import character_f1, normalised, token_f1

Input = Mapping[str, Any]
Figures = dict[str, Any]

SEED = 0
UNDEFINED_LABELS = (None, UNDEFINED)


def compared(case: Input) -> Figures:
    """Recordings by two sides, of rows [label, start, end]: every figure, and its interval."""
    codes = _codes(
        row[0] for item in case["recordings"] for side in ("first", "second") for row in item[side]
    )
    recordings = [
        Compared(_spans(item["first"], codes), _spans(item["second"], codes), item["duration_s"])
        for item in case["recordings"]
    ]
    options = Options(
        np.random.default_rng(SEED),
        resamples=int(case.get("resamples", 1000)),
        class_count=len(codes) or None,
        may_overlap=bool(case.get("may_overlap", False)),
    )
    return {
        name: {
            "value": summary.value,
            "reason": summary.reason,
            "n": summary.n,
            "low": summary.interval.low,
            "high": summary.interval.high,
        }
        for name, summary in agreement(recordings, options).items()
    }


def tiou_agreement(case: Input) -> Figures:
    """Rows [label, start, end] of two sides by recording: strict tIoU of each, and the mean."""
    first, second = case["first"], case["second"]
    codes = _codes(row[0] for side in (first, second) for rows in side.values() for row in rows)
    ious = {
        name: temporal_iou(_spans(first[name], codes), _spans(second[name], codes))
        for name in first
    }
    strict = {name: iou.strict for name, iou in ious.items()}
    defined = [value for value in strict.values() if value is not None]
    return {
        "per_video": strict,
        "per_video_common": {name: iou.common for name, iou in ious.items()},
        "undefined": sum(iou.undefined for iou in ious.values()),
        "tiou": sum(defined) / len(defined) if defined else None,
    }


def predictions(case: Input) -> Figures:
    """Rows [label, start, end] of `truth` and `predictions`: F1@k and edit score of the field."""
    codes = _codes(row[0] for side in ("truth", "predictions") for row in case[side])
    truth, predicted = _spans(case["truth"], codes), _spans(case["predictions"], codes)
    figures: Figures = {
        f"f1@{threshold:.2f}": hits_of_predictions(truth, predicted, threshold).f1
        for threshold in case.get("thresholds", F1_THRESHOLDS)
    }
    return figures | {"edit": edit_score(truth.defined.labels, predicted.defined.labels)}


def kappa_of(case: Input) -> Figures:
    codes = _codes([*case["first"], *case["second"]])
    sides = ([codes[label] for label in case[side]] for side in ("first", "second"))
    return {"kappa": kappa(*sides)}


def texts(case: Input) -> Figures:
    pairs = [(first, second) for first, second in case["pairs"]]
    equal = [normalised(first) == normalised(second) for first, second in pairs]
    return {
        "token_f1": [token_f1(*pair) for pair in pairs],
        "character_f1": [character_f1(*pair) for pair in pairs],
        "same_share": sum(equal) / len(equal) if equal else None,
    }


def corrections_of(case: Input) -> Figures:
    """Times [start, end] before and after."""
    before, after = (
        np.array(case[side], dtype=np.float64).reshape(-1, 2) for side in ("before", "after")
    )
    options = Options(np.random.default_rng(SEED))
    figures = correction_figures([Corrected(before, after, {}, 0)], options)
    names = ("untouched_share", "median_s", "p90_s", "median_of_moved_s")
    return {"edges": figures["untouched_share"].n} | {name: figures[name].value for name in names}


def _codes(labels: Iterable[Any]) -> dict[Any, int]:
    distinct = dict.fromkeys(label for label in labels if label not in UNDEFINED_LABELS)
    return {label: code for code, label in enumerate(distinct)}


def _spans(rows: Sequence[Sequence[Any]], codes: Mapping[Any, int]) -> Spans:
    return Spans.of(
        [float(row[1]) for row in rows],
        [float(row[2]) for row in rows],
        [codes.get(row[0], UNDEFINED) for row in rows],
    )


FAMILY = Family(
    kinds={
        "compared": compared,
        "tiou_agreement": tiou_agreement,
        "predictions": predictions,
        "kappa": kappa_of,
        "texts": texts,
        "corrections": corrections_of,
    },
    bands={},
)
