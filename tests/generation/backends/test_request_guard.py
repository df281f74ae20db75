"""Servers whose answers never end, asked for a text and for a clip: time, bytes and memory."""

import json
import os
import subprocess
import sys
import threading
import zlib
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import cache

import httpx2
import pytest

from generation.backends import request_guard
from generation.backends.exceptions import CancelledError, RejectedError
from generation.backends.request_guard import RequestGuard
from generation.backends.text.adapters.openai import build
from generation.backends.text.exceptions import NoAnswerInTimeError
from generation.backends.text.model import ApiStyle, ModelSettings, TextRequest
from generation.backends.text.openai_model import MOST_ANSWER_BYTES
from generation.backends.video.providers.exceptions import MalformedAnswerError, UnreachableError
from generation.backends.video.providers.provider import ProviderRequest, VideoSettings
from generation.backends.video.providers.registry import provider, providers
from generation.backends.video.providers.transport import Transport
from tests.fakes.endless_server import DRIP_PAUSE_S, EndlessServer
from tests.fakes.openai_server import OpenAiServer

TIMEOUT_S = 1.0
# What comes before the drops, and the drops of the time-out and what a busy machine adds to it.
MOST_DRIPPED = 100 + 30 * TIMEOUT_S / DRIP_PAUSE_S
MOST_EXTRA_BYTES = 50_000_000
PLAIN = TextRequest(system="Be brief.", prompt="Name a step.", prompt_version="t1", max_tokens=50)
DRIPS = ["drips_headers", "drips_body", "drips_to_the_end_of_the_connection"]


def text_model(url, timeout_s=TIMEOUT_S, **changes):
    return build(ModelSettings(base_url=url, model="m", timeout_s=timeout_s, **changes))


def ask_for_clip(url, timeout_s=TIMEOUT_S):
    settings = VideoSettings(
        base_url=url, api_key="key", secret_key="secret", answer_timeout_s=timeout_s
    )
    with closing(Transport(provider(next(iter(providers()))), settings)) as transport:
        transport.ask(ProviderRequest("GET", "/jobs/1"))


@pytest.mark.parametrize("do", DRIPS)
@pytest.mark.parametrize("style", list(ApiStyle))
def test_text_sent_endlessly_is_ended_at_the_time_out(do, style):
    with EndlessServer(do) as server:
        with pytest.raises(NoAnswerInTimeError, match="no answer within 1 s"):
            text_model(server.url, api_style=style).complete(PLAIN)
        assert server.hung_up.wait(120)

    assert server.sent_count <= MOST_DRIPPED


@pytest.mark.parametrize("do", DRIPS)
def test_report_of_a_clip_sent_endlessly_is_ended_at_the_time_out(do):
    with EndlessServer(do) as server:
        with pytest.raises(UnreachableError, match="did not end in time"):
            ask_for_clip(server.url)
        assert server.hung_up.wait(120)

    assert server.sent_count <= MOST_DRIPPED


@pytest.mark.parametrize(
    ("do", "words"),
    [
        ("floods", "more than 1500000 bytes"),
        ("bombs", "more than 1500000 bytes"),
        ("packs_oddly", "the encoding 'br'"),
    ],
)
def test_text_of_another_kind_is_refused(do, words):
    with EndlessServer(do) as server, pytest.raises(RejectedError, match=words):
        text_model(server.url, timeout_s=60).complete(PLAIN)


@pytest.mark.parametrize("do", ["floods", "bombs"])
def test_report_of_a_clip_beyond_its_size_is_refused(do):
    with (
        EndlessServer(do) as server,
        pytest.raises(MalformedAnswerError, match="more than 4000000 bytes"),
    ):
        ask_for_clip(server.url, timeout_s=60)


@pytest.mark.parametrize("do", ["floods", "bombs"])
def test_answer_without_end_takes_little_memory(do):
    """Measured from outside: a peak of this process could be another test's."""
    with EndlessServer(do) as server:
        measured = subprocess.run(
            [sys.executable, "-m", "tests.generation.backends.refusing_process", server.url],
            capture_output=True,
            text=True,
            check=True,
        )
    told = json.loads(measured.stdout)

    assert told["error"] == "RejectedError"
    assert told["extra_bytes"] <= MOST_EXTRA_BYTES


