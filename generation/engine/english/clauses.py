"""Split imperative sentences into clauses, and each clause into verb, phrases and adverbs."""

import itertools
from dataclasses import dataclass
from functools import lru_cache

from generation.engine.english.forms import (
    can_be_verb,
    can_only_be_verb,
    is_adverb_of_manner,
    is_base_verb,
    is_gerund,
    verb_base,
)
from generation.engine.english.grammar import GRAMMAR
from generation.engine.english.tokens import CACHED_TEXTS, Words, end_without, sentences_of
from generation.engine.semrep.exceptions import SemRepError
from generation.engine.semrep.lexicon import LEXICON
from generation.engine.semrep.roles import Role

# The longest sentence among 4,201 step texts of four data sets has 33.
MAX_SENTENCE_WORDS = 50
DENIALS = (("do", "not"), ("never",))
DEGREE_PHRASES = (("a", "little"), ("a", "bit"), ("a", "lot"), ("as", "well"))
JOINERS = frozenset({"and", "or", ","})
_PREPOSITION_PHRASES = [tuple(phrase.split()) for phrase in GRAMMAR.preposition_phrases]
_PHRASE_OPENERS = frozenset(phrase[0] for phrase in _PREPOSITION_PHRASES)
_DETERMINERS = GRAMMAR.determiners | GRAMMAR.possessive_pronouns | {"it", "them", "some"}
# Words after these do not belong to their phrase.
_PRONOUNS = LEXICON.pronouns - GRAMMAR.subjects - GRAMMAR.determiners - GRAMMAR.possessive_pronouns
_PHRASE_STARTS = _DETERMINERS | _PRONOUNS
_ARTICLES = frozenset({"a", "an", "the", "your", "my"})
# Before an article these form one phrase with it: "both the lids", "the lid of the jar".
_BEFORE_ARTICLES = (
    JOINERS
    | GRAMMAR.quantifiers
    | GRAMMAR.roles_of_subordinators.keys()
    | {"of", "all", "both", "half", "such", "than", "only", "'s"}
)
_RELATIVES = frozenset({"that", "which", "who", "whose", "whom"})
_AFTER_RELATIVES = GRAMMAR.subjects | GRAMMAR.copulas | _DETERMINERS
_SUBORDINATING_WORDS = frozenset(phrase.split()[0] for phrase in GRAMMAR.subordinating_phrases)
_ENDS = GRAMMAR.simple_prepositions | {",", "and"}
_NO_OBJECTS = JOINERS | {"of"}
_NO_ADVERBS = GRAMMAR.simple_prepositions | JOINERS
_NO_VERBS = GRAMMAR.simple_prepositions | {"of"}
# Words that are adverbs only at the end of a phrase: not in "the back cover".
_FINAL_ADVERBS = (
    (Role.DIRECTION, GRAMMAR.direction_words),
    (Role.DEGREE, GRAMMAR.degree_words),
    (Role.MANNER, GRAMMAR.manner_words),
)


@dataclass(frozen=True, slots=True)
class Phrase:
    """A noun phrase with the preposition before it, None for a bare one.

    `preposition` is spelled as in representations (`out_of`); `preposition_words` are its words.
    """

    preposition: str | None
    preposition_words: Words
    words: Words

    @property
    def head(self) -> str:
        """The last word before any `of`: the bowl of `a big bowl of soup`."""
        end = self.words.index("of") if "of" in self.words else len(self.words)
        return self.words[end - 1] if end else self.words[-1]


