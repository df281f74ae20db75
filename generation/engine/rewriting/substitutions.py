"""Another step is done in place of the intended one (PIE-V, section 3.1)."""

import re
from collections.abc import Iterator

from annotation.engine.taxonomy import Mod
from generation.engine.english.actions import family_of_text
from generation.engine.english.families import Family
from generation.engine.english.forms import is_plural
from generation.engine.english.instructions import NO_PLACES, as_known, clause_of, thing_of
from generation.engine.english.surface import as_head, as_words, in_style_of
from generation.engine.english.words import Noun, kin, names, replace_noun
from generation.engine.planner.plan import PlannedError
from generation.engine.planner.taxonomy import MutationScope
from generation.engine.rewriting.alternatives import FOOD_KINDS
from generation.engine.rewriting.at_hand import is_solid
from generation.engine.rewriting.draft import Draft, Realised
from generation.engine.rewriting.lexicon.actions import actions
from generation.engine.rewriting.lexicon.domains import Domain
from generation.engine.rewriting.lexicon.kinds import recognise
from generation.engine.rewriting.mutation import Mutation
from generation.engine.rewriting.mutations import mutations
from generation.engine.rewriting.rewrite import RewriteRow
from generation.engine.rewriting.role_text import role_span
from generation.engine.rewriting.scene import Scene, SceneStep
from generation.engine.rewriting.slips import (
    Slip,
    Source,
    pick_slip,
    slips_without_things,
    sources_at,
)
from generation.engine.semrep import Role

_SECOND_ROLES = (Role.ORIGIN, Role.DESTINATION, Role.LOCATION, Role.INSTRUMENT)
_WORK_PLACES = (Role.LOCATION, Role.DESTINATION)
_PLACE_PREPOSITIONS = frozenset({"on", "in", "at", "inside"})
_NO_SINGLE_THING = re.compile(r"\b(?:contents|ingredients|everything) ")
# What is no thing, and bodies: nobody takes an action on an arm for another one.
_NO_CONFUSION = frozenset(
    {"sign", "heat", "help", "air", "debris", "person", "body", "limb", "skin", "skin patch"}
    | {"wound", "hand", "fingers", "nostril"}
)
_TOOL_PREPOSITIONS = frozenset({"with", "using"})
# Steps that bring or add a thing are confused by the thing: what comes later depends on it.
_BY_OBJECT = frozenset({Family.ACQUIRE, Family.ADD, Family.RELEASE})
# How likely a substitute is by what it is: another thing in a step that brings or adds one, a step
# of the same block, any other thing or action.
WEIGHT_OF_CONFUSED, WEIGHT_OF_BLOCK, WEIGHT_OF_OTHER = 3.0, 2.0, 1.0


class SubstitutionWriter:
    """Chooses another object, another action on it, or a confusable step of the same block."""

    def write(self, draft: Draft, error: PlannedError) -> Realised:
        step = draft.scene.steps[error.step_index]

        def fits(slip: Slip) -> bool:
            # What is added besides would be met later in place of what should have been added.
            is_added_too = step.family is Family.ADD and slip.repair != ""
            is_safe = not is_added_too or family_of_text(slip.text) is not Family.ADD
            return is_safe and draft.wording.replaces(slip.text, step)

        drawn = (pick_slip(draft, sources, fits) for sources in self._sources(draft, step))
        chosen = next(filter(None, drawn), None)
        if chosen is None:
            draft.notes.append(f"step {step.index}: no new action is left for the substitution")
            chosen = draft.pick(slips_without_things())
        row = RewriteRow(
            mod=Mod.ERROR,
            text=draft.wording.take(in_style_of(chosen.text, step.text)),
            old_index=step.index,
            error_type=error.error_type.name,
            event_id=error.event_id,
        )
        draft.timeline.change(step.index, row)
        return Realised(error.event_id, row.text, repair=chosen.repair or None)

    def _sources(self, draft: Draft, step: SceneStep) -> Iterator[dict[Source, float]]:
        """Yield what replaces a step, by how likely each is; the best way first."""
        scene, gone = draft.scene, draft.timeline.deleted
        is_got = step.family is Family.ACQUIRE
        # One can do nothing with what one has not got yet.
        own = {} if is_got else sources_at(scene, step.index, gone, is_own=True)
        yield {
            lambda: _as_slips(_steps_of_same_block(scene, step)): WEIGHT_OF_BLOCK,
            lambda: _as_slips(_with_other_object(draft, step)): (
                WEIGHT_OF_CONFUSED if step.family in _BY_OBJECT else WEIGHT_OF_OTHER
            ),
            lambda: _as_slips(_other_actions(scene, step)): WEIGHT_OF_OTHER,
            **{form: WEIGHT_OF_OTHER * weight / sum(own.values()) for form, weight in own.items()},
        }
        listed = {lambda: _as_slips([item.text for item in _other_objects(scene, step)]): 1.0}
        anything = sources_at(scene, step.index, gone)
        yield listed if is_got else anything
        yield anything if is_got else listed
        yield {slips_without_things: 1.0}


