"""What pages of this app say of, and link to in, an app above it, which registers it at its start.

So a page of the corpus knows nothing of runs, and its template loads no tags of theirs.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:  # apps read this before the models are ready
    from annotation.models import Dataset, Round, Take, Trace, User

Finder = TypeVar("Finder")


@dataclass(frozen=True, slots=True)
class PageLink:
    """A link, what stands before it where a sentence leads to it, and why to follow it."""

    words: str
    address: str
    lead: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class PagePart:
    """A part of a page that another app fills: its template, what it shows, a word for it."""

    template: str
    shown: object
    words: str = ""


@dataclass(frozen=True, slots=True)
class ReadShare:
    """How many of the decided mistakes got a verdict, with the share's 95% interval."""

    name: str
    title: str
    hits: int
    count: int
    low: float | None
    high: float | None
    no_interval: str


@dataclass(frozen=True, slots=True)
class ReadSample:
    """What people said of a sample of a data set's mistakes; `shares` are empty without figures."""

    campaign: str
    round: int
    seed: int
    texts: int
    decided: int
    computed_at: str | None
    newer_verdicts: int
    shares: tuple[ReadShare, ...]


# What can be done with a data set now, and where.
DATASET_STEPS: list[Callable[["Dataset"], PageLink | None]] = []
# Pages above this app that are about one recording.
RECORDING_PAGES: list[Callable[["Take | Trace"], PageLink | None]] = []
# What made a data set, None where it is not known or not for this user to know.
DATASET_MAKERS: list[Callable[["User", "Dataset"], PageLink | None]] = []
# What a data set was made of by people of this site, None where it came from elsewhere.
DATASET_ORIGINS: list[Callable[["User", "Dataset"], PagePart | None]] = []
# Parts of the page of a data set about work on it in an app above, None for nothing.
DATASET_PARTS: list[Callable[["User", "Dataset"], PagePart | None]] = []
# What people said who read the texts of a data set, None for nothing.
DATASET_READINGS: list[Callable[["User", "Dataset"], PagePart | None]] = []
# The same as numbers, and the decided verdict on each mistake by take uid and event id.
READ_SAMPLES: list[Callable[["User", "Dataset"], list[ReadSample]]] = []
READ_VERDICTS: list[Callable[["User", "Dataset"], Mapping[tuple[str, str], str]]] = []
# What else can be done with a round by who may change its campaign, None for nothing.
ROUND_STEPS: list[Callable[["Round"], PageLink | None]] = []
# Work of a user that is none of this app's, for the queue.
QUEUE_WORK: list[Callable[["User"], list[PageLink]]] = []
# What is known of where a trace comes from, in words; None of a provenance of others.
PROVENANCE_WORDS: list[Callable[[Mapping[str, str]], list[str] | None]] = []


def add(registry: list[Finder], finder: Finder) -> None:
    """Django may say more than once that an app is ready."""
    if finder not in registry:
        registry.append(finder)


def steps_of(dataset: "Dataset") -> list[PageLink]:
    return [link for find in DATASET_STEPS if (link := find(dataset)) is not None]


def pages_about(recording: "Take | Trace") -> list[PageLink]:
    return [link for find in RECORDING_PAGES if (link := find(recording)) is not None]


def makers_of(user: "User", dataset: "Dataset") -> list[PageLink]:
    return [link for find in DATASET_MAKERS if (link := find(user, dataset)) is not None]


def origin_of(user: "User", dataset: "Dataset") -> PagePart | None:
    parts = (find(user, dataset) for find in DATASET_ORIGINS)
    return next((part for part in parts if part is not None), None)


def parts_about(user: "User", dataset: "Dataset") -> list[PagePart]:
    return [part for find in DATASET_PARTS if (part := find(user, dataset)) is not None]


def readings_of(user: "User", dataset: "Dataset") -> list[PagePart]:
    return [part for find in DATASET_READINGS if (part := find(user, dataset)) is not None]


def read_samples(user: "User", dataset: "Dataset") -> list[ReadSample]:
    return [sample for find in READ_SAMPLES for sample in find(user, dataset)]


def read_verdicts(user: "User", dataset: "Dataset") -> dict[tuple[str, str], str]:
    return {key: name for find in READ_VERDICTS for key, name in find(user, dataset).items()}


def steps_of_round(made: "Round") -> list[PageLink]:
    return [link for find in ROUND_STEPS if (link := find(made)) is not None]


def other_work_of(user: "User") -> list[PageLink]:
    return [link for find in QUEUE_WORK for link in find(user)]


def provenance_in_words(provenance: Mapping[str, str]) -> list[str]:
    """What is known of where a trace comes from; imported facts are told as they came."""
    for say in PROVENANCE_WORDS:
        if (words := say(provenance)) is not None:
            return words
    return [f"{name.replace('_', ' ')}: {value}" for name, value in provenance.items()]
