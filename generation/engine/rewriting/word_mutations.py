"""Words of a role that turn an action wrong: qualities, times, amounts, purposes, results.

These changes need no thing to put in another's place; they are for roles that name none, and for
the qualities of things.
"""

import re
from collections.abc import Iterator

from generation.engine.planner.taxonomy import MutationScope
from generation.engine.rewriting.families import Family
from generation.engine.rewriting.lexicon import qualities
from generation.engine.rewriting.mutation import Mutation
from generation.engine.rewriting.phrases import Word, words_of
from generation.engine.rewriting.role_text import words_of_role
from generation.engine.rewriting.scene import SceneStep
from generation.engine.rewriting.surface import article_for, gerund, in_style_of, plural
from generation.engine.semrep import Role
from generation.engine.semrep.lexicon import PREPOSITIONS
from generation.engine.semrep.tree import walk_terms

_TEMPORAL_SWAPS = {
    "while": "before", "until": "before", "before": "after", "after": "before", "when": "before",
    "once": "before", "during": "before",
}  # fmt: skip
# A number or a range of two, and the unit behind it; no part of a fraction.
_AMOUNT = re.compile(r"(?<![\d/.])(\d+)(?:( ?[-–] ?)(\d+))?(?![\d/.])(\s+[a-z]+)?")
_LETTING = re.compile(r"\band let\b")
# How many times too much or too long a wrong amount is.
TOO_MUCH = 5


def swapped_words(step: SceneStep, text: str, role: str) -> Iterator[Mutation]:
    """Yield the text with one word of the role turned into one that makes it wrong."""
    for word in words_of_role(step, text, role):
        for wrong in qualities.swaps().get(word.text, ()):
            if word.start == 0 and " " in wrong:
                continue  # "All the way inflate" is no imperative.
            changed = _exchanged(text, word, wrong)
            yield Mutation(
                text=in_style_of(_with_fitting_article(changed, word.start), text),
                role=role,
                scope=MutationScope.ATTRIBUTE,
                right=word.text,
                wrong=wrong,
            )


def _exchanged(text: str, word: Word, wrong: str) -> str:
    """Return the text with another word; where it has that too, the two change places."""
    others = [other for other in words_of(text) if other.text in {word.text, wrong}]
    if all(other.text == word.text for other in others):
        return text[: word.start] + wrong + text[word.end :]
    for other in reversed(others):
        new = wrong if other.text == word.text else word.text
        text = text[: other.start] + new + text[other.end :]
    return text


def word_changes(step: SceneStep, text: str, role: str, scope: MutationScope) -> Iterator[Mutation]:
    """Yield what is particular to roles that name no thing: times, numbers, purposes, results."""
    if role in {Role.TEMPORAL, Role.DURATION, Role.CONDITION}:
        for word in words_of(text):
            wrong = _TEMPORAL_SWAPS.get(word.text)
            if wrong is not None and word.start:
                yield Mutation(_replaced(text, word, wrong), role, scope, word.text, wrong)
    if role in {Role.DURATION, Role.TEMPORAL, Role.QUANTITY, Role.DEGREE}:
        for match in _AMOUNT.finditer(text):
            wrong = _several_times(match)
            changed = text[: match.start()] + wrong + text[match.end() :]
            yield Mutation(changed, role, scope, match.group(), wrong)
    if role == Role.PURPOSE:
        yield from _without_purpose(step, text, scope)
    if role == Role.RESULT:
        yield from _bad_results(step, text, scope)
    if role in {
        Role.MANNER,
        Role.DEGREE,
        Role.DIRECTION,
        Role.QUANTITY,
        Role.DURATION,
        Role.TEMPORAL,
    }:
        yield from swapped_words(step, text, role)


def _several_times(match: re.Match[str]) -> str:
    """Return an amount several times as large, its unit in the plural."""
    first, dash, second, unit = match.groups()
    numbers = [str(int(number) * TOO_MUCH) for number in (first, second) if number]
    return (dash or "").join(numbers) + plural(unit or "")


def _without_purpose(step: SceneStep, text: str, scope: MutationScope) -> Iterator[Mutation]:
    """Yield the text that says the purpose is missed: "to check" is "without checking"."""
    value = None if step.tree is None else step.tree.argument(Role.PURPOSE)
    terms = () if value is None else tuple(walk_terms(value))
    if terms and _LETTING.search(text):
        changed = _LETTING.sub("without letting", text)
        yield Mutation(changed, Role.PURPOSE, scope, "and let", "without letting")
    predicates = [term.word for term in terms if term.is_predicate][:1]
    for predicate in predicates:
        verb = predicate.lower().replace("_", " ")
        first = verb.partition(" ")[0]
        match = re.search(rf"\b(?:to|for|and) (?:let )?{re.escape(first)}\b", text, re.IGNORECASE)
        if match is not None:
            wrong = f"without {gerund(first)}"
            changed = text[: match.start()] + wrong + text[match.end() :]
            yield Mutation(changed, Role.PURPOSE, scope, match.group(), wrong)


def _bad_results(step: SceneStep, text: str, scope: MutationScope) -> Iterator[Mutation]:
    match = re.search(r"\b(?:into|in) ", text)
    if match is None or step.family is not Family.CUT:
        return
    words = [word for word in words_of(text) if word.start >= match.end()]
    end = next(
        (word.start - 1 for word in words if word.text in PREPOSITIONS), len(text.rstrip("."))
    )
    for wrong in qualities.BAD_RESULTS:
        changed = text[: match.start()] + "into " + wrong + text[end:]
        yield Mutation(changed, Role.RESULT, scope, text[match.end() : end], wrong)


def _replaced(text: str, word: Word, wrong: str) -> str:
    return text[: word.start] + wrong + text[word.end :]


def _with_fitting_article(text: str, start: int) -> str:
    """Return the text with "a" or "an" made to fit the word that starts at `start`."""
    match = re.search(r"\b(an?) $", text[:start], re.IGNORECASE)
    if match is None:
        return text
    return text[: match.start()] + article_for(text[start:]) + " " + text[start:]
