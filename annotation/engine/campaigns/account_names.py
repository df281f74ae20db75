"""Names that no new account gets, because they pass for another one or for a formula."""

import unicodedata
from collections import Counter

# What a spreadsheet takes for the start of a formula, of the characters that names may have.
FORMULA_STARTS = "+-@"
# Alphabets that one language writes side by side, and whose letters are taken for no others.
EAST_ASIAN = frozenset({"CJK", "HANGUL", "HIRAGANA", "IDEOGRAPHIC", "KATAKANA"})
LETTERS = frozenset({"Ll", "Lu", "Lt", "Lo"})


def name_fault(name: str) -> str:
    """What is wrong with a name in a sentence; empty where nothing is.

    >>> name_fault("administrat\\u043er")
    'It mixes Latin letters with the Cyrillic “о”; expected letters of one alphabet.'
    >>> name_fault("anna.b-2"), name_fault("Щука")
    ('', '')
    """
    start = unicodedata.normalize("NFKC", name)[:1]
    if start and start in FORMULA_STARTS:
        return f"It starts with “{start}” as formulas do; expected a letter or a digit first."
    return mixed_alphabets(name)


def mixed_alphabets(name: str) -> str:
    """Which letter is of another alphabet than the others, in a sentence; empty where none is."""
    normal = unicodedata.normalize("NFKC", name)
    letters = [
        (alphabet, sign)
        for sign in normal
        # Digits, marks and modifiers go with every alphabet.
        if unicodedata.category(sign) in LETTERS
        and (alphabet := unicodedata.name(sign, "other").partition(" ")[0]) not in EAST_ASIAN
    ]
    counts = Counter(alphabet for alphabet, _ in letters).most_common()
    if len(counts) < 2:
        return ""
    usual, rare = counts[0][0], counts[-1][0]
    strange = next(sign for alphabet, sign in letters if alphabet == rare)
    return (
        f"It mixes {usual.title()} letters with the {rare.title()} “{strange}”; expected letters"
        " of one alphabet."
    )
