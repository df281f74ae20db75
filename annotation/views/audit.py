"""The rater's pages: the queue, and one trace beside its reference."""

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_safe

from annotation.models import Assignment, User, Video
from annotation.permissions import signed_in_user
from annotation.selectors.audit import AuditPage, get_audit_page, next_assignment_id, queue_of
from annotation.views.videos import video_url


@require_safe
@login_required
def queue(request: HttpRequest) -> HttpResponse:
    campaigns = queue_of(signed_in_user(request))
    return render(
        request, "annotation/queue_page.html", {"campaigns": campaigns, "section": "queue"}
    )


@require_safe
@login_required
def next_trace(request: HttpRequest, public_id: str) -> HttpResponse:
    """Go on with a campaign: to its next open trace, or back to the queue at its end."""
    assignment_id = next_assignment_id(user=signed_in_user(request), campaign_id=public_id)
    return redirect("audit", assignment_id) if assignment_id else redirect("queue")


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
    context = {
        "page": page,
        "section": "queue",
        "metrics": page.rubric.to_dict()["metrics"],
        "payload": {**page.to_dict(), "account": user.pk, "urls": _urls(page)},
        "players": _players(page, user),
    }
    return render(request, "annotation/audit_page.html", context)


def _urls(page: AuditPage) -> dict[str, str]:
    assignment_id = page.assignment.public_id
    names = ("changes", "ratings", "submit", "reopen")
    return {
        **{name: reverse(f"api-assignment-{name}", args=[assignment_id]) for name in names},
        "next": reverse("next-trace", args=[page.assignment.campaign.public_id]),
    }


def _players(page: AuditPage, user: User) -> list[dict[str, object]]:
    """Return the sides that have a recording, in the order in which they stand."""
    sides: tuple[tuple[str, str, str, Video | None, object], ...] = (
        ("reference", "Reference", "no mistakes", page.reference_video, page.reference_strip),
        ("trace", "To rate", "mistakes and corrections marked", page.trace_video, page.trace_strip),
    )
    return [
        {
            "side": side,
            "title": title,
            "caption": caption,
            "url": video_url(video, user),
            "video": video,
            "segments": segments,
        }
        for side, title, caption, video, segments in sides
        if video is not None
    ]
