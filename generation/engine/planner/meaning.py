"""What a representation says to the planner: predicate, roles, complexity and the things it names.

A meaning depends only on the text of the representation and on how entities are read, so it is
computed once per text and process.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from generation.engine.planner.profile import EntityRule, Reading
from generation.engine.semrep import features, parse
from generation.engine.semrep.published import published_counts, published_fields

# Distinct representations kept; the published 50 takes have 934.
CACHED_MEANINGS = 65_536
# The published tokens: digits cut words apart.
_WORD = re.compile(r"[a-z_]+")
_CARRIED_ROLES = ("Instrument", "Object", "Coobject")
_REUSE_ROLES = ("Object", "Instrument", "Destination", "Origin", "Coobject")
_NOTHING: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Meaning:
    """One representation, read.

    `object_value` is the head of the Object as the plan stores it. The entity sets hold the things
    named in the roles in question: `object_entities` in Object, `carried_entities` in Instrument,
    Object and Coobject, `reuse_entities` also in Destination and Origin, `target_entities` in
    Object and Coobject, `head_entities` in the head of the Object alone. `mentions` has one set per
    role value and one for the object's head; it is what later steps refer to.
    """

    semrep: str
    predicate: str
    role_to_value: Mapping[str, str]
    object_value: str | None
    complexity: float
    object_entities: frozenset[str]
    carried_entities: frozenset[str]
    reuse_entities: frozenset[str]
    target_entities: frozenset[str]
    head_entities: frozenset[str]
    mentions: tuple[frozenset[str], ...]


@lru_cache(maxsize=16)
def meaning_reader(reading: Reading) -> Callable[[str], Meaning]:
    """The function, with a cache, that reads representations by the rules of a profile."""
    if reading.entities is EntityRule.WORDS:
        stop_words = reading.stop_words
        return lru_cache(CACHED_MEANINGS)(lambda text: _meaning_by_words(text, stop_words))
    return lru_cache(CACHED_MEANINGS)(_meaning_by_heads)


def _meaning_by_words(text: str, stop_words: frozenset[str]) -> Meaning:
    """The published reading: every lower-cased word of a role value is a thing."""
    predicate, role_to_value, object_value = published_fields(text)
    words = {
        role: frozenset(_WORD.findall(value.lower())) - stop_words
        for role, value in role_to_value.items()
    }
    object_words = frozenset(_WORD.findall((object_value or "").lower())) - stop_words
    return _meaning(
        text, predicate, role_to_value, object_value, published_counts(text).complexity,
        words, object_words,
    )  # fmt: skip


def _meaning_by_heads(text: str) -> Meaning:
    """The reading of the tree: a thing is the head of an entity."""
    if not text:
        return _meaning("", "", {}, None, 0.0, {}, _NOTHING)
    read = features(parse(text).tree)
    heads = {role: frozenset(named) for role, named in read.entity_heads_by_role.items()}
    main = frozenset({read.object_head}) if read.object_head else _NOTHING
    return _meaning(
        text, read.predicate, read.role_to_value, read.object_head, read.complexity, heads, main
    )


def _meaning(
    text: str,
    predicate: str,
    role_to_value: Mapping[str, str],
    object_value: str | None,
    complexity: float,
    entities: Mapping[str, frozenset[str]],
    object_head: frozenset[str],
) -> Meaning:
    def named_in(*roles: str) -> frozenset[str]:
        return _NOTHING.union(*(entities.get(role, _NOTHING) for role in roles))

    return Meaning(
        semrep=text,
        predicate=predicate,
        role_to_value=dict(role_to_value),
        object_value=object_value,
        complexity=complexity,
        object_entities=named_in("Object"),
        carried_entities=named_in(*_CARRIED_ROLES),
        reuse_entities=named_in(*_REUSE_ROLES),
        target_entities=named_in("Object", "Coobject") | object_head,
        head_entities=object_head,
        mentions=(*entities.values(), object_head),
    )
