"""Make the representation of a step from its text, by rules about imperative English.

The steps are cut into words, clauses and phrases (`segments`, `phrases`); verbs find their
particles and base forms here; `attachment` says what each phrase is to its verb. No step is looked
up: the rules know words of English and nothing of any data set.
"""

import re

from generation.engine.english.attachment import AGENT, attach_phrases
from generation.engine.english.clauses import (
    ClauseWords,
    Subordinate,
    split_clauses,
    split_sentences,
)
from generation.engine.english.forms import (
    can_be_verb,
    is_adverb_of_manner,
    is_gerund,
    is_participle,
    verb_base,
)
from generation.engine.english.grammar import GRAMMAR
from generation.engine.english.phrases import noun_value, split_phrases
from generation.engine.semrep.exceptions import SemRepError
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

# The longest sentence among 4,201 step texts of four data sets has 33.
MAX_SENTENCE_WORDS = 50
CLAUSE_JOINER = " & "
UNKNOWN_VERB = "DO"
COPULA = "BE"
DENIALS = (("do", "not"), ("never",))
NO_PREDICATE_CHARACTERS = re.compile(r"[^A-Z0-9]+")
PURPOSE_MARKERS = frozenset({"to", "so", "for"})


def analyse(text: str) -> SemRep:
    """Return the representation of a step written as an instruction.

    Raises `SemRepError` where the text has no word, or a sentence of more than
    `MAX_SENTENCE_WORDS`, which is no instruction and would nest deeper than the parser reads.

    >>> str(analyse("Put the wrench back in the tool stand."))
    'PUT_BACK(Agent: you, Object: wrench, Destination: in(tool_stand))'
    """
    sentences = split_sentences(text)
    longest = max(map(len, sentences), default=0)
    if longest > MAX_SENTENCE_WORDS:
        raise SemRepError(text, f"has a sentence of {longest} words; at most {MAX_SENTENCE_WORDS}")
    clauses = [clause for words in sentences for clause in split_clauses(words)]
    terms = tuple(_clause_term(clause) for clause in clauses if clause.words)
    if not terms:
        raise SemRepError(text, "is no instruction: it has no word")
    if len(terms) == 1:
        return SemRep(terms[0])
    return SemRep(Joint(terms, (CLAUSE_JOINER,) * (len(terms) - 1)))


def _clause_term(clause: ClauseWords) -> Term:
    words = _affirmed(clause.words)
    predicate, rest, direction = _find_predicate(words)
    name = _predicate_name(predicate)
    if name is None:
        # A step that starts with a number or a sign names something to be dealt with.
        predicate, rest, name = UNKNOWN_VERB.lower(), words, UNKNOWN_VERB
    complements = split_phrases(rest)
    arguments = [AGENT, *attach_phrases(predicate, complements.phrases)]
    arguments += [_argument(role, Term(word)) for role, word in complements.modifiers]
    if direction is not None:
        arguments.append(_argument(Role.DIRECTION, Term(direction)))
    arguments += [_argument(Role.MANNER, Term(adverb)) for adverb in clause.adverbs]
    arguments += [_subordinate(predicate, item) for item in clause.subordinates]
    term = _call(GRAMMAR.predicate_synonyms.get(name, name), arguments)
    return term if words == clause.words else _call("NOT", [Argument(None, term)])


