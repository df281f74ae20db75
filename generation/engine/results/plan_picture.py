"""The layout of a plan's picture: steps, load curve, phases, errors, corrections.

Steps are in columns of equal width, because the shortest lasts a second and the longest minutes; a
strip below shows them to scale over time. The unit is a pixel of the picture's own width; the
origin is at the top left. The template only draws what is computed here.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from generation.engine.planner.error_kind import facts_of
from generation.engine.planner.plan import Plan, PlannedError
from generation.engine.planner.taxonomy import Phase

# The template of the picture draws phases, boxes and strips at the same heights.
CURVE_TOP, CURVE_BOTTOM = 30.0, 150.0
BOX_TOP = 156.0
FIRST_LABEL_Y, LABEL_STEP_Y = 201.0, 19.0
STRIP_GAP, STRIP_HEIGHT, FOOT = 14.0, 14.0, 22.0
BOX_GAP = 3.0
WIDE = 1000.0
# Room for the name of the last phase and that of the curve, side by side.
NAMES_WIDTH = 220.0
# In narrower columns a number per step would not fit, so only every fifth is shown.
NUMBERED_WIDTH = 19.0
# The mean width of a character of the labels at their size of 12.
CHARACTER_WIDTH = 6.9
LABEL_GAP = 10.0
ARC_HEIGHT, ARC_STEP = 34.0, 9.0
PHASE_WORDS = {
    Phase.INITIATION: "Initiation",
    Phase.ROUTINE: "Routine",
    Phase.COMPLETION: "Completion",
}


@dataclass(frozen=True, slots=True)
class PhaseBand:
    """The background of a run of steps of one phase."""

    words: str
    x: float
    width: float
    is_dark: bool

    @property
    def label_x(self) -> float:
        return self.x + 8


@dataclass(frozen=True, slots=True)
class StepBox:
    """One step: its box in the row, and its place on the time strip (None if untimed)."""

    number: int
    x: float
    width: float
    title: str
    has_error: bool
    is_partner: bool
    shown_number: str
    strip_x: float | None
    strip_width: float

    @property
    def middle(self) -> float:
        return self.x + self.width / 2


@dataclass(frozen=True, slots=True)
class Label:
    """A line of text under the steps."""

    text: str
    x: float
    y: float
    anchor: str
    kind: str
    tick_x: float


@dataclass(frozen=True, slots=True)
class Arrow:
    """From an error to where it is noticed; dashed if it is not corrected."""

    path: str
    is_acted: bool
    title: str


@dataclass(frozen=True, slots=True)
class PlanPicture:
    """Everything that the drawing of one plan needs."""

    width: float
    height: float
    phases: tuple[PhaseBand, ...]
    curve: str
    area: str
    steps: tuple[StepBox, ...]
    labels: tuple[Label, ...]
    arrows: tuple[Arrow, ...]
    strip_y: float
    start_words: str
    end_words: str
    description: str

    @property
    def is_narrow(self) -> bool:
        """Whether the name of the curve would overlap the name of the last phase."""
        last_width = self.phases[-1].width if self.phases else self.width
        return self.width < WIDE or last_width < NAMES_WIDTH


def draw_plan(plan: Plan, *, width: float) -> PlanPicture:
    """The picture of a plan; a plan without steps gives a picture without columns."""
    columns = max(1, len(plan.steps))
    column = width / columns
    labels, strip_y = _labels(plan, column, width)
    timed = [step for step in plan.steps if step.start_s is not None and step.end_s is not None]
    start_s = min((step.start_s for step in timed if step.start_s is not None), default=0.0)
    end_s = max((step.end_s for step in timed if step.end_s is not None), default=0.0)
    points = [
        (column * (step.index + 0.5), CURVE_BOTTOM - (CURVE_BOTTOM - CURVE_TOP) * step.load)
        for step in plan.steps
    ]
    curve = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    phases = [
        (phase, list(steps)) for phase, steps in groupby(plan.steps, key=lambda step: step.phase)
    ]
    return PlanPicture(
        width=width,
        height=strip_y + STRIP_HEIGHT + FOOT,
        phases=tuple(
            PhaseBand(
                words=PHASE_WORDS[phase],
                x=steps[0].index * column,
                width=len(steps) * column,
                is_dark=number % 2 == 1,
            )
            for number, (phase, steps) in enumerate(phases)
        ),
        curve=curve,
        area=f"{column / 2:.1f},{CURVE_BOTTOM} {curve} {width - column / 2:.1f},{CURVE_BOTTOM}",
        steps=tuple(_boxes(plan, column, width, (start_s, end_s))),
        labels=labels,
        arrows=tuple(_arrows(plan, column)),
        strip_y=strip_y,
        start_words=clock(start_s) if timed else "",
        end_words=clock(end_s) if timed else "",
        description=describe(plan),
    )


def clock(seconds: float) -> str:
    """Seconds as minutes and seconds.

    >>> clock(125.4)
    '2:05'
    """
    return f"{int(seconds // 60)}:{int(seconds % 60):02d}"


def _boxes(
    plan: Plan, column: float, width: float, span_s: tuple[float, float]
) -> Iterator[StepBox]:
    wrong = {error.step_index for error in plan.errors}
    partners = {swapped[1] for error in plan.errors if (swapped := error.spec.swapped)}
    gap = min(BOX_GAP, column / 4)
    scale = width / (span_s[1] - span_s[0]) if span_s[1] > span_s[0] else 0.0
    for step in plan.steps:
        number = step.index + 1
        is_crowded = bool(wrong & {step.index - 1, step.index + 1})
        is_fifth = number % 5 == 0 and not is_crowded
        is_numbered = column >= NUMBERED_WIDTH or step.index in wrong or is_fifth
        is_timed = step.start_s is not None and step.end_s is not None and scale > 0
        times = ""
        if step.start_s is not None and step.end_s is not None:
            times = f", {clock(step.start_s)} to {clock(step.end_s)}"
        yield StepBox(
            number=number,
            x=step.index * column + gap / 2,
            width=column - gap,
            title=f"Step {step.index + 1}: {step.text}{times}, load {step.load:.2f}",
            has_error=step.index in wrong,
            is_partner=step.index in partners - wrong,
            shown_number=str(number) if is_numbered else "",
            strip_x=((step.start_s or 0.0) - span_s[0]) * scale if is_timed else None,
            strip_width=max(1.0, step.duration_s * scale),
        )


def error_words(error: PlannedError) -> str:
    """An error in a few words, for the picture's label."""
    return f"{error.error_type} · {error.spec.short_words or facts_of(error).short_words}"


