"""The recordings of a data set: upload their files, see how far their ingestion is, cancel it."""

from collections.abc import Iterable

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods, require_POST

from annotation.backends.video_uploads import VideoUploadHandler
from annotation.engine.counting import counted
from annotation.launch import launch_ingest
from annotation.models import Dataset
from annotation.permissions import researcher_required, signed_in_user
from annotation.selectors.corpus import corpus
from annotation.selectors.videos.ingest import ingest_report
from annotation.services.videos.ingest import cancel_ingest
from annotation.services.videos.uploading import UploadNote, sent_videos, upload_videos

SHOWN_NOTES = 8


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


# The body is not read, and nothing of it kept, before it is known who sends it; then the token of
# the form is checked as everywhere.
@csrf_exempt
@researcher_required
@require_POST
def dataset_upload(request: HttpRequest, public_id: str) -> HttpResponse:
    """Take in the files of recordings without a video; those that cannot be used are named."""
    dataset = corpus.get_changeable_dataset(signed_in_user(request), public_id)
    handler = VideoUploadHandler(request)
    request.upload_handlers = [handler]
    return _take_in(request, dataset, handler)


@csrf_protect
def _take_in(request: HttpRequest, dataset: Dataset, handler: VideoUploadHandler) -> HttpResponse:
    user = signed_in_user(request)
    files, stems = request.FILES.getlist("files"), request.POST.getlist("recording")
    sent = sent_videos(files, stems, handler.places)
    report = upload_videos(dataset=dataset, sent=sent, actor=user)
    launch_ingest(dataset=dataset, actor=user, videos=report.videos)
    if report.videos:
        messages.success(request, f"{counted(len(report.videos), 'recording')} uploaded.")
    refused = [UploadNote(*item) for item in handler.refused] + [*report.refused]
    _note(messages.ERROR, request, refused)
    _note(messages.WARNING, request, report.warnings)
    if not report.videos and not refused:
        messages.error(request, "No file was chosen.")
    address = f"{reverse('dataset-detail', args=[dataset.public_id])}#videos"
    # The page's own script shows how much is sent, and goes there itself.
    if request.get_preferred_type(["text/html", "application/json"]) == "application/json":
        return JsonResponse({"address": address})
    return redirect(address)


def _note(level: int, request: HttpRequest, notes: Iterable[UploadNote]) -> None:
    said = [f"{note.file}: {note.message}." for note in notes]
    for words in said[:SHOWN_NOTES]:
        messages.add_message(request, level, words)
    if len(said) > SHOWN_NOTES:
        messages.add_message(request, level, f"{len(said) - SHOWN_NOTES} more files likewise.")
