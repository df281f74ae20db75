"""What most providers have in common, so that an adapter says only what is its own.

A job is started at one path and asked for below another, its answers hold id, status and file at
fixed places, and a bearer key proves who asks.
"""

from dataclasses import dataclass, field

from generation.backends.video.providers.answers import job_id_at, text_at, words_at
from generation.backends.video.providers.provider import (
    Call,
    Document,
    JobReport,
    Phase,
    ProviderLimits,
    VideoSettings,
)

Place = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Places:
    """Where things stand in the provider's answers; codes and reasons are of jobs that failed."""

    job_id: Place = ("id",)
    status: Place = ("status",)
    video: Place = ()
    codes: tuple[Place, ...] = ()
    reasons: tuple[Place, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Adapter:
    """A provider of the usual form; `job_path` is where a job is asked for by its id.

    `free_path` is a list or an account that costs nothing to read, empty where there is none.
    Subclasses say how an order is written (`submission`), and what else is their own.
    """

    name: str
    default_model: str
    limits: ProviderLimits = field(repr=False)
    places: Places = field(repr=False)
    job_path: str
    free_path: str = ""
    can_cancel: bool = False
    needs_secret_key: bool = False

    def headers(self, settings: VideoSettings, now_s: float) -> dict[str, str]:
        return {"Authorization": f"Bearer {settings.api_key}"}

    def job_id(self, answer: Document) -> str:
        return job_id_at(answer, *self.places.job_id)

    def query(self, job_id: str) -> Call:
        return Call("GET", f"{self.job_path}/{job_id}")

    def report(self, answer: Document) -> JobReport:
        phase = self.limits.status.phase_of(self.status_word(answer))
        if phase is Phase.DONE:
            return JobReport(phase, video=self.video(answer))
        code, reason = (
            words_at(answer, *places) for places in (self.places.codes, self.places.reasons)
        )
        return JobReport(phase, code=code, reason=reason)

    def status_word(self, answer: Document) -> str:
        """Return the provider's word for how the job stands."""
        return text_at(answer, *self.places.status)

    def video(self, answer: Document) -> str:
        """Return the address of the file of a finished job."""
        return text_at(answer, *self.places.video)

    def cancellation(self, job_id: str) -> Call | None:
        return Call("DELETE", f"{self.job_path}/{job_id}") if self.can_cancel else None

    def free_call(self, model: str) -> Call | None:
        return Call("GET", self.free_path) if self.free_path else None
