"""The review of a question set: its questions handed to a round of texts, and taken back."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from annotation.engine.corpus.formats.registry import shown_text_of
from annotation.models import Dataset, Round, Step, User
from benchmarks.models import Question, QuestionSet, QuestionState
from benchmarks.models.questions import USABLE, Author
from benchmarks.selectors.questions import BEFORE_REVIEW, state_of_questions
from benchmarks.services.questions.sets import (
    QuestionSetInUseError,
    locked_question_set,
    record_questions,
)
from benchmarks.services.questions.work import kinds_of
from texts.selectors.rounds import decided_texts, vocabulary_of
from texts.services.rounds import NewTextRound, TextDraft, begin_reading

DECIDED = (QuestionState.ACCEPTED, QuestionState.EDITED, QuestionState.REJECTED)
NO_VERDICT = "not decided in the review"
# Of the label beside a text.
LABEL_CHARACTERS = 200


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


@dataclass(frozen=True, slots=True)
class ReviewRequest:
    """How people review: the name of their campaign, verdicts on each text, answers before."""

    name: str
    overlap: int = 2
    is_blind_first: bool = False


@transaction.atomic
def start_review(*, question_set: QuestionSet, request: ReviewRequest, actor: User) -> Round:
    """Plan a round of texts with the questions that passed their checks; people are added there.

    Raises QuestionSetInUseError for a set that is frozen, not made or reviewed already, and
    ValidationError as the round does.
    """
    now = locked_question_set(question_set)
    if now.is_frozen or not now.is_made or now.dataset is None:
        raise QuestionSetInUseError(f"{now} is {state_of_questions(now)}; it cannot be reviewed.")
    if now.review is not None:
        raise QuestionSetInUseError(f"{now} has a review already, {now.review.campaign.name}.")
    now.review = begin_reading(
        name=request.name,
        datasets=[now.dataset],
        new=NewTextRound(
            origin=f"question_set:{now.public_id}",
            overlap=request.overlap,
            seed=now.seed % 2**31,
            is_blind_first=request.is_blind_first,
        ),
        drafts=list(_drafts(now, now.dataset)),
        actor=actor,
    )
    now.save(update_fields=["review"])
    record_questions(now, actor, "start_review", {"campaign": now.review.campaign.public_id})
    return now.review


def _drafts(question_set: QuestionSet, dataset: Dataset) -> Iterator[TextDraft]:
    """The questions as texts on their recordings; which step each is about is marked."""
    takes = dict(dataset.takes.values_list("uid", "pk"))
    traces = {uid: (pk, take) for uid, pk, take in dataset.traces.values_list("uid", "pk", "take")}
    shown = shown_text_of(dataset.format)
    written: dict[int, dict[str, int]] = defaultdict(dict)
    steps = Step.objects.filter(take__in={*takes.values(), *(take for _, take in traces.values())})
    for take, index, text in steps.order_by("-index").values_list("take", "index", "text"):
        written[take][shown(text)] = index
    for row in question_set.questions.filter(state=QuestionState.READY).order_by("position"):
        kind, _, uid = row.recording.partition(":")
        trace, take = traces[uid] if kind == "trace" else (None, takes[uid])
        label = ", ".join(row.classes)
        note = row.about["note"]
        yield TextDraft(
            source_key=str(row.position),
            take=take,
            trace=trace,
            start_s=row.start_s,
            end_s=row.end_s,
            step_index=written[take].get(row.about["step"]),
            text=row.question,
            answer=row.answer,
            label=(f"{label}: {note}" if note else label)[:LABEL_CHARACTERS],
            group=" ".join(filter(None, (row.kind, row.polarity))),
        )


def finish_review(*, question_set: QuestionSet, actor: User | None) -> dict[str, int]:
    """Take the verdicts of a closed round into its set; raises QuestionSetInUseError."""
    review = question_set.review
    if review is None:
        raise QuestionSetInUseError(f"{question_set} has no review.")
    if review.closed_at is None:
        raise QuestionSetInUseError(f"Its round is open; close it in {review.campaign.name} first.")
    titles = {reason.name: reason.title for reason in vocabulary_of(review).reasons}
    decisions = [
        Decision(
            position=int(one.source_key),
            is_kept=one.is_kept,
            question=one.text,
            answer=one.answer,
            reasons=tuple(titles[name] for name in one.reasons) or (NO_VERDICT,),
        )
        for one in decided_texts(review)
    ]
    return take_back(question_set=question_set, decisions=decisions, actor=actor)


@transaction.atomic
def take_back(
    *, question_set: QuestionSet, decisions: Sequence[Decision], actor: User | None
) -> dict[str, int]:
    """Give each question the state that was decided; what nobody decided about is rejected.

    An edit is a row of its own, and the version before stays. Returns how many questions there are
    by state. Raises QuestionSetInUseError for a set that is frozen.
    """
    now = locked_question_set(question_set)
    if BEFORE_REVIEW in now.figures:
        raise QuestionSetInUseError(f"{now} has its verdicts already.")
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
            reasons = decision.reasons if decision else (NO_VERDICT,)
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
