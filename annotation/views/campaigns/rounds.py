"""The pages of a campaign's protocol: rounds and versions of the guideline."""

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.engine.campaigns.guideline import GuidelineError
from annotation.engine.campaigns.trace_choice import TraceChoice
from annotation.engine.counting import counted
from annotation.forms.campaigns.rounds import RoundForm
from annotation.models import Round
from annotation.page_links import steps_of_round
from annotation.permissions import researcher_required, signed_in_user
from annotation.selectors.campaigns.campaigns import (
    get_campaign_for_user,
    get_changeable_campaign,
    may_change_campaign,
)
from annotation.selectors.campaigns.rounds import (
    get_round_for_user,
    get_version_for_user,
    must_freeze_first,
    round_of,
    rounds_with_progress,
    traces_by_dataset,
    versions_of,
)
from annotation.selectors.corpus.blinding import why_figures_are_hidden
from annotation.selectors.figures.audit_plans import meeting_table
from annotation.selectors.ratings.drawing import traces_of_round
from annotation.selectors.ratings.reading import RoundSize, size_of_round
from annotation.services.campaigns.guidelines import FrozenGuidelineError, edit_version, new_version
from annotation.services.campaigns.rounds import ProtocolError, close_round
from annotation.services.ratings.rounds import (
    freeze_protocol,
    open_round,
    plan_round,
    release_campaign,
)
from annotation.tables import Filter, ListColumn, TableKind, read_table
from annotation.views.records.errors import refusals_shown

SECTION = {"section": "campaigns"}
TRACES = TableKind(
    "traces",
    (
        ListColumn("Trace", "name"),
        ListColumn("Data set", "dataset__name"),
        ListColumn("Scenario", "take__scenario"),
        ListColumn("Mistakes", "mistake_count", is_number=True),
        ListColumn("Corrections", "correction_count", is_number=True),
        ListColumn("Video", "video__duration_s"),
        ListColumn("Takes a rater"),
    ),
    searched=("name", "uid", "take__scenario", "dataset__name"),
    filters=(
        Filter(
            "video",
            "Video",
            {
                "yes": ("with a video", Q(video__isnull=False, has_placeholders=False)),
                "no": ("without one", Q(video__isnull=True) | Q(has_placeholders=True)),
            },
        ),
    ),
    rows_per_page=25,
)


