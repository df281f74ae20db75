"""The words of PIE-V: what a step of a trace can be, and what a mistake can be called.

Everything that stores, shows, imports or rates one of these words imports it from here; nobody
retypes the strings. Sources: PIE-V (sections 3.1 and 4.1, Table 2) for error types and the
meaning of a correction, the published writer's output format for the row marks (`Mod`).
"""

from enum import StrEnum
from typing import ClassVar, Self


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


class OpenWord(str):
    """A word of a set that can grow: `cls(value)` looks it up as an enumeration does.

    The value is what is stored, `name` the long name in files.
    """

    name: str
    MAX_LENGTH: ClassVar[int] = 64
    _known: ClassVar[dict[str, Self]]

    def __init_subclass__(cls) -> None:
        cls._known = {}

    def __new__(cls, value: str) -> Self:
        if value not in cls._known:
            known = ", ".join(cls._known)
            raise ValueError(f"{value!r} is no {cls.__name__}; expected one of {known}")
        return cls._known[value]

    @classmethod
    def register(cls, value: str, name: str = "") -> Self:
        """The word, new or known; ValueError where it is too long or belongs to another."""
        name = name or value
        if not 0 < len(value) <= cls.MAX_LENGTH:
            raise ValueError(f"{value!r} has {len(value)} letters; expected 1 to {cls.MAX_LENGTH}")
        for known in cls._known.values():
            if (known == value) != (known.name == name):
                raise ValueError(f"{value} ({name}) cannot be added: {known} ({known.name}) exists")
        if value not in cls._known:
            cls._known[value] = cls.stored(value)
            cls._known[value].name = name
        return cls._known[value]

    @classmethod
    def stored(cls, value: str) -> Self:
        """The word of a stored value, also where nothing knows that word any more."""
        if value in cls._known:
            return cls._known[value]
        word = str.__new__(cls, value)
        word.name = value
        return word

    @classmethod
    def registered(cls) -> tuple[Self, ...]:
        return tuple(cls._known.values())

    @classmethod
    def by_name(cls) -> dict[str, Self]:
        return {word.name: word for word in cls._known.values()}

    @property
    def words(self) -> str:
        return self.name.replace("_", " ")


class ErrorType(OpenWord):
    """A way in which a person errs; the value is the short label, the name that of plan files.

    The five of PIE-V (section 3.1) stand here, for published data names them. More come with the
    generator (`generation/engine/error_types/`).

    >>> ErrorType("WE").name, ErrorType("WE").words
    ('wrong_execution', 'wrong execution')
    """

    MAX_LENGTH = 8
    DELETION: ClassVar["ErrorType"]
    INSERTION: ClassVar["ErrorType"]
    SUBSTITUTION: ClassVar["ErrorType"]
    TRANSPOSITION: ClassVar["ErrorType"]
    WRONG_EXECUTION: ClassVar["ErrorType"]


ErrorType.DELETION = ErrorType.register("D", "deletion")
ErrorType.INSERTION = ErrorType.register("I", "insertion")
ErrorType.SUBSTITUTION = ErrorType.register("S", "substitution")
ErrorType.TRANSPOSITION = ErrorType.register("T", "transposition")
ErrorType.WRONG_EXECUTION = ErrorType.register("WE", "wrong_execution")


class TaxonomyLabel(StrEnum):
    """The six answers of the metric Taxonomy Fit: PIE-V's five error types and a correction."""

    DELETION = "D"
    INSERTION = "I"
    SUBSTITUTION = "S"
    TRANSPOSITION = "T"
    WRONG_EXECUTION = "WE"
    CORRECTION = "C"

    @property
    def words(self) -> str:
        return self.name.replace("_", " ").lower()


# What an event is called: one of the six, or a type of mistake that was added to them.
EventType = TaxonomyLabel | ErrorType


def event_type(label: str) -> EventType:
    return TaxonomyLabel(label) if label in set(TaxonomyLabel) else ErrorType.stored(label)


def event_types() -> list[EventType]:
    return [event_type(label) for label in dict.fromkeys([*TaxonomyLabel, *ErrorType.registered()])]


def event_type_choices() -> list[tuple[str, str]]:
    """As models, forms and the API take choices."""
    return [(str(label), str(label)) for label in event_types()]


class EventKind(StrEnum):
    """What is rated: one error or one correction."""

    MISTAKE = "mistake"
    CORRECTION = "correction"


class Speaker(StrEnum):
    """Who says something in a recording: who does the task, an assistant, a person who teaches."""

    USER = "user"
    ASSISTANT = "assistant"
    INSTRUCTOR = "instructor"


# Rows that stand for an event and therefore must name one; a cascade only follows from one.
MODS_WITH_EVENT = frozenset(Mod) - {Mod.UNCHANGED, Mod.CASCADE}
# Rows that the reference does not have.
MODS_WITHOUT_REFERENCE = frozenset({Mod.INSERTION, Mod.CORRECTION})