def _as_slips(texts: list[str]) -> list[Slip]:
    """Actions of which the correction finds out how they are taken back."""
    return [Slip(text, "") for text in dict.fromkeys(texts)]


def _with_other_object(draft: Draft, step: SceneStep) -> list[str]:
    """The step with another object, where that is another step."""
    changed = [item.text for item in _other_objects(draft.scene, step) if not item.is_fallback]
    if draft.scene.domain is Domain.GENERAL and step.family is not Family.ACQUIRE:
        # The word lists know little of what belongs to such a procedure.
        return [
            text
            for text in changed
            if any(
                names(text, head) and not names(step.text, head)
                for other in draft.scene.steps
                for head in other.heads
            )
        ]
    if any(draft.wording.replaces(text, step) for text in changed):
        return changed
    # Where those texts are too alike: another object at another place.
    return [
        item.text
        for change in _other_objects(draft.scene, step)
        for role in (() if change.is_fallback else _SECOND_ROLES)
        for item in mutations(draft.scene, step, change.text, role, MutationScope.ENTITY)
        if not item.is_fallback
    ]


def _other_objects(scene: Scene, step: SceneStep) -> Iterator[Mutation]:
    """Yield the step with another object."""
    for role in (Role.OBJECT, Role.COOBJECT):
        for change in mutations(scene, step, step.text, role, MutationScope.ENTITY):
            if change.scope is MutationScope.ENTITY:
                yield change


def _other_actions(scene: Scene, step: SceneStep) -> list[str]:
    """Actions that are taken for that of the step, on its object, where its kind is known.

    What is in hand is put to other uses by slips; one has not got yet what the step acquires.
    """
    clause = clause_of(step.text)
    said = thing_of(clause.object_phrase)
    # "A drizzle of olive oil" is oil, whatever was taken for its head.
    match = recognise(step.object_head or "", scene.domain) or recognise(
        as_head(said.removeprefix("the ")), scene.domain
    )
    if step.object_head is None or _NO_SINGLE_THING.search(said + " "):
        return []
    if match is None and (step.family is not Family.ACQUIRE or not is_solid(scene, step)):
        return []
    kind, known = "" if match is None else match.kind.name, actions()
    if kind in _NO_CONFUSION or not names(said, step.object_head.rpartition("_of_")[2]):
        return []
    tools = [item for item in clause.phrases if item.preposition in _TOOL_PREPOSITIONS]
    places = [
        item
        for item in clause.phrases
        if item.preposition in _PLACE_PREPOSITIONS and not NO_PLACES.search(item.words)
    ]
    is_food = scene.domain is Domain.KITCHEN and kind in known.kinds_of_food
    unfit = known.not_on_food if is_food else known.on_food_only
    if kind not in known.firm_kinds:
        unfit |= known.firm_actions
    texts = [
        template.format(
            object=said,
            tool="".join(f" {item.preposition} {as_known(item.words)}" for item in tools[:1]),
            place="".join(f" {item.preposition} {as_known(item.words)}" for item in places[:1]),
        )
        for template in known.confusable.get(step.family, ())
        if template.partition(" ")[0] not in unfit
    ]
    return [text for text in texts if text.partition(" ")[0].lower() != clause.verb.split()[0]]


def _steps_of_same_block(scene: Scene, step: SceneStep) -> list[str]:
    """What other steps of the block do, done on the object of this one."""
    if step.object_head is None or step.block is None:
        return []
    words = as_words(step.object_head)
    noun = Noun(words, is_plural_only=is_plural(words))
    found = []
    for other in scene.steps:
        is_usable = other.block == step.block and other.family is not step.family
        if not is_usable or other.object_head is None or other.family in _BY_OBJECT:
            continue
        span = role_span(other, other.text, Role.OBJECT, other.object_head)
        tools = other.heads_by_role.get(Role.INSTRUMENT, ())
        is_ready = all(scene.possession.is_at_hand(tool, step.index) for tool in tools)
        is_itself = any(kin(head) == kin(step.object_head) for head in other.heads)
        places = [head for role in _WORK_PLACES for head in other.heads_by_role.get(role, ())]
        places += other.heads_by_role.get(Role.OBJECT, ())[1:]
        can_be_there = scene.possession.can_be_at(step.object_head, places, step.index)
        if is_itself or not is_ready or not can_be_there:
            continue
        if span is not None and _is_same_sort(scene, step.object_head, other.object_head):
            found.append(replace_noun(other.text, span, noun))
    return found


def _is_same_sort(scene: Scene, one: str, other: str) -> bool:
    """Whether what is done to one thing can be done to the other."""
    first, second = recognise(one, scene.domain), recognise(other, scene.domain)
    if first is None or second is None:
        return False
    kinds = {first.kind.name, second.kind.name}
    return len(kinds) == 1 or kinds <= set(FOOD_KINDS)
