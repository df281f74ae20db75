"""The pages of step proposals: list, start, progress, result with its timeline, audit."""

from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST
from django_htmx.http import HttpResponseClientRefresh

from annotation.permissions import researcher_required, signed_in_user
from annotation.selectors.corpus.blinding import why_some_are_hidden
from annotation.tables import ListColumn, TableKind, read_table
from annotation.views.records.errors import refusals_shown
from benchmarks import launch
from benchmarks.forms.proposals import AuditForm, ProposalsForm
from benchmarks.forms.questions import BudgetForm
from benchmarks.models import StepProposals
from benchmarks.selectors.proposals import (
    edge_figures,
    get_proposals_for_user,
    get_recording_of,
    how_given,
    is_left_out,
    lanes_of,
    progress_of_proposals,
    stages_of,
    state_of_proposals,
    texts_of,
    visible_proposals,
)
from benchmarks.selectors.walk_pages import ticks_of
from benchmarks.services.proposals import cancel_proposals, delete_proposals, start_audit

PROPOSALS = TableKind(
    "proposals",
    (
        ListColumn("Proposals", "name"),
        ListColumn("Data set", "dataset__name"),
        ListColumn("Features", "features_name"),
        ListColumn("Captions by", "describer_name"),
        ListColumn("Recordings", "recording_count", is_number=True),
        ListColumn("Made", "created_at"),
    ),
    searched=("name", "dataset__name", "features_name"),
    rows_per_page=30,
)
RECORDINGS = TableKind(
    "recordings",
    (ListColumn("Recording", "key"), ListColumn("Stage"), ListColumn("Steps", is_number=True),
     ListColumn("Median edge error (s)", is_number=True)),
    searched=("key",),
    rows_per_page=30,
)  # fmt: skip


@researcher_required
@require_GET
def proposals_list(request: HttpRequest) -> HttpResponse:
    user = signed_in_user(request)
    rows = visible_proposals(user).select_related("dataset", "job")
    rows = rows.annotate(recording_count=Count("recordings")).order_by("-pk")
    table = read_table(request, PROPOSALS, rows)
    context = {
        "section": "benchmarks",
        "table": table,
        "lines": [(row, state_of_proposals(row)) for row in table.page.object_list],
        "hidden": why_some_are_hidden(user),
    }
    return render(request, "benchmarks/proposals_list.html", context)


@researcher_required
@require_http_methods(["GET", "POST"])
def proposals_new(request: HttpRequest) -> HttpResponse:
    user = signed_in_user(request)
    form = ProposalsForm(request.POST or None, user=user, initial=request.GET.dict())
    if request.method == "POST" and form.is_valid():
        try:
            proposals = launch.launch_proposals(request=form.to_request(), actor=user)
        except ValidationError as error:
            form.add_error(None, ValidationError(error.messages))
        else:
            return redirect("proposals", proposals.public_id)
    context = {"section": "benchmarks", "form": form}
    return render(request, "benchmarks/proposals_new.html", context)


def _state(proposals: StepProposals) -> dict[str, Any]:
    return {
        "section": "benchmarks",
        "proposals": proposals,
        "state": state_of_proposals(proposals),
        "progress": progress_of_proposals(proposals),
    }


@researcher_required
@require_GET
def proposals_detail(request: HttpRequest, public_id: str) -> HttpResponse:
    proposals = get_proposals_for_user(signed_in_user(request), public_id)
    recordings = proposals.recordings.order_by("position")
    table = read_table(request, RECORDINGS, recordings)
    stages = stages_of(proposals)
    lines = [
        (row, next((one for one in stages if one not in row.stages), None), is_left_out(row))
        for row in table.page.object_list
    ]
    context = {
        **_state(proposals),
        "table": table,
        "lines": lines,
        "figures": edge_figures(list(recordings)) if proposals.is_finished else [],
        "how": how_given(proposals),
        "budget_form": BudgetForm(),
        "audit_form": AuditForm(initial={"name": f"Steps of {proposals.dataset.name}"}),
    }
    return render(request, "benchmarks/proposals.html", context)


@researcher_required
@require_GET
def proposals_progress(request: HttpRequest, public_id: str) -> HttpResponse:
    """How far the job is; once it has ended, the whole page is loaded anew."""
    proposals = get_proposals_for_user(signed_in_user(request), public_id)
    state = _state(proposals)
    if state["progress"] is None or not state["progress"].is_at_work:
        return HttpResponseClientRefresh()
    return render(request, "benchmarks/_proposals_progress.html", state)


@researcher_required
@require_GET
def proposals_recording(request: HttpRequest, public_id: str, number: int) -> HttpResponse:
    """What each stage made of one recording, on its clock."""
    proposals = get_proposals_for_user(signed_in_user(request), public_id)
    row = get_recording_of(proposals, number)
    texts = texts_of(row)
    lanes, length_s = lanes_of(row, texts)
    steps = [
        (step, None if step["place"] is None else step["place"] + 1,
         "" if step["place"] is None else texts[step["place"]])
        for step in row.steps
    ]  # fmt: skip
    context = {
        **_state(proposals),
        "row": row,
        "stages": [(stage, stage in row.stages) for stage in stages_of(proposals)],
        "claims": {"rows": lanes} if lanes else None,
        "length_s": length_s,
        "ticks": ticks_of(length_s),
        "steps": steps,
        "figures": edge_figures([row]),
        "how": how_given(proposals),
        "is_left_out": is_left_out(row),
        "previous": row.position,
        "next": row.position + 2 if row.position + 1 < proposals.recordings.count() else None,
    }
    return render(request, "benchmarks/proposed_recording.html", context)


@researcher_required
@require_POST
def proposals_audit(request: HttpRequest, public_id: str) -> HttpResponse:
    user = signed_in_user(request)
    proposals = get_proposals_for_user(user, public_id)
    form = AuditForm(request.POST)
    if not form.is_valid():
        messages.error(request, "Give the campaign a name of at most 200 characters.")
        return redirect("proposals", public_id)
    with refusals_shown(request):
        round_, report = start_audit(
            proposals=proposals, name=form.cleaned_data["name"], actor=user
        )
        count = len(report.recordings)
        words = "1 recording is" if count == 1 else f"{count:,} recordings are"
        messages.success(request, f"{words} in the round. Add people, then open it.")
        return redirect("campaign-detail", round_.campaign.public_id)
    return redirect("proposals", public_id)


@researcher_required
@require_POST
def proposals_cancel(request: HttpRequest, public_id: str) -> HttpResponse:
    user = signed_in_user(request)
    cancel_proposals(proposals=get_proposals_for_user(user, public_id), actor=user)
    return redirect("proposals", public_id)


@researcher_required
@require_POST
def proposals_resume(request: HttpRequest, public_id: str) -> HttpResponse:
    user = signed_in_user(request)
    proposals = get_proposals_for_user(user, public_id)
    form = BudgetForm(request.POST)
    if form.is_valid():
        launch.resume_proposals(proposals=proposals, actor=user, **form.cleaned_data)
    else:
        messages.error(request, "The budget is a number of dollars above 0.")
    return redirect("proposals", public_id)


@researcher_required
@require_POST
def proposals_delete(request: HttpRequest, public_id: str) -> HttpResponse:
    user = signed_in_user(request)
    with refusals_shown(request):
        delete_proposals(proposals=get_proposals_for_user(user, public_id), actor=user)
        return redirect("proposals-list")
    return redirect("proposals", public_id)
