"""Guidelines of texts: how they are judged, in words."""

from collections.abc import Mapping, Sequence
from typing import Any

from annotation.engine.campaigns.guideline import GuidelineError


def checked_text(text: Mapping[str, object], examples: Sequence[Any]) -> dict[str, Any]:
    """The new text of a draft; raises `GuidelineError`."""
    words = text.get("text")
    if not isinstance(words, str) or not words.strip():
        raise GuidelineError(f"text is {words!r}; expected how texts are judged")
    if examples:
        raise GuidelineError("examples are of ratings; expected none for texts")
    return {"text": words}
