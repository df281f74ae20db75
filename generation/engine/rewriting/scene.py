"""The procedure as the writer sees it: steps with their trees, and which things are where.

A step without a representation, or with an unreadable one, gets its tree from its text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, TypeVar

from generation.engine.english.analyser import read_tree
from generation.engine.english.families import Family, family_of
from generation.engine.english.things import NamedThing, named_things
from generation.engine.english.words import compact, compact_text, kin
from generation.engine.rewriting.lexicon.domains import Domain, domain_of
from generation.engine.rewriting.lexicon.kinds import is_of_domain
from generation.engine.semrep import Role, SemRep
from generation.engine.semrep.features import features

T = TypeVar("T")

CACHED_TREES, CACHED_SCENES = 65_536, 128
# A procedure belongs to no listed domain if fewer of its things are on the domain's own list. The
# published procedures (50) that belong to a listed domain have 0.31 and more.
MIN_LISTED_SHARE = 0.3


@dataclass(frozen=True, slots=True)
class SceneStep:
    """An original step; `heads_by_role` are the things that it names, outermost first."""

    index: int
    text: str
    tree: SemRep | None
    heads_by_role: dict[str, tuple[str, ...]]
    family: Family

    @property
    def object_head(self) -> str | None:
        """The thing that the step acts on, if any."""
        return next(iter(self.heads_by_role.get(Role.OBJECT, ())), None)

    @property
    def heads(self) -> Iterator[str]:
        """The things that the step names, whatever their role."""
        return (head for heads in self.heads_by_role.values() for head in heads)


@dataclass(frozen=True, slots=True)
class Possession:
    """When things are brought and put away, by the last word of their names.

    `moves` has (step, whether it brings the thing), by rising step.
    """

    moves: dict[str, list[tuple[int, bool]]]

    def is_at_hand(self, head: str, index: int) -> bool:
        """Whether a person could use the thing right before step `index`.

        A thing that no step brings is there anyway; if put away, it has to be brought again.
        """
        moves = self.moves.get(kin(head), ())
        before = [is_brought for at, is_brought in moves if at < index]
        return before[-1] if before else not any(is_brought for _, is_brought in moves)


def possession_of(steps: Sequence[SceneStep]) -> Possession:
    """When the steps bring and put away things."""
    possession = Possession({})
    for step in steps:
        thing = kin(step.object_head or "")
        if thing and step.family in {Family.ACQUIRE, Family.RELEASE, Family.DISPOSE}:
            is_brought = step.family is Family.ACQUIRE
            possession.moves.setdefault(thing, []).append((step.index, is_brought))
    return possession


@dataclass(frozen=True, slots=True)
class Scene:
    """A procedure of N steps: `acquired_at` lists the steps that acquire a thing.

    Things are keyed by their compact form (`words.compact`). `texts` are all original texts,
    compact, so that no mistake reads like another step.
    """

    scenario: str
    domain: Domain
    steps: tuple[SceneStep, ...]
    acquired_at: dict[str, tuple[int, ...]]
    possession: Possession
    texts: frozenset[str]
    # What was found out about steps of this scene, by what and which: plans and texts ask again.
    # Threads share a scene, so what is put here is whole and changes no more.
    kept: dict[tuple[object, ...], Any] = field(default_factory=dict, compare=False)

    def once(self, what: Callable[..., T], *about: object) -> T:
        """What a function says of the scene, asked once."""
        key = (what, *(it.index if isinstance(it, SceneStep) else it for it in about))
        if key not in self.kept:
            self.kept[key] = what(self, *about)
        found: T = self.kept[key]
        return found

    def uses_of(self, kin_of_thing: str) -> list[tuple[int, NamedThing]]:
        """The mentions of things of one noun, with their steps."""
        return self.once(_named_by_kin).get(kin_of_thing, [])


def _named_by_kin(scene: Scene) -> dict[str, list[tuple[int, NamedThing]]]:
    """What the steps name in their texts: for writers of mistakes alone."""
    named: dict[str, list[tuple[int, NamedThing]]] = {}
    for step in scene.steps:
        for thing in named_things(step.text):
            named.setdefault(thing.kin, []).append((step.index, thing))
    return named


def scene_of(scenario: str, steps: Sequence[tuple[str, str]]) -> Scene:
    """The scene of a procedure given as (text, representation) per step."""
    read: list[SceneStep] = []
    for text, semrep in steps:
        tree = read_tree(semrep, text)
        by_role = {} if tree is None else _heads_by_role(tree)
        family = Family.OTHER if tree is None else family_of(tree.predicate)
        read.append(SceneStep(len(read), text, tree, by_role, family))
    acquired: dict[str, list[int]] = {}
    for step in read:
        if step.family is Family.ACQUIRE and step.object_head is not None:
            acquired.setdefault(compact(step.object_head), []).append(step.index)
    domain = domain_of(scenario, [step.text for step in read])
    # "Make a greeting card" sounds like cooking, but its things belong to no kitchen.
    is_listed = [is_of_domain(head, domain) for step in read for head in step.heads]
    if sum(is_listed) < MIN_LISTED_SHARE * len(is_listed):
        domain = Domain.GENERAL
    return Scene(
        scenario=scenario,
        domain=domain,
        steps=tuple(read),
        acquired_at={head: tuple(indices) for head, indices in acquired.items()},
        possession=possession_of(read),
        texts=frozenset(compact_text(step.text) for step in read),
    )


@lru_cache(maxsize=CACHED_SCENES)
def kept_scene(scenario: str, steps: tuple[tuple[str, str], ...]) -> Scene:
    """The scene, kept for a while: a take is planned, with several seeds, and then written."""
    return scene_of(scenario, steps)


@lru_cache(maxsize=CACHED_TREES)
def _heads_by_role(tree: SemRep) -> dict[str, tuple[str, ...]]:
    return features(tree).entity_heads_by_role
