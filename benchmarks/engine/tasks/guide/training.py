"""What `guide` teaches: examples for a watcher with a plan, one without, and a planner.

Each is asked in the words of the loop. What the assistant said before is what was right to say
(teacher forced), and the plan before a point is that of the latest interrupt before.
Source: Plan, Watch, Recover (arXiv 2606.04970v1), section 2.6.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from benchmarks.engine.guiding.clips import CLIP_S, select_clips
from benchmarks.engine.guiding.cues import CueKind
from benchmarks.engine.guiding.decisions import Decision
from benchmarks.engine.guiding.loop_prompts import planner_prompt, watcher_prompt
from benchmarks.engine.guiding.loop_state import LoopState, Moment, Speaker, Spoken
from benchmarks.engine.guiding.plan_state import MODES, PlanState, plan_text
from benchmarks.engine.guiding.points import stratified
from benchmarks.engine.items import Item, Prompt
from benchmarks.engine.training_files import TrainingExample, TrainingFile, TrainingOptions

# From this version of the task on items have the plan after each interrupt.
SINCE = 3
DUPLEX = TrainingFile("duplex", "when to speak and what to say, with the plan and its cues", SINCE)
MONOLITHIC = TrainingFile("monolithic", "the same examples without a plan", SINCE)
PLANNER = TrainingFile("planner", "the plan after each interrupt", SINCE)
FILES = (DUPLEX, MONOLITHIC, PLANNER)
# The paper's weight of interrupts in the loss; it does not say of which tokens.
INTERRUPT_WEIGHT = 2.0
WRONG_STEP, LATE_UPDATE, STALE_CUES = "wrong step", "late update", "stale cues"


def training_examples(
    file: str, items: Sequence[Item], options: TrainingOptions, seed: int
) -> Iterator[TrainingExample]:
    """The examples of one recording, whose items are in the order of time, with their truth."""
    chosen = _balanced(items, seed)
    plans: list[PlanState] = []
    spoken: list[Spoken] = []
    updates: list[float] = []
    for place, item in enumerate(items):
        words, now_s = item.truth["text"], item.payload["now_s"]
        is_interrupt = item.truth["answer"] == Decision.INTERRUPT
        before = plans[-1] if plans else None
        if place in chosen and file != PLANNER.name and (words or not is_interrupt):
            given = [(before if file == DUPLEX.name else None, "")]
            if file == DUPLEX.name and options.has_noisy and plans:
                given += _noisy_plans(plans, item.key, seed)
            for plan, noise in given:
                asked = watcher_prompt(
                    Moment(now_s, item.payload["goal"], has_planner=True),
                    LoopState(plan=plan),
                    spoken,
                )
                target = Decision(item.truth["answer"]).token + (words if is_interrupt else "")
                clips = tuple(select_clips(now_s, updates))
                example = _example(item, asked, target, clips)
                weight = INTERRUPT_WEIGHT if is_interrupt else 1.0
                key = f"{item.key}/{noise}" if noise else item.key
                yield replace(example, key=key, noise=noise, loss_weight=weight)
        if is_interrupt:
            spoken.append(Spoken(now_s, Speaker.ASSISTANT, words))
            updates.append(now_s)
            plans.append(_plan(item, is_first=before is None))
            # What a planner writes has cues; a review may have left a step too few.
            if file == PLANNER.name and (plans[-1].complete_cues or not plans[-1].current):
                yield _planner_example(item, before, plans[-1], spoken)


def _planner_example(
    item: Item, before: PlanState | None, after: PlanState, spoken: Sequence[Spoken]
) -> TrainingExample:
    """At the opening there is the goal alone: it has no past to look at."""
    now_s, is_opening = item.payload["now_s"], before is None
    asked = planner_prompt(
        Moment(now_s, item.payload["goal"]), LoopState(not is_opening, before), spoken
    )
    clips = () if is_opening else ((max(0.0, now_s - CLIP_S), now_s),)
    return _example(item, asked, plan_text(after), clips)


def _example(
    item: Item, asked: Prompt, target: str, clips_s: tuple[tuple[float, float], ...]
) -> TrainingExample:
    return TrainingExample(
        key=item.key,
        messages=(("system", asked.system), ("user", asked.text), ("assistant", target)),
        moment_s=item.payload["now_s"],
        clips_s=clips_s,
        label=item.truth["answer"],
        reasons=tuple(item.truth["reasons"]),
        prompt_version=asked.version,
        loss_weight=1.0,
    )


def _plan(item: Item, *, is_first: bool) -> PlanState:
    """The plan after an interrupt, with the cues of its current step."""
    state: Mapping[str, Any] = item.truth["plan"]
    [current] = state["current"] or [None]
    mode = MODES[0] if is_first else MODES[1] if current else MODES[2]
    completed, following = tuple(state["completed"]), tuple(state["next"])
    cues = state.get("cues", {})
    complete, incomplete = ("; ".join(cues.get(kind, ())) for kind in CueKind)
    goal = item.payload["goal"]
    return PlanState(mode, goal, completed, current, following, complete, incomplete)


def _noisy_plans(
    plans: Sequence[PlanState], key: str, seed: int
) -> list[tuple[PlanState | None, str]]:
    """The latest plan with one thing wrong, and what that is, drawn by the key; [] if none fits."""
    last, earlier = plans[-1], plans[-2] if len(plans) > 1 else None
    noisy: list[tuple[PlanState | None, str]] = []
    if last.next:
        completed = (*last.completed, *([last.current] if last.current else []))
        moved = replace(last, completed=completed, current=last.next[0], next=last.next[1:])
        noisy.append((moved, WRONG_STEP))
    if earlier is not None and replace(earlier, mode=last.mode) != last:
        noisy.append((earlier, LATE_UPDATE))
        if earlier.complete_cues != last.complete_cues:
            stale = replace(
                last, complete_cues=earlier.complete_cues, incomplete_cues=earlier.incomplete_cues
            )
            noisy.append((stale, STALE_CUES))
    draw = int.from_bytes(hashlib.sha256(f"{seed}|noise|{key}".encode()).digest()[:8])
    return [noisy[draw % len(noisy)]] if noisy else []


def _balanced(items: Sequence[Item], seed: int) -> set[int]:
    """The places of a recording's interrupts, and of as many silent points, spread over it."""
    are_spoken = [item.truth["answer"] == Decision.INTERRUPT for item in items]
    spoken = [place for place, is_spoken in enumerate(are_spoken) if is_spoken]
    silent = [place for place, is_spoken in enumerate(are_spoken) if not is_spoken]
    recording = items[0].recording if items else ""
    drawn = stratified(len(silent), len(spoken), seed, recording)
    return {*spoken, *(silent[place] for place in drawn)}
