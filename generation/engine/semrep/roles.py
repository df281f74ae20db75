"""The roles of a semantic representation and how much a mistake in one matters.

Source: the published table of roles (`semantic_roles.csv`), which has these 21 and their impact.
"""

from enum import StrEnum


class Role(StrEnum):
    """The 21 roles of the published representations."""

    AGENT = "Agent"
    OBJECT = "Object"
    COOBJECT = "Coobject"
    LOCATION = "Location"
    DESTINATION = "Destination"
    ORIGIN = "Origin"
    INSTRUMENT = "Instrument"
    PURPOSE = "Purpose"
    CONTENT = "Content"
    MANNER = "Manner"
    TEMPORAL = "Temporal"
    DEGREE = "Degree"
    PATH = "Path"
    DURATION = "Duration"
    DIRECTION = "Direction"
    PROPOSITION = "Proposition"
    RESULT = "Result"
    QUANTITY = "Quantity"
    THEME = "Theme"
    CONDITION = "Condition"
    CRITERION = "Criterion"


class Impact(StrEnum):
    """How much a mistake in a role changes what the step does."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


_HIGH = (Role.AGENT, Role.OBJECT, Role.COOBJECT)
_MEDIUM = (
    Role.LOCATION,
    Role.DESTINATION,
    Role.ORIGIN,
    Role.INSTRUMENT,
    Role.PURPOSE,
    Role.CONTENT,
)

ROLE_IMPACT: dict[str, Impact] = {
    **dict.fromkeys(map(str, Role), Impact.LOW),
    **dict.fromkeys(map(str, _MEDIUM), Impact.MEDIUM),
    **dict.fromkeys(map(str, _HIGH), Impact.HIGH),
}

# Roles whose value says how, when or how much, and never names a thing of the scene.
# The last line has roles outside the 21 that the published extension entries made up.
ROLES_WITHOUT_ENTITIES: frozenset[str] = frozenset(
    {Role.AGENT, Role.MANNER, Role.DEGREE, Role.DURATION, Role.DIRECTION, Role.QUANTITY}
    | {"State", "Size", "Orientation", "Attribute", "Rate", "Repetition", "Distance"}
)

# Roles that connect a second action or state to the first one.
RELATION_ROLES: frozenset[str] = frozenset(
    {Role.PURPOSE, Role.TEMPORAL, Role.CONDITION, Role.RESULT}
)
# Predicates inside a value that do the same.
RELATION_WORDS = frozenset({"WHILE", "UNTIL", "BEFORE", "AFTER", "WHEN", "IF", "DURING"})
