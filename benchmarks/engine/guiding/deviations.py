"""Where what was done leaves the plan, exactly: kind, onset and fix, and what to say about it.

The *clean plan* is the procedure without mistakes. It is a fair plan to give to an assistant. That
of the paper is not: it holds the scripted mistake, so its right answer at one tells the person to
make it. What a step is called is the procedure's words, never the row's own.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from math import inf

from annotation.engine.taxonomy import ErrorType, EventKind, Mod, Speaker
from benchmarks.engine.guiding.points import OPENING, PointEvent
from benchmarks.engine.happenings import Happening, NoticedMistake, happenings, noticed_mistakes
from benchmarks.engine.material import Recording

NEXT_STEP, DEVIATION, DISTRACTION, FIX = "next step", "deviation", "distraction", "fix"
# What may call for words, by the name of the choice.
ALL_EVENTS = "next steps, deviations and fixes"
EVENTS = {
    ALL_EVENTS: (NEXT_STEP, DEVIATION, FIX),
    "next steps alone": (NEXT_STEP,),
    "deviations and fixes alone": (DEVIATION, FIX),
    "next steps, deviations, distractions and fixes": (NEXT_STEP, DEVIATION, DISTRACTION, FIX),
    "deviations, distractions and fixes alone": (DEVIATION, DISTRACTION, FIX),
}
NONE_MARKED = "No deviation is marked in this data, so there is no figure of deviations."


class DeviationKind(StrEnum):
    """How a person departs from the plan."""

    OMISSION = "omission"
    ORDER = "order"
    SUBSTITUTION = "substitution"
    TECHNIQUE = "technique"
    ADDITION = "addition"
    UNTYPED = "not typed"


KINDS_OF_TYPES: dict[str, DeviationKind] = {
    ErrorType.DELETION: DeviationKind.OMISSION,
    ErrorType.TRANSPOSITION: DeviationKind.ORDER,
    ErrorType.SUBSTITUTION: DeviationKind.SUBSTITUTION,
    ErrorType.WRONG_EXECUTION: DeviationKind.TECHNIQUE,
    ErrorType.INSERTION: DeviationKind.ADDITION,
}
KINDS_OF_MODS = {
    Mod.DELETION: DeviationKind.OMISSION,
    Mod.MOVED_SOURCE: DeviationKind.ORDER,
    Mod.MOVED_TARGET: DeviationKind.ORDER,
    Mod.INSERTION: DeviationKind.ADDITION,
}
WORDS = {
    DeviationKind.OMISSION: "You have left out a step. Do it before you go on: {step}",
    DeviationKind.ORDER: "This is not the step to do now. First do this one: {step}",
    DeviationKind.SUBSTITUTION: "This is not what the step asks for. Do it as planned: {step}",
    DeviationKind.TECHNIQUE: "The step is not done that way. Do it as planned: {step}",
    DeviationKind.ADDITION: "This is no part of the plan. Leave it, and go on: {step}",
    DeviationKind.UNTYPED: "Something is wrong with this step. Do it as planned: {step}",
}
STOP = "This is not as planned. Stop and look at the plan."
FIX_WORDS, FIX_WITHOUT_STEP = "Put this right before you go on: {step}", "Put this right."
BACK_WORDS, BACK_WITHOUT_STEP = "Leave that for now, and go on: {step}", "Leave that for now."
NEXT_WORDS, OPENING_WORDS = "Next: {step}", "Begin with this: {step}"


@dataclass(frozen=True, slots=True)
class Deviation:
    """A mistake with its onset and, if it was put right, its fix, in seconds.

    `step` is what the clean plan asks for instead, "" where it says nothing, and `place` where it
    stands there.
    """

    event_id: str
    kind: DeviationKind
    onset_s: float
    seen_s: float
    step: str
    fix_start_s: float | None = None
    fix_end_s: float | None = None
    place: int | None = None


def deviations(recording: Recording) -> tuple[Deviation, ...]:
    """The mistakes of a timed recording, by their onset.

    Times are those of its rows, which are exact where the recording was generated. In others the
    onsets that people marked count, where there are any, also where no mistake is marked.
    """
    assert recording.trace is not None
    steps = happenings(recording)
    fixes: dict[str, list[Happening]] = {}
    for step in steps:
        if (
            step.event is not None
            and step.event.kind is EventKind.CORRECTION
            and step.is_correction
        ):
            fixes.setdefault(step.event.target_event_id or "", []).append(step)
    found = []
    for mistake in noticed_mistakes(recording):
        own = fixes.get(mistake.event.event_id, [])
        place = _planned(recording, mistake, steps)
        found.append(
            Deviation(
                mistake.event.event_id,
                _kind(recording, mistake),
                mistake.onset_s,
                mistake.seen_s,
                "" if place is None else recording.take.steps[place].text,
                min((step.start_s for step in own if step.start_s is not None), default=None),
                max((step.end_s for step in own if step.end_s is not None), default=None),
                place,
            )
        )
    if recording.onsets and not recording.generator:
        found = _with_onsets(found, recording)
    return tuple(sorted(found, key=lambda one: (one.onset_s, one.event_id)))


def _with_onsets(found: Sequence[Deviation], recording: Recording) -> list[Deviation]:
    """Deviations with the onsets that people marked; what nothing else marks is not typed.

    An onset is that of the nearest mistake at its step; each mistake has one at most.
    """
    left = dict(enumerate(found))
    moved = []
    for onset in recording.onsets or ():
        place, step = next(
            (
                (place, step.text)
                for place, step in enumerate(recording.take.steps)
                if onset.step_id == (step.step_id or str(place))
            ),
            (None, ""),
        )
        same = [number for number, one in left.items() if one.place == place]
        nearest = min(same, key=lambda number: abs(left[number].onset_s - onset.time_s), default=-1)
        if nearest in left:
            own = left.pop(nearest)
            seen_s = max(own.seen_s, onset.time_s)
            moved.append(replace(own, onset_s=onset.time_s, seen_s=seen_s))
        else:
            name, kind = f"onset at {onset.time_s:.3f} s", DeviationKind.UNTYPED
            moved.append(Deviation(name, kind, onset.time_s, onset.time_s, step, place=place))
    return [*left.values(), *moved]


def done_at(steps: Sequence[Happening], found: Sequence[Deviation]) -> str:
    """What the person does at the last of some deviations, in the row's own words; "" if nothing.

    Of a step that was left out nothing is done: what comes in its place is no mistake.
    """
    events = {one.event_id for one in found[-1:]}
    texts = [one.row.text for one in steps if one.is_mistake and one.row.event_id in events]
    return texts[0] if texts else ""


def point_events(
    recording: Recording, reasons: Sequence[str] = (NEXT_STEP, DEVIATION, FIX)
) -> list[PointEvent]:
    """When an assistant with the clean plan should speak, and what it should say, by time.

    The opening is always there. A step that ends announces the next one of the clean plan that is
    neither done nor known to be left out, where another step follows at all. A distraction is what
    the person says for that reason; it leads back to the step that is to be done then.
    """
    plan = [step.text for step in recording.take.steps]
    opening = OPENING_WORDS.format(step=plan[0]) if plan else ""
    events = [PointEvent(0.0, OPENING, opening, 0 if plan else None)]
    found = deviations(recording)
    if NEXT_STEP in reasons:
        events += _announcements(recording, plan, found)
    if DEVIATION in reasons:
        events += [
            PointEvent(
                one.onset_s,
                DEVIATION,
                WORDS[one.kind].format(step=one.step) if one.step else STOP,
                one.place,
            )
            for one in found
        ]
    if DISTRACTION in reasons:
        events += _ways_back(recording, plan, found)
    if FIX in reasons:
        events += [
            PointEvent(
                one.fix_start_s,
                FIX,
                FIX_WORDS.format(step=one.step) if one.step else FIX_WITHOUT_STEP,
                one.place,
            )
            for one in found
            if one.fix_start_s is not None
        ]
    # Of events at one time the last gives the words: what is wrong comes before what is next.
    order = (OPENING, NEXT_STEP, DISTRACTION, FIX, DEVIATION)
    return sorted(events, key=lambda event: (event.time_s, order.index(event.reason)))


def _announcements(
    recording: Recording, plan: Sequence[str], found: Sequence[Deviation]
) -> list[PointEvent]:
    left_out = places_left_out(recording, found)
    pending = [place for place in range(len(plan)) if left_out.get(place, inf) > -inf]
    events = []
    steps = [step for step in happenings(recording) if step.end_s is not None]
    for step in steps[:-1]:
        assert step.end_s is not None
        if step.row.reference_index in pending:
            pending.remove(step.row.reference_index)
        ahead = [place for place in pending if left_out.get(place, inf) >= step.end_s]
        if ahead:
            words = NEXT_WORDS.format(step=plan[ahead[0]])
            events.append(PointEvent(step.end_s, NEXT_STEP, words, ahead[0]))
    return events


def _ways_back(
    recording: Recording, plan: Sequence[str], found: Sequence[Deviation]
) -> list[PointEvent]:
    left_out, steps = places_left_out(recording, found), happenings(recording)
    events = []
    for one in recording.said:
        time_s, is_distraction = one.start_s, one.reason.strip().casefold() == DISTRACTION
        if one.who is not Speaker.USER or not is_distraction or time_s is None:
            continue
        done = {
            step.row.reference_index
            for step in steps
            if step.end_s is not None and step.end_s <= time_s
        }
        ahead = [
            place
            for place in range(len(plan))
            if place not in done and left_out.get(place, inf) >= time_s
        ]
        words = BACK_WORDS.format(step=plan[ahead[0]]) if ahead else BACK_WITHOUT_STEP
        events.append(PointEvent(time_s, DISTRACTION, words, ahead[0] if ahead else None))
    return events


def places_left_out(recording: Recording, found: Sequence[Deviation]) -> dict[int, float]:
    """From when on it is known of a step of the clean plan that it was left out, in seconds.

    Before that an assistant would announce it. A step whose absence is marked as no mistake is not
    expected at any time.
    """
    assert recording.trace is not None
    onsets = {one.event_id: one.onset_s for one in found}
    return {
        row.reference_index: onsets.get(row.event_id or "", -inf)
        for row in recording.trace.steps
        if row.mod is Mod.DELETION and row.reference_index is not None
    }


def _kind(recording: Recording, mistake: NoticedMistake) -> DeviationKind:
    assert recording.trace is not None
    kind = mistake.event.proposed_type
    if kind is not None and str(kind) in KINDS_OF_TYPES:
        return KINDS_OF_TYPES[str(kind)]
    mods = [row.mod for row in recording.trace.steps if row.event_id == mistake.event.event_id]
    return next((KINDS_OF_MODS[mod] for mod in mods if mod in KINDS_OF_MODS), DeviationKind.UNTYPED)


def _planned(
    recording: Recording, mistake: NoticedMistake, steps: Sequence[Happening]
) -> int | None:
    """Where the clean plan has what it asks for at a mistake: its step, or the one after it."""
    assert recording.trace is not None
    places = [
        row.reference_index
        for row in recording.trace.steps
        if row.event_id == mistake.event.event_id and row.reference_index is not None
    ]
    if places:
        return min(places)
    done = {
        step.row.reference_index
        for step in steps
        if step.end_s is not None and step.end_s <= mistake.onset_s
    }
    return next((place for place in range(len(recording.take.steps)) if place not in done), None)
