"""People as participants: they answer item by item, and finish, which scores their answers."""

from collections.abc import Mapping
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Q
from django.shortcuts import get_object_or_404
from django.utils import timezone

from annotation.engine.exceptions import NotNowError
from annotation.models import AT_WORK, User
from annotation.selectors.records.status import installed_version
from benchmarks.engine.answers.values import ValueFaultError, value_of
from benchmarks.engine.task import AnswerShape, AnswerStatus
from benchmarks.models import Answer, Assessment, Item, ItemSet, ParticipantKind
from benchmarks.selectors.assessments import answers_of
from benchmarks.selectors.item_sets import engine_item, may_see_truth, task_of, tells_when_asked
from benchmarks.selectors.review_answers import has_reviewed
from benchmarks.services.assessments import record_assessment
from benchmarks.services.figures import figures_of_answers, store_figures
from benchmarks.services.item_sets import lock_item_set, require_frozen


class AnswersFinalError(NotNowError):
    """All answers are final, or this one is, since the person has seen the next item."""


@transaction.atomic
def start_answering(*, item_set: ItemSet, person: User, actor: User | None) -> Assessment:
    """Let a person answer the items; a second call changes nothing.

    Until they finish, the person sees neither the truth nor other answers.
    """
    require_frozen(item_set)
    lock_item_set(item_set)
    # Noted beside the figures: people who could look up the truth, read it in a review, tried
    # answers before or are about to see figures of some are not comparable with others.
    is_over = Q(frozen_at__isnull=False) | Q(job__status__in=AT_WORK)
    has_figures = item_set.assessments.filter(is_over, owner=person).exists()
    could_look = person.is_researcher and (may_see_truth(person, item_set) or has_figures)
    knew = could_look or has_reviewed(person, item_set)
    assessment, is_new = Assessment.objects.get_or_create(
        item_set=item_set,
        person=person,
        defaults={
            "kind": ParticipantKind.PERSON,
            "name": person.get_username(),
            "owner": actor,
            "settings": {
                "could_see_truth": knew,
                **({"own_history": True} if tells_when_asked(item_set) else {}),
            },
            "code_version": installed_version(),
        },
    )
    if is_new:
        record_assessment(assessment, actor, "join", {"person": person.get_username()})
    return assessment


def open_items(assessment: Assessment) -> list[Item]:
    """The items that the person may see now; of a sequence, the answered ones and the next."""
    answered = set(assessment.answers.values_list("item_id", flat=True))
    items, waiting = [], set()
    order = assessment.item_set.test_items.order_by("sequence", "sequence_position", "position")
    rows = order.defer("truth", "groups").select_related("video__dataset")
    for item in rows.prefetch_related("shared"):
        if item.sequence in waiting:
            continue
        items.append(item)
        if item.sequence and item.pk not in answered:
            waiting.add(item.sequence)
    return items


def answer_item(*, assessment: Assessment, key: str, fields: Mapping[str, Any]) -> Answer:
    """Store a person's answer to an item that is open to them.

    Raises ValidationError by field, AnswersFinalError where the answer can no longer change.
    """
    with transaction.atomic():
        locked = _locked(assessment)
        if locked.frozen_at is not None:
            raise AnswersFinalError("Your answers are final.")
        rows = open_items(assessment)
        item = next((row for row in rows if row.key == key), None)
        if item is None:
            raise ValidationError({"key": f"There is no item {key!r} for you to answer now."})
        after = [
            row.pk
            for row in rows
            if item.sequence == row.sequence != ""
            and row.sequence_position > item.sequence_position
        ]
        if after:
            raise AnswersFinalError("You have seen what comes after it, so the answer is final.")
        task = task_of(assessment.item_set)
        if task.shape is AnswerShape.SPEECH and locked.answers.filter(item=item).exists():
            raise AnswersFinalError("You have seen the recording, so the answer is final.")
        try:
            value = value_of(task, engine_item(item, with_truth=False), fields)
        except ValueFaultError as error:
            raise ValidationError({error.field: f"{error}."}) from error
        answer, _ = Answer.objects.update_or_create(
            assessment=assessment,
            item=item,
            repeat=0,
            defaults={
                "status": AnswerStatus.READ,
                "value": dict(value),
                "saw": {"until_s": item.moment_s},
                "answered_at": timezone.now(),
            },
        )
    return answer


def _locked(assessment: Assessment) -> Assessment:
    """The assessment as it is now, locked until the transaction ends; Http404 if it is deleted."""
    return get_object_or_404(Assessment.objects.select_for_update(), pk=assessment.pk)


def finish_answering(*, assessment: Assessment) -> None:
    """Make a person's answers final and score them; items without one count as missing."""
    with transaction.atomic():
        locked = _locked(assessment)
        if locked.frozen_at is not None:
            return
        store_figures(assessment, figures_of_answers(assessment, answers_of(assessment)))
        detail = {"name": assessment.name, "set": assessment.item_set.public_id}
        record_assessment(assessment, assessment.person, "finish", detail)
