"""Texts of a truth that people may review, and what a text model is asked to write them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from benchmarks.engine.items import Prompt


@dataclass(frozen=True, slots=True)
class ReferenceText:
    """A text of the truth that people may review; `key` is its own, however many items have it."""

    key: str
    text: str
    label: str
    group: str


@dataclass(frozen=True, slots=True)
class WrittenReferences:
    """What a text model wrote, by the keys of texts; `fault` says why there is nothing."""

    words: Mapping[str, str]
    fault: str = ""
    is_unanswered: bool = False


@dataclass(frozen=True, slots=True)
class ReferenceRequest:
    """What a text model is asked to write for a truth; `key` is the same where the request is."""

    key: str
    prompt: Prompt
    read: Callable[[str], WrittenReferences]
