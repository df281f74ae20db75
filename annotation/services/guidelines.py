"""Versions of the guideline: made, edited while they are drafts, frozen for good."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from annotation.engine.exceptions import NotNowError
from annotation.engine.guideline import (
    GuidelineError,
    built_in_guideline,
    content_hash,
    guideline_from_dict,
)
from annotation.engine.rubric import current_rubric
from annotation.engine.segments.scheme import Scheme
from annotation.models import Campaign, GuidelineVersion, RoundKind, Trace, User
from annotation.services.audit_log import record
from annotation.services.locks import lock_campaign
from annotation.services.people import save_new


class FrozenGuidelineError(NotNowError):
    """The version is frozen: answers refer to its text. Make a new version of it instead."""


@transaction.atomic
def new_version(
    *,
    campaign: Campaign,
    actor: User | None,
    parent: GuidelineVersion | None = None,
    name: str = "",
    edition: Scheme | None = None,
) -> GuidelineVersion:
    """A draft with the text of `parent`, of the scheme, or the built-in one for ratings.

    `name` is its number if empty.
    """
    locked = lock_campaign(campaign)
    held = locked.guideline_versions
    last = held.aggregate(last=Max("number"))["last"] or 0
    names = set(held.values_list("name", flat=True))
    number = next(n for n in range(last + 1, last + len(names) + 2) if name or str(n) not in names)
    text: dict[str, Any] = parent.text if parent else {}
    if edition is not None:
        text = {
            "scheme": edition.name,
            "scheme_version": edition.version,
            "text": edition.boundaries,
        }
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


def version_for_scheme(
    *, campaign: Campaign, edition: Scheme, actor: User | None
) -> GuidelineVersion:
    """The newest version for a scheme, or a draft with the boundaries that the scheme names."""
    held = campaign.guideline_versions.filter(
        kind=RoundKind.SEGMENTS,
        text__scheme=edition.name,
        text__scheme_version=edition.version,
    )
    newest = held.order_by("-number").first()
    return newest or new_version(campaign=campaign, actor=actor, edition=edition)


@transaction.atomic
def edit_version(
    *,
    version: GuidelineVersion,
    actor: User,
    text: Mapping[str, object],
    examples: Sequence[Mapping[str, Any]],
    changes: str,
) -> GuidelineVersion:
    """Replace the text of a draft; raises `GuidelineError` or `FrozenGuidelineError`.

    Of segments only its `text` is read: the scheme stays.
    """
    locked = GuidelineVersion.objects.select_for_update().get(pk=version.pk)
    if locked.is_frozen:
        raise FrozenGuidelineError(
            f"Version {locked.name} is frozen since {locked.frozen_at:%d %B %Y}: answers refer to"
            " its text. Make a new version of it."
        )
    if locked.kind == RoundKind.SEGMENTS:
        words = text.get("text")
        if not isinstance(words, str) or not words.strip():
            raise GuidelineError(f"text is {words!r}; expected when a segment begins and ends")
        if examples:
            raise GuidelineError("examples are of ratings; expected none for segments")
        locked.text = {**locked.text, "text": words}
    else:
        locked.text = guideline_from_dict(text, current_rubric()).to_dict()
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
