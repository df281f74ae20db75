"""Transform instructions: into their first clause, a gerund, and phrases for mentioned things."""

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile

from generation.engine.english.clauses import Clause, clauses_of
from generation.engine.english.forms import can_be_verb, gerund
from generation.engine.english.surface import definite, lower_first, without_final_stop
from generation.engine.english.tokens import (
    CACHED_TEXTS,
    Token,
    instruction_of,
    sentences_of,
)
from generation.engine.semrep.exceptions import SemRepError
from generation.engine.word_lists import word_set

# Phrases that look like places but are none: "in an erect position".
NO_PLACES = re.compile(
    r"\b(?:angle|position|order|way|manner|direction|time|half|thirds|quarters|circles|strips|pieces"
    r"|slices|chunks|cubes)$"
)
_LEADING_DETERMINER = re.compile(
    r"^(?:all(?![ -]purpose)(?: of)?(?: the)?|half an?|a|an|some|(?:far too )?(?:much|many|little)"
    r"|more|any|each|every|one|another)\s+"
    r"(?:(?:little|lot of|bit of)\s+)?",
    re.IGNORECASE,
)
# The rest of a sentence after its last word: the sign of "50%".
_REST_OF_SENTENCE = re.compile(r"[^.!?]*")
# Read from its end, where it is one match: looked for from the front, every "and" of a long text
# would be tried up to its end.
_LAST_JOINERS_BACKWARDS = re.compile(r"(?:[,;\s]|\b(?:dna|neht)\b)*", re.IGNORECASE)
# In a phrase, words after these do not belong to the thing.
PHRASE_ENDS = word_set(
    ", but so as because since although though unless whereas which only halfway too not"
    " may might must will would should could"
)


@dataclass(frozen=True, slots=True)
class WrittenPhrase:
    """A noun phrase after a preposition, in the words of the text."""

    preposition: str
    words: str


@dataclass(frozen=True, slots=True)
class WrittenClause:
    """An imperative in pieces: "press down", "the soil", [with, "the hand"]."""

    verb: str
    object_phrase: str
    phrases: tuple[WrittenPhrase, ...]


def core_of(text: str) -> str:
    """The instruction of a step: without label, remark, later sentences and lead-in.

    >>> core_of("Stir-Stir the tea. (It may be hot.)"), core_of("Once it boils, add the tea")
    ('Stir the tea', 'add the tea')
    """
    clauses = _first_sentence(text)
    if not clauses:
        return without_final_stop(text)
    return _excerpt(text, clauses[0].start, _end(text))


def label_end(text: str) -> int:
    """The position where the instruction begins, after a label and a lead-in."""
    clauses = _first_sentence(text)
    return clauses[0].start if clauses else 0


@lru_cache(maxsize=CACHED_TEXTS)
def clause_of(text: str) -> WrittenClause:
    """The first clause of an imperative text in pieces.

    >>> clause = clause_of("Gently press down the soil with the hand.")
    >>> clause.verb, clause.object_phrase, clause.phrases[0].words
    ('press down', 'the soil', 'the hand')
    """
    clauses = _first_sentence(text)
    if not clauses:
        return WrittenClause("", "", ())
    first = clauses[0]
    verb = first.verb if first.particle is None else f"{first.verb} {first.particle}"
    if first.words[1:2] in {("or",), ("and",)}:
        return WrittenClause(verb, "", ())  # "Chop or grate it": two verbs, one thing.
    phrases = []
    for phrase in first.phrases:
        words = tuple(takewhile(lambda word: word not in PHRASE_ENDS, phrase.words))
        phrases.append((phrase, _excerpt(text, words[0].start, words[-1].end) if words else ""))
    return WrittenClause(
        verb,
        next((words for phrase, words in phrases if not phrase.preposition_words), ""),
        tuple(
            WrittenPhrase(_excerpt(text, before[0].start, before[-1].end).lower(), words)
            for phrase, words in phrases
            if (before := phrase.preposition_words)
        ),
    )


def first_action_of(text: str) -> str:
    """The first action of a step as a clause inside a sentence.

    >>> first_action_of("Open it, then fill it with ice."), first_action_of("Open it.")
    ('open it', 'open it')
    """
    clauses = _first_sentence(text)
    if len(clauses) < 2:
        return imperative(text)
    return lower_first(without_last_joiners(_excerpt(text, clauses[0].start, clauses[1].start)))


def without_last_joiners(text: str) -> str:
    joiners = _LAST_JOINERS_BACKWARDS.match(text[::-1])
    return text[: len(text) - joiners.end()] if joiners else text


