"""Guidelines of segments: when a segment of a scheme begins and ends, in words."""

from collections.abc import Mapping, Sequence
from typing import Any

from annotation.engine.campaigns.guideline import GuidelineError
from annotation.models import Campaign, GuidelineVersion, User
from annotation.services.campaigns.guidelines import new_version
from segments.engine.scheme import Scheme
from segments.models import SEGMENTS


def version_for_scheme(
    *, campaign: Campaign, scheme: Scheme, actor: User | None
) -> GuidelineVersion:
    """The newest version for a scheme, or a new draft with the boundaries of the scheme."""
    versions = campaign.guideline_versions.filter(
        kind=SEGMENTS,
        text__scheme=scheme.name,
        text__scheme_version=scheme.version,
    )
    text = {
        "scheme": scheme.name,
        "scheme_version": scheme.version,
        "text": scheme.boundaries,
    }
    newest = versions.order_by("-number").first()
    return newest or new_version(campaign=campaign, actor=actor, text=text)


def checked_text(
    version: GuidelineVersion, text: Mapping[str, object], examples: Sequence[Any]
) -> dict[str, Any]:
    """The new text of a draft; its scheme stays. Raises `GuidelineError`."""
    words = text.get("text")
    if not isinstance(words, str) or not words.strip():
        raise GuidelineError(f"text is {words!r}; expected when a segment begins and ends")
    if examples:
        raise GuidelineError("examples are of ratings; expected none for segments")
    return {**version.text, "text": words}
