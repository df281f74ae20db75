"""Items of the task: the points of a recording, what is told at each, and what is right there."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from math import inf
from typing import Any

from annotation.engine.taxonomy import Speaker
from benchmarks.engine.guiding.clips import CLIP_S, select_clips
from benchmarks.engine.guiding.decisions import Decision
from benchmarks.engine.guiding.deviations import (
    DEVIATION,
    DISTRACTION,
    EVENTS,
    FIX,
    Deviation,
    deviations,
    done_at,
    point_events,
)
from benchmarks.engine.guiding.plan_state import CLEAN, NO_PLAN, PREDICTED
from benchmarks.engine.guiding.points import (
    GAP_S,
    OPENING,
    STRIDE_S,
    WIDE_GAP_S,
    Point,
    SampledPoints,
    every_point,
    released_points,
    sample_points,
)
from benchmarks.engine.guiding.states import clean_plan_at
from benchmarks.engine.happenings import (
    Happening,
    happenings,
    length_s,
    milliseconds,
    read_as_traces,
    third_of_recording,
    with_times,
)
from benchmarks.engine.material import Material, Recording
from benchmarks.engine.task import Item, Stretch
from benchmarks.engine.tasks.guide.references import cues_of_plan

NARROW = f"at events, silent ones {GAP_S:g} s away"
WIDE = f"at events, silent ones {WIDE_GAP_S:g} s away"
EVERY = f"every {STRIDE_S:g} s"
AS_RELEASED = "as released, at the intervals of the data set's own file"
ORACLE = "the plan as it was done, up to now"
OWN, GOLD = "its own", "the right one"

PLAN_TELLS = (
    "{}: the steps are the right words themselves, so that plan would tell them; expected the plan"
    f" {NO_PLAN}, or {PREDICTED}"
)


def asked_recordings(
    material: Material, settings: Mapping[str, Any]
) -> list[tuple[Recording, tuple[Happening, ...]]]:
    """The recordings that have points, with what is done in each."""
    recordings = read_as_traces(material)
    if settings["points"] != AS_RELEASED:
        return with_times(recordings)
    return [(one, happenings(one)) for one in recordings if one.take.intervals]


def sampled(
    recording: Recording, steps: Sequence[Happening], settings: Mapping[str, Any], seed: int
) -> SampledPoints:
    """The points of a recording by the settings of a set, where these are at events."""
    events = point_events(recording, EVENTS[settings["events"]])
    gap_s = WIDE_GAP_S if settings["points"] == WIDE else GAP_S
    length = length_s(recording, steps) or 0.0
    return sample_points(recording.uid, length, events, seed=seed, gap_s=gap_s)


def items_of_recording(
    material: Material,
    recording: Recording,
    steps: Sequence[Happening],
    settings: Mapping[str, Any],
    seed: int,
) -> Iterator[Item]:
    length, found = length_s(recording, steps) or 0.0, deviations(recording)
    points = _points(recording, steps, settings, seed)
    plan = [step.text for step in recording.take.steps]
    is_told = settings["plan"] in (CLEAN, ORACLE)
    if is_told and not {point.utterance for point in points}.isdisjoint(plan):
        raise ValueError(PLAN_TELLS.format(recording.uid))
    is_released = settings["points"] == AS_RELEASED
    asked = [one.text for one in recording.said if one.who is Speaker.USER and is_released]
    starts = sorted(step.start_s for step in steps if step.start_s is not None)
    # When the interrupt before each point was: what is known of the plan is as of then.
    updates = [0.0, *accumulate(
        (point.time_s if point.decision is Decision.INTERRUPT else 0.0 for point in points), max,
    )]  # fmt: skip
    spoken = [point for point in points if point.decision is Decision.INTERRUPT]
    before_s = -1.0
    for position, point in enumerate(points):
        now_s = point.time_s
        # What begins after the last moment of the grid belongs to that.
        until_s = now_s if position < len(points) - 1 else inf
        own = [one for one in found if before_s < milliseconds(one.onset_s) <= until_s]
        truth = _truth(point, own, steps)
        groups = {
            "reason": point.reasons[-1],
            "phase": third_of_recording(now_s, length, position, len(points)),
            **({"deviation": own[-1].kind.value} if truth["departure"] == DEVIATION else {}),
        }
        yield Item(
            key=f"{recording.key}@{now_s:.3f}",
            **material.origin(recording, groups),
            payload={
                # The released kit gives the person's first question.
                "goal": asked[0] if asked else recording.take.scenario,
                "now_s": now_s,
                **_told_of_plan(settings, plan, steps, updates[position]),
            },
            question=f"At {now_s:.1f} s: interrupt, or stay silent?",
            truth={
                **truth,
                **_plan_after(recording, steps, found, point, settings),
                "is_first_of_step": any(before_s < start_s <= now_s for start_s in starts),
                "is_grid": settings["points"] == EVERY,
                "read_out": _read_out(plan, length, before_s, now_s),
            },
            choices=(Decision.INTERRUPT.value, Decision.SILENT.value),
            start_s=max(0.0, now_s - CLIP_S),
            moment_s=now_s,
            sequence=recording.key,
            position=position,
            take=recording.take.uid,
            **(_right_history(spoken, now_s) if settings.get("history") == GOLD else {}),
        )
        before_s = now_s


def _points(
    recording: Recording, steps: Sequence[Happening], settings: Mapping[str, Any], seed: int
) -> Sequence[Point]:
    if settings["points"] == AS_RELEASED:
        said = [one for one in recording.said if one.who is Speaker.ASSISTANT]
        words = {one.start_s: one.text for one in said if one.start_s is not None}
        starts = {
            step.start_s: place
            for place, step in enumerate(recording.take.steps)
            if step.start_s is not None
        }
        return released_points(recording.take.intervals, words, starts)
    if settings["points"] != EVERY:
        return sampled(recording, steps, settings, seed).points
    events = point_events(recording, EVENTS[settings["events"]])
    return every_point(length_s(recording, steps) or 0.0, events)


def _right_history(spoken: Sequence[Point], now_s: float) -> dict[str, Any]:
    """What was right to say before a moment, and the clips that belong to it."""
    before = [point for point in spoken if point.time_s < now_s]
    clips = select_clips(now_s, [point.time_s for point in before])
    said = [{"time_s": point.time_s, "text": point.utterance} for point in before]
    return {"stretches": tuple(Stretch(*clip) for clip in clips), "told": {"history": said}}


def _told_of_plan(
    settings: Mapping[str, Any], plan: Sequence[str], steps: Sequence[Happening], update_s: float
) -> dict[str, Any]:
    if settings["plan"] == CLEAN:
        return {"plan": plan}
    return _state(steps, update_s) if settings["plan"] == ORACLE else {}


def _read_out(plan: Sequence[str], length_s: float, before_s: float, now_s: float) -> str:
    """The last step due since the point before, were the plan read out evenly; "" for none."""
    due = [
        step for place, step in enumerate(plan) if before_s < place / len(plan) * length_s <= now_s
    ]
    return due[-1] if due else ""


def _truth(point: Point, own: Sequence[Deviation], steps: Sequence[Happening]) -> dict[str, Any]:
    """What is right at a point; `own` are the deviations since the one before."""
    departure = next((name for name in (DEVIATION, DISTRACTION, FIX) if name in point.reasons), "")
    return {
        "answer": point.decision.value,
        "text": point.utterance,
        "reasons": list(point.reasons),
        "departure": departure,
        "is_opening": OPENING in point.reasons,
        "onsets_s": [one.onset_s for one in own],
        "mistake": done_at(steps, own) if departure == DEVIATION else "",
    }


def _plan_after(
    recording: Recording,
    steps: Sequence[Happening],
    found: Sequence[Deviation],
    point: Point,
    settings: Mapping[str, Any],
) -> dict[str, Any]:
    """The plan after an interrupt, to train on: of a set with the oracle's plan that one."""
    if point.decision is not Decision.INTERRUPT:
        return {}
    plan = clean_plan_at(recording, steps, found, point)
    if settings["plan"] == ORACLE:
        plan = _state(steps, point.time_s)
    return {"plan": {**plan, **cues_of_plan(plan)}}


def _state(steps: Sequence[Happening], update_s: float) -> dict[str, Any]:
    """The plan as it was done, as an assistant knows it since its last update."""
    completed = [one for one in steps if one.end_s is not None and one.end_s <= update_s]
    left = [one.row.text for one in steps if one not in completed]
    return {
        "completed": [one.row.text for one in completed],
        "current": left[:1],
        "next": left[1:],
    }
