"""TF-IDF of texts."""

import re
from collections.abc import Iterable
from typing import Any

from sklearn.feature_extraction.text import TfidfVectorizer

# The library's own pattern for a word, and anything between spaces.
WORD, BETWEEN_SPACES = r"(?u)\b\w\w+\b", r"\S+"


def word_weights(texts: Iterable[str], **options: Any) -> TfidfVectorizer:
    """A vectorizer to be fitted on these texts.

    The library ignores words of one character; where texts have no others, as with steps called A
    and B, these count.
    """
    has_words = any(re.search(WORD, text) for text in texts)
    return TfidfVectorizer(token_pattern=WORD if has_words else BETWEEN_SPACES, **options)
