"""What a step could read like when one of its roles goes wrong.

A mutation changes the text of a step in one role and leaves every other word. Scopes are the
planner's: `entity` puts another thing in the role, `attribute` gives its thing a wrong quality,
`substructure` misses the place by its relation or by what it is nested in.
"""

import re
from collections.abc import Iterator

from generation.engine.english.families import PUTTING, Family
from generation.engine.english.forms import is_plural
from generation.engine.english.surface import DETERMINERS, definite
from generation.engine.english.words import (
    Noun,
    Span,
    names,
    replace_noun,
    spans_of,
    with_determiner,
    words_of,
)
from generation.engine.planner.taxonomy import MutationScope
from generation.engine.rewriting.added_phrases import with_phrase, with_quality
from generation.engine.rewriting.alternatives import PACKAGING, alternatives
from generation.engine.rewriting.lexicon.kinds import recognise
from generation.engine.rewriting.lexicon.qualities import (
    OF_THE,
    is_for_placing,
    is_for_solids,
    qualities,
)
from generation.engine.rewriting.mutation import Mutation
from generation.engine.rewriting.role_text import REACH, prepositions_of, role_span
from generation.engine.rewriting.scene import Scene, SceneStep
from generation.engine.rewriting.word_mutations import (
    WAYS,
    said_ways,
    swapped_words,
    word_changes,
)
from generation.engine.semrep import Role
from generation.engine.semrep.features import heads_of_role

# Characters by which two forms of a word are taken for one.
STEM = 4
_USUAL_PREPOSITIONS: dict[str, str] = {
    Role.INSTRUMENT: "with", Role.DESTINATION: "into", Role.ORIGIN: "from", Role.LOCATION: "on",
    Role.COOBJECT: "with", Role.CONTENT: "with", Role.PATH: "through",
}  # fmt: skip
# In these of a place: it is missed by leaving them, not by going beside them.
_MIDDLES = frozenset({"middle", "center", "centre"})
_FLAT = frozenset(
    {"label", "receipt", "sticker", "result form", "scrap of paper", "clipboard", "paper towel",
     "envelope", "notepad", "instruction sheet", "price tag"}
)  # fmt: skip
_BOUND = frozenset({"notebook", "manual"})
_NO_PLACES = frozenset({"heat", "air"})
# Nobody finds on the stove that the egg is unwashed.
_RAW = frozenset({"unwashed", "unpeeled", "frozen", "unripe"})
_BEFORE_COOKING = frozenset(
    {Family.ACQUIRE, Family.CUT, Family.ADD, Family.CLEAN, Family.PLACE, Family.TAKE_OUT}
)
_PLACING = PUTTING | {Family.TAKE_OUT, Family.OTHER, Family.MOVE, Family.PRESS, Family.CLOSE}
_OF_FURNITURE = re.compile(r"\b(?:back|edge|end|top|halfway)\b")
_LEAVING = frozenset({"off", "from", "out of"})
_LEVELS = frozenset({"medium", "low", "high", "boil", "simmer", "temperature"})
_NO_ARTICLE = frozenset({"hands", "hand"})
# Actions on things of every kind that are easily left half done.
_IN_PARTS = frozenset({Family.CLEAN, Family.CUT, Family.HEAT, Family.LOOK})


def mutations(
    scene: Scene, step: SceneStep, text: str, role: str, scope: MutationScope
) -> tuple[Mutation, ...]:
    """The ways in which one role of a step can go wrong in the planned scope.

    `text` is the step as it reads so far (a second role is changed in the text of the first).
    Where the scope offers nothing the other scopes are used; none at all where the role cannot be
    found in the text.
    """
    order = (scope, *(other for other in MutationScope if other is not scope))
    for tried in order:
        found = tuple(_BY_SCOPE[tried](scene, step, text, role))
        if any(not mutation.is_fallback for mutation in found):
            return found
    rest = tuple(item for tried in order for item in _BY_SCOPE[tried](scene, step, text, role))
    return (*rest, *said_ways(step, text, role)) if role in WAYS else rest


