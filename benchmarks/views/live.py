"""The live page: a recording plays while a model watches it, and says what to do next."""

import json

from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.engine.exceptions import NotNowError
from annotation.permissions import researcher_required, signed_in_user
from annotation.services.videos.tokens import video_url
from benchmarks import launch
from benchmarks.forms.live import LiveForm
from benchmarks.models import LiveRun
from benchmarks.selectors.item_sets import get_item_set_for_user, may_see_truth, task_of
from benchmarks.selectors.live import asked_at, get_live_run_for_user, standing_of
from benchmarks.services.pictures import watched_picture


@researcher_required
@require_http_methods(["GET", "POST"])
def live_new(request: HttpRequest, public_id: str, recording: str) -> HttpResponse:
    """Choose who watches a recording of a set, or start it."""
    user = signed_in_user(request)
    item_set = get_item_set_for_user(user, public_id)
    items = item_set.items.filter(recording=recording)
    is_watched = task_of(item_set).is_watched and item_set.is_frozen
    if not is_watched or not may_see_truth(user, item_set) or not items.exists():
        raise Http404
    form = LiveForm(request.POST or None, user=user, item_set=item_set)
    if request.method == "POST" and form.is_valid():
        try:
            run = launch.launch_live(
                item_set=item_set, recording=recording, request=form.to_request(), actor=user
            )
            return redirect("live", run.public_id)
        except ValidationError as error:
            form.add_error(None, ValidationError(error.messages))
    runs = LiveRun.objects.filter(item_set=item_set, recording=recording)
    if not user.is_administrator:
        runs = runs.filter(owner=user)
    context = {
        "section": "benchmarks",
        "item_set": item_set,
        "recording": recording,
        "form": form,
        "runs": runs.order_by("-pk")[:20],
    }
    return render(request, "benchmarks/live_new.html", context)


@researcher_required
@require_GET
def live(request: HttpRequest, public_id: str) -> HttpResponse:
    user = signed_in_user(request)
    run = get_live_run_for_user(user, public_id)
    first = run.item_set.items.filter(recording=run.recording).select_related("video").first()
    video = first.video if first else None
    context = {
        "section": "benchmarks",
        "run": run,
        "goal": first.payload.get("goal", "") if first else "",
        "clip_url": video_url(video, user) if video else "",
        "roles": run.settings.get("role_names", []),
    }
    return render(request, "benchmarks/live.html", context)


@researcher_required
@require_GET
def live_events(request: HttpRequest, public_id: str) -> HttpResponse:
    """Where the run is, with the events after the number that `after` names."""
    run = get_live_run_for_user(signed_in_user(request), public_id)
    after = request.GET.get("after", "0")
    return JsonResponse(standing_of(run, int(after) if after.isdecimal() else 0))


@researcher_required
@require_POST
def live_command(request: HttpRequest, public_id: str) -> HttpResponse:
    """Play, pause, step, ask or stop, as JSON {"kind", "text"}."""
    run = get_live_run_for_user(signed_in_user(request), public_id)
    try:
        body = json.loads(request.body)
        kind, text = str(body["kind"]), str(body.get("text", ""))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return JsonResponse({"detail": 'Expected {"kind": …, "text": …}'}, status=400)
    try:
        launch.command_live(run=run, kind=kind, text=text)
    except ValidationError as error:
        return JsonResponse({"detail": " ".join(error.messages)}, status=400)
    except NotNowError as error:
        return JsonResponse({"detail": str(error).rstrip(".")}, status=409)
    return JsonResponse({}, status=201)


@researcher_required
@require_GET
def live_asked(request: HttpRequest, public_id: str, number: int) -> HttpResponse:
    """What was seen at an event: prompts and pictures as sent, the answers as they came."""
    run = get_live_run_for_user(signed_in_user(request), public_id)
    context = {
        "section": "benchmarks",
        "run": run,
        "number": number,
        "event": run.events.filter(number=number).first(),
        "asked": asked_at(run, number),
    }
    return render(request, "benchmarks/live_asked.html", context)


@researcher_required
@require_GET
def live_picture(
    request: HttpRequest, public_id: str, number: int, place: int, position: int
) -> HttpResponse:
    run = get_live_run_for_user(signed_in_user(request), public_id)
    jpeg = watched_picture(run, asked_at(run, number), place, position)
    return HttpResponse(jpeg, content_type="image/jpeg")
