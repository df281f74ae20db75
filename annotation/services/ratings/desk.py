"""The disagreement desk: cases drawn from closed rounds, discussed, decided, fed into a guideline.

Nothing here touches a rating: what a case ends on is a value of its own, which no figure reads.
"""

from collections import defaultdict
from dataclasses import dataclass
from uuid import uuid4

import numpy as np
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.crypto import salted_hmac

from annotation.analytics.agreement.agreement import disagreement_scores
from annotation.engine.exceptions import NotNowError
from annotation.engine.ratings.adjudication import Cause, check_decision
from annotation.engine.rubric.rubric import Metric, rubric
from annotation.models import (
    AdjudicatedValue,
    Assignment,
    AssignmentStatus,
    Campaign,
    Case,
    CaseComment,
    CaseRater,
    CaseState,
    GuidelineVersion,
    Purpose,
    Rating,
    Remark,
    Round,
    Side,
    User,
)
from annotation.models.round_kinds import RATINGS
from annotation.selectors.campaigns.rounds import independent_rounds
from annotation.selectors.ratings.assignments import of_placeholders
from annotation.services.campaigns.guidelines import edit_version, new_version
from annotation.services.records.audit_log import record, record_campaign
from annotation.services.records.locks import lock_campaign

INSERT_BATCH = 1000
# Of a trace (row id), an event of it (row id, None for the whole trace), and a metric, "" for none.
CaseKey = tuple[int, int | None, str]


class DeskError(NotNowError):
    """The desk cannot do this now; the message says why."""


class CommentError(ValueError):
    """A comment or its time mark that cannot be; `field` is "text", "side" or "time_s"."""

    def __init__(self, field: str, message: str) -> None:
        self.field = field
        super().__init__(message)


@dataclass(frozen=True, slots=True)
class DrawResult:
    """How many cases were added, got another score, or fell away because nobody differs now."""

    added_count: int = 0
    changed_count: int = 0
    removed_count: int = 0

    def __add__(self, other: "DrawResult") -> "DrawResult":
        return DrawResult(
            self.added_count + other.added_count,
            self.changed_count + other.changed_count,
            self.removed_count + other.removed_count,
        )


@dataclass(frozen=True, slots=True)
class TimeMark:
    """A moment of one recording."""

    side: str
    time_s: float


@transaction.atomic
def draw_cases(*, campaign: Campaign, actor: User | None) -> DrawResult:
    """Bring the cases of the campaign in line with what was answered in its closed rounds.

    A second time changes nothing. A case that was discussed or decided stays, even where the
    answers are alike by now; a new rater gets the next letter.
    """
    locked = lock_campaign(campaign)
    rounds = list(independent_rounds(locked).select_related("ratings"))
    if not rounds:
        raise DeskError("No round is closed yet: until then nobody sees what others answered.")
    result = DrawResult()
    for round_ in rounds:
        drawn = _draw_round(round_)
        result += drawn
        if drawn != DrawResult():
            detail = {
                "round": round_.number,
                "added": drawn.added_count,
                "changed": drawn.changed_count,
                "removed": drawn.removed_count,
            }
            record_campaign(actor, "case.draw", locked, detail)
    return result


def _draw_round(round_: Round) -> DrawResult:
    submitted = Assignment.objects.filter(
        round=round_, purpose=Purpose.ORDINARY, status=AssignmentStatus.SUBMITTED
    ).order_by()
    scores = _scores(round_, submitted)
    flagged = _flagged(submitted)
    differing = {key for key, score in scores.items() if score} | flagged
    cases: dict[CaseKey, Case] = {
        (case.trace_id, case.event_id, case.metric): case for case in round_.cases.all()
    }
    obsolete, changed = [], []
    for key, case in cases.items():
        current = (scores.get(key), key in flagged)
        if key not in differing and case.state == CaseState.OPEN:
            obsolete.append(case.pk)
        elif (case.score, case.is_flagged) != current:
            case.score, case.is_flagged = current
            changed.append(case)
    Case.objects.bulk_update(changed, ["score", "is_flagged"], batch_size=INSERT_BATCH)
    Case.objects.filter(pk__in=obsolete).delete()
    added = [
        Case(
            round=round_,
            trace_id=trace,
            event_id=event,
            metric=metric,
            score=scores.get((trace, event, metric)),
            is_flagged=(trace, event, metric) in flagged,
        )
        for trace, event, metric in sorted(
            differing - cases.keys(), key=lambda key: (key[0], key[1] or 0, key[2])
        )
    ]
    Case.objects.bulk_create(added, batch_size=INSERT_BATCH)
    _give_letters(round_, submitted)
    return DrawResult(len(added), len(changed), len(obsolete))


