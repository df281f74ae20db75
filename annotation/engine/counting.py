"""Counts with their noun, as messages say them."""


def counted(count: int, noun: str) -> str:
    """The count and its noun, with an s for all but one.

    >>> counted(1, "rater"), counted(0, "rater"), counted(1_200, "trace")
    ('1 rater', '0 raters', '1,200 traces')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
