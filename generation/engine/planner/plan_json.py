"""A plan as the take object of the published plan files, and back.

Beside the published fields a take object may have `noticed_not_acted`, `empty_reason` and
`warnings`; each is written only where there is something to say.
"""

from collections.abc import Mapping
from typing import Any

from annotation.engine.procedure import ReadingWarning
from generation.engine.planner.plan import (
    NoticedError,
    Plan,
    PlannedCorrection,
    PlannedError,
    PlannedStep,
    ProcedureStatistics,
)
from generation.engine.planner.simulation_log import simulation_log


def plan_to_dict(plan: Plan) -> dict[str, Any]:
    """Return the take object of the published plan file; the take's uid is its key there."""
    lines = simulation_log(plan)
    written: dict[str, Any] = {
        "take_name": plan.take_name,
        "scenario": plan.scenario,
        "procedure_stats": plan.statistics.to_dict(),
        "steps": [step.to_dict() for step in plan.steps],
        "errors": [error.to_dict() for error in plan.errors],
        "simulation_log_lines": list(lines),
        "simulation_log": "\n".join(lines),
    }
    if plan.corrections is not None:
        written["corrections"] = [correction.to_dict() for correction in plan.corrections]
    if plan.noticed_not_acted is not None:
        written["noticed_not_acted"] = [noticed.to_dict() for noticed in plan.noticed_not_acted]
    if plan.empty_reason:
        written["empty_reason"] = plan.empty_reason
    if plan.warnings:
        written["warnings"] = [
            {"where": warning.where, "message": warning.message} for warning in plan.warnings
        ]
    return written


def plan_from_dict(take_uid: str, data: Mapping[str, Any]) -> Plan:
    """Return the plan read from a take object.

    The simulation log is not read: it follows from the rest. Raises KeyError or ValueError on a
    missing field or an unknown word; `plan_files.read_plans` turns them into a FormatError.
    """
    corrections, noticed = data.get("corrections"), data.get("noticed_not_acted")
    return Plan(
        take_uid=take_uid,
        take_name=data["take_name"],
        scenario=data["scenario"],
        statistics=ProcedureStatistics.from_dict(data["procedure_stats"]),
        steps=tuple(PlannedStep.from_dict(step) for step in data["steps"]),
        errors=tuple(PlannedError.from_dict(error) for error in data["errors"]),
        corrections=None
        if corrections is None
        else tuple(PlannedCorrection.from_dict(item) for item in corrections),
        noticed_not_acted=None
        if noticed is None
        else tuple(NoticedError.from_dict(item) for item in noticed),
        empty_reason=data.get("empty_reason", ""),
        warnings=tuple(
            ReadingWarning(item["where"], item["message"]) for item in data.get("warnings", ())
        ),
    )
