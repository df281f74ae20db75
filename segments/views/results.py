"""Pages that turn the finished segments of a round into files and a new data set."""

from collections.abc import Sequence
from tempfile import TemporaryFile

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import FileResponse, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from annotation.engine.corpus.formats.errors import FormatError
from annotation.launch import launch_ingest
from annotation.models import Dataset, Round
from annotation.permissions import researcher_required, signed_in_user
from annotation.selectors.campaigns.campaigns import may_change_campaign
from annotation.services.corpus.import_plan import ImportRefusedError
from annotation.services.corpus.imports import count_reading
from segments.forms.results import PublishForm, SegmentExportForm
from segments.selectors.publications import publications_of_round
from segments.selectors.reading import (
    MixedSchemesError,
    get_publishable_round,
    get_readable_segment_round,
    people_of,
)
from segments.services.export import SegmentExportError, export_segments
from segments.services.publish import publication_of, publish_round

SECTION = {"section": "campaigns"}
SHOWN_PROBLEMS = 50


@researcher_required
@require_GET
def segment_results(request: HttpRequest, public_id: str, number: int) -> HttpResponse:
    return _results(request, get_readable_segment_round(signed_in_user(request), public_id, number))


@researcher_required
@require_POST
def segment_publish(request: HttpRequest, public_id: str, number: int) -> HttpResponse:
    user = signed_in_user(request)
    round_ = get_publishable_round(user, public_id, number)
    form = PublishForm(request.POST)
    if form.is_valid():
        try:
            outcome = publish_round(round_=round_, new=form.to_dataset(), actor=user)
        except (FormatError, ImportRefusedError) as error:
            for item in error.problems[:SHOWN_PROBLEMS]:
                form.add_error(None, str(item))
        except (MixedSchemesError, ValidationError) as error:
            form.add_error(None, error if isinstance(error, ValidationError) else str(error))
        else:
            dataset = Dataset.objects.get(public_id=outcome.dataset_id)
            launch_ingest(dataset=dataset, actor=user)
            messages.success(request, f"{dataset.name} is made of round {number}.")
            return redirect("dataset-detail", dataset.public_id)
    return _results(request, round_, publish_form=form, status=400)


@researcher_required
@require_GET
def segment_export(request: HttpRequest, public_id: str, number: int) -> HttpResponseBase:
    round_ = get_readable_segment_round(signed_in_user(request), public_id, number)
    form = SegmentExportForm(people_of(round_), request.GET)
    if form.is_valid():
        # Deleted when the response is closed; Django closes the file that it sends.
        file = TemporaryFile()  # noqa: SIM115
        try:
            written = export_segments(round_, form.to_export(), file)
        except (SegmentExportError, MixedSchemesError) as error:
            file.close()
            form.add_error(None, str(error))
        else:
            if written.notes and "taken" not in request.GET:
                file.close()
                return _results(request, round_, export_form=form, notes=written.notes)
            file.seek(0)
            return FileResponse(
                file, as_attachment=True, filename=written.name, content_type=written.content_type
            )
    return _results(request, round_, export_form=form, status=400)


def _results(
    request: HttpRequest,
    round_: Round,
    *,
    publish_form: PublishForm | None = None,
    export_form: SegmentExportForm | None = None,
    notes: Sequence[str] = (),
    status: int = 200,
) -> HttpResponse:
    user = signed_in_user(request)
    problems: tuple[object, ...] = ()
    counts = None
    try:
        counts = count_reading(publication_of(round_).reading)
    except ImportRefusedError as error:
        problems = error.problems
    except MixedSchemesError as error:
        problems = (error,)
    name = f"{round_.campaign.name}, round {round_.number}"
    context = SECTION | {
        "campaign": round_.campaign,
        "round": round_,
        "counts": counts,
        "problems": problems[:SHOWN_PROBLEMS],
        "hidden_count": max(0, len(problems) - SHOWN_PROBLEMS),
        "publications": publications_of_round(user, round_),
        "publish_form": publish_form or PublishForm(initial={"name": name}),
        "notes": notes[:SHOWN_PROBLEMS],
        "hidden_note_count": max(0, len(notes) - SHOWN_PROBLEMS),
        "download": request.GET.urlencode(),
        "export_form": export_form or SegmentExportForm(people_of(round_)),
        "may_change": may_change_campaign(user, round_.campaign),
    }
    return render(request, "segments/results.html", context, status=status)
