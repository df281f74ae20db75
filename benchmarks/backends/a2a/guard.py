"""What an agent's server may do with a client: answer, in so many bytes, and nothing else."""

import math
import time
from collections.abc import AsyncIterator

import httpx

from benchmarks.backends.a2a.cards import refuse_address
from benchmarks.backends.a2a.exceptions import CardError
from generation.backends.exceptions import RejectedError

# As of a text model, see `generation.backends.text.openai_model`.
MOST_ANSWER_BYTES = 1_500_000
CHECK_LASTS_S = 1.0


class GuardedTransport(httpx.AsyncBaseTransport):
    """Sends requests to one server only, follows nothing, and ends answers that are too large."""

    def __init__(self, base_url: str) -> None:
        self._base_url = base_url
        self._checked, self._checked_at_s = "", -math.inf
        self._inner = httpx.AsyncHTTPTransport(limits=httpx.Limits(max_connections=None))

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self._check(str(request.url))
        # Packed answers could unpack to a thousand times as many bytes.
        request.headers["accept-encoding"] = "identity"
        response = await self._inner.handle_async_request(request)
        if response.is_redirect:
            await response.aclose()
            raise CardError("it sends us to another address; expected an answer there")
        if response.headers.get("content-encoding", "identity") != "identity":
            await response.aclose()
            raise RejectedError("its answer has an encoding that was not asked for")
        if isinstance(response.stream, httpx.AsyncByteStream):
            response.stream = _Limited(response.stream)
        return response

    def _check(self, url: str) -> None:
        """Refuse another server; looking its name up, once a second, keeps all others waiting."""
        now_s = time.monotonic()
        if url != self._checked or now_s - self._checked_at_s >= CHECK_LASTS_S:
            refuse_address(url, self._base_url)
            self._checked, self._checked_at_s = url, now_s

    async def aclose(self) -> None:
        await self._inner.aclose()


class _Limited(httpx.AsyncByteStream):
    """The content of an answer, up to a size."""

    def __init__(self, stream: httpx.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for block in self._stream:
            size += len(block)
            if size > MOST_ANSWER_BYTES:
                raise RejectedError(f"its answer has more than {MOST_ANSWER_BYTES:,} bytes")
            yield block

    async def aclose(self) -> None:
        await self._stream.aclose()
