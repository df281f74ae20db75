"""The lengths of clips that a video model can make, and how needed lengths are fitted to them.

A quarter of the published steps last longer than the 12 s of the longest clips and a seventh less
than the 2 s of the shortest (means over 1,259 steps), so both cases are ordinary (PIE-V, section
D.6): long windows are made of several clips, short ones are padded.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from generation.engine.splicing.exceptions import OptionError

# The range of Seedance 1.5 (2 to 12 s), the most permissive of the models that PIE-V names.
SHORTEST_CLIP_S = 2.0
LONGEST_CLIP_S = 12.0
# The published latte take replaces its longest step by two clips.
MOST_CLIPS_PER_STEP = 2
# PIE-V, section 4.4: a bridge over a deletion is "often < 3 s".
LONGEST_BRIDGE_S = 3.0


@dataclass(frozen=True, slots=True)
class ClipLimits:
    """The lengths of clips that a model offers, in seconds; `offered_s` if only some exist."""

    min_s: float = SHORTEST_CLIP_S
    max_s: float = LONGEST_CLIP_S
    offered_s: tuple[float, ...] = ()
    max_clips_per_step: int = MOST_CLIPS_PER_STEP

    def __post_init__(self) -> None:
        if not 0 < self.min_s <= self.max_s:
            raise OptionError(
                f"clips of {self.min_s} to {self.max_s} s; expected 0 < shortest <= longest"
            )
        if self.max_clips_per_step < 1:
            raise OptionError(f"{self.max_clips_per_step} clips per step; expected at least 1")
        if any(not self.min_s <= length_s <= self.max_s for length_s in self.offered_s):
            raise OptionError(
                f"offered lengths {self.offered_s}; expected all within"
                f" {self.min_s} to {self.max_s} s"
            )

    @classmethod
    def of(cls, lengths_s: Iterable[int]) -> Self:
        """The limits of a model that offers these lengths and no others.

        >>> ClipLimits.of((8, 4)).offered_s
        (4.0, 8.0)
        """
        offered_s = tuple(float(length_s) for length_s in sorted(set(lengths_s)))
        if not offered_s:
            raise OptionError("no length of clip is offered; expected one or more")
        return cls(min_s=offered_s[0], max_s=offered_s[-1], offered_s=offered_s)

    @property
    def in_words(self) -> str:
        """The lengths in words, for pages.

        >>> ClipLimits.of((4, 8, 12)).in_words, ClipLimits.of(range(3, 16)).in_words
        ('4, 8 or 12 s', '3 to 15 s')
        """
        lengths = [f"{length_s:g}" for length_s in self.offered_s]
        if not lengths or len(lengths) == self.max_s - self.min_s + 1 > 2:
            return f"{self.min_s:g} to {self.max_s:g} s"
        return " or ".join(filter(None, (", ".join(lengths[:-1]), lengths[-1]))) + " s"

    def clip_lengths_s(self, wanted_s: float) -> tuple[float, ...]:
        """The lengths of the clips that together come closest to `wanted_s`.

        Equal clips, as few as possible, each within the limits. Together they are longer than
        needed if the shortest clip is too long, and shorter if the most clips are not enough.

        >>> ClipLimits().clip_lengths_s(19.0)
        (9.5, 9.5)
        >>> ClipLimits().clip_lengths_s(0.7), ClipLimits().clip_lengths_s(290.0)
        ((2.0,), (12.0, 12.0))
        """
        count = min(max(1, math.ceil(wanted_s / self.max_s)), self.max_clips_per_step)
        each_s = min(max(wanted_s / count, self.min_s), self.max_s)
        return (each_s,) * count

    def order_length_s(self, used_s: float) -> float:
        """The length to order from the model if `used_s` seconds of the clip are used.

        >>> ClipLimits(min_s=4, max_s=12, offered_s=(4, 8, 12)).order_length_s(5.5)
        8
        """
        if not self.offered_s:
            return min(max(used_s, self.min_s), self.max_s)
        long_enough = [length_s for length_s in self.offered_s if length_s >= used_s]
        return min(long_enough, default=max(self.offered_s))
