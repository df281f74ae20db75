"""A plan as the take object of the published plan files, and back.

Beside the published fields a take object may have `noticed_not_acted`, `empty_reason`,
`passed_over` and `warnings`; each is written only if it is not empty.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from annotation.engine.corpus.formats.errors import FormatError, problem
from annotation.engine.corpus.procedure import ReadingWarning
from annotation.engine.taxonomy import ErrorType
from generation.engine.planner.correction_facts import correction_facts
from generation.engine.planner.error_kind import error_kinds
from generation.engine.planner.files.simulation_log import simulation_log
from generation.engine.planner.plan import (
    NoticedError,
    PassedOver,
    Plan,
    PlannedCorrection,
    PlannedError,
    PlannedStep,
    ProcedureStatistics,
)

Part = TypeVar("Part")


def plan_to_dict(plan: Plan) -> dict[str, Any]:
    """The take object of the published plan file; the take's uid is its key there."""
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
    if plan.passed_over:
        written["passed_over"] = [item.to_dict() for item in plan.passed_over]
    if plan.warnings:
        written["warnings"] = [
            {"where": warning.where, "message": warning.message} for warning in plan.warnings
        ]
    return written


def plan_from_dict(take_uid: str, data: Mapping[str, Any], *, file: str = "") -> Plan:
    """The plan read from a take object.

    The simulation log is not read: it follows from the rest. Raises FormatError where a field is
    missing, a word unknown, a number not finite or an index outside the procedure.
    """
    # Their modules register the error types and correction types that the words are looked up in.
    error_kinds()
    correction_facts()
    reader = _TakeReader(file, f"take {take_uid}")
    plan = Plan(
        take_uid=take_uid,
        take_name=reader.part(data, "take_name", str),
        scenario=reader.part(data, "scenario", str),
        statistics=reader.part(data, "procedure_stats", ProcedureStatistics.from_dict),
        steps=reader.parts(data, "steps", PlannedStep.from_dict),
        errors=reader.parts(data, "errors", _error),
        corrections=reader.parts(data, "corrections", PlannedCorrection.from_dict)
        if "corrections" in data
        else None,
        noticed_not_acted=reader.parts(data, "noticed_not_acted", NoticedError.from_dict)
        if "noticed_not_acted" in data
        else None,
        empty_reason=data.get("empty_reason", ""),
        passed_over=reader.parts({"passed_over": [], **data}, "passed_over", PassedOver.from_dict),
        warnings=reader.parts(
            {"warnings": [], **data},
            "warnings",
            lambda item: ReadingWarning(item["where"], item["message"]),
        ),
    )
    _check(plan, reader)
    return plan


def _error(data: Mapping[str, Any]) -> PlannedError:
    kind = error_kinds()[ErrorType.by_name()[data["type"]]]
    return PlannedError.from_dict({**data, "spec": kind.spec_class.from_dict(data["spec"], data)})


@dataclass(frozen=True, slots=True)
class _TakeReader:
    """Reads the parts of one take, so that a fault names the part it is in."""

    file: str
    place: str

    def part(self, data: Mapping[str, Any], field: str, parse: Callable[[Any], Part]) -> Part:
        if field not in data:
            raise self.fault(field, None, "a published plan")
        return self._parsed(data[field], field, parse)

    def parts(
        self, data: Mapping[str, Any], field: str, parse: Callable[[Any], Part]
    ) -> tuple[Part, ...]:
        items = data.get(field)
        if not isinstance(items, list):
            raise self.fault(field, items, "a list")
        return tuple(
            [self._parsed(item, f"{field}[{index}]", parse) for index, item in enumerate(items)]
        )

    def fault(self, field: str, value: object, expected: str) -> FormatError:
        fault = problem(
            file=self.file, place=self.place, field=field, value=value, expected=expected
        )
        return FormatError([fault])

    def _parsed(self, value: Any, field: str, parse: Callable[[Any], Part]) -> Part:
        try:
            return parse(value)
        except KeyError as error:
            raise self.fault(f"{field}.{error.args[0]}", None, "a value") from error
        except (AttributeError, TypeError, ValueError) as error:
            raise self.fault(field, str(error), "the form of a published plan") from error


def _check(plan: Plan, reader: _TakeReader) -> None:
    """Raise FormatError for a number out of range or an index outside the procedure."""
    for position, step in enumerate(plan.steps):
        if step.index != position:
            raise reader.fault(f"steps[{position}].index", step.index, f"{position}")
        if not math.isfinite(step.complexity):
            raise reader.fault(f"steps[{position}].complexity", step.complexity, "a finite number")
        if not 0.0 <= step.load <= 1.0:
            raise reader.fault(f"steps[{position}].step_load", step.load, "a number from 0 to 1")
    indices = [(f"errors[{n}].step_index", item.step_index) for n, item in enumerate(plan.errors)]
    indices += [
        (f"corrections[{number}].detect_at_step_index", item.detect_at_step_index)
        for number, item in enumerate(plan.corrections or ())
    ]
    for field, index in indices:
        if not 0 <= index < len(plan.steps):
            raise reader.fault(field, index, f"an index below {len(plan.steps)}")
