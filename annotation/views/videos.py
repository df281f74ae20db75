"""Recordings, sent in the byte ranges that a browser needs to seek.

An address carries a signed token for one video and one rater, so it works for nobody else, only
for some hours, and tells nothing about the recording. Whatever is wrong with it, the answer is
404: an address that is no longer good does not say what it was good for.
"""

from datetime import timedelta
from functools import partial

from django.conf import settings
from django.core import signing
from django.http import Http404, HttpRequest, HttpResponseBase
from django.urls import reverse
from django.views.decorators.http import require_safe

from annotation.backends.stored_content import FileContent
from annotation.models import User, Video
from annotation.selectors.video_media import picture_file, proxy_file
from annotation.services.video_content import content_of
from annotation.views.byte_ranges import content_response

SALT = "annotation.video"
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
        return content_response(request, partial(FileContent.of, proxy), content_type("mp4"))
    return content_response(request, partial(content_of, row), content_type(row.container))


@require_safe
def video_picture(request: HttpRequest, token: str, name: str) -> HttpResponseBase:
    """Send a picture of a recording: that of a step, or the sprite sheet."""
    path = picture_file(_video_of_token(request, token), name)
    if path is None:
        raise Http404
    return content_response(request, partial(FileContent.of, path), PICTURE_TYPE)


def content_type(container: str) -> str:
    """Return the media type of a container as the probe names it ("mov,mp4,m4a,...")."""
    names = container.split(",")
    return next(
        (media_type for name, media_type in CONTENT_TYPES.items() if name in names),
        UNKNOWN_CONTENT_TYPE,
    )


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
