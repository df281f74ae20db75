"""What an agent's server may do with a client: answer, in so many bytes, in time, nothing else.

The SDK's client is made of coroutines, and what they wait for is done here in the thread of whoever
asks: a loop of asyncio for all of them cost as much as the rest of a question.
"""

import math
import socket
import ssl
import threading
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Iterator
from concurrent import futures
from contextlib import contextmanager
from functools import cache
from typing import Any, TypeVar

import httpcore
import httpx

from benchmarks.backends.a2a.cards import refuse_address
from benchmarks.backends.a2a.exceptions import CardError
from generation.backends.exceptions import RejectedError

# As of a text model, see `generation.backends.text.openai_model`.
MOST_ANSWER_BYTES = 1_500_000
CHECK_LASTS_S = 1.0
# How often whoever waits is asked whether they still want the answer.
LOOK_S = 0.2
# A server that closes what is idle does so after 5 s or later.
IDLE_S = 5.0
Result = TypeVar("Result")


class _Waiting(threading.local):
    """Until when the thread waits for an answer, and what is called meanwhile."""

    ends_at_s = math.inf
    hang_up: Callable[[], None] | None = None


_waiting = _Waiting()


@contextmanager
def within(seconds: float, hang_up: Callable[[], None] | None = None) -> Iterator[None]:
    """Wait so long in all for what is asked within; `hang_up` ends it by what it raises.

    Raises TimeoutError.
    """
    _waiting.ends_at_s, _waiting.hang_up = time.monotonic() + seconds, hang_up
    try:
        yield
    finally:
        _waiting.ends_at_s, _waiting.hang_up = math.inf, None


def finished(coroutine: Coroutine[Any, Any, Result]) -> Result:
    """The result of a coroutine that waits for nothing but what is sent through here."""
    try:
        coroutine.send(None)
    except StopIteration as end:
        result: Result = end.value
        return result
    coroutine.close()
    raise RuntimeError("the SDK waits for something that needs a loop")


def pause() -> None:
    """Wait a little within `within`."""
    time.sleep(_look(LOOK_S))


def _look(most_s: float) -> float:
    """How long to wait before looking again; raises TimeoutError, and what `hang_up` raises."""
    left_s = _waiting.ends_at_s - time.monotonic()
    if left_s <= 0:
        raise TimeoutError
    if _waiting.hang_up is not None:
        _waiting.hang_up()
    return min(left_s, most_s)


class _Stream(httpcore.NetworkStream):
    """A connection that is waited for as long as its thread does."""

    def __init__(self, inner: httpcore.NetworkStream) -> None:
        self._inner = inner

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        while True:
            try:
                return self._inner.read(max_bytes, _look(LOOK_S))
            except httpcore.ReadTimeout:
                continue

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        # By hand: after a time-out of `write` nobody knows how much was sent.
        own: socket.socket = self.get_extra_info("socket")
        while buffer:
            own.settimeout(_look(LOOK_S))
            try:
                buffer = buffer[own.send(buffer) :]
            except TimeoutError:
                continue
            except OSError as error:
                raise httpcore.WriteError(str(error)) from error

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        left_s = _look(math.inf if timeout is None else timeout)
        return _Stream(self._inner.start_tls(ssl_context, server_hostname, left_s))

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


class _Backend(httpcore.SyncBackend):
    """Opens connections in a thread of their own, so that whoever waits can hang up."""

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        connector = futures.ThreadPoolExecutor(1, "connect")
        opening = connector.submit(
            super().connect_tcp, host, port, timeout, local_address, socket_options or []
        )
        connector.shutdown(wait=False)
        try:
            while not opening.done():
                futures.wait([opening], _look(LOOK_S))
        except BaseException:
            opening.add_done_callback(_close)
            raise
        return _Stream(opening.result())


def _close(opening: "futures.Future[httpcore.NetworkStream]") -> None:
    """Close a connection that nobody waits for any more."""
    if opening.exception() is None:
        opening.result().close()


class GuardedTransport(httpx.AsyncBaseTransport):
    """Sends requests to one server only, follows nothing, and ends answers that are too large.

    It never gives up its thread: `finished` runs what sends through it.
    """

    def __init__(self, base_url: str) -> None:
        self._base_url = base_url
        self._checked, self._checked_at_s = "", -math.inf
        # Those that nobody is using, the last used last.
        self._idle: deque[httpcore.HTTPConnection] = deque()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self._check(str(request.url))
        # Packed answers could unpack to a thousand times as many bytes.
        request.headers["accept-encoding"] = "identity"
        url = request.url
        sent = httpcore.Request(
            request.method,
            httpcore.URL(
                scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path
            ),
            headers=request.headers.raw,
            content=request.content,
            extensions=request.extensions,
        )
        connection = self._connection(sent.url.origin)
        with _named_as_httpx():
            answer = connection.handle_request(sent)
        stream = _Limited(answer, lambda: self._idle.append(connection))
        response = httpx.Response(
            answer.status, headers=answer.headers, stream=stream, extensions=answer.extensions
        )
        if response.is_redirect:
            await response.aclose()
            raise CardError("it sends us to another address; expected an answer there")
        if response.headers.get("content-encoding", "identity") != "identity":
            await response.aclose()
            raise RejectedError("its answer has an encoding that was not asked for")
        return response

    def _connection(self, origin: httpcore.Origin) -> httpcore.HTTPConnection:
        """One that nobody uses, or a new one."""
        while self._idle:
            connection = self._idle.pop()
            if connection.is_idle() and not connection.has_expired():
                return connection
            connection.close()
        return httpcore.HTTPConnection(
            origin, _certificates() if origin.scheme == b"https" else None,
            keepalive_expiry=IDLE_S, network_backend=_Backend(),
        )  # fmt: skip

    def _check(self, url: str) -> None:
        """Refuse another server; looking its name up, once a second, keeps all others waiting."""
        now_s = time.monotonic()
        if url != self._checked or now_s - self._checked_at_s >= CHECK_LASTS_S:
            refuse_address(url, self._base_url)
            self._checked, self._checked_at_s = url, now_s

    async def aclose(self) -> None:
        while self._idle:
            self._idle.pop().close()


class _Limited(httpx.AsyncByteStream):
    """The content of an answer, up to a size; `let_go` is called once its connection is free."""

    def __init__(self, answer: httpcore.Response, let_go: Callable[[], None]) -> None:
        self._answer, self._let_go = answer, let_go

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        with _named_as_httpx():
            for block in self._answer.iter_stream():
                size += len(block)
                if size > MOST_ANSWER_BYTES:
                    raise RejectedError(f"its answer has more than {MOST_ANSWER_BYTES:,} bytes")
                yield block

    async def aclose(self) -> None:
        self._answer.close()
        self._let_go()


@contextmanager
def _named_as_httpx() -> Iterator[None]:
    """Errors of the connection as those of the same names that clients know."""
    try:
        yield
    except (httpcore.TimeoutException, httpcore.NetworkError, httpcore.ProtocolError) as error:
        raise getattr(httpx, type(error).__name__)(str(error)) from error


# Reading the trusted certificates takes long.
_certificates = cache(httpx.create_ssl_context)
