"""Words of a role that turn an action wrong: qualities, times, amounts, purposes, results.

These changes need no thing to put in another's place; they are for roles that name none, and for
the qualities of things.
"""

import re
from collections.abc import Iterator

from generation.engine.english.families import Family
from generation.engine.english.forms import gerund, plural
from generation.engine.english.instructions import core_of, label_end
from generation.engine.english.surface import article_for, in_style_of, without_final_stop
from generation.engine.english.tokens import Token
from generation.engine.english.words import words_of
from generation.engine.planner.taxonomy import MutationScope
from generation.engine.rewriting.lexicon.actions import actions
from generation.engine.rewriting.lexicon.qualities import qualities
from generation.engine.rewriting.mutation import Mutation
from generation.engine.rewriting.role_text import words_of_role
from generation.engine.rewriting.scene import SceneStep
from generation.engine.semrep import Role
from generation.engine.semrep.lexicon import PREPOSITIONS
from generation.engine.semrep.tree import walk_terms

# A number or a range of two, and the unit behind it; no part of a fraction.
_AMOUNT = re.compile(r"(?<![\d/.])(\d+)(?:( ?[-–] ?)(\d+))?(?![\d/.])(\s+(?:more\s+)?[a-z]+)?")
_FRACTION = re.compile(r"(?<![\d/.])(\d)/(\d)(?![\d/.])")
_FULL = re.compile(
    r"\b(?:about |only )?(?:an? |one |two |three )?(?:third|thirds|half|quarter|quarters) full\b"
)
_LETTING = re.compile(r"\band let\b")
_IS_NOT = re.compile(r"\b(is|are) not\b")
_IS = re.compile(r"\b(is|are) (?!not\b)")
# How many times too much or too long a wrong amount is; the first would hardly show.
TOO_MUCH = (2, 3, 5)
_OTHER_FRACTIONS = {"1": ("3", "2"), "2": ("1",), "3": ("1",)}
# Roles that say how, when or how much: no thing in them is mistaken for another.
WAYS = frozenset(
    {Role.MANNER, Role.DEGREE, Role.TEMPORAL, Role.DURATION, Role.DIRECTION, Role.QUANTITY,
     Role.CRITERION, Role.CONDITION, Role.RESULT, Role.PROPOSITION, Role.PURPOSE}
)  # fmt: skip
# Of these a thing has two.
_FEW = re.compile(r" (?:sides?|halves|half|ends?|hands?)\b")
_SWITCHING = frozenset({Family.SWITCH_ON, Family.SWITCH_OFF})
_TEMPERATURES = frozenset({"hot", "cold", "warm", "lukewarm"})
# A text with a place, a tool or a second clause is too long for one more phrase.
_IS_LONG = re.compile(r"\b(?:with|using|in|on|into|onto|to|and|until|over|under|off|by)\b|,|ly$")
_TIMES = frozenset({Role.TEMPORAL, Role.DURATION, Role.CONDITION})
_CLAIMS = frozenset({Role.CRITERION, Role.PROPOSITION, Role.CONDITION})
_AMOUNTS = frozenset({Role.DURATION, Role.TEMPORAL, Role.QUANTITY, Role.DEGREE})


def swapped_words(step: SceneStep, text: str, role: str) -> Iterator[Mutation]:
    """Yield the text with one word of the role turned into one that makes it wrong."""
    for word in words_of_role(step, text, role):
        # A noun here ("egg white"), or a part of one ("cut-side down").
        is_noun = any("_" in head and head.endswith("_" + word) for head in step.heads)
        before = text[: word.start].rpartition(" ")[0].rpartition(" ")[2]
        if word.start < label_end(text) or is_noun or "-" in before:
            continue
        for wrong in qualities().swaps.get(word, ()):
            is_heat = step.family in _SWITCHING and wrong in _TEMPERATURES
            is_many = wrong.endswith("+") and _FEW.match(text[word.end :]) is not None
            if is_heat or is_many or (word.start == 0 and " " in wrong):
                continue  # "All the way inflate" is no imperative; no iron is switched off cold.
            changed = _exchanged(text, word, wrong)
            before, rest = changed[: word.start], changed[word.start :]
            before = re.sub(r"\ban? $", article_for(rest) + " ", before, flags=re.IGNORECASE)
            yield Mutation(
                text=in_style_of(before + rest, text),
                role=role,
                scope=MutationScope.ATTRIBUTE,
                right=word,
                wrong=wrong.rstrip("+"),
            )


def _exchanged(text: str, word: Token, wrong: str) -> str:
    """The text with another word; where it has that too, the two change places.

    A wrong word that ends in `+` counts what comes next, in the plural.
    """
    if wrong.endswith("+"):
        after = next((other for other in words_of(text) if other.start >= word.end), None)
        if after is None:
            return text[: word.start] + wrong[:-1] + text[word.end :]
        counted = plural(text[after.start : after.end])
        return f"{text[: word.start]}{wrong[:-1]} {counted}{text[after.end :]}"
    others = [other for other in words_of(text) if other in {word, wrong}]
    if all(other == word for other in others):
        return text[: word.start] + wrong + text[word.end :]
    for other in reversed(others):
        new = wrong if other == word else word
        text = text[: other.start] + new + text[other.end :]
    return text


