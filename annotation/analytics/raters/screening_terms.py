"""The terms of screening: rules, thresholds, the evidence on a rater, what a rule found."""

from dataclasses import dataclass, field, fields
from enum import StrEnum

from annotation.engine.limits import between


class Rule(StrEnum):
    """The rules, in the order in which they are tried and shown."""

    WATCHED = "watched"
    GOLD = "gold"
    TRAPS = "traps"
    SPEED = "speed"
    RUN = "run"
    VARIANCE = "variance"
    REPEATS = "repeats"
    AGREEMENT = "agreement"
    BIAS = "bias"
    DRIFT = "drift"
    SKIPPING = "skipping"


class Finding(StrEnum):
    """What a rule says of a rater; what was not tested has a reason."""

    ACCEPTED = "accepted"
    FLAGGED = "flagged"
    NOT_TESTED = "not_tested"


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Where each rule draws its line; all of them can be edited before a round starts.

    Gold, traps, what was watched, variance of answers and z are what tests of video quality by many
    people look at (as in ITU-T P.910); z = 3.29 is the two-sided .1% point of the normal
    distribution, raised for the number of metrics that are looked at (Bonferroni). The values are
    set so that honest raters are rarely flagged: `bench.screening` measures how rarely.
    """

    watched_share: float = field(default=0.5, metadata=between(0, 1))
    gold_share: float = field(default=0.65, metadata=between(0, 1))
    trap_share: float = field(default=0.75, metadata=between(0, 1))
    seconds_per_event: float = field(default=10.0, metadata=between(0, 3600))
    run_length: float = field(default=15, metadata=between(2, 10_000))
    variance: float = field(default=0.15, metadata=between(0, 4))
    repeat_share: float = field(default=0.4, metadata=between(0, 1))
    correlation: float = field(default=0.2, metadata=between(-1, 1))
    z: float = field(default=3.29, metadata=between(0, 100))
    bias_points: float = field(default=0.5, metadata=between(0, 4))
    bias_share: float = field(default=0.25, metadata=between(0, 1))
    drift_points: float = field(default=0.75, metadata=between(0, 4))
    drift_share: float = field(default=0.5, metadata=between(0, 1))
    skip_share: float = field(default=0.25, metadata=between(0, 1))

    def __post_init__(self) -> None:
        for item in fields(self):
            value, least, most = getattr(self, item.name), *item.metadata.values()
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise ValueError(f"threshold {item.name} is {value!r}; expected a number")
            if not least <= value <= most:
                raise ValueError(f"threshold {item.name} is {value}; expected {least} to {most}")

    @property
    def by_rule(self) -> dict[Rule, float]:
        """The one of each rule; bias and drift of yes and no have others (`bias_share`)."""
        return {
            Rule.WATCHED: self.watched_share,
            Rule.GOLD: self.gold_share,
            Rule.TRAPS: self.trap_share,
            Rule.SPEED: self.seconds_per_event,
            Rule.RUN: self.run_length,
            Rule.VARIANCE: self.variance,
            Rule.REPEATS: self.repeat_share,
            Rule.AGREEMENT: self.correlation,
            Rule.BIAS: self.bias_points,
            Rule.DRIFT: self.drift_points,
            Rule.SKIPPING: self.skip_share,
        }


@dataclass(frozen=True, slots=True)
class RaterEvidence:
    """What is known of a rater's work beside the answers that are compared with others.

    seconds_per_event: one per trace, long pauses cut. watched: the share of each event's time that
    was watched. gold, traps: whether each answer was accepted. repeats: whether each answer given
    again was the same (on scales, within a point).
    """

    name: str
    seconds_per_event: tuple[float, ...] = ()
    watched: tuple[float, ...] = ()
    gold: tuple[bool, ...] = ()
    traps: tuple[bool, ...] = ()
    repeats: tuple[bool, ...] = ()


@dataclass(frozen=True, slots=True)
class RuleResult:
    """What one rule found for one rater; `reason` is a sentence that can stand in a paper.

    `value` is in the unit of `threshold`; None where the rule could not be tested. `metric` is
    where it was found, empty where the rule is about all of them.
    """

    rule: Rule
    rater: int
    finding: Finding
    value: float | None
    threshold: float
    reason: str
    metric: str = ""
