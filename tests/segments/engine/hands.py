"""What tests of gestures start from."""

import itertools

from segments.engine.model import Segment, Segmentation
from segments.engine.scheme import Geometry, Label, LabelSource, Scheme, Track
from tests.segments.gestures import Hands


def scheme_of(geometry, **options):
    """One track of steps with that geometry, and mistakes that belong to them."""
    return Scheme(
        "own",
        1,
        "Own",
        "",
        (
            Track("steps", "Steps", Geometry(geometry), LabelSource.STEPS, has_undefined=True,
                  says_missing=True),
            Track("mistakes", "Mistakes", Geometry.FREE, LabelSource.LABELS, (Label("slip"),),
                  belongs_to="steps"),
        ),
        **{"resolution_s": 0.1, **options},
    )  # fmt: skip


def state_of(*spans, duration_s=100.0, rate=None):
    """Segments s1, s2 ... of the track of steps, from (start, end) or (start, end, step)."""
    made = {}
    for number, (start_s, end_s, *step) in enumerate(spans, start=1):
        key = f"s{number}"
        made[key] = Segment(key, "steps", start_s, end_s, step_id=(step or [str(number)])[0])
    return Segmentation(made, duration_s, rate)


def hands_on(state, geometry="gaps", **settings):
    counter = itertools.count(1)
    scheme = settings.pop("scheme", None) or scheme_of(geometry)
    return Hands(state, scheme, lambda: f"n{next(counter)}", **settings)


def spans_of(state, track="steps"):
    return {item.key: item.span for item in state.timed(track)}
