"""Lantern, a provider that nobody has heard of."""

from generation.backends.video.providers.adapter import Adapter, Places
from generation.backends.video.providers.provider import (
    ErrorWords,
    Polling,
    ProviderLimits,
    ProviderRequest,
    Size,
    StatusWords,
)
from generation.engine.splicing.limits import ClipLimits


class Lantern(Adapter):
    def submission(self, order, model):
        return ProviderRequest(
            "POST", "/films", {"words": order.prompt, "length": order.duration_s}
        )


PROVIDER = Lantern(
    name="lantern",
    title="Lantern",
    default_model="light-1",
    limits=ProviderLimits(
        clips=ClipLimits.of((2, 4)),
        sizes=(Size("wide", 1280, 720),),
        status=StatusWords(frozenset({"dark"}), frozenset({"lit"}), frozenset({"out"})),
        errors=ErrorWords(codes=(("error", "code"),), messages=(("error", "message"),)),
        polling=Polling(),
        takes_last=False,
    ),
    usual_base_url="https://lantern.example",
    places=Places(video=("film",), cost=("price",)),
    job_path="/films",
    free_path="/account",
)
