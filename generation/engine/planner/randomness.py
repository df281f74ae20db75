"""One random generator per (seed, take, stage), and the weighted draw."""

import hashlib
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

import numpy as np

from generation.engine.stages import Stage


def generator_for(seed: int, take_uid: str, stage: Stage | str) -> np.random.Generator:
    """The generator of one stage of one take.

    The three parts are hashed together, so that the draws of a take do not depend on the other
    takes of its run, nor those of one stage on the other stage.
    """
    digest = hashlib.blake2b(f"{seed}\x1f{take_uid}\x1f{stage}".encode(), digest_size=16).digest()
    return np.random.Generator(np.random.PCG64(int.from_bytes(digest, "little")))


def draw_index(rng: np.random.Generator, weights: Sequence[float]) -> int:
    """A position of `weights`, drawn with probability proportional to its weight.

    Raises ValueError when no weight is positive.
    """
    cumulative = list(accumulate(weights))
    total = cumulative[-1] if cumulative else 0.0
    if total <= 0:
        raise ValueError(f"no positive weight to draw from in {list(weights)!r}")
    index = bisect_right(cumulative, rng.random() * total)
    if index == len(cumulative):  # the product rounded up to the total
        index = max(position for position, weight in enumerate(weights) if weight > 0)
    return index