def test_packed_answer_is_unpacked():
    document = json.dumps({"choices": [{"message": {"content": "Get a bowl."}}]}).encode()

    def answer(request):
        assert request.headers["accept-encoding"] == "gzip, deflate"
        packer = zlib.compressobj(wbits=zlib.MAX_WBITS | 16)
        packed = packer.compress(document) + packer.flush()
        return httpx2.Response(
            200, headers={"content-encoding": "gzip"}, stream=httpx2.ByteStream(packed)
        )

    guard = RequestGuard()
    with (
        httpx2.Client(transport=httpx2.MockTransport(answer), event_hooks=guard.hooks) as client,
        guard.within(5, MOST_ANSWER_BYTES),
    ):
        content = client.get("http://model.example").content

    assert content == document


def test_who_does_not_wait_any_more_ends_the_request():
    with OpenAiServer(latency_s=30) as server:
        asked = []

        def hang_up():
            asked.append(len(server.asked))
            if server.asked:
                raise CancelledError("stopped")

        model = build(ModelSettings(base_url=server.url, model="m", timeout_s=60))
        with pytest.raises(CancelledError, match="stopped"):
            model.complete(PLAIN, hang_up=hang_up)

    assert asked[-1] == 1


def test_request_after_a_cut_off_one_succeeds():
    slow = {"do": "answer", "latency_s": 60}
    with OpenAiServer([slow, {"do": "answer", "text": "Yes."}]) as server:
        # As much as a busy machine may need for the second.
        model = text_model(server.url, timeout_s=8)

        with pytest.raises(NoAnswerInTimeError):
            model.complete(PLAIN)

        # The slow answer is for the first, however late the server has read it.
        assert server.count_of(server.asked, 1) == 1
        assert model.complete(PLAIN).text == "Yes."


def test_one_thread_looks_at_the_time_of_all_requests(monkeypatch):
    started, start = [], threading.Thread.start

    def counted(thread):
        started.append(thread.name)
        start(thread)

    def ask(model):
        with pytest.raises(NoAnswerInTimeError):
            model.complete(PLAIN)

    with OpenAiServer(latency_s=30) as server, ThreadPoolExecutor(8) as threads:
        model = text_model(server.url)
        monkeypatch.setattr(threading.Thread, "start", counted)
        for asked in [threads.submit(ask, model) for _ in range(8)]:
            asked.result()

    # None, if the one of the test before still looks.
    assert sum("_look" in name for name in started) <= 1


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_forked_process_looks_at_the_time_of_its_own_requests():
    with OpenAiServer(latency_s=30) as server, ThreadPoolExecutor(1) as threads:
        of_parent = threads.submit(text_model(server.url).complete, PLAIN)
        while not server.asked:
            threading.Event().wait(0.01)
        if (child := os.fork()) == 0:
            try:
                text_model(server.url).complete(PLAIN)
            except NoAnswerInTimeError:
                os._exit(7)
            os._exit(8)
        status = os.waitpid(child, 0)[1]
        with pytest.raises(NoAnswerInTimeError):
            of_parent.result()

    assert os.waitstatus_to_exitcode(status) == 7


def test_certificates_are_read_once_by_threads_that_ask_at_the_same_moment(monkeypatch):
    reads, all_ask = [], threading.Barrier(8)

    @cache
    def read():
        reads.append(threading.get_ident())
        # Whoever else reads too has come by now.
        threading.Event().wait(0.05)
        return httpx2.create_ssl_context()

    def ask(_):
        all_ask.wait()
        return request_guard.certificates()

    monkeypatch.setattr(request_guard, "_read_certificates", read)
    with ThreadPoolExecutor(8) as threads:
        found = set(threads.map(ask, range(8)))

    assert (len(reads), len(found)) == (1, 1)
