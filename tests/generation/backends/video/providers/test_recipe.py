"""The recipe for a new provider: one file of an adapter and its form, and nothing else."""

from dataclasses import replace

import pytest

from generation.backends.video.providers import adapters, registry
from tests.fakes.video_provider_forms import FORMS, JOB, openai_error, strict, text
from tests.fakes.video_provider_server import WAIT

ADAPTER = """
from generation.backends.video.providers.adapter import Adapter, Places
from generation.backends.video.providers.provider import (
    Call, ErrorWords, Polling, ProviderLimits, Size, StatusWords,
)
from generation.engine.splicing.limits import ClipLimits


class Lantern(Adapter):
    def submission(self, order, model):
        return Call("POST", "/films", {"words": order.prompt, "length": order.duration_s})


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
    places=Places(video=("film",), cost=("price",)),
    job_path="/films",
    free_path="/account",
)
"""
FORM = replace(
    FORMS["seedance"],
    model="light-1",
    start="/films",
    query=f"/films/{JOB}",
    free="/account",
    taken={"id": JOB},
    waiting=({"id": JOB, "status": "dark"},),
    done={"id": JOB, "status": "lit", "film": "URL", "price": 0.5},
    failed={"id": JOB, "status": "out"},
    errors={"reject": (400, openai_error("bad", "No"))},
    request=strict(["words"], words=text(500), length={"enum": [2, 4]}),
    cancel=None,
)


@pytest.fixture
def lantern(tmp_path, monkeypatch, stage_of):
    folder = tmp_path / "more_adapters"
    folder.mkdir()
    (folder / "lantern.py").write_text(ADAPTER)
    monkeypatch.setattr(adapters, "__path__", [*adapters.__path__, str(folder)])
    monkeypatch.setitem(FORMS, "lantern", FORM)
    registry.providers.cache_clear()
    yield stage_of("lantern")
    registry.providers.cache_clear()


def test_provider_of_one_file_and_its_form_makes_a_clip(lantern, tmp_path):
    lantern.server.polls = [WAIT, {"do": "done"}]

    made = lantern.backend().make_clip(lantern.request(), tmp_path / "clip.mp4")

    [order] = lantern.server.submitted
    assert order.body == {"words": "A hand drops a cup. Same camera.", "length": 2}
    assert (made.frame_count, lantern.server.poll_count) == (30, 2)
    assert "lantern" in registry.providers()
