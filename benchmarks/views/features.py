"""The pages of features: list, upload, make from videos, read, share, delete."""

from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from annotation.engine.corpus.formats.errors import FormatError
from annotation.models import AT_WORK
from annotation.permissions import researcher_required, signed_in_user
from annotation.selectors.corpus.blinding import why_some_are_hidden
from annotation.tables import ListColumn, TableKind, read_table
from annotation.views.records.errors import refusals_shown
from benchmarks import launch
from benchmarks.engine.features.extractor import extractors
from benchmarks.forms.features import FeaturesMakeForm, FeaturesUploadForm
from benchmarks.models import UPLOADED
from benchmarks.selectors.features import (
    coverage_of,
    get_changeable_feature_set,
    get_feature_set_for_user,
    may_change_feature_set,
    state_of,
    visible_feature_sets,
)
from benchmarks.services.feature_uploads import is_refused_upload
from benchmarks.services.feature_work import cancel_features
from benchmarks.services.features import (
    FeaturesRequest,
    delete_feature_set,
    share_feature_set,
)

SETS = TableKind(
    "features",
    (
        ListColumn("Features", "name"),
        ListColumn("Data set", "dataset__name"),
        ListColumn("Made by", "made_by"),
        ListColumn("Recordings", "array_count", is_number=True),
        ListColumn("Width", "width", is_number=True),
        ListColumn("State"),
        ListColumn("Owner", "owner__username"),
        ListColumn("Made", "created_at"),
    ),
    searched=("name", "dataset__name", "made_by", "owner__username"),
    rows_per_page=30,
)
ARRAYS = TableKind(
    "arrays",
    (
        ListColumn("Recording", "recording"),
        ListColumn("Rows", "rows", is_number=True),
        ListColumn("Covered (s)", is_number=True),
        ListColumn("Recording (s)", is_number=True),
    ),
    searched=("recording",),
)
SHOWN_PROBLEMS = 50


@researcher_required
@require_GET
def feature_list(request: HttpRequest) -> HttpResponse:
    return _list(request)


def _list(request: HttpRequest, status: int = 200, **shown: Any) -> HttpResponse:
    """The page of all sets; `shown` replaces context, such as a form with errors."""
    user = signed_in_user(request)
    rows = visible_feature_sets(user).select_related("dataset", "owner", "job")
    rows = rows.annotate(array_count=Count("arrays")).order_by("-pk")
    table = read_table(request, SETS, rows)
    chosen = {"dataset": request.GET.get("dataset", "")[:16]}
    context = {
        "section": "benchmarks",
        "table": table,
        "lines": [(row, state_of(row)) for row in table.page.object_list],
        "extractors": [(extractor, extractor.missing()) for extractor in extractors().values()],
        "upload_form": FeaturesUploadForm(prefix="upload", user=user, initial=chosen),
        "make_form": FeaturesMakeForm(prefix="make", user=user, initial=chosen),
        "hidden": why_some_are_hidden(user),
        **shown,
    }
    return render(request, "benchmarks/feature_list.html", context, status=status)


@researcher_required
@require_POST
def feature_upload(request: HttpRequest) -> HttpResponse:
    user = signed_in_user(request)
    form = FeaturesUploadForm(request.POST, request.FILES, prefix="upload", user=user)
    problems: tuple[str, ...] = ()
    if form.is_valid():
        cleaned = form.cleaned_data
        name, seconds_per_row = cleaned["name"], cleaned["seconds_per_row"]
        try:
            feature_set = launch.launch_upload(
                dataset=cleaned["dataset"],
                request=FeaturesRequest(name, seconds_per_row, cleaned["is_shared"]),
                files=cleaned["uploads"],
                key=cleaned["key"],
                actor=user,
            )
            return redirect("feature-set", feature_set.public_id)
        except FormatError as error:
            problems = tuple(map(str, error.problems[:SHOWN_PROBLEMS]))
        except ValidationError as error:
            form.add_error(None, ValidationError(error.messages))
    return _list(request, 400, upload_form=form, problems=problems)


@researcher_required
@require_POST
def feature_make(request: HttpRequest) -> HttpResponse:
    user = signed_in_user(request)
    form = FeaturesMakeForm(request.POST, prefix="make", user=user)
    if form.is_valid():
        try:
            feature_set = launch.launch_features(**form.cleaned_data, actor=user)
            return redirect("feature-set", feature_set.public_id)
        except ValidationError as error:
            form.add_error(None, ValidationError(error.messages))
    return _list(request, 400, make_form=form)


@researcher_required
@require_GET
def feature_detail(request: HttpRequest, public_id: str) -> HttpResponse:
    user = signed_in_user(request)
    feature_set = get_feature_set_for_user(user, public_id)
    coverage = coverage_of(feature_set)
    table = read_table(request, ARRAYS, feature_set.arrays.order_by("recording"))
    job = feature_set.job
    context = {
        "section": "benchmarks",
        "features": feature_set,
        "state": state_of(feature_set),
        "is_refused": is_refused_upload(feature_set),
        "unit": "files" if feature_set.made_by == UPLOADED else "s of video",
        "is_at_work": job is not None and job.status in AT_WORK,
        "table": table,
        "lines": [coverage[row.recording] for row in table.page.object_list],
        "array_count": len(coverage),
        "row_count": sum(line.array.rows for line in coverage.values()),
        "doubtful": [line for line in coverage.values() if line.is_doubtful],
        "may_change": may_change_feature_set(user, feature_set),
    }
    return render(request, "benchmarks/feature_set.html", context)


@researcher_required
@require_POST
def feature_cancel(request: HttpRequest, public_id: str) -> HttpResponse:
    user = signed_in_user(request)
    cancel_features(feature_set=get_changeable_feature_set(user, public_id), actor=user)
    return redirect("feature-set", public_id)


@researcher_required
@require_POST
def feature_resume(request: HttpRequest, public_id: str) -> HttpResponse:
    user = signed_in_user(request)
    launch.resume_features(feature_set=get_changeable_feature_set(user, public_id), actor=user)
    return redirect("feature-set", public_id)


@researcher_required
@require_POST
def feature_share(request: HttpRequest, public_id: str) -> HttpResponse:
    user = signed_in_user(request)
    feature_set = get_changeable_feature_set(user, public_id)
    is_shared = request.POST.get("is_shared") == "yes"
    share_feature_set(feature_set=feature_set, is_shared=is_shared, actor=user)
    return redirect("feature-set", public_id)


@researcher_required
@require_POST
def feature_delete(request: HttpRequest, public_id: str) -> HttpResponse:
    user = signed_in_user(request)
    feature_set = get_changeable_feature_set(user, public_id)
    with refusals_shown(request):
        delete_feature_set(feature_set=feature_set, actor=user)
        messages.success(request, f"{feature_set.name} was deleted.")
        return redirect("feature-sets")
    return redirect("feature-set", public_id)
