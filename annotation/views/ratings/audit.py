"""The rater's pages: the queue, and one trace beside its reference."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_POST, require_safe

from annotation.launch import launch_for_raters
from annotation.models import Assignment, AssignmentStatus, Phase, Round, User
from annotation.models.round_kinds import round_kinds
from annotation.page_links import other_work_of
from annotation.permissions import researcher_required, signed_in_user
from annotation.selectors.campaigns.protocol import consent_to_ask
from annotation.selectors.campaigns.reading import version_to_announce
from annotation.selectors.campaigns.rounds import (
    campaigns_without_work,
    example_for_rater,
    rounds_of_rater,
)
from annotation.selectors.corpus.blinding import campaigns_rated_now
from annotation.selectors.corpus.corpus import get_trace_for_user
from annotation.selectors.ratings.audit import AuditPage, get_audit_page, preview_page
from annotation.selectors.ratings.queue import next_assignment_id
from annotation.services.campaigns.campaigns import remove_rater
from annotation.services.ratings.viewing import opened_token
from annotation.views.videos.players import players_of

# Who works in more rounds than these finds the rest on further pages.
CARDS_PER_PAGE = 25


@require_safe
@login_required
def queue(request: HttpRequest) -> HttpResponse:
    user = signed_in_user(request)
    cards = [card for kind in round_kinds() for card in kind.queue_cards(user)]
    # Of all kinds together: a closed pilot does not stand between what is to be done.
    cards.sort(key=lambda card: (card.is_closed, not card.is_returned))
    page = Paginator(cards, CARDS_PER_PAGE).get_page(request.GET.get("cards"))
    context = {
        "cards": page,
        "table": {"key": "cards", "page": page, "page_address": "?cards="},
        "other_work": other_work_of(user),
        "waiting": campaigns_without_work(user),
        "section": "queue",
    }
    return render(request, "annotation/queue_page.html", context)


@require_safe
@login_required
def next_trace(request: HttpRequest, public_id: str) -> HttpResponse:
    """Go on with a round: to its next open trace, or back to the queue at its end."""
    skipped = request.GET.get("skipped", "")
    user = signed_in_user(request)
    assignment_id = next_assignment_id(user=user, round_id=public_id, leave_out=skipped)
    if assignment_id:
        return redirect("audit", assignment_id)
    if skipped:
        messages.info(request, "No other trace is open; this is the one that you skipped.")
    elif round_ := rounds_of_rater(user).filter(public_id=public_id).first():
        messages.info(request, _where_one_stands(round_))
    return redirect("queue")


def _where_one_stands(round_: Round) -> str:
    """Why no trace of a round opens."""
    if round_.is_closed:
        return "This round is closed: your answers can be read and no longer changed."
    return "No trace of this round is left for you now. If more come, they appear here."


@never_cache
@ensure_csrf_cookie
@require_safe
@login_required
def audit(request: HttpRequest, public_id: str) -> HttpResponse:
    user = signed_in_user(request)
    try:
        page = get_audit_page(user=user, public_id=public_id)
    except Assignment.DoesNotExist as error:
        raise Http404 from error
    round_ = page.assignment.round
    if not round_.is_closed and consent_to_ask(user, round_.campaign):
        return redirect("consent", round_.public_id)
    if not round_.is_closed and version_to_announce(user, round_):
        return redirect("welcome", round_.public_id)
    assignment_id = page.assignment.public_id
    names = ("changes", "ratings", "submit", "reopen", "viewing", "remarks", "skip")
    urls = {
        **{name: reverse(f"api-assignment-{name}", args=[assignment_id]) for name in names},
        "next": reverse("next-trace", args=[page.assignment.round.public_id]),
        "guideline": reverse("round-guideline", args=[page.assignment.round.public_id]),
    }
    more: dict[str, object] = {}
    if page.assignment.round.phase == Phase.TRAINING:
        urls["next"] = reverse("training-feedback", args=[assignment_id])
        if page.assignment.status == AssignmentStatus.SUBMITTED:
            return redirect(urls["next"])
        more["is_training"] = True
    context = page_context(
        page, user, urls, opened=opened_token(page.assignment.public_id, user), **more
    )
    return render(request, "annotation/audit_page.html", {**context, "section": "queue"})


def page_context(
    page: AuditPage, user: User, urls: dict[str, str], **more: object
) -> dict[str, object]:
    players = players_of(page, user)
    launch_for_raters([item.video for item in players])
    payload = {
        **page.to_dict(),
        "account": user.pk,
        "urls": {**urls, "pictures": {item.side: item.pictures_url for item in players}},
        "now": timezone.now().isoformat(),
        **more,
    }
    rubric_ = page.rubric.to_dict()
    return {
        "page": page,
        "examples": [
            {**example, "url": reverse("guideline-example", args=[round_.public_id, place])}
            for round_ in [page.assignment.round]
            for place, example in enumerate(round_.guideline.examples if round_.pk else [])
        ],
        "metrics": rubric_["metrics"],
        "reasons": rubric_["reasons"],
        "payload": payload,
        "players": players,
    }


@require_POST
@researcher_required
def leave_campaign(request: HttpRequest, public_id: str) -> HttpResponse:
    """End a researcher's own rating in a campaign, so that its sources can be seen again."""
    user = signed_in_user(request)
    campaign = get_object_or_404(campaigns_rated_now(user), public_id=public_id)
    remove_rater(campaign=campaign, rater=user, actor=user)
    messages.success(request, f"You have left {campaign.name}; your answers are kept.")
    return redirect("queue")


@never_cache
@ensure_csrf_cookie
@require_safe
@researcher_required
def trace_preview(request: HttpRequest, public_id: str) -> HttpResponse:
    """Show a trace as its raters see it; what is answered there is saved nowhere."""
    user = signed_in_user(request)
    trace = get_trace_for_user(user, public_id)
    page = preview_page(trace=trace, user=user)
    # Without an address nothing can be sent.
    context = page_context(page, user, urls={}, opened="", is_preview=True)
    context |= {"section": "datasets", "previewed": trace}
    return render(request, "annotation/audit_page.html", context)


@never_cache
@ensure_csrf_cookie
@require_safe
@login_required
def guideline_example(request: HttpRequest, round_id: str, place: int) -> HttpResponse:
    """Show an example of a round's guideline as its raters see a trace; nothing is saved."""
    user = signed_in_user(request)
    trace, event, note = example_for_rater(user, round_id, place)
    page = preview_page(trace=trace, user=user)
    context = page_context(page, user, urls={}, opened="", is_preview=True, first_event=event)
    context |= {"section": "queue", "example_note": note}
    return render(request, "annotation/audit_page.html", context)
