"""What most providers have in common, so that an adapter only says what is special about it.

A job is started at one path and queried below another, its answers have id, status, file and cost
at fixed places, and requests carry a bearer key.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Self

from generation.backends.video.providers.answers import amount_at, job_id_at, text_at, words_at
from generation.backends.video.providers.exceptions import SettingsError
from generation.backends.video.providers.provider import (
    Document,
    JobPhase,
    JobReport,
    Offer,
    Order,
    Prices,
    ProviderLimits,
    ProviderRequest,
    VideoSettings,
)

Place = tuple[str | int, ...]
DOLLARS, CREDITS, TOKENS = "dollars", "credits", "tokens"


@dataclass(frozen=True, slots=True)
class Places:
    """Where values are in the provider's answers; codes and reasons are those of failed jobs.

    `cost` is in the report of a job, `estimate` in the answer to its submission.
    """

    job_id: Place = ("id",)
    status: Place = ("status",)
    video: Place = ()
    codes: tuple[Place, ...] = ()
    reasons: tuple[Place, ...] = ()
    cost: Place = ()
    estimate: Place = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Adapter(ABC):
    """A provider of the usual form: its requests and answers; it neither sends nor stores anything.

    A job is queried by its id below `job_path`. `free_path` is a list or an account that costs
    nothing to read, empty if there is none. `endable` are the status words in which ending a job
    saves its price; a finished job would be deleted with its clip. `retired` says what to use
    instead of models that no longer exist, `caution` what to consider before sending footage.
    Subclasses say how an order is written, and whatever else is special.
    """

    name: str
    title: str
    default_model: str
    limits: ProviderLimits = field(repr=False)
    places: Places = field(repr=False)
    job_path: str
    free_path: str = ""
    usual_base_url: str = ""
    caution: str = ""
    endable: frozenset[str] = frozenset()
    needs_key: bool = True
    takes_key_pair: bool = False
    cost_unit: str = DOLLARS
    dollars_per_unit: Decimal | None = None
    retired: Mapping[str, str] = field(default_factory=dict, repr=False)
    offer: Offer = field(default_factory=Offer, repr=False)

    def fitted(self, model: str, base_url: str, offer: Offer) -> Self:
        """The adapter with the limits of one model; raises SettingsError for a retired one."""
        if model in self.retired:
            raise SettingsError(f"{self.title} no longer has {model}; {self.retired[model]}")
        return self

    def prices(self, model: str) -> Prices | None:
        """The model's prices as the service publishes them, None if it does not."""
        return None

    def dollars(self, amount: Decimal) -> Decimal | None:
        """A reported cost in US dollars, None if its unit has no fixed price."""
        return None if self.dollars_per_unit is None else amount * self.dollars_per_unit

    def headers(self, settings: VideoSettings, now_s: float) -> dict[str, str]:
        """The headers with our credentials; `now_s` is the time since the epoch."""
        return {"Authorization": f"Bearer {settings.api_key}"} if settings.api_key else {}

    @abstractmethod
    def submission(self, order: Order, model: str) -> ProviderRequest:
        """The request that starts the job."""

    def job_id(self, answer: Document) -> str:
        """The id of the job in the answer to a submission."""
        return job_id_at(answer, *self.places.job_id)

    def estimate(self, answer: Document) -> Decimal | None:
        """The most that the job can cost, according to the answer to its submission."""
        return amount_at(answer, *self.places.estimate)

    def query(self, job_id: str) -> ProviderRequest:
        return ProviderRequest("GET", f"{self.job_path}/{job_id}")

    def report(self, answer: Document) -> JobReport:
        word = text_at(answer, *self.places.status)
        phase = self.limits.status.phase_of(word)
        cost = None if phase is JobPhase.WAITING else amount_at(answer, *self.places.cost)
        if phase is JobPhase.DONE:
            return JobReport(phase, video=self.video(answer), cost=cost)
        code, reason = (
            words_at(answer, *places) for places in (self.places.codes, self.places.reasons)
        )
        return JobReport(phase, code, reason, cost=cost, can_be_ended=word in self.endable)

    def video(self, answer: Document) -> str:
        """The address of the file of a finished job."""
        return text_at(answer, *self.places.video)

    def cancellation(self, job_id: str) -> ProviderRequest | None:
        """The request that ends the job, None if the provider has none."""
        return ProviderRequest("DELETE", f"{self.job_path}/{job_id}") if self.endable else None

    def free_call(self, model: str) -> ProviderRequest | None:
        """A request that costs nothing and needs the key, None if there is none."""
        return ProviderRequest("GET", self.free_path) if self.free_path else None

    def card_call(self) -> ProviderRequest | None:
        """The request for what models make and cost, None if the service does not publish that."""
        return None

    def card(self, answer: Document, model: str) -> dict[str, Any]:
        """What the service says about a model; raises SettingsError if it does not have it."""
        return {}
