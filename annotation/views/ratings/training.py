"""A rater's training: what it is for and how it went, feedback on a trace, another attempt."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_POST, require_safe

from annotation.permissions import signed_in_user
from annotation.selectors.ratings.training import get_feedback, get_training
from annotation.services.ratings.training import note_feedback_shown, try_again
from annotation.views.records.errors import refusals_shown
from annotation.views.videos.watching import watching_page

SECTION = {"section": "queue"}


@require_safe
@login_required
def training(request: HttpRequest, round_id: str) -> HttpResponse:
    """What the training asks, every attempt with its score, and the way to another."""
    own = get_training(signed_in_user(request), round_id)
    return render(request, "annotation/training_page.html", SECTION | {"training": own})


@require_POST
@login_required
def training_again(request: HttpRequest, round_id: str) -> HttpResponse:
    user = signed_in_user(request)
    own = get_training(user, round_id)
    with refusals_shown(request):
        attempt = try_again(qualification=own.qualification, actor=user)
        messages.success(request, f"Attempt {attempt.number}: your traces are ready.")
        return redirect("next-trace", round_id)
    return redirect("training", round_id)


@never_cache
@ensure_csrf_cookie
@require_safe
@login_required
def training_feedback(request: HttpRequest, assignment_id: str) -> HttpResponse:
    """Own answers beside the accepted ones, with the reason, the guideline and both recordings."""
    user = signed_in_user(request)
    feedback = get_feedback(user, assignment_id)
    note_feedback_shown(feedback.item)
    context = SECTION | {
        "feedback": feedback,
        "page": feedback.page,
        "training": get_training(user, feedback.page.assignment.round.public_id),
        "watching": watching_page(feedback.page, user),
    }
    return render(request, "annotation/training_feedback.html", context)
