"""The page on which somebody reads a text and gives a verdict."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from annotation.launch import launch_for_raters
from annotation.permissions import signed_in_user
from annotation.selectors.campaigns.protocol import consent_to_ask
from annotation.selectors.campaigns.reading import version_to_announce
from annotation.services.videos.tokens import video_url
from annotation.views.records.errors import refusals_shown
from texts.forms.verdicts import VerdictForm
from texts.models import TextVerdict
from texts.selectors.pages import TextPage, text_page
from texts.services.verdicts import (
    ConsentMissingError,
    InvalidVerdictError,
    StaleVerdictError,
    VerdictClosedError,
    answer_blind,
    begin,
    give_verdict,
)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def text(request: HttpRequest, public_id: str) -> HttpResponse:
    """Show one text; a POST gives the verdict and goes on to the next."""
    if request.method == "POST":
        return _saved(request, public_id)
    user = signed_in_user(request)
    page = _page(request, public_id)
    round_ = page.own.round
    if not round_.is_closed and consent_to_ask(user, round_.campaign):
        return redirect("consent", round_.public_id)
    if not round_.is_closed and version_to_announce(user, round_):
        return redirect("welcome", round_.public_id)
    if page.own.started_at is None:
        begin(public_id=public_id, actor=user)
    return _shown(request, page, VerdictForm(initial=VerdictForm.stored(page)))


def _saved(request: HttpRequest, public_id: str) -> HttpResponse:
    """Give the verdict and go on; where it is refused, the page with all that was sent."""
    user, form = signed_in_user(request), VerdictForm(request.POST)
    theirs, status = None, 400
    if form.is_valid():
        try:
            own = give_verdict(public_id=public_id, sent=form.to_verdict(), actor=user)
            return redirect("text-next", own.round.public_id)
        except TextVerdict.DoesNotExist as error:
            raise Http404 from error
        except InvalidVerdictError as error:
            form.add_error(error.field if error.field in form.fields else None, str(error))
        except StaleVerdictError as error:
            theirs, status = error.theirs, 409
        except ConsentMissingError as error:
            return redirect("consent", error.round.public_id)
        except VerdictClosedError as error:
            form.add_error(None, str(error))
            status = 409
    return _shown(request, _page(request, public_id), form, theirs=theirs, status=status)


def _page(request: HttpRequest, public_id: str) -> TextPage:
    try:
        return text_page(signed_in_user(request), public_id)
    except TextVerdict.DoesNotExist as error:
        raise Http404 from error


def _shown(
    request: HttpRequest,
    page: TextPage,
    form: VerdictForm,
    *,
    theirs: TextVerdict | None = None,
    status: int = 200,
) -> HttpResponse:
    user = signed_in_user(request)
    video = page.own.item.recorded.video
    if video:
        launch_for_raters([video])
    values = form.data if form.is_bound else form.initial
    words, reasons = page.vocabulary.in_words, form["reasons"].value() or []
    context = {
        "section": "queue",
        "page": page,
        "own": page.own,
        "item": page.own.item,
        "form": form,
        "values": values,
        "reasons": reasons,
        "theirs": theirs,
        "here": words(values.get("verdict", ""), reasons),
        "there": words(theirs.verdict, theirs.reasons) if theirs else "",
        # What the next save goes on from: after a conflict, what the other page stored.
        "revision": theirs.revision if theirs else values.get("revision", 0),
        "video_address": video_url(video, user) if video and page.media else "",
    }
    return render(request, "texts/text.html", context, status=status)


@require_POST
@login_required
def text_answer(request: HttpRequest, public_id: str) -> HttpResponse:
    """Store what the person answers before the answer is shown."""
    page = _page(request, public_id)
    try:
        with refusals_shown(request):
            answer_blind(
                public_id=public_id,
                answer=request.POST.get("blind_answer", ""),
                actor=signed_in_user(request),
            )
    except InvalidVerdictError as error:
        messages.error(request, str(error))
    return redirect("text", page.own.public_id)
