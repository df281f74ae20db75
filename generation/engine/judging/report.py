"""What the judge did with a take: every attempt and its outcome, findings before and after."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from generation.engine.judging.findings import Finding, FindingCounts


class AttemptKind(StrEnum):
    """Who proposed a change."""

    RULE = "rule"
    MODEL = "model"
    MODEL_WITH_FRAMES = "model_with_frames"


class AttemptOutcome(StrEnum):
    ADOPTED = "adopted"
    NOT_BETTER = "not_better"
    LOSES_PLANNED_EVENT = "loses_planned_event"
    UNREADABLE = "unreadable"
    NO_ANSWER = "no_answer"


@dataclass(frozen=True, slots=True)
class RepairAttempt:
    """One attempt to repair; `name` is the rule, or the version of the prompt.

    `after` is None if there was nothing to check. `detail` says what the attempt was about and, if
    it was not adopted, why not.
    """

    number: int
    kind: AttemptKind
    name: str
    outcome: AttemptOutcome
    before: FindingCounts
    after: FindingCounts | None
    detail: str

    def to_dict(self) -> dict[str, Any]:
        return {
            "number": self.number,
            "kind": str(self.kind),
            "name": self.name,
            "outcome": str(self.outcome),
            "hard_before": self.before.hard,
            "soft_before": self.before.soft,
            "hard_after": None if self.after is None else self.after.hard,
            "soft_after": None if self.after is None else self.after.soft,
            "detail": self.detail,
        }


@dataclass(frozen=True, slots=True)
class JudgeReport:
    """Findings before and after, and the attempts in between.

    `changed_words` counts the words by which the final text differs from the submitted one.
    `not_applied` are the codes of checks that need a real plan, if there is none.
    """

    initial: tuple[Finding, ...]
    remaining: tuple[Finding, ...]
    attempts: tuple[RepairAttempt, ...]
    changed_words: int
    not_applied: tuple[str, ...] = ()

    @property
    def adopted(self) -> tuple[RepairAttempt, ...]:
        return tuple(item for item in self.attempts if item.outcome is AttemptOutcome.ADOPTED)

    def to_dict(self) -> dict[str, Any]:
        return {
            "found": [finding.to_dict() for finding in self.initial],
            "remaining": [finding.to_dict() for finding in self.remaining],
            "attempts": [attempt.to_dict() for attempt in self.attempts],
            "changed_words": self.changed_words,
            "not_applied": list(self.not_applied),
        }
