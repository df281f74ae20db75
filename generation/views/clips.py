"""The page of one take's clips: prompts to edit, frames to download, clips to upload."""

from collections.abc import Callable
from functools import partial

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST, require_safe

from annotation.permissions import researcher_required, signed_in_user
from annotation.views.videos.watching import watching_trace
from generation import launch
from generation.clip_responses import clip_file_response, frame_response
from generation.models import RunTake, TakeClip
from generation.selectors.clips.calls import clips_of_run_take
from generation.selectors.clips.takes import (
    clips_of_take,
    get_changeable_run_take,
    get_clip,
)
from generation.selectors.runs import get_run_take_for_user, may_change_run
from generation.services.clips.frames import Side
from generation.services.clips.review import (
    ClipClosedError,
    ClipsMissingError,
    PromptChangedError,
    PromptRefusedError,
    save_prompt,
    seen_mark,
    why_closed,
)
from generation.services.clips.uploads import ClipRefusedError, remove_clip, upload_clip
from generation.views.takes import filmed_context

CONFLICT, UNUSABLE = 409, 422
FRAME_FORMS = frozenset({"png", "jpg"})


@researcher_required
@require_GET
def take_clips(request: HttpRequest, public_id: str, position: int) -> HttpResponse:
    """Show the cuts of one take, and every clip with its prompt, its frames and its file."""
    run_take = get_run_take_for_user(signed_in_user(request), public_id, position)
    return _page(request, run_take)


def _page(
    request: HttpRequest,
    run_take: RunTake,
    *,
    problem: tuple[str, str] = ("", ""),
    typed: str | None = None,
    status: int = 200,
) -> HttpResponse:
    """Render the page; `problem` is a clip id (empty: the whole take) and what is wrong with it."""
    user = signed_in_user(request)
    filmed = filmed_context(run_take, user)
    trace = filmed["trace"]
    shown = clips_of_take(run_take)
    lines = []
    for line in shown.lines if shown is not None else ():
        clip, is_meant = line.clip, problem[0] == line.clip.clip_id
        lines.append(
            {
                "line": line,
                "clip": clip,
                "problem": problem[1] if is_meant else "",
                "text": typed if is_meant and typed is not None else clip.prompt_text,
                "seen": seen_mark(clip.prompt_text),
            }
        )
    closed = why_closed(run_take, run_take.job.status)
    context = {
        **filmed,
        "shown": shown,
        "lines": lines,
        "closed": closed,
        "may_change": may_change_run(user, run_take.run) and not closed,
        "watching": watching_trace(trace, user) if trace is not None and trace.video else None,
        "problem": "" if problem[0] else problem[1],
        "prompts_seen": "" if shown is None else seen_mark(*shown.waiting_prompts),
        "orders": clips_of_run_take(run_take),
    }
    return render(request, "generation/take_clips.html", context, status=status)


def _changed(
    request: HttpRequest,
    public_id: str,
    position: int,
    change: Callable[..., object],
    done: str,
    *,
    clip_id: str = "",
) -> HttpResponse:
    """Make a change and go back to its clip on the page, or show why it cannot be made."""
    user = signed_in_user(request)
    run_take = get_changeable_run_take(user, public_id, position)
    typed = request.POST.get("prompt")
    try:
        change(run_take=run_take, actor=user)
    except (ClipRefusedError, PromptRefusedError) as error:
        problem = (clip_id, str(error))
        return _page(request, run_take, problem=problem, typed=typed, status=UNUSABLE)
    except PromptChangedError as error:
        words = f"{error} Read the prompts again before you approve them."
        if error.current:
            words = (
                f"{error} Their prompt is: “{error.current}”. Yours is below; saving it replaces"
                " theirs."
            )
        return _page(request, run_take, problem=(clip_id, words), typed=typed, status=CONFLICT)
    except (ClipClosedError, ClipsMissingError) as error:
        run_take.job.refresh_from_db()
        # Show what was typed, so that it is not lost although it can no longer be stored.
        words = f"{error} You wrote: “{typed}”" if typed else str(error)
        return _page(request, run_take, problem=(clip_id, words), status=CONFLICT)
    messages.success(request, done)
    address = reverse("take-clips", args=[public_id, position])
    return redirect(f"{address}#{clip_id}" if clip_id else address)


@researcher_required
@require_POST
def clip_prompt(request: HttpRequest, public_id: str, position: int, clip_id: str) -> HttpResponse:
    """Store a person's prompt."""
    text, seen = request.POST.get("prompt", ""), request.POST.get("seen", "")
    change = partial(save_prompt, clip_id=clip_id, text=text, seen=seen)
    done = f"Saved: the prompt of {clip_id}."
    return _changed(request, public_id, position, change, done, clip_id=clip_id)


@researcher_required
@require_POST
def clip_upload(request: HttpRequest, public_id: str, position: int, clip_id: str) -> HttpResponse:
    change = partial(upload_clip, clip_id=clip_id, file=request.FILES.get("clip"))
    done = f"Uploaded: {clip_id}."
    return _changed(request, public_id, position, change, done, clip_id=clip_id)


@researcher_required
@require_POST
def clip_remove(request: HttpRequest, public_id: str, position: int, clip_id: str) -> HttpResponse:
    change = partial(remove_clip, clip_id=clip_id)
    done = f"Removed: the file of {clip_id}."
    return _changed(request, public_id, position, change, done, clip_id=clip_id)


@researcher_required
@require_POST
def clips_approve(request: HttpRequest, public_id: str, position: int) -> HttpResponse:
    """Approve all prompts of a take."""
    change = partial(launch.approve_prompts, seen=request.POST.get("seen", ""))
    done = "Approved: the clips of this take are queued."
    return _changed(request, public_id, position, change, done)


@researcher_required
@require_POST
def clips_make(request: HttpRequest, public_id: str, position: int) -> HttpResponse:
    """Start making the video of a take."""
    done = "The video of this take is queued."
    return _changed(request, public_id, position, launch.make_video, done)


@researcher_required
@require_safe
def clip_video(
    request: HttpRequest, public_id: str, position: int, clip_id: str
) -> HttpResponseBase:
    """Send the clip: the conformed file, or the upload."""
    clip = _visible_clip(request, public_id, position, clip_id)
    return clip_file_response(request, clip)


@researcher_required
@require_safe
def clip_frame(
    request: HttpRequest, public_id: str, position: int, clip_id: str, side: str, form: str
) -> HttpResponse:
    """Send a frame beside a clip: whole as PNG, or small as JPEG."""
    clip = _visible_clip(request, public_id, position, clip_id)
    if side not in {str(item) for item in Side} or form not in FRAME_FORMS:
        raise Http404
    return frame_response(clip, Side(side), is_whole=form == "png")


def _visible_clip(request: HttpRequest, public_id: str, position: int, clip_id: str) -> TakeClip:
    return get_clip(get_run_take_for_user(signed_in_user(request), public_id, position), clip_id)
