"""Which words of a step's text fill one of its roles."""

from collections.abc import Iterator

from generation.engine.english.instructions import label_end
from generation.engine.english.tokens import Token, Words
from generation.engine.english.words import INDEFINITE, Span, spans_of, words_of
from generation.engine.rewriting.scene import SceneStep
from generation.engine.semrep.lexicon import PREPOSITIONS
from generation.engine.semrep.tree import Term, walk_terms

# Words before a thing that can still belong to its role.
REACH = 4


def role_span(step: SceneStep, text: str, role: str, head: str) -> Span | None:
    """Where a thing fills a role in the text.

    Of several mentions, the one after a preposition of the role is used.
    """
    named = next(filter(None, (spans_of(text, name) for name in _names_of(head))), ())
    begin = label_end(text)
    # Leave out parts of longer names: the valve of "the valve cap".
    spans = [
        span
        for span in named
        if not any(
            other.first <= span.first and span.last <= other.last and other != span
            for name in step.heads
            if name != head
            for other in spans_of(text, name)
        )
    ]
    # "In the pan, melt the butter": a mention before the verb counts only if none follows it.
    spans = [span for span in spans if span.start >= begin] or spans
    if not spans:
        return None
    prepositions = prepositions_of(step, role)
    if len(spans) > 1 and prepositions:
        words = words_of(text)
        for span in spans:
            before = set(words[max(0, span.first - REACH) : span.first])
            if before & prepositions:
                return span
        return spans[-1]
    return spans[0]


def _names_of(head: str) -> Iterator[str]:
    """Yield the ways to write a thing: `bread_slice` also as "slice of bread" and "bread"."""
    yield head
    *before, last = head.split("_")
    if before:
        yield f"{last}_of_{'_'.join(before)}"
    if len(before) > 1:
        yield f"{'_'.join(before[:-1])}_{last}_of_{before[-1]}"
    # "The lobes about half closed" appear in the text as lobes.
    yield from ("_".join(before[:end]) for end in range(len(before), 0, -1))


def prepositions_of(step: SceneStep, role: str) -> frozenset[str]:
    return frozenset(term.word for term in terms_of(step, role) if term.is_preposition)


def terms_of(step: SceneStep, role: str) -> tuple[Term, ...]:
    """The terms that fill a role of the first clause; none if the role is empty."""
    value = None if step.tree is None else step.tree.argument(role)
    return () if value is None else tuple(walk_terms(value))


def words_of_role(step: SceneStep, text: str, role: str) -> list[Token]:
    """The words of the text that fill the role: its terms, and the qualities before them."""
    words = words_of(text)
    by_position: dict[int, Token] = {}
    for term in terms_of(step, role):
        spans = () if term.is_predicate or not term.word else spans_of(text, term.word)
        for span in spans[:1]:
            is_thing = not term.is_preposition and not term.word.endswith("ly")
            first = _first_of_phrase(words, span.first) if is_thing else span.first
            by_position.update({at: words[at] for at in range(first, span.last + 1)})
    return [by_position[position] for position in sorted(by_position)]


def _first_of_phrase(words: Words, first: int) -> int:
    for position in range(first - 1, max(first - REACH, 0), -1):
        if words[position] in PREPOSITIONS | INDEFINITE | {"the", "and"}:
            return position + 1
        if position <= 1:
            return max(position, 1)
    return first
