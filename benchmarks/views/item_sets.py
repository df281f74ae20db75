"""The pages of item sets: list, make, read, freeze, share, delete, download."""

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods, require_POST
from django_htmx.http import HttpResponseClientRedirect, HttpResponseClientRefresh

from annotation.permissions import researcher_required, signed_in_user
from annotation.selectors.corpus.blinding import why_some_are_hidden
from annotation.tables import ListColumn, TableKind, read_table
from annotation.views.records.errors import refusals_shown
from benchmarks import launch
from benchmarks.engine.registry import tasks
from benchmarks.engine.training_files import PLAIN_FILES
from benchmarks.forms.item_sets import (
    ItemSetForm,
    LeaveOutForm,
    ReferenceReviewForm,
    ReferenceWritingForm,
    TrainingFilesForm,
)
from benchmarks.forms.questions import BudgetForm
from benchmarks.responses import download_response, table_response
from benchmarks.selectors.item_sets import (
    get_changeable_item_set,
    get_item_set_for_user,
    get_unfinished_item_set_for_user,
    state_of_set,
    summaries,
    visible_item_sets,
)
from benchmarks.selectors.tables import table_of
from benchmarks.services.item_sets import cancel_item_set, share_item_set
from benchmarks.services.reference_reviews import start_reference_review
from benchmarks.views.set_page import group_of, set_page, state_of_page

SETS = TableKind(
    "sets",
    (
        ListColumn("Item set", "name"),
        ListColumn("Task", "task"),
        ListColumn("Made of", "source"),
        ListColumn("Items", "item_count", is_number=True),
        ListColumn("Participants", is_number=True),
        ListColumn("Owner", "owner__username"),
        ListColumn("Made", "created_at"),
    ),
    searched=("name", "task", "source", "owner__username"),
    rows_per_page=30,
)


@researcher_required
@require_GET
def set_list(request: HttpRequest) -> HttpResponse:
    user = signed_in_user(request)
    table = read_table(request, SETS, visible_item_sets(user).select_related("owner", "job"))
    rows = list(table.page.object_list)
    summary_of, names = summaries(rows), {name: task.title for name, task in tasks().items()}
    lines = [
        (row, state_of_set(row), names.get(row.task, row.task), summary_of[row.pk]) for row in rows
    ]
    context = {"table": table, "lines": lines, "tasks": tasks().values()}
    context["hidden"] = why_some_are_hidden(user)
    return render(request, "benchmarks/item_set_list.html", {"section": "benchmarks", **context})


@researcher_required
@require_http_methods(["GET", "POST"])
def set_new(request: HttpRequest, task: str) -> HttpResponse:
    """Show the form of a task, or make the item set."""
    if task not in tasks():
        raise Http404
    user = signed_in_user(request)
    form = ItemSetForm(
        request.POST or None, user=user, task=tasks()[task], initial=request.GET.dict()
    )
    if request.method == "POST" and form.is_valid():
        try:
            item_set = launch.launch_item_set(request=form.to_request(), actor=user)
        except ValidationError as error:
            form.add_error(None, ValidationError(error.messages))
        else:
            return redirect("item-set", item_set.public_id)
    context = {"section": "benchmarks", "form": form, "task": tasks()[task]}
    return render(request, "benchmarks/item_set_new.html", context)


@researcher_required
@require_GET
def set_detail(request: HttpRequest, public_id: str) -> HttpResponse:
    user = signed_in_user(request)
    item_set = get_unfinished_item_set_for_user(user, public_id)
    if item_set.is_made:
        return set_page(request, item_set)
    context = {"section": "benchmarks", "item_set": item_set, **state_of_page(user, item_set)}
    return render(request, "benchmarks/item_set_unmade.html", context)


@researcher_required
@require_GET
def set_progress(request: HttpRequest, public_id: str) -> HttpResponse:
    """How far the job of a set is; once it has ended, the whole page is loaded anew."""
    user = signed_in_user(request)
    try:
        item_set = get_unfinished_item_set_for_user(user, public_id)
    except Http404:
        if "HX-Request" not in request.headers:
            raise
        # The page is open of a set that is deleted by now.
        return HttpResponseClientRedirect(reverse("item-sets"))
    state = state_of_page(user, item_set)
    if state["progress"] is None or not state["progress"].is_at_work:
        return HttpResponseClientRefresh()
    return render(request, "benchmarks/_set_progress.html", {"item_set": item_set, **state})


