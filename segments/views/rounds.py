"""Pages of rounds of segments."""

from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import (
    require_GET,
    require_http_methods,
    require_POST,
    require_safe,
)

from annotation.engine.campaigns.allocation import AllocationResult
from annotation.engine.corpus.formats.errors import FormatError
from annotation.models import Round
from annotation.permissions import researcher_required, signed_in_user
from annotation.selectors.campaigns.campaigns import get_changeable_campaign, may_change_campaign
from annotation.selectors.corpus.blinding import (
    may_open,
    refuse_while_rating,
    why_figures_are_hidden,
)
from annotation.selectors.corpus.corpus import may_change_dataset
from annotation.selectors.corpus.pages import lacking_videos
from annotation.services.campaigns.rounds import ProtocolError, close_round
from annotation.services.corpus.uploads import UploadRefusedError, discard_upload
from annotation.views.records.errors import refusals_shown
from segments.forms.rounds import ProposalForm, SegmentRoundForm
from segments.models import SEGMENTS, SegmentSource, Stage
from segments.selectors.rounds import (
    causes_of,
    get_segment_round,
    next_segmentation_id,
    recordings_with_work,
    segment_round_of,
)
from segments.selectors.segmentations import scheme_of
from segments.services.proposals import (
    get_proposals,
    import_proposals,
    preview_proposals,
    store_proposals,
)
from segments.services.rounds import give_out_again, open_segment_round, plan_segment_round

SECTION = {"section": "campaigns"}
# The stages that can follow a stage, with the words of their links.
NEXT_ROUNDS = {
    Stage.LABEL: {
        Stage.REVIEW: "Have it reviewed",
        Stage.ADJUDICATE: "Decide between people",
        Stage.AUDIT: "Have it audited",
    },
    Stage.AUDIT: {Stage.CORRECT: "Correct what got a “no”"},
    Stage.CORRECT: {
        Stage.AUDIT: "Audit again, mixed with controls",
        Stage.REVIEW: "Have it reviewed",
    },
    Stage.REVIEW: {Stage.AUDIT: "Have it audited"},
    Stage.ADJUDICATE: {Stage.AUDIT: "Have it audited"},
}
SHOWN_RECORDINGS = 50


@researcher_required
@require_http_methods(["GET", "POST"])
def segment_round_new(request: HttpRequest, public_id: str) -> HttpResponse:
    user = signed_in_user(request)
    campaign = get_changeable_campaign(user, public_id, SEGMENTS)
    form = SegmentRoundForm(campaign, request.POST or None, initial=request.GET.dict())
    if request.method == "POST" and form.is_valid():
        try:
            planned, left_out = plan_segment_round(
                campaign=campaign, new=form.to_round(), actor=user
            )
        except ValidationError as error:
            form.add_error(None, error)
        except ProtocolError as error:
            form.add_error(None, str(error))
        else:
            messages.success(
                request, f"Round {planned.number} is planned. Look it over, then open it."
            )
            for words in left_out:
                messages.warning(request, words)
            return redirect("segment-round", public_id, planned.number)
    lacking = [(item, may_change_dataset(user, item)) for item in lacking_videos(campaign)]
    context = SECTION | {"campaign": campaign, "form": form, "lacking_videos": lacking}
    return render(request, "segments/round_new.html", context)


@researcher_required
@require_GET
def segment_round(request: HttpRequest, public_id: str, number: int) -> HttpResponse:
    user = signed_in_user(request)
    round_ = get_segment_round(user, public_id, number)
    hidden = why_figures_are_hidden(user, round_.campaign)
    may_change = may_change_campaign(user, round_.campaign) and not round_.campaign.is_closed
    recordings = None
    if not hidden:
        # People who work in the round must not learn which recordings are controls or whose.
        pages = Paginator(recordings_with_work(round_), SHOWN_RECORDINGS)
        recordings = pages.get_page(request.GET.get("page"))
    context = SECTION | {
        "campaign": round_.campaign,
        "round": round_,
        "segments": round_.segments,
        "scheme": scheme_of(round_),
        "recordings": recordings,
        "openable": {
            dataset.pk for dataset in round_.campaign.datasets.all() if may_open(user, dataset)
        },
        "next_rounds": _next_rounds(round_) if may_change and round_.opened_at else (),
        # As in `fill`: later recordings would stand out in an audit that was mixed with controls.
        "takes_more": round_.is_open
        and round_.segments.source_round is not None
        and not (
            round_.segments.stage == Stage.AUDIT
            and round_.segments.source_round.segments.stage == Stage.CORRECT
        ),
        "looks": () if hidden else round_.interim_looks.select_related("person"),
        "causes": causes_of(round_) if round_.segments.stage == Stage.ADJUDICATE else (),
        "hidden": hidden,
        "may_change": may_change,
        "awaits_file": round_.segments.source == SegmentSource.FILE
        and not (round_.opened_at or round_.recordings.exclude(proposal_source="").exists()),
    }
    return render(request, "segments/round_detail.html", context)


