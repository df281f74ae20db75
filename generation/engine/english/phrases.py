"""Cut what follows a verb into phrases, and turn noun phrases into values."""

from dataclasses import dataclass

from generation.engine.english.forms import is_adverb_of_manner, is_base_verb
from generation.engine.english.grammar import GRAMMAR
from generation.engine.semrep.roles import Role
from generation.engine.semrep.tree import Argument, Joint, Parentheses, Term, Value

JOINERS = frozenset({"and", "or", ","})
# `egg and flour mixture` is one thing made of two.
COMPOSITES = frozenset({"mixture", "mix", "sauce"})
DEGREE_PHRASES = (("a", "little"), ("a", "bit"), ("a", "lot"))


_PREPOSITION_PHRASES = [tuple(phrase.split()) for phrase in GRAMMAR.preposition_phrases]


@dataclass(frozen=True, slots=True)
class Phrase:
    """A noun phrase with the preposition before it, None for a bare one."""

    preposition: str | None
    words: tuple[str, ...]

    @property
    def head(self) -> str:
        """The last word before any `of`: the bowl of `a big bowl of soup`."""
        end = self.words.index("of") if "of" in self.words else len(self.words)
        return self.words[end - 1] if end else self.words[-1]


@dataclass(frozen=True, slots=True)
class Complements:
    """What follows a verb: phrases in order, and adverbs with their roles."""

    phrases: tuple[Phrase, ...]
    modifiers: tuple[tuple[Role, str], ...]


def split_phrases(words: tuple[str, ...]) -> Complements:
    """Return the phrases and adverbs among the words that follow a verb.

    >>> split_phrases(("the", "tea", "gently", "with", "a", "spoon")).modifiers
    ((<Role.MANNER: 'Manner'>, 'gently'),)
    """
    phrases: list[tuple[str | None, list[str]]] = []
    modifiers: list[tuple[Role, str]] = []
    index = 0
    is_open = False
    while index < len(words):
        preposition, length = _preposition_at(words, index)
        modifier, modifier_length = _modifier_at(words, index)
        if modifier is not None:
            modifiers.append(modifier)
            is_open = False
            index += modifier_length
        elif preposition is not None:
            phrases.append((preposition, []))
            is_open = True
            index += length
        else:
            if not is_open:
                phrases.append((None, []))
                is_open = True
            phrases[-1][1].append(words[index])
            index += 1
    kept = (Phrase(preposition, _trim(found)) for preposition, found in phrases)
    return Complements(tuple(phrase for phrase in kept if phrase.words), tuple(modifiers))


def noun_value(words: tuple[str, ...]) -> Value:
    """Return the value of a noun phrase.

    >>> str(noun_value(("the", "lid", "of", "a", "jar"))), str(noun_value(("some", "oil")))
    ('lid(of(jar))', 'oil(Quantity: some)')
    """
    pieces = _split_joined(words)
    values = tuple(_single_noun_value(piece) for piece in pieces)
    if len(values) == 1:
        return values[0]
    return Joint(values, (" & ",) * (len(values) - 1))


def wrap(word: str, value: Value) -> Term:
    """Return `word(value)`."""
    return Term(word, (Parentheses((Argument(None, value),)),))


def add_arguments(value: Value, arguments: tuple[Argument, ...]) -> Value:
    """Return the value with more arguments inside the parentheses of its (last) term."""
    if not arguments:
        return value
    if isinstance(value, Joint):
        last = add_arguments(value.parts[-1], arguments)
        return Joint((*value.parts[:-1], last), value.joiners)
    assert isinstance(value, Term)
    return Term(value.word, (Parentheses(value.arguments + arguments),))


def _preposition_at(words: tuple[str, ...], index: int) -> tuple[str | None, int]:
    for phrase in _PREPOSITION_PHRASES:
        if words[index : index + len(phrase)] == phrase:
            name = "_".join(phrase)
            return GRAMMAR.preposition_spelling.get(name, name), len(phrase)
    word = words[index]
    if word in GRAMMAR.simple_prepositions:
        return GRAMMAR.preposition_spelling.get(word, word), 1
    return None, 0


