"""The plan of one take, as the stages hand it on and as the published files store it.

Field names follow the house; the published names stand in `to_dict` and `from_dict` only. A plan
that was read and written again is equal to what was read. Times are seconds; indices are 0-based
over the steps of the original procedure.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from annotation.engine.procedure import ReadingWarning
from annotation.engine.taxonomy import ErrorType
from generation.engine.planner.planning_situation import ErrorSpec
from generation.engine.planner.taxonomy import CorrectionType, Phase, Severity


@dataclass(frozen=True, slots=True)
class PlannedStep:
    """One step of the original procedure with the features that the plan rests on."""

    index: int
    start_s: float | None
    end_s: float | None
    duration_s: float
    text: str
    vocabulary_id: str | None
    unique_id: int | None
    is_essential: bool
    semrep: str
    predicate: str
    role_to_value: Mapping[str, str]
    object_value: str | None
    block_id: int | str | None
    block_name: str | None
    taxonomy_path: tuple[str, ...]
    complexity: float
    norm_complexity: float
    norm_duration: float
    load: float
    phase: Phase

    def to_dict(self) -> dict[str, Any]:
        return {
            "index": self.index,
            "start_time": self.start_s,
            "end_time": self.end_s,
            "duration_s": self.duration_s,
            "step_description": self.text,
            "step_description_id": self.vocabulary_id,
            "step_unique_id": self.unique_id,
            "is_essential": self.is_essential,
            "semantic_representation": self.semrep,
            "predicate": self.predicate,
            "roles_present": sorted(self.role_to_value),
            "role_to_value": dict(self.role_to_value),
            "object_value": self.object_value,
            "taxonomy_block_id": self.block_id,
            "taxonomy_block_name": self.block_name,
            "taxonomy_path": list(self.taxonomy_path),
            "complexity": self.complexity,
            "norm_complexity": self.norm_complexity,
            "norm_duration": self.norm_duration,
            "step_load": self.load,
            "phase": str(self.phase),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "PlannedStep":
        return cls(
            index=data["index"],
            start_s=data["start_time"],
            end_s=data["end_time"],
            duration_s=data["duration_s"],
            text=data["step_description"],
            vocabulary_id=data["step_description_id"],
            unique_id=data["step_unique_id"],
            is_essential=data["is_essential"],
            semrep=data["semantic_representation"],
            predicate=data["predicate"],
            role_to_value=dict(data["role_to_value"]),
            object_value=data["object_value"],
            block_id=data["taxonomy_block_id"],
            block_name=data["taxonomy_block_name"],
            taxonomy_path=tuple(data["taxonomy_path"]),
            complexity=data["complexity"],
            norm_complexity=data["norm_complexity"],
            norm_duration=data["norm_duration"],
            load=data["step_load"],
            phase=Phase(data["phase"]),
        )


@dataclass(frozen=True, slots=True)
class PlannedError:
    """One mistake of the plan; `spec` holds what is particular to its type."""

    event_id: str
    step_index: int
    error_type: ErrorType
    phase: Phase
    block_name: str | None
    is_essential: bool
    severity: Severity
    spec: ErrorSpec

    def to_dict(self) -> dict[str, Any]:
        return {
            "event_id": self.event_id,
            "step_index": self.step_index,
            "type": self.error_type.name,
            "phase": str(self.phase),
            "taxonomy_block_name": self.block_name,
            "is_essential": self.is_essential,
            "severity": str(self.severity),
            "spec": self.spec.to_dict(),
            **self.spec.event_fields(),
        }


@dataclass(frozen=True, slots=True)
class PlannedCorrection:
    """What the person does about one mistake, and after which original step.

    `latency_steps` counts from the mistake to the noticing, before any clamping to the last step.
    Fields that a type does not have are None.
    """

    correction_id: str
    target_event_id: str
    target_type: ErrorType
    detect_at_step_index: int
    latency_steps: int
    correction_type: CorrectionType
    rollback_steps: int | None = None
    redo_step_index: int | None = None
    restore_order_pair: tuple[int, int] | None = None
    insert_before_step_index: int | None = None
    missing_object: str | None = None
    missing_from_step_index: int | None = None
    intent: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """What the type lacks is left out."""
        pair = self.restore_order_pair
        optional = {
            "rollback_steps": self.rollback_steps,
            "redo_step_index": self.redo_step_index,
            "restore_order_pair": None if pair is None else list(pair),
            "insert_before_step_index": self.insert_before_step_index,
            "missing_object": self.missing_object,
            "missing_from_step_index": self.missing_from_step_index,
            "intent": self.intent,
        }
        return {
            "correction_id": self.correction_id,
            "targets_error_id": self.target_event_id,
            "targets_error_type": self.target_type.name,
            "detect_at_step_index": self.detect_at_step_index,
            "latency_steps": self.latency_steps,
            "correction_type": str(self.correction_type),
            **{name: value for name, value in optional.items() if value is not None},
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "PlannedCorrection":
        pair = data.get("restore_order_pair")
        return cls(
            correction_id=data["correction_id"],
            target_event_id=data["targets_error_id"],
            target_type=ErrorType.by_name()[data["targets_error_type"]],
            detect_at_step_index=data["detect_at_step_index"],
            latency_steps=data["latency_steps"],
            correction_type=CorrectionType(data["correction_type"]),
            rollback_steps=data.get("rollback_steps"),
            redo_step_index=data.get("redo_step_index"),
            restore_order_pair=None if pair is None else (pair[0], pair[1]),
            insert_before_step_index=data.get("insert_before_step_index"),
            missing_object=data.get("missing_object"),
            missing_from_step_index=data.get("missing_from_step_index"),
            intent=data.get("intent"),
        )


@dataclass(frozen=True, slots=True)
class NoticedError:
    """A mistake that the person noticed and did nothing about."""

    target_event_id: str
    target_type: ErrorType
    detect_at_step_index: int
    latency_steps: int
    act_probability: float

    def to_dict(self) -> dict[str, Any]:
        return {
            "targets_error_id": self.target_event_id,
            "targets_error_type": self.target_type.name,
            "detect_at_step_index": self.detect_at_step_index,
            "latency_steps": self.latency_steps,
            "act_probability": self.act_probability,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "NoticedError":
        return cls(
            target_event_id=data["targets_error_id"],
            target_type=ErrorType.by_name()[data["targets_error_type"]],
            detect_at_step_index=data["detect_at_step_index"],
            latency_steps=data["latency_steps"],
            act_probability=data["act_probability"],
        )


@dataclass(frozen=True, slots=True)
class ProcedureStatistics:
    """The figures of a take that decided how many errors it gets."""

    step_count: int
    total_duration_s: float
    total_complexity: float
    density_steps_per_min: float
    risk_score: float
    error_rate: float
    error_count: int
    max_errors: int
    max_consecutive_errors: int

    def to_dict(self) -> dict[str, Any]:
        return {
            "n_steps": self.step_count,
            "total_duration_s": self.total_duration_s,
            "total_complexity": self.total_complexity,
            "density_steps_per_min": self.density_steps_per_min,
            "risk_score": self.risk_score,
            "expected_errors_lambda": self.error_rate,
            "k_errors": self.error_count,
            "hard_caps": {
                "max_errors": self.max_errors,
                "max_consecutive_errors": self.max_consecutive_errors,
            },
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "ProcedureStatistics":
        return cls(
            step_count=data["n_steps"],
            total_duration_s=data["total_duration_s"],
            total_complexity=data["total_complexity"],
            density_steps_per_min=data["density_steps_per_min"],
            risk_score=data["risk_score"],
            error_rate=data["expected_errors_lambda"],
            error_count=data["k_errors"],
            max_errors=data["hard_caps"]["max_errors"],
            max_consecutive_errors=data["hard_caps"]["max_consecutive_errors"],
        )


@dataclass(frozen=True, slots=True)
class Plan:
    """The planned mistakes of one take and, once simulated, their corrections.

    `corrections` and `noticed_not_acted` are None until the corrections are simulated (or, for the
    latter, where a file is older than the record). `empty_reason` says why a plan has no error, and
    is empty where it has one. `warnings` are about the take's input.
    """

    take_uid: str
    take_name: str
    scenario: str
    statistics: ProcedureStatistics
    steps: tuple[PlannedStep, ...]
    errors: tuple[PlannedError, ...]
    corrections: tuple[PlannedCorrection, ...] | None = None
    noticed_not_acted: tuple[NoticedError, ...] | None = None
    empty_reason: str = ""
    warnings: tuple[ReadingWarning, ...] = ()
