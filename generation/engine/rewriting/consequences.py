"""What a mistake changes for the steps after it, by comparing the original and the mistaken step.

There are four rules; `cascades` says where they apply.
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
# Parts of the right place: a thing put there is still in the right place.
_SPOTS = frozenset({"angle", "edge", "side", "end", "rim", "corner", "half", "back", "way", "slot"})
# What a later step may call a thing however it was cut.
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
    step = None if row.old_index is None else scene.steps[row.old_index]
    before = None if step is None else tree_of_text(step.text)
    if step is None or before is None or step.tree is None:
        return ()
    after = None if row.text is None else tree_of_text(row.text)
    moved = () if after is None else _moved(scene, step, before, after)
    return (*moved, *_unprepared(scene, step, before, after))


def _moved(scene: Scene, step: SceneStep, before: SemRep, after: SemRep) -> Iterator[Consequence]:
    """Yield the consequences of taking or adding another thing, or putting the thing elsewhere."""
    family, thing = family_of(before.predicate), _first_head(before, Role.OBJECT)
    if family is not family_of(after.predicate) or thing is None:
        return
    change = _change_of(before, after, Role.OBJECT)
    moves = [move for role in _PLACES if (move := _change_of(before, after, role)) is not None]
    if change is not None and family is Family.ACQUIRE:
        for old, new in _names_of(scene, *change):
            yield Consequence(CascadeRule.POSSESSION, old, new)
    elif change is not None and family is Family.ADD:
        earlier = [other for other in scene.steps[: step.index] if other.family is Family.ADD]
        was_added = any(compact(other.object_head or "") == compact(change[0]) for other in earlier)
        if not moves and not was_added:
            yield Consequence(CascadeRule.CONTENTS, *change)
    elif change is None and family in PUTTING | WORKING:
        for old, new in moves:
            if new not in _SPOTS:
                yield Consequence(CascadeRule.PLACE, old, new, of_head=thing)


def _names_of(scene: Scene, old: str, new: str) -> Iterator[tuple[str, str]]:
    """Yield each name that later steps may use for a thing, with the name of its replacement."""
    yield old, new
    short = old.rpartition("_")[2]  # The mushrooms of `cremini_mushrooms`.
    others = {head for head in scene.acquired_at if kin(head) == kin(old)}
    if short != old and others <= {compact(old)} and kin(new) != kin(old):
        yield short, new
    # A package of something else: sugar bag, salt bag, so salt.
    was, now = recognise(old, scene.domain), recognise(new, scene.domain)
    if was is None or now is None or was.kind.name not in KINDS.packaging:
        return
    if was.thing == now.thing and was.before and now.before:
        yield as_head(was.before), as_head(now.before)


def _unprepared(
    scene: Scene, step: SceneStep, before: SemRep, after: SemRep | None
) -> Iterator[Consequence]:
    """Yield what follows if a thing was not cut as it should be, and no other step cuts it.

    This is only visible where later steps call the thing prepared: "diced carrot" becomes "whole
    carrot", or "mashed carrot" if that was done to it.
    """
    thing, verb = step.object_head, _verb_of(before)
    done = None if after is None else _verb_of(after)
    if thing is None:
        return
    if verb in _BEATING and done != verb:
        state = past_participle(verb)
        yield from _states(scene, thing, {state}, f"un{state}")
    elif step.family is Family.CUT:
        cuts = [other for other in scene.steps[: step.index] if other.family is Family.CUT]
        head = None if after is None else _first_head(after, Role.OBJECT)
        is_cut = after is not None and family_of(after.predicate) is Family.CUT
        if not is_cut or head is None or kin(head) != kin(thing):
            done = None  # It was done to another thing.
        if done == verb or any(kin(other.object_head or "") == kin(thing) for other in cuts):
            return
        undone = "unpeeled" if verb == "peel" else "whole"
        state = undone if done is None else past_participle(done)
        words = {past_participle(verb), *(_CUT_WORDS if verb != "peel" else ())}
        yield from _states(scene, thing, words - {state}, state)


def _states(scene: Scene, thing: str, words: set[str], state: str) -> Iterator[Consequence]:
    """Yield the changed state of a thing for each of its names and each word for its preparation.

    If no other thing shares its last word, a later step may use that word alone: without chopping
    the red bell pepper there is no chopped pepper.
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
    for word in sorted(words):
        for name in heads:
            yield Consequence(CascadeRule.STATE, f"{word}_{name}", f"{state}_{name}", thing)


def _verb_of(tree: SemRep) -> str:
    return tree.predicate.partition("_")[0].lower()


def _change_of(before: SemRep, after: SemRep, role: str) -> tuple[str, str] | None:
    """The first thing of a role that was replaced: (old, new).

    A thing of another quality is still the same thing: a dirty bowl is the bowl.
    """
    pairs = zip(heads_of_role(before, role), heads_of_role(after, role), strict=False)
    changed = ((old, new) for old, new in pairs if not compact(new).endswith(compact(old)))
    return next(changed, None)


def _first_head(tree: SemRep, role: str) -> str | None:
    return next(iter(heads_of_role(tree, role)), None)
