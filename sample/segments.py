"""What two people might have marked in the sample's recordings: made up, and shaped like the real.

Both see the same steps. Their edges lie a frame or two apart, and now and then they name a mistake
differently.
"""

import numpy as np

from annotation.engine.corpus.procedure import Trace
from annotation.engine.taxonomy import Mod, TaxonomyLabel
from segments.engine.model import Segment
from segments.engine.scheme import UNDEFINED_STEP

TRACK = "steps"
# How far an edge lies from where it is, in seconds, and the time of a frame of the sample's videos.
EDGE_SPREAD_S, FRAME_S = 0.12, 0.1
OTHER_LABEL_SHARE, OTHER_LABEL = 0.12, "others"
# The words of the scheme `egooops` for what the sample's authors had in mind. That two steps
# changed places needs no word: their order tells it.
LABELS = {
    TaxonomyLabel.SUBSTITUTION: "working with wrong objects",
    TaxonomyLabel.WRONG_EXECUTION: "working in the wrong way or moving",
    TaxonomyLabel.INSERTION: "unintended actions",
    TaxonomyLabel.CORRECTION: "correction of mistake actions",
}
LABELLED = {Mod.ERROR, Mod.INSERTION, Mod.CORRECTION}


def marked_segments(trace: Trace, duration_s: float, rng: np.random.Generator) -> list[Segment]:
    """The segments of a trace with a recording of this length, as one person marks them."""
    types: dict[str | None, TaxonomyLabel] = {
        event.event_id: TaxonomyLabel(event.proposed_type or TaxonomyLabel.WRONG_EXECUTION)
        for event in trace.events
    }
    done = [step for step in trace.steps if step.start_s is not None]
    edges = [time for step in done for time in (step.start_s, step.end_s)]
    marked = np.array(edges) + rng.normal(0.0, EDGE_SPREAD_S, len(edges))
    # Nobody lets steps overlap, or marks what is not there.
    frames = np.round(np.clip(np.maximum.accumulate(marked), 0.0, duration_s) / FRAME_S)
    segments = []
    for place, step in enumerate(done):
        label = ""
        if step.mod in LABELLED:
            label = LABELS[types[step.event_id]]
            label = OTHER_LABEL if rng.random() < OTHER_LABEL_SHARE else label
        segments.append(
            Segment(
                key=f"s{place}",
                track=TRACK,
                start_s=round(float(frames[2 * place]) * FRAME_S, 6),
                end_s=round(float(frames[2 * place + 1]) * FRAME_S, 6),
                step_id=step.step_id or UNDEFINED_STEP,
                label=label,
                text=step.text if label else "",
            )
        )
    left_out = [step for step in trace.steps if step.start_s is None]
    segments += [
        Segment(f"m{place}", TRACK, None, None, step.step_id) for place, step in enumerate(left_out)
    ]
    return segments
