"""The parts of an adapter: limits as data, orders, requests, reports of jobs."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from typing import Any

from generation.backends.video.providers.exceptions import MalformedAnswerError
from generation.engine.splicing.limits import ClipLimits

Document = Mapping[str, Any]


class JobPhase(StrEnum):
    """The state of a job, independent of the provider's own words."""

    WAITING = "waiting"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class StatusWords:
    """The provider's own words for the phases of a job."""

    waiting: frozenset[str]
    done: frozenset[str]
    failed: frozenset[str]
    cancelled: frozenset[str] = frozenset()

    def phase_of(self, word: str) -> JobPhase:
        """The phase of a status; raises MalformedAnswerError for an undocumented word."""
        groups = (self.waiting, self.done, self.failed, self.cancelled)
        for phase, words in zip(JobPhase, groups, strict=True):
            if word in words:
                return phase
        choices = ", ".join(sorted(frozenset().union(*groups)))
        raise MalformedAnswerError(f"the status is {word!r}; expected one of {choices}")


@dataclass(frozen=True, slots=True)
class ErrorWords:
    """How to tell the provider's errors apart: by parts of its codes and messages.

    `codes` and `messages` are the places of these words in an error's document. Letter case does
    not matter. If `good_code` is set, every answer has a code, and any other code is an error
    whatever the HTTP status. `limited_codes` ask for fewer requests; `full_codes` mean that too
    many jobs are running, which lasts for minutes; `fault_codes` are the provider's own faults;
    `early_codes` mean that a finished file cannot be fetched yet.
    """

    codes: tuple[tuple[str, ...], ...] = ()
    messages: tuple[tuple[str, ...], ...] = ()
    good_code: str = ""
    refused_codes: tuple[str, ...] = ()
    refused_phrases: tuple[str, ...] = ()
    spent_codes: tuple[str, ...] = ()
    spent_phrases: tuple[str, ...] = ()
    limited_codes: tuple[str, ...] = ()
    full_codes: tuple[str, ...] = ()
    fault_codes: tuple[str, ...] = ()
    early_codes: tuple[str, ...] = ("video_not_ready",)

    def is_refusal(self, code: str, message: str) -> bool:
        return contains_any(code, self.refused_codes) or contains_any(message, self.refused_phrases)

    def is_spent(self, code: str, message: str) -> bool:
        return contains_any(code, self.spent_codes) or contains_any(message, self.spent_phrases)


def contains_any(text: str, parts: tuple[str, ...]) -> bool:
    """Whether one of the parts is in the text, ignoring case."""
    return any(part.lower() in text.lower() for part in parts)


@dataclass(frozen=True, slots=True)
class Polling:
    """The pauses between two queries of a job, in seconds."""

    first_pause_s: float = 2.0
    growth: float = 1.25
    longest_pause_s: float = 10.0

    def pause_s(self, number: int) -> float:
        """The pause before the poll of that number, counted from 0.

        >>> [round(Polling().pause_s(number), 2) for number in (0, 1, 2, 20)]
        [2.0, 2.5, 3.12, 10.0]
        """
        # By then the pause has long reached its maximum, and a higher power would overflow.
        return min(self.longest_pause_s, self.first_pause_s * self.growth ** min(number, 100))


@dataclass(frozen=True, slots=True)
class Size:
    """A picture size in pixels, with the provider's word for it."""

    word: str
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class ProviderLimits:
    """What a provider can make.

    `sizes` are the offered ones. With `follows_first` a clip takes the shape of its first frame,
    and a size is sent only without one. `bills_refusals`: a job costs the same if moderation holds
    its clip back. Bytes and pixels are limits of one anchor frame.
    """

    clips: ClipLimits
    sizes: tuple[Size, ...]
    status: StatusWords
    errors: ErrorWords
    polling: Polling
    needs_first: bool = False
    takes_first: bool = True
    takes_last: bool = True
    follows_first: bool = False
    bills_refusals: bool = False
    most_prompt_characters: int = 2000
    most_image_bytes: int = 10_000_000
    least_side_px: int = 1


@dataclass(frozen=True, slots=True)
class VideoSettings:
    """How to reach a provider. `base_url` is the documented address, without a slash at its end.

    `secret_key` is the second half of a key pair, for providers that sign with one. After
    `job_limit_s` a job is no longer waited for.
    """

    base_url: str
    model: str = ""
    api_key: str = field(default="", repr=False)
    secret_key: str = field(default="", repr=False)
    answer_timeout_s: float = 60.0
    job_limit_s: float = 1800.0
    download_limit_s: float = 900.0
    most_clip_bytes: int = 500_000_000


@dataclass(frozen=True, slots=True)
class Offer:
    """What the adapter itself cannot know about a model.

    Users type lengths, sizes ("1280x720") and the last frame for a self-hosted server; `card` is
    what a service says about the model, as it was read from there.
    """

    lengths_s: tuple[int, ...] = ()
    sizes: tuple[str, ...] = ()
    takes_last: bool = False
    card: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Prices:
    """The prices of a model in US dollars, as its service says; a clip costs at least `least`."""

    per_second: Decimal
    per_clip: Decimal = Decimal(0)
    least: Decimal = Decimal(0)

    def of(self, seconds: int, clip_count: int = 1) -> Decimal:
        """The cost of clips with so many seconds in total."""
        return max(self.per_second * seconds + self.per_clip * clip_count, self.least * clip_count)


@dataclass(frozen=True, slots=True)
class Order:
    """A clip within the limits: whole seconds, an offered size, anchors as JPEG files."""

    prompt: str
    duration_s: int
    size: Size
    first: bytes | None = None
    last: bytes | None = None


@dataclass(frozen=True, slots=True)
class ProviderRequest:
    """One request: a JSON document, or a form of texts and files (name, bytes, type)."""

    method: str
    path: str
    document: Document | None = None
    form: Mapping[str, str | tuple[str, bytes, str]] | None = None


@dataclass(frozen=True, slots=True)
class JobReport:
    """The state of a job. When it is done, `video` is an address, or a path below the base URL.

    `cost` is what the provider reports, in the adapter's `cost_unit`, None if it does not.
    `can_be_ended`: ending the job now saves its price.
    """

    phase: JobPhase
    code: str = ""
    reason: str = ""
    video: str = ""
    cost: Decimal | None = None
    can_be_ended: bool = False
