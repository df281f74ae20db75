"""The plan as an assistant knows it at a point: what is completed, what to do now, what is next.

Nothing of it is known before it is to be seen: a step that will be left out stays in the plan until
another is begun instead.
"""

from collections.abc import Sequence
from typing import Any

from benchmarks.engine.guiding.deviations import Deviation, places_left_out
from benchmarks.engine.guiding.points import Point
from benchmarks.engine.happenings import Happening, milliseconds
from benchmarks.engine.material import Recording


def clean_plan_at(
    recording: Recording, steps: Sequence[Happening], found: Sequence[Deviation], point: Point
) -> dict[str, Any]:
    """The state of the clean plan once an assistant has spoken at a point.

    The current step is the one that it names, else the first that is left.
    """
    plan = [step.text for step in recording.take.steps]
    ended = {
        step.row.reference_index
        for step in steps
        if step.end_s is not None and milliseconds(step.end_s) <= point.time_s
    }
    left_out = {
        place
        for place, known_s in places_left_out(recording, found).items()
        if milliseconds(known_s) < point.time_s
    }
    ahead = [place for place in range(len(plan)) if place not in ended | left_out]
    current = point.place if point.place is not None else next(iter(ahead), None)
    return {
        "completed": [plan[place] for place in range(len(plan)) if place in ended - {current}],
        "current": [] if current is None else [plan[current]],
        "next": [plan[place] for place in ahead if place != current],
    }
