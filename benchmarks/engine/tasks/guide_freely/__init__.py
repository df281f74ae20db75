"""Guide freely: an assistant speaks whenever it wants to, and what it says belongs to no item.

`guide` says when it decides; here whoever answers does, and gives seconds and words. A model is
asked in the same loop, every 0.5 s of the recording, and what it interrupts with is the answer.
Source: Plan, Watch, Recover (arXiv 2606.04970v1), whose own measures all are of points.
"""

from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, median
from types import MappingProxyType
from typing import Any

import numpy as np

from annotation.analytics.tables.table import Cell, Column, Row, RowGroup, Table
from benchmarks.engine.claims import Claim
from benchmarks.engine.guiding.clips import MOST_CLIPS
from benchmarks.engine.guiding.decisions import Decision
from benchmarks.engine.guiding.deviations import (
    ALL_EVENTS,
    DEVIATION,
    EVENTS,
    NONE_MARKED,
    Deviation,
    deviations,
    done_at,
    point_events,
)
from benchmarks.engine.guiding.loop import PLANNER, WATCHER, PlannerOutcome, Step, advance
from benchmarks.engine.guiding.loop_prompts import watcher_prompt
from benchmarks.engine.guiding.loop_state import LoopState, Moment
from benchmarks.engine.guiding.plan_state import CLEAN, NO_PLAN, PREDICTED
from benchmarks.engine.guiding.planner_table import planner_tables
from benchmarks.engine.guiding.points import STRIDE_S, Point, every_point, grid
from benchmarks.engine.happenings import (
    WITHOUT_TIMES,
    Happening,
    length_s,
    milliseconds,
    read_as_traces,
    with_times,
)
from benchmarks.engine.labelled_segments import errors_of
from benchmarks.engine.material import Material, Recording
from benchmarks.engine.measures.counts import cluster_names, summed
from benchmarks.engine.measures.free_running import (
    GRADE_WIDTH,
    WINDOWS,
    WITHIN,
    free_figures,
    free_grade_figures,
    free_grade_measures,
    free_measures,
    grade_sums,
)
from benchmarks.engine.measures.grades import judges_of
from benchmarks.engine.measures.guidance import (
    DIMENSIONS,
    FOR_PEOPLE,
    guidance_prompt,
    mean_of_dimensions,
    read_grades,
)
from benchmarks.engine.measures.ratios import ratio
from benchmarks.engine.measures.speaking import matched_events, onset_matches
from benchmarks.engine.prompts import numbered
from benchmarks.engine.task import (
    PLAIN,
    Answered,
    AnswerShape,
    Baseline,
    Conversation,
    Conversed,
    Earlier,
    Figure,
    Item,
    Measure,
    Prompt,
    Reading,
    Request,
    Response,
    Setting,
    Tally,
    Task,
    Turn,
    Value,
)

NO_TIMES = "no recording of {} has times for all its steps; they are watched from start to end"
NO_RECORDING = "{} has no recording"
OF_MOMENTS = f"a model is asked every {STRIDE_S:g} s and not once for the recording"
HISTORY = "Whoever answers decides when to speak; models are told what they have said themselves."
THEIR_WINDOWS = "ProAssist's windows are those of its evaluator."
CONSTANT_S = 10.0
(MATCHED, DUE, SPOKEN, DUE_OF_ALL, REPEATED, MINUTES, ONSETS_HIT, ONSETS_ASKED, ONSETS, UNREAD,
 ASKED, GRADES) = range(12)  # fmt: skip