@researcher_required
@require_http_methods(["GET", "POST"])
def round_new(request: HttpRequest, public_id: str) -> HttpResponse:
    """Plan a round; raters see nothing of it before it is opened on its own page."""
    user = signed_in_user(request)
    campaign = get_changeable_campaign(user, public_id)
    form = RoundForm(campaign, request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            planned = plan_round(campaign=campaign, new=form.to_round(), actor=user)
        except (ValidationError, GuidelineError, ProtocolError) as error:
            form.add_error(None, error if isinstance(error, ValidationError) else str(error))
        else:
            messages.success(
                request, f"Round {planned.number} is planned. Look it over, then open it."
            )
            return redirect("round-detail", public_id, planned.number)
    hidden = why_figures_are_hidden(user, campaign)
    context = SECTION | {"campaign": campaign, "form": form, "hidden": hidden}
    return render(request, "annotation/round_new.html", context)


@researcher_required
@require_GET
def round_detail(request: HttpRequest, public_id: str, number: int) -> HttpResponse:
    user = signed_in_user(request)
    round_ = get_round_for_user(user, public_id, number)
    counted = rounds_with_progress(round_.campaign).get(pk=round_.pk)
    hidden = why_figures_are_hidden(user, round_.campaign)
    may_change = may_change_campaign(user, round_.campaign)
    size = None if counted.opened_at or hidden or not may_change else size_of_round(counted)
    context = {
        **SECTION,
        **({} if size is None else _planned_traces(request, counted, size)),
        "campaign": round_.campaign,
        "round": counted,
        "drawn": TraceChoice.from_dict(counted.ratings.drawn_from),
        "datasets": () if hidden else traces_by_dataset(counted),
        "hidden": hidden,
        "meeting": meeting_table(counted),
        "may_change": may_change,
        "must_freeze": must_freeze_first(counted, round_.campaign),
        "size": size,
        "steps": steps_of_round(round_) if may_change and not hidden else [],
    }
    return render(request, "annotation/round_detail.html", context)


def _planned_traces(request: HttpRequest, planned: Round, size: RoundSize) -> dict[str, object]:
    """What opening a round would give out, trace by trace, with how long each takes a rater."""
    table = read_table(request, TRACES, traces_of_round(planned), size.trace_count)
    lines = [
        (trace, size.time_of(trace.mistake_count + trace.correction_count)) for trace in table.page
    ]
    return {"table": table, "lines": lines}


@researcher_required
@require_POST
def round_open(request: HttpRequest, public_id: str, number: int) -> HttpResponse:
    planned = _changeable_round(request, public_id, number)
    with refusals_shown(request):
        result = open_round(planned=planned, actor=signed_in_user(request))
        messages.success(
            request,
            f"Round {number} is open: {counted(result.added_count, 'trace')} put into the queues.",
        )
        if result.short_trace_count:
            short = counted(result.short_trace_count, "trace")
            messages.warning(request, f"Too few raters for {short}: add more people.")
    return redirect("round-detail", public_id, number)


@researcher_required
@require_POST
def round_close(request: HttpRequest, public_id: str, number: int) -> HttpResponse:
    closing = _changeable_round(request, public_id, number)
    with refusals_shown(request):
        close_round(closing=closing, actor=signed_in_user(request))
        messages.success(request, f"Round {number} is closed. Its ratings stay as they are.")
    return redirect("round-detail", public_id, number)


def _changeable_round(request: HttpRequest, public_id: str, number: int) -> Round:
    campaign = get_changeable_campaign(signed_in_user(request), public_id)
    return round_of(campaign, number)


@researcher_required
@require_POST
def campaign_freeze(request: HttpRequest, public_id: str) -> HttpResponse:
    user = signed_in_user(request)
    campaign = get_changeable_campaign(user, public_id)
    number = request.POST.get("guideline", "")
    version = get_object_or_404(
        campaign.guideline_versions, number=int(number) if number.isdecimal() else 0
    )
    with refusals_shown(request):
        freeze_protocol(campaign=campaign, guideline=version, actor=user)
        messages.success(
            request, f"Version {version.name} is frozen. Plan the main round and open it."
        )
    return redirect("campaign-detail", public_id)


@researcher_required
@require_POST
def campaign_release(request: HttpRequest, public_id: str) -> HttpResponse:
    user = signed_in_user(request)
    campaign = get_changeable_campaign(user, public_id)
    with refusals_shown(request):
        release_campaign(campaign=campaign, actor=user)
        messages.success(request, f"{campaign.name} is released: no round can follow.")
    return redirect("campaign-detail", public_id)


@researcher_required
@require_GET
def guideline_list(request: HttpRequest, public_id: str) -> HttpResponse:
    user = signed_in_user(request)
    campaign = get_campaign_for_user(user, public_id, kind=None)
    context = SECTION | {
        "campaign": campaign,
        "versions": versions_of(campaign),
        "hidden": why_figures_are_hidden(user, campaign),
        "may_change": may_change_campaign(user, campaign),
    }
    return render(request, "annotation/guideline_list.html", context)


@researcher_required
@require_GET
def guideline_detail(request: HttpRequest, public_id: str, number: int) -> HttpResponse:
    """A version: its differences from the one before, then its whole text."""
    user = signed_in_user(request)
    version = get_version_for_user(user, public_id, number)
    page = version.round_kind.guideline_page(version)
    context = {
        **SECTION,
        "campaign": version.campaign,
        "version": version,
        "before": version.parent,
        "hidden": why_figures_are_hidden(user, version.campaign),
        "may_change": may_change_campaign(user, version.campaign),
        **page.context,
    }
    return render(request, page.template, context)


@researcher_required
@require_POST
def guideline_new(request: HttpRequest, public_id: str, number: int) -> HttpResponse:
    """Make a draft from a version and open it for writing."""
    user = signed_in_user(request)
    campaign = get_changeable_campaign(user, public_id, kind=None)
    parent = get_object_or_404(campaign.guideline_versions, number=number)
    draft = new_version(campaign=campaign, parent=parent, actor=user)
    return redirect("guideline-edit", public_id, draft.number)


@researcher_required
@require_http_methods(["GET", "POST"])
def guideline_edit(request: HttpRequest, public_id: str, number: int) -> HttpResponse:
    user = signed_in_user(request)
    campaign = get_changeable_campaign(user, public_id, kind=None)
    version = get_object_or_404(campaign.guideline_versions, number=number)
    if version.is_frozen and request.method == "GET":
        messages.error(request, f"Version {version.name} is frozen. Make a new version of it.")
        return redirect("guideline-detail", public_id, number)
    form, template = version.round_kind.guideline_form(version, request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            edit_version(
                version=version,
                actor=user,
                text=form.to_text(),
                examples=form.to_examples(),
                changes=form.cleaned_data["changes"],
            )
        except (GuidelineError, FrozenGuidelineError) as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, f"Version {version.name} is saved.")
            return redirect("guideline-detail", public_id, number)
    hidden = why_figures_are_hidden(user, campaign)
    context = SECTION | {"campaign": campaign, "version": version, "form": form, "hidden": hidden}
    return render(request, template, context)
