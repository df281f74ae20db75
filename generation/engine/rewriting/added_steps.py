"""Steps that a mistake adds: in place of another one, or in between (PIE-V, section 3.1).

A substitute is the same act with another thing of the procedure, the act in the other direction, an
act that is taken for it, an earlier act once more, or a later one too early. An extra step is an
act done to another thing, done once more where once more is too much, taken back, or done too
early, or a thing dropped or spilled. A look or a touch is no mistake.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from annotation.engine.taxonomy import Mod
from generation.engine.english.clauses import Clause
from generation.engine.english.forms import singular
from generation.engine.english.instructions import gerund_of, imperative
from generation.engine.english.surface import definite, in_style_of, upper_first
from generation.engine.english.things import NamedThing, all_clauses, named_things, object_of
from generation.engine.english.words import compact, mentions, words_of
from generation.engine.planner.plan import PlannedError
from generation.engine.rewriting.changes import (
    acts_of_clause,
    class_of_clause,
    is_stuff,
    thing_changes,
)
from generation.engine.rewriting.draft import Draft, Realised
from generation.engine.rewriting.lexicon.mishaps import (
    Trait,
    acts_of,
    class_of,
    mishaps,
    reversed_acts,
)
from generation.engine.rewriting.rewrite import RewriteRow
from generation.engine.rewriting.scene import Scene, SceneStep
from generation.engine.semrep import Role
from generation.engine.word_lists import word_set

# Acts whose repetition spoils something.
_TOO_MUCH_AGAIN = frozenset({"add", "season", "turn_over"})
# To do these to another thing, or not at all, is no mistake that anybody would see.
_HARMLESS = frozenset({"check", "measure", "wait", "write"})
# What is fetched, put away, open or on already cannot be so once more.
_DONE_ONCE = word_set("acquire release dispose open close switch_on switch_off")
_COUNTED = frozenset({"mark", "cut", "cut_through"})
STEPS_BACK = 2
MAX_WORDS = 12


@dataclass(frozen=True, slots=True)
class AddedStep:
    """A step in words, and the clause that takes it back; empty: it follows from the text."""

    text: str
    repair: str = ""


# The added steps of one form, computed when called.
Source = Callable[[], list[AddedStep]]


def substitutes(scene: Scene, step: SceneStep) -> dict[Source, float]:
    """The forms of what could be done instead of a step, with their weights."""
    return {
        lambda: _with_other_things(scene, step): 6.0,
        lambda: _other_way(step): 2.0,
        lambda: _alike(step): 3.0,
        lambda: _again_instead(scene, step): 1.0,
    }


def extra_steps(scene: Scene, index: int) -> dict[Source, float]:
    """The forms of what could be done besides, right before a step, with their weights."""
    return {
        lambda: _with_other_things(scene, scene.steps[index], is_besides=True): 3.0,
        lambda: _again(scene, index): 3.0,
        lambda: _another(scene, index): 3.0,
        lambda: _taken_back(scene, index): 1.0,
        lambda: _dropped(scene, index): 2.0,
        lambda: _spilled(scene, index): 2.0,
    }


class InsertionWriter:
    """Puts a step that goes wrong, with what is at hand, before the planned one."""

    def write(self, draft: Draft, error: PlannedError) -> Realised:
        (index,) = error.spec.places(error.step_index)
        hand, fits_at = draft.scene.possession, draft.wording.fits_at
        away = [thing for thing in hand.moves if not hand.is_at_hand(thing, index)]

        def drawn(at: int, *, may_repeat: bool) -> AddedStep | None:
            def fits(added: AddedStep) -> bool:
                is_there = at == index or not any(mentions(added.text, thing) for thing in away)
                return is_there and fits_at(
                    added.text, index, is_between=True, may_repeat=may_repeat
                )

            return _drawn(draft, extra_steps(draft.scene, at), fits)

        # What was at hand a little before still is, if it was not put away.
        tries = [(index, False), (index, True)]
        tries += [(at, True) for at in range(index - 1, max(-1, index - 4), -1)]
        chosen = next(filter(None, (drawn(at, may_repeat=again) for at, again in tries)), None)
        if chosen is None:
            draft.notes.append(f"{error.event_id}: no extra step makes sense before step {index}")
            nothing = AddedStep("Do the last step a second time", "Take back what was done twice")
            chosen = next(iter(_once_more(draft.scene, index)), nothing)
        row = RewriteRow(
            mod=Mod.INSERTION,
            text=draft.wording.take(in_style_of(chosen.text, draft.scene.steps[index].text)),
            error_type=error.error_type.name,
            event_id=error.event_id,
        )
        draft.timeline.put_before(index, row)
        return Realised(error.event_id, row.text, repair=chosen.repair or None)


class SubstitutionWriter:
    """Replaces a step by another act, or by the same one with another thing."""

    def write(self, draft: Draft, error: PlannedError) -> Realised:
        step = draft.scene.steps[error.step_index]

        def fits(added: AddedStep, *, may_repeat: bool = False) -> bool:
            return draft.wording.replaces(added.text, step, may_repeat=may_repeat)

        sources = substitutes(draft.scene, step)
        chosen = _drawn(draft, sources, fits)
        chosen = chosen or _drawn(draft, sources, partial(fits, may_repeat=True))
        if chosen is None:
            draft.notes.append(f"{error.event_id}: nothing else makes sense at step {step.index}")
            others = filter(fits, _once_more(draft.scene, step.index))
            chosen = next(others, _something_else(step))
        row = RewriteRow(
            mod=Mod.ERROR,
            text=draft.wording.take(in_style_of(chosen.text, step.text)),
            old_index=step.index,
            error_type=error.error_type.name,
            event_id=error.event_id,
        )
        draft.timeline.change(step.index, row)
        return Realised(error.event_id, row.text, repair=chosen.repair or None)


def _drawn(
    draft: Draft, sources: Mapping[Source, float], fits: Callable[[AddedStep], bool]
) -> AddedStep | None:
    return next(
        (
            added
            for source in draft.shuffled(sources)
            for added in draft.shuffled(dict.fromkeys(source(), 1.0))
            if fits(added)
        ),
        None,
    )


def _with_other_things(
    scene: Scene, step: SceneStep, *, is_besides: bool = False
) -> list[AddedStep]:
    """The step's act with another thing of the procedure.

    Besides the step itself another tool or place does no harm, if nothing is fixed there.
    """
    first = next(iter(all_clauses(step.text)), None)
    if first is None or class_of_clause(first) in _HARMLESS:
        return []
    traits = acts_of_clause(first).traits
    if is_besides and Trait.PLACES in traits:
        return []  # What is put there belongs somewhere else, and its own step follows.
    is_any = not is_besides or Trait.JOINS in traits
    return [
        AddedStep(change.text)
        for change in thing_changes(scene, step, step.text)
        if change.text != step.text and (is_any or change.role == Role.OBJECT)
    ]


def _only_clause(step: SceneStep) -> Clause | None:
    """The clause of a step of one act, without conditions."""
    clauses = all_clauses(step.text)
    is_plain = len(clauses) == 1 and not (clauses[0].subordinates or clauses[0].is_denied)
    return clauses[0] if is_plain else None


def _with_verb(text: str, clause: Clause, verb: str) -> str:
    """The text with another verb."""
    old = clause.words[0]
    written = text[: old.start] + verb + text[old.end :]
    return upper_first(written) if text[old.start].isupper() else written


def _other_way(step: SceneStep) -> list[AddedStep]:
    """The act in the other direction: possible where it goes nowhere in particular."""
    clause = _only_clause(step)
    verb = "" if clause is None else reversed_acts().get(clause.predicate, "")
    if clause is None or not verb or any(phrase.preposition for phrase in clause.phrases):
        return []
    if clause.particle or clause.adverbs or clause.modifiers:
        return []  # "Pull it forward": the other way is backward.
    return [AddedStep(_with_verb(step.text, clause, verb))]


def _alike(step: SceneStep) -> list[AddedStep]:
    clause = _only_clause(step)
    if clause is None:
        return []
    verbs = mishaps().alike.get(clause.predicate, ())
    return [AddedStep(_with_verb(step.text, clause, verb)) for verb in verbs]


def _again(scene: Scene, index: int) -> list[AddedStep]:
    """A step shortly before once more, where once more is too much."""
    added = []
    for step in scene.steps[max(0, index - STEPS_BACK) : index]:
        clause, thing = _only_clause(step), object_of(step.text)
        if clause is None or class_of_clause(clause) not in _TOO_MUCH_AGAIN or _is_long(step):
            continue
        is_added = Trait.ADDS in acts_of_clause(clause).traits
        # The packet is used up, and what was made ready for this; of salt there is more.
        if is_added and (
            thing is None
            or thing.before.lower() == "the"
            or scene.uses_of(thing.kin)[0][0] < step.index
        ):
            continue
        repair = f"Take away the extra {thing.words}" if is_added and thing else ""
        text = f"{upper_first(imperative(step.text))} a second time"
        added.append(AddedStep(text, repair or f"Stop {gerund_of(step.text)}"))
    return added


def _again_instead(scene: Scene, step: SceneStep) -> list[AddedStep]:
    """An addition shortly before once more, instead of another addition."""
    clause = _only_clause(step)
    return _again(scene, step.index) if clause and class_of_clause(clause) == "add" else []


def _another(scene: Scene, index: int) -> list[AddedStep]:
    """One more of what a step before makes: a mark, a hole, a piece."""
    added = []
    for step in scene.steps[max(0, index - 1) : index]:
        clause, thing = _only_clause(step), object_of(step.text)
        if clause is None or thing is None or class_of_clause(clause) not in _COUNTED:
            continue
        if re.fullmatch(r"(?!the|your|some|each)\w+", thing.before.lower()):
            noun, of, rest = thing.words.partition(" of ")
            one = singular(noun) + of + rest
            text = f"{step.text[: thing.start]}another {one}{step.text[thing.end :]}"
            added.append(AddedStep(text, f"Put the extra {one} aside"))
    return added


def _taken_back(scene: Scene, index: int) -> list[AddedStep]:
    """The step right before taken back."""
    for step in scene.steps[max(0, index - 1) : index]:
        clause, thing = _only_clause(step), object_of(step.text)
        verb = "" if clause is None else mishaps().undone.get(clause.predicate, "")
        if verb and thing is not None:
            first, _, particle = verb.partition(" ")
            text = f"{first} {definite(thing.words)} {particle} again".replace("  ", " ")
            return [AddedStep(upper_first(text), upper_first(imperative(step.text)))]
    return []


def _dropped(scene: Scene, index: int) -> list[AddedStep]:
    """A thing in the hand dropped: what a step picks up, puts somewhere or works with."""
    things: dict[str, NamedThing] = {}
    for step in scene.steps[max(0, index - 1) : index + 1]:
        for thing in named_things(step.text):
            if _is_held(step, thing, index) and _is_solid(scene, step.text, thing):
                things.setdefault(compact(thing.words), thing)
    return [
        AddedStep(f"Drop {definite(thing.words)}", f"Pick {definite(thing.words)} up again")
        for thing in things.values()
    ]


def _is_held(step: SceneStep, thing: NamedThing, index: int) -> bool:
    """Whether a thing of a step is in the hand right before step `index`."""
    name, is_over = class_of(thing.verb), step.index < index
    if thing.slot == "tool":  # A knot is none, and what something is wrapped in stays there.
        return not thing.verb.startswith("tie") and not (is_over and name in _LEFT_THERE)
    if thing.slot != "object" or Trait.HOLDS not in acts_of(thing.verb).traits:
        return False
    if name == "remove":  # "Unplug" and "disconnect" take nothing into the hand.
        is_put = "into" in step.text.split() or any(
            named.slot == "tool" and not named.before for named in named_things(step.text)
        )
        return is_over and not is_put and not thing.verb.startswith(("un", "dis"))
    return not is_over or name == "take"


_LEFT_THERE = frozenset({"close", "wrap", "tighten", "fill", "coat", "tape", "join", "connect"})


def _spilled(scene: Scene, index: int) -> list[AddedStep]:
    """Some of what the step pours spilled before it gets there."""
    return [
        AddedStep(f"Spill some of {definite(thing.words)}", f"Wipe up the spilled {thing.words}")
        for thing in named_things(scene.steps[index].text)
        if thing.slot == "object" and Trait.POURS in acts_of(thing.verb).traits
        and thing.verb != "transfer" and not thing.is_plural
        and thing.before.lower() not in {"a", "an", "one", "1"}
    ]  # fmt: skip


def _once_more(scene: Scene, index: int) -> list[AddedStep]:
    """Where nothing surely makes sense: the steps before that can be repeated, the last first."""
    return [
        AddedStep(
            f"{upper_first(imperative(step.text))} a second time", f"Stop {gerund_of(step.text)}"
        )
        for step in reversed(scene.steps[:index])
        if step.family not in _DONE_ONCE
        and not _is_long(step)
        and _MORE.isdisjoint(words_of(step.text))
    ]


_MORE = frozenset({"more", "again", "once", "twice", "second"})


def _something_else(step: SceneStep) -> AddedStep:
    if thing := object_of(step.text):
        return AddedStep(f"{step.text[: thing.start]}something else{step.text[thing.end :]}")
    return AddedStep("Do something else")


def _is_long(step: SceneStep) -> bool:
    return len(step.text.split()) > MAX_WORDS


def _is_solid(scene: Scene, text: str, thing: NamedThing) -> bool:
    """Whether a hand can drop the thing: no substance, no part of a body."""
    is_amount = is_stuff(text, thing) or (not thing.before and thing.slot == "tool")
    is_poured = any(
        named.slot == "object" and Trait.POURS in acts_of(named.verb).traits
        for _, named in scene.uses_of(thing.kin)
    )
    is_part = thing.head in _PARTS
    return not (is_amount or is_poured or is_part or "your" in thing.before.lower())


# One drops the whole thing.
_PARTS = frozenset({"handle", "bark", "luff", "corner", "corners", "tip", "ends"})
