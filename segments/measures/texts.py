"""How alike two descriptions are, by words and by letters.

Both figures are symmetric and lie between 0 and 1. Figures that need a language model are not
computed here.
"""

import re
import unicodedata
from collections import Counter
from functools import lru_cache

# Source: M. Popovic, chrF: character n-gram F-score (2015): n from 1 to 6, spaces left out. There
# recall counts more; between two people neither text is the reference, so both count the same.
LONGEST_GRAM = 6
_WORD = re.compile(r"\w+", re.UNICODE)


def normalised(text: str) -> str:
    """One spelling: compatibility forms, lower case, words apart by single spaces.

    >>> normalised("Grasp  a Cup!") == normalised("grasp a cup")
    True
    """
    return " ".join(_WORD.findall(unicodedata.normalize("NFKC", text).casefold()))


def token_f1(first: str, second: str) -> float | None:
    """F1 of words with their counts; None where both texts are empty.

    >>> token_f1("grasp a cup", "grasp the red cup")
    0.5714285714285714
    """
    ours, theirs = Counter(normalised(first).split()), Counter(normalised(second).split())
    total = ours.total() + theirs.total()
    return 2 * (ours & theirs).total() / total if total else None


def character_f1(first: str, second: str) -> float | None:
    """Mean F1 of runs of 1 to 6 letters, over the lengths that occur in either text.

    >>> character_f1("cup", "cup"), character_f1("cup", "tag")
    (1.0, 0.0)
    """
    (ours, our_totals), (theirs, their_totals) = _grams(first), _grams(second)
    common = [0] * LONGEST_GRAM
    for gram in ours.keys() & theirs.keys():
        common[len(gram) - 1] += min(ours[gram], theirs[gram])
    scores = [
        2 * both / (our_total + their_total)
        for both, our_total, their_total in zip(common, our_totals, their_totals, strict=True)
        if our_total + their_total
    ]
    return sum(scores) / len(scores) if scores else None


# The text of one person is compared with those of several others.
@lru_cache(maxsize=4096)
def _grams(text: str) -> tuple[dict[str, int], tuple[int, ...]]:
    """The count of each run of letters, and how many runs there are of each length."""
    letters = normalised(text).replace(" ", "")
    sizes = range(1, LONGEST_GRAM + 1)
    counts = Counter(
        letters[start : start + size] for size in sizes for start in range(len(letters) - size + 1)
    )
    return counts, tuple(max(0, len(letters) - size + 1) for size in sizes)
