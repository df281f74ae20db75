"""The plan of one take, as the stages pass it on and as the published files store it.

Field names follow the house; a different published name is in the field's metadata. A plan that is
read and written again is equal to what was read. Times are seconds; indices are 0-based over the
steps of the original procedure.
"""

from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from functools import cache
from types import NoneType
from typing import Any, Self, get_args, get_origin, get_type_hints

from annotation.engine.corpus.procedure import ReadingWarning
from annotation.engine.taxonomy import ErrorType, OpenWord
from generation.engine.planner.planning_situation import ErrorSpec
from generation.engine.planner.taxonomy import CorrectionType, Phase, Severity


class PlanPart:
    """An object of the published files; a field with a default may be missing there."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """The published form, without fields that are None and may be missing."""
        kind: Any = type(self)
        return {
            name: _plain(value)
            for attribute, (name, _, may_lack) in _fields_of(kind).items()
            if (value := getattr(self, attribute)) is not None or not may_lack
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        return cls._read(data)

    @classmethod
    def _read(cls, data: Mapping[str, Any]) -> Self:
        kind: Any = cls
        values = {
            attribute: read(data.get(name) if may_lack else data[name])
            for attribute, (name, read, may_lack) in _fields_of(kind).items()
        }
        return cls(**values)


@cache
def _fields_of(part: Any) -> dict[str, tuple[str, Callable[[Any], Any], bool]]:
    """The published name of each field, how it is read, and whether it may be left out."""
    types = get_type_hints(part)
    return {
        item.name: (
            item.metadata.get("name", item.name),
            _reader(types[item.name]),
            item.default is not MISSING,
        )
        for item in fields(part)
    }


def _reader(hint: Any) -> Callable[[Any], Any]:
    if NoneType in get_args(hint):
        read = _reader(get_args(hint)[0])
        return lambda value: None if value is None else read(value)
    if hint is ErrorType:
        return lambda name: ErrorType.by_name()[name]
    if get_origin(hint) is tuple:
        return tuple
    if get_origin(hint) is Mapping:
        return dict
    return hint if hint in {CorrectionType, Phase, Severity} else lambda value: value


def _plain(value: Any) -> Any:
    if isinstance(value, OpenWord):
        return value.name
    if isinstance(value, ErrorSpec):
        return value.to_dict()
    if isinstance(value, tuple):
        return list(value)
    if isinstance(value, Mapping):
        return dict(value)
    return str(value) if isinstance(value, Phase | Severity) else value


@dataclass(frozen=True, slots=True)
class PlannedStep(PlanPart):
    """One step of the original procedure with the features that the plan rests on."""

    index: int
    start_s: float | None = field(metadata={"name": "start_time"})
    end_s: float | None = field(metadata={"name": "end_time"})
    duration_s: float
    text: str = field(metadata={"name": "step_description"})
    vocabulary_id: str | None = field(metadata={"name": "step_description_id"})
    unique_id: int | None = field(metadata={"name": "step_unique_id"})
    is_essential: bool
    semrep: str = field(metadata={"name": "semantic_representation"})
    predicate: str
    role_to_value: Mapping[str, str]
    object_value: str | None
    block_id: int | str | None = field(metadata={"name": "taxonomy_block_id"})
    block_name: str | None = field(metadata={"name": "taxonomy_block_name"})
    taxonomy_path: tuple[str, ...]
    complexity: float
    norm_complexity: float
    norm_duration: float
    load: float = field(metadata={"name": "step_load"})
    phase: Phase

    def to_dict(self) -> dict[str, Any]:
        """With `roles_present`, the sorted names of the roles, as in the published files."""
        written: dict[str, Any] = {}
        for name, value in PlanPart.to_dict(self).items():
            if name == "role_to_value":
                written["roles_present"] = sorted(value)
            written[name] = value
        return written


@dataclass(frozen=True, slots=True)
class PlannedError(PlanPart):
    """One mistake of the plan; `spec` holds what is particular to its type."""

    event_id: str
    step_index: int
    error_type: ErrorType = field(metadata={"name": "type"})
    phase: Phase
    block_name: str | None = field(metadata={"name": "taxonomy_block_name"})
    is_essential: bool
    severity: Severity
    spec: ErrorSpec

    def to_dict(self) -> dict[str, Any]:
        return {**PlanPart.to_dict(self), **self.spec.event_fields()}


@dataclass(frozen=True, slots=True)
class PlannedCorrection(PlanPart):
    """What the person does about one mistake, and after which original step.

    `latency_steps` counts from the mistake to the noticing, before any clamping to the last step.
    Fields that a type does not have are None.
    """

    correction_id: str
    target_event_id: str = field(metadata={"name": "targets_error_id"})
    target_type: ErrorType = field(metadata={"name": "targets_error_type"})
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


@dataclass(frozen=True, slots=True)
class NoticedError(PlanPart):
    """A mistake that the person noticed and did nothing about."""

    target_event_id: str = field(metadata={"name": "targets_error_id"})
    target_type: ErrorType = field(metadata={"name": "targets_error_type"})
    detect_at_step_index: int
    latency_steps: int
    act_probability: float


@dataclass(frozen=True, slots=True)
class PassedOver(PlanPart):
    """A type that was drawn for a step and not taken, as no wording of it would make sense."""

    step_index: int
    error_type: ErrorType = field(metadata={"name": "type"})


@dataclass(frozen=True, slots=True)
class ProcedureStatistics(PlanPart):
    """The figures of a take that decided how many errors it gets."""

    step_count: int = field(metadata={"name": "n_steps"})
    total_duration_s: float
    total_complexity: float
    density_steps_per_min: float
    risk_score: float
    error_rate: float = field(metadata={"name": "expected_errors_lambda"})
    error_count: int = field(metadata={"name": "k_errors"})
    max_errors: int
    max_consecutive_errors: int

    def to_dict(self) -> dict[str, Any]:
        written = PlanPart.to_dict(self)
        caps = {name: written.pop(name) for name in ("max_errors", "max_consecutive_errors")}
        return {**written, "hard_caps": caps}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        return cls._read({**data, **data["hard_caps"]})


@dataclass(frozen=True, slots=True)
class Plan:
    """The planned mistakes of one take and, once simulated, their corrections.

    `corrections` and `noticed_not_acted` are None until the corrections are simulated; the latter
    also in plan files that are older than it. `empty_reason` says why a plan has no error, and is
    empty where it has one. `passed_over` are types that a step could not suffer believably, and
    `warnings` are about the take's input.
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
    passed_over: tuple[PassedOver, ...] = ()
    warnings: tuple[ReadingWarning, ...] = ()
