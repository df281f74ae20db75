"""Actions that a person could do instead of another, and manners in which an action fails."""

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

    `confusable` are actions that are easily confused with one of a family and leave the object
    where it is. Of these `on_food_only` (by their verbs) are done only to `kinds_of_food`,
    `not_on_food` only to other kinds, and `firm_actions` need something firm: nobody peels parsley.

    `failed_manners` are added to the text of an action, by family, if none of its roles can be
    changed; `failed_roles` the same by the role that is planned to go wrong.
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
    """Raises `WordListError` if the file is wrong."""
    return load_words(Path(__file__).with_name("actions.toml"), Actions)