class GuideFreely(Task):
    """What is said in a recording, and when."""

    name = "guide_freely"
    title = "Watch and speak whenever it is time"
    description = (
        "For every recording: when does the assistant speak, and what does it say? The moments are"
        " its own."
    )
    version = 2
    changes = MappingProxyType({2: "judges are told what is done wrongly where something is"})
    shape = AnswerShape.SPEECH
    most_stretches = MOST_CLIPS
    settings = (
        Setting("plan", "Plan that participants get", CLEAN, (NO_PLAN, PREDICTED, CLEAN)),
        Setting("events", "What calls for words", ALL_EVENTS, tuple(EVENTS)),
    )
    measures = (
        *free_measures(),
        *free_grade_measures(),
        Measure("onset_recall", "Onsets spoken at", note=WITHIN),
        Measure("onset_recall_of_all", "Onsets spoken at, of all", note=WITHIN),
        Measure("repeated", "Repeats", best=None, note="Of what is said, what was said before."),
        Measure("per_minute", "Interrupts a minute", best=None, most=np.inf, decimals=1),
        Measure(
            "undecided", "Moments without a decision", best=None,
            note="Of those at which a model was asked.",
        ),
    )  # fmt: skip

    people_rubric = FOR_PEOPLE

    def claim(self, start_s: float, end_s: float, label: str, score: float | None) -> Claim:
        return Claim(start_s, end_s, label, "correction", score)

    def items(self, material: Material, settings: Mapping[str, Any], seed: int) -> Iterable[Item]:
        if not material.recordings:
            raise ValueError(NO_RECORDING.format(material.name))
        found = with_times(read_as_traces(material))
        if not found:
            raise ValueError(NO_TIMES.format(material.name))
        return [_item_of(material, recording, done, settings) for recording, done in found]

    def left_out(self, material: Material, settings: Mapping[str, Any]) -> Mapping[str, int]:
        recordings = read_as_traces(material)
        missing = len(recordings) - len(with_times(recordings))
        return {WITHOUT_TIMES: missing} if missing else {}

    def roles(self, settings: Mapping[str, Any]) -> Mapping[str, str]:
        return {PLANNER: "Planner"} if settings["plan"] == PREDICTED else {}

    def request_count(self, item: Item) -> int:
        return len(grid(item.payload["duration_s"]))

    def prompt(self, item: Item, earlier: Sequence[Earlier], turn: Turn = PLAIN) -> Prompt:
        """What the participant is asked at the opening, and what is priced."""
        return watcher_prompt(_moment(item, 0.0, {}), LoopState(), ())

    def converse(
        self, item: Item, state: Mapping[str, Any], settings: Mapping[str, Any]
    ) -> Conversation:
        """Watch the recording from its start to its end; a killed worker's replies are recorded."""
        watched = LoopState()
        said: list[dict[str, Any]] = []
        planner: Counter[str] = Counter()
        faults: list[str] = []
        moments = grid(item.payload["duration_s"])
        for moment in moments:
            now_s = moment / 1000
            step = yield from _watched(watched, _moment(item, now_s, settings))
            if isinstance(step, str):
                return Conversed(None, step, {})
            watched = step.state
            if step.planner is not PlannerOutcome.NOT_ASKED:
                planner[step.planner.value] += 1
            if step.value is None:
                faults.append(f"{now_s:g} s: {step.reason}")
            elif step.value["answer"] == Decision.INTERRUPT:
                said.append({"time_s": now_s, "text": step.value["text"]})
        reason = ""
        if faults:
            reason = f"{len(faults)} of {len(moments)} moments without a decision, at {faults[0]}"
        if len(faults) == len(moments):
            return Conversed(None, reason, {})
        counts = {"asked_count": len(moments), "undecided_count": len(faults)}
        planned = {"planner": dict(planner)} if planner else {}
        return Conversed({"said": said, **counts, **planned}, reason, {})

    def read(self, item: Item, text: str) -> Reading:
        return Reading(None, OF_MOMENTS)

    def tally(self, items: Sequence[Item], answers: Sequence[Answered]) -> Tally:
        names, places = cluster_names(items)
        judges = judges_of(answers)
        rows = np.array(
            [_sums(*pair, judges) for pair in zip(items, answers, strict=True)], dtype=float
        )
        columns = (MATCHED, DUE, SPOKEN, DUE_OF_ALL)
        figures = {
            **free_figures(*columns), **free_grade_figures(*columns, GRADES), **_shares(),
        }  # fmt: skip
        return Tally(names, summed(rows, places, len(names)), figures)

    def baselines(self, items: Sequence[Item], rng: np.random.Generator) -> Sequence[Baseline]:
        every, drawn, read_out = [], [], []
        for item in items:
            length, plan = item.payload["duration_s"], item.truth["plan"]
            moments = np.arange(0, length, CONSTANT_S).tolist()
            every.append(_said((moment, "Go on.") for moment in moments))
            count = len(item.truth["said"])
            chosen = rng.choice(grid(length), count, replace=False) / 1000
            drawn.append(_said((moment, "Go on.") for moment in sorted(chosen.tolist())))
            due = [milliseconds(place / len(plan) * length) for place in range(len(plan))]
            read_out.append(_said(zip(due, plan, strict=True)))
        return (
            Baseline("Never speaks", [_said(())] * len(items)),
            Baseline(f"Speaks every {CONSTANT_S:g} s", every),
            Baseline("Speaks at random, as often as it should", drawn),
            Baseline("Reads the clean plan out, evenly over the recording", read_out),
        )

    def details(
        self, items: Sequence[Item], answers: Sequence[Answered], about: Mapping[str, Any]
    ) -> Sequence[Table]:
        outcomes: Counter[str] = Counter()
        for answer in answers:
            outcomes.update((answer.value or {}).get("planner", {}))
        return (_windows(items, answers), *planner_tables(outcomes))

    def warnings(self, settings: Mapping[str, Any]) -> Sequence[str]:
        return (HISTORY,)

    def judge_prompts(self, item: Item, value: Value) -> Sequence[Prompt]:
        """As in `guide`, of each matched text that the right words are known of."""
        return [
            guidance_prompt(item.payload["goal"], one.right, one.text, one.mistake)
            for one in _matched(item, value)
        ]

    def read_judgement(self, text: str) -> Reading:
        return read_grades(text)

    def joined_judgement(
        self, item: Item, value: Value, judgements: Sequence[Value | None]
    ) -> Value | None:
        """The grades by the second of the text, with their means, which anybody may read."""
        graded = [
            {"time_s": one.time_s, **judgement}
            for one, judgement in zip(_matched(item, value), judgements, strict=True)
            if judgement is not None
        ]
        if not graded:
            return None
        means = {key: fmean(one[key] for one in graded) for key in DIMENSIONS}
        return {**means, "grades": graded}

    def saying(self, item: Item, text: str) -> Value:
        return _said((one["time_s"], text) for one in item.truth["said"])

    def graded_part(self, item: Item, value: Value) -> tuple[Value, Value]:
        matched = _matched(item, value)
        right = _said((one.due_s, one.right) for one in matched)
        return right, _said((one.time_s, one.text) for one in matched)

    def is_gradable(self, item: Item, value: Value) -> bool:
        return bool(_matched(item, value))

    def judge_grade(self, judgement: Mapping[str, Any]) -> float | None:
        return mean_of_dimensions(judgement)