def _affirmed(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words without `do not` or `never` at their start."""
    length = next((len(denial) for denial in DENIALS if words[: len(denial)] == denial), 0)
    return words[length:] or words


def _predicate_name(words: str) -> str | None:
    """Return words written as a predicate, None where they cannot be one: `2_inches`."""
    name = NO_PREDICATE_CHARACTERS.sub("_", words.upper()).strip("_")
    return name if is_predicate_word(name) else None


def _find_predicate(words: tuple[str, ...]) -> tuple[str, tuple[str, ...], str | None]:
    """Return (verb with particle in lower case, the words after them, a direction or None)."""
    verb = verb_base(words[0]).replace("-", "_")
    rest = words[1:]
    particles = GRAMMAR.phrasal_verbs.get(verb, frozenset())
    if rest and rest[0] in particles:
        if verb in {"press", "push"} and rest[1:2] == ("on",):
            return verb, rest[1:], rest[0]
        return f"{verb}_{rest[0]}", rest[1:], None
    for index in range(1, len(rest)):
        if rest[index] in particles and _is_separated_particle(rest, index):
            return f"{verb}_{rest[index]}", rest[:index] + rest[index + 1 :], None
    return verb, rest, None


def _is_separated_particle(rest: tuple[str, ...], index: int) -> bool:
    """`Put the cup back on the table`, not `turn the knob on the stove`."""
    before = rest[:index]
    if any(word in GRAMMAR.simple_prepositions for word in before):
        return False
    following = rest[index + 1] if index + 1 < len(rest) else None
    if rest[index] in GRAMMAR.ambiguous_particles:
        return following is None or following in GRAMMAR.simple_prepositions
    if rest[index] in {"off", "out"} and following == "of":
        return False
    return following is None or following in GRAMMAR.simple_prepositions or following == "and"


def _subordinate(predicate: str, item: Subordinate) -> Argument:
    if item.marker in PURPOSE_MARKERS:
        return _argument(Role.PURPOSE, _inner_clause(item.words))
    if item.marker == "by":
        return _argument(Role.MANNER, _inner_clause(item.words))
    role = GRAMMAR.roles_of_subordinators[item.marker]
    operator = GRAMMAR.predicates_of_subordinators[item.marker]
    if operator == "IF" and predicate in GRAMMAR.checking_verbs:
        return _argument(Role.PROPOSITION, _inner_clause(item.words))
    words = item.words[: item.words.index(",")] if "," in item.words else item.words
    return _argument(role, _call(operator, [Argument(None, _inner_clause(words))]))


def _inner_clause(words: tuple[str, ...]) -> Value:
    """Return the value of a subordinate clause: an action of yours, a state of a thing, a thing."""
    if words[0] == "you" and len(words) > 1:
        words = words[1:]
    for index, word in enumerate(words):
        if word in GRAMMAR.copulas and 0 < index < len(words) - 1:
            return _state(words[:index], words[index + 1 :])
    if _is_bare_state(words):
        return _state((), words)
    if can_be_verb(words[0]) or is_gerund(words[0]):
        first, *_ = split_clauses(words)
        return _clause_term(first)
    for index in range(len(words) - 1, 0, -1):
        is_after_noun = words[index - 1] not in GRAMMAR.determiners
        if is_after_noun and _is_finite_verb(words[index]):
            subject = _argument(Role.OBJECT, noun_value_with_place(words[:index]))
            return _call(verb_base(words[index]).upper(), [subject])
    return noun_value_with_place(words)


def _is_bare_state(words: tuple[str, ...]) -> bool:
    """`until lightly charred`, `until well blended`: a state without its subject."""
    start = 0
    while start < len(words) - 1 and (
        words[start] in GRAMMAR.degree_words or is_adverb_of_manner(words[start])
    ):
        start += 1
    return is_participle(words[start]) or (start > 0 and not can_be_verb(words[start]))


def _is_finite_verb(word: str) -> bool:
    return word.endswith("s") and can_be_verb(word) and verb_base(word) != word


def _state(subject: tuple[str, ...], state: tuple[str, ...]) -> Term:
    """Return `STATE(Object: subject)`, in `NOT(...)` where it is denied."""
    is_denied = any(word in GRAMMAR.negations for word in state)
    kept = tuple(word for word in state if word not in GRAMMAR.negations)
    complements = split_phrases(kept)
    words = complements.phrases[0].words if complements.phrases else kept
    arguments = [_argument(Role.OBJECT, noun_value_with_place(subject))] if subject else []
    arguments += [_argument(role, Term(word)) for role, word in complements.modifiers]
    degrees = [word for word in words if word in GRAMMAR.degree_words]
    words = tuple(word for word in words if word not in degrees)
    arguments += [_argument(Role.DEGREE, Term(word)) for word in degrees]
    name = _predicate_name("_".join(words))
    if name is None and words:
        arguments.append(_argument(Role.RESULT, noun_value(words)))
    term = _call(name or COPULA, arguments)
    return _call("NOT", [Argument(None, term)]) if is_denied else term


def noun_value_with_place(words: tuple[str, ...]) -> Value:
    """Return the value of a noun phrase that may say where the thing is: `the tea in the pot`."""
    arguments = attach_phrases("get", split_phrases(words).phrases)
    return arguments[0].value if arguments else noun_value(words)


def _argument(role: Role, value: Value) -> Argument:
    return Argument(role.value, value)


def _call(name: str, arguments: list[Argument]) -> Term:
    return Term(name, (Parentheses(tuple(arguments)),))
