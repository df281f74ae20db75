"""Files sent in the byte ranges that a browser needs to seek (RFC 9110, section 14).

A thread of the web server is busy for as long as its answer is read, and a browser that asks for
all that follows reads it as fast as it plays: eight players, and the site stood still. So a range
gets at most `PART_BYTES` at a time, whichever way it was asked for, and a larger file as a whole,
for which HTTP knows no smaller answer, is sent to one client at a time.
"""

import logging
import re
import threading
from collections.abc import Callable, Iterator
from itertools import chain

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.utils.cache import get_conditional_response

from annotation.backends.stored_content import (
    ContentError,
    ContentGoneError,
    ContentUnavailableError,
    StoredContent,
)
from annotation.models import User
from annotation.services.videos.tokens import personal_tag

logger = logging.getLogger(__name__)

# ffmpeg names a family of containers; every member of a family plays under one type.
CONTENT_TYPES = {
    "mp4": "video/mp4",
    "webm": "video/webm",
    "ogg": "video/ogg",
    "avi": "video/x-msvideo",
    "mpegts": "video/mp2t",
}
UNKNOWN_CONTENT_TYPE = "application/octet-stream"

PART_BYTES = 2 * 1024 * 1024
# In one process of the web server, which has four threads.
WHOLE_FILES_AT_ONCE = 1
RETRY_AFTER_S = 5

# Numbers of more digits than any file has bytes are no range; Python refuses the longest of them.
_RANGE = re.compile(
    r"bytes\s*=\s*(?:(?P<first>\d{1,19})\s*-\s*(?P<last>\d{1,19})?|-\s*(?P<suffix>\d{1,19}))\s*",
    re.ASCII,
)

_whole_file_slots = threading.BoundedSemaphore(WHOLE_FILES_AT_ONCE)


class RangeNotSatisfiableError(ValueError):
    """The asked range lies wholly outside the file."""


def content_type(container: str) -> str:
    """The media type of a container as the probe names it ("mov,mp4,m4a,...")."""
    names = container.split(",")
    return next(
        (media_type for name, media_type in CONTENT_TYPES.items() if name in names),
        UNKNOWN_CONTENT_TYPE,
    )


def content_response(
    request: HttpRequest, find: Callable[[], StoredContent], media_type: str, user: User
) -> HttpResponseBase:
    """The answer to a GET or HEAD for what `find` returns: 200, 206, 304, 416 or 503.

    Nothing in it tells how or when the content was made, and its ETag is one for `user` only.
    Raises Http404 where the content is gone.
    """
    try:
        content = find()
        etag = f'"{personal_tag(content.tag, user)}"'
        unchanged = get_conditional_response(request, etag=etag)
        if unchanged is not None:
            return unchanged
        response = _asked_response(request, content, etag)
        response.headers["Accept-Ranges"] = "bytes"
        if response.status_code < 300:
            response.headers["Content-Type"] = media_type
            response.headers["ETag"] = etag
            response.headers["Cache-Control"] = "private, max-age=3600"
        return response
    except ContentGoneError as error:
        logger.warning("not sent: %s", error)
        raise Http404 from error
    except ContentUnavailableError as error:
        logger.warning("not sent: %s", error)
        return later_response()


def asked_range(header: str, size_bytes: int) -> tuple[int, int] | None:
    """The first and last byte to send for a Range header, or None for the whole file.

    A range gets its first `PART_BYTES`, as a server may choose (RFC 9110, section 15.3.7). Several
    ranges in one header, other units and anything unreadable are answered with the whole file
    (section 14.2). Raises RangeNotSatisfiableError.
    """
    match = _RANGE.fullmatch(header.strip())
    if match is None:
        return None
    end = size_bytes - 1
    if match["suffix"] is not None:
        first = size_bytes - min(int(match["suffix"]), size_bytes)
    else:
        first = int(match["first"])
        last = int(match["last"]) if match["last"] is not None else end
        if last < first and match["last"] is not None:
            return None
        end = min(end, last)
    if first >= size_bytes:
        raise RangeNotSatisfiableError(header)
    return first, min(end, first + PART_BYTES - 1)


def _asked_response(request: HttpRequest, content: StoredContent, etag: str) -> HttpResponseBase:
    size_bytes = content.size_bytes
    header = request.headers.get("Range", "")
    part = None
    # A date in If-Range names no content, as answers carry none: then the whole file is sent.
    if header and request.headers.get("If-Range", etag) == etag:
        try:
            part = asked_range(header, size_bytes)
        except RangeNotSatisfiableError:
            return HttpResponse(status=416, headers={"Content-Range": f"bytes */{size_bytes}"})
    first, last = part or (0, size_bytes - 1)
    length = last - first + 1
    headers = {"Content-Length": str(length)}
    if part:
        headers["Content-Range"] = f"bytes {first}-{last}/{size_bytes}"
    status = 206 if part else 200
    if request.method == "HEAD":
        return HttpResponse(status=status, headers=headers)
    slot = _Slot() if length > PART_BYTES else None
    if slot is not None and not slot.is_taken:
        return later_response()
    chunks = _SentChunks(content.chunks(first, length), slot)
    try:
        # Fetched here, as an answer that has begun can no longer say what is wrong.
        chunks.fetch_first()
    except ContentError:
        chunks.close()
        raise
    return StreamingHttpResponse(chunks, status=status, headers=headers)


def later_response(words: str = "") -> HttpResponse:
    """An answer that says, for people where there are words, that the file is not there yet."""
    headers = {"Retry-After": str(RETRY_AFTER_S), "Cache-Control": "no-store"}
    kind = "text/plain; charset=utf-8"
    return HttpResponse(words, status=503, headers=headers, content_type=kind)


class _Slot:
    """The right to send a whole file; given back once."""

    def __init__(self) -> None:
        self.is_taken = _whole_file_slots.acquire(blocking=False)

    def give_back(self) -> None:
        if self.is_taken:
            self.is_taken = False
            _whole_file_slots.release()


class _SentChunks(Iterator[bytes]):
    """Chunks on their way; the file and the slot are given back at the end or when closed.

    A generator would not do: one that was never begun gives nothing back when it is closed.
    """

    def __init__(self, chunks: Iterator[bytes], slot: _Slot | None) -> None:
        self._source = chunks
        self._chunks = chunks
        self._slot = slot

    def fetch_first(self) -> None:
        self._chunks = chain([next(self._source, b"")], self._source)

    def __next__(self) -> bytes:
        try:
            return next(self._chunks)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Give everything back; called by the web server in any case."""
        close_source = getattr(self._source, "close", None)
        if close_source is not None:
            close_source()
        if self._slot is not None:
            self._slot.give_back()
