"""How far the judge goes to repair a take."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of the repair loop.

    Two text attempts of the model, and one with at most two frames (the published judge: three
    attempts, frames from the second on, two images; reference, sections 4.1 and 4.7). A take's
    rules may be tried this many times; every attempt checks the whole take once.
    """

    max_rule_attempts: int = 80
    max_model_attempts: int = 2
    max_frame_attempts: int = 1
    max_frames: int = 2
