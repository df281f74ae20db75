"""Words of a server, made fit to be kept: a server may be odd or hostile.

What cannot be stored is worse than what is lost of it: an answer that was paid for would be asked
for, and paid for, again.
"""

from annotation.engine.formats.reading import text_fault


def storable(text: str) -> str:
    r"""The text without what no database takes: NUL (PostgreSQL) and lone surrogates.

    >>> storable("tea\x00 and \ud83d milk")
    'tea and ? milk'
    """
    return text.replace("\x00", "").encode(errors="replace").decode()


def is_storable(value: object) -> bool:
    """Whether every text in a JSON value can be kept as it is."""
    if isinstance(value, str):
        return text_fault(value) is None
    if isinstance(value, dict):
        return all(is_storable(key) and is_storable(item) for key, item in value.items())
    return not isinstance(value, list) or all(map(is_storable, value))
