"""Answers that hold a file of benchmarks, for pages and API alike."""

from django.http import Http404, HttpResponse, StreamingHttpResponse

from annotation.analytics.table import Table
from annotation.analytics.table_writers import TableFormat, write_table
from annotation.models import User
from benchmarks.models import ItemSet
from benchmarks.selectors.downloads import Download, download_name, download_of
from benchmarks.selectors.item_sets import refuse_later_items


def download_response(user: User, item_set: ItemSet, which: str) -> StreamingHttpResponse:
    """Items or a template; the name of the file holds the content's hash."""
    refuse_later_items(user, item_set)
    if which not in set(Download):
        raise Http404(f"there is no {which}; expected one of {', '.join(Download)}")
    wanted = Download(which)
    response = StreamingHttpResponse(
        download_of(item_set, wanted), content_type=f"{wanted.media_type}; charset=utf-8"
    )
    name = download_name(item_set, wanted)
    response["content-disposition"] = f'attachment; filename="{name}"'
    return response


def table_response(table: Table, form: str, name: str) -> HttpResponse:
    """A table in one of the forms that tables leave in."""
    if form not in set(TableFormat):
        raise Http404
    wanted = TableFormat(form)
    written = write_table(table, wanted)
    response = HttpResponse(written, content_type=f"{wanted.media_type}; charset=utf-8")
    response["content-disposition"] = f'attachment; filename="{name}.{wanted.suffix}"'
    return response
