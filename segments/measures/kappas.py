"""Agreement above chance on labels, by pairs of spans and by time.

A table of agreement, (V, V), counts or measures what the first side called v and the second w;
tables of recordings are summed before kappa is taken.
"""

from collections.abc import Iterable, Sequence

import numpy as np

from annotation.analytics.agreement.coefficients import kappas_of, kappas_of_sums
from segments.measures.spans import UNDEFINED, Codes, Floats, Overlaps, Spans, common_s

# Classes of time beside the labels, at the end of a table.
EXTRA_CLASSES = 2


def kappa(first: Sequence[int] | Codes, second: Sequence[int] | Codes) -> float | None:
    """Cohen's kappa of two lists of labels, 0 or more each; None where it is undefined.

    >>> kappa([0, 1, 0, 1], [1, 0, 1, 0])
    -1.0
    """
    value = float(kappas_of(label_table(first, second)))
    return None if np.isnan(value) else value


def label_table(
    first: Sequence[int] | Codes, second: Sequence[int] | Codes, class_count: int | None = None
) -> Floats:
    """How often the sides called the same thing v and w, (V, V)."""
    ours, theirs = np.asarray(first, dtype=np.int64), np.asarray(second, dtype=np.int64)
    if len(ours) != len(theirs):
        raise ValueError(f"there are {len(ours)} and {len(theirs)} labels; expected as many")
    count = class_count or int(max(ours.max(initial=0), theirs.max(initial=0))) + 1
    table = np.zeros((count, count))
    np.add.at(table, (ours, theirs), 1.0)
    return table


def paired_labels(pairs: Overlaps, labels: tuple[Codes, Codes]) -> tuple[Codes, Codes]:
    """What both sides call the spans that are paired, where both say something, (P,) each.

    labels: of each side, in the order of its spans; those of the spans or others, as of mistakes.
    """
    ours, theirs = labels[0][pairs.first], labels[1][pairs.second]
    is_labelled = (ours >= 0) & (theirs >= 0)
    return ours[is_labelled], theirs[is_labelled]


def time_table(first: Spans, second: Spans, duration_s: float, class_count: int) -> Floats:
    """How long the sides say v and w, (V + 2, V + 2) s; the last two are undefined and nothing.

    For tracks without overlaps; where spans overlap all the same the later one counts.
    """
    edges = np.concatenate(
        [[0.0, duration_s], first.starts_s, first.ends_s, second.starts_s, second.ends_s]
    )
    edges = np.unique(np.clip(edges, 0.0, duration_s))
    middles = (edges[1:] + edges[:-1]) / 2
    sides = []
    for spans in (first, second):
        classes = np.full(len(middles), class_count + 1)
        codes = np.where(spans.labels == UNDEFINED, class_count, spans.labels)
        for start_s, end_s, code in zip(spans.starts_s, spans.ends_s, codes, strict=True):
            low, high = np.searchsorted(middles, (start_s, end_s))
            classes[low:high] = code
        sides.append(classes)
    table = np.zeros((class_count + EXTRA_CLASSES, class_count + EXTRA_CLASSES))
    np.add.at(table, (sides[0], sides[1]), np.diff(edges))
    return table


def presence_tables(
    first: Spans, second: Spans, duration_s: float, labels: Iterable[int]
) -> Floats:
    """Per label how long the sides say yes and no, (V, 2, 2) s: for tracks with overlaps."""
    tables = []
    for label in labels:
        sides = []
        for spans in (first, second):
            pieces = [
                (max(0.0, low), min(high, duration_s))
                for low, high in spans.union(label)
                if low < duration_s
            ]
            sides.append((pieces, sum(high - low for low, high in pieces)))
        (ours, ours_s), (theirs, theirs_s) = sides
        both_s = common_s(ours, theirs)
        neither_s = duration_s - ours_s - theirs_s + both_s
        tables.append([[both_s, ours_s - both_s], [theirs_s - both_s, neither_s]])
    return np.array(tables, dtype=np.float64).reshape(-1, 2, 2)


def margins(table: Floats, places: Codes, class_count: int) -> Floats:
    """What kappa needs of a table, as one row: how much is the same, then both sides' sums.

    table: (v, v), of the classes `places` of all `class_count`. A table of a few hundred classes is
    too large to be drawn anew a thousand times. (1 + 2V,)
    """
    row = np.zeros(1 + 2 * class_count)
    row[0] = np.trace(table)
    row[1 + places] = table.sum(axis=1)
    row[1 + class_count + places] = table.sum(axis=0)
    return row


def kappas_of_margins(rows: Floats) -> Floats:
    """Cohen's kappa of `margins`, (D, 1 + 2V), as of the tables."""
    ours, theirs = np.split(rows[:, 1:], 2, axis=1)
    return kappas_of_sums(rows[:, 0], ours.sum(axis=1), np.einsum("dv,dv->d", ours, theirs))
