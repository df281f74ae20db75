"""The options of a run beside its profile: models, budget, clips; fixed at launch.

A model is named by a word: `rules` for the rule-based writer, `none` for a judge without a model,
else the id of an endpoint of the site.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from decimal import Decimal
from typing import Any

from generation.engine.prompting.clip_prompt import View

RULES = "rules"
NO_MODEL = "none"
BRIDGE = "bridge"
MANUAL = "manual"
# The words for makers of clips that are not video models of the site.
BUILT_IN_MAKERS = frozenset({BRIDGE, MANUAL})
LONGEST_CROSS_FADE_S = 1.0


@dataclass(frozen=True, slots=True)
class ClipOptions:
    """Where the video stage gets its clips.

    `maker` is `bridge` (placeholders), `manual` (a person uploads every clip) or the id of a video
    model of the site. `prompts` is `rules` or the id of the text model that writes the prompts of
    clips. `shows_caption` and `is_marked` are for placeholders. `cross_fade_s` fades the joins; 0
    makes plain cuts. With `reviews_prompts` no clip is ordered before a researcher has approved its
    prompt.
    """

    maker: str = BRIDGE
    prompts: str = RULES
    view: View = View.EGOCENTRIC
    shows_caption: bool = True
    is_marked: bool = True
    cross_fade_s: float = 0.0
    reviews_prompts: bool = False

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "view": str(self.view)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "ClipOptions":
        """The options of a run; defaults for those that an older run does not have."""
        stored = {name: data[name] for name in cls.__dataclass_fields__ if name in data}
        return cls(**{**stored, "view": View(data.get("view", View.EGOCENTRIC))})

    @property
    def endpoint(self) -> str | None:
        """The id of the video model that makes the clips, None if none does."""
        return None if self.maker in BUILT_IN_MAKERS else self.maker


@dataclass(frozen=True, slots=True)
class RunOptions:
    """Who writes, who helps the judge to repair, how clips are made.

    `budget_usd` limits the cost of a run, None does not; it may be raised after launch. With
    `is_freeform` the writer gets no plan and makes up the mistakes itself: the baseline. A text
    with a hard finding left gets no video and is not published, unless `publishes_hard_findings`
    is set, at launch or later.
    """

    writer: str = RULES
    judge: str = NO_MODEL
    budget_usd: float | None = None
    clips: ClipOptions = field(default_factory=ClipOptions)
    is_freeform: bool = False
    publishes_hard_findings: bool = False

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "clips": self.clips.to_dict()}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "RunOptions":
        """The options of a run; defaults for those that an older run does not have."""
        stored = {name: data[name] for name in cls.__dataclass_fields__ if name in data}
        return cls(**{**stored, "clips": ClipOptions.from_dict(data.get("clips", {}))})

    @property
    def budget(self) -> Decimal | None:
        """The budget as an exact decimal, to compare with sums of prices."""
        return None if self.budget_usd is None else Decimal(str(self.budget_usd))

    @property
    def models(self) -> tuple[str, ...]:
        """The ids of the text endpoints that the run uses, each once."""
        words = (self.writer, self.judge, self.clips.prompts)
        named = (name for name in words if name not in {RULES, NO_MODEL})
        return tuple(dict.fromkeys(named))
