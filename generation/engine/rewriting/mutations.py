"""What a step could read like when one of its roles goes wrong.

A mutation changes the text of a step in one role and leaves every other word. Scopes are the
planner's: `entity` puts another thing in the role, `attribute` gives its thing a wrong quality,
`substructure` misses the place by its relation or by what it is nested in.
"""

from collections.abc import Iterator

from generation.engine.planner.taxonomy import MutationScope
from generation.engine.rewriting.alternatives import PACKAGING, alternatives
from generation.engine.rewriting.lexicon import qualities
from generation.engine.rewriting.lexicon.kinds import recognise
from generation.engine.rewriting.mutation import Mutation
from generation.engine.rewriting.phrases import (
    INDEFINITE,
    Noun,
    Span,
    replace_noun,
    spans_of,
    with_determiner,
    words_of,
)
from generation.engine.rewriting.role_text import REACH, prepositions_of, role_span
from generation.engine.rewriting.scene import Scene, SceneStep, heads_of_role
from generation.engine.rewriting.surface import (
    DETERMINERS,
    article_for,
    definite,
    without_final_stop,
)
from generation.engine.rewriting.word_mutations import swapped_words, word_changes
from generation.engine.semrep import Role
from generation.engine.semrep.lexicon import PREPOSITIONS

# Characters by which two forms of a word are taken for one.
STEM = 4
_USUAL_PREPOSITIONS: dict[str, str] = {
    Role.INSTRUMENT: "with", Role.DESTINATION: "into", Role.ORIGIN: "from", Role.LOCATION: "on",
    Role.COOBJECT: "with", Role.CONTENT: "with", Role.PATH: "through",
}  # fmt: skip
_NO_ARTICLE = frozenset({"hands", "hand"})


def mutations(
    scene: Scene, step: SceneStep, text: str, role: str, scope: MutationScope
) -> tuple[Mutation, ...]:
    """Return the ways in which one role of a step can go wrong in the planned scope.

    `text` is the step as it reads so far (a second role is changed in the text of the first).
    Where the scope offers nothing the other scopes are used; none at all where the role cannot be
    found in the text.
    """
    order = (scope, *(other for other in MutationScope if other is not scope))
    for tried in order:
        found = tuple(_BY_SCOPE[tried](scene, step, text, role))
        if any(not mutation.is_fallback for mutation in found):
            return found
    return tuple(item for tried in order for item in _BY_SCOPE[tried](scene, step, text, role))


def _entities(scene: Scene, step: SceneStep, text: str, role: str) -> Iterator[Mutation]:
    yield from word_changes(step, text, role, MutationScope.ENTITY)
    if step.tree is None:
        return
    for named in _inner_first(scene, heads_of_role(step.tree, role)):
        head = named.rpartition("_of_")[2]  # of `pack_of_noodles` the noodles
        span = role_span(step, text, role, head)
        if head.startswith("by_") or (span is None and _is_hinted_at(step, text, head)):
            continue
        options = alternatives(scene, step, text, role, head)
        for option in options:
            changed = (
                _with_unsaid_role(step, text, role, option.noun)
                if span is None
                else replace_noun(text, span, option.noun)
            )
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


def _is_hinted_at(step: SceneStep, text: str, head: str) -> bool:
    """Return whether the text has a word of the thing: then the role is said, in other words.

    Words of other things do not count: the valve cap says nothing of the valve.
    """
    others = [span for name in step.heads if name != head for span in spans_of(text, name)]
    said = {
        word.text
        for position, word in enumerate(words_of(text))
        if not any(span.first <= position <= span.last for span in others)
    }
    return any(word in said for word in head.split("_"))


def _with_unsaid_role(step: SceneStep, text: str, role: str, noun: Noun) -> str:
    """Return the text with a role spelled out that it leaves unsaid: "with the jug"."""
    value = None if step.tree is None else step.tree.argument(role)
    given = min(prepositions_of(value), default=_USUAL_PREPOSITIONS.get(role, "with"))
    return _with_phrase(text, given, definite(noun.words))


def _with_phrase(text: str, preposition: str, phrase: str, wrong: str | None = None) -> str:
    """Return the text with a phrase at its end, in place of the bare preposition if it ends so."""
    bare = without_final_stop(text)
    said = preposition.replace("_", " ")
    return f"{bare.removesuffix(' ' + said)} {wrong or said} {phrase}"


def _inner_first(scene: Scene, heads: tuple[str, ...]) -> tuple[str, ...]:
    """Return the heads with what is in a package before the package: another salt, not box."""
    if len(heads) < 2:
        return heads
    match = recognise(heads[0], scene.domain)
    if match is not None and match.kind.name not in PACKAGING:
        return heads
    return (*heads[1:], heads[0])


