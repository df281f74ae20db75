"""The pages of the corpus: data sets, import with a preview, takes, traces and their references."""

from collections.abc import Iterable
from dataclasses import replace

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.engine.corpus.formats.errors import FormatError
from annotation.engine.corpus.formats.registry import available_formats
from annotation.engine.counting import counted
from annotation.forms.corpus.datasets import ImportForm, VideoFolderForm, video_folder_form
from annotation.launch import launch_ingest
from annotation.models import Dataset
from annotation.page_links import PageLink, makers_of, origin_of, parts_about, readings_of, steps_of
from annotation.permissions import researcher_required, signed_in_user
from annotation.selectors.corpus import corpus, pages
from annotation.selectors.corpus.blinding import why_some_are_hidden
from annotation.selectors.videos.files import opened_places
from annotation.selectors.videos.ingest import ingest_report
from annotation.selectors.videos.uploads import OpenRecording, open_recordings
from annotation.services.corpus.datasets import delete_dataset, share_dataset
from annotation.services.corpus.import_plan import ImportRefusedError
from annotation.services.corpus.import_preview import confirm_upload, preview_upload
from annotation.services.corpus.uploads import (
    UploadRefusedError,
    UploadRequest,
    change_request,
    discard_upload,
    get_upload,
    store_upload,
)
from annotation.services.videos.linking import VideoLinkError, link_videos, may_link_videos
from annotation.tables import Filter, ListColumn, PagedTable, TableKind, read_table
from annotation.views.records.errors import refusals_shown

SHOWN_REFUSALS = 8
DATASETS = TableKind(
    "datasets",
    (
        ListColumn("Name", "name"),
        ListColumn("Format", "format"),
        ListColumn("Takes", "take_count", is_number=True),
        ListColumn("Traces", "trace_count", is_number=True),
        ListColumn("Events", "event_count", is_number=True),
        ListColumn("Videos", "video_count", is_number=True),
        ListColumn("Owner", "owner__username"),
        ListColumn("Imported", "created_at"),
    ),
    searched=("name", "format", "owner__username"),
)
BY_VIDEO = Filter(
    "video",
    "Video",
    {
        "linked": ("linked", Q(video__isnull=False)),
        "missing": ("not linked", Q(video__isnull=True) & ~Q(video_stem="")),
        "none": ("no recording", Q(video_stem="")),
    },
)
TRACE_COLUMNS = (
    ListColumn("Trace", "name"),
    ListColumn("Scenario", "take__scenario"),
    ListColumn("Reference", "take__name"),
    ListColumn("Rows", "step_count", is_number=True),
    ListColumn("Mistakes", "mistake_count", is_number=True),
    ListColumn("Corrections", "correction_count", is_number=True),
    ListColumn("Video", "video__duration_s"),
)
TAKE_COLUMNS = (
    ListColumn("Take", "name"),
    ListColumn("Scenario", "scenario"),
    ListColumn("Steps", "step_count", is_number=True),
    ListColumn("Out of order", "order_deviations", is_number=True),
    ListColumn("Reference of", is_number=True),
    ListColumn("Video", "video__duration_s"),
)


@researcher_required
@require_GET
def datasets(request: HttpRequest) -> HttpResponse:
    rows = pages.list_datasets(signed_in_user(request))
    context = {"section": "datasets", "table": read_table(request, DATASETS, rows)}
    context["hidden"] = why_some_are_hidden(signed_in_user(request))
    return render(request, "annotation/dataset_list.html", context)


@researcher_required
@require_http_methods(["GET", "POST"])
def dataset_import(request: HttpRequest) -> HttpResponse:
    """Take files in and go on to their preview."""
    form = ImportForm(request.POST or None, request.FILES or None, initial=request.GET.dict())
    if request.method == "POST" and form.is_valid():
        try:
            upload = store_upload(
                user=signed_in_user(request),
                files=form.cleaned_data["uploads"],
                request=form.to_request(),
            )
        except UploadRefusedError as error:
            form.add_error("uploads", str(error))
        else:
            return redirect("dataset-import-preview", upload.upload_id)
    context = {"section": "datasets", "form": form, "formats": available_formats().values()}
    return render(request, "annotation/dataset_import.html", context)


