"""Recordings, sent in the byte ranges that a browser needs to seek.

An address carries an encrypted token for one video and one person, so it works for nobody else,
only for some hours and only while that person may watch the video, and tells nothing about the
recording. Whatever is wrong with it, the answer is 404: an address that is no longer good does not
say what it was good for.
"""

from functools import partial
from pathlib import PurePosixPath

from django.http import Http404, HttpRequest, HttpResponseBase
from django.views.decorators.http import require_safe

from annotation.backends import made_files
from annotation.byte_ranges import content_response, content_type, later_response
from annotation.models import User, Video
from annotation.permissions import signed_in_user
from annotation.selectors.videos.access import may_see_source, watchable_videos
from annotation.selectors.videos.ingest import why_not_played
from annotation.selectors.videos.media import is_watchable, played_file, product_file
from annotation.services.videos.content import content_of
from annotation.services.videos.tokens import TokenError, read_token, video_url

FILE_TYPES = {
    ".jpg": "image/jpeg",
    ".bin": "application/octet-stream",
    ".json": "application/json",
}


def pictures_url(video: Video, user: User) -> str:
    """The address below which `user` finds the pictures of `video`: add a name and "/"."""
    return video_url(video, user)


@require_safe
def video(request: HttpRequest, token: str) -> HttpResponseBase:
    """Send the proxy or the clean copy of a recording.

    The recording's own file says where it comes from. Until something is made of it, only who sees
    its data set gets it; others are told what they wait for.
    """
    return recording_response(request, *_watched(request, token))


def recording_response(request: HttpRequest, user: User, row: Video) -> HttpResponseBase:
    """A recording for somebody who may watch it, as `video` says."""
    file = played_file(row)
    if file is not None:
        find = partial(made_files.content, file.name, file.content)
        return content_response(request, find, content_type(file.kind), user)
    if not may_see_source(user, row):
        if is_watchable(row):
            raise Http404
        return later_response(why_not_played(row))
    return content_response(request, partial(content_of, row), content_type(row.container), user)


@require_safe
def video_part(request: HttpRequest, token: str, name: str) -> HttpResponseBase:
    """Send a product of the ingest: a picture, a sheet of them, the sound, its onsets."""
    user, row = _watched(request, token)
    file = product_file(row, name)
    if file is None:
        raise Http404
    kind = FILE_TYPES[PurePosixPath(file).suffix]
    return content_response(request, partial(made_files.content, file), kind, user)


def _watched(request: HttpRequest, token: str) -> tuple[User, Video]:
    """Who asks for which video; raises Http404 unless the token and the video are theirs now."""
    if not request.user.is_authenticated:
        raise Http404
    user = signed_in_user(request)
    try:
        ticket = read_token(token)
    except TokenError as error:
        raise Http404 from error
    if ticket.user_id != user.pk:
        raise Http404
    # Who was taken out of a campaign, or lost sight of a data set, loses its videos at once.
    row = watchable_videos(user).filter(public_id=ticket.video_id).first()
    if row is None:
        raise Http404
    return user, row
