"""Options for filming a trace: lengths of added clips, transpositions, cascades."""

from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction

from generation.engine.splicing.exceptions import OptionError
from generation.engine.splicing.limits import LONGEST_BRIDGE_S, ClipLimits


class Transposition(StrEnum):
    """What happens to a window in which steps were swapped."""

    REORDER = "reorder"
    REGENERATE = "regenerate"


@dataclass(frozen=True, slots=True)
class EditOptions:
    """The options; lengths in seconds.

    Bridges are made by the built-in renderer, so the limits of the video model do not apply to
    them. With `frame_rate` every cut is on a frame; without it cuts are exactly where the
    annotation says.
    """

    limits: ClipLimits = field(default_factory=ClipLimits)
    insertion_s: float = 5.0
    correction_s: float = 5.0
    bridge_s: float = 1.0
    transposition: Transposition = Transposition.REORDER
    regenerates_cascades: bool = False
    frame_rate: Fraction | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.bridge_s < LONGEST_BRIDGE_S:
            raise OptionError(
                f"a bridge of {self.bridge_s} s; expected 0 (a plain cut) to under"
                f" {LONGEST_BRIDGE_S:g} s"
            )
        for name, length_s in (("inserted", self.insertion_s), ("correcting", self.correction_s)):
            if not self.limits.min_s <= length_s <= self.limits.max_s:
                raise OptionError(
                    f"{name} clips of {length_s} s; expected {self.limits.min_s} to"
                    f" {self.limits.max_s} s, which the model offers"
                )
        if self.frame_rate is not None and self.frame_rate <= 0:
            raise OptionError(f"{self.frame_rate} frames per second; expected more than 0")

    def on_frame(self, at_s: float) -> float:
        if self.frame_rate is None:
            return at_s
        return float(round(at_s * self.frame_rate) / self.frame_rate)

    def length_on_frame(self, length_s: float) -> float:
        """The nearest length of whole frames, one frame at least."""
        if self.frame_rate is None or length_s == 0:
            return length_s
        return float(max(1, round(length_s * self.frame_rate)) / self.frame_rate)
