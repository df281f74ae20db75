"""Veo: a long-running operation that is done or not; a last frame only with clips of 8 s.

An operation has no word for its status, so the words below are our own for what `done` and `error`
say.
"""

from typing import Any

from generation.backends.video.providers.adapter import Adapter, Places
from generation.backends.video.providers.answers import base64_text, job_id_at, value_at
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

FILTERED = "FILTERED"
_MADE = ("response", "generateVideoResponse")
LIMITS = ProviderLimits(
    clips=ClipLimits(min_s=4.0, max_s=8.0, offered_s=(4.0, 6.0, 8.0)),
    sizes=(Size("16:9", 1280, 720), Size("9:16", 720, 1280)),
    status=StatusWords(
        waiting=frozenset({"running"}), done=frozenset({"done"}), failed=frozenset({"error"})
    ),
    errors=ErrorWords(
        codes=(("error", "status"), ("error", "code")),
        messages=(("error", "message"),),
        refused_codes=(FILTERED,),
        refused_phrases=("usage guidelines", "responsible ai", "safety filter"),
    ),
    polling=Polling(first_pause_s=5.0, growth=1.25, longest_pause_s=20.0),
    last_offered_s=(8.0,),
)


class Veo(Adapter):
    """The adapter."""

    def headers(self, settings: VideoSettings, now_s: float) -> dict[str, str]:
        return {"x-goog-api-key": settings.api_key}

    def submission(self, order: Order, model: str) -> Call:
        instance: dict[str, Any] = {"prompt": order.prompt}
        for role, jpeg in (("image", order.first), ("lastFrame", order.last)):
            if jpeg:
                picture = {"bytesBase64Encoded": base64_text(jpeg), "mimeType": "image/jpeg"}
                instance[role] = picture
        parameters = {
            "aspectRatio": order.size.word,
            "durationSeconds": order.duration_s,
            "resolution": "720p",
        }
        document = {"instances": [instance], "parameters": parameters}
        return Call("POST", f"/models/{model}:predictLongRunning", document)

    def report(self, answer: Document) -> JobReport:
        made = value_at(answer, *_MADE, "generatedSamples", 0)
        if made is None and value_at(answer, *_MADE, "raiMediaFilteredCount"):
            reasons = value_at(answer, *_MADE, "raiMediaFilteredReasons") or ()
            return JobReport(Phase.FAILED, FILTERED, "; ".join(map(str, reasons)))
        return super().report(answer)

    def status_word(self, answer: Document) -> str:
        if value_at(answer, "done") is not True:
            # An operation that was just started may leave the field out, but it has a name.
            job_id_at(answer, "name")
            return "running"
        return "done" if value_at(answer, "error") is None else "error"

    def free_call(self, model: str) -> Call | None:
        return Call("GET", f"/models/{model}")


PROVIDER = Veo(
    name="veo",
    default_model="veo-3.1-generate-preview",
    limits=LIMITS,
    places=Places(
        job_id=("name",),
        video=(*_MADE, "generatedSamples", 0, "video", "uri"),
        codes=LIMITS.errors.codes,
        reasons=LIMITS.errors.messages,
    ),
    job_path="",
)