@dataclass(frozen=True, slots=True)
class Subordinate:
    """A clause inside a clause; `marker` is the word that opens it, `to` for a purpose."""

    marker: str
    words: Words


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause.

    `words` are all from the verb on; `start` is where the verb, or an adverb before it, begins.
    `verb` is the base form, with its `particle` (`put` `back`). `adverbs` are those before the
    verb, `modifiers` those after it with their roles.
    """

    start: int
    words: Words
    verb: str
    particle: str | None
    is_denied: bool
    phrases: tuple[Phrase, ...]
    adverbs: Words
    modifiers: tuple[tuple[Role, str], ...]
    subordinates: tuple[Subordinate, ...]

    @property
    def predicate(self) -> str:
        """The verb with its particle, in lower case: `put_back`."""
        verb = self.verb.replace("-", "_")
        return verb if self.particle is None else f"{verb}_{self.particle}"


@lru_cache(maxsize=CACHED_TEXTS)
def clauses_of(text: str) -> tuple[tuple[Clause, ...], ...]:
    """The clauses of each sentence of an instruction.

    Raises `SemRepError` if a sentence has more words than `MAX_SENTENCE_WORDS`: it is not an
    instruction, and would nest deeper than the parser of representations allows.

    >>> clause = clauses_of("Gently put the cup back on the shelf.")[0][0]
    >>> clause.adverbs, clause.predicate, [phrase.words for phrase in clause.phrases]
    (('gently',), 'put_back', [('the', 'cup'), ('the', 'shelf')])
    """
    sentences = sentences_of(text)
    longest = max(map(len, sentences), default=0)
    if longest > MAX_SENTENCE_WORDS:
        raise SemRepError(text, f"has a sentence of {longest} words; at most {MAX_SENTENCE_WORDS}")
    return tuple(split_clauses(words) for words in sentences)


def split_clauses(words: Words) -> tuple[Clause, ...]:
    """The clauses of a sentence in order; one with only a verb shares the words of the next.

    >>> [clause.words for clause in split_clauses(sentences_of("Get and empty the jar")[0])]
    [('get', 'the', 'jar'), ('empty', 'the', 'jar')]
    """
    if "," in words and (
        words[0] in GRAMMAR.roles_of_subordinators or words[0] in GRAMMAR.simple_prepositions
    ):
        # Reorder `With a spoon, stir the tea`, so that the sentence starts with its verb.
        comma = words.index(",")
        opening, rest = words[:comma], words[comma + 1 :]
        places = range(1, len(rest))
        borders = (i for i in places if _is_clause_border(rest, i) or _opening(rest, i))
        border = next(borders, len(rest))
        words = rest[:border] + opening + rest[border:] if rest else words
    starts = [0, *(i + 1 for i in range(1, len(words) - 1) if _is_clause_border(words, i))]
    pieces = [words[a:b] for a, b in zip(starts, [*starts[1:], len(words)], strict=True)]
    clauses: list[Clause] = []
    for piece in reversed(pieces):
        adverbs, main, subordinates = _split_subordinates(_stripped(piece, GRAMMAR.connectives))
        if len(main) == 1 and not subordinates and clauses:
            main += clauses[-1].words[1:]
        if main:
            clauses.append(clause_from(adverbs, main, subordinates))
    return tuple(reversed(clauses))


def clause_from(adverbs: Words, words: Words, subordinates: tuple[Subordinate, ...]) -> Clause:
    """The clause whose verb comes first in `words`, after a denial if there is one."""
    denial = next((len(denial) for denial in DENIALS if words[: len(denial)] == denial), 0)
    affirmed = words[denial:] or words
    verb = verb_base(affirmed[0])
    particle, rest = _particle(verb.replace("-", "_"), affirmed[1:])
    phrases, modifiers = split_phrases(rest)
    return Clause(
        start=min(word.start for word in (*adverbs, words[0])),
        words=affirmed,
        verb=verb,
        particle=particle,
        is_denied=len(affirmed) < len(words),
        phrases=phrases,
        adverbs=adverbs,
        modifiers=modifiers,
        subordinates=subordinates,
    )


def split_phrases(words: Words) -> tuple[tuple[Phrase, ...], tuple[tuple[Role, str], ...]]:
    """The phrases among the words that follow a verb, and the adverbs with their roles."""
    # (Spelled preposition, its words, the other words) of each phrase.
    parts: list[tuple[str | None, Words, Words]] = []
    modifiers: list[tuple[Role, str]] = []
    index, is_open = 0, False
    while index < len(words):
        # A preposition may be several words; "the inside of the tyre" has none.
        options = _PREPOSITION_PHRASES if words[index] in _PHRASE_OPENERS else ()
        longer = (phrase for phrase in options if words[index : index + len(phrase)] == phrase)
        is_simple = words[index] in GRAMMAR.simple_prepositions
        preposition = next(longer, words[index : index + 1] if is_simple else ())
        if words[index] in {"inside", "outside"} and words[max(0, index - 1)] == "the":
            preposition = ()
        modifier, modifier_length = _modifier_at(words, index)
        if is_open and parts[-1][2] and _opens_relative(words, index):
            # A description of a thing is no part of its name: "a box bigger than the vase".
            if words[index] == "than" and len(parts[-1][2]) > 1:
                parts[-1] = (*parts[-1][:2], parts[-1][2][:-1])
            index = next((i for i in range(index, len(words)) if words[i] in _ENDS), len(words))
            is_open = False
        elif modifier is not None:
            modifiers.append(modifier)
            is_open = False
            index += modifier_length
        elif preposition:
            name = "_".join(preposition)
            spelled = GRAMMAR.preposition_spelling.get(name, name)
            parts.append((spelled, words[index : index + len(preposition)], ()))
            is_open = True
            index += len(preposition)
        else:
            is_open = is_open and not (parts[-1][2] and _opens_phrase(words, index))
            open_name, its_words, before = parts.pop() if is_open else (None, (), ())
            parts.append((open_name, its_words, (*before, words[index])))
            is_open = True
            index += 1
    phrases = (Phrase(name, own, _stripped(rest, JOINERS)) for name, own, rest in parts)
    return tuple(phrase for phrase in phrases if phrase.words), tuple(modifiers)


def _opens_relative(words: Words, index: int) -> bool:
    """Whether a relative clause or comparison begins: "that was used", "than the vase"."""
    if words[index] not in _RELATIVES:
        return words[index] in {"than", "as"}
    following = words[index + 1] if index + 1 < len(words) else ""
    return following in _AFTER_RELATIVES or can_be_verb(following)


def _follows_pronoun(words: Words, index: int) -> bool:
    return index > 0 and words[index - 1] in _PRONOUNS


def _opens_phrase(words: Words, index: int) -> bool:
    """Whether a second bare phrase starts: "the flower | the next morning", "it | an hour"."""
    word, before = words[index], words[index - 1]
    if _follows_pronoun(words, index):
        return word not in _NO_OBJECTS
    if words[index + 1 : index + 2] and words[index + 1] in GRAMMAR.units_of_length:
        is_number = word[0].isdigit() or word in GRAMMAR.number_words
        return is_number and before not in _BEFORE_ARTICLES | _ARTICLES
    is_letter = _ends_phrase(words, index + 1)  # "Mix part A and B."
    return word in _ARTICLES and not is_letter and before not in _BEFORE_ARTICLES


def _particle(verb: str, rest: Words) -> tuple[str | None, Words]:
    """(Particle of the verb, the words after it without that)."""
    if rest[:2] in _PREPOSITION_PHRASES:
        return None, rest  # "Pull out of the pot."
    particles = GRAMMAR.phrasal_verbs.get(verb, frozenset())
    is_followed = bool(set(rest[1:2]) & _PHRASE_STARTS) or rest[:1] == ("away",)
    is_any = rest[:1] and rest[0] in GRAMMAR.particles and is_followed
    # `Press down on the lid` presses the lid.
    is_way = verb in GRAMMAR.contact_verbs and rest[1:2] == ("on",)
    if rest and not is_way and (is_any or rest[0] in particles):
        return rest[0], rest[1:]
    for index in range(1, len(rest)):
        # `Put the cup back on the table`, not `turn the knob on the stove`.
        if rest[index - 1] in GRAMMAR.simple_prepositions:
            break
        following = rest[index + 1] if index + 1 < len(rest) else None
        is_over = following is None or following in GRAMMAR.simple_prepositions
        is_joined = following == "and" and rest[index] not in GRAMMAR.ambiguous_particles
        if rest[index] in particles and (is_over or is_joined):
            return rest[index], rest[:index] + rest[index + 1 :]
    return None, rest


def _stripped(words: Words, ends: frozenset[str]) -> Words:
    start, end = 0, end_without(words, ends)
    while start < end and words[start] in ends:
        start += 1
    return words[start:end]


def _is_clause_border(words: Words, index: int) -> bool:
    """Whether the word at `index` is a connective before the verb of a new clause."""
    if words[index] not in GRAMMAR.connectives:
        return False
    following = index + 1
    while following < len(words) - 1 and (
        words[following] in GRAMMAR.connectives or is_adverb_of_manner(words[following])
    ):
        following += 1
    return _starts_clause(words, following)


def _starts_clause(words: Words, index: int) -> bool:
    """Whether the word at `index` is a verb that opens a clause, not a noun."""
    if index >= len(words) or words[index] in _NO_VERBS or not is_base_verb(words[index]):
        return False
    word, following = words[index], words[index + 1] if index + 1 < len(words) else None
    if words[index : index + 2] == ("do", "not"):
        return True
    has_particle = following in GRAMMAR.phrasal_verbs.get(word, frozenset())
    if following in _PHRASE_STARTS or following in GRAMMAR.number_words or has_particle:
        return True
    if word in GRAMMAR.unchanging_verbs:
        return False
    is_noun = following in GRAMMAR.connectives or following in _NO_VERBS
    return can_only_be_verb(word) or (word in GRAMMAR.common_actions and not is_noun)


def _split_subordinates(words: Words) -> tuple[Words, Words, tuple[Subordinate, ...]]:
    """(Adverbs before the verb, the words from the verb on, subordinate clauses)."""
    start = 0
    while start < len(words) - 1 and _stands_before_verb(words, start):
        start += 1
    adverbs = tuple(word for word in words[:start] if is_adverb_of_manner(word))
    openings = [(i, item) for i in range(start + 1, len(words)) if (item := _opening(words, i))]
    main_words = words[: openings[0][0]] if openings else words
    if main_words and words[start] in GRAMMAR.causative_verbs:
        caused = (i for i in range(start + 1, len(main_words)) if _is_caused(main_words, i))
        openings = [*((i, ("to", 0)) for i in itertools.islice(caused, 1)), *openings]
    ends = [*(index for index, _ in openings), len(words)]
    subordinates = tuple(
        Subordinate(marker, _stripped(words[index + length : end], GRAMMAR.connectives))
        for (index, (marker, length)), end in zip(openings, ends[1:], strict=True)
    )
    main = _stripped(words[start : ends[0]], GRAMMAR.connectives)
    return adverbs, main, tuple(item for item in subordinates if item.words)


def _stands_before_verb(words: Words, index: int) -> bool:
    word = words[index]
    if word in GRAMMAR.connectives or is_adverb_of_manner(word):
        return True
    is_subject = word in GRAMMAR.subjects or word in GRAMMAR.determiners
    return is_subject and any(can_be_verb(following) for following in words[index + 1 : index + 3])


def _opening(words: Words, index: int) -> tuple[str, int] | None:
    """(Marker, length in words) of the subordinate clause that opens at `index`, if any."""
    word = words[index]
    following = words[index + 1] if index + 1 < len(words) else ""
    # The longest phrase first: "so that it fits", "so it fits".
    for length in (3, 2) if word in _SUBORDINATING_WORDS else ():
        phrase = " ".join(words[index : index + length])
        if marker := GRAMMAR.subordinating_phrases.get(phrase):
            return marker, length
    if word == "that" and words[index - 1] in GRAMMAR.checking_verbs | {"sure"}:
        return "if", 1
    is_question = word in {"if", "whether"} and words[index - 1] in GRAMMAR.checking_verbs
    if is_question and index > 1:
        # `Press it to check if ...`: the question belongs to the inner clause, which is split
        # later.
        return None
    if word in GRAMMAR.roles_of_subordinators:
        return word, 1
    opens = (
        (word == "so" and following in _DETERMINERS | GRAMMAR.subjects, "so"),
        (word == "as" and following in {"you", "it", "the", "they"}, "while"),
        (word == "to" and _is_infinitive(words, index + 1), "to"),
        (word in {"by", "for"} and is_gerund(following), word),
        (word == "," and is_gerund(following), "while"),
    )
    return next(((str(marker), 1) for is_open, marker in opens if is_open), None)


def _is_caused(words: Words, index: int) -> bool:
    """Whether the verb at `index` is done by somebody else: "have a helper hold the bar"."""
    if words[index - 1] in _DETERMINERS - _PRONOUNS:
        return False
    if index == 1:  # "Let dry for an hour", not "let go of it".
        is_over = index == len(words) - 1 or words[index + 1] in GRAMMAR.simple_prepositions
        return words[0] == "let" and is_over and words[1] in GRAMMAR.common_actions
    # "Let the water run."
    is_last = index == len(words) - 1 > 2 and is_base_verb(words[index])
    return (is_last and words[0] == "let") or _is_infinitive(words, index)


def _is_infinitive(words: Words, index: int) -> bool:
    if index >= len(words):
        return False
    if index == len(words) - 1:
        return can_only_be_verb(words[index]) and is_base_verb(words[index])
    is_common = words[index] in GRAMMAR.common_actions and words[index + 1] not in _NO_OBJECTS
    return is_common or _starts_clause(words, index) or words[index] == "be"


def _modifier_at(words: Words, index: int) -> tuple[tuple[Role, str] | None, int]:
    """((Role, word), length) of the adverb at `index`, (None, 0) if there is none."""
    if words[index : index + 2] in DEGREE_PHRASES and _ends_phrase(words, index + 2):
        return (Role.DEGREE, "_".join(words[index : index + 2])), 2
    word = words[index]
    if words[index + 1 : index + 3] == ("by", word):
        return (Role.MANNER, f"{word}_by_{word}"), 3
    if word in GRAMMAR.temporal_words:
        return (Role.TEMPORAL, word), 1
    if word == "together" or is_adverb_of_manner(word):
        return (Role.DEGREE if word in GRAMMAR.degree_words else Role.MANNER, word), 1
    # "To the left", "close to your back": after a determiner it is not an adverb.
    is_thing = index > 0 and words[index - 1] in _ARTICLES
    is_last = not is_thing and _ends_phrase(words, index + 1)
    role = next((role for role, listed in _FINAL_ADVERBS if is_last and word in listed), None)
    # "Hold it upright", not "give it a stir" or "put it on".
    if role is None and is_last and _follows_pronoun(words, index) and word not in _NO_ADVERBS:
        role = Role.MANNER
    return (None, 0) if role is None else ((role, word), 1)


def _ends_phrase(words: Words, index: int) -> bool:
    is_over = index >= len(words) or words[index] in _ENDS
    return is_over or words[index : index + 2] in DEGREE_PHRASES