@researcher_required
@require_POST
def set_freeze(request: HttpRequest, public_id: str) -> HttpResponse:
    user = signed_in_user(request)
    item_set = get_changeable_item_set(user, public_id)
    with refusals_shown(request):
        only_audit = "only_audit" in request.POST
        launch.launch_freeze(item_set=item_set, actor=user, only_audit=only_audit)
    return redirect("item-set", public_id)


@researcher_required
@require_POST
def set_leave_out(request: HttpRequest, public_id: str) -> HttpResponse:
    user = signed_in_user(request)
    item_set = get_changeable_item_set(user, public_id)
    form = LeaveOutForm(request.POST)
    if form.is_valid():
        with refusals_shown(request):
            launch.launch_leaving_out(item_set=item_set, actor=user, **form.cleaned_data)
    else:
        messages.error(request, "Choose what to leave out.")
    return redirect("item-set", public_id)


@researcher_required
@require_POST
def set_references(request: HttpRequest, public_id: str) -> HttpResponse:
    """Have people review the right words of a set; the freeze takes what they decide."""
    user = signed_in_user(request)
    item_set = get_changeable_item_set(user, public_id)
    form = ReferenceReviewForm(request.POST)
    if not form.is_valid():
        messages.error(request, "Give the review a name of at most 200 characters.")
        return redirect("item-set", public_id)
    with refusals_shown(request):
        round_ = start_reference_review(item_set=item_set, actor=user, **form.cleaned_data)
        return redirect("campaign-detail", round_.campaign.public_id)
    return redirect("item-set", public_id)


@researcher_required
@require_POST
def set_writing(request: HttpRequest, public_id: str) -> HttpResponse:
    """Have a text model write the right words of a set in place of the templates."""
    user = signed_in_user(request)
    item_set = get_changeable_item_set(user, public_id)
    form = ReferenceWritingForm(request.POST, user=user)
    if form.is_valid():
        with refusals_shown(request):
            launch.launch_reference_writing(item_set=item_set, actor=user, **form.cleaned_data)
    else:
        messages.error(request, "Choose a text model, and a budget of dollars or none.")
    return redirect("item-set", public_id)


@researcher_required
@require_POST
def set_cancel(request: HttpRequest, public_id: str) -> HttpResponse:
    user = signed_in_user(request)
    cancel_item_set(item_set=get_changeable_item_set(user, public_id), actor=user)
    return redirect("item-set", public_id)


@researcher_required
@require_POST
def set_resume(request: HttpRequest, public_id: str) -> HttpResponse:
    user = signed_in_user(request)
    item_set, form = get_changeable_item_set(user, public_id), BudgetForm(request.POST)
    if form.is_valid():
        launch.resume_item_set(item_set=item_set, actor=user, **form.cleaned_data)
    else:
        messages.error(request, "The budget is a number of dollars above 0.")
    return redirect("item-set", public_id)


@researcher_required
@require_POST
def set_share(request: HttpRequest, public_id: str) -> HttpResponse:
    user = signed_in_user(request)
    is_shared = request.POST.get("is_shared") == "yes"
    item_set = get_changeable_item_set(user, public_id)
    share_item_set(item_set=item_set, is_shared=is_shared, actor=user)
    return redirect("item-set", public_id)


@researcher_required
@require_POST
def set_delete(request: HttpRequest, public_id: str) -> HttpResponse:
    user = signed_in_user(request)
    with refusals_shown(request):
        launch.launch_deletion(item_set=get_changeable_item_set(user, public_id), actor=user)
        return redirect("item-sets")
    return redirect("item-set", public_id)


@researcher_required
@require_GET
def set_download(request: HttpRequest, public_id: str, which: str) -> HttpResponseBase:
    user = signed_in_user(request)
    item_set = get_item_set_for_user(user, public_id)
    form = TrainingFilesForm(request.GET)
    options = form.to_options() if form.is_valid() else PLAIN_FILES
    with refusals_shown(request):
        return download_response(user, item_set, which, options)
    return redirect("item-set", public_id)


@researcher_required
@require_GET
def set_table(request: HttpRequest, public_id: str, form: str) -> HttpResponse:
    item_set = get_item_set_for_user(signed_in_user(request), public_id)
    group, value = group_of(request)
    table = table_of(item_set, group=group, group_value=value)
    return table_response(table, form, f"{item_set.task}-{item_set.content_hash[:12]}")
