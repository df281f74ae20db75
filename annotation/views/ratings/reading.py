"""What raters read before and while they rate: the welcome, the guideline, what is new in it."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from annotation.models import Round, User
from annotation.models.round_kinds import RATINGS
from annotation.permissions import signed_in_user
from annotation.selectors.campaigns.protocol import consent_to_ask, round_to_consent
from annotation.selectors.ratings.reading import (
    guideline_sections,
    news_between,
    pace_of,
    version_to_announce,
)
from annotation.services.campaigns.guidelines import confirm_reading
from annotation.services.campaigns.protocol import accept_consent


@login_required
@require_http_methods(["GET", "POST"])
def welcome(request: HttpRequest, round_id: str) -> HttpResponse:
    """Say what this is, or what is new in the guideline, and have it confirmed before a start."""
    user = signed_in_user(request)
    round_ = _round_of(user, round_id)
    if round_.is_closed:
        return redirect("round-guideline", round_id)
    consent = consent_to_ask(user, round_.campaign)
    if request.method == "POST":
        is_read = request.POST.get("version") == round_.guideline.public_id
        if is_read and (consent is None or request.POST.get("number") == str(consent.number)):
            if consent is not None:
                accept_consent(text=consent, rater=user)
            confirm_reading(version=round_.guideline, rater=user)
            return redirect("next-trace", round_id)
        messages.error(request, "The text has changed meanwhile: read it again.")
    before = version_to_announce(user, round_)
    return render(
        request,
        "annotation/welcome_page.html",
        {
            "section": "queue",
            "round": round_,
            "campaign": round_.campaign,
            "consent": consent,
            "before": before,
            "news": news_between(before, round_.guideline) if before else (),
            "titles": {
                item["definition"].metric.value: item["definition"].title
                for item in guideline_sections(round_)
            },
            "pace": pace_of(round_.campaign_id),
            "sections": guideline_sections(round_),
        },
    )


@login_required
@require_safe
def round_guideline(request: HttpRequest, round_id: str) -> HttpResponse:
    """The whole guideline of a round as one page."""
    round_ = _round_of(signed_in_user(request), round_id)
    context = {"section": "queue", "round": round_, "sections": guideline_sections(round_)}
    return render(request, "annotation/round_guideline.html", context)


def _round_of(user: User, round_id: str) -> Round:
    """A round of ratings in which the user works; raises Http404."""
    round_ = round_to_consent(user, round_id)
    if round_.kind != RATINGS:
        raise Http404
    return round_
