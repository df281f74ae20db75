"""How a role that names no thing goes wrong: its qualities, times, amounts, purposes and manners.

A word of the text is replaced by a wrong one; if no word can be, words added to the end say how the
action fails.
"""

import re
from collections.abc import Iterator

from generation.engine.english.forms import gerund, plural
from generation.engine.english.grammar import GRAMMAR
from generation.engine.english.instructions import label_end
from generation.engine.english.surface import article_for, in_style_of, without_final_stop
from generation.engine.english.tokens import Token, instruction_of
from generation.engine.english.words import words_of
from generation.engine.planner.taxonomy import MutationScope
from generation.engine.rewriting.draft import Mutation
from generation.engine.rewriting.lexicon.actions import actions
from generation.engine.rewriting.lexicon.qualities import qualities
from generation.engine.rewriting.role_text import terms_of, words_of_role
from generation.engine.rewriting.scene import SceneStep
from generation.engine.semrep import Role

# A number or a range of two, and the unit after it; no part of a fraction.
_AMOUNT = re.compile(r"(?<![\d/.])(\d+)(?:( ?[-–] ?)(\d+))?(?![\d/.])(\s+(?:more\s+)?[a-z]+)?")
# A wrong amount is this many times too much or too long.
TOO_MUCH = (2, 3, 5)
# Roles that say how, when or how much: they hold no thing that could be confused with another.
WAYS = frozenset(
    {Role.MANNER, Role.DEGREE, Role.TEMPORAL, Role.DURATION, Role.DIRECTION, Role.QUANTITY,
     Role.CRITERION, Role.CONDITION, Role.RESULT, Role.PROPOSITION, Role.PURPOSE}
)  # fmt: skip
_TIMES = frozenset({Role.TEMPORAL, Role.DURATION, Role.CONDITION})
_AMOUNTS = frozenset({Role.DURATION, Role.TEMPORAL, Role.QUANTITY, Role.DEGREE})
# A thing has only two of these, so three would be impossible.
_FEW = re.compile(r" (?:sides?|halves|half|ends?|hands?)\b")
_ARTICLE = re.compile(r"\ban? $", re.IGNORECASE)
# A text with a place, a tool or a second clause is too long for another phrase.
_IS_LONG = re.compile(r"\b(?:with|using|in|on|into|onto|to|and|until|over|under|off|by)\b|,|ly$")

# A changed text, the words replaced, and the new words.
Change = tuple[str, str, str]


def way_mutations(
    step: SceneStep, text: str, role: str, scope: MutationScope
) -> Iterator[Mutation]:
    """Yield the text with the role wrong; if no word can be replaced, with a manner at the end."""
    changes = [*swapped_words(step, text, words_of_role(step, text, role))]
    changes += _other_times(text) if role in _TIMES else ()
    changes += _other_amounts(text) if role in _AMOUNTS else ()
    changes += _missed_purposes(step, text) if role == Role.PURPOSE else ()
    yield from (Mutation(changed, role, scope, right, wrong) for changed, right, wrong in changes)
    lists = actions()
    ways = lists.failed_roles.get(role) or lists.failed_manners.get(step.family)
    for wrong in () if changes else ways or lists.failed_anyhow:
        yield Mutation(with_manner(text, wrong), role, scope, "", wrong)


def swapped_words(step: SceneStep, text: str, words: list[Token]) -> Iterator[Change]:
    """Yield the text with a word replaced by one that makes it wrong, for each way to do so."""
    for word in words:
        # Here the word belongs to a noun: "egg white", "cut-side down".
        is_noun = any(head.endswith(f"_{word}") for head in step.heads)
        is_part = "-" in "".join(text[: word.start].split()[-1:])
        if word.start < label_end(text) or is_noun or is_part:
            continue
        around = text[: word.start], text[word.end :]
        for wrong in qualities().swaps.get(word, ()):
            is_many = wrong.endswith("+") and _FEW.match(around[1]) is not None
            is_twice = around[0].split()[-1:] == wrong.split()[:1]
            if is_many or is_twice or (not word.start and " " in wrong):
                continue  # "Breathe in in a rush", "all the way inflate": no imperatives.
            is_of = around[1].startswith(" of ")
            if is_of and word in GRAMMAR.quantifiers | GRAMMAR.predeterminers:
                wrong = wrong.removesuffix(" of the") if " of the" in wrong else f"{wrong} one"
            # If the text has both, as in "from left to right", the two words are swapped.
            before, after = (re.sub(rf"\b{re.escape(wrong)}\b", word, x) for x in around)
            rest = wrong + after
            if wrong.endswith("+"):  # "Three drops" for "one drop".
                counted = re.sub(r"^ \w+", lambda match: plural(match.group()), after)
                rest = wrong.removesuffix("+") + counted
            changed = _ARTICLE.sub(article_for(rest) + " ", before) + rest
            yield in_style_of(changed, text), word, wrong.removesuffix("+")


def _other_times(text: str) -> Iterator[Change]:
    for word in words_of(text):
        for wrong in qualities().times.get(word, ()) if word.start else ():
            changed = text[: word.start] + wrong + text[word.end :]
            # "For 5 minutes or until …", "just until …": drop "or" and "just" before ", but stop".
            yield re.sub(r",?(?: or| just)? ,", ",", changed), word, wrong.lstrip(", ")


def _other_amounts(text: str) -> Iterator[Change]:
    for match in _AMOUNT.finditer(instruction_of(text)):
        first, dash, second, unit = match.groups()
        for times in TOO_MUCH:
            numbers = [str(int(number) * times) for number in (first, second) if number]
            wrong = (dash or "").join(numbers) + plural(unit or "")
            yield text[: match.start()] + wrong + text[match.end() :], match.group(), wrong


def _missed_purposes(step: SceneStep, text: str) -> Iterator[Change]:
    """Yield the text with its purpose negated: "to check" becomes "without checking"."""
    for term in [term for term in terms_of(step, Role.PURPOSE) if term.is_predicate][:1]:
        verb = term.word.lower().partition("_")[0]
        opening = rf"(?<!start )(?<!begin )\b(?:to|for|and) (?:let )?{re.escape(verb)}\b"
        match = re.search(opening, text, re.IGNORECASE)
        if match is not None:
            wrong = f"without {gerund(verb)}"
            yield text[: match.start()] + wrong + text[match.end() :], match.group(), wrong


def with_manner(text: str, manner: str) -> str:
    """The text with a manner at its end, after a comma if it is long.

    >>> with_manner("Stir the tea.", "in jerks"), with_manner("Stir it with a spoon", "in jerks")
    ('Stir the tea in jerks', 'Stir it with a spoon, but in jerks')
    """
    bare = without_final_stop(text)
    is_twice = bare.rpartition(" ")[2] == manner.partition(" ")[0]  # "Breathe in in a rush."
    if _IS_LONG.search(bare) is None and not is_twice:
        return f"{bare} {manner}"
    return f"{bare} and {manner}" if ", but " in bare else f"{bare}, but {manner}"
