"""mAP and recall of recordings' intervals, as functions of draws of recordings."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.engine.labelled_intervals import interval_columns
from benchmarks.engine.measures.counts import once
from benchmarks.engine.measures.localisation import Rule, ranked_hits, recalls_by_recording
from benchmarks.engine.task import Figure

Rows = Sequence[Mapping[str, Any]]
Ints = npt.NDArray[np.int64]
OVERLAPS = (0.1, 0.2, 0.3, 0.4, 0.5)
PRINTED = (0.1, 0.3, 0.5)
KS = (1, 5)


def figures_of(
    truth: Sequence[Rows], said: Sequence[Rows], labels: Sequence[str], owners: Ints, count: int
) -> dict[str, Figure]:
    """The figures of recordings' intervals as functions of draws, of which `owners` are columns."""
    are_numbers = all(label.isdigit() for label in labels)
    codes = {label: int(label) if are_numbers else code for code, label in enumerate(labels)}
    right, found = interval_columns(truth, codes), interval_columns(said, codes)
    hits = ranked_hits(right, found, OVERLAPS)
    of_code = ranked_hits(right, found, OVERLAPS[:1], rule=Rule.RELEASED_CODE)
    recalls = recalls_by_recording(right, found, PRINTED, KS, len(truth))
    means = once(lambda sums: hits.drawn_means(sums[:, :count][:, owners]))
    code = once(lambda sums: of_code.drawn_means(sums[:, :count][:, owners]))

    def drawn(at: int) -> Figure:
        return lambda sums: means(sums)[:, at]

    def recalled(at: int, limit: int) -> Figure:
        return lambda sums: recalls.drawn_means(sums[:, :count][:, owners], at, limit)

    figures: dict[str, Figure] = {f"map_{limit:g}": drawn(at) for at, limit in enumerate(OVERLAPS)}
    figures["map"] = lambda sums: means(sums).mean(axis=1)
    figures["map_0.1_code"] = lambda sums: code(sums)[:, 0]
    for at, k in enumerate(KS):
        for limit, overlap in enumerate(PRINTED):
            figures[f"recall_{k}_{overlap:g}"] = recalled(at, limit)
    return figures
