"""What the stages of a run need beside its profile: models and budget, fixed at launch.

A model is named by a word: `rules` for the rule-based writer, `none` for a judge without a model,
else the name of an endpoint of the site.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

RULES = "rules"
NO_MODEL = "none"


@dataclass(frozen=True, slots=True)
class RunOptions:
    """Who writes and who helps the judge to repair; `budget_usd` stops a run, None never does."""

    writer: str = RULES
    judge: str = NO_MODEL
    budget_usd: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the options as plain JSON values."""
        return {"writer": self.writer, "judge": self.judge, "budget_usd": self.budget_usd}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "RunOptions":
        """Return the options of a run; what an older run does not have is as it was then."""
        default = cls()
        return cls(
            writer=data.get("writer", default.writer),
            judge=data.get("judge", default.judge),
            budget_usd=data.get("budget_usd"),
        )

    @property
    def models(self) -> tuple[str, ...]:
        """Return the names of the endpoints that the run asks, each once."""
        named = (name for name in (self.writer, self.judge) if name not in {RULES, NO_MODEL})
        return tuple(dict.fromkeys(named))
