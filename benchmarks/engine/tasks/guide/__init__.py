"""Guide: an assistant watches live, speaks at the right moments and says what to do next.

Every other assistant of the benchmarks speaks about mistakes alone; this one also announces steps.
What is right to say is written by templates from the clean plan, the procedure without mistakes.
Source: Plan, Watch, Recover (arXiv 2606.04970v1).
"""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from annotation.analytics.tables.table import Table
from benchmarks.engine.claims import Claim
from benchmarks.engine.guiding.clips import MOST_CLIPS
from benchmarks.engine.guiding.decisions import Decision, read_decision
from benchmarks.engine.guiding.deviations import ALL_EVENTS, EVENTS
from benchmarks.engine.guiding.loop import PLANNER, PlannerOutcome, advance
from benchmarks.engine.guiding.loop_prompts import state_words, watcher_prompt
from benchmarks.engine.guiding.loop_state import LoopState, Moment, Speaker, Spoken
from benchmarks.engine.guiding.plan_state import CLEAN, NO_PLAN, PREDICTED
from benchmarks.engine.happenings import WITHOUT_TIMES, read_as_traces
from benchmarks.engine.material import Material
from benchmarks.engine.measures.counts import cluster_names
from benchmarks.engine.measures.guidance import (
    FOR_PEOPLE,
    guidance_prompt,
    mean_of_dimensions,
    read_grades,
)
from benchmarks.engine.measures.guiding import GUIDING_MEASURES
from benchmarks.engine.prompts import numbered
from benchmarks.engine.published.rows import published_rows
from benchmarks.engine.score_thresholds import score_curve, score_tables
from benchmarks.engine.task import (
    PLAIN,
    Answered,
    AnswerShape,
    Baseline,
    Conversation,
    Conversed,
    Curve,
    Earlier,
    Item,
    Prompt,
    PublishedRow,
    Reading,
    ReferenceRequest,
    ReferenceText,
    Setting,
    Tally,
    Task,
    Turn,
)
from benchmarks.engine.tasks.guide.details import details
from benchmarks.engine.tasks.guide.items import (
    AS_RELEASED,
    EVERY,
    GOLD,
    NARROW,
    ORACLE,
    OWN,
    WIDE,
    asked_recordings,
    items_of_recording,
    sampled,
)
from benchmarks.engine.tasks.guide.reference_prompts import reference_requests
from benchmarks.engine.tasks.guide.references import reference_texts, with_references
from benchmarks.engine.tasks.guide.tallying import CLOCK_MEASURES, figures, sums_of
from benchmarks.engine.tasks.guide.training import FILES, training_examples
from benchmarks.engine.training_files import TrainingExample, TrainingOptions

NO_TIMES = "no recording of {} has times for all its steps; they are asked about moment by moment"
NO_RECORDING = "{} has no recording"
NO_INTERVALS = (
    "no recording of {} has the intervals at which its makers ask; expected those that an"
    " EgoProactive file has"
)
WITHOUT_INTERVALS = "recordings without the intervals of a released file"
NO_ROOM = "silent points that every moment is too near to an interrupt for"
MERGED = "events at the moment of another"
ORACLE_TELLS = (
    "The plan as it was done holds the mistakes, as the paper's oracle does: that there is one can"
    " be read from it. Compare with the clean plan."
)
OTHER_DATA = "other recordings, points and judges"
# What the reference of the paper and its released kit ask to know first.
TO_KNOW = (
    "The challenge's scorer joins rows by their place and does not score missing answers; here they"
    " are joined by recording, and the official reading stands beside ours.",
    "What Tables 2 and 6 of the paper print as PQS is the content score outside of EgoProactive"
    " and PQS of departures for it; here each has its own column.",
    "The released dialogue of a later point is longer exactly after an interrupt: only what was"
    " said before a point is told there.",
    "The paper's right words at a scripted mistake tell the person to make it; here they come from"
    " the procedure without mistakes.",
    "Silent points keep 3 s or 5 s from interrupts, by which appendix one reads; the released rows"
    " keep neither.",
    "Models of the paper's Tables 13 to 18 and 28 are labelled otherwise than in Table 2; the rows"
    " here have the labels of Table 2.",
)
HISTORY = "Participants are told what they have said themselves (own history)."
GOLD_HISTORY = (
    "Models are told what was right to say before each point (gold history); it is in no file, and"
    " whoever answers by a file or in person has their own history, which is said of them."
)


