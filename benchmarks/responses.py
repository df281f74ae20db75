"""Responses with a file to download, for pages and API."""

from django.http import Http404, HttpResponse, StreamingHttpResponse

from annotation.analytics.tables.table import Table
from annotation.analytics.tables.table_writers import TableFormat, write_table
from annotation.models import User
from benchmarks.engine.training_files import PLAIN_FILES, TrainingOptions
from benchmarks.models import Assessment, ItemSet, QuestionSet
from benchmarks.selectors.asked import asked_lines
from benchmarks.selectors.downloads import Download, download_name, download_of
from benchmarks.selectors.item_sets import may_see_truth, refuse_later_items
from benchmarks.selectors.questions import exported_questions
from benchmarks.selectors.training_files import training_archive


def download_response(
    user: User, item_set: ItemSet, which: str, options: TrainingOptions = PLAIN_FILES
) -> StreamingHttpResponse:
    """Items, a template, the shortcut audit or, with its `options`, the training files.

    The file name contains the content hash.
    """
    refuse_later_items(user, item_set)
    if which not in set(Download):
        raise Http404(f"there is no {which}; expected one of {', '.join(Download)}")
    download = Download(which)
    sees_truth = may_see_truth(user, item_set)
    if download is Download.TRAINING:
        archive = training_archive(item_set, options, sees_truth=sees_truth)
        response = StreamingHttpResponse(archive, content_type=download.media_type)
    else:
        text = download_of(item_set, download, sees_truth=sees_truth)
        response = StreamingHttpResponse(text, content_type=f"{download.media_type}; charset=utf-8")
    name = download_name(item_set, download)
    response["content-disposition"] = f'attachment; filename="{name}"'
    return response


def asked_response(assessment: Assessment) -> StreamingHttpResponse:
    """What a participant was asked and answered, as JSON lines."""
    lines = asked_lines(assessment)
    response = StreamingHttpResponse(lines, content_type="application/x-ndjson; charset=utf-8")
    name = f"asked-{assessment.item_set.task}-{assessment.public_id}.jsonl"
    response["content-disposition"] = f'attachment; filename="{name}"'
    return response


def questions_response(user: User, question_set: QuestionSet) -> StreamingHttpResponse:
    """The questions of a set as JSON lines."""
    lines = exported_questions(user, question_set)
    response = StreamingHttpResponse(lines, content_type="application/x-ndjson; charset=utf-8")
    name = f"questions-{question_set.public_id}.jsonl"
    response["content-disposition"] = f'attachment; filename="{name}"'
    return response


def table_response(table: Table, form: str, name: str) -> HttpResponse:
    """A table in one of the formats of `TableFormat`."""
    if form not in set(TableFormat):
        raise Http404
    table_format = TableFormat(form)
    written = write_table(table, table_format)
    response = HttpResponse(written, content_type=f"{table_format.media_type}; charset=utf-8")
    response["content-disposition"] = f'attachment; filename="{name}.{table_format.suffix}"'
    return response
