"""One way in which a role of a step goes wrong in its text."""

from dataclasses import dataclass

from generation.engine.planner.taxonomy import MutationScope


@dataclass(frozen=True, slots=True)
class Mutation:
    """A text with one role gone wrong: `wrong` stands where `right` stood.

    `is_fallback` marks a change that a person would find less natural than the others.
    """

    text: str
    role: str
    scope: MutationScope
    right: str
    wrong: str
    is_fallback: bool = False
