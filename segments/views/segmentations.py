"""The page on which somebody segments a recording."""

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_safe

from annotation.launch import launch_detail, launch_for_raters
from annotation.permissions import signed_in_user
from annotation.selectors.campaigns.protocol import consent_to_ask
from annotation.selectors.campaigns.reading import version_to_announce
from annotation.views.videos.players import Player
from segments.engine.model import without_defaults
from segments.models import Segmentation
from segments.services.pages import open_segments


@never_cache
@ensure_csrf_cookie
@require_safe
@login_required
def segments(request: HttpRequest, public_id: str) -> HttpResponse:
    user = signed_in_user(request)
    try:
        opened = open_segments(user, public_id)
    except Segmentation.DoesNotExist as error:
        raise Http404 from error
    page, round_ = opened.page, opened.page.segmentation.round
    if not round_.is_closed and consent_to_ask(user, round_.campaign):
        return redirect("consent", round_.public_id)
    if not round_.is_closed and version_to_announce(user, round_):
        return redirect("welcome", round_.public_id)
    players = []
    video, shown = page.media.video, page.media.shown
    if video:
        launch_for_raters([video])
        if page.media.is_due:
            launch_detail(video)
    if video and shown:
        address = opened.payload["media"]["url"]
        players.append(
            Player(
                side="trace",
                title="Recording",
                caption=page.title,
                url=address,
                pictures_url=address,
                video=video,
                media=shown,
                pieces=(),
            )
        )
    context = {
        "page": page,
        "payload": opened.payload | {"segments": without_defaults(opened.payload["segments"])},
        "players": players,
        "edges": (("start", "Start"), ("end", "End")),
        "section": "queue",
    }
    return render(request, "segments/segmentation.html", context)
