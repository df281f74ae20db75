"""Worked cases of EgoErrorVQA, computed by the functions that tasks and pages use.

`docs/mistake_questions.md`, "Check the measures", describes the cases.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from typing import Any

import numpy as np

from annotation.analytics.agreement.proportions import mcnemar, wilson_interval
from annotation.analytics.cases.worked_cases import Family
from annotation.engine.corpus.formats.egoerrorvqa import PUBLISHED_RATE, tent_seconds
from annotation.engine.corpus.procedure import NativeLabel
from benchmarks.engine.error_classes import OPTIONS, classes_of_labels
from benchmarks.engine.measures import error_types, judged
from benchmarks.engine.measures.error_types import FIGURES, Floats, Row
from benchmarks.engine.measures.grades import average_of_means, means_of_judges, read_grade
from texts.engine.deciding import GivenVerdict, decided, differ
from texts.engine.figures import Kappa, ReadText, text_figures
from texts.engine.vocabulary import REVIEW

Input = Mapping[str, Any]
Figures = dict[str, Any]


def _number(value: float) -> float | None:
    return None if math.isnan(value) else float(value)


def _rows(case: Input) -> list[Row]:
    return [(row["gt"], row["choice"]) for row in case["rows"]]


def _shares(counts: Floats, names: Sequence[str]) -> Figures:
    return {name: _number(FIGURES[name](counts)[0]) for name in names}


def choices(case: Input) -> list[Figures]:
    """What both readers make of each of the `raw` answers."""
    readings = []
    for text in case["raw"]:
        reading = error_types.read_class(text)
        ours = "no_answer" if not text.strip() else error_types.UNREAD
        readings.append({
            "published": error_types.published_reading(text),
            "recommended": ours if reading.value is None else reading.value["answer"],
        })  # fmt: skip
    return readings


def figures(case: Input) -> Figures:
    """Rows {gt, choice}: the counts, and figures of both countings."""
    return _figures(_rows(case))


def _figures(rows: Sequence[Row]) -> Figures:
    counts = error_types.counts_of(rows)
    tp, fp_type, fp_clean, tn, fn, *missing = map(int, counts[0])
    return {
        "TP": tp,
        "FP": fp_type + fp_clean,
        "TN": tn,
        "FN": fn,
        "FP_type": fp_type,
        "FP_clean": fp_clean,
        "missing": sum(missing),
        "n_total": len(rows),
        "n_counted": len(rows) - sum(missing),
        **_shares(counts, list(FIGURES)),
    }


def classes(case: Input) -> Figures:
    """The same rows by class, and the macro F1."""
    by_class = error_types.per_class(_rows(case))
    named = {
        name: {key: _number(value) for key, value in row.items()} for name, row in by_class.items()
    }
    return {**named, "macro_f1_over_supported": error_types.macro_f1(by_class)}


def confusion(case: Input) -> Figures:
    return {name: row for name, row in error_types.confusion(_rows(case)).items() if row}


def baselines(case: Input) -> Figures:
    """The figures of the nine constant answers to `gt`."""
    return {option: _figures([(row, option) for row in case["gt"]]) for option in OPTIONS}


def _columns(case: Input) -> Floats:
    """Counts {TP, FP, TN, FN, n_total}; which false positives name another class is not known."""
    counts = np.zeros((1, error_types.COUNT_KINDS))
    given = {name.upper(): value for name, value in case.items()}
    places = [error_types.TP, error_types.FP_CLEAN, error_types.TN, error_types.FN]
    counts[0, places] = [given[name] for name in ("TP", "FP", "TN", "FN")]
    counts[0, error_types.NO_REPLY_TO_CORRECT] = given["N_TOTAL"] - counts.sum()
    return counts


PRINTED = ("accuracy", "precision", "recall", "f1")


def printed_row(case: Input) -> Figures:
    """Counts as the paper prints them in per cent, see `as_printed`."""
    return {name: as_printed(share) for name, share in _shares(_columns(case), PRINTED).items()}


def as_printed(share: float | None) -> float | None:
    """Per cent with one decimal, rounded twice as in the paper: 389 of 1857 is 21.0, not 20.9.

    >>> as_printed(389 / 1857)
    21.0
    """
    if share is None:
        return None
    four_places = Decimal(share).quantize(Decimal("0.0001"), ROUND_HALF_EVEN)
    return float((100 * four_places).quantize(Decimal("0.1"), ROUND_HALF_UP))


def pooled(case: Input) -> Figures:
    """Counts by source: figures of their sums as printed, and the mean of the sources' figures."""
    sources = [_columns(counts) for counts in case["sources"].values()]
    each = [_shares(counts, PRINTED) for counts in sources]
    of_all = _shares(np.sum(sources, axis=0), PRINTED)
    return {
        "pooled": {name: as_printed(share) for name, share in of_all.items()},
        "mean_of_sources": {name: float(np.mean([row[name] for row in each])) for name in PRINTED},
    }


