"""Sora: a form instead of JSON, one frame of exactly the clip's size, the file at a fixed path."""

from generation.backends.video.providers.adapter import Adapter, Places
from generation.backends.video.providers.answers import job_id_at
from generation.backends.video.providers.provider import (
    Call,
    Document,
    ErrorWords,
    Order,
    Polling,
    ProviderLimits,
    Size,
    StatusWords,
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
    polling=Polling(first_pause_s=5.0, growth=1.25, longest_pause_s=20.0),
    takes_last=False,
)


class Sora(Adapter):
    """The adapter."""

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

    def video(self, answer: Document) -> str:
        return f"{PATH}/{job_id_at(answer, 'id')}/content"


PROVIDER = Sora(
    name="sora",
    default_model="sora-2",
    limits=LIMITS,
    places=Places(codes=(("error", "code"),), reasons=(("error", "message"),)),
    job_path=PATH,
    free_path=f"{PATH}?limit=1",
)