class Guide(Task):
    """A decision, and words, at every point of a recording."""

    name = "guide"
    title = "Watch and say what to do next"
    description = (
        "Asked point by point: does the assistant speak now, and does it say what to do next, or"
        " how to put something right?"
    )
    version = 4
    changes = MappingProxyType(
        {
            2: "a step that will be left out is announced like any other until its absence shows",
            3: "the plan after an interrupt has the cues of its step",
            4: "onsets that people marked in a round of the scheme onset count",
        }
    )
    shape = AnswerShape.STREAM
    most_stretches = MOST_CLIPS
    settings = (
        Setting("points", "Points", NARROW, (NARROW, WIDE, AS_RELEASED, EVERY)),
        Setting("plan", "Plan that participants get", CLEAN, (NO_PLAN, PREDICTED, CLEAN, ORACLE)),
        Setting("history", "What models are told was said", OWN, (OWN, GOLD)),
        Setting("events", "What calls for an interrupt", ALL_EVENTS, tuple(EVENTS)),
    )
    measures = (*GUIDING_MEASURES, *CLOCK_MEASURES)
    training_files = FILES
    to_know = TO_KNOW
    people_rubric = FOR_PEOPLE

    def claim(self, start_s: float, end_s: float, label: str, score: float | None) -> Claim:
        kind = "correction" if label == Decision.INTERRUPT else ""
        return Claim(start_s, end_s, label, kind, score)

    def items(self, material: Material, settings: Mapping[str, Any], seed: int) -> Iterable[Item]:
        asked = asked_recordings(material, settings)
        if not asked:
            if not material.recordings:
                raise ValueError(NO_RECORDING.format(material.name))
            is_released = settings["points"] == AS_RELEASED
            missing = NO_INTERVALS if is_released else NO_TIMES
            raise ValueError(missing.format(material.name))
        for recording, done in asked:
            yield from items_of_recording(material, recording, done, settings, seed)

    def left_out(self, material: Material, settings: Mapping[str, Any]) -> Mapping[str, int]:
        asked = asked_recordings(material, settings)
        is_released = settings["points"] == AS_RELEASED
        missing = WITHOUT_INTERVALS if is_released else WITHOUT_TIMES
        counts = {missing: len(read_as_traces(material)) - len(asked)}
        if settings["points"] in (NARROW, WIDE):
            # How many are missing does not depend on which are drawn.
            found = [sampled(recording, done, settings, 0) for recording, done in asked]
            counts[NO_ROOM] = sum(one.short_by for one in found)
            counts[MERGED] = sum(one.merged_events for one in found)
        return {reason: count for reason, count in counts.items() if count}

    def roles(self, settings: Mapping[str, Any]) -> Mapping[str, str]:
        return {PLANNER: "Planner"} if settings["plan"] == PREDICTED else {}

    def prompt(self, item: Item, earlier: Sequence[Earlier], turn: Turn = PLAIN) -> Prompt:
        """What the participant is asked where there is no planner, and what is priced."""
        spoken = tuple(
            Spoken(moment.item.payload["now_s"], Speaker.ASSISTANT, moment.value["text"])
            for moment in earlier
            if moment.value is not None and moment.value["answer"] == Decision.INTERRUPT
        )
        return watcher_prompt(_moment(item, {}), LoopState(), spoken)

    def converse(
        self, item: Item, state: Mapping[str, Any], settings: Mapping[str, Any]
    ) -> Conversation:
        step = yield from advance(LoopState.from_dict(state), _moment(item, settings))
        value = step.value
        if value is not None and step.planner is not PlannerOutcome.NOT_ASKED:
            value = {**value, "planner": step.planner.value}
        if value is not None and step.lag_s:
            value = {**value, "lag_s": step.lag_s, "is_late": step.is_late}
        return Conversed(value, step.reason or step.planner_reason, step.state.to_dict())

    def read(self, item: Item, text: str) -> Reading:
        return read_decision(text)

    def check(self, item: Item, value: Mapping[str, Any]) -> str:
        if value["answer"] == Decision.SILENT and value.get("text"):
            return f"text is {value['text']!r}; expected none where the answer is silent"
        return ""

    def tally(self, items: Sequence[Item], answers: Sequence[Answered]) -> Tally:
        names, places = cluster_names(items)
        return Tally(names, sums_of(items, answers, places, len(names)), figures())

    def baselines(self, items: Sequence[Item], rng: np.random.Generator) -> Sequence[Baseline]:
        should = [item.truth["answer"] == Decision.INTERRUPT for item in items]
        share = sum(should) / len(items)
        drawn = (rng.random(len(items)) < share).tolist()
        read_out = [item.truth["read_out"] for item in items]
        return (
            Baseline("Always silent", [_said(False)] * len(items)),
            Baseline("Always interrupts", [_said(True)] * len(items)),
            Baseline(f"At random, interrupts in {share:.0%}", list(map(_said, drawn))),
            Baseline(
                "Interrupts at the first point of each step",
                [_said(bool(item.truth["is_first_of_step"])) for item in items],
            ),
            Baseline(
                "Reads the clean plan out, evenly over the recording",
                [_said(bool(text), text) for text in read_out],
            ),
        )

    def details(
        self, items: Sequence[Item], answers: Sequence[Answered], about: Mapping[str, Any]
    ) -> Sequence[Table]:
        tables = score_tables(items, answers, Decision.INTERRUPT.value)
        return (*details(items, answers), *tables)

    def curve(self, items: Sequence[Item], answers: Sequence[Answered]) -> Curve | None:
        return score_curve(items, answers, Decision.INTERRUPT.value)

    def training_examples(
        self, file: str, items: Sequence[Item], options: TrainingOptions, seed: int
    ) -> Iterable[TrainingExample]:
        return training_examples(file, items, options, seed)

    def reference_texts(self, item: Item, key: str) -> Iterable[ReferenceText]:
        return reference_texts(item, key)

    def reference_requests(self, item: Item, key: str) -> Iterable[ReferenceRequest]:
        return reference_requests(item, key)

    def with_references(self, item: Item, key: str, words: Mapping[str, str]) -> Mapping[str, Any]:
        return with_references(item, key, words)

    def told_with(self, item: Item, right: Mapping[float, Mapping[str, Any]]) -> Mapping[str, Any]:
        if "history" not in item.told:
            return item.told
        said = [{**one, "text": right[one["time_s"]]["text"]} for one in item.told["history"]]
        return {**item.told, "history": said}

    def published(self, settings: Mapping[str, Any]) -> Sequence[PublishedRow]:
        return published_rows(__file__, OTHER_DATA, whole=1)

    def warnings(self, settings: Mapping[str, Any]) -> Sequence[str]:
        tells = (ORACLE_TELLS,) if settings.get("plan") == ORACLE else ()
        history = GOLD_HISTORY if settings.get("history") == GOLD else HISTORY
        return (history, *tells)

    def judge_prompt(self, item: Item, value: Mapping[str, Any]) -> Prompt | None:
        """Only right interrupts are graded; the judge sees the right words, and no pictures."""
        is_hit = value["answer"] == item.truth["answer"] == Decision.INTERRUPT
        if not is_hit or not value.get("text") or not item.truth["text"]:
            return None
        return guidance_prompt(
            item.payload["goal"], item.truth["text"], value["text"], item.truth["mistake"]
        )

    def saying(self, item: Item, text: str) -> Mapping[str, Any]:
        return _said(True, text)

    def read_judgement(self, text: str) -> Reading:
        return read_grades(text)

    def is_gradable(self, item: Item, value: Mapping[str, Any]) -> bool:
        return self.judge_prompt(item, value) is not None

    def judge_grade(self, judgement: Mapping[str, Any]) -> float | None:
        return mean_of_dimensions(judgement)


def _moment(item: Item, settings: Mapping[str, Any]) -> Moment:
    """The point of an item, with what is told of the plan there."""
    payload, plan = item.payload, ""
    if "plan" in payload:
        plan = f"The plan:\n{numbered(payload['plan'])}"
    elif "completed" in payload:
        plan = state_words(payload["completed"], payload["current"], payload["next"])
    has_planner = settings.get("plan") == PREDICTED
    history = None
    if "history" in item.told:
        history = tuple(
            Spoken(one["time_s"], Speaker.ASSISTANT, one["text"]) for one in item.told["history"]
        )
    return Moment(
        payload["now_s"],
        payload["goal"],
        plan,
        has_planner,
        history,
        item.stretches or None,
        until_s=item.told.get("until_s"),
        asks=item.told.get("asks", ""),
    )


def _said(is_spoken: bool, text: str = "") -> dict[str, Any]:
    return {"answer": (Decision.INTERRUPT if is_spoken else Decision.SILENT).value, "text": text}


TASK = Guide()