def _scores(round_: Round, submitted: QuerySet[Assignment]) -> dict[CaseKey, float | None]:
    """How far the answers to each question are apart; None where fewer than two answered."""
    metrics = rubric(round_.ratings.rubric_version).metrics
    scales = {item.metric.value: item.values for item in metrics}
    answered = Rating.objects.filter(assignment__in=submitted).exclude(of_placeholders())
    ratings = answered.exclude(value="").order_by()
    tallies: dict[str, dict[CaseKey, list[int]]] = defaultdict(dict)
    for trace, event, metric, value in ratings.values_list(
        "assignment__trace_id", "event_id", "metric", "value"
    ):
        scale = scales.get(metric, ())
        if value not in scale:
            continue
        row = tallies[metric].setdefault((trace, event, metric), [0] * len(scale))
        row[scale.index(value)] += 1
    scores: dict[CaseKey, float | None] = {}
    for item in metrics:
        of_metric = tallies[item.metric.value]
        if of_metric:
            found = disagreement_scores(np.array(list(of_metric.values())), item.level)
            for key, score in zip(of_metric, found.tolist(), strict=True):
                scores[key] = None if np.isnan(score) else score
    return scores


def _flagged(submitted: QuerySet[Assignment]) -> set[CaseKey]:
    """What raters could not judge, by metric, and what they remarked on, without one."""
    answered = Rating.objects.filter(assignment__in=submitted).exclude(of_placeholders())
    unjudged = answered.exclude(cannot_judge="").order_by()
    remarks = (
        Remark.objects.filter(assignment__in=submitted, is_current=True).exclude(text="").order_by()
    )
    unjudged_keys: set[CaseKey] = set(
        unjudged.values_list("assignment__trace_id", "event_id", "metric").distinct()
    )
    return unjudged_keys | {
        (trace, event, "")
        for trace, event in remarks.values_list("assignment__trace_id", "event_id").distinct()
    }


def _give_letters(round_: Round, submitted: QuerySet[Assignment]) -> None:
    """Name everybody who submitted the trace of a case, each case in an order of its own.

    The order takes the site's secret: who knows the ids of case and people cannot tell it.
    """
    raters: dict[int, list[int]] = defaultdict(list)
    for trace, rater in submitted.values_list("trace_id", "rater_id"):
        raters[trace].append(rater)
    lettered: dict[int, set[int]] = defaultdict(set)
    for case, rater in CaseRater.objects.filter(case__round=round_).values_list("case", "rater"):
        lettered[case].add(rater)
    new = []
    for case, public_id, trace in Case.objects.filter(round=round_).values_list(
        "pk", "public_id", "trace_id"
    ):
        unnamed = [rater for rater in raters[trace] if rater not in lettered[case]]
        unnamed.sort(key=lambda rater: salted_hmac(public_id, str(rater)).digest())
        new += [
            CaseRater(case_id=case, rater_id=rater, place=place)
            for place, rater in enumerate(unnamed, start=len(lettered[case]))
        ]
    CaseRater.objects.bulk_create(new, batch_size=INSERT_BATCH)