def _modifier_at(words: tuple[str, ...], index: int) -> tuple[tuple[Role, str] | None, int]:
    """Return ((role, word), length) of the adverb at `index`, (None, 0) where there is none."""
    if words[index : index + 2] in DEGREE_PHRASES and _ends_phrase(words, index + 2):
        return (Role.DEGREE, "_".join(words[index : index + 2])), 2
    word = words[index]
    if word in GRAMMAR.temporal_words:
        return (Role.TEMPORAL, word), 1
    if word == "together" or is_adverb_of_manner(word):
        role = Role.DEGREE if word in GRAMMAR.degree_words else Role.MANNER
        return (role, word), 1
    if not _ends_phrase(words, index + 1):
        return None, 0
    for role, listed in _FINAL_MODIFIERS:
        if word in listed:
            return (role, word), 1
    return None, 0


_FINAL_MODIFIERS = (
    (Role.DIRECTION, GRAMMAR.direction_words),
    (Role.DEGREE, GRAMMAR.degree_words),
    (Role.MANNER, GRAMMAR.manner_words),
)


def _ends_phrase(words: tuple[str, ...], index: int) -> bool:
    if index >= len(words):
        return True
    following = words[index]
    return following in GRAMMAR.simple_prepositions or following in {",", "and"}


def _trim(words: list[str]) -> tuple[str, ...]:
    """Drop joiners left over at either end."""
    start, end = 0, len(words)
    while start < end and words[start] in JOINERS:
        start += 1
    while end > start and words[end - 1] in JOINERS:
        end -= 1
    return tuple(words[start:end])


def _split_joined(words: tuple[str, ...]) -> list[tuple[str, ...]]:
    if words and words[-1] in COMPOSITES and words.count("and") == 1 and "," not in words:
        return [words]
    pieces: list[list[str]] = [[]]
    for word in words:
        if word in JOINERS:
            pieces.append([])
        else:
            pieces[-1].append(word)
    return [tuple(piece) for piece in pieces if piece] or [words]


def _measure_length(words: tuple[str, ...]) -> int:
    """Return how many words at the start say how much: 2 in `1/4 teaspoon salt`, 0 in `salt`."""
    if not words[0][0].isdigit() or len(words) == 1 or words[-1] in GRAMMAR.units_of_time:
        return 0
    length = 1
    while length < len(words) - 1 and words[length] in GRAMMAR.units_of_measure | {"heaped"}:
        length += 1
    return length


def _measured(words: tuple[str, ...], length: int) -> Term:
    rest = words[length + 1 :] if words[length] == "of" else words[length:]
    thing = _single_noun_value(rest or words[length:])
    quantity = Argument(Role.QUANTITY.value, Term("_".join(words[:length]).replace("-", "_")))
    extended = add_arguments(thing, (quantity,))
    assert isinstance(extended, Term)
    return extended


def _single_noun_value(words: tuple[str, ...]) -> Term:
    if measure_length := _measure_length(words):
        return _measured(words, measure_length)
    if "of" in words[1:-1]:
        middle = words.index("of", 1)
        return _with_owner(words[:middle], _single_noun_value(words[middle + 1 :]))
    if "'s" in words[1:-1]:
        middle = words.index("'s", 1)
        return _with_owner(words[middle + 1 :], _single_noun_value(words[:middle]))
    if words[0] in GRAMMAR.possessive_pronouns - {"its"} and len(words) > 1:
        return _with_owner(words[1:], Term(words[0]))
    if words[0] in GRAMMAR.loose_quantities and len(words) > 1:
        quantity = Argument(Role.QUANTITY.value, Term(words[0]))
        return Term(_join_words(words[1:]), (Parentheses((quantity,)),))
    return Term(_join_words(words))


def _with_owner(words: tuple[str, ...], owner: Term) -> Term:
    head = _single_noun_value(words)
    extended = add_arguments(head, (Argument(None, wrap("of", owner)),))
    assert isinstance(extended, Term)
    return extended


def _join_words(words: tuple[str, ...]) -> str:
    dropped = GRAMMAR.determiners | {"its", "'s"}
    kept = [word for word in words if word not in dropped] or list(words)
    return "_".join(kept).replace("-", "_")


def looks_like_duration(phrase: Phrase) -> bool:
    """Return whether the phrase tells a time: `for 2 minutes`, `a few seconds`."""
    return phrase.head in GRAMMAR.units_of_time and not is_base_verb(phrase.words[0])