def _item_of(
    material: Material,
    recording: Recording,
    steps: Sequence[Happening],
    settings: Mapping[str, Any],
) -> Item:
    whole = recording.whole(length_s(recording, steps) or 0.0)
    plan = [step.text for step in recording.take.steps]
    points = every_point(whole["duration_s"], point_events(recording, EVENTS[settings["events"]]))
    due = [point for point in points if point.decision is Decision.INTERRUPT]
    found = deviations(recording)
    return Item(
        key=recording.key,
        **material.origin(recording, {"errors": errors_of(recording)}),
        payload={**whole, **({"plan": plan} if settings["plan"] == CLEAN else {})},
        question="When do you speak, and what do you say?",
        truth={
            "said": [{"time_s": point.time_s, "text": point.utterance} for point in due],
            "reasons": [list(point.reasons) for point in due],
            "mistakes": [_mistake_at(point, steps, found) for point in due],
            "onsets_s": [one.onset_s for one in found],
            "plan": plan,
        },
        start_s=0.0,
        moment_s=whole["duration_s"],
        take=recording.take.uid,
    )


def _mistake_at(point: Point, steps: Sequence[Happening], found: Sequence[Deviation]) -> str:
    """What is done wrongly at a moment of the grid, to which what began since the last belongs."""
    if DEVIATION not in point.reasons:
        return ""
    return done_at(steps, [one for one in found if milliseconds(one.onset_s) <= point.time_s])


def _moment(item: Item, now_s: float, settings: Mapping[str, Any]) -> Moment:
    plan = item.payload.get("plan")
    told = "" if plan is None else f"The plan:\n{numbered(plan)}"
    return Moment(now_s, item.payload["goal"], told, settings.get("plan") == PREDICTED)


def _watched(state: LoopState, moment: Moment) -> Generator[Request, Response, Step | str]:
    """What the loop did at a moment, or why nobody watches: then the recording is asked again."""
    talk = advance(state, moment)
    try:
        request = next(talk)
        while True:
            response = yield replace(request, until_s=moment.now_s)
            if response.has_failed and request.role == WATCHER:
                return response.reason
            request = talk.send(response)
    except StopIteration as end:
        step: Step = end.value
        return step


def _said(pairs: Iterable[tuple[float, str]]) -> dict[str, Any]:
    return {"said": [{"time_s": time_s, "text": text} for time_s, text in pairs]}


@dataclass(frozen=True, slots=True)
class Matched:
    """A text with the right words, due at `due_s`, that it is matched with."""

    time_s: float
    text: str
    due_s: float
    right: str
    mistake: str


