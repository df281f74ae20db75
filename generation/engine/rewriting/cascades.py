"""Which later steps have to follow from a mistake, and how they read then.

Four rules, each from the trees of the original step and of the mistaken one (PIE-V, C.4):

    possession   another thing was acquired: later steps use that one, until the right one is
                 acquired (cucumber to bell pepper through wash, chop and add)
    contents     another thing was added, and the right one never was: what is worked on later is
                 the other one, until the right one is added or acquired
    place        the thing was put elsewhere: later steps find it there, until it is put again
    state        a thing was not cut, peeled or beaten: later steps meet it whole, until it is

A correction of the mistake ends all of them. Rows of transpositions stay verbatim and deleted ones
have no text; neither is ever required to change.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from annotation.engine.taxonomy import Mod
from generation.engine.rewriting.alternatives import PACKAGING
from generation.engine.rewriting.families import PUTTING, WORKING, Family, family_of
from generation.engine.rewriting.lexicon.domains import Domain
from generation.engine.rewriting.lexicon.kinds import recognise
from generation.engine.rewriting.phrases import Noun, compact, names, replace_noun, spans_of
from generation.engine.rewriting.rewrite import Rewrite, RewriteRow
from generation.engine.rewriting.scene import Scene, SceneStep, heads_of_role, kin_of, tree_of_text
from generation.engine.rewriting.surface import (
    as_head,
    as_words,
    is_plural,
    past_participle,
    singular,
)
from generation.engine.semrep import Role, SemRep

_PLACES = (Role.DESTINATION, Role.LOCATION, Role.COOBJECT)
# Where the added thing is meant when a later step names it; elsewhere it may be a fresh portion.
_CONTENT_ROLES = (Role.OBJECT, Role.COOBJECT, Role.DESTINATION, Role.CONTENT)
_FIXED_MODS = frozenset({Mod.DELETION, Mod.MOVED_SOURCE, Mod.MOVED_TARGET})


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


@dataclass(frozen=True, slots=True)
class RequiredCascade:
    """Row `position` has to name `new_head` where its original step names `old_head`."""

    position: int
    event_id: str
    old_head: str
    new_head: str
    rule: CascadeRule


def required_cascades(
    scene: Scene, rows: Sequence[RewriteRow], event_id: str
) -> tuple[RequiredCascade, ...]:
    """Return the rows that have to follow from one mistake, in timeline order.

    `rows` is a rewrite of the scene's procedure in timeline order. Rows that follow already are
    listed too: what is required does not depend on what was done (see `missing_cascades`).
    """
    start = _position_of_error(rows, event_id)
    if start is None:
        return ()
    found: dict[int, RequiredCascade] = {}
    is_left_out = rows[start].mod is Mod.DELETION
    consequences = (
        _unprepared(scene, rows[start]) if is_left_out else consequences_of(scene, rows[start])
    )
    for consequence in consequences:
        for position in _positions(scene, rows, start, event_id, consequence):
            found.setdefault(
                position,
                RequiredCascade(
                    position, event_id, consequence.old_head, consequence.new_head, consequence.rule
                ),
            )
    return tuple(found[position] for position in sorted(found))


def missing_cascades(
    scene: Scene, rows: Sequence[RewriteRow], event_id: str
) -> tuple[RequiredCascade, ...]:
    """Return the required cascades whose rows still name the old thing."""
    return tuple(
        required
        for required in required_cascades(scene, rows, event_id)
        if names(rows[required.position].text or "", required.old_head)
    )


def apply_cascades(scene: Scene, rewrite: Rewrite, event_id: str) -> Rewrite:
    """Return the rewrite with every missing cascade of one mistake carried out.

    An unchanged row becomes a cascade row of the mistake; a row that is already a mistake, a
    cascade or a correction keeps what it is and changes only its words.
    """
    for missing in missing_cascades(scene, rewrite.rows, event_id):
        row = rewrite.rows[missing.position]
        text = renamed(row.text or "", missing.old_head, missing.new_head, scene.domain)
        if row.mod is Mod.UNCHANGED:
            row = RewriteRow(Mod.CASCADE, text, old_index=row.old_index, event_id=event_id)
        else:
            row = replace(row, text=text)
        rewrite = rewrite.with_row(missing.position, row)
    return rewrite


def renamed(text: str, old_head: str, new_head: str, domain: Domain) -> str:
    """Return the text with every mention of a thing replaced, articles and number made to fit.

    >>> renamed("Wash a cucumber", "cucumber", "onion", Domain.KITCHEN)
    'Wash an onion'
    """
    noun = noun_of(new_head, domain)
    for span in reversed(spans_of(text, old_head)):
        text = replace_noun(text, span, noun)
    return text


def noun_of(head: str, domain: Domain) -> Noun:
    """Return a head as a noun: in the singular, unless it has none."""
    words = as_words(head)
    match = recognise(head, domain)
    if match is not None and match.kind.is_mass:
        return Noun(words, is_mass=True, is_plural_only=is_plural(words))
    base = singular(words)
    return Noun(base, is_plural_only=is_plural(base))


def consequences_of(scene: Scene, row: RewriteRow) -> tuple[Consequence, ...]:
    """Return what the mistake of a row changes for later steps; none for most mistakes."""
    if row.old_index is None or row.text is None:
        return ()
    step = scene.steps[row.old_index]
    before, after = tree_of_text(step.text), tree_of_text(row.text)
    if before is None or after is None or step.tree is None:
        return ()
    return tuple(_consequences(scene, step, before, after))


def _consequences(
    scene: Scene, step: SceneStep, before: SemRep, after: SemRep
) -> Iterator[Consequence]:
    family, thing = family_of(before.predicate), _first_head(before, Role.OBJECT)
    if family is not family_of(after.predicate) or thing is None:
        return
    change = _change_of(before, after, Role.OBJECT)
    if change is not None and family is Family.ACQUIRE:
        yield Consequence(CascadeRule.POSSESSION, *change)
        yield from _other_contents(scene, *change)
    elif change is not None and family is Family.ADD:
        is_moved = any(_change_of(before, after, role) for role in _PLACES)
        if not is_moved and not _was_added_before(scene, change[0], step.index):
            yield Consequence(CascadeRule.CONTENTS, *change)
    elif change is None and family in PUTTING | WORKING:
        for role in _PLACES:
            move = _change_of(before, after, role)
            if move is not None:
                yield Consequence(CascadeRule.PLACE, *move, of_head=thing)


def _unprepared(scene: Scene, row: RewriteRow) -> Iterator[Consequence]:
    """Yield what follows from a preparation that was left out, where no other step does it.

    Only what later steps call prepared can be found: "diced carrot" is then "whole carrot".
    """
    step = scene.steps[row.old_index or 0]
    if step.tree is None or step.object_head is None or step.family is not Family.CUT:
        return
    thing = kin_of(step.object_head)
    others = (other for other in scene.steps[: step.index] if other.family is Family.CUT)
    if any(
        other.object_head is not None and kin_of(other.object_head) == thing for other in others
    ):
        return
    verb = step.tree.predicate.partition("_")[0].lower()
    for done in {past_participle(verb), *(() if verb == "peel" else ("cut", "chopped"))}:
        undone = "unpeeled" if verb == "peel" else "whole"
        head = as_head(singular(as_words(step.object_head)))
        yield Consequence(CascadeRule.STATE, f"{done}_{head}", f"{undone}_{head}", step.object_head)


def _other_contents(scene: Scene, old: str, new: str) -> Iterator[Consequence]:
    """Yield what follows from a package of something else: sugar bag, salt bag, so salt."""
    before, after = recognise(old, scene.domain), recognise(new, scene.domain)
    if before is None or after is None or before.kind.name not in PACKAGING:
        return
    if before.thing == after.thing and before.before and after.before:
        heads = as_head(before.before), as_head(after.before)
        yield Consequence(CascadeRule.POSSESSION, *heads)


def _change_of(before: SemRep, after: SemRep, role: str) -> tuple[str, str] | None:
    """Return the first thing of a role that is another one afterwards: (old, new).

    A thing of another quality is still the same thing: a dirty bowl is the bowl.
    """
    pairs = zip(heads_of_role(before, role), heads_of_role(after, role), strict=False)
    changed = ((old, new) for old, new in pairs if not compact(new).endswith(compact(old)))
    return next(changed, None)


def _first_head(tree: SemRep, role: str) -> str | None:
    return next(iter(heads_of_role(tree, role)), None)


def _was_added_before(scene: Scene, head: str, index: int) -> bool:
    return any(
        step.family is Family.ADD and step.object_head is not None
        and compact(step.object_head) == compact(head)
        for step in scene.steps[:index]
    )  # fmt: skip


def _position_of_error(rows: Sequence[RewriteRow], event_id: str) -> int | None:
    for position, row in enumerate(rows):
        if row.mod in {Mod.ERROR, Mod.DELETION} and row.event_id == event_id:
            return position
    return None


def _positions(
    scene: Scene, rows: Sequence[RewriteRow], start: int, event_id: str, consequence: Consequence
) -> Iterator[int]:
    for position in range(start + 1, len(rows)):
        row = rows[position]
        if row.mod is Mod.CORRECTION and row.event_id == event_id:
            return
        if row.text is None or row.mod in _FIXED_MODS:
            continue
        step = _step_of(scene, row)
        if step is None:
            continue
        if _ends(step, consequence):
            return
        if _is_concerned(scene, step, consequence):
            yield position


def _step_of(scene: Scene, row: RewriteRow) -> SceneStep | None:
    return None if row.old_index is None else scene.steps[row.old_index]


def _ends(step: SceneStep, consequence: Consequence) -> bool:
    """Return whether from this original step on the scene is again as it was meant to be."""
    acts_on = step.object_head
    if consequence.rule is CascadeRule.STATE:
        is_same = acts_on is not None and kin_of(acts_on) == kin_of(str(consequence.of_head))
        return is_same and step.family in {Family.CUT, Family.ACQUIRE}
    if consequence.rule is CascadeRule.PLACE:
        is_moved = acts_on is not None and compact(acts_on) == compact(str(consequence.of_head))
        return is_moved and step.family in PUTTING
    if acts_on is None or compact(acts_on) != compact(consequence.old_head):
        return False
    if consequence.rule is CascadeRule.POSSESSION:
        return step.family is Family.ACQUIRE
    return step.family in {Family.ACQUIRE, Family.ADD}


def _is_concerned(scene: Scene, step: SceneStep, consequence: Consequence) -> bool:
    if not names(step.text, consequence.old_head):
        return False
    if consequence.rule is CascadeRule.STATE:
        return True
    if consequence.rule is CascadeRule.PLACE:
        return names(step.text, str(consequence.of_head))
    mentioned = [
        (role, head)
        for role, heads in step.heads_by_role.items()
        for head in heads
        if names(as_words(head), consequence.old_head)
    ]
    if consequence.rule is CascadeRule.CONTENTS:
        if step.family in {Family.RELEASE, Family.CLEAN, Family.DISPOSE}:
            return False
        mentioned = [(role, head) for role, head in mentioned if role in _CONTENT_ROLES]
    return any(not _is_other_thing(scene, head, consequence.old_head) for _, head in mentioned)


def _is_other_thing(scene: Scene, head: str, old_head: str) -> bool:
    """Return whether a thing whose name contains the old one was acquired in its own right."""
    return compact(head) != compact(old_head) and compact(head) in scene.acquired_at
