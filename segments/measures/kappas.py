"""Agreement above chance on labels, by pairs of spans and by time.

Row v, column w of an agreement table, (V, V), is the count or time that the first side labels v and
the second w; tables of recordings are summed before kappa is computed.
"""

from collections.abc import Iterable, Sequence

import numpy as np

from annotation.analytics.agreement.coefficients import kappas_of, kappas_of_sums
from segments.measures.spans import UNDEFINED, Codes, Floats, Overlaps, Spans, common_s

# "Undefined" and "nothing", after the labels at the end of a table of time.
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
    """How often the first side says v and the second w, (V, V).

    Raises ValueError where the lists differ in length.
    """
    ours, theirs = np.asarray(first, dtype=np.int64), np.asarray(second, dtype=np.int64)
    if len(ours) != len(theirs):
        raise ValueError(f"there are {len(ours)} and {len(theirs)} labels; expected as many")
    count = class_count or int(max(ours.max(initial=0), theirs.max(initial=0))) + 1
    table = np.zeros((count, count))
    np.add.at(table, (ours, theirs), 1.0)
    return table


def paired_labels(pairs: Overlaps, labels: tuple[Codes, Codes]) -> tuple[Codes, Codes]:
    """The labels of both sides for paired spans that both sides have labelled, (P,) each.

    `labels` has an array for each side, in the order of its spans: their own labels or mistakes.
    """
    ours, theirs = labels[0][pairs.first], labels[1][pairs.second]
    is_labelled = (ours >= 0) & (theirs >= 0)
    return ours[is_labelled], theirs[is_labelled]


def time_table(first: Spans, second: Spans, duration_s: float, class_count: int) -> Floats:
    """How long the first side says v and the second w, (V + 2, V + 2) s.

    The last two classes are undefined and nothing. For tracks without overlaps; where spans overlap
    nevertheless, the later one counts.
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
    """How long each side has a label and has not, (V, 2, 2) s: for tracks with overlaps."""
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
    """The part of a table that kappa needs, (1 + 2V,): its trace, row sums and column sums.

    The table, (v, v), is of the classes `places` among `class_count`. Whole tables of a few hundred
    classes would be too large to resample a thousand times.
    """
    row = np.zeros(1 + 2 * class_count)
    row[0] = np.trace(table)
    row[1 + places] = table.sum(axis=1)
    row[1 + class_count + places] = table.sum(axis=0)
    return row


def kappas_of_margins(rows: Floats) -> Floats:
    """Cohen's kappa from `margins`, (D, 1 + 2V) to (D,)."""
    ours, theirs = np.split(rows[:, 1:], 2, axis=1)
    return kappas_of_sums(rows[:, 0], ours.sum(axis=1), np.einsum("dv,dv->d", ours, theirs))
