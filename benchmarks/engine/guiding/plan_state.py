"""What a planner believes about the plan, and how its answer is read.

Source: Plan, Watch, Recover, section 2.3 and appendix G.2.
"""

import re
from dataclasses import dataclass

# What an assistant is given of the plan, by the name of the choice.
NO_PLAN, CLEAN = "none", "the clean plan"
PREDICTED = "that of a planner, a model that is asked as well"
MODES = ("start_proactive", "update_proactive", "end_proactive")
END = MODES[-1]
FIELDS = ("mode", "goal", "steps_completed_so_far", "plan", "step_complete_cues",
          "step_incomplete_cues")  # fmt: skip
# Before the start nothing is completed, and after the end nothing is left to do or to look for.
MAY_BE_EMPTY = {"steps_completed_so_far", "plan"}
EMPTY_AT_END = {*MAY_BE_EMPTY, "step_complete_cues", "step_incomplete_cues"}
_FIELD = re.compile(r"<\|(\w+)\|>")
_NUMBER = re.compile(r"^\s*(?:[-*•]|\d+[.)])?\s*")
_CURRENT = re.compile(r"^\(current\)\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class PlanState:
    """A plan as a planner sees it; `current` is None once all is done."""

    mode: str
    goal: str
    completed: tuple[str, ...]
    current: str | None
    next: tuple[str, ...]
    complete_cues: str
    incomplete_cues: str


class PlanFaultError(ValueError):
    """An answer that is no plan: what is wrong, at which field, and what was found."""

    def __init__(self, code: str, *, field: str = "", found: object = None) -> None:
        self.code, self.field, self.found = code, field, found
        detail = f" {field}" if field else "" if found is None else f" {found}"
        super().__init__(f"{code.replace('_', ' ')}{detail}")


def parse_plan(text: str) -> PlanState:
    """The plan of an answer in the token form; raises PlanFaultError.

    Exactly one step is marked "(Current)", or none in the mode that ends.
    """
    parts = _FIELD.split(text)
    found: dict[str, str] = {}
    for name, content in zip(parts[1::2], parts[2::2], strict=True):
        if name in found:
            raise PlanFaultError("repeated", field=name)
        found[name] = content.strip()
    is_end = found.get("mode") == END
    for name in FIELDS:
        may_be_empty = name in (EMPTY_AT_END if is_end else MAY_BE_EMPTY)
        if name not in found or not (found[name] or may_be_empty):
            raise PlanFaultError("missing", field=name)
    if found["mode"] not in MODES:
        raise PlanFaultError("unknown_mode", found=found["mode"])
    steps = _lines(found["plan"])
    current = [_CURRENT.sub("", step) for step in steps if _CURRENT.match(step)]
    if len(current) != 1 and not (is_end and not current):
        raise PlanFaultError("current_step_count", found=len(current))
    return PlanState(
        found["mode"],
        found["goal"],
        tuple(_lines(found["steps_completed_so_far"])),
        current[0] if current else None,
        tuple(step for step in steps if not _CURRENT.match(step)),
        found["step_complete_cues"],
        found["step_incomplete_cues"],
    )


def _lines(text: str) -> list[str]:
    """The lines of a list without their numbers and dashes."""
    lines = (_NUMBER.sub("", line).strip() for line in text.split("\n"))
    return [line for line in lines if line]


def plan_text(state: PlanState) -> str:
    """A plan in the token form that `parse_plan` reads."""
    marked = [*([f"(Current) {state.current}"] if state.current else []), *state.next]
    contents = (
        state.mode,
        state.goal,
        "".join(f"\n - {step}" for step in state.completed),
        "".join(f"\n {number}. {step}" for number, step in enumerate(marked, 1)),
        state.complete_cues,
        state.incomplete_cues,
    )
    parts = zip(FIELDS, contents, strict=True)
    return "\n".join(f"<|{name}|> {content}".rstrip() for name, content in parts)
