"""Which later steps have to change after a mistake, and how they read then.

Four rules, each from the trees of the original step and of the mistaken step (PIE-V, C.4):

    possession   another thing was acquired: later steps use that thing, until the right one is
                 acquired (cucumber to bell pepper through wash, chop and add)
    contents     another thing was added, and the right one never was: later steps work on the
                 other thing, until the right one is added or acquired
    place        the thing was put elsewhere: later steps find it there, until it is moved
    state        a thing was not cut, peeled or beaten: later steps call it whole, until it is

A correction of the mistake ends all of them. Rows of transpositions stay verbatim and deleted ones
have no text; neither is ever required to change. What a mistake changes is in `consequences`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from annotation.engine.taxonomy import Mod
from generation.engine.english.families import PUTTING, Family
from generation.engine.english.forms import is_plural, singular
from generation.engine.english.surface import as_words
from generation.engine.english.words import Noun, compact, kin, mentions, replace_noun, spans_of
from generation.engine.rewriting.consequences import CascadeRule, Consequence, consequences_of
from generation.engine.rewriting.lexicon.domains import Domain
from generation.engine.rewriting.lexicon.kinds import KINDS, recognise
from generation.engine.rewriting.rewrite import Rewrite, RewriteRow
from generation.engine.rewriting.scene import Scene, SceneStep
from generation.engine.semrep import Role

# In these roles a later step means the added thing; elsewhere it may be a fresh portion.
_CONTENT_ROLES = (Role.OBJECT, Role.COOBJECT, Role.DESTINATION, Role.CONTENT)
OF_THINGS_AND_PLACES = frozenset({CascadeRule.POSSESSION, CascadeRule.CONTENTS, CascadeRule.PLACE})
# Which actions on the thing bring the scene back to what was meant.
_ENDED_BY = {
    CascadeRule.POSSESSION: frozenset({Family.ACQUIRE}),
    CascadeRule.CONTENTS: frozenset({Family.ACQUIRE, Family.ADD}),
    CascadeRule.PLACE: PUTTING,
    CascadeRule.STATE: frozenset({Family.ACQUIRE, Family.CUT}),
}
_FIXED_MODS = frozenset({Mod.DELETION, Mod.MOVED_SOURCE, Mod.MOVED_TARGET})


@dataclass(frozen=True, slots=True)
class RequiredCascade:
    """Row `position` has to name `new_head` where its original step names `old_head`."""

    position: int
    event_id: str
    old_head: str
    new_head: str
    rule: CascadeRule


def required_cascades(
    scene: Scene,
    rows: Sequence[RewriteRow],
    event_id: str,
    *,
    rules: frozenset[CascadeRule] = OF_THINGS_AND_PLACES,
) -> tuple[RequiredCascade, ...]:
    """The rows that have to change after one mistake, in timeline order.

    `rows` is a rewrite of the scene's procedure in timeline order. Rows that have changed already
    are listed too: what is required does not depend on what was done (see `missing_cascades`).
    By default the state of things is left out: the judge's world reports whatever is called
    prepared and never was, for any reason.
    """
    cascades: dict[int, RequiredCascade] = {}
    start = next((at for at, row in enumerate(rows) if _is_mistake(row, event_id)), None)
    consequences = () if start is None else consequences_of(scene, rows[start])
    for consequence in (item for item in consequences if item.rule in rules):
        for position, row in enumerate(rows[(start or 0) + 1 :], (start or 0) + 1):
            if row.mod is Mod.CORRECTION and row.event_id == event_id:
                break
            is_fixed = row.text is None or row.mod in _FIXED_MODS
            step = None if is_fixed else _step_of(scene, row)
            if step is not None and _ends(step, consequence):
                break
            if step is not None and _is_concerned(scene, step, consequence):
                heads = consequence.old_head, consequence.new_head
                cascade = RequiredCascade(position, event_id, *heads, consequence.rule)
                cascades.setdefault(position, cascade)
    return tuple(cascades[position] for position in sorted(cascades))


def _is_mistake(row: RewriteRow, event_id: str) -> bool:
    return row.mod in {Mod.ERROR, Mod.DELETION} and row.event_id == event_id


def missing_cascades(
    scene: Scene,
    rows: Sequence[RewriteRow],
    event_id: str,
    *,
    rules: frozenset[CascadeRule] = OF_THINGS_AND_PLACES,
) -> tuple[RequiredCascade, ...]:
    """The required cascades whose rows still name the old thing."""
    return tuple(
        required
        for required in required_cascades(scene, rows, event_id, rules=rules)
        if mentions(rows[required.position].text or "", required.old_head)
    )


def apply_cascades(scene: Scene, rewrite: Rewrite, event_id: str) -> Rewrite:
    """The rewrite with every missing cascade of one mistake added.

    An unchanged row becomes a cascade row of the mistake; a row that is already a mistake, a
    cascade or a correction keeps what it is and changes only its words.
    """
    for missing in missing_cascades(scene, rewrite.rows, event_id, rules=frozenset(CascadeRule)):
        row = rewrite.rows[missing.position]
        text = renamed(row.text or "", missing.old_head, missing.new_head, scene.domain)
        if row.mod is Mod.UNCHANGED:
            row = RewriteRow(Mod.CASCADE, text, old_index=row.old_index, event_id=event_id)
        else:
            row = replace(row, text=text)
        rewrite = rewrite.with_row(missing.position, row)
    return rewrite


def carried_text(
    scene: Scene, rows: Sequence[RewriteRow], position: int, index: int, event_id: str
) -> str:
    """An original step as it reads at row `position`, after the mistakes before that row.

    `event_id` is the mistake that is corrected there: its consequences have ended.
    """
    text = scene.steps[index].text
    for start, row in enumerate(rows[:position]):
        other = str(row.event_id)
        if other == event_id or not _is_mistake(row, other):
            continue
        between = rows[start + 1 : position]
        if any(item.mod is Mod.CORRECTION and item.event_id == other for item in between):
            continue
        steps = [step for item in between if (step := _step_of(scene, item)) is not None]
        for consequence in consequences_of(scene, row):
            is_ended = any(_ends(step, consequence) for step in steps)
            if not is_ended and _is_concerned(scene, scene.steps[index], consequence):
                text = renamed(text, consequence.old_head, consequence.new_head, scene.domain)
    return text


def renamed(text: str, old_head: str, new_head: str, domain: Domain) -> str:
    """The text with every mention of a thing replaced; articles and number are adapted.

    >>> renamed("Wash a cucumber", "cucumber", "onion", Domain.KITCHEN)
    'Wash an onion'
    """
    noun = noun_of(new_head, domain)
    for span in reversed(spans_of(text, old_head)):
        text = replace_noun(text, span, noun)
    return text


def noun_of(head: str, domain: Domain) -> Noun:
    """A head as a noun: in the singular, unless it has none."""
    match = recognise(head, domain)
    is_mass = match is not None and match.kind.is_mass
    words = as_words(head) if is_mass else singular(as_words(head))
    return Noun(words, is_mass, is_plural(words))


def _step_of(scene: Scene, row: RewriteRow) -> SceneStep | None:
    return None if row.old_index is None else scene.steps[row.old_index]


def _ends(step: SceneStep, consequence: Consequence) -> bool:
    """Whether this original step brings the scene back to what was meant."""
    acts_on, thing = step.object_head, consequence.of_head or consequence.old_head
    if acts_on is None or step.family not in _ENDED_BY[consequence.rule]:
        return False
    is_whole_name = consequence.rule is not CascadeRule.STATE
    name = compact if is_whole_name else kin
    return name(acts_on) == name(thing)


def _is_concerned(scene: Scene, step: SceneStep, consequence: Consequence) -> bool:
    old, rule = consequence.old_head, consequence.rule
    if not mentions(step.text, old):
        return False
    if consequence.of_head is not None:
        return rule is CascadeRule.STATE or mentions(step.text, consequence.of_head)
    is_of_contents = rule is CascadeRule.CONTENTS
    if is_of_contents and step.family in {Family.RELEASE, Family.CLEAN, Family.DISPOSE}:
        return False
    for role, heads in step.heads_by_role.items():
        for head in heads if not is_of_contents or role in _CONTENT_ROLES else ():
            match = recognise(head, scene.domain)
            # A name that contains the old one can be another thing: milk tea is no milk.
            is_listed = match is not None and match.kind.name not in KINDS.packaging
            is_of_it = kin(head) == kin(old) or not is_listed
            # Such a thing may also have been acquired by a step of its own.
            is_own = compact(head) != compact(old) and compact(head) in scene.acquired_at
            if is_of_it and not is_own and mentions(as_words(head), old):
                return True
    return False
