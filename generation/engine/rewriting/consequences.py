"""What a mistake changes for the steps after it, read off the original and the mistaken step.

Four rules: see `cascades`, which says where they apply.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from generation.engine.english.analyser import tree_of_text
from generation.engine.english.families import PUTTING, WORKING, Family, family_of
from generation.engine.english.forms import is_participle, past_participle, singular
from generation.engine.english.surface import as_head, as_words
from generation.engine.english.words import compact, kin
from generation.engine.rewriting.lexicon.kinds import KINDS, recognise
from generation.engine.rewriting.rewrite import RewriteRow
from generation.engine.rewriting.scene import Scene, SceneStep
from generation.engine.semrep import Role, SemRep
from generation.engine.semrep.features import heads_of_role

_PLACES = (Role.DESTINATION, Role.LOCATION, Role.COOBJECT)
_BEATING = frozenset({"beat", "whisk"})
# Spots of the right place: who puts a thing there finds it there.
_SPOTS = frozenset({"angle", "edge", "side", "end", "rim", "corner", "half", "back", "way", "slot"})
# What a later step may call a thing that was cut in whatever way.
_CUT_WORDS = ("cut", "chopped")


class CascadeRule(StrEnum):
    """Why a later step has to change."""

    POSSESSION = "possession"
    CONTENTS = "contents"
    PLACE = "place"
    STATE = "state"


@dataclass(frozen=True, slots=True)
class Consequence:
    """What a mistake changes for the steps after it: `old_head` becomes `new_head`.

    `of_head` is the thing that was put elsewhere or left as it was (rules place and state).
    """

    rule: CascadeRule
    old_head: str
    new_head: str
    of_head: str | None = None


def consequences_of(scene: Scene, row: RewriteRow) -> tuple[Consequence, ...]:
    """What the mistake of a row changes for later steps; none for most mistakes."""
    if row.old_index is None:
        return ()
    step = scene.steps[row.old_index]
    before = tree_of_text(step.text)
    if before is None or step.tree is None:
        return ()
    after = None if row.text is None else tree_of_text(row.text)
    moved = () if after is None else _consequences(scene, step, before, after)
    return (*moved, *_unprepared(scene, step, before, after))


def _consequences(
    scene: Scene, step: SceneStep, before: SemRep, after: SemRep
) -> Iterator[Consequence]:
    family, thing = family_of(before.predicate), _first_head(before, Role.OBJECT)
    if family is not family_of(after.predicate) or thing is None:
        return
    change = _change_of(before, after, Role.OBJECT)
    if change is not None and family is Family.ACQUIRE:
        yield Consequence(CascadeRule.POSSESSION, *change)
        old, new = change
        # Later steps may leave out a part of the name: cremini mushrooms.
        short = old.rpartition("_")[2]
        others = {head for head in scene.acquired_at if kin(head) == kin(old)}
        if short != old and others <= {compact(old)} and kin(new) != kin(old):
            yield Consequence(CascadeRule.POSSESSION, short, new)
        # A package of something else: sugar bag, salt bag, so salt.
        was, now = recognise(old, scene.domain), recognise(new, scene.domain)
        if (
            was
            and now
            and was.kind.name in KINDS.packaging
            and was.thing == now.thing
            and was.before
            and now.before
        ):
            heads = as_head(was.before), as_head(now.before)
            yield Consequence(CascadeRule.POSSESSION, *heads)
    elif change is not None and family is Family.ADD:
        is_moved = any(_change_of(before, after, role) for role in _PLACES)
        was_added = any(
            other.family is Family.ADD
            and other.object_head is not None
            and compact(other.object_head) == compact(change[0])
            for other in scene.steps[: step.index]
        )
        if not is_moved and not was_added:
            yield Consequence(CascadeRule.CONTENTS, *change)
    elif change is None and family in PUTTING | WORKING:
        for role in _PLACES:
            move = _change_of(before, after, role)
            if move is not None and move[1] not in _SPOTS:
                yield Consequence(CascadeRule.PLACE, *move, of_head=thing)


def _unprepared(
    scene: Scene, step: SceneStep, before: SemRep, after: SemRep | None
) -> Iterator[Consequence]:
    """Yield what follows where a thing was not cut as it should be, and no other step cuts it.

    Only what later steps call prepared can be found: "diced carrot" is then "whole carrot", or
    "mashed carrot" where that was done to it.
    """
    thing = step.object_head
    verb = _verb_of(before)
    if thing is None or (step.family is not Family.CUT and verb not in _BEATING):
        return
    if verb in _BEATING:
        if after is None or _verb_of(after) != verb:
            state = past_participle(verb)
            yield from _states(scene, thing, {state}, f"un{state}")
        return
    done_to_it = None
    if after is not None and family_of(after.predicate) is Family.CUT:
        head = _first_head(after, Role.OBJECT)
        is_same = head is not None and kin(head) == kin(thing)
        done_to_it = _verb_of(after) if is_same else None
    if done_to_it == verb or any(
        other.family is Family.CUT
        and other.object_head is not None
        and kin(other.object_head) == kin(thing)
        for other in scene.steps[: step.index]
    ):
        return
    undone = "unpeeled" if verb == "peel" else "whole"
    state = undone if done_to_it is None else past_participle(done_to_it)
    words = {past_participle(verb), *(_CUT_WORDS if verb != "peel" else ())}
    yield from _states(scene, thing, words - {state}, state)


def _states(scene: Scene, thing: str, said: set[str], state: str) -> Iterator[Consequence]:
    """Yield that what later steps call prepared is in another state, by all of its names.

    Where no other thing has its last word, a later step may leave out the rest: who did not chop
    the red bell pepper has no chopped pepper.
    """
    head = as_head(singular(as_words(thing)))
    heads = [head]
    short = as_head(singular(as_words(thing.rpartition("_")[2])))
    others = {
        compact("_".join(word for word in other.split("_") if not is_participle(word)))
        for step in scene.steps
        for other in step.heads
        if kin(other) == kin(thing)
    }
    if short != head and others <= {compact(thing), compact(short)}:
        heads.append(short)
    for word in sorted(said):
        for name in heads:
            yield Consequence(CascadeRule.STATE, f"{word}_{name}", f"{state}_{name}", thing)


def _verb_of(tree: SemRep) -> str:
    return tree.predicate.partition("_")[0].lower()


def _change_of(before: SemRep, after: SemRep, role: str) -> tuple[str, str] | None:
    """The first thing of a role that is another one afterwards: (old, new).

    A thing of another quality is still the same thing: a dirty bowl is the bowl.
    """
    pairs = zip(heads_of_role(before, role), heads_of_role(after, role), strict=False)
    changed = ((old, new) for old, new in pairs if not compact(new).endswith(compact(old)))
    return next(changed, None)


def _first_head(tree: SemRep, role: str) -> str | None:
    return next(iter(heads_of_role(tree, role)), None)
