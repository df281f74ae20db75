"""The closed sets of planning: phases, severities, mutation scopes and correction types.

Values are the words of the published plan files. Source: PIE-V, sections 2 and 4.1.
"""

from enum import StrEnum
from typing import ClassVar

from annotation.engine.taxonomy import OpenWord


class Phase(StrEnum):
    """Which third of a procedure's cumulative load a step lies in."""

    INITIATION = "phase_1"
    ROUTINE = "phase_2"
    COMPLETION = "phase_3"


class Severity(StrEnum):
    """How grave a planned error is; for a wrong execution the highest impact it touches."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


class MutationScope(StrEnum):
    """Which part of a role's value a wrong execution changes."""

    ATTRIBUTE = "attribute"
    ENTITY = "entity"
    SUBSTRUCTURE = "substructure"


class SubstitutionStrategy(StrEnum):
    """What a substitution may replace."""

    CHANGE_PREDICATE = "change_predicate_keep_object"
    CHANGE_OBJECT = "change_object_keep_predicate"
    CHANGE_BOTH = "change_predicate_and_object"
    CHANGE_OBJECT_KEEP_FRAME = "change_object_keep_frame"
    RELATED_STEP = "replace_step_semantically_related"


class CorrectionType(OpenWord):
    """What the person does about a mistake that was noticed; more come with their modules."""

    REACQUIRE_MISSING_OBJECT: ClassVar["CorrectionType"]
    STOP_AND_FIX: ClassVar["CorrectionType"]
    ROLLBACK_AND_REDO: ClassVar["CorrectionType"]
    PERFORM_MISSED_STEP_NOW: ClassVar["CorrectionType"]
    PERFORM_MISSED_STEP_BEFORE_FIRST_USE: ClassVar["CorrectionType"]
    UNDO_EXTRA_STEP: ClassVar["CorrectionType"]
    RESTORE_ORDER: ClassVar["CorrectionType"]


_correction = CorrectionType.register
CorrectionType.REACQUIRE_MISSING_OBJECT = CorrectionType.register(
    "reacquire_missing_object_before_use"
)
CorrectionType.STOP_AND_FIX = _correction("stop_and_fix")
CorrectionType.ROLLBACK_AND_REDO = _correction("rollback_and_redo")
CorrectionType.PERFORM_MISSED_STEP_NOW = _correction("perform_missed_step_now")
CorrectionType.PERFORM_MISSED_STEP_BEFORE_FIRST_USE = CorrectionType.register(
    "perform_missed_step_before_first_use"
)
CorrectionType.UNDO_EXTRA_STEP = _correction("undo_extra_step")
CorrectionType.RESTORE_ORDER = _correction("restore_order")

# What a plan notes about a mistake that nobody planned: the text itself says that it is there.
CLAIMED = "claimed_by_the_text"
# The higher, the graver.
SEVERITY_RANK = {Severity.LOW: 0, Severity.MEDIUM: 1, Severity.HIGH: 2}
PHASES = tuple(Phase)
