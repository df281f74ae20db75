"""The events of a plan for readers: each error with its correction and the decisions about it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from generation.engine.planner.decisions import Decision
from generation.engine.planner.plan import NoticedError, Plan, PlannedCorrection, PlannedError
from generation.engine.results.plan_picture import PHASE_WORDS, error_words, latency_words
from generation.engine.stages import Stage

# Parameters that repeat something, or are for programs only.
_UNSHOWN = {"notes"}


@dataclass(frozen=True, slots=True)
class PlannedEvent:
    """One error of a plan with its drawn parameters and every decision about it."""

    error: PlannedError
    words: str
    phase_words: str
    step_number: int
    step_text: str
    parameters: tuple[tuple[str, str], ...]
    correction: PlannedCorrection | None
    noticed: NoticedError | None
    outcome: str
    correction_parameters: tuple[tuple[str, str], ...]
    decisions: tuple[Decision, ...]


def planned_events(plan: Plan, decisions: Sequence[Decision]) -> tuple[PlannedEvent, ...]:
    corrections = {item.target_event_id: item for item in plan.corrections or ()}
    noticed = {item.target_event_id: item for item in plan.noticed_not_acted or ()}
    # Fields of a correction that are shown elsewhere in its event.
    shown = {"correction_id", "targets_error_id", "targets_error_type", "correction_type"}
    events = []
    for error in plan.errors:
        correction, unused = corrections.get(error.event_id), noticed.get(error.event_id)
        fields = correction.to_dict() if correction is not None else {}
        outcome = "not corrected"
        if plan.corrections is None:
            outcome = "corrections were not simulated"
        elif correction is not None:
            kind = correction.correction_type.replace("_", " ")
            outcome = f"{latency_words(correction.latency_steps)}: {kind}"
        elif unused is not None:
            outcome = f"{latency_words(unused.latency_steps)}, left as it is"
        # Decisions from before an error had an id are matched by its step.
        at_its_step = (None, Stage.PLAN, error.step_index)
        events.append(
            PlannedEvent(
                error=error,
                words=error_words(error),
                phase_words=PHASE_WORDS[error.phase],
                step_number=error.step_index + 1,
                step_text=plan.steps[error.step_index].text,
                parameters=_parameters({**error.spec.to_dict(), **error.spec.event_fields()}),
                correction=correction,
                noticed=unused,
                outcome=outcome,
                correction_parameters=_parameters(
                    {name: value for name, value in fields.items() if name not in shown}
                ),
                decisions=tuple(
                    item
                    for item in decisions
                    if item.event_id == error.event_id
                    or (item.event_id, item.stage, item.step_index) == at_its_step
                ),
            )
        )
    return tuple(events)


def _parameters(fields: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    return tuple(
        (name.replace("_", " "), _shown(name, value))
        for name, value in fields.items()
        if name not in _UNSHOWN and value is not None
    )


def _shown(name: str, value: Any) -> str:
    """A value for people; positions count from 1 as everywhere on the page."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return ", ".join(f"{key}: {item}" for key, item in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(_shown(name, item) for item in value) or "none"
    is_position = isinstance(value, int) and (
        "index" in name or "indices" in name or "pair" in name or "transposition" in name
    )
    return f"step {value + 1}" if is_position else str(value)
