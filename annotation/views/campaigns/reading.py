"""What people read before and while they work: the welcome, the guideline, what is new in it."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from annotation.models.round_kinds import kind_called
from annotation.permissions import signed_in_user
from annotation.selectors.campaigns.people_questions import questions_to_ask
from annotation.selectors.campaigns.protocol import consent_to_ask, round_to_consent
from annotation.selectors.campaigns.reading import version_to_announce
from annotation.services.campaigns.guidelines import confirm_reading
from annotation.services.campaigns.people_questions import answer_about_oneself
from annotation.services.campaigns.protocol import accept_consent


@login_required
@require_http_methods(["GET", "POST"])
def welcome(request: HttpRequest, round_id: str) -> HttpResponse:
    """Say what this is, or what is new in the guideline, and have it confirmed before a start."""
    user = signed_in_user(request)
    round_ = round_to_consent(user, round_id)
    kind = kind_called(round_.kind)
    if round_.is_closed:
        return redirect("round-guideline", round_id)
    consent = consent_to_ask(user, round_.campaign)
    if request.method == "POST":
        is_read = request.POST.get("version") == round_.guideline.public_id
        if is_read and (consent is None or request.POST.get("number") == str(consent.number)):
            try:
                answer_about_oneself(
                    campaign=round_.campaign, person=user, sent=request.POST.getlist("about")
                )
            except ValueError as error:
                messages.error(request, f"{error}.")
                return redirect("welcome", round_id)
            if consent is not None:
                accept_consent(text=consent, rater=user)
            confirm_reading(version=round_.guideline, rater=user)
            return redirect(kind.next_page, round_id)
        messages.error(request, "The text has changed meanwhile: read it again.")
    before = version_to_announce(user, round_)
    context = {
        "section": "queue",
        "round": round_,
        "kind": kind,
        "campaign": round_.campaign,
        "consent": consent,
        "questions": questions_to_ask(user, round_.campaign),
        "before": before,
        "news": kind.news(before, round_.guideline) if before else (),
        "reading": kind.reading(round_),
    }
    return render(request, "annotation/welcome_page.html", context)


@login_required
@require_safe
def round_guideline(request: HttpRequest, round_id: str) -> HttpResponse:
    """The whole guideline of a round as one page."""
    round_ = round_to_consent(signed_in_user(request), round_id)
    kind = kind_called(round_.kind)
    context = {
        "section": "queue",
        "round": round_,
        "kind": kind,
        "reading": kind.reading(round_),
    }
    return render(request, "annotation/round_guideline.html", context)
