"""A load generator: each client sends its next request when the last is answered, or in a rhythm.

It speaks just enough HTTP/1.1 over kept-open connections to cost little next to the server, with
which it shares the machine. It talks to 127.0.0.1 only.
"""

import asyncio
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

HOST = "127.0.0.1"
GOOD_STATUS = 200
ANSWER_LIMIT_S = 30

NextRequest = Callable[[], bytes]


@dataclass(slots=True)
class LoadResult:
    """What came of one stretch of load; latencies are of the good answers only."""

    duration_s: float = 0.0
    latencies_s: list[float] = field(default_factory=list)
    errors: dict[str, int] = field(default_factory=dict)

    @property
    def good_per_s(self) -> float:
        return len(self.latencies_s) / self.duration_s

    def latency_ms(self, quantile: float) -> float:
        ordered = sorted(self.latencies_s)
        return 1000 * ordered[min(int(quantile * len(ordered)), len(ordered) - 1)]


def post_request(path: str, headers: str, body: bytes) -> bytes:
    """The bytes of one POST with a JSON body; `headers` are whole lines ending in CRLF."""
    head = (
        f"POST {path} HTTP/1.1\r\nHost: {HOST}\r\n{headers}"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


def run_load(
    port: int, clients: Iterable[NextRequest], duration_s: float, *, every_s: float = 0.0
) -> LoadResult:
    """Let every client send for `duration_s` seconds and return what was answered.

    With `every_s` a client begins a request only so often; the first ones are spread over it.
    """
    return asyncio.run(_run(port, list(clients), duration_s, every_s))


async def _run(
    port: int, clients: list[NextRequest], duration_s: float, every_s: float
) -> LoadResult:
    result = LoadResult()
    started = time.perf_counter()

    async def begin(index: int, client: NextRequest) -> None:
        await asyncio.sleep(every_s * index / len(clients))
        await _client(port, client, started + duration_s, every_s, result)

    await asyncio.gather(*(begin(index, client) for index, client in enumerate(clients)))
    # The last answers come after the bell; they count, so their time has to count as well.
    result.duration_s = time.perf_counter() - started
    return result


async def _client(
    port: int, client: NextRequest, deadline: float, every_s: float, result: LoadResult
) -> None:
    reader, writer = await asyncio.open_connection(HOST, port)
    while time.perf_counter() < deadline:
        started = time.perf_counter()
        try:
            writer.write(client())
            async with asyncio.timeout(ANSWER_LIMIT_S):
                status, body, is_kept = await _read_answer(reader)
        except (OSError, asyncio.IncompleteReadError) as error:  # a timeout is an OSError
            name = type(error).__name__
            result.errors[name] = result.errors.get(name, 0) + 1
            writer.close()
            reader, writer = await asyncio.open_connection(HOST, port)
            continue
        if status == GOOD_STATUS:
            result.latencies_s.append(time.perf_counter() - started)
        else:
            name = f"{status} {body[:120].decode(errors='replace')}"
            result.errors[name] = result.errors.get(name, 0) + 1
        if not is_kept:
            # What were sent on it now would be thrown away.
            writer.close()
            reader, writer = await asyncio.open_connection(HOST, port)
        await asyncio.sleep(max(0.0, started + every_s - time.perf_counter()))
    writer.close()


async def _read_answer(reader: asyncio.StreamReader) -> tuple[int, bytes, bool]:
    """The status, the body, and whether the connection stays open; a server that stops says so."""
    head = await reader.readuntil(b"\r\n\r\n")
    status = int(head[9:12])
    length, is_kept = 0, True
    for line in head.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
        elif name.lower() == b"connection":
            is_kept = value.strip().lower() != b"close"
    return status, await reader.readexactly(length), is_kept
