"""Imperative sentences taken apart and turned: phrases, gerunds, things named again."""

import re
from dataclasses import dataclass
from functools import lru_cache

from generation.engine.english.forms import gerund, is_adverb_of_manner, verb_base
from generation.engine.english.surface import DETERMINERS, definite, lower_first, without_final_stop
from generation.engine.english.words import Word, words_of
from generation.engine.rewriting.scene import tree_of_text
from generation.engine.semrep.lexicon import PREPOSITIONS
from generation.engine.word_lists import word_set

# Words that end a noun phrase; "of" stays inside one.
_PHRASE_ENDS = (PREPOSITIONS - {"of"}) | word_set(
    "back away and then to while until when so that for before after if as which halfway only"
)
MAX_PREPOSITION_WORDS = 3
_PARTICLES = word_set("on off up down out away back over in aside open apart")
# Of these those that are no prepositions in an instruction: "write down the date".
_ADVERBS = word_set("off up down out away")
# Places that are no places: "in an erect position".
NO_PLACES = re.compile(
    r"\b(?:angle|position|order|way|manner|direction|time|half|thirds|quarters|circles|strips|pieces"
    r"|slices|chunks|cubes)$"
)
_LEADING_DETERMINER = re.compile(
    r"^(?:half an?|a|an|some|(?:far too )?(?:much|many|little)|more|any|one|another)\s+"
    r"(?:(?:little|lot of|bit of)\s+)?",
    re.IGNORECASE,
)
# CaptainCook4D writes the action before the sentence: "Pour-Pour the milk", "whisk-In a bowl, ...".
_LABEL = re.compile(r"^([A-Za-z]+(?: [a-z]+)*) ?-(?=(?i:\1)\b|[A-Z])")
_LABEL_BEFORE_NUMBER = re.compile(r"^([A-Za-z]+) ?-(?=\d)")
_LATER_SENTENCES = re.compile(r"(?<=[a-z0-9)])\.\s+(?=[A-Z(])|\s+\((?=[A-Z])")
_LEAD_INS = word_set("once when after before if while as in on with using for until")
_CONJUNCTIONS = frozenset({"and", "then"})


@dataclass(frozen=True, slots=True)
class Phrase:
    """A noun phrase behind a preposition; `start` is where the preposition begins."""

    preposition: str
    words: str
    start: int


@dataclass(frozen=True, slots=True)
class Clause:
    """An imperative in pieces: "gently", "press down", "the soil", [with, "the hand"]."""

    adverb: str
    verb: str
    object_phrase: str
    phrases: tuple[Phrase, ...]


def core_of(text: str) -> str:
    """Return the instruction of a step: without label, remark, later sentences and lead-in.

    >>> core_of("Stir-Stir the tea. (It may be hot.)"), core_of("Once it boils, add the tea")
    ('Stir the tea', 'add the tea')
    """
    core = _LABEL_BEFORE_NUMBER.sub(r"\1 ", _LABEL.sub("", without_final_stop(text)))
    core = without_final_stop(_LATER_SENTENCES.split(core, maxsplit=1)[0])
    lead_in, comma, rest = core.partition(", ")
    if comma and lead_in.partition(" ")[0].lower() in _LEAD_INS and rest:
        return rest
    return core


def label_end(text: str) -> int:
    """Return where the label before an instruction ends; 0 where there is none.

    >>> label_end("Stir-Stir the tea"), label_end("Stir the tea")
    (5, 0)
    """
    match = _LABEL.match(text) or _LABEL_BEFORE_NUMBER.match(text)
    return 0 if match is None else match.end()


@lru_cache(maxsize=20_000)
def clause_of(text: str) -> Clause:
    """Return the first clause of an imperative text in pieces.

    >>> clause = clause_of("Gently press down the soil with the hand.")
    >>> clause.verb, clause.object_phrase, clause.phrases[0].words
    ('press down', 'the soil', 'the hand')
    """
    bare = core_of(text)
    words = words_of(bare)
    position = 1 if len(words) > 1 and words[0].text.endswith("ly") else 0
    adverb = words[0].text if position else ""
    if not words:
        return Clause("", "", "", ())
    verb = verb_base(words[position].text)
    position += 1
    if position < len(words) and words[position].text in {"or", "and"}:
        return Clause(adverb, verb, "", ())  # "Chop or grate it": two verbs, one thing.
    if _has_particle(bare, words, position):
        verb += " " + words[position].text
        position += 1
    end = _phrase_end(bare, words, position)
    phrases = _phrases(bare, words, end)
    if phrases and not phrases[0].words and phrases[0].preposition in _PARTICLES:
        verb += " " + phrases[0].preposition
        phrases = phrases[1:]
    return Clause(adverb, verb, _between(bare, words, position, end), phrases)