@transaction.atomic
def add_comment(
    *, case: Case, author: User, text: str, mark: TimeMark | None = None, client_key: str = ""
) -> CaseComment:
    """Add a comment to a case; one that this browser has sent before is stored once."""
    locked = Case.objects.select_for_update(of=("self",)).get(pk=case.pk)
    if client_key:
        sent = locked.comments.filter(author=author, client_key=client_key).first()
        if sent is not None:
            return sent
    if not text.strip():
        raise CommentError("text", "The comment is empty; expected a text.")
    if mark is not None:
        videos = {Side.REFERENCE: case.trace.take.video, Side.TRACE: case.trace.video}
        if mark.side not in videos:
            expected = " or ".join(Side.values)
            raise CommentError("side", f"The side is {mark.side!r}; expected {expected}.")
        video = videos[Side(mark.side)]
        if video is None:
            raise CommentError("side", f"The {mark.side} has no video to mark a moment of.")
        if not 0 <= mark.time_s <= video.duration_s:
            raise CommentError(
                "time_s", f"The mark is at {mark.time_s} s; expected 0 to {video.duration_s:.3f} s."
            )
    comment = CaseComment.objects.create(
        case=locked,
        author=author,
        text=text.strip(),
        side=mark.side if mark else "",
        time_s=round(mark.time_s, 3) if mark else None,
        client_key=client_key or uuid4().hex,
    )
    if locked.state == CaseState.OPEN:
        locked.state = CaseState.DISCUSSED
        locked.save(update_fields=["state"])
    record(
        actor=author,
        action="case.comment",
        subject=f"case:{locked.public_id}",
        detail={"comment": comment.pk},
    )
    return comment


@transaction.atomic
def decide_case(
    *, case: Case, actor: User, cause: Cause, value: str = "", reason: str = ""
) -> Case:
    """Decide a case, or decide it anew; raises `DecisionError`. No rating changes."""
    locked = Case.objects.select_for_update(of=("self",)).get(pk=case.pk)
    rubric_ = rubric(case.round.ratings.rubric_version)
    metric = Metric(locked.metric) if locked.metric else None
    check_decision(metric=metric, cause=cause, value=value, rubric_=rubric_)
    before = {"cause": locked.cause} if locked.cause else {}
    locked.state = CaseState.DECIDED
    locked.cause = cause
    locked.reason = reason.strip()
    locked.decided_by = actor
    locked.decided_at = timezone.now()
    locked.save(update_fields=["state", "cause", "reason", "decided_by", "decided_at"])
    if value:
        AdjudicatedValue.objects.update_or_create(
            case=locked,
            defaults={"value": value, "decided_by": actor, "decided_at": locked.decided_at},
        )
    else:
        AdjudicatedValue.objects.filter(case=locked).delete()
    record(
        actor=actor,
        action="case.decide",
        subject=f"case:{locked.public_id}",
        detail={"cause": cause.value, "value": value, "before": before},
    )
    return locked


@transaction.atomic
def draft_from_case(*, case: Case, actor: User) -> GuidelineVersion:
    """A draft of the guideline in which the event of the case stands as an example.

    The campaign's latest draft is taken up; where there is none, one is made of its latest version.
    Raises `GuidelineError` where that text does not fit today's rubric, and `DeskError` for a case
    about no question.
    """
    if not case.metric:
        raise DeskError(
            "An example of the guideline belongs to a question; this case is about none."
        )
    campaign = lock_campaign(case.round.campaign)
    versions = campaign.guideline_versions.filter(kind=RATINGS)
    draft = versions.filter(frozen_at__isnull=True).order_by("-number").first()
    if draft is None:
        latest = versions.order_by("-number").first() or case.round.guideline
        draft = new_version(campaign=campaign, actor=actor, parent=latest)
    example = {
        "metric": case.metric,
        "trace": case.trace.public_id,
        "event": None if case.event is None else case.event.index,
        "note": case.reason,
    }
    place = ("metric", "trace", "event")
    if any(all(held.get(key) == example[key] for key in place) for held in draft.examples):
        return draft
    edited = edit_version(
        version=draft,
        actor=actor,
        text=draft.text,
        examples=[*draft.examples, example],
        changes=draft.changes,
    )
    record(
        actor=actor,
        action="case.guideline",
        subject=f"case:{case.public_id}",
        detail={"version": edited.public_id},
    )
    return edited
