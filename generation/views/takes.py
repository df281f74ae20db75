"""The pages of one take: its text and the calls for it, its finished video."""

from functools import partial
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_GET, require_safe

from annotation.backends import made_files
from annotation.byte_ranges import content_response, content_type
from annotation.models import User
from annotation.permissions import researcher_required, signed_in_user
from annotation.views.videos.watching import watching_trace
from generation.engine.judging.check import checks_not_applied
from generation.engine.stages import Stage
from generation.models import RunTake
from generation.selectors.clips.makers import makers_in_words
from generation.selectors.clips.videos import published_trace, video_of_take
from generation.selectors.runs import get_run_take_for_user, neighbours_of
from generation.selectors.texts.calls import call_sums_of, calls_of_run_take
from generation.selectors.texts.rewrites import text_of_take


def take_context(run_take: RunTake) -> dict[str, Any]:
    return {
        "section": "runs",
        "run": run_take.run,
        "run_take": run_take,
        "neighbours": neighbours_of(run_take),
    }


def filmed_context(run_take: RunTake, user: User) -> dict[str, Any]:
    """The same with the take's video and published trace."""
    video = video_of_take(run_take)
    return {
        **take_context(run_take),
        "trace": published_trace(user, run_take),
        "video": video,
        "video_makers": makers_in_words(video.maker) if video else "",
    }


@researcher_required
@require_GET
def take_text(request: HttpRequest, public_id: str, position: int) -> HttpResponse:
    """Show the text of one take beside its original, with the judge's findings and repairs."""
    user = signed_in_user(request)
    run_take = get_run_take_for_user(user, public_id, position)
    context = {
        **filmed_context(run_take, user),
        "text": text_of_take(run_take),
        "calls": call_sums_of(run_take),
        "not_applied": checks_not_applied(is_claimed=Stage.PLAN not in run_take.run.stages),
    }
    return render(request, "generation/take_text.html", context)


@researcher_required
@require_GET
def take_calls(request: HttpRequest, public_id: str, position: int) -> HttpResponse:
    """Show every call to a model whose answer the take used, question and answer word for word."""
    run_take = get_run_take_for_user(signed_in_user(request), public_id, position)
    calls = calls_of_run_take(run_take)
    return render(request, "generation/_take_calls.html", {"calls": calls})


@researcher_required
@require_GET
def take_video(request: HttpRequest, public_id: str, position: int) -> HttpResponse:
    """Show the finished video beside its reference, and how it was made."""
    user = signed_in_user(request)
    context = filmed_context(get_run_take_for_user(user, public_id, position), user)
    trace = context["trace"]
    watching = watching_trace(trace, user) if trace is not None and trace.video else None
    context |= {"watching": watching, "page": watching.page if watching else None}
    return render(request, "generation/take_video.html", context)


@researcher_required
@require_safe
def take_video_file(request: HttpRequest, public_id: str, position: int) -> HttpResponseBase:
    """Send the finished video of a take, or the requested byte range of it."""
    user = signed_in_user(request)
    video = video_of_take(get_run_take_for_user(user, public_id, position))
    if video is None or not video.path:
        raise Http404
    find = partial(made_files.content, video.path)
    return content_response(request, find, content_type("mp4"), user)
