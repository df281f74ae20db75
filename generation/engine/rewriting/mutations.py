"""How a step could read if one of its roles is wrong.

A mutation changes the text of a step in one role and leaves every other word. Scopes are the
planner's: `entity` puts another thing in the role, `attribute` gives its thing a wrong quality,
`substructure` changes the place by its preposition or by the thing that it is part of. In roles
that name no thing, words are changed, whatever the scope: see `way_mutations`.
"""

import re
from collections.abc import Iterator

from generation.engine.english.families import PUTTING, Family
from generation.engine.english.forms import is_plural
from generation.engine.english.surface import as_head, as_words, definite
from generation.engine.english.words import (
    Noun,
    Span,
    kin,
    mentions,
    replace_noun,
    spans_of,
    with_determiner,
    words_of,
)
from generation.engine.planner.taxonomy import MutationScope
from generation.engine.rewriting.added_phrases import with_phrase, with_quality
from generation.engine.rewriting.alternatives import alternatives
from generation.engine.rewriting.at_hand import CARRIED, things_at_hand
from generation.engine.rewriting.draft import Mutation
from generation.engine.rewriting.lexicon.kinds import KINDS, recognise
from generation.engine.rewriting.lexicon.qualities import (
    OF_THE,
    is_for_placing,
    is_for_solids,
    qualities,
)
from generation.engine.rewriting.role_text import (
    REACH,
    prepositions_of,
    role_span,
    terms_of,
    words_of_role,
)
from generation.engine.rewriting.scene import Scene, SceneStep
from generation.engine.rewriting.way_mutations import WAYS, swapped_words, way_mutations
from generation.engine.semrep import Role
from generation.engine.semrep.features import heads_of_role
from generation.engine.semrep.lexicon import LEXICON

# Two words that begin with this many equal characters count as forms of the same word.
STEM = 4
_USUAL_PREPOSITIONS: dict[str, str] = {
    Role.INSTRUMENT: "with", Role.DESTINATION: "into", Role.ORIGIN: "from", Role.LOCATION: "on",
    Role.COOBJECT: "with", Role.CONTENT: "with", Role.PATH: "through",
}  # fmt: skip
# A step in the middle of a place goes wrong by leaving the middle, not by going beside it.
_MIDDLES = frozenset({"middle", "center", "centre"})
_NO_PLACES = frozenset({"heat", "air"})
# These qualities make sense only before cooking: on the stove nobody notices an unwashed egg.
_RAW = frozenset({"unwashed", "unpeeled", "frozen", "unripe"})
_BEFORE_COOKING = frozenset(
    {Family.ACQUIRE, Family.CUT, Family.ADD, Family.CLEAN, Family.PLACE, Family.TAKE_OUT}
)
_PLACING = PUTTING | {Family.TAKE_OUT, Family.OTHER, Family.MOVE, Family.PRESS, Family.CLOSE}
_LEAVING = frozenset({"off", "from", "out of"})
# Actions on things of every kind that are easily left half done.
_IN_PARTS = frozenset({Family.CLEAN, Family.CUT, Family.HEAT, Family.LOOK})


def mutations(
    scene: Scene, step: SceneStep, text: str, role: str, scope: MutationScope
) -> tuple[Mutation, ...]:
    """The ways in which one role of a step can go wrong in a scope; may be empty.

    `text` is the step as it reads so far (a second role is changed in the text of the first).
    """
    if role in WAYS:
        return tuple(way_mutations(step, text, role, scope))
    if step.tree is None:
        return ()
    return tuple(_BY_SCOPE[scope](scene, step, text, role))


def _entities(scene: Scene, step: SceneStep, text: str, role: str) -> Iterator[Mutation]:
    yield from _in_place_of_pronoun(scene, step, text, role)
    heads = _heads(step, role)
    if len(heads) > 1:
        # The contents of a package come before the package: another salt, not another box.
        match = recognise(heads[0], scene.domain)
        if match is None or match.kind.name in KINDS.packaging:
            heads = (*heads[1:], heads[0])
    for named in heads:
        head = named.rpartition("_of_")[2]  # of `pack_of_noodles` the noodles
        span = role_span(step, text, role, head)
        if span is None and _is_hinted_at(step, text, head):
            continue
        if span is not None and words_of(text)[max(0, span.first - 1)] == "or":
            continue  # "A heavy-bottomed or nonstick pan": what stays belongs to the pan.
        options = alternatives(scene, step, text, role, head)
        for option in options:
            if span is None:  # The text leaves the thing out; it is added: "with the jug".
                usual = _USUAL_PREPOSITIONS.get(role, "with")
                preposition = as_words(min(prepositions_of(step, role), default=usual))
                changed = with_phrase(text, f"{preposition} {definite(option.noun.words)}")
            else:
                changed = _written_on(replace_noun(text, span, option.noun), option.noun)
            right = as_words(head) if span is None else text[span.start : span.end]
            yield Mutation(
                changed, role, MutationScope.ENTITY, right, option.noun.words, not option.is_at_hand
            )
        if options:
            return


