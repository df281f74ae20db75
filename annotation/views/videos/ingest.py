"""The ingestion of a data set's recordings: how far it is, start it, cancel it."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from annotation.engine.counting import counted
from annotation.launch import launch_ingest
from annotation.permissions import researcher_required, signed_in_user
from annotation.selectors.corpus import corpus
from annotation.selectors.videos.ingest import ingest_report
from annotation.services.videos.ingest import cancel_ingest


@researcher_required
@require_http_methods(["GET", "POST"])
def dataset_ingest(request: HttpRequest, public_id: str) -> HttpResponse:
    """Show how far it is, asked for while it goes on; with POST, queue what is missing."""
    user = signed_in_user(request)
    if request.method == "POST":
        dataset = corpus.get_changeable_dataset(user, public_id)
        count = launch_ingest(dataset=dataset, actor=user)
        messages.success(request, f"{counted(count, 'recording')} queued.")
        return redirect(f"{reverse('dataset-detail', args=[public_id])}#videos")
    dataset = corpus.get_dataset_for_user(user, public_id)
    context = {
        "dataset": dataset,
        "ingest": ingest_report(dataset),
        "may_change": corpus.may_change_dataset(user, dataset),
    }
    return render(request, "annotation/_ingest.html", context)


@researcher_required
@require_POST
def dataset_ingest_cancel(request: HttpRequest, public_id: str) -> HttpResponse:
    user = signed_in_user(request)
    dataset = corpus.get_changeable_dataset(user, public_id)
    count = cancel_ingest(dataset=dataset, actor=user)
    messages.success(request, f"{counted(count, 'recording')} cancelled.")
    return redirect(f"{reverse('dataset-detail', args=[public_id])}#videos")
