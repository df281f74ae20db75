"""What somebody sees of a case: answers and comments by letter, names only after the decision.

Names are for researchers alone. Raters know their own letter, and the others by theirs.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import cast

from django.db.models import Prefetch, prefetch_related_objects

from annotation.engine.campaigns.guideline import QuestionText, Subject
from annotation.engine.ratings.adjudication import (
    SHOWN_CAUSES,
    letter_of,
    possible_causes,
    possible_values,
)
from annotation.engine.ratings.remarks import SHOWN_KINDS, RemarkKind
from annotation.engine.rubric.rubric import (
    SHOWN_REASONS,
    CannotJudge,
    Metric,
    Rubric,
    current_rubric,
    rubric,
)
from annotation.models import AssignmentStatus, Case, CaseRater, Purpose, Rating, Remark, User
from annotation.selectors.campaigns.rounds import guideline_text
from annotation.selectors.ratings.desk import REMARKED, TITLES, Desk


@dataclass(frozen=True, slots=True)
class CaseAnswer:
    """What one rater answered; `name` is empty where the reader may not know it (yet)."""

    letter: str
    name: str
    is_own: bool
    value: str
    confidence: int | None
    cannot_judge: str
    is_implied: bool
    words: str


def answers_of(cases: Sequence[Case], user: User, desk: Desk) -> dict[int, tuple[CaseAnswer, ...]]:
    """The answers to each case (by row id) in the order of their letters (2 queries)."""
    traces, rounds = {case.trace_id for case in cases}, {case.round_id for case in cases}
    answers: dict[tuple[int, int, int, int | None, str], tuple[str, int | None, str, bool]] = {}
    for round_id, trace, rater, event, metric, *row in Rating.objects.filter(
        assignment__round__in=rounds,
        assignment__trace__in=traces,
        assignment__purpose=Purpose.ORDINARY,
        assignment__status=AssignmentStatus.SUBMITTED,
        metric__in={case.metric for case in cases},
    ).values_list(
        "assignment__round", "assignment__trace", "assignment__rater", "event",
        "metric", "value", "confidence", "cannot_judge", "is_implied",
    ):  # fmt: skip
        key = (round_id, trace, rater, cast("int | None", event), metric)
        answers[key] = cast("tuple[str, int | None, str, bool]", row)
    by_case: dict[int, list[CaseAnswer]] = defaultdict(list)
    members = Prefetch("raters", CaseRater.objects.select_related("rater"))
    prefetch_related_objects(cases, members)
    everybody = ((case, member) for case in cases for member in case.raters.all())
    for asked, member in everybody:
        key = (asked.round_id, asked.trace_id, member.rater_id, asked.event_id, asked.metric)
        value, confidence, cannot_judge, is_implied = answers.get(key, ("", None, "", False))
        by_case[asked.pk].append(
            CaseAnswer(
                letter=letter_of(member.place),
                name=member.rater.username if desk.is_researcher and asked.is_decided else "",
                is_own=member.rater_id == user.pk,
                value=value,
                confidence=confidence,
                cannot_judge=cannot_judge,
                is_implied=is_implied,
                words=_words(asked.metric, value, confidence, cannot_judge),
            )
        )
    return {pk: tuple(case_answers) for pk, case_answers in by_case.items()}


def _words(metric: str, value: str, confidence: int | None, cannot_judge: str) -> str:
    if cannot_judge:
        return f"cannot judge: {SHOWN_REASONS[CannotJudge(cannot_judge)].lower()}"
    if not value:
        return ""
    shown = current_rubric().definition(Metric(metric)).shown(value)
    return f"{shown}, sure {confidence} of 3" if confidence else shown


def title_of(case: Case) -> str:
    """The metric in words."""
    return TITLES.get(case.metric, case.metric) or REMARKED


@dataclass(frozen=True, slots=True)
class ShownComment:
    """A comment as the reader sees it; `author` is a letter, a name, or both."""

    public_id: str
    author: str
    is_own: bool
    text: str
    side: str
    time_s: float | None
    written_at: datetime

    def to_dict(self) -> dict[str, object]:
        """The comment as page and API have it."""
        return {
            "id": self.public_id,
            "author": self.author,
            "is_own": self.is_own,
            "text": self.text,
            "side": self.side or None,
            "time_s": self.time_s,
            "written_at": self.written_at.isoformat(),
        }


@dataclass(frozen=True, slots=True)
class CaseRemark:
    """What a rater remarked on the event while rating: for researchers and its author."""

    letter: str
    is_own: bool
    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class CaseDiscussion:
    """Everything about a case beside its recordings."""

    case: Case
    desk: Desk
    title: str
    answers: tuple[CaseAnswer, ...]
    remarks: tuple[CaseRemark, ...]
    comments: tuple[ShownComment, ...]
    causes: tuple[tuple[str, str], ...]
    values: tuple[tuple[str, str], ...]
    value: str
    shown_value: str
    guideline: QuestionText | None


def discussion_of(case: Case, user: User, desk: Desk) -> CaseDiscussion:
    """What the reader sees of a case that came from `get_case` (3 queries)."""
    rubric_ = rubric(case.round.ratings.rubric_version)
    metric = Metric(case.metric) if case.metric else None
    answers = answers_of([case], user, desk).get(case.pk, ())
    letters = {
        member.rater_id: (letter_of(member.place), member.rater.username)
        for member in case.raters.all()
    }
    value = case.adjudicated.value if hasattr(case, "adjudicated") else ""
    return CaseDiscussion(
        case=case,
        desk=desk,
        title=title_of(case),
        answers=answers,
        remarks=_remarks(case, user, desk, letters),
        comments=tuple(
            ShownComment(
                public_id=str(comment.pk),
                author=_author(comment.author, case, desk, letters),
                is_own=comment.author_id == user.pk,
                text=comment.text,
                side=comment.side,
                time_s=comment.time_s,
                written_at=comment.written_at,
            )
            for comment in case.comments.select_related("author").order_by("written_at", "pk")
        ),
        causes=tuple(
            (cause.value, SHOWN_CAUSES[cause]) for cause in possible_causes(metric, rubric_)
        ),
        values=tuple(
            (item, _shown(rubric_, metric, item)) for item in possible_values(metric, rubric_)
        ),
        value=value,
        shown_value=_shown(rubric_, metric, value),
        guideline=_guideline(case, metric),
    )


def _shown(rubric_: Rubric, metric: Metric | None, value: str) -> str:
    return rubric_.definition(metric).shown(value) if metric and value else value


def _guideline(case: Case, metric: Metric | None) -> QuestionText | None:
    if metric is None:
        return None
    subject = Subject.TRACE if case.event is None else Subject(case.event.kind)
    return guideline_text(case.round).texts.get((metric, subject))


Letters = dict[int, tuple[str, str]]


def _remarks(case: Case, user: User, desk: Desk, letters: Letters) -> tuple[CaseRemark, ...]:
    """The remarks of all raters for researchers, a rater's own for that rater.

    Raters were promised that only researchers read them.
    """
    remarks = Remark.objects.filter(
        assignment__round=case.round_id,
        assignment__trace=case.trace_id,
        assignment__purpose=Purpose.ORDINARY,
        assignment__rater__in=letters,
        event=case.event_id,
        is_current=True,
    ).exclude(text="")
    if not desk.is_researcher:
        remarks = remarks.filter(assignment__rater=user)
    rows = remarks.order_by("pk").values_list("assignment__rater", "kind", "text")
    return tuple(
        CaseRemark(
            letter=letters[rater][0],
            is_own=rater == user.pk,
            kind=SHOWN_KINDS[RemarkKind(kind)],
            text="" if kind == RemarkKind.WITHOUT_VIDEO else text,
        )
        for rater, kind, text in rows
    )


def _author(author: User, case: Case, desk: Desk, letters: Letters) -> str:
    """A rater is a letter, with the name for researchers once the case is decided."""
    if author.pk not in letters:
        return author.username if desk.is_researcher else "Researcher"
    letter, name = letters[author.pk]
    return f"{letter} ({name})" if desk.is_researcher and case.is_decided else letter