def word_changes(step: SceneStep, text: str, role: str, scope: MutationScope) -> Iterator[Mutation]:
    """Yield what is particular to roles that name no thing: times, numbers, purposes, results."""
    for word in words_of(text) if role in _TIMES else ():
        for wrong in qualities().times.get(word, ()) if word.start else ():
            changed = text[: word.start] + wrong + text[word.end :]
            # "For 5 minutes or until …", "just until …": nothing of it before ", but stop".
            changed = re.sub(r",?(?: or| just)? ,", ",", changed)
            yield Mutation(changed, role, scope, word, wrong.lstrip(", "))
    if role in _AMOUNTS:
        yield from _other_amounts(text, role, scope)
    if role in _CLAIMS:
        yield from _other_claims(text, role, scope)
    if role == Role.PURPOSE:
        yield from _without_purpose(step, text, scope)
    if role == Role.RESULT:
        yield from _bad_results(step, text, scope)
    if role in WAYS:
        yield from swapped_words(step, text, role)
    if role in _CLAIMS or role == Role.MANNER:
        ways = actions().failed_roles.get(role, actions().failed_manners.get(step.family, ()))
        for wrong in ways:
            yield Mutation(with_manner(text, wrong), role, scope, "", wrong)


def _other_amounts(text: str, role: str, scope: MutationScope) -> Iterator[Mutation]:
    end = text.find(core_of(text)) + len(core_of(text))  # No remark behind the instruction.
    for match in _AMOUNT.finditer(text[:end] if end >= len(core_of(text)) else text):
        for times in TOO_MUCH:
            first, dash, second, unit = match.groups()
            numbers = [str(int(number) * times) for number in (first, second) if number]
            wrong = (dash or "").join(numbers) + plural(unit or "")
            changed = text[: match.start()] + wrong + text[match.end() :]
            yield Mutation(changed, role, scope, match.group(), wrong)
    for match in _FRACTION.finditer(text):
        for count in _OTHER_FRACTIONS.get(match.group(1), ()):
            wrong = count if count == match.group(2) else f"{count}/{match.group(2)}"
            changed = text[: match.start()] + wrong + text[match.end() :]
            yield Mutation(changed, role, scope, match.group(), wrong)
    for match in _FULL.finditer(text):
        for wrong in qualities().fillings:
            changed = text[: match.start()] + wrong + text[match.end() :]
            if changed != text:
                yield Mutation(changed, role, scope, match.group(), wrong)


def said_ways(step: SceneStep, text: str, role: str) -> Iterator[Mutation]:
    """Yield the text with words behind it that let it fail in a role it leaves unsaid."""
    known = actions()
    ways = known.failed_roles.get(role, ()) + known.failed_manners.get(step.family, ())
    for wrong in dict.fromkeys(ways + known.failed_anyhow):
        yield Mutation(
            with_manner(text, wrong), role, MutationScope.ATTRIBUTE, "", wrong, is_fallback=True
        )


def with_manner(text: str, manner: str) -> str:
    """The text with a manner behind it, after a pause where it is long.

    >>> with_manner("Stir the tea.", "in jerks"), with_manner("Stir it with a spoon", "in jerks")
    ('Stir the tea in jerks', 'Stir it with a spoon, but in jerks')
    """
    bare = without_final_stop(text)
    if _IS_LONG.search(bare) is None:
        return f"{bare} {manner}"
    return f"{bare} and {manner}" if ", but " in bare else f"{bare}, but {manner}"


def _other_claims(text: str, role: str, scope: MutationScope) -> Iterator[Mutation]:
    """Yield the text that claims the opposite: "is not pinched" is "is pinched"."""
    negated = _IS_NOT.search(text)
    claimed = _IS.search(text)
    if negated is not None:
        changed = _IS_NOT.sub(r"\1", text, count=1)
        yield Mutation(changed, role, scope, negated.group(), negated.group(1))
    elif claimed is not None:
        changed = _IS.sub(r"\1 not ", text, count=1)
        yield Mutation(changed, role, scope, claimed.group(1), claimed.group(1) + " not")


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
        match = re.search(
            rf"(?<!start )(?<!begin )\b(?:to|for|and) (?:let )?{re.escape(first)}\b",
            text,
            re.IGNORECASE,
        )
        if match is not None:
            wrong = f"without {gerund(first)}"
            changed = text[: match.start()] + wrong + text[match.end() :]
            yield Mutation(changed, Role.PURPOSE, scope, match.group(), wrong)


def _bad_results(step: SceneStep, text: str, scope: MutationScope) -> Iterator[Mutation]:
    match = re.search(r"\b(?:into|in) ", text)
    if match is None or step.family is not Family.CUT:
        return
    words = [word for word in words_of(text) if word.start >= match.end()]
    end = next((word.start - 1 for word in words if word in PREPOSITIONS), len(text.rstrip(".")))
    for wrong in qualities().bad_results:
        gap = "" if text[end : end + 1] in {"", " ", ".", ","} else " "
        changed = text[: match.start()] + "into " + wrong + gap + text[end:]
        yield Mutation(changed, Role.RESULT, scope, text[match.end() : end], wrong)
