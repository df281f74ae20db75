"""The page of one take's finished video, and the file of one that was not published."""

from functools import partial

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_GET, require_safe

from annotation.backends.stored_content import FileContent
from annotation.byte_ranges import content_response, content_type
from annotation.permissions import researcher_required, signed_in_user
from annotation.views.watching import watching_trace
from generation.selectors.clips.makers import makers_in_words
from generation.selectors.clips.videos import published_trace, video_of_take
from generation.selectors.runs import get_run_take_for_user, neighbours_of
from generation.services.clips.videos import media_path


@researcher_required
@require_GET
def take_video(request: HttpRequest, public_id: str, position: int) -> HttpResponse:
    """Show the finished video beside its reference, and how it was made."""
    user = signed_in_user(request)
    run_take = get_run_take_for_user(user, public_id, position)
    trace = published_trace(user, run_take)
    video = video_of_take(run_take)
    watching = watching_trace(trace, user) if trace is not None and trace.video else None
    context = {
        "section": "runs",
        "run": run_take.run,
        "run_take": run_take,
        "neighbours": neighbours_of(run_take),
        "trace": trace,
        "watching": watching,
        "page": watching.page if watching else None,
        "video": video,
        "video_makers": makers_in_words(video.maker) if video else "",
    }
    return render(request, "generation/take_video.html", context)


@researcher_required
@require_safe
def take_video_file(request: HttpRequest, public_id: str, position: int) -> HttpResponseBase:
    """Send the finished video of a take in the ranges that are asked for."""
    user = signed_in_user(request)
    video = video_of_take(get_run_take_for_user(user, public_id, position))
    if video is None or not video.path:
        raise Http404
    find = partial(FileContent.of, media_path(video.path))
    return content_response(request, find, content_type("mp4"), user)
