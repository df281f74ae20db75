"""Make the representation of a step from its text, by rules about imperative English.

`clauses` splits the text, `roles` assigns each phrase a role of its verb, and subordinate clauses
are read here. No step is looked up: the rules know English words and no data set.
"""

import re
from contextlib import suppress
from functools import lru_cache

from generation.engine.english.clauses import (
    Clause,
    clauses_of,
    split_clauses,
    split_phrases,
)
from generation.engine.english.forms import (
    can_be_verb,
    is_adverb_of_manner,
    is_gerund,
    is_participle,
    verb_base,
)
from generation.engine.english.grammar import GRAMMAR
from generation.engine.english.roles import AGENT, attach_phrases, noun_value
from generation.engine.english.tokens import CACHED_TEXTS, Words
from generation.engine.semrep.exceptions import SemRepError
from generation.engine.semrep.parser import parse
from generation.engine.semrep.roles import Role
from generation.engine.semrep.tree import (
    Argument,
    Joint,
    Parentheses,
    SemRep,
    Term,
    Value,
    is_predicate_word,
)

CLAUSE_JOINER = " & "
UNKNOWN_VERB = "DO"
COPULA = "BE"
_NO_PREDICATE_CHARACTERS = re.compile(r"[^A-Z0-9]+")
# Subordinate clauses that say for what purpose, or how.
_ROLES_OF_MARKERS = {
    "to": Role.PURPOSE, "so": Role.PURPOSE, "for": Role.PURPOSE, "by": Role.MANNER,
}  # fmt: skip


def analyse(text: str) -> SemRep:
    """The representation of a step written as an instruction.

    Raises `SemRepError` if the text has no word or a sentence is too long.

    >>> str(analyse("Put the wrench back in the tool stand."))
    'PUT_BACK(Agent: you, Object: wrench, Destination: in(tool_stand))'
    """
    terms = tuple(_clause_term(clause) for clauses in clauses_of(text) for clause in clauses)
    if not terms:
        raise SemRepError(text, "is not an instruction: it has no word")
    if len(terms) == 1:
        return SemRep(terms[0])
    return SemRep(Joint(terms, (CLAUSE_JOINER,) * (len(terms) - 1)))


@lru_cache(maxsize=CACHED_TEXTS)
def read_tree(semrep: str, text: str) -> SemRep | None:
    """The tree of a step, from its text if the representation is missing or unreadable."""
    if semrep:
        with suppress(SemRepError):
            return parse(semrep).tree
    try:
        return analyse(text)
    except SemRepError:
        return None


def tree_of_text(text: str) -> SemRep | None:
    return read_tree("", text)


def _clause_term(clause: Clause) -> Term:
    predicate, phrases, modifiers = clause.predicate, clause.phrases, clause.modifiers
    name = _predicate_name(predicate)
    if name is None:
        # A step that starts with a number or a sign only names a thing, so its verb is unknown.
        name, predicate = UNKNOWN_VERB, UNKNOWN_VERB.lower()
        phrases, modifiers = split_phrases(clause.words)
    arguments = [AGENT, *attach_phrases(predicate, phrases)]
    arguments += [_argument(role, Term(word)) for role, word in modifiers]
    arguments += [_argument(Role.MANNER, Term(adverb)) for adverb in clause.adverbs]
    for item in clause.subordinates:
        if item.marker in _ROLES_OF_MARKERS:
            role = _ROLES_OF_MARKERS[item.marker]
            arguments.append(_argument(role, _inner_clause(item.words)))
            continue
        operator = GRAMMAR.predicates_of_subordinators[item.marker]
        if operator == "IF" and predicate in GRAMMAR.checking_verbs:
            arguments.append(_argument(Role.PROPOSITION, _inner_clause(item.words)))
            continue
        words = item.words[: item.words.index(",")] if "," in item.words else item.words
        value = _call(operator, [Argument(None, _inner_clause(words))])
        arguments.append(_argument(GRAMMAR.roles_of_subordinators[item.marker], value))
    term = _call(GRAMMAR.predicate_synonyms.get(name, name), arguments)
    return _not(term) if clause.is_denied else term


def _predicate_name(words: str) -> str | None:
    """Words written as a predicate, None if they cannot be one: `2_inches`."""
    name = _NO_PREDICATE_CHARACTERS.sub("_", words.upper()).strip("_")
    return name if is_predicate_word(name) else None


def _inner_clause(words: Words) -> Value:
    """The value of a subordinate clause: an action, a state of a thing, or a thing."""
    if words[0] == "you" and len(words) > 1:
        words = words[1:]
    for index, word in enumerate(words):
        if word in GRAMMAR.copulas and 0 < index < len(words) - 1:
            return _state(words[:index], words[index + 1 :])
    # `until lightly charred`, `until well blended`: a state without a subject.
    start = 0
    while start < len(words) - 1 and (
        words[start] in GRAMMAR.degree_words or is_adverb_of_manner(words[start])
    ):
        start += 1
    if is_participle(words[start]) or (start > 0 and not can_be_verb(words[start])):
        return _state((), words)
    if can_be_verb(words[0]) or is_gerund(words[0]):
        return _clause_term(split_clauses(words)[0])
    for index in range(len(words) - 1, 0, -1):
        word = words[index]
        is_finite = word.endswith("s") and can_be_verb(word) and verb_base(word) != word
        if is_finite and words[index - 1] not in GRAMMAR.determiners:
            subject = _argument(Role.OBJECT, _with_place(words[:index]))
            return _call(verb_base(word).upper(), [subject])
    return _with_place(words)


def _state(subject: Words, state: Words) -> Term:
    """`STATE(Object: subject)`, inside `NOT(...)` if it is negated."""
    kept = tuple(word for word in state if word not in GRAMMAR.negations)
    phrases, modifiers = split_phrases(kept)
    words = phrases[0].words if phrases else kept
    arguments = [_argument(Role.OBJECT, _with_place(subject))] if subject else []
    arguments += [_argument(role, Term(word)) for role, word in modifiers]
    degrees = [word for word in words if word in GRAMMAR.degree_words]
    words = tuple(word for word in words if word not in degrees)
    arguments += [_argument(Role.DEGREE, Term(word)) for word in degrees]
    name = _predicate_name("_".join(words))
    if name is None and words:
        arguments.append(_argument(Role.RESULT, noun_value(words)))
    term = _call(name or COPULA, arguments)
    return _not(term) if len(kept) < len(state) else term


def _with_place(words: Words) -> Value:
    """The value of a noun phrase that may include a place: `the tea in the pot`."""
    arguments = attach_phrases("get", split_phrases(words)[0])
    return arguments[0].value if arguments else noun_value(words)


def _argument(role: Role, value: Value) -> Argument:
    return Argument(role.value, value)


def _call(name: str, arguments: list[Argument]) -> Term:
    return Term(name, (Parentheses(tuple(arguments)),))


def _not(term: Term) -> Term:
    return _call("NOT", [Argument(None, term)])