def _pronoun_span(step: SceneStep, text: str, role: str) -> Span | None:
    """Where the text fills a role with a pronoun or the like: "it", "behind him", "the rest"."""
    spans = (
        role_span(step, text, role, term.word)
        for term in terms_of(step, role)
        if term.word in LEXICON.pronouns | LEXICON.quantity_words
    )
    span = None if _heads(step, role) else next(spans, None)
    return span and with_determiner(text, span)


def _in_place_of_pronoun(scene: Scene, step: SceneStep, text: str, role: str) -> Iterator[Mutation]:
    """Yield the text with another thing of the pronoun's sort, or with "the wrong one"."""
    span = _pronoun_span(step, text, role)
    if span is None:
        return
    pronoun = text[span.start : span.end]
    before = (other.object_head for other in reversed(scene.steps[: step.index]))
    meant = kin(next(filter(None, before), ""))
    sort_of = {
        thing: (kin(as_head(thing.words)), thing.sort)
        for thing in things_at_hand(scene, step.index)
        if thing.step_index < step.index and not mentions(text, thing.words)
    }
    sorts = {sort for name, sort in sort_of.values() if name == meant} & CARRIED
    others = [
        definite(thing.words)
        for thing, (name, sort) in sort_of.items()
        if sort in sorts and name != meant
    ]
    for wrong in (*others, "the wrong ones" if pronoun == "them" else "the wrong one"):
        changed = text[: span.start] + wrong + text[span.end :]
        yield Mutation(changed, role, MutationScope.ENTITY, pronoun, wrong)


def _heads(step: SceneStep, role: str) -> tuple[str, ...]:
    """The things that the first clause of a step names in a role."""
    return () if step.tree is None else heads_of_role(step.tree, role)


def _written_on(text: str, noun: Noun) -> str:
    """The text with "on" before something flat: people write in a notebook but on a label."""
    if noun.words not in qualities().flat:
        return text
    return re.sub(rf"\bin (the |an? |)(?={re.escape(noun.words)}\b)", r"on \1", text)


def _is_hinted_at(step: SceneStep, text: str, head: str) -> bool:
    """Whether the text has a word of the thing: then it states the role in other words.

    Words of other things do not count: "the valve cap" does not mention the valve.
    """
    others = [span for name in step.heads if name != head for span in spans_of(text, name)]
    words = {
        word
        for position, word in enumerate(words_of(text))
        if not any(span.first <= position <= span.last for span in others)
    }
    return any(word in words for word in head.split("_"))


def _attributes(scene: Scene, step: SceneStep, text: str, role: str) -> Iterator[Mutation]:
    swapped = [
        Mutation(changed, role, MutationScope.ATTRIBUTE, right, wrong)
        for changed, right, wrong in swapped_words(step, text, words_of_role(step, text, role))
    ]
    yield from swapped
    heads = _heads(step, role)
    spans = ((head, role_span(step, text, role, head)) for head in heads)
    head, span = next(((head, span) for head, span in spans if span is not None), ("", None))
    if span is None:
        return
    # Another thing of the role may stand right before: "bicycle pedal".
    named = (other for each in heads for other in spans_of(text, each))
    start = next((other for other in named if other.last + 1 == span.first), span)
    span = Span(start.first, span.last, start.start, span.end)
    thing = text[span.start : span.end]
    for quality, is_natural in _qualities(scene, step, role, head, thing):
        changed = with_quality(text, span, quality)
        # No "clean dirty cloth", and one cannot crack a cracked egg.
        is_twice = bool(swapped) and not quality.endswith(OF_THE)
        if changed is None or is_twice or text[:STEM].lower() == quality[:STEM].lower():
            continue
        wrong = f"{quality} {thing.lower()}"
        yield Mutation(changed, role, MutationScope.ATTRIBUTE, thing, wrong, not is_natural)


def _qualities(
    scene: Scene, step: SceneStep, role: str, head: str, words: str
) -> Iterator[tuple[str, bool]]:
    """Yield the qualities and parts of a thing, and whether they are natural for its kind."""
    match, lists = recognise(head, scene.domain), qualities()
    kind = "" if match is None else match.kind.name
    if kind in _NO_PLACES:
        yield from ((quality, False) for quality in lists.unspecific)
        return
    of_kind = lists.added.get(kind, ())
    is_raw = step.family in _BEFORE_COOKING
    yield from ((quality, True) for quality in of_kind if is_raw or quality not in _RAW)
    is_mass = match is not None and match.kind.is_mass
    if role == Role.OBJECT and step.family in lists.parts:
        is_several = is_mass or is_plural(words)
        parts = lists.parts_of_several if is_several else lists.parts[step.family]
        is_fitting = match is None or step.family in _IN_PARTS
        yield from ((part, is_fitting) for part in parts if part not in of_kind)
    elif role == Role.OBJECT:
        yield lists.parts[Family.OTHER][0], False
    elif match is None and not is_plural(words):
        yield from ((part, True) for part in lists.ends)
    yield from ((quality, False) for quality in lists.unspecific if not is_mass)