def latency_words(latency_steps: int) -> str:
    """How long after its error something is noticed.

    >>> [latency_words(steps) for steps in (0, 1, 4)]
    ['noticed at once', 'noticed 1 step later', 'noticed 4 steps later']
    """
    if latency_steps <= 0:
        return "noticed at once"
    return f"noticed {latency_steps} step{'' if latency_steps == 1 else 's'} later"


def _labels(plan: Plan, column: float, width: float) -> tuple[tuple[Label, ...], float]:
    """The labels in lanes without overlap, and the height where the time strip begins."""
    wanted = [
        (column * (error.step_index + 0.5), f"▲ {error_words(error)}", "mistake")
        for error in plan.errors
    ]
    wanted += [
        (
            column * (correction.detect_at_step_index + 0.5),
            f"↺ {latency_words(correction.latency_steps)}",
            "correction",
        )
        for correction in plan.corrections or ()
    ]
    wanted += [
        (column * (noticed.detect_at_step_index + 0.5), "○ noticed, not corrected", "ignored")
        for noticed in plan.noticed_not_acted or ()
    ]
    lanes: list[float] = []
    labels = []
    for middle, text, kind in sorted(wanted, key=lambda item: (item[0], item[2] != "mistake")):
        length = CHARACTER_WIDTH * len(text)
        left = min(max(0.0, middle - length / 2), max(0.0, width - length))
        lane = next((n for n, end in enumerate(lanes) if left >= end), len(lanes))
        if lane == len(lanes):
            lanes.append(0.0)
        lanes[lane] = left + length + LABEL_GAP
        y = FIRST_LABEL_Y + LABEL_STEP_Y * lane
        labels.append(Label(text, left, y, "start", kind, middle))
    strip_y = FIRST_LABEL_Y + LABEL_STEP_Y * max(0, len(lanes) - 1) + STRIP_GAP
    return tuple(labels), strip_y


def _arrows(plan: Plan, column: float) -> Iterator[Arrow]:
    at = {error.event_id: error.step_index for error in plan.errors}
    for correction in plan.corrections or ():
        start, end = at[correction.target_event_id], correction.detect_at_step_index
        words = latency_words(correction.latency_steps)
        title = f"{correction.target_event_id} {words}: {correction.correction_type}"
        yield Arrow(_arc(start, end, column), is_acted=True, title=title)
    for noticed in plan.noticed_not_acted or ():
        start, end = at[noticed.target_event_id], noticed.detect_at_step_index
        title = f"{noticed.target_event_id} {latency_words(noticed.latency_steps)}, left as it is"
        yield Arrow(_arc(start, end, column), is_acted=False, title=title)


def _arc(start: int, end: int, column: float) -> str:
    """The path from above one column to above another; a loop if they are the same."""
    x1, x2 = column * (start + 0.5), column * (end + 0.5)
    y = BOX_TOP - 2
    if start == end:
        return f"M{x1 - 6:.1f},{y} C{x1 - 14:.1f},{y - 34} {x1 + 14:.1f},{y - 34} {x1 + 6:.1f},{y}"
    top = y - ARC_HEIGHT - ARC_STEP * min(8, abs(end - start))
    return f"M{x1:.1f},{y} C{x1:.1f},{top:.1f} {x2:.1f},{top:.1f} {x2:.1f},{y}"


def describe(plan: Plan) -> str:
    """The plan in sentences, for people who cannot see the picture."""
    parts = [f"{len(plan.steps)} steps."]
    if not plan.errors:
        parts.append(f"No mistake: {plan.empty_reason}.")
    for error in plan.errors:
        parts.append(
            f"Mistake {error.event_id} at step {error.step_index + 1}: {error_words(error)}, "
            f"severity {error.severity}."
        )
    for correction in plan.corrections or ():
        kind = correction.correction_type.replace("_", " ")
        parts.append(
            f"{correction.target_event_id} is {latency_words(correction.latency_steps)}, at step "
            f"{correction.detect_at_step_index + 1}, and corrected: {kind}."
        )
    for noticed in plan.noticed_not_acted or ():
        words = latency_words(noticed.latency_steps)
        parts.append(f"{noticed.target_event_id} is {words} and left as it is.")
    return " ".join(parts)
