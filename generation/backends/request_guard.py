"""Limit the size and the total time of a client's requests, whatever the server does.

An HTTP client's own time-out counts silence, so a server that sends a byte a second never exceeds
it, even in the headers; and the client reads and unpacks answers of any size.
"""

import os
import socket
import ssl
import threading
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import httpx2

# How often somebody looks whether a request takes too long, or nobody waits for it any more.
LOOK_S = 0.2
# What `_Limited` can unpack piece by piece.
ENCODINGS = "gzip, deflate"
_NEW_CONNECTIONS = ("connect_tcp.complete", "start_tls.complete")
_EITHER_HEADER = zlib.MAX_WBITS | 32


class TooLateError(httpx2.ReadTimeout):
    """The answer was not complete within the time limit."""


class TooLargeError(httpx2.RequestError):
    """The answer has more bytes than allowed."""


class OddEncodingError(httpx2.RequestError):
    """The answer has an encoding that was not asked for, or not the one that it claims."""


_read_certificates = cache(httpx2.create_ssl_context)
# A cache does not make threads wait: 64 first calls at once would read a megabyte each.
_certificates_lock = threading.Lock()


def certificates() -> ssl.SSLContext:
    """The trusted certificates, shared by all clients, since reading them takes long."""
    with _certificates_lock:
        return _read_certificates()


class RequestGuard:
    """Guards the requests of one client, one at a time; `hooks` go into the client."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._sockets: list[socket.socket] = []
        self._most_bytes: int | None = None
        self._reason: BaseException | None = None

    @property
    def hooks(self) -> Mapping[str, list[Callable[..., Any]]]:
        return {"request": [self._on_request], "response": [self._on_response]}

    @contextmanager
    def within(
        self, seconds: float, most_bytes: int, check: Callable[[], None] | None = None
    ) -> Iterator[None]:
        """Send one request and read its answer within this block, which must not be nested.

        Raises TooLateError, TooLargeError, OddEncodingError, and whatever `check` raises, which is
        called while the answer is on its way; its error ends the request.
        """
        self._reason, self._most_bytes = None, most_bytes
        under_way = _UnderWay(self, time.monotonic() + seconds)
        if check is not None:
            asking = threading.Thread(target=self._ask, args=(under_way, check), daemon=True)
            asking.start()
        _time_limits.begin(under_way)
        try:
            yield
        except Exception as error:
            # To the client, a connection that we cut off looks broken.
            if self._reason is not None:
                raise self._reason from error
            raise
        finally:
            _time_limits.end(under_way)
            with self._lock:
                under_way.is_over.set()
                self._most_bytes = None
        # If the answer ends with the connection, cutting it off looks like a complete answer.
        if self._reason is not None:
            raise self._reason

    def _ask(self, under_way: "_UnderWay", check: Callable[[], None]) -> None:
        while not under_way.is_over.wait(LOOK_S):
            try:
                check()
            except Exception as error:  # noqa: BLE001 - raised where the answer is waited for
                self.cut_off(under_way, error)
                return

    def cut_off(self, under_way: "_UnderWay", reason: BaseException) -> None:
        """End a request, unless it has ended; where its answer is waited for, this is raised."""
        with self._lock:
            if under_way.is_over.is_set() or self._reason is not None:
                return
            self._reason = reason
            for open_socket in self._sockets:
                _shut_down(open_socket)

    def _on_request(self, request: httpx2.Request) -> None:
        request.headers["accept-encoding"] = ENCODINGS
        request.extensions["trace"] = self._trace

    def _trace(self, event: str, info: Mapping[str, Any]) -> None:
        if not event.endswith(_NEW_CONNECTIONS):
            return
        new_socket = info["return_value"].get_extra_info("socket")
        with self._lock:
            # With TLS the same connection is reported twice, and its first socket is closed by now.
            self._sockets = [item for item in self._sockets if item.fileno() >= 0]
            self._sockets.append(new_socket)
            if self._reason is not None:
                _shut_down(new_socket)

    def _on_response(self, response: httpx2.Response) -> None:
        most_bytes = self._most_bytes
        if most_bytes is None or not isinstance(response.stream, httpx2.SyncByteStream):
            return
        encoding = response.headers.pop("content-encoding", "identity").strip().lower()
        if encoding not in {"identity", "gzip", "deflate"}:
            self._reason = OddEncodingError(f"the answer has the encoding {encoding[:40]!r}")
            raise self._reason
        response.stream = _Limited(self, response.stream, encoding, most_bytes)

    def refuse(self, reason: BaseException) -> BaseException:
        """Remember a reason, since the client turns it into an error of its own; return it."""
        self._reason = reason
        return reason


@dataclass(frozen=True, slots=True, eq=False)
class _UnderWay:
    """One request, and when its answer has to be complete, on the monotonic clock."""

    guard: RequestGuard
    ends_at: float
    is_over: threading.Event = field(default_factory=threading.Event)


class _TimeLimits:
    """Cuts off what takes too long, in one thread for all requests of the process.

    A thread for each request took a tenth of the processor time of asking. This one ends when
    nothing is under way.
    """

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        self._lock = threading.Lock()
        self._under_way: set[_UnderWay] = set()
        self._is_looking = False

    def begin(self, under_way: _UnderWay) -> None:
        with self._lock:
            self._under_way.add(under_way)
            starts, self._is_looking = not self._is_looking, True
        if starts:
            threading.Thread(target=self._look, daemon=True).start()

    def end(self, under_way: _UnderWay) -> None:
        with self._lock:
            self._under_way.discard(under_way)

    def _look(self) -> None:
        while True:
            time.sleep(LOOK_S)
            with self._lock:
                now = time.monotonic()
                late = [request for request in self._under_way if request.ends_at <= now]
                self._is_looking = bool(self._under_way)
                if not self._is_looking:
                    return
            for request in late:
                request.guard.cut_off(request, TooLateError("the answer did not end in time"))


_time_limits = _TimeLimits()
# A forked process has the requests of its parent, and none of its threads.
os.register_at_fork(after_in_child=_time_limits.forget)


class _Limited(httpx2.SyncByteStream):
    """The unpacked content of an answer, up to a size."""

    def __init__(
        self,
        guard: RequestGuard,
        stream: httpx2.SyncByteStream,
        encoding: str,
        most_bytes: int,
    ) -> None:
        self._guard, self._stream = guard, stream
        self._encoding, self._most_bytes = encoding, most_bytes

    def __iter__(self) -> Iterator[bytes]:
        most_bytes, size = self._most_bytes, 0
        packer = None if self._encoding == "identity" else zlib.decompressobj(_EITHER_HEADER)
        try:
            for packed in self._stream:
                while packed:
                    block, packed = packed, b""
                    if packer is not None:
                        # Piece by piece: a few packed bytes can unpack to a thousand times as many.
                        block = packer.decompress(block, most_bytes + 1)
                        packed = packer.unconsumed_tail
                    size += len(block)
                    if size > most_bytes:
                        reason = TooLargeError(f"the answer has more than {most_bytes} bytes")
                        raise self._guard.refuse(reason)
                    yield block
        except zlib.error as error:
            odd = OddEncodingError(f"the answer is not valid {self._encoding}: {error}")
            raise self._guard.refuse(odd) from error

    def close(self) -> None:
        self._stream.close()


def _shut_down(open_socket: socket.socket) -> None:
    """End a connection that another thread is reading; it wakes as if the server had hung up."""
    with suppress(OSError):
        # Not the method of an SSL socket, which would drop the state that the reader is using.
        socket.socket.shutdown(open_socket, socket.SHUT_RDWR)
