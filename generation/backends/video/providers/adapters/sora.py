"""Sora: a form instead of JSON, one frame of exactly the clip's size, the file at a fixed path."""

from dataclasses import dataclass, field

from generation.backends.video.providers.answers import job_id_at, text_at, words_at
from generation.backends.video.providers.provider import (
    Call,
    Document,
    ErrorWords,
    JobReport,
    Order,
    Phase,
    Polling,
    ProviderLimits,
    Size,
    StatusWords,
    VideoSettings,
)
from generation.engine.splicing.limits import ClipLimits

PATH = "/videos"
LIMITS = ProviderLimits(
    clips=ClipLimits(min_s=4.0, max_s=12.0, offered_s=(4.0, 8.0, 12.0)),
    sizes=(Size("1280x720", 1280, 720), Size("720x1280", 720, 1280)),
    status=StatusWords(
        waiting=frozenset({"queued", "in_progress"}),
        done=frozenset({"completed"}),
        failed=frozenset({"failed"}),
    ),
    errors=ErrorWords(
        codes=(("error", "code"), ("error", "type")),
        messages=(("error", "message"),),
        refused_codes=("moderation", "content_policy", "sentinel_block"),
        spent_codes=("insufficient_quota", "billing_hard_limit"),
    ),
    polling=Polling(first_pause_s=5.0, growth=1.25, longest_pause_s=20.0, limit_s=1800.0),
    takes_last=False,
)


@dataclass(frozen=True, slots=True)
class Sora:
    """The adapter."""

    name: str = "sora"
    default_model: str = "sora-2"
    needs_secret_key: bool = False
    limits: ProviderLimits = field(default=LIMITS, repr=False)

    def headers(self, settings: VideoSettings, now_s: float) -> dict[str, str]:
        return {"Authorization": f"Bearer {settings.api_key}"}

    def submission(self, order: Order, model: str) -> Call:
        form: dict[str, str | tuple[str, bytes, str]] = {
            "model": model,
            "prompt": order.prompt,
            "seconds": str(order.duration_s),
            "size": order.size.word,
        }
        if order.first is not None:
            form["input_reference"] = ("first.jpg", order.first, "image/jpeg")
        return Call("POST", PATH, form=form)

    def job_id(self, answer: Document) -> str:
        return job_id_at(answer, "id")

    def query(self, job_id: str) -> Call:
        return Call("GET", f"{PATH}/{job_id}")

    def report(self, answer: Document) -> JobReport:
        phase = LIMITS.status.phase_of(text_at(answer, "status"))
        if phase is Phase.DONE:
            return JobReport(phase, video=f"{PATH}/{job_id_at(answer, 'id')}/content")
        code, reason = words_at(answer, ("error", "code")), words_at(answer, ("error", "message"))
        return JobReport(phase, code=code, reason=reason)

    def cancellation(self, job_id: str) -> Call | None:
        return None


PROVIDER = Sora()
