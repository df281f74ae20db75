"""Read the lengths and sizes that a user types for the model of a server."""

import re

# No step of a procedure needs a longer clip, and nobody types more sizes.
LONGEST_S = 60
MOST_SIZES = 20
LEAST_SIDE_PX, MOST_SIDE_PX = 64, 8192
_LENGTHS = re.compile(r"(\d{1,3})(?:\s*-\s*(\d{1,3}))?")
_SIZE = re.compile(r"(\d{1,5})\s*x\s*(\d{1,5})", re.IGNORECASE)


def read_lengths(text: str) -> tuple[int, ...]:
    """Whole seconds in ascending order; raises ValueError with what was expected.

    >>> read_lengths("8, 4, 10-12")
    (4, 8, 10, 11, 12)
    """
    lengths_s: set[int] = set()
    for part in _parts(text):
        match = _LENGTHS.fullmatch(part)
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
        if not 1 <= first <= last <= LONGEST_S:
            raise ValueError(
                f"{part!r} is not a length; expected whole seconds up to {LONGEST_S} and ranges of"
                " them, for example 4, 8, 12 or 3-10."
            )
        lengths_s |= set(range(first, last + 1))
    return tuple(sorted(lengths_s))


def read_sizes(text: str) -> tuple[str, ...]:
    """Sizes as `1280x720`, in the order typed; raises ValueError with what was expected.

    >>> read_sizes("1280 x 720, 720X1280")
    ('1280x720', '720x1280')
    """
    sizes: dict[str, None] = {}
    for part in _parts(text):
        match = _SIZE.fullmatch(part)
        sides = (int(match[1]), int(match[2])) if match else (0, 0)
        if not all(LEAST_SIDE_PX <= side <= MOST_SIDE_PX for side in sides):
            raise ValueError(
                f"{part!r} is not a size; expected width x height in pixels, each from"
                f" {LEAST_SIDE_PX} to {MOST_SIDE_PX}, for example 1280x720, 720x1280."
            )
        sizes["{}x{}".format(*sides)] = None
    if len(sizes) > MOST_SIZES:
        raise ValueError(f"{len(sizes)} sizes; expected at most {MOST_SIZES}.")
    return tuple(sizes)


def _parts(text: str) -> list[str]:
    return [part.strip() for part in text.replace(";", ",").split(",") if part.strip()]
