"""Recordings, sent in the byte ranges that a browser needs to seek.

An address carries a signed token for one video and one rater, so it works for nobody else, only
for some hours, and tells nothing about the recording. Whatever is wrong with it, the answer is
404: an address that is no longer good does not say what it was good for.
"""

import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

from django.conf import settings
from django.core import signing
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.urls import reverse
from django.utils.cache import get_conditional_response
from django.utils.http import http_date, parse_http_date_safe
from django.views.decorators.http import require_safe

from annotation.models import User, Video
from annotation.selectors.video_files import path_of
from annotation.selectors.video_media import picture_file, proxy_file

SALT = "annotation.video"
CHUNK_BYTES = 256 * 1024
# A browser asks for all that follows and then reads only as fast as it plays, which would keep a
# thread of the web server busy for as long as somebody watches: eight players, and the site stood
# still. It gets so much at a time, and asks again.
PART_BYTES = 2 * 1024 * 1024
# ffmpeg names a family of containers; every member of a family plays under one type.
CONTENT_TYPES = {
    "mp4": "video/mp4",
    "webm": "video/webm",
    "ogg": "video/ogg",
    "avi": "video/x-msvideo",
    "mpegts": "video/mp2t",
}
UNKNOWN_CONTENT_TYPE = "application/octet-stream"
PICTURE_TYPE = "image/jpeg"

# Numbers of more digits than any file has bytes are no range; Python refuses the longest of them.
_RANGE = re.compile(
    r"bytes\s*=\s*(?:(?P<first>\d{1,19})\s*-\s*(?P<last>\d{1,19})?|-\s*(?P<suffix>\d{1,19}))\s*",
    re.ASCII,
)


class RangeNotSatisfiableError(ValueError):
    """The asked range lies wholly outside the file."""


def video_url(video: Video, user: User) -> str:
    """Return the address under which `user`, and nobody else, can watch `video` for a while."""
    token = signing.dumps([video.public_id, user.pk], salt=SALT)
    return reverse("video", args=[token])


def pictures_url(video: Video, user: User) -> str:
    """Return the address below which `user` finds the pictures of `video`: add a name and "/"."""
    token = signing.dumps([video.public_id, user.pk], salt=SALT)
    return reverse("video", args=[token])


@require_safe
def video(request: HttpRequest, token: str) -> HttpResponseBase:
    """Send the proxy of a recording where there is one, else the recording itself."""
    row = _video_of_token(request, token)
    proxy = proxy_file(row)
    if proxy is not None:
        return _file_response(request, proxy, content_type("mp4"))
    return _file_response(request, _file_of(row), content_type(row.container))


@require_safe
def video_picture(request: HttpRequest, token: str, name: str) -> HttpResponseBase:
    """Send a picture of a recording: that of a step, or the sprite sheet."""
    path = picture_file(_video_of_token(request, token), name)
    if path is None:
        raise Http404
    return _file_response(request, path, PICTURE_TYPE)


def _file_response(request: HttpRequest, path: Path, media_type: str) -> HttpResponseBase:
    facts = path.stat()
    etag = f'"{facts.st_mtime_ns:x}-{facts.st_size:x}"'
    modified_s = int(facts.st_mtime)
    unchanged = get_conditional_response(request, etag=etag, last_modified=modified_s)
    if unchanged is not None:
        return unchanged
    response = _part_response(request, path, facts.st_size, etag, modified_s)
    response.headers["Content-Type"] = media_type
    response.headers["Accept-Ranges"] = "bytes"
    response.headers["ETag"] = etag
    response.headers["Last-Modified"] = http_date(modified_s)
    response.headers["Cache-Control"] = "private, max-age=3600"
    return response


def content_type(container: str) -> str:
    """Return the media type of a container as the probe names it ("mov,mp4,m4a,...")."""
    names = container.split(",")
    return next(
        (media_type for name, media_type in CONTENT_TYPES.items() if name in names),
        UNKNOWN_CONTENT_TYPE,
    )


def asked_range(header: str, size_bytes: int) -> tuple[int, int] | None:
    """Return the first and last byte to send for a Range header, or None for the whole file.

    A range gets at most `PART_BYTES` at a time, as a server may choose (RFC 9110, section 15.3.7).
    Several ranges in one header, other units and anything unreadable are answered with the whole
    file (section 14.2). Raises RangeNotSatisfiableError.
    """
    match = _RANGE.fullmatch(header.strip())
    if match is None:
        return None
    if match["suffix"] is not None:
        length = min(int(match["suffix"]), size_bytes)
        if length == 0:
            raise RangeNotSatisfiableError(header)
        return size_bytes - length, size_bytes - 1
    first = int(match["first"])
    last = int(match["last"]) if match["last"] is not None else size_bytes - 1
    if match["last"] is not None and last < first:
        return None
    if first >= size_bytes:
        raise RangeNotSatisfiableError(header)
    return first, min(last, size_bytes - 1, first + PART_BYTES - 1)


def _video_of_token(request: HttpRequest, token: str) -> Video:
    lifetime = timedelta(hours=settings.VIDEO_URL_HOURS)
    try:
        public_id, user_id = signing.loads(token, salt=SALT, max_age=lifetime)
    except signing.BadSignature as error:
        raise Http404 from error
    if request.user.pk != user_id:
        raise Http404
    row = Video.objects.select_related("dataset", "ingest").filter(public_id=public_id).first()
    if row is None:
        raise Http404
    return row


def _file_of(row: Video) -> Path:
    """Return the recording's file; 404 unless it lies inside its data set's folder."""
    path = path_of(row)
    if path is None:
        raise Http404
    return path


def _part_response(
    request: HttpRequest, path: Path, size_bytes: int, etag: str, modified_s: int
) -> HttpResponse | StreamingHttpResponse:
    header = request.headers.get("Range", "")
    if not header or not _if_range_holds(request, etag, modified_s):
        part = None
    else:
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
    return StreamingHttpResponse(_chunks(path, first, length), status=status, headers=headers)


def _if_range_holds(request: HttpRequest, etag: str, modified_s: int) -> bool:
    condition = request.headers.get("If-Range", "")
    if not condition:
        return True
    if condition.startswith('"'):
        return condition == etag
    return parse_http_date_safe(condition) == modified_s


def _chunks(path: Path, first: int, length: int) -> Iterator[bytes]:
    with path.open("rb") as file:
        file.seek(first)
        while length > 0:
            chunk = file.read(min(CHUNK_BYTES, length))
            if not chunk:
                return
            length -= len(chunk)
            yield chunk
