"""Worked cases of Plan, Watch, Recover, computed by the functions that tasks and pages use.

`docs/guiding.md`, "Check the measures", describes the cases.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from annotation.analytics.cases.worked_cases import Family
from benchmarks.engine.guiding.clips import select_clips
from benchmarks.engine.guiding.decisions import Decision, literal_reading
from benchmarks.engine.guiding.pairing import (
    REFUSE,
    AnswerRow,
    RowCountError,
    official_scores,
    pair_predictions,
)
from benchmarks.engine.guiding.plan_state import PlanFaultError, parse_plan
from benchmarks.engine.guiding.points import GAP_S, PointEvent, sample_points
from benchmarks.engine.guiding.proposals import (
    AlignmentFaultError,
    parse_alignment,
    target_segments,
    ward_segments,
)
from benchmarks.engine.measures.guidance import DIMENSIONS, GradeFaultError, parse_grades
from benchmarks.engine.measures.guiding import (
    DEVIATIONS,
    FIXES,
    OF_PLAN,
    Departure,
    Outcome,
    Points,
    best_variant,
    content_score,
    counts_of,
    decision_scores,
    interrupt_recall,
    mean_grade,
    mean_over_datasets,
    quality,
    recovery_with_misses,
)
from benchmarks.engine.measures.speaking import ONSET_TOLERANCE_S, matched_events, onset_matches

Input = Mapping[str, Any]
Figures = dict[str, Any]


def _number(value: float) -> float | None:
    return None if math.isnan(value) else float(value)


def _first(figure: np.ndarray) -> float | None:
    return _number(figure[0])


def answer(case: Input) -> Figures:
    said = literal_reading(case["text"])
    return {
        "decision": said.decision,
        "utterance": said.utterance,
        "malformed": said.is_malformed,
    }


def _sums(rows: Sequence[Input]) -> np.ndarray:
    """The sums (1, WIDTH) of rows {gold, pred, dims, oop}, of which the last two may be lacking."""
    dims = [row.get("dims") or [np.nan] * len(DIMENSIONS) for row in rows]
    departures = [Departure[row.get("oop", "none").upper()] for row in rows]
    points = Points(
        should=_spoken([row["gold"] for row in rows]),
        said=_spoken([row["pred"] for row in rows]),
        departure=np.array(departures, dtype=np.int64),
        is_opening=np.zeros(len(rows), dtype=bool),
        grades=np.array(dims, dtype=np.float64).reshape(-1, len(DIMENSIONS)),
    )
    return points.sums(np.zeros(len(rows), dtype=np.int64), 1)


def _spoken(decisions: Sequence[str]) -> np.ndarray:
    return np.array([Decision(one) is Decision.INTERRUPT for one in decisions], dtype=np.float64)


def decisions(case: Input) -> Figures:
    """`gold` and `pred`: counts, and every figure of them, with why a 0 is a 0."""
    pairs = zip(case["gold"], case["pred"], strict=True)
    sums = _sums([{"gold": gold, "pred": pred} for gold, pred in pairs])
    scores = decision_scores(counts_of(sums)[0])
    return {**scores, "notes": list(scores["notes"])}


def _answer_rows(rows: Sequence[Input]) -> list[AnswerRow]:
    return [AnswerRow(row["video_path"], tuple(row["answers"])) for row in rows]


def pairing(case: Input) -> Figures:
    found = pair_predictions(
        _answer_rows(case["golden"]), _answer_rows(case["predictions"]),
        case.get("missing", REFUSE),
    )  # fmt: skip
    faults = [
        {"code": fault.code, "video_path": fault.video_path}
        | ({} if fault.expected is None else {"expected": fault.expected, "found": fault.found})
        for fault in found.faults
    ]
    return {
        "ok": not faults,
        "errors": faults,
        "missing_count": found.missing_count,
        "pairs": None if found.pairs is None else [list(pair) for pair in found.pairs],
    }


def official(case: Input) -> Figures:
    try:
        return {
            **official_scores(*(_answer_rows(case[name]) for name in ("golden", "predictions")))
        }
    except RowCountError as error:
        return {
            "error": "row_count_mismatch",
            "golden": error.golden,
            "predictions": error.predictions,
        }


def averages(case: Input) -> Figures:
    """Counts {tp, fp, tn, fn} by data set: the mean of their G-means, and that of the sum."""
    names = ("tp", "fp", "fn", "tn")
    found = mean_over_datasets({
        name: np.array([row[key] for key in names], dtype=np.float64)
        for name, row in case["per_dataset"].items()
    })  # fmt: skip
    return {
        "mean_gmean_f1": _number(found.mean),
        "pooled_gmean_f1": _number(found.pooled),
        "per_dataset": {name: _number(value) for name, value in found.by_dataset.items()},
    }


def best_prompt(case: Input) -> Figures:
    best = best_variant({run["prompt"]: run["gmean_f1"] for run in case["runs"]})
    return {
        "prompt": best.name,
        "gmean_f1": best.value,
        "spread": best.spread,
        "mean": best.mean,
    }


def judge_reply(case: Input) -> Figures:
    try:
        return dict(parse_grades(case["text"]))
    except GradeFaultError as error:
        named = {"dimension": error.dimension} if error.dimension else {}
        return {"error": error.code, **named}


def guidance(case: Input) -> Figures:
    """Four grades, or null, of each true interrupt."""
    rows = case["dims_of_true_positives"]
    said = {"gold": "interrupt", "pred": "interrupt"}
    sums = _sums([{**said, "dims": dims} for dims in rows])
    graded = [dims for dims in rows if dims is not None]
    means = [_number(value) for value in np.mean(graded, axis=0)] if graded else None
    return {
        "n": len(graded),
        "n_unscored": len(rows) - len(graded),
        "average": _first(mean_grade(sums)),
        "content": _first(content_score(sums)),
        "per_dimension": None if means is None else dict(zip(DIMENSIONS, means, strict=True)),
        "why": None if graded else "no scored true positive",
    }


def points_quality(case: Input) -> Figures:
    return _quality(_sums(case["points"]), len(case["points"]), tuple(Departure))


def _quality(sums: np.ndarray, count: int, departures: Sequence[int]) -> Figures:
    bounds = quality(sums, departures)
    ungraded = int(bounds.ungraded[0])
    why = f"{ungraded} true positives without a judge score" if ungraded else None
    return {
        "pqs": _first(bounds.value),
        "low": _first(bounds.low),
        "high": _first(bounds.high),
        "n": count,
        "n_unscored": ungraded,
        "why": why if count else "no points",
    }


def deviations(case: Input) -> Figures:
    """Rows {gold, pred, oop, dims}: recall, recovery and PQS over those with an `oop`."""
    sums = _sums(case["rows"])
    count = int(counts_of(sums, OF_PLAN).sum())
    return {
        "n_rows": count,
        "detection_all": _detection(sums, OF_PLAN),
        "detection_deviation": _detection(sums, DEVIATIONS),
        "detection_fix": _detection(sums, FIXES),
        "recovery_all": _first(mean_grade(sums, OF_PLAN)),
        "recovery_fix": _first(mean_grade(sums, FIXES)),
        "recovery_content_with_misses": _first(recovery_with_misses(sums)),
        "pqs": _quality(sums, count, OF_PLAN),
    }


def _detection(sums: np.ndarray, departures: Sequence[int]) -> Figures:
    [counts] = counts_of(sums, departures)
    hits, misses = (int(counts[one]) for one in (Outcome.TRUE_INTERRUPT, Outcome.FALSE_SILENCE))
    why = None if hits + misses else "no gold interrupt of this kind"
    recall = _first(interrupt_recall(sums, departures))
    return {"recall": recall, "hit": hits, "n": hits + misses, "why": why}


def onsets(case: Input) -> Figures:
    """Onsets of deviations and interrupts on the clock."""
    tolerance_s = case.get("tolerance_s", ONSET_TOLERANCE_S)
    found = onset_matches(
        case["onsets_s"], case["interrupts_s"], before_s=tolerance_s, after_s=tolerance_s
    )
    return {
        "recall": found.recall,
        "hits": len(found.pairs),
        "n": found.onset_count,
        "pairs": [list(pair) for pair in found.pairs],
        "median_lag_s": found.median_lag_s,
        "n_duplicates": found.duplicates,
        "why": None if found.onset_count else "no deviation",
    }


def timing(case: Input) -> Figures:
    """What was said at any time beside what there was to say, within a window around it."""
    windows = {name: case[name] for name in ("before_s", "after_s") if name in case}
    found = matched_events(case["gold_s"], case["pred_s"], **windows)
    return {
        "tp": len(found.match.pairs),
        "fn": found.missing,
        "fp": found.redundant,
        "precision": found.precision,
        "recall": found.match.recall,
        "f1": found.f1,
        "n_duplicates": found.match.duplicates,
        "pairs": [list(pair) for pair in found.match.pairs],
        "why": found.why or None,
    }


def clips(case: Input) -> list[list[float]]:
    return [list(clip) for clip in select_clips(case["t_s"], case["update_times_s"])]


def points(case: Input) -> Figures:
    events = [
        PointEvent(time_s, reason)
        for reason in ("boundaries_s", "onsets_s")
        for time_s in case.get(reason, ())
    ]
    found = sample_points(
        case["video_uid"], case["duration_s"], events,
        seed=case["seed"], gap_s=case.get("gap_s", GAP_S),
    )  # fmt: skip
    return {
        "interrupts": found.times_s(Decision.INTERRUPT),
        "eligible_count": found.eligible_count,
        "stratum_sizes": list(found.stratum_sizes),
        "silents": found.times_s(Decision.SILENT),
        "short_by": found.short_by,
        "merged_events": found.merged_events,
    }


def segments(case: Input) -> Figures:
    steps, pieces = target_segments(case["duration_s"], case.get("step_count"))
    return {"n": steps, "segments": pieces}


def ward(case: Input) -> list[list[int]]:
    return [list(piece) for piece in ward_segments(case["features"], case["segment_count"])]


def alignment(case: Input) -> Figures:
    try:
        found = parse_alignment(case["text"], case["segment_count"], case["step_count"])
    except AlignmentFaultError as error:
        return {"error": error.code, **error.numbers}
    return {
        "steps": list(found.steps),
        "unmatched_segments": found.unmatched_segments,
        "steps_without_segment": list(found.steps_without_segment),
        "order_inversions": found.order_inversions,
    }


def plan(case: Input) -> Figures:
    try:
        state = parse_plan(case["text"])
    except PlanFaultError as error:
        field = {"field": error.field} if error.field else {}
        return {"error": error.code, **field} | ({} if field else {"found": error.found})
    return {
        "mode": state.mode,
        "goal": state.goal,
        "completed": list(state.completed),
        "current": state.current,
        "next": list(state.next),
        "complete_cues": state.complete_cues,
        "incomplete_cues": state.incomplete_cues,
    }


FAMILY = Family(
    kinds={
        "parse_decision": answer,
        "decision_scores": decisions,
        "pair_predictions": pairing,
        "official_scores": official,
        "average_over_datasets": averages,
        "best_of_prompts": best_prompt,
        "parse_judge": judge_reply,
        "guidance": guidance,
        "pqs": points_quality,
        "oop_rows": deviations,
        "oop_events": onsets,
        "event_timing": timing,
        "select_clips": clips,
        "sample_points": points,
        "target_segments": segments,
        "ward_segments": ward,
        "parse_alignment": alignment,
        "parse_plan": plan,
    },
    bands={},
)
