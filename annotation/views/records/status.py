"""The state of the site, for administrators."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from annotation import launch
from annotation.engine.counting import counted
from annotation.permissions import administrator_required, signed_in_user
from annotation.selectors.records.status import (
    advice,
    disks,
    failed_jobs,
    newest_backup,
    queue_lines,
    seen_processes,
    versions,
)
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
    processes, queue = seen_processes(), queue_lines()
    context = {
        "section": "status",
        "advice": advice(processes, queue, queue_answers=launch.queue_answers()),
        "processes": processes,
        "queue": queue,
        "table": read_table(request, FAILED, failed_jobs()),
        "disks": disks(),
        "backup": newest_backup(),
        "versions": versions(),
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
