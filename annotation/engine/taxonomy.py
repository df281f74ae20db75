"""The closed sets of PIE-V: what a step of a trace can be, and what a mistake can be called.

Everything that stores, shows, imports or rates one of these words imports it from here; nobody
retypes the strings. Sources: PIE-V (sections 3.1 and 4.1, Table 2) for error types and the
meaning of a correction, the published writer's output format for the row marks (`Mod`).
"""

from enum import StrEnum


class Mod(StrEnum):
    """What one row of a trace is with respect to its reference."""

    UNCHANGED = "u"
    ERROR = "e"
    CASCADE = "a"
    INSERTION = "i"
    CORRECTION = "c"
    DELETION = "d"
    MOVED_SOURCE = "ms"
    MOVED_TARGET = "mt"


class ErrorType(StrEnum):
    """The five ways in which a person errs (PIE-V, section 3.1); the value is the short label."""

    DELETION = "D"
    INSERTION = "I"
    SUBSTITUTION = "S"
    TRANSPOSITION = "T"
    WRONG_EXECUTION = "WE"

    @property
    def words(self) -> str:
        return self.name.replace("_", " ").lower()


class TaxonomyLabel(StrEnum):
    """The six answers of the metric Taxonomy Fit: the five error types and a correction."""

    DELETION = "D"
    INSERTION = "I"
    SUBSTITUTION = "S"
    TRANSPOSITION = "T"
    WRONG_EXECUTION = "WE"
    CORRECTION = "C"

    @property
    def words(self) -> str:
        return self.name.replace("_", " ").lower()


class EventKind(StrEnum):
    """What is rated: one error or one correction."""

    MISTAKE = "mistake"
    CORRECTION = "correction"


# The long names under which the published plan and rewrite files store the same five types.
ERROR_TYPE_BY_PUBLISHED_NAME = {
    "deletion": ErrorType.DELETION,
    "insertion": ErrorType.INSERTION,
    "substitution": ErrorType.SUBSTITUTION,
    "transposition": ErrorType.TRANSPOSITION,
    "wrong_execution": ErrorType.WRONG_EXECUTION,
}
PUBLISHED_NAME_BY_ERROR_TYPE = {
    error_type: name for name, error_type in ERROR_TYPE_BY_PUBLISHED_NAME.items()
}

# Rows that stand for an event and therefore must name one.
MODS_WITH_EVENT = frozenset(
    {
        Mod.ERROR,
        Mod.INSERTION,
        Mod.CORRECTION,
        Mod.DELETION,
        Mod.MOVED_SOURCE,
        Mod.MOVED_TARGET,
    }
)
# Rows that the reference does not have.
MODS_WITHOUT_REFERENCE = frozenset({Mod.INSERTION, Mod.CORRECTION})
