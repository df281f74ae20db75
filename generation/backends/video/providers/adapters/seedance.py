"""Seedance: text and frames in one content list, each frame with its role.

Model, content, lengths and polling as in PIE-V's own Seedance scripts (720p, adaptive shape, camera
not fixed: the head that carries it moves).
"""

from dataclasses import dataclass, field
from typing import Any

from generation.backends.video.providers.answers import data_url, job_id_at, text_at, words_at
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

PATH = "/contents/generations/tasks"
RESOLUTION = "720p"
OFFERED_S = tuple(float(length_s) for length_s in range(2, 13))
LIMITS = ProviderLimits(
    clips=ClipLimits(min_s=2.0, max_s=12.0, offered_s=OFFERED_S),
    sizes=(
        Size("16:9", 1280, 720),
        Size("9:16", 720, 1280),
        Size("4:3", 1112, 834),
        Size("3:4", 834, 1112),
        Size("1:1", 960, 960),
        Size("21:9", 1470, 630),
    ),
    status=StatusWords(
        waiting=frozenset({"queued", "running"}),
        done=frozenset({"succeeded"}),
        failed=frozenset({"failed", "expired"}),
        cancelled=frozenset({"cancelled"}),
    ),
    errors=ErrorWords(
        codes=(("error", "code"),),
        messages=(("error", "message"),),
        refused_codes=("SensitiveContent", "PolicyViolation"),
        spent_codes=("AccountOverdue", "QuotaExceeded", "SetLimitExceeded"),
    ),
    polling=Polling(),
    follows_first=True,
    least_side_px=300,
)


@dataclass(frozen=True, slots=True)
class Seedance:
    """The adapter."""

    name: str = "seedance"
    default_model: str = "seedance-1-5-pro-251215"
    needs_secret_key: bool = False
    limits: ProviderLimits = field(default=LIMITS, repr=False)

    def headers(self, settings: VideoSettings, now_s: float) -> dict[str, str]:
        return {"Authorization": f"Bearer {settings.api_key}"}

    def submission(self, order: Order, model: str) -> Call:
        content: list[dict[str, Any]] = [{"type": "text", "text": order.prompt}]
        for role, jpeg in (("first_frame", order.first), ("last_frame", order.last)):
            if jpeg:
                picture = {"url": data_url(jpeg)}
                content.append({"type": "image_url", "image_url": picture, "role": role})
        document = {
            "model": model,
            "content": content,
            "resolution": RESOLUTION,
            "ratio": "adaptive" if order.first else order.size.word,
            "duration": order.duration_s,
            "camera_fixed": False,
            "generate_audio": False,
            "watermark": False,
        }
        return Call("POST", PATH, document)

    def job_id(self, answer: Document) -> str:
        return job_id_at(answer, "id")

    def query(self, job_id: str) -> Call:
        return Call("GET", f"{PATH}/{job_id}")

    def report(self, answer: Document) -> JobReport:
        phase = LIMITS.status.phase_of(text_at(answer, "status"))
        if phase is Phase.DONE:
            return JobReport(phase, video=text_at(answer, "content", "video_url"))
        code, reason = words_at(answer, ("error", "code")), words_at(answer, ("error", "message"))
        return JobReport(phase, code=code, reason=reason)

    def cancellation(self, job_id: str) -> Call | None:
        return Call("DELETE", f"{PATH}/{job_id}")


PROVIDER = Seedance()