@researcher_required
@require_GET
def dataset_import_preview(request: HttpRequest, upload_id: str) -> HttpResponse:
    user = signed_in_user(request)
    upload = get_upload(user=user, upload_id=upload_id, kind=UploadRequest)
    preview = preview_upload(upload=upload, user=user)
    counts = preview.counts
    context = {
        "section": "datasets",
        "upload": upload,
        "preview": preview,
        "labels": pages.label_counts(counts.native_labels) if counts else (),
        "derived": pages.derived_counts(counts.derived) if counts else (),
        "format": available_formats()[upload.request.format],
    }
    return render(request, "annotation/dataset_preview.html", context)


@researcher_required
@require_POST
def dataset_import_confirm(request: HttpRequest, upload_id: str) -> HttpResponse:
    """Import the upload; if it cannot be imported by now, the preview says why."""
    user = signed_in_user(request)
    upload = get_upload(user=user, upload_id=upload_id, kind=UploadRequest)
    try:
        outcome = confirm_upload(upload=upload, user=user)
    except (FormatError, ImportRefusedError, ValidationError):
        messages.error(request, "Nothing was imported: see the problems below.")
        return redirect("dataset-import-preview", upload_id)
    changed = f"{outcome.created} created, {outcome.updated} updated"
    messages.success(request, f"Imported: {changed}, {outcome.unchanged} unchanged.")
    return redirect("dataset-detail", outcome.dataset_id)


@researcher_required
@require_POST
def dataset_import_format(request: HttpRequest, upload_id: str) -> HttpResponse:
    """Read the upload as another format, which its preview proposed."""
    user = signed_in_user(request)
    upload = get_upload(user=user, upload_id=upload_id, kind=UploadRequest)
    name = request.POST.get("format", "")
    if name in available_formats():
        change_request(user=user, upload=upload, request=replace(upload.request, format=name))
    return redirect("dataset-import-preview", upload_id)


@researcher_required
@require_POST
def dataset_import_discard(request: HttpRequest, upload_id: str) -> HttpResponse:
    discard_upload(user=signed_in_user(request), upload_id=upload_id)
    return redirect("dataset-import")


@researcher_required
@require_GET
def dataset_detail(request: HttpRequest, public_id: str) -> HttpResponse:
    dataset = corpus.get_dataset_for_user(signed_in_user(request), public_id)
    return _render_dataset(request, dataset, video_folder_form(dataset))


def _render_dataset(
    request: HttpRequest, dataset: Dataset, form: VideoFolderForm, status: int = 200
) -> HttpResponse:
    user = signed_in_user(request)
    may_change = corpus.may_change_dataset(user, dataset)
    file_format = available_formats().get(dataset.format)
    origin = origin_of(user, dataset)
    summary = pages.summarise_dataset(dataset)
    takes, traces = _tables(request, dataset, summary)
    references = pages.references_by_take(takes.page.object_list, user)
    ingest, places = ingest_report(dataset), opened_places()
    steps = []
    may_link = may_change and may_link_videos(user, places)
    if may_change and summary.missing_count:
        reason = "without a video raters judge from the steps."
        words = f"{'Link or upload' if may_link else 'Upload'} {summary.missing_count:,} missing"
        steps.append(
            PageLink(f"{words} video{'s' * (summary.missing_count > 1)}", "#videos", reason=reason)
        )
    if summary.trace_count:
        address = f"{reverse('campaign-create')}?dataset={dataset.public_id}"
        reason = f"{counted(summary.mistake_count, 'mistake')} and" + (
            f" {counted(summary.correction_count, 'correction')} to rate."
        )
        steps.append(PageLink("Start an audit of its traces", address, reason=reason))
    if summary.take_count:
        steps += steps_of(dataset)
    takes_uploads = may_change and (summary.missing_count or summary.upload_count)
    open_ = open_recordings(dataset) if takes_uploads else []
    context = {
        "section": "datasets",
        "dataset": dataset,
        "format": file_format,
        "makers": makers_of(user, dataset),
        "origin": origin,
        "parts": [*parts_about(user, dataset), *readings_of(user, dataset)],
        "summary": summary,
        # What a run made has no file format, and no source gave it labels.
        "types": None if file_format or origin else pages.proposed_types(dataset),
        "takes": takes,
        "take_lines": [(take, references[take.pk]) for take in takes.page.object_list],
        "traces": traces,
        "doubtful_videos": pages.video_warnings(dataset) if ingest.has_warnings else [],
        "ingest": ingest,
        "next_steps": steps,
        "unlinked_stems": _unlinked_stems(dataset, summary, open_ if may_change else None),
        "may_change": may_change,
        "may_link": may_link,
        "open_recordings": open_,
        "upload_limit": settings.VIDEO_UPLOAD_LIMIT_MB,
        "page_address": request.build_absolute_uri(request.path),
        "opened_places": places,
        "video_form": form,
    }
    return render(request, "annotation/dataset_detail.html", context, status=status)


