"""How alike two descriptions are, by words and by letters.

Both figures are the same either way round and lie between 0 and 1; a figure that needs a language
model is not computed here.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable

# Source: M. Popovic, chrF: character n-gram F-score (2015): n from 1 to 6, spaces left out. There
# recall counts more; between two people neither text is the right one, so both count alike.
LONGEST_GRAM = 6
_WORD = re.compile(r"\w+", re.UNICODE)


def normalised(text: str) -> str:
    """One spelling: compatibility forms, lower case, words apart by single spaces.

    >>> normalised("Grasp  a Cup!") == normalised("grasp a cup")
    True
    """
    return " ".join(_WORD.findall(unicodedata.normalize("NFKC", text).casefold()))


def token_f1(first: str, second: str) -> float | None:
    """F1 of words, each as often as it comes; None where both texts are empty.

    >>> token_f1("grasp a cup", "grasp the red cup")
    0.5714285714285714
    """
    return _overlap_f1(Counter(normalised(first).split()), Counter(normalised(second).split()))


def character_f1(first: str, second: str) -> float | None:
    """Mean F1 of runs of 1 to 6 letters, of those lengths that either text has.

    >>> character_f1("cup", "cup"), character_f1("cup", "tag")
    (1.0, 0.0)
    """
    ours, theirs = (normalised(text).replace(" ", "") for text in (first, second))
    scores = []
    for size in range(1, LONGEST_GRAM + 1):
        score = _overlap_f1(_grams(ours, size), _grams(theirs, size))
        if score is not None:
            scores.append(score)
    return sum(scores) / len(scores) if scores else None


def _grams(text: str, size: int) -> Counter[str]:
    return Counter(text[start : start + size] for start in range(len(text) - size + 1))


def _overlap_f1(ours: Counter[str], theirs: Counter[str]) -> float | None:
    total = ours.total() + theirs.total()
    return 2 * (ours & theirs).total() / total if total else None


def same_share(pairs: Iterable[tuple[str, str]]) -> float | None:
    """The share of pairs that are equal once spelt the same."""
    equal = [normalised(first) == normalised(second) for first, second in pairs]
    return sum(equal) / len(equal) if equal else None
