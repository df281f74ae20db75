"""Responses with the file of a clip or a frame beside it, for pages and API."""

from functools import partial

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase

from annotation.backends import made_files
from annotation.byte_ranges import content_response, content_type
from annotation.permissions import signed_in_user
from generation.models import TakeClip
from generation.selectors.clips.takes import edits_of
from generation.services.clips.frames import NoFrameError, Side, boundary_frame

FRAME_SECONDS = 3600


def clip_file_response(request: HttpRequest, clip: TakeClip) -> HttpResponseBase:
    """The file of a clip, or the requested byte range of it; 404 if there is none."""
    if not clip.file and not clip.upload:
        raise Http404
    find = partial(made_files.content, clip.file or clip.upload)
    container = "mp4" if clip.file else str(clip.facts.get("container", ""))
    return content_response(request, find, content_type(container), signed_in_user(request))


def frame_response(clip: TakeClip, side: Side, *, is_whole: bool) -> HttpResponse:
    """The frame beside a clip; 404 with the reason if there is none."""
    edits = edits_of(clip.run_take)
    if edits is None:
        raise Http404
    try:
        picture = boundary_frame(clip, edits, side, is_whole=is_whole)
    except NoFrameError as error:
        raise Http404(str(error)) from error
    response = HttpResponse(picture, content_type="image/png" if is_whole else "image/jpeg")
    if is_whole:
        name = f"{clip.clip_id}-{side}.png"
        response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    response.headers["Cache-Control"] = f"private, max-age={FRAME_SECONDS}"
    return response
