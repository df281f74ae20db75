"""Cut an imperative sentence into words, clauses and subordinate clauses."""

import re
from dataclasses import dataclass

from generation.engine.english.forms import (
    can_be_verb,
    can_only_be_verb,
    is_adverb_of_manner,
    is_base_verb,
    is_gerund,
)
from generation.engine.english.grammar import GRAMMAR

WORD = re.compile(r"\d+(?:[./]\d+)+|[a-z0-9]+(?:-[a-z0-9]+)*|'s\b|n't\b|[,;&]")
SPELLED_OUT = {";": ",", "&": "and"}
FILLERS = frozenset({"about", "approximately", "just", "please"})
# CaptainCook4D writes the verb before the step, `Add-Add 1 egg` or `Add-1 egg`.
REPEATED_VERB = re.compile(r"^\s*([A-Za-z]+)\s*-\s*(?=\1\b)", re.IGNORECASE)
VERB_BEFORE_SENTENCE = re.compile(r"^\s*[A-Za-z]{2}[A-Za-z ]*-\s*(?=[A-Z][a-z])")
HYPHEN_BEFORE_NUMBER = re.compile(r"(?<=[A-Za-z])-(?=\d)")
NUMBER_RANGE = re.compile(r"(\d)\s*(?:to|-|–)\s*(?=\d)")
REMARK = re.compile(r"\([^()]*\)")
SENTENCE_END = re.compile(r"[.!?]\s+")
CONTRACTIONS = {"it's": "it is", "that's": "that is", "they're": "they are", "you're": "you are"}
CONTRACTIONS |= {"don't": "do not", "doesn't": "does not", "isn't": "is not"}

# Words between two clauses or before the first one that add nothing to the action.
CONNECTIVES = frozenset({"and", "then", "next", "finally", "first", "also", "please", ","})
JOINERS = frozenset({"and", "or", ",", "of"})
# Verbs whose participle looks like their base form: `and cut tomato` need not be a new clause.
UNCHANGING_VERBS = frozenset({"beat", "cut", "put", "set", "shut", "split", "spread", "wet"})


@dataclass(frozen=True, slots=True)
class Subordinate:
    """A clause inside a clause; `marker` is the word that opened it, `to` for a purpose."""

    marker: str
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ClauseWords:
    """One clause: adverbs before its verb, the words from the verb on, and what hangs on it."""

    adverbs: tuple[str, ...]
    words: tuple[str, ...]
    subordinates: tuple[Subordinate, ...]


def tokenise(text: str) -> tuple[str, ...]:
    """Return the lower-case words and commas of a sentence, without its final punctuation.

    >>> tokenise("Press the patient's chest.")
    ('press', 'the', 'patient', "'s", 'chest')
    """
    plain = text.lower().replace("’", "'")
    for short, long in CONTRACTIONS.items():
        plain = plain.replace(short, long)
    words = [SPELLED_OUT.get(word, word) for word in WORD.findall(plain) if word not in FILLERS]
    while words and words[-1] in CONNECTIVES:
        words.pop()
    repeated = [i > 0 and words[i - 1] == word for i, word in enumerate(words)]
    return tuple(word for word, is_repeated in zip(words, repeated, strict=True) if not is_repeated)


def split_sentences(text: str) -> tuple[tuple[str, ...], ...]:
    """Return the words of each sentence; remarks in parentheses and repeated verbs are dropped.

    >>> split_sentences("Add-Add 1 egg. (It may be cold.) Wait 2 to 3 minutes")
    (('add', '1', 'egg'), ('wait', '2-3', 'minutes'))
    """
    plain = REMARK.sub(" ", VERB_BEFORE_SENTENCE.sub("", REPEATED_VERB.sub("", text)))
    plain = NUMBER_RANGE.sub(r"\1-", HYPHEN_BEFORE_NUMBER.sub(" ", plain))
    found = [words for part in SENTENCE_END.split(plain) if (words := tokenise(part))]
    # `3. Open the box` is a list number and a sentence.
    spoken = tuple(words for words in found if not all(word.isdigit() for word in words))
    return spoken or tuple(found)


def split_clauses(words: tuple[str, ...]) -> tuple[ClauseWords, ...]:
    """Return the clauses of a sentence in order; one that is only a verb shares the next's words.

    >>> [clause.words for clause in split_clauses(tokenise("Get and empty the jar"))]
    [('get', 'the', 'jar'), ('empty', 'the', 'jar')]
    """
    words = _move_opening_to_the_end(words)
    starts = [0, *(i + 1 for i in range(1, len(words) - 1) if _is_clause_border(words, i))]
    pieces = [words[a:b] for a, b in zip(starts, [*starts[1:], len(words)], strict=True)]
    clauses = [_split_subordinates(piece) for piece in map(_strip_connectives, pieces) if piece]
    shared: list[ClauseWords] = []
    for clause in reversed(clauses):
        if len(clause.words) == 1 and not clause.subordinates and shared:
            clause = ClauseWords(clause.adverbs, clause.words + shared[-1].words[1:], ())
        shared.append(clause)
    return tuple(reversed(shared))