def _has_particle(text: str, words: tuple[Word, ...], position: int) -> bool:
    if position >= len(words) or words[position].text not in _PARTICLES:
        return False
    tree = tree_of_text(text)
    is_in_name = tree is not None and tree.predicate.endswith("_" + words[position].text.upper())
    is_last = position + 1 == len(words)
    is_before_thing = not is_last and words[position + 1].text in DETERMINERS
    return is_in_name or is_last or (is_before_thing and words[position].text in _ADVERBS)


def _phrase_end(text: str, words: tuple[Word, ...], start: int) -> int:
    """Return where a noun phrase that starts at `start` is over."""
    for position in range(start, len(words)):
        word = words[position].text
        if word in _CONJUNCTIONS and not _starts_clause(text, words, position + 1):
            continue
        is_new = position > start
        is_after_comma = is_new and "," in text[words[position - 1].end : words[position].start]
        is_adverb = is_new and (word == "too" or is_adverb_of_manner(word))
        if _preposition_length(words, position) or is_after_comma or is_adverb:
            return position
    return len(words)


def _preposition_length(words: tuple[Word, ...], position: int) -> int:
    """Return of how many words the preposition or connective at a position is; 0 for none."""
    for length in range(MAX_PREPOSITION_WORDS, 1, -1):
        run = "_".join(word.text for word in words[position : position + length])
        if run in PREPOSITIONS and len(words) >= position + length:
            return length
    return int(words[position].text in _PHRASE_ENDS)


def _starts_clause(text: str, words: tuple[Word, ...], position: int) -> bool:
    """Return whether the word is a verb of the sentence: not the salt of "oil and salt"."""
    tree = tree_of_text(text)
    if tree is None or position >= len(words):
        return False
    verbs = {item.word.partition("_")[0].lower() for item in tree.clauses[1:]}
    return verb_base(words[position].text) in verbs


def _between(text: str, words: tuple[Word, ...], start: int, end: int) -> str:
    return text[words[start].start : words[end - 1].end] if start < end else ""


def _phrases(text: str, words: tuple[Word, ...], start: int) -> tuple[Phrase, ...]:
    found = []
    position = start
    while position < len(words):
        begin = position
        position += max(1, _preposition_length(words, position))
        end = _phrase_end(text, words, position)
        preposition = _between(text, words, begin, position).lower()
        found.append(Phrase(preposition, _between(text, words, position, end), words[begin].start))
        position = end
    return tuple(found)


def imperative(text: str) -> str:
    """Return a step as a clause inside a sentence, its verb in the base form.

    >>> imperative("Waits for 1-2 minutes."), imperative("Get the CPR mask")
    ('wait for 1-2 minutes', 'get the CPR mask')
    """
    bare = lower_first(core_of(text))
    first, space, rest = bare.partition(" ")
    if first.endswith("s") and first.isalpha() and not first.endswith("ss"):
        first = verb_base(first)
    return first + space + rest


def gerund_of(text: str) -> str:
    """Return a step as a gerund, every verb of it that stands beside the first one too.

    >>> gerund_of("Gently stir the tea"), gerund_of("Locate and unwrap the plate")
    ('gently stirring the tea', 'locating and unwrapping the plate')
    """
    bare = imperative(text)
    tree = tree_of_text(bare)
    verbs = (
        set() if tree is None else {item.word.partition("_")[0].lower() for item in tree.clauses}
    )
    words = words_of(bare)
    pieces: list[str] = []
    last = 0
    is_verb_due = True
    for word in words:
        if is_verb_due and not word.text.endswith("ly"):
            is_first = not pieces
            if is_first or verb_base(word.text) in verbs:
                pieces += [bare[last : word.start], gerund(verb_base(word.text))]
                last = word.end
            is_verb_due = False
        is_verb_due = is_verb_due or word.text in _CONJUNCTIONS
    return "".join(pieces) + bare[last:]


def the(phrase: str) -> str:
    """Return a noun phrase as one that was named before.

    >>> the("a cup of tea"), the("more water"), the("both hands")
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
    r"^(?:the )?(?:only )?(?:half|part|some|one side|one end|one half|(?:the )?wrong (?:end|side)"
    r"|(?:the )?back|the top|one blade) of (?:the )?"
)


def whole_of(phrase: str) -> str:
    """Return a noun phrase as one that was named before, as a whole.

    >>> whole_of("only half of the chain"), whole_of("half a drop of oil"), whole_of("your hands")
    ('the chain', 'the oil', 'your hands')
    """
    return thing_of(_PART_OF.sub("", phrase))


# What an action makes of its object: "the skin dry", "the roots apart".
_OUTCOME = re.compile(
    r" (?:apart|dry|open|flat|clean|shut|loose|together|smooth|straight|well"
    r"|sit|boil|cool|drain|swell|rest|stand|soak|steep|cut-side)$"
)


def thing_of(phrase: str) -> str:
    """Return a noun phrase as one that was named before, without how much of it.

    >>> thing_of("the rest of the water"), thing_of("two scoops of coffee"), thing_of("a pot")
    ('the water', 'the coffee', 'the pot')
    """
    return the(_AMOUNT_OF.sub("", the(_OUTCOME.sub("", phrase))))
