"""Agreement of edges as curves over tolerances, of the figures that there are."""

import re
from collections import defaultdict
from collections.abc import Iterable

from annotation.analytics.pictures.tolerance_curves import ToleranceCurve, ToleranceCurves
from annotation.analytics.raters.raters import Estimate
from segments.engine.scheme import Scheme
from segments.measures.report import FigureRow, Part, Split

WITHIN = re.compile(r"(start|end|onset)_within_([0-9.]+)_s")
WORDS = {"start": "starts", "end": "ends", "onset": "onsets"}


def edge_curves(scheme: Scheme, rows: Iterable[FigureRow]) -> ToleranceCurves:
    """A curve for the starts and the ends (or the onsets) of each track, over all recordings."""
    points: dict[tuple[str, str], list[tuple[float, Estimate]]] = defaultdict(list)
    for row in rows:
        found = WITHIN.fullmatch(row.name)
        if found is None or row.part is not Part.AGREEMENT or row.split is not Split.ALL:
            continue
        summary = row.summary
        estimate = Estimate(
            summary.value,
            low=summary.interval.low,
            high=summary.interval.high,
            reason=row.reason,
            answers=summary.n,
        )
        points[row.track, found[1]].append((float(found[2]), estimate))
    titles = {track.name: track.title for track in scheme.tracks}
    return ToleranceCurves(
        "Agreement of edges over tolerances",
        tuple(
            ToleranceCurve(
                f"{titles[track]}: {WORDS[edge]}", tuple(sorted(found, key=lambda item: item[0]))
            )
            for (track, edge), found in points.items()
        ),
    )