def _substructures(scene: Scene, step: SceneStep, text: str, role: str) -> Iterator[Mutation]:
    heads = _heads(step, role)
    for head in heads[1:]:
        span = role_span(step, text, role, head)
        if span is None:
            continue
        for option in alternatives(scene, step, text, Role.LOCATION, head):
            changed, wrong = replace_noun(text, span, option.noun), option.noun.words
            right, is_fallback = as_words(head), not option.is_at_hand
            yield Mutation(changed, role, MutationScope.SUBSTRUCTURE, right, wrong, is_fallback)
    pronoun = _pronoun_span(step, text, role)
    for changed, right, wrong in () if pronoun is None else _relations(scene, step, text, pronoun):
        yield Mutation(changed, role, MutationScope.SUBSTRUCTURE, right, wrong)
    is_part = bool(heads) and heads[0] in _MIDDLES and len(heads) > 1
    for head in heads[1:2] if is_part else heads[:1]:
        span = role_span(step, text, role, head)
        if span is not None:
            changes = _relations(scene, step, text, span)
        elif not _is_hinted_at(step, text, head):
            changes = _missed(scene, step, text, role, head)
        else:
            continue
        for changed, right, wrong in changes:
            yield Mutation(changed, role, MutationScope.SUBSTRUCTURE, right, wrong)


def _missed(
    scene: Scene, step: SceneStep, text: str, role: str, head: str
) -> Iterator[tuple[str, str, str]]:
    """Yield the text with a place that it leaves out added, and wrong: "beside the cup"."""
    for preposition in sorted(prepositions_of(step, role)):
        for relation in qualities().relations.get(as_words(preposition), ()):
            if not (is_for_solids(relation) and _acts_on_a_substance(scene, step)):
                phrase = f"{relation} {definite(as_words(head))}"
                yield with_phrase(text, phrase), as_words(head), phrase


def _relations(
    scene: Scene, step: SceneStep, text: str, span: Span
) -> Iterator[tuple[str, str, str]]:
    """Yield the text with a wrong preposition for a place, the words replaced, and the new ones."""
    right = _preposition(text, span)
    if right is None:
        return
    first, preposition = right
    thing = text[span.start : span.end]
    match, relations = recognise(thing, scene.domain), qualities().relations
    kind, name = ("", "") if match is None else (match.kind.name, match.thing)
    # "In series", "on high": no place.
    is_pronoun = thing.lower() in LEXICON.pronouns
    is_idiom = not is_pronoun and match is None and with_determiner(text, span) == span
    if is_idiom or (kind in _NO_PLACES and preposition not in _LEAVING):
        return
    is_before = first.last + 1 == span.first
    rest = (
        " " + (thing if is_pronoun else definite(thing))
        if is_before
        else text[first.end : span.end]
    )
    keys = f"{preposition} {name}", f"{preposition} {kind}", preposition
    for wrong in next(filter(None, map(relations.get, keys)), ()):
        is_impossible = (
            (is_for_solids(wrong) and _acts_on_a_substance(scene, step))
            or (is_for_placing(wrong) and step.family not in _PLACING)
            or mentions(wrong, thing)  # Nothing is on the floor under the floor.
        )
        if not is_impossible:
            changed = text[: first.start] + wrong + rest + text[span.end :]
            yield changed, text[first.start : span.end], f"{wrong} the {thing}"


def _acts_on_a_substance(scene: Scene, step: SceneStep) -> bool:
    matches = [recognise(head, scene.domain) for head in step.heads_by_role.get(Role.OBJECT, ())]
    return any(match is not None and match.kind.is_mass for match in matches)


def _preposition(text: str, span: Span) -> tuple[Span, str] | None:
    """The nearest preposition before a thing that has wrong relations."""
    words = words_of(text)
    for position in range(span.first - 1, max(span.first - REACH, 0), -1):
        for length in (4, 2, 1):
            first = position - length + 1
            if first < 1 or words[first - 1] == "the":
                continue  # "The inside of the tyre" is itself a thing.
            phrase = " ".join(words[first : position + 1])
            if phrase in qualities().relations:
                return Span(first, position, words[first].start, words[position].end), phrase
    return None


_BY_SCOPE = {
    MutationScope.ENTITY: _entities,
    MutationScope.ATTRIBUTE: _attributes,
    MutationScope.SUBSTRUCTURE: _substructures,
}
