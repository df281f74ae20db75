"""What a review decided about questions, taken back into their set."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from annotation.models import User
from benchmarks.models import Question, QuestionSet, QuestionState
from benchmarks.models.questions import USABLE, Author
from benchmarks.services.questions.sets import (
    QuestionSetInUseError,
    locked_question_set,
    record_questions,
)
from benchmarks.services.questions.work import kinds_of

BEFORE_REVIEW = "kinds_before"
DECIDED = (QuestionState.ACCEPTED, QuestionState.EDITED, QuestionState.REJECTED)
NOT_REVIEWED = "not decided in the review"


@dataclass(frozen=True, slots=True)
class Decision:
    """What became of the question at a position: kept, kept with other words, or rejected.

    `question` and `answer` are its words as they were decided, the same as before where it was
    accepted; `reasons` say why it was rejected.
    """

    position: int
    is_kept: bool
    question: str = ""
    answer: str = ""
    reasons: tuple[str, ...] = ()


@transaction.atomic
def take_back(
    *, question_set: QuestionSet, decisions: Sequence[Decision], actor: User | None
) -> dict[str, int]:
    """Give each question the state that was decided; what nobody decided about is rejected.

    An edit is a row of its own, and the version before stays. Returns how many questions there are
    by state. Raises QuestionSetInUseError for a set that is frozen.
    """
    now = locked_question_set(question_set)
    if now.is_frozen:
        raise QuestionSetInUseError(f"{now} is frozen; make a new version to review it.")
    before = kinds_of(now)["kinds"]
    decided = {decision.position: decision for decision in decisions}
    current = Question.objects.filter(question_set=now, state__in=USABLE)
    counts = dict.fromkeys(
        (QuestionState.ACCEPTED, QuestionState.EDITED, QuestionState.REJECTED), 0
    )
    for row in current.select_for_update().order_by("position"):
        decision = decided.get(row.position)
        if decision is None or not decision.is_kept:
            reasons = decision.reasons if decision else (NOT_REVIEWED,)
            row.state, row.fault = QuestionState.REJECTED, "; ".join(reasons)
            row.save(update_fields=["state", "fault"])
            counts[QuestionState.REJECTED] += 1
        elif (decision.question, decision.answer) == (row.question, row.answer):
            row.state = QuestionState.ACCEPTED
            row.save(update_fields=["state"])
            counts[QuestionState.ACCEPTED] += 1
        else:
            _edit(row, decision)
            counts[QuestionState.EDITED] += 1
    kinds: dict[str, Any] = kinds_of(now)
    now.figures = {**now.figures, "kinds": kinds["kinds"], BEFORE_REVIEW: before}
    now.question_count = current.count()
    now.save(update_fields=["figures", "question_count"])
    by_state = {str(state): count for state, count in counts.items()}
    record_questions(now, actor, "review", by_state)
    return by_state


def _edit(row: Question, decision: Decision) -> None:
    """Put another version in the place of a question, which stays as the one before it."""
    row.state = QuestionState.REPLACED
    row.save(update_fields=["state"])
    old, row.pk = Question(pk=row.pk), None
    row.before, row.state, row.author = old, QuestionState.EDITED, Author.PERSON
    row.question, row.answer = decision.question, decision.answer
    row.save(force_insert=True)