def _strip_connectives(words: tuple[str, ...]) -> tuple[str, ...]:
    start, end = 0, len(words)
    while start < end and words[start] in CONNECTIVES:
        start += 1
    while end > start and words[end - 1] in CONNECTIVES:
        end -= 1
    return words[start:end]


def _move_opening_to_the_end(words: tuple[str, ...]) -> tuple[str, ...]:
    """Turn `With a spoon, stir the tea` round, so that the sentence starts with its verb."""
    if "," not in words or not words:
        return words
    opens = words[0] in GRAMMAR.roles_of_subordinators or words[0] in GRAMMAR.simple_prepositions
    comma = words.index(",")
    if not opens or comma + 1 >= len(words):
        return words
    opening, rest = words[:comma], words[comma + 1 :]
    borders = [i for i in range(1, len(rest)) if _is_clause_border(rest, i) or _opening(rest, i)]
    border = borders[0] if borders else len(rest)
    return rest[:border] + opening + rest[border:]


def _is_clause_border(words: tuple[str, ...], index: int) -> bool:
    """Return whether the connective at `index` stands before the verb of a new clause."""
    if words[index] not in CONNECTIVES:
        return False
    following = index + 1
    while following < len(words) - 1 and (
        words[following] in CONNECTIVES or is_adverb_of_manner(words[following])
    ):
        following += 1
    return _starts_clause(words, following)


def _starts_clause(words: tuple[str, ...], index: int) -> bool:
    """Return whether the word at `index` is a verb that opens a clause, not a noun."""
    if index >= len(words) or not is_base_verb(words[index]):
        return False
    word = words[index]
    if _is_preposition(word):
        return False
    following = words[index + 1] if index + 1 < len(words) else None
    if following in GRAMMAR.determiners | GRAMMAR.possessive_pronouns | {"it", "them", "some"}:
        return True
    if word in UNCHANGING_VERBS:
        return False
    if following in GRAMMAR.phrasal_verbs.get(word, frozenset()):
        return True
    if can_only_be_verb(word):
        return True
    is_noun_here = following is None or following in CONNECTIVES or _is_preposition(following)
    return word in GRAMMAR.common_actions and not is_noun_here


def _is_preposition(word: str) -> bool:
    return word == "of" or word in GRAMMAR.simple_prepositions


def _split_subordinates(words: tuple[str, ...]) -> ClauseWords:
    start = 0
    while start < len(words) - 1 and _stands_before_verb(words, start):
        start += 1
    adverbs = tuple(word for word in words[:start] if is_adverb_of_manner(word))
    openings = [(i, found) for i in range(start + 1, len(words)) if (found := _opening(words, i))]
    ends = [*(index for index, _ in openings), len(words)]
    subordinates = tuple(
        Subordinate(marker, _strip_connectives(words[index + length : end]))
        for (index, (marker, length)), end in zip(openings, ends[1:], strict=True)
    )
    main = _strip_connectives(words[start : ends[0]])
    return ClauseWords(adverbs, main, tuple(item for item in subordinates if item.words))


def _stands_before_verb(words: tuple[str, ...], index: int) -> bool:
    word = words[index]
    if word in CONNECTIVES or is_adverb_of_manner(word):
        return True
    if word.isdigit():
        # The number of a list, `3. Open the box`, not a count, `3 boxes`.
        return is_base_verb(words[index + 1])
    is_subject = word in GRAMMAR.subjects or word in GRAMMAR.determiners
    return is_subject and any(can_be_verb(following) for following in words[index + 1 : index + 3])


def _opening(words: tuple[str, ...], index: int) -> tuple[str, int] | None:
    """Return (marker, length in words) of the subordinate clause that opens at `index`, if any."""
    word = words[index]
    following = words[index + 1] if index + 1 < len(words) else ""
    if words[index : index + 3] == ("in", "order", "to"):
        return "to", 3
    if word == "so" and following == "that":
        return "so", 2
    is_asked = word in {"if", "whether"} and words[index - 1] in GRAMMAR.checking_verbs
    if is_asked and index > 1:
        # `Press it to check if ...`: the question belongs to the inner clause, which is cut later.
        return None
    if word in GRAMMAR.roles_of_subordinators:
        return word, 1
    if word == "as" and following in {"you", "it", "the", "they"}:
        return "while", 1
    if word == "to" and _is_infinitive(words, index + 1):
        return "to", 1
    if word in {"by", "for"} and is_gerund(following):
        return word, 1
    if word == "," and is_gerund(following):
        return "while", 1
    return None


def _is_infinitive(words: tuple[str, ...], index: int) -> bool:
    if index >= len(words):
        return False
    if index == len(words) - 1:
        return can_only_be_verb(words[index]) and is_base_verb(words[index])
    is_common = words[index] in GRAMMAR.common_actions and words[index + 1] not in JOINERS
    return is_common or _starts_clause(words, index) or words[index] == "be"
