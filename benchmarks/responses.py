"""What pages of benchmarks answer alike: files, as the API does, and why something was refused."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse

from annotation.analytics.table import Table
from annotation.analytics.table_writers import TableFormat, write_table
from annotation.engine.exceptions import NotNowError
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


@contextmanager
def refusals_told(request: HttpRequest) -> Iterator[None]:
    """Leave the block where something is refused; the next page says why."""
    try:
        yield
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
    except NotNowError as error:
        messages.error(request, str(error))
