"""The prompt of the judge: a rewrite with what is wrong with it, to be mended."""

from generation.engine.judging.model import RepairRequest
from generation.engine.prompting.plan_text import (
    NOTHING,
    corrections_text,
    errors_text,
    steps_text,
)
from generation.engine.prompting.prompt import Prompt, render
from generation.engine.prompting.schemas import rewrite_schema

VERSION = "repair.v1"


def repair_prompt(request: RepairRequest) -> Prompt:
    """The prompt of one attempt; the request's frames go along as images."""
    plan = request.plan
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
    return render(
        VERSION,
        rewrite_schema(),
        scenario=plan.scenario,
        steps=steps_text(plan),
        errors=errors_text(plan),
        corrections=corrections_text(plan),
        rows="\n".join(rows) or NOTHING,
        findings="\n".join(findings) or NOTHING,
        frames=frames,
    )
