"""The prompt of the judge: a rewrite with what is wrong with it, to be mended."""

from generation.engine.judging.findings import Finding
from generation.engine.judging.model import RepairRequest
from generation.engine.prompting.plan_text import (
    NOTHING,
    corrections_text,
    errors_text,
    steps_text,
)
from generation.engine.prompting.prompt import Prompt, render
from generation.engine.prompting.schemas import rewrite_schema
from generation.engine.rewriting.rewrite import RewriteRow

VERSION = "repair.v1"


def repair_prompt(request: RepairRequest) -> Prompt:
    """Return the prompt of one attempt; the request's frames go along as images."""
    plan = request.plan
    return render(
        VERSION,
        rewrite_schema(),
        scenario=plan.scenario,
        steps=steps_text(plan),
        errors=errors_text(plan),
        corrections=corrections_text(plan),
        rows="\n".join(_row_line(*numbered) for numbered in enumerate(request.rewrite.rows))
        or NOTHING,
        findings="\n".join(map(_finding_line, request.findings)) or NOTHING,
        frames=_frames_text(request),
    )


def _row_line(position: int, row: RewriteRow) -> str:
    old = "-" if row.old_index is None else str(row.old_index)
    ids = " ".join(filter(None, (row.event_id, row.correction_id))) or "-"
    text = "(left out)" if row.text is None else row.text
    return f"{position:>3} {row.mod:<2} {old:>3} {ids:<4} {text}"


def _finding_line(finding: Finding) -> str:
    place = "the whole" if finding.position is None else f"row {finding.position}"
    about = f" [{finding.event_id}]" if finding.event_id else ""
    return f"- {place}{about}: {finding.detail} ({finding.severity}, {finding.code})"


def _frames_text(request: RepairRequest) -> str:
    if not request.frames:
        return ""
    shown = ", ".join(str(frame.step_index) for frame in request.frames)
    return (
        "\nThe pictures show the original recording at these steps, without any mistake: "
        f"{shown}. Use them to see what is at hand and where."
    )
