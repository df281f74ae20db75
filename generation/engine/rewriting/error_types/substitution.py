"""Another step is done in place of the intended one (PIE-V, section 3.1)."""

import re
from collections.abc import Iterator

from annotation.engine.taxonomy import Mod
from generation.engine.english.actions import family_of_text
from generation.engine.english.families import Family
from generation.engine.english.forms import is_plural
from generation.engine.english.instructions import NO_PLACES, as_known, clause_of, thing_of
from generation.engine.english.surface import DETERMINERS, as_head, as_words, in_style_of
from generation.engine.english.words import Noun, kin, names, replace_noun
from generation.engine.planner.plan import PlannedError
from generation.engine.planner.taxonomy import MutationScope
from generation.engine.rewriting.alternatives import FOOD_KINDS
from generation.engine.rewriting.draft import Draft, Realised
from generation.engine.rewriting.filled_slips import filled_slips
from generation.engine.rewriting.lexicon.actions import actions
from generation.engine.rewriting.lexicon.domains import Domain, words_of_domain
from generation.engine.rewriting.lexicon.kinds import recognise
from generation.engine.rewriting.mutation import Mutation
from generation.engine.rewriting.mutations import mutations
from generation.engine.rewriting.rewrite import RewriteRow
from generation.engine.rewriting.role_text import role_span
from generation.engine.rewriting.scene import Scene, SceneStep
from generation.engine.semrep import Role

_SECOND_ROLES = (Role.ORIGIN, Role.DESTINATION, Role.LOCATION, Role.INSTRUMENT)
_WORK_PLACES = (Role.LOCATION, Role.DESTINATION)
_PLACE_PREPOSITIONS = frozenset({"on", "in", "at", "inside"})
# In a kitchen these are done to food, whatever it is called.
_WITH_FOOD = frozenset(
    {Family.CUT, Family.STIR, Family.HEAT, Family.ADD, Family.MOVE, Family.CLEAN, Family.TAKE_OUT}
)
_NO_SINGLE_THING = re.compile(r"\b(?:contents|ingredients|everything) ")
_NO_THINGS = frozenset({"sign", "heat", "help", "air", "debris", "person"})
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
        text = in_style_of(self._choose(draft, step), step.text)
        row = RewriteRow(
            mod=Mod.ERROR,
            text=draft.wording.take(text),
            old_index=step.index,
            error_type=error.error_type.name,
            event_id=error.event_id,
        )
        draft.timeline.change(step.index, row)
        return Realised(error.event_id, row.text)

    def _choose(self, draft: Draft, step: SceneStep) -> str:
        likely = _likely(draft, step)
        if likely:
            return draft.pick_weighted(likely)
        for options in self._options(draft, step):
            fitting = [text for text in options if draft.wording.replaces(text, step)]
            if fitting:
                return draft.pick(fitting)
        draft.notes.append(f"step {step.index}: no new action is left for the substitution")
        return draft.pick(words_of_domain(draft.scene.domain).instead)

    def _options(self, draft: Draft, step: SceneStep) -> Iterator[list[str]]:
        """Yield what replaces a step where nothing likely does, the best way first."""
        scene = draft.scene
        yield [item.text for item in _other_objects(scene, step)]
        yield list(words_of_domain(scene.domain).instead)
        yield [slip.text for slip in filled_slips(scene, step.index)]
        yield [slip.text for slip in filled_slips(scene, step.index, is_anywhere=True)]


def _likely(draft: Draft, step: SceneStep) -> dict[str, float]:
    """Return what could be taken for the step: the texts that fit, and how likely each is."""
    scene = draft.scene
    objects = [item.text for item in _other_objects(scene, step) if not item.is_fallback]
    if not any(draft.wording.replaces(text, step) for text in objects):
        objects = [item.text for item in _with_second_change(scene, step)]
    is_by_object = step.family in _BY_OBJECT
    weighted = (
        (WEIGHT_OF_BLOCK, _steps_of_same_block(scene, step)),
        (WEIGHT_OF_CONFUSED if is_by_object else WEIGHT_OF_OTHER, objects),
        (WEIGHT_OF_OTHER, _other_actions(scene, step)),
    )
    return {
        text: weight
        for weight, texts in reversed(weighted)
        for text in texts
        if draft.wording.replaces(text, step)
    }


def _other_objects(scene: Scene, step: SceneStep) -> Iterator[Mutation]:
    """Yield the step with another object."""
    for role in (Role.OBJECT, Role.COOBJECT):
        for change in mutations(scene, step, step.text, role, MutationScope.ENTITY):
            if change.scope is MutationScope.ENTITY:
                yield change


