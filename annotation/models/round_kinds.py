"""Kinds of rounds: what people do in one, and what its app brings for it.

Campaigns and rounds are of a kind, which is stored under its name. Each app registers its kinds at
its start (`register` of `registration.py`, called by `ready`); pages, services and lists ask
`kind_called` and name none.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from django.db.models import Q

from annotation.engine.campaigns.allocation import AllocationResult
from annotation.engine.campaigns.guideline_difference import EntryChange, word_parts

if TYPE_CHECKING:  # the tables of campaigns ask for their kind
    from django.db.models import QuerySet
    from django.http import QueryDict

    from annotation.models import Campaign, Dataset, GuidelineVersion, Round, User

RATINGS = "ratings"


@dataclass(frozen=True, slots=True)
class KindWords:
    """What pages that serve every kind say; `thing` is worked at, `person` works at it."""

    thing: str
    person: str
    act: str
    answer: str
    # The heads of the table of people: what each was given, and when they did something last.
    assigned: str
    last: str
    nobody_yet: str
    closing: str
    guideline: str
    # Why there is such a campaign, the same to somebody who is invited, and the button for one.
    about: str = ""
    invites: str = ""
    new_campaign: str = ""
    tag: str = ""


@dataclass(frozen=True, slots=True)
class Work:
    """The rows of a kind that say how far people are: one for each person and thing.

    The rows have a `round` and a `started_at`, `person` is their column of the account, `is_begun`
    and `is_done` tell their states. `things` are rows with a `round` of which `counted` are
    counted. `changed_at` is the column of the last change, `answered` that of how many answers
    stand, where the kind has such.
    """

    rows: "QuerySet[Any]"
    person: str
    is_begun: Q
    is_done: Q
    things: "QuerySet[Any]"
    counted: str = "pk"
    changed_at: str = "started_at"
    answered: str = ""


@dataclass(frozen=True, slots=True)
class ShownPage:
    """A template, and what it is filled with."""

    template: str
    context: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class QueueCard(ShownPage):
    """A round in somebody's queue: closed ones come last, what was returned to its maker first."""

    is_closed: bool = False
    is_returned: bool = False


class GuidelineDraft(Protocol):
    """The form in which somebody writes a version of a guideline."""

    cleaned_data: dict[str, Any]

    def is_valid(self) -> bool: ...

    def add_error(self, field: str | None, error: str) -> None: ...

    def to_text(self) -> dict[str, object]: ...

    def to_examples(self) -> list[dict[str, Any]]: ...


class RoundKind(ABC):
    """A kind of round. Services call it under the lock of the campaign."""

    name: str
    label: str
    words: KindWords
    # Whether the list of campaigns shows their states. To move them is up to `after_closing`.
    moves_campaign = False
    # Names of addresses: what a list of campaigns leads to, where a person goes on in a round, and
    # where a campaign of the kind is made.
    report_page: str
    next_page: str
    new_campaign_page: str
    campaign_nav: str
    consent_template: str
    # What people read before they begin, and the guideline of a round; both are filled with the
    # round and `reading`.
    welcome_template = "annotation/_welcome.html"
    guideline_template = "annotation/_guideline_text.html"

    def reading(self, round_: "Round") -> Mapping[str, Any]:
        """What the two templates need besides the round."""
        return {}

    def comparable(self, version: "GuidelineVersion") -> Q:
        """The versions of the campaign whose changes are news to who reads this one."""
        return Q(kind=version.kind)

    def news(self, before: "GuidelineVersion", after: "GuidelineVersion") -> list[EntryChange]:
        """What differs word by word."""
        old, new = before.text.get("text", ""), after.text.get("text", "")
        return [] if old == new else [EntryChange("", "", "", word_parts(old, new))]

    @abstractmethod
    def begin(self, campaign: "Campaign", new: Any, actor: "User | None") -> None:
        """Make what a new campaign begins with; `new` is a `NewCampaign`."""

    @abstractmethod
    def allocate(self, round_: "Round", actor: "User | None") -> AllocationResult:
        """Bring what people were given in line with overlap and loads."""

    @abstractmethod
    def take_back(self, round_: "Round", person: "User") -> None:
        """Take away what somebody who leaves has not begun."""

    @abstractmethod
    def welcome(self, campaign: "Campaign", people: "Iterable[User]") -> None:
        """Record what the campaign has to know of people before they join."""

    @abstractmethod
    def takes_newcomers(self, round_: "Round", members: set[int]) -> bool:
        """Whether people who join enter a round that is not closed; `members` were there before."""

    @abstractmethod
    def after_closing(self, round_: "Round", campaign: "Campaign", actor: "User | None") -> None:
        """Do what follows when a round was closed, in the same transaction."""

    @abstractmethod
    def guideline_text(
        self, version: "GuidelineVersion", text: Mapping[str, object], examples: Sequence[Any]
    ) -> dict[str, Any]:
        """The text of a draft as it is stored; raises `GuidelineError`."""

    @abstractmethod
    def work(self) -> Work: ...

    @abstractmethod
    def datasets(self, user: "User") -> "QuerySet[Dataset]":
        """The data sets that a campaign of the kind can take in."""

    @abstractmethod
    def campaign_page(self, campaign: "Campaign", hidden: str) -> ShownPage:
        """The page of a campaign; `hidden` says why its answers are hidden from who reads it."""

    @abstractmethod
    def guideline_page(self, version: "GuidelineVersion") -> ShownPage: ...

    @abstractmethod
    def guideline_form(
        self, version: "GuidelineVersion", data: "QueryDict | None"
    ) -> tuple[GuidelineDraft, str]:
        """The form of a draft, and the template of its page."""

    @abstractmethod
    def queue_cards(self, user: "User") -> list[QueueCard]:
        """A card for each round of the kind that the user works in; a template reads its `card`."""


_kinds: dict[str, RoundKind] = {}


def register(kind: RoundKind) -> None:
    """Called from `ready` of an app, which Django may run more than once."""
    _kinds[kind.name] = kind


def kind_called(name: str) -> RoundKind:
    return _kinds[name]


def round_kinds() -> tuple[RoundKind, ...]:
    """All kinds, ratings first."""
    return tuple(sorted(_kinds.values(), key=lambda kind: (kind.name != RATINGS, kind.name)))


def kind_choices() -> list[tuple[str, str]]:
    return [(kind.name, kind.label) for kind in round_kinds()]
