"""64 concurrent requests to a local endpoint with 200 ms latency: throughput and memory.

The ideal is 64 / 0.2 s = 320 requests per second. The server is a process of its own that does
nothing but wait and answer, so that what is missing is the client's. Two ways are measured: the
adapter alone behind its gate, and `ask`, which also writes claim and answer of every call into a
database of its own; the latter also at 2 s, which is nearer to what a writer's prompt takes. Memory
is read halfway and at the end.
"""

import argparse
import asyncio
import json
import multiprocessing
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path

from bench.measure import in_fresh_process

CONCURRENCY = 64
LATENCY_S, LONG_LATENCY_S = 0.2, 2.0
# Whole rounds in each half, or the last round would run half empty.
LONG_CALLS = 8 * CONCURRENCY
GOAL_SHARE = 0.9
# Growth of the resident memory over the second half of the calls, in MB.
GOAL_GROWTH_MB = 5.0
WARM_UP_CALLS = 2 * CONCURRENCY
PROMPT = "Write out this procedure with its mistakes. " * 90
STATUS = Path("/proc/self/status")
REPOSITORY = Path(__file__).resolve().parent.parent


@dataclass(frozen=True, slots=True)
class Figures:
    """One way of asking: calls per second, CPU of the asking process, and memory."""

    name: str
    latency_s: float
    calls: int
    per_s: float
    cpu_ms_per_call: float
    memory_mb: float
    growth_mb: float

    @property
    def share(self) -> float:
        return self.per_s * self.latency_s / CONCURRENCY


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=6400)
    calls = parser.parse_args().calls
    with tempfile.TemporaryDirectory(prefix="piev-bench-") as state:
        os.environ |= {"PIEV_STATE": state, "SECRET_KEY": "bench", "LOG_LEVEL": "ERROR"}
        os.environ["DJANGO_SETTINGS_MODULE"] = "piev_site.settings"
        os.environ.pop("DATABASE_URL", None)
        migrate = [sys.executable, "manage.py", "migrate", "--verbosity", "0"]
        subprocess.run(migrate, cwd=REPOSITORY, check=True)
        with serving(LATENCY_S) as url:
            figures = [
                in_fresh_process(measure_adapter, url, LATENCY_S, calls),
                in_fresh_process(measure_ask, url, LATENCY_S, calls),
            ]
        with serving(LONG_LATENCY_S) as url:
            figures.append(in_fresh_process(measure_ask, url, LONG_LATENCY_S, LONG_CALLS))
    print(f"{CONCURRENCY} requests at once; {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    for item in figures:
        print(
            f"  {item.name:<7} at {item.latency_s} s, {item.calls:>5} calls: {item.per_s:6.1f}/s = "
            f"{item.share:5.1%} of the ideal; {item.cpu_ms_per_call:.2f} ms CPU per call; memory "
            f"{item.memory_mb:.0f} MB, {item.growth_mb:+.1f} MB over the second half"
        )
    adapter = figures[0]
    is_met = adapter.share >= GOAL_SHARE and all(f.growth_mb < GOAL_GROWTH_MB for f in figures)
    print(
        f"goal {GOAL_SHARE:.0%} for the adapter, and flat memory: {'met' if is_met else 'MISSED'}"
    )
    return 0 if is_met else 1


def measure_adapter(url: str, latency_s: float, calls: int) -> Figures:
    """Measure the adapter behind the gate of its process."""
    from generation.backends.text.gate import Gate  # noqa: PLC0415
    from generation.backends.text.model import ModelSettings, TextRequest  # noqa: PLC0415
    from generation.backends.text.registry import text_model  # noqa: PLC0415

    model = text_model("openai", ModelSettings(base_url=url, model="bench", api_key="k"))
    gate = Gate(CONCURRENCY, None)

    def call(number: int) -> None:
        request = TextRequest(system="Be brief.", prompt=f"{number} {PROMPT}", prompt_version="b")
        with gate.entered(lambda: None):
            model.complete(request)

    return measured("adapter", latency_s, call, calls)


def measure_ask(url: str, latency_s: float, calls: int) -> Figures:
    """Measure `ask`: a claim and an answer are written for every call."""
    import django  # noqa: PLC0415

    django.setup()
    from generation.backends.text.model import TextRequest  # noqa: PLC0415
    from generation.models import TextEndpoint  # noqa: PLC0415
    from generation.services.text_calls import Caller, ask  # noqa: PLC0415

    endpoint = TextEndpoint.objects.create(
        name=url, base_url=url, model_name="bench", concurrency=CONCURRENCY
    )

    def call(number: int) -> None:
        request = TextRequest(system="Be brief.", prompt=f"{number} {PROMPT}", prompt_version="b")
        ask(request=request, caller=Caller(endpoint))

    return measured("ask", latency_s, call, calls)


def measured(name: str, latency_s: float, call: Callable[[int], None], calls: int) -> Figures:
    """Make the calls from as many threads as may ask at once, and say how it went."""
    with ThreadPoolExecutor(CONCURRENCY) as pool:
        list(pool.map(call, range(WARM_UP_CALLS)))
        started_at, cpu_at = time.perf_counter(), time.process_time()
        first = range(WARM_UP_CALLS, WARM_UP_CALLS + calls // 2)
        list(pool.map(call, first))
        halfway_mb = resident_mb()
        list(pool.map(call, range(first.stop, WARM_UP_CALLS + calls)))
        seconds, cpu_s = time.perf_counter() - started_at, time.process_time() - cpu_at
    memory_mb = resident_mb()
    return Figures(
        name=name,
        latency_s=latency_s,
        calls=calls,
        per_s=calls / seconds,
        cpu_ms_per_call=1000 * cpu_s / calls,
        memory_mb=memory_mb,
        growth_mb=memory_mb - halfway_mb,
    )


def resident_mb() -> float:
    """Return the resident memory of this process; its peak where the system does not tell."""
    if STATUS.exists():
        line = next(row for row in STATUS.read_text().splitlines() if row.startswith("VmRSS"))
        return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


@contextmanager
def serving(latency_s: float) -> Iterator[str]:
    """Run the server in a process of its own while the block does; gives its base URL."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=serve, args=(theirs, latency_s), daemon=True)
    process.start()
    try:
        yield f"http://127.0.0.1:{ours.recv()}/v1"
    finally:
        process.terminate()
        process.join()


def serve(pipe: Connection, latency_s: float) -> None:
    """Answer every request after the latency, until terminated."""
    asyncio.run(_serve(pipe, latency_s))


async def _serve(pipe: Connection, latency_s: float) -> None:
    answer = partial(_answer, latency_s)
    server = await asyncio.start_server(answer, "127.0.0.1", 0, backlog=4 * CONCURRENCY)
    pipe.send(server.sockets[0].getsockname()[1])
    async with server:
        await server.serve_forever()


async def _answer(
    latency_s: float, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    try:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).lower()
            length = int(head.split(b"content-length:")[1].split(b"\r\n")[0])
            await reader.readexactly(length)
            await asyncio.sleep(latency_s)
            writer.write(ANSWER)
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


def _answer_bytes() -> bytes:
    body = json.dumps(
        {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1,
            "model": "bench",
            "choices": [
                {
                    "index": 0,
                    "finish_reason": "stop",
                    "message": {"role": "assistant", "content": "Get a bowl. " * 100},
                }
            ],
            "usage": {"prompt_tokens": 1000, "completion_tokens": 300, "total_tokens": 1300},
        }
    ).encode()
    head = (
        f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


ANSWER = _answer_bytes()

if __name__ == "__main__":
    sys.exit(main())