def _with_second_change(scene: Scene, step: SceneStep) -> Iterator[Mutation]:
    """Yield the step with another object at another place; for texts that are too alike else."""
    for change in _other_objects(scene, step):
        for role in () if change.is_fallback else _SECOND_ROLES:
            further = mutations(scene, step, change.text, role, MutationScope.ENTITY)
            yield from (item for item in further if not item.is_fallback)


def _other_actions(scene: Scene, step: SceneStep) -> list[str]:
    """Return other actions on the object, where it is a thing that one can take hold of."""
    clause = clause_of(step.text)
    # "A drizzle of olive oil" is oil, whatever was taken for its head.
    said = as_head(thing_of(clause.object_phrase).removeprefix("the "))
    match = recognise(step.object_head or "", scene.domain) or recognise(said, scene.domain)
    kind = "" if match is None else match.kind.name
    if not _is_a_thing(step, clause.object_phrase, kind):
        return []
    tools = [item for item in clause.phrases if item.preposition in _TOOL_PREPOSITIONS]
    places = [
        item
        for item in clause.phrases
        if item.preposition in _PLACE_PREPOSITIONS and not NO_PLACES.search(item.words)
    ]
    texts = [
        template.format(
            object=thing_of(clause.object_phrase),
            tool="".join(f" {item.preposition} {as_known(item.words)}" for item in tools[:1]),
            place="".join(f" {item.preposition} {as_known(item.words)}" for item in places[:1]),
        )
        for template in _templates(scene, step, kind)
    ]
    # Who sprinkles pepper over the noodles has not added pepper in place of them.
    is_addition = step.family is Family.ADD
    return [
        text
        for text in texts
        if text.partition(" ")[0].lower() != clause.verb.split()[0]
        and not (is_addition and family_of_text(text) is Family.ADD)
    ]


def _is_a_thing(step: SceneStep, said: str, kind: str) -> bool:
    """Return whether the object, as it is said, is one thing; `kind` is empty where unknown."""
    if step.object_head is None or not said or _NO_SINGLE_THING.search(said + " "):
        return False
    # "Check the inside of the tyre": what precedes the first preposition is no thing by itself.
    is_bare = said.lower() in DETERMINERS
    is_no_thing = kind in _NO_THINGS if kind else step.family is Family.OTHER
    return not is_bare and not is_no_thing and names(said, step.object_head.rpartition("_of_")[2])


def _templates(scene: Scene, step: SceneStep, kind: str) -> list[str]:
    """Return what else is done to things of that kind, to any thing where the kind is unknown."""
    known = actions()
    sort = known.sort_of(kind)
    if not kind and scene.domain is Domain.KITCHEN and step.family in _WITH_FOOD:
        sort = "food"
    templates = () if sort == "body" else known.confusable.get(step.family, ())
    if step.family is not Family.ACQUIRE:  # One has not got it yet.
        templates += known.on_things[sort]
    is_food = scene.domain is Domain.KITCHEN and sort in known.sorts_of_food
    unfit = known.not_on_food if is_food else known.on_food_only
    if kind not in known.firm_kinds:
        unfit |= known.firm_actions
    return [
        template for template in dict.fromkeys(templates) if template.partition(" ")[0] not in unfit
    ]


def _steps_of_same_block(scene: Scene, step: SceneStep) -> list[str]:
    """Return what other steps of the block do, done on the object of this one."""
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
        if is_itself or not is_ready or not _can_be_where(scene, step, other):
            continue
        if span is not None and _is_same_sort(scene, step.object_head, other.object_head):
            found.append(replace_noun(other.text, span, noun))
    return found


def _can_be_where(scene: Scene, step: SceneStep, other: SceneStep) -> bool:
    """Return whether the object of a step can be where the other step works."""
    places = [head for role in _WORK_PLACES for head in other.heads_by_role.get(role, ())]
    nested = other.heads_by_role.get(Role.OBJECT, ())[1:]
    return scene.possession.can_be_at(str(step.object_head), (*places, *nested), step.index)


def _is_same_sort(scene: Scene, one: str, other: str) -> bool:
    """Return whether what is done to one thing can be done to the other."""
    first, second = recognise(one, scene.domain), recognise(other, scene.domain)
    if first is None or second is None:
        return False
    kinds = {first.kind.name, second.kind.name}
    return len(kinds) == 1 or kinds <= set(FOOD_KINDS)
