"""The trace of a spliced recording: the written steps with their times in the new video."""

from dataclasses import replace

from annotation.engine.corpus.procedure import Trace
from generation.engine.splicing.edit_list import EditList
from generation.engine.splicing.exceptions import EditListError

# Microseconds: more than the rounding errors of sums, and a thousandth of a frame.
DECIMALS = 6


def filmed_trace(trace: Trace, edits: EditList, *, video_stem: str, maker: str) -> Trace:
    """The trace with its video and with the times that its rows have in it.

    `maker` made the clips and goes into the provenance. Raises `EditListError` if the edits belong
    to another trace.
    """
    if (edits.trace_uid, len(edits.steps)) != (trace.uid, len(trace.steps)):
        raise EditListError(
            f"the edits of {edits.trace_uid} time {len(edits.steps)} rows;"
            f" expected the {len(trace.steps)} rows of {trace.uid}"
        )
    steps = tuple(
        replace(row, start_s=_rounded(timed.start_s), end_s=_rounded(timed.end_s))
        for row, timed in zip(trace.steps, edits.steps, strict=True)
    )
    provenance = {**trace.provenance, "clips": maker}
    return replace(trace, steps=steps, video_stem=video_stem, provenance=provenance)


def _rounded(at_s: float | None) -> float | None:
    return None if at_s is None else round(at_s, DECIMALS)
