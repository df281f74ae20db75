"""The state of the site, for administrators."""

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from annotation import launch
from annotation.engine.counting import counted
from annotation.forms.records.accounts import PlaceForm
from annotation.models import OpenedPlace
from annotation.permissions import administrator_required, signed_in_user
from annotation.selectors.records.status import (
    advice,
    backup_advice,
    disks,
    failed_jobs,
    newest_backup,
    queue_lines,
    seen_processes,
    versions,
)
from annotation.services.videos.linking import close_place, open_place
from annotation.tables import ListColumn, TableKind, read_table

FAILED = TableKind(
    "failed",
    (
        ListColumn("Kind", "kind"),
        ListColumn("What", "key"),
        ListColumn("Reason"),
        ListColumn("Attempts", "attempt", is_number=True),
        ListColumn("Failed", "finished_at"),
        ListColumn("Retry", is_hidden=True),
    ),
    searched=("kind", "key", "error"),
    rows_per_page=25,
)


@administrator_required
@require_GET
def status(request: HttpRequest) -> HttpResponse:
    processes, queue, backup = seen_processes(), queue_lines(), newest_backup()
    context = {
        "section": "status",
        "advice": advice(processes, queue, queue_answers=launch.queue_answers()),
        "backup_advice": backup_advice(backup),
        "processes": processes,
        "queue": queue,
        "table": read_table(request, FAILED, failed_jobs()),
        "disks": disks(),
        "backup": backup,
        "versions": versions(),
        "places": OpenedPlace.objects.all(),
        "lasting_places": settings.VIDEO_ROOTS,
        "place_form": PlaceForm(),
    }
    return render(request, "annotation/status_page.html", context)


@administrator_required
@require_POST
def status_retry(request: HttpRequest) -> HttpResponse:
    """Put one failed job, or all of them, back on the queue."""
    chosen = request.POST.get("job", "")
    rows = failed_jobs()
    if chosen:
        rows = rows.filter(public_id=chosen.replace("\x00", ""))
    count = launch.retry_jobs(
        job_ids=rows.values_list("pk", flat=True), actor=signed_in_user(request)
    )
    messages.success(request, f"{counted(count, 'job')} queued again.")
    return redirect("status")


@administrator_required
@require_POST
def place_open(request: HttpRequest) -> HttpResponse:
    """Let researchers link videos from a folder or storage prefix."""
    form = PlaceForm(request.POST)
    if not form.is_valid():
        messages.error(request, "Name a folder or a storage prefix.")
        return redirect("status")
    try:
        place = open_place(address=form.cleaned_data["address"], actor=signed_in_user(request))
        messages.success(request, f"Researchers may link videos from {place.address}.")
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
    return redirect("status")


@administrator_required
@require_POST
def place_close(request: HttpRequest) -> HttpResponse:
    """Take a place back; what is linked from it stays linked."""
    address = request.POST.get("address", "").replace("\x00", "")
    close_place(address=address, actor=signed_in_user(request))
    messages.success(request, f"Closed: {address}. What is linked from it stays linked.")
    return redirect("status")