def _entities(scene: Scene, step: SceneStep, text: str, role: str) -> Iterator[Mutation]:
    yield from word_changes(step, text, role, MutationScope.ENTITY)
    if step.tree is None or role in WAYS:
        return
    heads = heads_of_role(step.tree, role)
    if len(heads) > 1:
        # What is in a package comes before the package: another salt, not box.
        match = recognise(heads[0], scene.domain)
        if match is None or match.kind.name in PACKAGING:
            heads = (*heads[1:], heads[0])
    for named in heads:
        head = named.rpartition("_of_")[2]  # of `pack_of_noodles` the noodles
        span = role_span(step, text, role, head)
        if head.startswith("by_") or (span is None and _is_hinted_at(step, text, head)):
            continue
        if span is not None and words_of(text)[max(0, span.first - 1)] == "or":
            continue  # "A heavy-bottomed or nonstick pan": what stays belongs to the pan.
        options = alternatives(scene, step, text, role, head)
        for option in options:
            if span is None:  # What is left unsaid is spelled out: "with the jug".
                usual = _USUAL_PREPOSITIONS.get(role, "with")
                given = min(prepositions_of(step.tree.argument(role)), default=usual)
                thing = definite(option.noun.words)
                changed = with_phrase(text, given.replace("_", " "), thing)
            else:
                changed = _written_on(replace_noun(text, span, option.noun), option.noun)
            yield Mutation(
                text=changed,
                role=role,
                scope=MutationScope.ENTITY,
                right=head.replace("_", " ") if span is None else text[span.start : span.end],
                wrong=option.noun.words,
                is_fallback=not option.is_at_hand,
            )
        if options:
            return


def _written_on(text: str, noun: Noun) -> str:
    """The text with "on" before what one writes on, and "in" before what one writes in."""
    wrong, right = ("in", "on") if noun.words in _FLAT else ("on", "in")
    if noun.words not in _FLAT | _BOUND:
        return text
    return re.sub(rf"\b{wrong} (the |an? |)(?={re.escape(noun.words)}\b)", rf"{right} \1", text)


def _is_hinted_at(step: SceneStep, text: str, head: str) -> bool:
    """Whether the text has a word of the thing: then the role is said, in other words.

    Words of other things do not count: the valve cap says nothing of the valve.
    """
    others = [span for name in step.heads if name != head for span in spans_of(text, name)]
    said = {
        word
        for position, word in enumerate(words_of(text))
        if not any(span.first <= position <= span.last for span in others)
    }
    return any(word in said for word in head.split("_"))


def _attributes(scene: Scene, step: SceneStep, text: str, role: str) -> Iterator[Mutation]:
    swapped = tuple(swapped_words(step, text, role))
    yield from swapped
    yield from word_changes(step, text, role, MutationScope.ATTRIBUTE)
    if step.tree is None or role in WAYS:
        return
    heads = heads_of_role(step.tree, role)
    for head in heads:
        span = role_span(step, text, role, head)
        if span is None:
            continue
        # Another thing of the role may stand right before: "bicycle pedal".
        named = (other for each in heads for other in spans_of(text, each))
        start = next((other for other in named if other.last + 1 == span.first), span)
        span = Span(start.first, span.last, start.start, span.end)
        for quality, is_known in _qualities(scene, step, role, head, text[span.start : span.end]):
            if swapped and not quality.endswith(OF_THE):
                continue  # "A clean dirty cloth".
            changed = with_quality(text, span, quality)
            # One cannot crack a cracked egg.
            if changed is None or text[:STEM].lower() == quality[:STEM].lower():
                continue
            yield Mutation(
                text=changed,
                role=role,
                scope=MutationScope.ATTRIBUTE,
                right=text[span.start : span.end],
                wrong=f"{quality} {text[span.start : span.end].lower()}",
                is_fallback=not is_known,
            )
        return


def _qualities(
    scene: Scene, step: SceneStep, role: str, head: str, words: str
) -> Iterator[tuple[str, bool]]:
    """Yield the qualities and parts of a thing, and whether they go with just such a thing."""
    match = recognise(head, scene.domain)
    if head in _LEVELS or (match is not None and match.kind.name in _NO_PLACES):
        return
    known = () if match is None else qualities().added.get(match.kind.name, ())
    is_raw = step.family in _BEFORE_COOKING
    yield from ((quality, True) for quality in known if is_raw or quality not in _RAW)
    is_mass = match is not None and match.kind.is_mass
    if role == Role.OBJECT and step.family in qualities().parts:
        is_several = is_mass or is_plural(words)
        several, one = qualities().parts_of_several, qualities().parts[step.family]
        parts = several if is_several else one
        is_fitting = match is None or step.family in _IN_PARTS
        yield from ((part, is_fitting) for part in parts if part not in known)
    elif match is None and role != Role.OBJECT and not is_plural(words):
        yield from ((part, True) for part in qualities().ends)
    elif role == Role.OBJECT:
        yield qualities().parts[Family.OTHER][0], False
    yield from ((quality, False) for quality in qualities().unspecific if not is_mass)


