"""Versions of the guideline: made, edited while they are drafts, frozen for good."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from annotation.engine.campaigns.guideline import built_in_guideline, content_hash
from annotation.engine.exceptions import NotNowError
from annotation.engine.rubric.rubric import current_rubric
from annotation.models import Campaign, GuidelineReading, GuidelineVersion, Trace, User
from annotation.services.records.accounts import save_new
from annotation.services.records.audit_log import record
from annotation.services.records.locks import lock_campaign


class FrozenGuidelineError(NotNowError):
    """The version is frozen: answers refer to its text. Make a new version of it instead."""


@transaction.atomic
def new_version(
    *,
    campaign: Campaign,
    actor: User | None,
    parent: GuidelineVersion | None = None,
    name: str = "",
    text: Mapping[str, Any] | None = None,
) -> GuidelineVersion:
    """A draft with the text of `parent`, with `text`, or with the built-in one for ratings.

    `name` is its number if empty.
    """
    locked = lock_campaign(campaign)
    held = locked.guideline_versions
    last = held.aggregate(last=Max("number"))["last"] or 0
    names = set(held.values_list("name", flat=True))
    number = next(n for n in range(last + 1, last + len(names) + 2) if name or str(n) not in names)
    text = text or (parent.text if parent else {})
    version = GuidelineVersion(
        campaign=campaign,
        kind=locked.kind,
        number=number,
        name=name or str(number),
        text=text or built_in_guideline(current_rubric().version).to_dict(),
        examples=parent.examples if parent else [],
        author=actor,
        parent=parent,
    )
    save_new(version)
    if parent:
        version.example_traces.set(parent.example_traces.all())
    _record(actor, "guideline.create", version)
    return version


@transaction.atomic
def confirm_reading(*, version: GuidelineVersion, rater: User) -> GuidelineReading:
    """Record that somebody has read a version; a second time changes nothing."""
    reading, is_new = GuidelineReading.objects.get_or_create(version=version, rater=rater)
    if is_new:
        _record(rater, "guideline.read", version)
    return reading


@transaction.atomic
def edit_version(
    *,
    version: GuidelineVersion,
    actor: User,
    text: Mapping[str, object],
    examples: Sequence[Mapping[str, Any]],
    changes: str,
) -> GuidelineVersion:
    """Replace the text of a draft; raises `GuidelineError` or `FrozenGuidelineError`."""
    locked = GuidelineVersion.objects.select_for_update().get(pk=version.pk)
    if locked.is_frozen:
        raise FrozenGuidelineError(
            f"Version {locked.name} is frozen since {locked.frozen_at:%d %B %Y}: answers refer to"
            " its text. Make a new version of it."
        )
    locked.text = locked.round_kind.guideline_text(locked, text, examples)
    locked.examples = list(examples)
    locked.changes = changes
    locked.save(update_fields=["text", "examples", "changes"])
    shown = {example["trace"] for example in examples}
    locked.example_traces.set(Trace.objects.filter(public_id__in=shown))
    _record(actor, "guideline.edit", locked)
    return locked


@transaction.atomic
def freeze_version(*, version: GuidelineVersion, actor: User | None) -> GuidelineVersion:
    """Fix the text for good under its hash; freezing twice is no change."""
    locked = GuidelineVersion.objects.select_for_update().get(pk=version.pk)
    if not locked.is_frozen:
        locked.content_hash = content_hash(locked.text, locked.examples)
        locked.frozen_at = timezone.now()
        locked.save(update_fields=["content_hash", "frozen_at"])
        _record(actor, "guideline.freeze", locked)
    return locked


def _record(actor: User | None, action: str, version: GuidelineVersion) -> None:
    record(
        actor=actor,
        action=action,
        subject=f"guideline:{version.public_id}",
        detail={"version": version.name, "hash": version.content_hash},
    )