def discordance(case: Input) -> Figures:
    found = mcnemar(case["a_right"], case["b_right"])
    return {"only_a": found.only_first, "only_b": found.only_second, "p_value": found.p}


def native_classes(case: Input) -> list[list[str]]:
    """Source and labels of each sample; of Assembly101 a label with its remark."""
    found = []
    for source, labels in case["samples"]:
        native = [NativeLabel(label) for label in labels]
        if source == "assembly101":
            native = [NativeLabel(labels[0], labels[1] or "")]
        found.append(list(classes_of_labels(source, native)))
    return found


def tent_times(case: Input) -> list[Figures]:
    """Time codes of EPIC-Tent: seconds as published, and as they are."""
    return [
        {"published": tent_seconds(code, PUBLISHED_RATE), "right": tent_seconds(code)}
        for code in case["timecodes"]
    ]


def rater_table(case: Input) -> Figures:
    """Grades 0 to 5 of several `raters`, None for gaps: coefficients of each pair, and of all."""
    grades = {name: judged.grades_column(values) for name, values in case["raters"].items()}
    pairs = judged.of_pairs(grades)
    kinds: dict[str, Figures] = {
        name: {f"{first} vs {second}": _shown(row[name]) for (first, second), row in pairs.items()}
        for name in ("cohen", "cohen_quadratic", "pearson", "spearman")
    }
    return {
        **kinds,
        "cohen_all": judged.mean_of([row["cohen"] for row in pairs.values()]),
        "fleiss": _shown(judged.fleiss(grades)),
    }


def _shown(found: judged.Coefficient) -> Figures:
    return {"value": found.value, "n": found.count, "why": found.reason or None}


def judges_and_people(case: Input) -> Figures:
    """Grades of people and of judges: the people's consensus, and how each judge goes with it."""
    consensus = judged.grades_column([judged.majority(row) for row in case["humans"]])
    judges = {name: judged.grades_column(values) for name, values in case["judges"].items()}
    judges["mean of judges"] = np.mean(list(judges.values()), axis=0)
    return {
        "consensus": {
            "values": [_number(value) for value in consensus],
            "to_discuss": np.flatnonzero(np.isnan(consensus)).tolist(),
        },
        **{
            name: {
                kind: _shown(one) for kind, one in judged.correlations(consensus, values).items()
            }
            for name, values in judges.items()
        },
    }


def judge_pair(case: Input) -> Figures:
    """Grades of two judges: how often the same or next to it, and the coefficients of the pair."""
    first, second = judged.grades_column(case["a"]), judged.grades_column(case["b"])
    apart = (first - second)[~np.isnan(first - second)]
    return {
        "n": len(apart),
        "same": float((apart == 0).mean()),
        "within_1": float((np.abs(apart) <= 1).mean()),
        "mean_difference": float(apart.mean()),
        **{name: _shown(one) for name, one in judged.of_pair(first, second).items()},
    }


def judge_replies(case: Input) -> list[Figures]:
    """The grade of each of the `raw` replies, or why it has none."""
    readings = [read_grade(text) for text in case["raw"]]
    return [
        {"score": None if one.value is None else one.value["score"], "why": one.reason or None}
        for one in readings
    ]


