"""Every figure of two sides over recordings: time, edges, labels and texts."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from annotation.analytics.agreement.intervals import Interval
from annotation.analytics.agreement.resampling import Figure
from segments.measures.figures import (
    NO_VARIATION,
    NOTHING,
    Compared,
    Options,
    Summary,
    error_summaries,
    mean_kappa_figure,
    ratio_summary,
    summarise,
)
from segments.measures.kappas import (
    EXTRA_CLASSES,
    kappas_of_margins,
    label_table,
    margins,
    paired_labels,
    presence_tables,
    time_table,
)
from segments.measures.matching import (
    F1_THRESHOLDS,
    boundary_errors,
    edit_score,
    hits_of_pairs,
    point_errors,
)
from segments.measures.spans import UNDEFINED, Codes, Floats, Spans, coverage, temporal_iou


def agreement(recordings: Sequence[Compared], options: Options) -> dict[str, Summary]:
    """Every figure of two sides over recordings, by name."""
    options = _grouped(recordings, options)
    ious = [temporal_iou(item.first, item.second) for item in recordings]
    edits = [
        edit_score(item.first.defined.labels, item.second.defined.labels) for item in recordings
    ]
    figures = {
        "tiou_strict": _mean([iou.strict for iou in ious], options),
        "tiou_common": _mean([iou.common for iou in ious], options),
        "edit": _mean(edits, options),
    }
    for threshold in F1_THRESHOLDS:
        hits = [
            hits_of_pairs(item.first, item.second, item.same_defined, threshold)
            for item in recordings
        ]
        pairs = ((2.0 * hit.true, hit.total) for hit in hits)
        n = sum(hit.true for hit in hits)
        figures[f"f1@{threshold:.2f}"] = ratio_summary(pairs, options, n=n)
    errors = [boundary_errors(item.first, item.second, item.same_defined) for item in recordings]
    for place, edge in enumerate(("start", "end")):
        of_edge = error_summaries([pair[place] for pair in errors], options)
        figures |= {f"{edge}_{name}": summary for name, summary in of_edge.items()}
    figures |= _kappas(recordings, options)
    for side in ("first", "second"):
        covered = (
            (coverage(getattr(item, side), item.duration_s).covered_s, item.duration_s)
            for item in recordings
        )
        figures[f"coverage_{side}"] = ratio_summary(covered, options, n=len(recordings))
    repeated = [(_repeated(item.first), _repeated(item.second)) for item in recordings]
    figures["repeated_same"] = _same_sets(repeated, options)
    return figures | _missing(recordings, options) | _texts(recordings, options)


def onset_agreement(recordings: Sequence[Compared], options: Options) -> dict[str, Summary]:
    """Of points: how far apart those with the same label are, and the share that has a partner."""
    options = _grouped(recordings, options)
    errors = [point_errors(item.first, item.second) for item in recordings]
    figures = {f"onset_{name}": of for name, of in error_summaries(errors, options).items()}
    paired = (
        (2.0 * len(pairs), len(item.first.defined) + len(item.second.defined))
        for pairs, item in zip(errors, recordings, strict=True)
    )
    figures["onset_paired"] = ratio_summary(paired, options, n=sum(map(len, errors)))
    return figures | _missing(recordings, options)


def _grouped(recordings: Sequence[Compared], options: Options) -> Options:
    if not any(item.recording for item in recordings):
        return options
    places: dict[str, int] = {}
    names = [item.recording or f"{place} alone" for place, item in enumerate(recordings)]
    groups = [places.setdefault(name, len(places)) for name in names]
    return replace(options, groups=np.array(groups, dtype=np.int64))


def _mean(values: Sequence[float | None], options: Options) -> Summary:
    """The mean over the recordings that have a value."""
    pairs = ((0.0, 0.0) if value is None else (value, 1.0) for value in values)
    return ratio_summary(pairs, options, n=sum(value is not None for value in values))


def _repeated(spans: Spans) -> frozenset[int]:
    labels, counts = np.unique(spans.defined.labels, return_counts=True)
    return frozenset(labels[counts > 1].tolist())


def _missing(recordings: Sequence[Compared], options: Options) -> dict[str, Summary]:
    if all(item.missing is None for item in recordings):
        return {}
    none: frozenset[int] = frozenset()
    missing = [item.missing or (none, none) for item in recordings]
    return {"missing_same": _same_sets(missing, options)}


def _same_sets(pairs: Sequence[tuple[frozenset[int], frozenset[int]]], options: Options) -> Summary:
    """2 |A and B| / (|A| + |B|), summed over recordings."""
    shared = ((2.0 * len(ours & theirs), len(ours) + len(theirs)) for ours, theirs in pairs)
    n = sum(len(ours | theirs) for ours, theirs in pairs)
    return ratio_summary(shared, options, n=n)


def _kappas(recordings: Sequence[Compared], options: Options) -> dict[str, Summary]:
    highest = [
        int(side.labels.max(initial=0)) for item in recordings for side in (item.first, item.second)
    ]
    count = options.class_count or max(highest, default=0) + 1
    by_pair = [
        _margins_of(*paired_labels(item.same_time, (item.first.labels, item.second.labels)), count)
        for item in recordings
    ]
    kappas = {"label_kappa": _kappa(by_pair, kappas_of_margins, options)}
    if options.may_overlap:
        by_label = [_presence(item, count) for item in recordings]
        kappas["time_kappa"] = _kappa(by_label, mean_kappa_figure(count), options)
    else:
        by_time = [_time_margins(item, count) for item in recordings]
        kappas["time_kappa"] = _kappa(by_time, kappas_of_margins, options)
    if options.mistake_count:
        # No mistake (-1) is an answer too: it becomes class 0.
        size = options.mistake_count + 1
        by_mistake = []
        for item in recordings:
            ours = theirs = np.zeros(0, dtype=np.int64)
            if item.mistakes is not None:
                labels = item.mistakes[0] + 1, item.mistakes[1] + 1
                ours, theirs = paired_labels(item.same_time, labels)
            by_mistake.append(_margins_of(ours, theirs, size))
        kappas["mistake_kappa"] = _kappa(by_mistake, kappas_of_margins, options)
    return kappas


def _margins_of(ours: Codes, theirs: Codes, class_count: int) -> Floats:
    classes, places = np.unique(np.concatenate([ours, theirs]), return_inverse=True)
    table = label_table(places[: len(ours)], places[len(ours) :], len(classes) or 1)
    return margins(table, classes if len(classes) else np.zeros(1, dtype=np.int64), class_count)


def _time_margins(item: Compared, class_count: int) -> Floats:
    """Only the recording's own classes go into its table; undefined and nothing come last."""
    sides = item.first, item.second
    classes = np.unique(np.concatenate([side.defined.labels for side in sides]))
    local = [
        replace(
            side,
            labels=np.where(
                side.labels == UNDEFINED, UNDEFINED, np.searchsorted(classes, side.labels)
            ),
        )
        for side in sides
    ]
    table = time_table(local[0], local[1], item.duration_s, len(classes))
    places = np.concatenate([classes, [class_count, class_count + 1]])
    return margins(table, places, class_count + EXTRA_CLASSES)


