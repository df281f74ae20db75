"""How pages show refusals, and what is answered when a request fails on our side."""

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template import loader
from django.views import defaults

from annotation.backends.full_disk import is_disk_full
from annotation.engine.exceptions import NotNowError

INSUFFICIENT_STORAGE = 507
DISK_IS_FULL = "The disk of this site is full, so nothing was saved. Tell an administrator."

logger = logging.getLogger(__name__)


@contextmanager
def refusals_shown(request: HttpRequest) -> Iterator[None]:
    """Leave the block where something is refused; the next page says why."""
    try:
        yield
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
    except NotNowError as error:
        messages.error(request, str(error))


def server_error(request: HttpRequest) -> HttpResponse:
    """507 when the disk is full, to scripts as JSON; everything else is Django's own answer."""
    if not is_disk_full(sys.exc_info()[1]):
        return defaults.server_error(request)
    logger.error("The disk is full: %s %s failed", request.method, request.path)
    if request.path.startswith("/api/"):
        return JsonResponse({"detail": DISK_IS_FULL}, status=INSUFFICIENT_STORAGE)
    page = loader.get_template("507.html").render({"sentence": DISK_IS_FULL})
    return HttpResponse(page, status=INSUFFICIENT_STORAGE)
