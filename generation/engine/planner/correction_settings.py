"""The part of a profile that the correction simulator reads.

Sources: PIE-V section 4.1.2 and C.2 for the factors (Eq. 7); the base tables, action factors and
latencies are those of the configuration stored in the published plan; the predicate sets and the
filters are the published simulator's behaviour ("not in the paper"). What depends on the error type
is in its own module, and `profiles.with_error_types` copies it here.
"""
# ruff: noqa: RUF009 - the functions of `limits` return dataclass fields, fresh for each class

from collections.abc import Mapping
from dataclasses import dataclass

from annotation.engine.taxonomy import ErrorType
from generation.engine.planner.limits import at_least, between, non_negative, predicates
from generation.engine.planner.taxonomy import CorrectionType, Phase, Severity

ByPhase = Mapping[Phase, float]


def by_phase(early: float, mid: float, late: float) -> dict[Phase, float]:
    return {Phase.INITIATION: early, Phase.ROUTINE: mid, Phase.COMPLETION: late}


@dataclass(frozen=True, slots=True)
class Latency:
    """Steps until an error is noticed: 0 with `at_once`, else a geometric draw with `stop`."""

    at_once: float = between(0.0, 0.0, 1.0)
    stop: float = between(0.5, 0.01, 1.0)


@dataclass(frozen=True, slots=True)
class Detection:
    """P(detect) = base x severity x essential x predicate x load, clipped to [0, 1] (Eq. 7)."""

    base: Mapping[ErrorType, ByPhase] = between({}, 0.0, 1.0)
    severity_factors: Mapping[Severity, float] = non_negative(
        {Severity.HIGH: 1.15, Severity.MEDIUM: 1.00, Severity.LOW: 0.85}
    )
    essential_factor: float = non_negative(1.05)
    optional_factor: float = non_negative(0.95)
    essential_deletion_factors: ByPhase = non_negative(by_phase(0.90, 1.00, 1.10))
    salient_factor: float = non_negative(1.15)
    load_slope: float = non_negative(0.25)
    load_floor: float = between(0.70, 0.0, 1.0)
    salient_predicates: frozenset[str] = predicates(
        *("OPEN", "CLOSE", "COVER", "UNCOVER", "TURN_ON", "TURN_OFF", "COOK", "BOIL", "HEAT"),
        *("COMBINE", "MIX", "ADD", "PUT_AWAY", "PUT_BACK", "REMOVE", "INSERT", "APPLY"),
    )


@dataclass(frozen=True, slots=True)
class ActionSettings:
    """P(act | detected) = base x severity x load, clipped to [0, 1]."""

    base: Mapping[ErrorType, ByPhase] = between({}, 0.0, 1.0)
    severity_factors: Mapping[Severity, float] = non_negative(
        {Severity.HIGH: 1.10, Severity.MEDIUM: 1.00, Severity.LOW: 0.90}
    )
    load_slope: float = non_negative(0.20)
    load_floor: float = between(0.75, 0.0, 1.0)


@dataclass(frozen=True, slots=True)
class NoticingSettings:
    """When a detected error is noticed, and what cuts the wait short."""

    latencies: Mapping[ErrorType, Latency] = non_negative({})
    # Steps added to the geometric draw, which itself starts at 1.
    later_by_steps: int = at_least(1, 0)
    # A salient predicate, or a step that needs the spoiled one, caps the latency at 1.
    trigger_window: int = at_least(5, 0)
    triggers: Mapping[str, frozenset[str]] = predicates(
        CLOSE={"OPEN"},
        COVER={"OPEN", "UNCOVER"},
        TURN_OFF={"TURN_ON"},
        COMBINE={"ADD"},
        MIX={"ADD"},
        COOK={"ADD", "COMBINE", "MIX"},
        PUT_AWAY={"GET", "TAKE", "OPEN"},
        PUT_BACK={"GET", "TAKE"},
    )
    # Longest latency after which a correction still makes sense, for the types that have one.
    max_latency: Mapping[ErrorType, int] = non_negative({})
    # An error noticed after the last step is noticed at the last step; without this, never.
    clamps_to_last_step: bool = True
    # A person cannot notice during a step that another event deletes.
    skips_deleted_steps: bool = False


@dataclass(frozen=True, slots=True)
class Filters:
    """Which errors are not worth a correction (not in the paper)."""

    preparation_predicates: frozenset[str] = predicates(
        *("CUT", "CHOP", "SLICE", "DICE", "MINCE", "SHRED", "GRATE", "PEEL", "TRIM", "SEED"),
        "CORE",
    )
    preparation_max_latency: int = at_least(3, 0)
    trivial_predicates: frozenset[str] = predicates(
        *("CLEAN", "WIPE", "STIR", "PLACE", "ROLL", "CHECK", "DRY", "WASH_HANDS"),
        *("CLEAN_HANDS", "WIPE_HANDS", "DISPOSE", "ARRANGE"),
    )
    trivial_wrong_execution_probability: float = between(0.3, 0.0, 1.0)
    commuting_predicates: frozenset[str] = predicates(
        "ADD", "STIR", "CLEAN", "WIPE", "CHECK", "GET"
    )
    redundancy_window: int = at_least(5, 0)
    # A later step with the same unique id, which several kinds of step share, counts as the same.
    trusts_unique_ids: bool = True
    # Steps of other events do not make a deleted step redundant or reacquire its object.
    ignores_events: bool = False


@dataclass(frozen=True, slots=True)
class RepairSettings:
    """Which correction, how far back, and which of several at one step."""

    late_load: float = between(0.6, 0.0, 1.0)
    wrong_execution_weights: Mapping[CorrectionType, float] = non_negative(
        {CorrectionType.STOP_AND_FIX: 0.65, CorrectionType.ROLLBACK_AND_REDO: 0.35}
    )
    wrong_execution_rollback_stop: float = between(0.65, 0.01, 1.0)
    substitution_rollback_stop: float = between(0.55, 0.01, 1.0)
    # The geometric draw of a substitution's rollback starts at 1, less this.
    substitution_rollback_less: int = at_least(0, 0)
    max_rollback: int = at_least(2, 0)
    undo_without_rollback_probability: float = between(0.7, 0.0, 1.0)
    # A rollback into another block is rejected. The published simulator rejects it only after it
    # has picked the best correction of a step, and so drops the other candidates as well.
    rejects_before_choosing: bool = False
    # A rollback does not reach back over a step that another event deletes.
    stops_at_deleted_steps: bool = False


@dataclass(frozen=True, slots=True)
class CorrectionSettings:
    detection: Detection = Detection()
    action: ActionSettings = ActionSettings()
    noticing: NoticingSettings = NoticingSettings()
    filters: Filters = Filters()
    repair: RepairSettings = RepairSettings()