def _unlinked_stems(
    dataset: Dataset, summary: pages.DatasetSummary, known: list[OpenRecording] | None
) -> list[str]:
    if not summary.missing_count:
        return []
    if known is None:
        return pages.unlinked_stems(dataset)
    return [item.stem for item in known if not item.has_upload][: pages.SHOWN_WARNINGS]


def _tables(
    request: HttpRequest, dataset: Dataset, summary: pages.DatasetSummary
) -> tuple[PagedTable, PagedTable]:
    take_scenarios, trace_scenarios = pages.scenarios_of(dataset)
    takes = TableKind(
        "takes",
        TAKE_COLUMNS,
        searched=("name", "uid", "scenario"),
        filters=(_by_scenario("scenario", take_scenarios), BY_VIDEO),
    )
    traces = TableKind(
        "traces",
        TRACE_COLUMNS,
        searched=("name", "uid", "take__name", "take__scenario"),
        filters=(_by_scenario("take__scenario", trace_scenarios), BY_VIDEO),
    )
    return (
        read_table(request, takes, pages.takes_of_dataset(dataset), summary.take_count),
        read_table(request, traces, pages.traces_of_dataset(dataset), summary.trace_count),
    )


def _by_scenario(field: str, scenarios: Iterable[str]) -> Filter:
    choices = {item: (item or "without a scenario", Q(**{field: item})) for item in scenarios}
    return Filter("scenario", "Scenario", choices)


@researcher_required
@require_POST
def dataset_videos(request: HttpRequest, public_id: str) -> HttpResponse:
    """Link the videos of a folder; files that cannot be used are named one by one."""
    user = signed_in_user(request)
    dataset = corpus.get_changeable_dataset(user, public_id)
    form = VideoFolderForm(request.POST)
    if not form.is_valid():
        return _render_dataset(request, dataset, form, status=400)
    try:
        report = link_videos(dataset=dataset, actor=user, **form.cleaned_data)
    except VideoLinkError as error:
        form.add_error("folder", str(error))
        return _render_dataset(request, dataset, form, status=400)
    launch_ingest(dataset=dataset, actor=user)
    messages.success(request, f"{counted(len(report.linked), 'recording')} linked.")
    for note in report.refused[:SHOWN_REFUSALS]:
        messages.error(request, f"{note.path}: {note.message}")
    if len(report.refused) > SHOWN_REFUSALS:
        more = len(report.refused) - SHOWN_REFUSALS
        messages.error(
            request, f"{more} more files could not be used; `manage.py link_videos` lists them all."
        )
    return redirect("dataset-detail", dataset.public_id)


@researcher_required
@require_POST
def dataset_share(request: HttpRequest, public_id: str) -> HttpResponse:
    user = signed_in_user(request)
    dataset = corpus.get_changeable_dataset(user, public_id)
    share_dataset(dataset=dataset, is_shared=request.POST.get("is_shared") == "yes", actor=user)
    return redirect("dataset-detail", dataset.public_id)


@researcher_required
@require_POST
def dataset_delete(request: HttpRequest, public_id: str) -> HttpResponse:
    user = signed_in_user(request)
    dataset = corpus.get_changeable_dataset(user, public_id)
    with refusals_shown(request):
        delete_dataset(dataset=dataset, actor=user)
        messages.success(request, f"{dataset.name} was deleted.")
        return redirect("datasets")
    return redirect("dataset-detail", dataset.public_id)