def _presence(item: Compared, class_count: int) -> Floats:
    """A table of yes and no for each label, (4V,); all 0 for labels that are not `possible`."""
    tables = np.zeros((class_count, 2, 2))
    possible = np.arange(class_count) if item.possible is None else item.possible
    tables[possible, 1, 1] = item.duration_s
    labels = np.unique(np.concatenate([item.first.defined.labels, item.second.defined.labels]))
    tables[labels] = presence_tables(item.first, item.second, item.duration_s, labels.tolist())
    return tables.ravel()


def _kappa(rows: Sequence[Floats], figure: Figure, options: Options) -> Summary:
    profiles = np.array(rows, dtype=np.float64)
    if not profiles.any():
        return Summary(None, NOTHING, 0, 0, Interval(None, None, NOTHING))
    n = int(profiles.any(axis=1).sum())
    return summarise(profiles, figure, options, n=n, reason=NO_VARIATION)


def _texts(recordings: Sequence[Compared], options: Options) -> dict[str, Summary]:
    """How alike the descriptions of matched spans are; pairs with two empty texts are left out."""
    if all(item.texts is None for item in recordings):
        return {}
    scores: dict[str, list[list[float]]] = defaultdict(lambda: [[] for _ in recordings])
    for place, item in enumerate(recordings):
        for name, score in item.text_scores:
            scores[name][place].append(score)
    figures = {}
    for name in ("text_same", "text_token_f1", "text_character_f1", *sorted(scores)):
        if name not in figures:
            pairs = ((sum(values), len(values)) for values in scores[name])
            figures[name] = ratio_summary(pairs, options, n=sum(map(len, scores[name])))
    return figures
