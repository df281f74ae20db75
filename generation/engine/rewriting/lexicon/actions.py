"""Actions that a person could do in place of another one, and manners in which one fails."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from generation.engine.english.families import Family
from generation.engine.word_lists import load_words


@dataclass(frozen=True, slots=True)
class Actions:
    """What `actions.toml` holds.

    `{object}` stands for the object of the step, definite; `{tool}` and `{place}` for its own
    phrases of these roles, blank where it has none.

    `confusable` are actions that are easily taken for one of a family and leave the object where
    it is. Of these `on_food_only` (by their verbs) are done to `kinds_of_food` alone, `not_on_food`
    to anything else, and `firm_actions` need something firm: nobody peels parsley.

    `failed_manners` say how an action of a family fails where none of its roles can be changed, put
    after its text; `failed_roles` the same by the role that is planned to go wrong.
    """

    confusable: dict[Family, tuple[str, ...]]
    on_food_only: frozenset[str]
    not_on_food: frozenset[str]
    kinds_of_food: frozenset[str]
    firm_actions: frozenset[str]
    firm_kinds: frozenset[str]
    failed_manners: dict[Family, tuple[str, ...]]
    failed_roles: dict[str, tuple[str, ...]]
    failed_anyhow: tuple[str, ...]


@cache
def actions() -> Actions:
    """Raises `WordListError` where the file is wrong."""
    return load_words(Path(__file__).with_name("actions.toml"), Actions)