def _substructures(scene: Scene, step: SceneStep, text: str, role: str) -> Iterator[Mutation]:
    if step.tree is None or role in WAYS:
        return
    heads = heads_of_role(step.tree, role)
    for head in heads[1:]:
        span = role_span(step, text, role, head)
        if span is None:
            continue
        for option in alternatives(scene, step, text, Role.LOCATION, head):
            yield Mutation(
                text=replace_noun(text, span, option.noun),
                role=role,
                scope=MutationScope.SUBSTRUCTURE,
                right=head.replace("_", " "),
                wrong=option.noun.words,
                is_fallback=not option.is_at_hand,
            )
    is_part = bool(heads) and heads[0] in _MIDDLES and len(heads) > 1
    for head in heads[1:2] if is_part else heads[:1]:
        span = role_span(step, text, role, head)
        if span is not None:
            yield from _relations(scene, step, text, role, span)
        elif not _is_hinted_at(step, text, head):
            yield from _unsaid_relations(scene, step, text, role, head)


def _unsaid_relations(
    scene: Scene, step: SceneStep, text: str, role: str, head: str
) -> Iterator[Mutation]:
    """Yield the text with an unsaid place spelled out, and missed: "beside the cup"."""
    value = None if step.tree is None else step.tree.argument(role)
    for preposition in sorted(prepositions_of(value)):
        for wrong in qualities().relations.get(preposition.replace("_", " "), ()):
            if is_for_solids(wrong) and _acts_on_a_substance(scene, step):
                continue
            thing = definite(head.replace("_", " "))
            yield Mutation(
                text=with_phrase(text, preposition.replace("_", " "), thing, wrong),
                role=role,
                scope=MutationScope.SUBSTRUCTURE,
                right=head.replace("_", " "),
                wrong=f"{wrong} {thing}",
            )


def _relations(
    scene: Scene, step: SceneStep, text: str, role: str, span: Span
) -> Iterator[Mutation]:
    found = _preposition(text, span)
    if found is None:
        return
    first, preposition = found
    thing = text[span.start : span.end]
    if thing.lower() in _LEVELS:
        return
    if preposition.startswith(("in ", "at ")) and first.last + 1 > span.first:
        return
    is_substance = _acts_on_a_substance(scene, step)
    match = recognise(thing, scene.domain)
    if match is None and with_determiner(text, span) == span:
        return  # "in series", "on high": no place.
    known = qualities().relations
    if match is not None and match.kind.name in _NO_PLACES and preposition not in _LEAVING:
        return
    is_determined = thing.lower() in _NO_ARTICLE or thing.lower().partition(" ")[0] in DETERMINERS
    article = "" if is_determined or first.last + 1 != span.first else " the"
    by_kind = () if match is None else known.get(f"{preposition} {match.kind.name}", ())
    for wrong in by_kind or known.get(preposition, ()):
        if is_substance and is_for_solids(wrong):
            continue
        if step.family not in _PLACING and is_for_placing(wrong):
            continue
        if names(wrong, thing) or (thing.lower() == "floor" and _OF_FURNITURE.search(wrong)):
            continue  # Nothing is on the floor under the floor, and that has no edge.
        yield Mutation(
            text=text[: first.start] + wrong + article + text[first.end :],
            role=role,
            scope=MutationScope.SUBSTRUCTURE,
            right=text[first.start : span.end],
            wrong=f"{wrong} the {thing}",
        )


def _acts_on_a_substance(scene: Scene, step: SceneStep) -> bool:
    heads = step.heads_by_role.get(Role.OBJECT, ())
    matches = [recognise(head, scene.domain) for head in heads]
    return any(match is not None and match.kind.is_mass for match in matches)


def _preposition(text: str, span: Span) -> tuple[Span, str] | None:
    """The nearest preposition before a thing that has wrong relations."""
    words = words_of(text)
    for position in range(span.first - 1, max(span.first - REACH, 0), -1):
        for length in (4, 2, 1):
            first = position - length + 1
            if first < 1 or words[first - 1] in DETERMINERS:
                continue  # "The inside of the tyre" is a thing, no place beside one.
            phrase = " ".join(words[first : position + 1])
            if phrase in qualities().relations:
                return Span(first, position, words[first].start, words[position].end), phrase
    return None


_BY_SCOPE = {
    MutationScope.ENTITY: _entities,
    MutationScope.ATTRIBUTE: _attributes,
    MutationScope.SUBSTRUCTURE: _substructures,
}
