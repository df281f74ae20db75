"""The page of one take's text: original and rewrite, findings, attempts, calls to models."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from annotation.permissions import researcher_required, signed_in_user
from generation.engine.judging.check import checks_not_applied
from generation.engine.stages import Stage
from generation.selectors.clips.makers import makers_in_words
from generation.selectors.clips.videos import published_trace, video_of_take
from generation.selectors.runs import get_run_take_for_user, neighbours_of
from generation.selectors.texts.calls import call_sums_of, calls_of_run_take
from generation.selectors.texts.rewrites import text_of_take


@researcher_required
@require_GET
def take_text(request: HttpRequest, public_id: str, position: int) -> HttpResponse:
    """Show the text of one take beside its original, and what the judge said and did."""
    user = signed_in_user(request)
    run_take = get_run_take_for_user(user, public_id, position)
    video = video_of_take(run_take)
    context = {
        "section": "runs",
        "run": run_take.run,
        "run_take": run_take,
        "text": text_of_take(run_take),
        "neighbours": neighbours_of(run_take),
        "trace": published_trace(user, run_take),
        "video": video,
        "video_makers": makers_in_words(video.maker) if video else "",
        "calls": call_sums_of(run_take),
        "not_applied": checks_not_applied(is_claimed=Stage.PLAN not in run_take.run.stages),
    }
    return render(request, "generation/take_text.html", context)


@researcher_required
@require_GET
def take_calls(request: HttpRequest, public_id: str, position: int) -> HttpResponse:
    """Show every call to a model that the take paid for, question and answer word for word."""
    run_take = get_run_take_for_user(signed_in_user(request), public_id, position)
    calls = calls_of_run_take(run_take)
    return render(request, "generation/_take_calls.html", {"calls": calls})
