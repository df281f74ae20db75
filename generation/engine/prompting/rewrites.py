"""The prompts about whole texts: write a plan out, write freely, repair the judge's findings."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from generation.engine.judging.model import RepairRequest
from generation.engine.planner.correction_facts import correction_facts
from generation.engine.planner.error_kind import kind_of
from generation.engine.planner.plan import Plan, PlannedCorrection
from generation.engine.planner.procedure_to_plan import Procedure
from generation.engine.planner.taxonomy import Phase
from generation.engine.prompting.prompt import Prompt, render
from generation.engine.prompting.schemas import FREEFORM_SCHEMA, rewrite_schema

NOTHING = "(none)"
META_FIELDS = ("source", "mod", "error_id", "correction_id")
DELETION_FIELDS = ("source", "error_id")
PHASE_WORDS = {
    Phase.INITIATION: "beginning",
    Phase.ROUTINE: "middle",
    Phase.COMPLETION: "end",
}
# The words for each field of a correction that is set. 0 counts as set: it is a valid step, and
# going back 0 steps is an instruction as well.
_CORRECTION_WORDS = {
    "rollback_steps": "go back {} steps",
    "redo_step_index": "do step {} again",
    "restore_order_pair": "steps {0[0]} and {0[1]} were swapped",
    "missing_object": "fetch {}",
    "missing_from_step_index": "missing since step {}",
    "insert_before_step_index": "put it before step {}",
}


def writer_prompt(plan: Plan, *, problem: str = "") -> Prompt:
    """The prompt of the writer; `problem` says what was wrong with an earlier answer, if any."""
    fields = {**_plan_fields(plan), "problem": _problem_text(problem)}
    return render("writer.v2", rewrite_schema(), **fields)


def freeform_prompt(procedure: Procedure, *, problem: str = "") -> Prompt:
    """The prompt of the freeform baseline: the steps, and no plan."""
    lines = [
        f"{index:>3}{'*' if step.is_essential else ' '} {step.text}"
        for index, step in enumerate(procedure.steps)
    ]
    return render(
        "freeform.v1",
        FREEFORM_SCHEMA,
        scenario=procedure.scenario,
        steps="\n".join(lines),
        problem=_problem_text(problem),
    )


def _problem_text(problem: str) -> str:
    """The last section of a prompt that is sent again; empty the first time."""
    if not problem:
        return ""
    heading = "## An earlier answer could not be used"
    return f"{heading}\n\n{problem}\n\nAnswer the whole again, without this."


def published_freeform(answer: Mapping[str, Any]) -> dict[str, Any]:
    """A freeform answer with its rows as arrays, as in the published files.

    Parts that do not fit the schema are left unchanged, so that the reader reports them.
    """
    return {
        "final_steps": answer.get("final_steps"),
        "meta": _as_arrays(answer.get("meta"), META_FIELDS),
        "del": _as_arrays(answer.get("del", []), DELETION_FIELDS),
    }


def _as_arrays(rows: Any, fields: Sequence[str]) -> Any:
    if not isinstance(rows, list):
        return rows
    return [[row.get(name) for name in fields] if isinstance(row, Mapping) else row for row in rows]


def repair_prompt(request: RepairRequest) -> Prompt:
    """The prompt of one attempt of the judge; the request's frames are sent as images."""
    rows = []
    for position, row in enumerate(request.rewrite.rows):
        old = "-" if row.old_index is None else str(row.old_index)
        ids = " ".join(filter(None, (row.event_id, row.correction_id))) or "-"
        text = "(left out)" if row.text is None else row.text
        rows.append(f"{position:>3} {row.mod:<2} {old:>3} {ids:<4} {text}")
    findings = []
    for finding in request.findings:
        place = "the whole" if finding.position is None else f"row {finding.position}"
        about = f" [{finding.event_id}]" if finding.event_id else ""
        detail = f"{finding.detail} ({finding.severity}, {finding.code})"
        findings.append(f"- {place}{about}: {detail}")
    frames = ""
    if request.frames:
        shown = ", ".join(str(frame.step_index) for frame in request.frames)
        frames = (
            "\nThe pictures show the original recording at these steps, without any mistake: "
            f"{shown}. Use them to see what is at hand and where."
        )
    fields = {"rows": _listed(rows), "findings": _listed(findings), "frames": frames}
    return render("repair.v1", rewrite_schema(), **_plan_fields(request.plan), **fields)


def _plan_fields(plan: Plan) -> dict[str, str]:
    """A plan in words: its steps, and every decision about each mistake and correction."""
    return {
        "scenario": plan.scenario,
        "steps": steps_text(plan),
        "errors": errors_text(plan),
        "corrections": corrections_text(plan),
    }


def steps_text(plan: Plan) -> str:
    """One line per step: index, phase, text, meaning."""
    return _listed(
        f"{step.index:>3}{'*' if step.is_essential else ' '} [{PHASE_WORDS[step.phase]}]"
        f" {step.text}" + (f"  {step.semrep}" if step.semrep else "")
        for step in plan.steps
    )


def errors_text(plan: Plan) -> str:
    return _listed(
        f"- {error.event_id}: {error.error_type.name} at step {error.step_index},"
        f" severity {error.severity}: {'; '.join(kind_of(error).prompt_lines(plan, error))}"
        for error in plan.errors
    )


def corrections_text(plan: Plan) -> str:
    return _listed(
        f"- {item.correction_id} repairs {item.target_event_id}, noticed after "
        f"step {item.detect_at_step_index}: {'; '.join(_correction_words(item))}"
        for item in plan.corrections or ()
    )


def _correction_words(correction: PlannedCorrection) -> Iterator[str]:
    yield correction_facts()[correction.correction_type].prompt_words
    for name, words in _CORRECTION_WORDS.items():
        value = getattr(correction, name)
        if value is not None and value != "":
            yield words.format(value)


def _listed(lines: Iterable[str]) -> str:
    return "\n".join(lines) or NOTHING
