"""What an adapter is made of: limits as data, the order of a clip, requests, reports of jobs."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from typing import Any

from generation.backends.video.providers.exceptions import MalformedAnswerError
from generation.engine.splicing.limits import ClipLimits

Document = Mapping[str, Any]


class JobPhase(StrEnum):
    """Where a job stands, whatever word the provider has for it."""

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
        """The phase; a word that is not in the documentation is no reason to go on."""
        groups = (self.waiting, self.done, self.failed, self.cancelled)
        for phase, words in zip(JobPhase, groups, strict=True):
            if word in words:
                return phase
        known = ", ".join(sorted(frozenset().union(*groups)))
        raise MalformedAnswerError(f"the status is {word!r}; expected one of {known}")


@dataclass(frozen=True, slots=True)
class ErrorWords:
    """How the provider tells its errors apart: parts of its own codes and sentences.

    `codes` and `messages` say where these words stand in an error's document. Letter case does not
    matter. Where `good_code` is set, every answer carries a code, and any other one is an error
    whatever the HTTP status. `limited_codes` ask for fewer requests, `full_codes` say that enough
    jobs run, which lasts for minutes; `fault_codes` are faults of the provider's own, and
    `early_codes` say that a finished file cannot be fetched yet.
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
        return holds(code, self.refused_codes) or holds(message, self.refused_phrases)

    def is_spent(self, code: str, message: str) -> bool:
        return holds(code, self.spent_codes) or holds(message, self.spent_phrases)


def holds(text: str, parts: tuple[str, ...]) -> bool:
    """Whether one of the parts stands in the text, in whatever case."""
    return any(part.lower() in text.lower() for part in parts)


@dataclass(frozen=True, slots=True)
class Polling:
    """How often a job is asked for: the pauses between, in seconds."""

    first_pause_s: float = 2.0
    growth: float = 1.25
    longest_pause_s: float = 10.0

    def pause_s(self, number: int) -> float:
        """The pause before the poll of that number, counted from 0.

        >>> [round(Polling().pause_s(number), 2) for number in (0, 1, 2, 20)]
        [2.0, 2.5, 3.12, 10.0]
        """
        # Beyond this the pause has long reached its end, and a power would overflow.
        return min(self.longest_pause_s, self.first_pause_s * self.growth ** min(number, 100))


@dataclass(frozen=True, slots=True)
class Size:
    """A picture size under the provider's word for it, in pixels."""

    word: str
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class ProviderLimits:
    """What a provider makes.

    `sizes` are those it offers. Where `follows_first`, the clip takes the shape of its first frame,
    and a size is named only where there is none. `bills_refusals` says that a job costs the same
    when moderation keeps its clip back. Bytes and pixels are those of one anchor.
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

    `secret_key` is the second half of a key pair, for those who sign with one. A job that takes
    longer than `job_limit_s` is not waited for.
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
    """What is known of a model beside its name, where the adapter cannot know it.

    Lengths, sizes ("1280x720") and the last frame are typed in for a server of one's own; `card` is
    what a service says of the model, as it was read from there.
    """

    lengths_s: tuple[int, ...] = ()
    sizes: tuple[str, ...] = ()
    takes_last: bool = False
    card: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Prices:
    """What a model asks for in US dollars, as its service says: clips cost `least` or more."""

    per_second: Decimal
    per_clip: Decimal = Decimal(0)
    least: Decimal = Decimal(0)

    def of(self, seconds: int, clip_count: int = 1) -> Decimal:
        """What clips of so many seconds together cost."""
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
    """One request: a JSON document, or a form in parts, texts and files (name, bytes, type)."""

    method: str
    path: str
    document: Document | None = None
    form: Mapping[str, str | tuple[str, bytes, str]] | None = None


@dataclass(frozen=True, slots=True)
class JobReport:
    """How a job stands. `video` is an address, or a path below the base URL, once it is done.

    `cost` is what the job costs as the provider reports it, in the adapter's `cost_unit`, None
    where it says nothing. `can_be_ended` says that ending the job now saves its price.
    """

    phase: JobPhase
    code: str = ""
    reason: str = ""
    video: str = ""
    cost: Decimal | None = None
    can_be_ended: bool = False
