"""Hold the requests of one client to a size and to a time in all, whatever their server does.

A client's own time-out counts silence, so a server that sends a byte a second is never late for it,
be it in the middle of the headers; and it reads whatever comes, unpacked.
"""

import socket
import ssl
import threading
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from typing import Any

import httpx2

# How often it is looked whether anybody still waits for the answer.
LOOK_S = 0.2
# What `_Unpacked` can unpack piece by piece.
ENCODINGS = "gzip, deflate"
_NEW_CONNECTIONS = ("connect_tcp.complete", "start_tls.complete")
_EITHER_HEADER = zlib.MAX_WBITS | 32


class TooLateError(httpx2.ReadTimeout):
    """The answer had not ended when its time was over."""


class TooLargeError(httpx2.RequestError):
    """The answer has more bytes than are read."""


class OddEncodingError(httpx2.RequestError):
    """The answer is packed in a way that was not asked for, or not as it says."""


_read_certificates = cache(httpx2.create_ssl_context)
# A cache does not wait: 64 threads that ask for the first time would read a megabyte each.
_one_reads = threading.Lock()


def certificates() -> ssl.SSLContext:
    """Whom clients trust, for all of them: reading it takes longer than all else that they need."""
    with _one_reads:
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
        """Send a request and read its answer in this block; another guarded one must not be open.

        Raises TooLateError, TooLargeError, OddEncodingError, and what `check` raises: it is called
        while the answer is on its way and ends the request.
        """
        self._reason, self._most_bytes = None, most_bytes
        is_over = threading.Event()
        watch = threading.Thread(
            target=self._watch, args=(is_over, time.monotonic() + seconds, check), daemon=True
        )
        watch.start()
        try:
            yield
        except Exception as error:
            # What was cut off by us looks like a broken connection to the client.
            if self._reason is not None:
                raise self._reason from error
            raise
        finally:
            with self._lock:
                is_over.set()
                self._most_bytes = None
        # Where the end of the connection is the end of the answer, cutting it off looks like one.
        if self._reason is not None:
            raise self._reason

    def _watch(
        self, is_over: threading.Event, ends_at: float, check: Callable[[], None] | None
    ) -> None:
        look_s = LOOK_S if check is not None else float("inf")
        while (left_s := ends_at - time.monotonic()) > 0:
            if is_over.wait(min(left_s, look_s)):
                return
            if check is None:
                continue
            try:
                check()
            except Exception as error:  # noqa: BLE001 - raised where the answer is waited for
                self._cut_off(is_over, error)
                return
        self._cut_off(is_over, TooLateError("the answer did not end in time"))

    def _cut_off(self, is_over: threading.Event, reason: BaseException) -> None:
        with self._lock:
            if is_over.is_set():
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
        made = info["return_value"].get_extra_info("socket")
        with self._lock:
            # With TLS the same connection comes twice, the first time as a socket that is closed.
            self._sockets = [known for known in self._sockets if known.fileno() >= 0]
            self._sockets.append(made)
            if self._reason is not None:
                _shut_down(made)

    def _on_response(self, response: httpx2.Response) -> None:
        most_bytes = self._most_bytes
        if most_bytes is None or not isinstance(response.stream, httpx2.SyncByteStream):
            return
        encoding = response.headers.pop("content-encoding", "identity").strip().lower()
        if encoding not in {"identity", "gzip", "deflate"}:
            self._reason = OddEncodingError(f"the answer is packed as {encoding[:40]!r}")
            raise self._reason
        response.stream = _Limited(self, response.stream, encoding, most_bytes)

    def refuse(self, reason: BaseException) -> BaseException:
        """Keep a reason, for what the client makes of it, and return it."""
        self._reason = reason
        return reason


class _Limited(httpx2.SyncByteStream):
    """The content of an answer, unpacked, up to a size."""

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
                        # A little at a time: a thousandth of what it unpacks to is enough for a
                        # bomb.
                        block = packer.decompress(block, most_bytes + 1)
                        packed = packer.unconsumed_tail
                    size += len(block)
                    if size > most_bytes:
                        reason = TooLargeError(f"the answer has more than {most_bytes} bytes")
                        raise self._guard.refuse(reason)
                    yield block
        except zlib.error as error:
            odd = OddEncodingError(f"the answer is not the {self._encoding} it says: {error}")
            raise self._guard.refuse(odd) from error

    def close(self) -> None:
        self._stream.close()


def _shut_down(open_socket: socket.socket) -> None:
    """End a connection that another thread reads from; that one wakes as if the server hung up."""
    with suppress(OSError):
        # The one of an encrypted connection would take away what the reader works with.
        socket.socket.shutdown(open_socket, socket.SHUT_RDWR)