def _matched(item: Item, value: Value) -> list[Matched]:
    """What judges grade of an answer, by time: nothing where no words are known to be right."""
    pairs = matched_events(_moments(item.truth), _moments(value)).match.pairs
    # Of texts at one moment, which count once, the first.
    said = {milliseconds(one["time_s"]): one for one in reversed(value["said"])}
    right = item.truth["said"]
    # Sets that were made by version 1 do not have them.
    mistakes = item.truth.get("mistakes", [""] * len(right))
    due = {
        milliseconds(one["time_s"]): (one["text"], mistake)
        for one, mistake in zip(right, mistakes, strict=True)
    }
    found = (
        Matched(said[at]["time_s"], said[at]["text"], due_s, *due[due_s]) for due_s, at in pairs
    )
    return [one for one in found if one.right and one.text.strip()]


def _moments(value: Value) -> list[float]:
    return [one["time_s"] for one in value["said"]]


def _sums(item: Item, answer: Answered, judges: Sequence[str]) -> tuple[float, ...]:
    """The columns of a recording; of an answer that was not read only what was to be said."""
    due, onsets = _moments(item.truth), item.truth["onsets_s"]
    if answer.value is None:
        return (0, 0, 0, len(due), 0, 0, 0, 0, len(onsets), 0, 0, *[0] * GRADE_WIDTH)
    said = _moments(answer.value)
    plain = [" ".join(one["text"].casefold().split()) for one in answer.value["said"]]
    repeated = len(plain) - len(set(plain)) if any(plain) else 0
    return (
        len(matched_events(due, said).match.pairs), len(due), len(said), len(due), repeated,
        item.payload["duration_s"] / 60, len(onset_matches(onsets, said).pairs), len(onsets),
        len(onsets), answer.value.get("undecided_count", 0), answer.value.get("asked_count", 0),
        *grade_sums(_judged(answer), judges),
    )  # fmt: skip


def _judged(answer: Answered) -> list[dict[str, Value]]:
    """The judgements by judge of each text that has one, by time."""
    found: dict[float, dict[str, Value]] = {}
    for judge, value in answer.judged.items():
        for one in value["grades"]:
            found.setdefault(one["time_s"], {})[judge] = one
    return [found[time_s] for time_s in sorted(found)]


def _shares() -> dict[str, Figure]:
    def share(above: int, below: int) -> Figure:
        return lambda sums: ratio(sums[:, above], sums[:, below])

    return {
        "onset_recall": share(ONSETS_HIT, ONSETS_ASKED),
        "onset_recall_of_all": share(ONSETS_HIT, ONSETS),
        "repeated": share(REPEATED, SPOKEN),
        "per_minute": share(SPOKEN, MINUTES),
        "undecided": share(UNREAD, ASKED),
    }


def _windows(items: Sequence[Item], answers: Sequence[Answered]) -> Table:
    """How it does by how far from what calls for words they count; the rows are `WINDOWS`."""
    pairs = [
        (_moments(item.truth), _moments(answer.value))
        for item, answer in zip(items, answers, strict=True)
        if answer.value is not None
    ]
    rows = tuple(Row(Cell(name), cells, is_compared=False) for name, cells in _by_window(pairs))
    columns = (
        Column("precision", "Precision", 3), Column("recall", "Recall", 3), Column("f1", "F1", 3),
        Column("missing", "Missing"), Column("redundant", "Redundant"),
        Column("lag", "Median lag (s)", 2),
    )  # fmt: skip
    has_onsets = any(item.truth["onsets_s"] for item in items)
    notes = [THEIR_WINDOWS, *([] if has_onsets else [NONE_MARKED])]
    groups = (RowGroup("", rows),)
    return Table("windows", "Words on the clock", "Window", columns, groups, tuple(notes))


def _by_window(
    pairs: Sequence[tuple[list[float], list[float]]],
) -> Iterator[tuple[str, dict[str, Cell]]]:
    for name, before_s, after_s in WINDOWS:
        found = [matched_events(*pair, before_s=before_s, after_s=after_s) for pair in pairs]
        lags = [said - due for one in found for due, said in one.match.pairs]
        missing, redundant = (
            sum(counts) for counts in ((one.missing for one in found),
                                       (one.redundant for one in found))
        )  # fmt: skip
        hits = len(lags)
        shares = {
            "precision": (hits, hits + redundant),
            "recall": (hits, hits + missing),
            "f1": (2 * hits, 2 * hits + missing + redundant),
        }
        yield (
            f"{name}: {before_s:g} s before, {after_s:g} s after",
            {
                **{key: Cell(above / below if below else None) for key, (above, below) in
                   shares.items()},
                "missing": Cell(missing),
                "redundant": Cell(redundant),
                "lag": Cell(median(lags) if lags else None),
            },
        )  # fmt: skip


TASK = GuideFreely()
