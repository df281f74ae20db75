"""The pages on which ratings are brought in from files, with a preview."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from annotation.engine.corpus.formats.errors import FormatError
from annotation.engine.ratings.columns import NEEDED_COLUMNS
from annotation.engine.rubric.rubric import Metric, current_rubric
from annotation.forms.ratings.imports import RatingImportForm, RatingRequestForm
from annotation.permissions import researcher_required, signed_in_user
from annotation.services.corpus.uploads import (
    Upload,
    UploadRefusedError,
    change_request,
    discard_upload,
    get_upload,
    keep_files,
)
from annotation.services.ratings.imports.files import (
    RatingRequest,
    confirm_rating_upload,
    preview_rating_upload,
)


@researcher_required
@require_http_methods(["GET", "POST"])
def rating_import(request: HttpRequest) -> HttpResponse:
    """Take files in and go on to their preview."""
    user = signed_in_user(request)
    form = RatingImportForm(
        user, request.POST or None, request.FILES or None, initial=request.GET.dict()
    )
    if request.method == "POST" and form.is_valid():
        try:
            upload = keep_files(
                user=user, files=form.cleaned_data["uploads"], request=form.to_request()
            )
        except UploadRefusedError as error:
            form.add_error("uploads", str(error))
        else:
            return redirect("rating-import-preview", upload.upload_id)
    context = {"section": "campaigns", "form": form, "needed": NEEDED_COLUMNS}
    return render(request, "annotation/rating_import.html", context)


@researcher_required
@require_http_methods(["GET", "POST"])
def rating_import_preview(request: HttpRequest, upload_id: str) -> HttpResponse:
    """Show what the upload would bring in; a form changes what comes with the files."""
    user = signed_in_user(request)
    upload = get_upload(user=user, upload_id=upload_id, kind=RatingRequest)
    if request.method == "GET":
        form = RatingRequestForm(user, request=upload.request)
        return _render_preview(request, upload, form)
    form = RatingRequestForm(user, request.POST)
    if not form.is_valid():
        return _render_preview(request, upload, form, status=400)
    change_request(user=user, upload=upload, request=form.to_request())
    return redirect("rating-import-preview", upload_id)


def _render_preview(
    request: HttpRequest, upload: Upload[RatingRequest], form: RatingRequestForm, status: int = 200
) -> HttpResponse:
    preview = preview_rating_upload(upload=upload, user=signed_in_user(request))
    counts = preview.outcome.metrics if preview.outcome else {}
    context = {
        "section": "campaigns",
        "upload": upload,
        "preview": preview,
        "metrics": [
            (current_rubric().definition(Metric(name)).title, count)
            for name, count in counts.items()
        ],
        "form": form,
    }
    return render(request, "annotation/rating_import_preview.html", context, status=status)


@researcher_required
@require_POST
def rating_import_confirm(request: HttpRequest, upload_id: str) -> HttpResponse:
    """Bring the upload in; if it cannot come in by now, the preview says why."""
    user = signed_in_user(request)
    upload = get_upload(user=user, upload_id=upload_id, kind=RatingRequest)
    try:
        outcome = confirm_rating_upload(upload=upload, user=user)
    except FormatError:
        messages.error(request, "Nothing was imported: see the problems below.")
        return redirect("rating-import-preview", upload_id)
    if outcome.has_changed:
        message = (
            f"Imported: {outcome.created_count:,} new ratings, {outcome.updated_count:,} changed,"
            f" {outcome.unchanged_count:,} unchanged."
        )
    else:
        message = "Nothing changed: all of these ratings are already there."
    messages.success(request, message)
    if len(outcome.campaigns) == 1:
        return redirect("campaign-detail", outcome.campaigns[0].public_id)
    return redirect("campaigns")


@researcher_required
@require_POST
def rating_import_discard(request: HttpRequest, upload_id: str) -> HttpResponse:
    discard_upload(user=signed_in_user(request), upload_id=upload_id)
    return redirect("rating-import")