def _attributes(scene: Scene, step: SceneStep, text: str, role: str) -> Iterator[Mutation]:
    swapped = tuple(swapped_words(step, text, role))
    yield from swapped
    yield from word_changes(step, text, role, MutationScope.ATTRIBUTE)
    if step.tree is None or swapped:
        return
    heads = heads_of_role(step.tree, role)
    for head in heads:
        span = role_span(step, text, role, head)
        if span is None:
            continue
        span = _with_nouns_before(text, span, heads)
        match = recognise(head, scene.domain)
        known = () if match is None else qualities.added().get(match.kind.name, ())
        for quality in (*known, *qualities.UNSPECIFIC):
            if _is_said_by_verb(quality, text):
                continue
            yield Mutation(
                text=_with_quality(text, span, quality),
                role=role,
                scope=MutationScope.ATTRIBUTE,
                right=text[span.start : span.end],
                wrong=f"{quality} {text[span.start : span.end].lower()}",
                is_fallback=quality not in known,
            )
        return


def _substructures(scene: Scene, step: SceneStep, text: str, role: str) -> Iterator[Mutation]:
    if step.tree is None:
        return
    heads = heads_of_role(step.tree, role)
    for head in heads[1:]:
        span = role_span(step, text, role, head)
        options = alternatives(scene, step, text, Role.LOCATION, head) if span is not None else ()
        for option in options:
            yield Mutation(
                text=replace_noun(text, span, option.noun),  # type: ignore[arg-type]
                role=role,
                scope=MutationScope.SUBSTRUCTURE,
                right=head.replace("_", " "),
                wrong=option.noun.words,
                is_fallback=not option.is_at_hand,
            )
    for head in heads[:1]:
        span = role_span(step, text, role, head)
        if span is not None:
            yield from _relations(scene, step, text, role, span)
        elif not _is_hinted_at(step, text, head):
            yield from _unsaid_relations(step, text, role, head)


def _unsaid_relations(step: SceneStep, text: str, role: str, head: str) -> Iterator[Mutation]:
    """Yield the text with an unsaid place spelled out, and missed: "beside the cup"."""
    value = None if step.tree is None else step.tree.argument(role)
    for preposition in sorted(prepositions_of(value)):
        for wrong in qualities.relations().get(preposition.replace("_", " "), ()):
            thing = definite(head.replace("_", " "))
            yield Mutation(
                text=_with_phrase(text, preposition, thing, wrong),
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
    is_substance = _acts_on_a_substance(scene, step)
    match = recognise(text[span.start : span.end], scene.domain)
    if match is None and with_determiner(text, span) == span:
        return  # "in series", "on high": no place.
    known = qualities.relations()
    by_kind = () if match is None else known.get(f"{preposition} {match.kind.name}", ())
    for wrong in by_kind or known.get(preposition, ()):
        if is_substance and wrong in qualities.SOLID_RELATIONS:
            continue
        changed = text[: first.start] + wrong + _with_article(text, first, span, text[first.end :])
        yield Mutation(
            text=changed,
            role=role,
            scope=MutationScope.SUBSTRUCTURE,
            right=text[first.start : span.end],
            wrong=f"{wrong} the {text[span.start : span.end]}",
        )


def _with_article(text: str, preposition: Span, span: Span, rest: str) -> str:
    """Return the words after a preposition, with "the" where nothing determines the thing."""
    thing = text[span.start : span.end].lower()
    is_determined = thing in _NO_ARTICLE or thing.partition(" ")[0] in DETERMINERS
    if preposition.last + 1 != span.first or is_determined:
        return rest
    return " the" + rest


def _acts_on_a_substance(scene: Scene, step: SceneStep) -> bool:
    match = recognise(step.object_head or "", scene.domain)
    return match is not None and match.kind.is_mass


def _preposition(text: str, span: Span) -> tuple[Span, str] | None:
    """Return the nearest preposition before a thing that has wrong relations."""
    words = words_of(text)
    for position in range(span.first - 1, max(span.first - REACH, 0), -1):
        for length in (2, 1):
            first = position - length + 1
            if first < 1:
                continue
            phrase = " ".join(word.text for word in words[first : position + 1])
            if phrase in qualities.relations():
                return Span(first, position, words[first].start, words[position].end), phrase
    return None


def _with_nouns_before(text: str, span: Span, heads: tuple[str, ...]) -> Span:
    """Return the span with another thing of the role that stands right before: "bicycle pedal"."""
    for head in heads:
        for other in spans_of(text, head):
            if other.last + 1 == span.first:
                return Span(other.first, span.last, other.start, span.end)
    return span


def _is_said_by_verb(quality: str, text: str) -> bool:
    """Return whether the verb is the word of the quality: one cannot crack a cracked egg."""
    return text[:STEM].lower() == quality[:STEM].lower()


def _with_quality(text: str, span: Span, quality: str) -> str:
    thing = text[span.start : span.end]
    new = f"{quality} {thing}"
    whole = with_determiner(text, span)
    determiner = text[whole.start : span.start].strip().lower()
    before = words_of(text)[: span.first][-1:]
    is_bare = span.first <= 1 or (before and before[0].text in PREPOSITIONS)
    if not determiner and is_bare and quality in qualities.UNSPECIFIC:
        new = f"the {new}"
    if determiner in INDEFINITE:
        return f"{text[: whole.start]}{article_for(new)} {new}{text[span.end :]}"
    return text[: span.start] + new + text[span.end :]


_BY_SCOPE = {
    MutationScope.ENTITY: _entities,
    MutationScope.ATTRIBUTE: _attributes,
    MutationScope.SUBSTRUCTURE: _substructures,
}
