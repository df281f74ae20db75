"""Text for servers, and their answers made safe to store: a server may be faulty or hostile.

Losing a few characters is better than failing to store an answer, which would then be asked for,
and paid for, again.
"""

import base64

from annotation.engine.corpus.formats.reading import text_fault

SHOWN_CHARACTERS = 300


def storable(text: str) -> str:
    r"""The text without what databases refuse: NUL (PostgreSQL) and lone surrogates.

    >>> storable("tea\x00 and \ud83d milk")
    'tea and ? milk'
    """
    return text.replace("\x00", "").encode(errors="replace").decode()


def readable(text: str, *secrets: str) -> str:
    """A server's message without our keys, cut to a readable length."""
    for secret in filter(None, secrets):
        text = text.replace(secret, "[key]")
    return storable(" ".join(text.split()))[:SHOWN_CHARACTERS]


def base64_text(content: bytes) -> str:
    return base64.b64encode(content).decode()


def data_url(jpeg: bytes) -> str:
    return f"data:image/jpeg;base64,{base64_text(jpeg)}"


def is_storable(value: object) -> bool:
    """Whether every text in a JSON value can be stored unchanged."""
    if isinstance(value, str):
        return text_fault(value) is None
    if isinstance(value, dict):
        return all(is_storable(key) and is_storable(item) for key, item in value.items())
    return not isinstance(value, list) or all(map(is_storable, value))