def _next_rounds(round_: Round) -> list[tuple[str, str]]:
    """Links that plan a round after this one: words and the query of the form."""
    scheme = scheme_of(round_)
    links = []
    for stage, words in NEXT_ROUNDS[Stage(round_.segments.stage)].items():
        if stage in (Stage.AUDIT, Stage.CORRECT) and not scheme.questions:
            continue
        if stage == Stage.ADJUDICATE and round_.overlap < 2:
            continue
        query = {
            "stage": stage.value,
            "scheme": scheme.name,
            "source": f"round-{round_.number}",
            "phase": round_.phase,
        }
        links.append((words, urlencode(query)))
    return links


@researcher_required
@require_POST
def segment_round_open(request: HttpRequest, public_id: str, number: int) -> HttpResponse:
    planned = _changeable_round(request, public_id, number)
    with refusals_shown(request):
        result = open_segment_round(planned=planned, actor=signed_in_user(request))
        _report_allocation(request, f"Round {number} is open", result)
    return redirect("segment-round", public_id, number)


@researcher_required
@require_POST
def segment_round_again(request: HttpRequest, public_id: str, number: int) -> HttpResponse:
    round_ = _changeable_round(request, public_id, number)
    with refusals_shown(request):
        result = give_out_again(round_=round_, actor=signed_in_user(request))
        _report_allocation(request, "Assigned", result)
    return redirect("segment-round", public_id, number)


@researcher_required
@require_POST
def segment_round_close(request: HttpRequest, public_id: str, number: int) -> HttpResponse:
    closing = _changeable_round(request, public_id, number)
    with refusals_shown(request):
        close_round(closing=closing, actor=signed_in_user(request))
        messages.success(request, f"Round {number} is closed. Its segments stay as they are.")
    return redirect("segment-round", public_id, number)


@researcher_required
@require_http_methods(["GET", "POST"])
def segment_proposals(request: HttpRequest, public_id: str, number: int) -> HttpResponse:
    user, round_ = signed_in_user(request), _readable_round(request, public_id, number)
    form = ProposalForm(request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        try:
            upload = store_proposals(
                user=user,
                round_=round_,
                files=form.cleaned_data["uploads"],
                request=form.to_request(),
            )
        except UploadRefusedError as error:
            form.add_error("uploads", str(error))
        else:
            return redirect("segment-proposals-preview", public_id, number, upload.upload_id)
    context = SECTION | {"campaign": round_.campaign, "round": round_, "form": form}
    return render(request, "segments/proposals.html", context)


@researcher_required
@require_http_methods(["GET", "POST"])
def segment_proposals_preview(
    request: HttpRequest, public_id: str, number: int, upload_id: str
) -> HttpResponse:
    """Show what the files would change; a POST imports them."""
    user, round_ = signed_in_user(request), _readable_round(request, public_id, number)
    upload = get_proposals(user=user, round_=round_, upload_id=upload_id)
    try:
        if request.method == "POST":
            report = import_proposals(
                round_=round_, paths=[upload.path], request=upload.request, actor=user
            )
            discard_upload(user=user, upload_id=upload_id)
            count = sum(item.segment_count for item in report.recordings)
            recordings = len(report.recordings)
            messages.success(request, f"{count:,} segments of {recordings:,} recordings are in.")
            return redirect("segment-round", public_id, number)
        preview = preview_proposals(upload=upload, round_=round_, user=user)
    except FormatError:
        messages.error(request, "Nothing was imported: see the problems below.")
        return redirect("segment-proposals-preview", public_id, number, upload_id)
    except ProtocolError as error:
        messages.error(request, str(error))
        return redirect("segment-round", public_id, number)
    reported = preview.outcome.recordings if preview.outcome else ()
    faulty = [item for item in reported if item.faults]
    context = SECTION | {
        "campaign": round_.campaign,
        "round": round_,
        "upload": upload,
        "preview": preview,
        "faulty": faulty[:SHOWN_RECORDINGS],
        "hidden_faulty_count": len(faulty[SHOWN_RECORDINGS:]),
    }
    return render(request, "segments/proposals_preview.html", context)


@require_safe
@login_required
def segments_next(request: HttpRequest, round_id: str) -> HttpResponse:
    """Go on to the user's next recording of the round, or to the queue after the last."""
    segmentation_id = next_segmentation_id(user=signed_in_user(request), round_id=round_id)
    return redirect("segments", segmentation_id) if segmentation_id else redirect("queue")


def _changeable_round(request: HttpRequest, public_id: str, number: int) -> Round:
    user = signed_in_user(request)
    campaign = get_changeable_campaign(user, public_id, SEGMENTS)
    return segment_round_of(campaign, number)


def _readable_round(request: HttpRequest, public_id: str, number: int) -> Round:
    """A round that the user may change and whose sources they may see."""
    round_ = _changeable_round(request, public_id, number)
    refuse_while_rating(signed_in_user(request), round_.campaign)
    return round_


def _report_allocation(request: HttpRequest, what: str, result: AllocationResult) -> None:
    count = result.added_count
    words = "1 recording is" if count == 1 else f"{count:,} recordings are"
    messages.success(request, f"{what}: {words} in the queues.")
    if result.short_trace_count:
        short = result.short_trace_count
        words = "1 recording lacks" if short == 1 else f"{short:,} recordings lack"
        messages.warning(
            request,
            f"{words} people: add people who have not worked on them yet.",
        )