def sources(case: Input) -> Figures:
    """Rows {source, judges}: means by source, over all, as published, and with gaps as 0."""
    rows = case["rows"]
    judges = sorted({name for row in rows for name in row["judges"]})
    grades = np.array([[row["judges"].get(name) for name in judges] for row in rows], dtype=float)
    means, with_gaps = means_of_judges(grades)
    of_row = np.array([row["source"] for row in rows])
    is_scored = ~np.isnan(means)
    figures: dict[str, Figures] = {}
    for name in sorted(set(of_row.tolist())):
        own = of_row == name
        scored = grades[own & is_scored]
        figures[name] = {
            "n": int(own.sum()),
            "scored": len(scored),
            "mean": float(scored.mean()) if len(scored) else None,
            "per_judge": {
                judge: float(scored[:, place].mean()) if len(scored) else None
                for place, judge in enumerate(judges)
            },
        }
    known = {name: one["mean"] for name, one in figures.items() if one["mean"] is not None}
    counts = {name: figures[name]["scored"] for name in known}
    rounded = {name: round(mean, 2) for name, mean in known.items()}
    return {
        "per_source": figures,
        "avg_sim": float(means[is_scored].mean()),
        "avg_sim_published_rounding": round(average_of_means(rounded, counts), 2),
        "simple_mean": sum(known.values()) / len(known),
        "avg_if_unscored_were_0": float(with_gaps.mean()),
    }


STATES = {"accept": "accepted", "edit": "accepted as edited", "reject": "rejected"}


def review(case: Input) -> Figures:
    """Rows of the verdicts of two reviewers, of a `third` where they differ: as rounds of texts."""
    given = {row["item"]: _verdicts(row) for row in case["rows"]}
    read = [
        ReadText(number, "", own, {place: str(place) for place in own}, dict.fromkeys(own))
        for number, own in enumerate(given.values())
    ]
    found = text_figures(read, REVIEW, overlap=2, seed=0)
    kappas = {one.name: one for one in found.kappas}
    states = {name: _state(own) for name, own in given.items()}
    return {
        "same": found.equal.value,
        "kappa_three_verdicts": _of_verdicts(kappas["kappa"], found.read_twice),
        "kappa_keep_or_reject": _of_verdicts(kappas["kappa_keep"], found.read_twice),
        "state": states,
        "counts": dict(Counter(states.values())),
    }


def _of_verdicts(kappa: Kappa, count: int) -> Figures:
    reason = judged.ONE_VALUE if kappa.value is None else None
    return {"value": kappa.value, "n": count, "why": reason}


def _verdicts(row: Input) -> dict[int, GivenVerdict]:
    names = ("first", "second", "third")
    return {
        place: GivenVerdict(row[name], text=row.get(f"{name}_text", ""))
        for place, name in enumerate(names, start=1)
        if row[name] is not None
    }


def _state(given: Mapping[int, GivenVerdict]) -> str:
    if (outcome := decided(given, 2)) is not None:
        return STATES[outcome.verdict]
    return "disputed" if differ(given) else "waiting"


def frame_indices(case: Input) -> list[list[int]]:
    """The frames of each of the `clips` as the published sampler takes them."""
    return [_published_frames(**clip) for clip in case["clips"]]


def _published_frames(
    start_s: float, end_s: float, fps: float, total_frames: int, n: int
) -> list[int]:
    """Evenly from the first frame to the last, both included; without a time, of all frames.

    Of a clip that is empty or ends before it starts, those that come next.
    """
    first, last = int(start_s * fps), int(end_s * fps)
    if start_s < 0 and end_s < 0:
        first, last = 0, total_frames
    elif last <= first:
        last = first + n
    last = min(last, total_frames - 1)
    return [int(frame) for frame in np.linspace(first, last, n)]


FAMILY = Family(
    kinds={
        "choices": choices,
        "mc": figures,
        "per_class": classes,
        "confusion": confusion,
        "baselines": baselines,
        "table4_row": printed_row,
        "pooled": pooled,
        "wilson": lambda case: list(wilson_interval(case["hits"], case["n"]) or ()),
        "mcnemar": discordance,
        "native_classes": native_classes,
        "tent_seconds": tent_times,
        "table6": rater_table,
        "judges_against_humans": judges_and_people,
        "judge_pair": judge_pair,
        "judge_replies": judge_replies,
        "review": review,
        "frame_indices": frame_indices,
        "sim": sources,
        "avg_sim_from_means": lambda case: round(average_of_means(case["means"], case["n"]), 2),
    },
    bands={},
)
