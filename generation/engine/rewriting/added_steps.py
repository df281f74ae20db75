"""Steps that a mistake adds: in place of another one, or in between (PIE-V, section 3.1)."""

import re

from annotation.engine.taxonomy import Mod
from generation.engine.english.actions import family_of_text
from generation.engine.english.families import Family
from generation.engine.english.instructions import (
    NO_PLACES,
    WrittenPhrase,
    as_mentioned,
    clause_of,
    thing_of,
)
from generation.engine.english.surface import as_head, in_style_of
from generation.engine.english.words import mentions
from generation.engine.planner.plan import PlannedError
from generation.engine.planner.taxonomy import MutationScope
from generation.engine.rewriting.draft import Draft, Realised
from generation.engine.rewriting.lexicon.actions import actions
from generation.engine.rewriting.lexicon.domains import Domain
from generation.engine.rewriting.lexicon.kinds import KINDS, recognise
from generation.engine.rewriting.mutations import mutations
from generation.engine.rewriting.rewrite import RewriteRow
from generation.engine.rewriting.scene import Scene, SceneStep
from generation.engine.rewriting.slips import Slip, Source, pick_slip, sources_at
from generation.engine.semrep import Role

_PLACE_PREPOSITIONS = frozenset({"on", "in", "at", "inside"})
_NO_SINGLE_THING = re.compile(r"\b(?:contents|ingredients|everything|that)\b")
_TOOL_PREPOSITIONS = frozenset({"with", "using"})
# Steps that bring or add a thing are confused by the thing: what comes later depends on it.
_BY_OBJECT = frozenset({Family.ACQUIRE, Family.ADD, Family.RELEASE})
# How likely a substitute is by what it is: another thing in a step that brings or adds one, any
# other thing, another action on it, what else goes wrong with it.
WEIGHT_OF_CONFUSED, WEIGHT_OF_OTHER, WEIGHT_OF_SLIP = 3.0, 1.0, 2.0


class InsertionWriter:
    """Puts a slip with the things at hand before the planned step."""

    def write(self, draft: Draft, error: PlannedError) -> Realised:
        (index,) = error.spec.places(error.step_index)

        def fits(slip: Slip) -> bool:
            return draft.wording.fits_at(slip.text, index, is_between=True)

        slip = pick_slip(draft, [sources_at(draft.scene, index, draft.timeline.deleted)], fits)
        row = RewriteRow(
            mod=Mod.INSERTION,
            text=draft.wording.take(in_style_of(slip.text, draft.scene.steps[index].text)),
            error_type=error.error_type.name,
            event_id=error.event_id,
        )
        draft.timeline.put_before(index, row)
        return Realised(error.event_id, row.text, repair=slip.repair)


class SubstitutionWriter:
    """Replaces a step by the same with another thing, another action, or a slip with its things."""

    def write(self, draft: Draft, error: PlannedError) -> Realised:
        step, deleted = draft.scene.steps[error.step_index], draft.timeline.deleted

        def fits(slip: Slip) -> bool:
            # Later steps would use what is added here instead of what should have been added.
            is_added_too = step.family is Family.ADD and slip.repair != ""
            is_safe = not is_added_too or family_of_text(slip.text) is not Family.ADD
            return is_safe and draft.wording.replaces(slip.text, step)

        is_by_object = step.family in _BY_OBJECT
        best: dict[Source, float] = {
            lambda: _with_other_object(draft.scene, step): (
                WEIGHT_OF_CONFUSED if is_by_object else WEIGHT_OF_OTHER
            ),
            lambda: _other_actions(draft.scene, step): WEIGHT_OF_OTHER,
        }
        if step.family is not Family.ACQUIRE:  # Nothing can be done with a thing not fetched yet.
            own = sources_at(draft.scene, step.index, deleted, is_own=True)
            total = sum(own.values())
            best |= {form: WEIGHT_OF_SLIP * weight / total for form, weight in own.items()}
        chosen = pick_slip(draft, [best, sources_at(draft.scene, step.index, deleted)], fits)
        row = RewriteRow(
            mod=Mod.ERROR,
            text=draft.wording.take(in_style_of(chosen.text, step.text)),
            old_index=step.index,
            error_type=error.error_type.name,
            event_id=error.event_id,
        )
        draft.timeline.change(step.index, row)
        return Realised(error.event_id, row.text, repair=chosen.repair or None)


def _with_other_object(scene: Scene, step: SceneStep) -> list[Slip]:
    """The step with another object; how to undo it is decided by the correction.

    The word lists cover little of a procedure of no listed domain: there only its own things are
    used.
    """
    is_own = scene.domain is Domain.GENERAL and step.family is not Family.ACQUIRE
    things = [
        head for other in scene.steps for head in other.heads if not mentions(step.text, head)
    ]
    return [
        Slip(change.text, "")
        for role in (Role.OBJECT, Role.COOBJECT)
        for change in mutations(scene, step, step.text, role, MutationScope.ENTITY)
        if step.family is Family.ACQUIRE or not change.is_fallback
        if not is_own or any(mentions(change.text, head) for head in things)
    ]


def _other_actions(scene: Scene, step: SceneStep) -> list[Slip]:
    """Actions that are easily confused with the step's, on its object, if its kind is listed."""
    clause, lists = clause_of(step.text), actions()
    thing = thing_of(clause.object_phrase)
    head = step.object_head or ""
    # "A drizzle of olive oil" is oil, even if the tree has another head.
    match = recognise(head, scene.domain) or recognise(
        as_head(thing.removeprefix("the ")), scene.domain
    )
    is_unknown = match is None and step.family is not Family.ACQUIRE
    is_single = mentions(thing, head.rpartition("_of_")[2]) and not _NO_SINGLE_THING.search(thing)
    if is_unknown or not is_single:
        return []
    kind = "" if match is None else match.kind.name
    if kind in KINDS.unconfused:
        return []
    is_food = scene.domain is Domain.KITCHEN and kind in lists.kinds_of_food
    unfit = lists.not_on_food if is_food else lists.on_food_only
    unfit |= frozenset() if kind in lists.firm_kinds else lists.firm_actions
    return [
        Slip(text, "")
        for template in lists.confusable.get(step.family, ())
        if template.partition(" ")[0] not in unfit
        if not (
            text := template.format(
                object=thing,
                tool=_first_phrase(clause.phrases, _TOOL_PREPOSITIONS),
                place=_first_phrase(clause.phrases, _PLACE_PREPOSITIONS),
            )
        )
        .lower()
        .startswith(clause.verb.partition(" ")[0] + " ")
    ]


def _first_phrase(phrases: tuple[WrittenPhrase, ...], prepositions: frozenset[str]) -> str:
    """The first phrase with one of the prepositions and a blank before it; empty if none has."""
    fitting = (
        f" {phrase.preposition} {as_mentioned(phrase.words)}"
        for phrase in phrases
        if phrase.preposition in prepositions and not NO_PLACES.search(phrase.words)
    )
    return next(fitting, "")