def imperative(text: str) -> str:
    """A step as a clause inside a sentence, its verb in the base form.

    >>> imperative("Waits for 1-2 minutes."), imperative("Get the CPR mask")
    ('wait for 1-2 minutes', 'get the CPR mask')
    """
    verbs = [(clause.words[0], clause.verb) for clause in _first_sentence(text)[:1]]
    return _with_verbs(text, [(v, base) for v, base in verbs if v.endswith("s") and can_be_verb(v)])


def gerund_of(text: str) -> str:
    """A step as a gerund, including further verbs beside the first one.

    >>> gerund_of("Gently stir the tea"), gerund_of("Locate and unwrap the plate")
    ('gently stirring the tea', 'locating and unwrapping the plate')
    """
    verbs = []
    for clause in _first_sentence(text):
        verb, form = clause.words[0], gerund(clause.verb)
        if clause.is_denied:
            verb, form = Token.at(verb, clause.start, verb.end), f"not {form}"
        verbs.append((verb, form))
    return _with_verbs(text, verbs)


def _first_sentence(text: str) -> tuple[Clause, ...]:
    try:
        return next(iter(clauses_of(text)), ())
    except SemRepError:
        return ()


def _end(text: str) -> int:
    plain = instruction_of(text)
    match = _REST_OF_SENTENCE.match(plain, sentences_of(text)[0][-1].end)
    assert match is not None
    return len(plain[: match.end()].rstrip(" ,;:-"))


def _excerpt(text: str, start: int, end: int) -> str:
    return " ".join(instruction_of(text)[start:end].split())


def _with_verbs(text: str, verbs: list[tuple[Token, str]]) -> str:
    """The instruction as it stands inside a sentence, with other forms of its verbs."""
    clauses = _first_sentence(text)
    if not clauses:
        return lower_first(without_final_stop(text))
    last, pieces = clauses[0].start, []
    for verb, form in verbs:
        pieces += [instruction_of(text)[last : verb.start], form]
        last = verb.end
    pieces.append(instruction_of(text)[last : _end(text)])
    return lower_first(" ".join("".join(pieces).split()))


def as_mentioned(phrase: str) -> str:
    """A noun phrase for a thing that was mentioned before.

    >>> as_mentioned("a cup of tea"), as_mentioned("more water"), as_mentioned("both hands")
    ('the cup of tea', 'the water', 'both hands')
    """
    return definite(_LEADING_DETERMINER.sub("", phrase.strip()))


_AMOUNT_OF = re.compile(
    r"^(?:the )?(?:(?:rest|drop|pinch|layer|bit|lot|handful|spoonful|scoop|cup|half|piece|sheet)s?"
    r" of"
    r"|(?:a |the )?(?:small |large )?(?:knob|drizzle|splash|dash) of"
    r"|[\d/.–-]+(?: (?:to|or) [\d/.]+)?(?: (?:heaped|level|rounded"
    r"|tsp|tbsp|teaspoons?|tablespoons?|cups?|oz|m[lL]"
    r"|g|inch|cans?|blocks?|in number|medium|large|small)\b\.?)*(?: of)?"
    r"|(?:two|three|four|five|six|[\d/.-]+)(?: [a-z]+)? of|only (?:half|part|some) of)\s+(?:the )?"
)
_PART_OF = re.compile(
    r"^(?:the )?(?:only )?(?:half|part|some|one(?: side| end| half)?|(?:the )?wrong (?:end|side)"
    r"|(?:the )?back|the top|one blade) of (?:the )?"
)


def whole_of(phrase: str) -> str:
    """A noun phrase for the whole of a thing that was mentioned before.

    >>> whole_of("only half of the chain"), whole_of("half a drop of oil"), whole_of("your hands")
    ('the chain', 'the oil', 'your hands')
    """
    return thing_of(_PART_OF.sub("", phrase))


# The result of an action on its object: "the skin dry", "the roots apart".
_OUTCOME = re.compile(
    r" (?:apart|dry|open|flat|clean|shut|loose|together|smooth|straight|well|thin|thick|coarse"
    r"|close|tight|wide|hard|soft|still|all|back|away|out|up|down|off|over|upright|outdoors|overnight"
    r"|sit|boil|cool|drain|swell|rest|stand|soak|steep|cut-side)$"
)


def thing_of(phrase: str) -> str:
    """A noun phrase for a thing that was mentioned before, without an amount.

    >>> thing_of("the rest of the water"), thing_of("all of the coffee"), thing_of("a pot")
    ('the water', 'the coffee', 'the pot')
    """
    return as_mentioned(_AMOUNT_OF.sub("", as_mentioned(_OUTCOME.sub("", phrase))))
