"""Words of texts as numbers."""

import re
from collections.abc import Iterable
from typing import Any

from sklearn.feature_extraction.text import TfidfVectorizer

# What the library takes for a word by itself, and what stands between spaces.
WORD, BETWEEN_SPACES = r"(?u)\b\w\w+\b", r"\S+"


def word_weights(texts: Iterable[str], **options: Any) -> TfidfVectorizer:
    """TF-IDF of the words of texts, to be fitted on them.

    Words have two characters or more, unless no text has one, as where steps are called A and B.
    """
    has_words = any(re.search(WORD, text) for text in texts)
    return TfidfVectorizer(token_pattern=WORD if has_words else BETWEEN_SPACES, **options)
