"""Log lines as JSON, the name of every request in them, and mails about errors."""

import json
import logging
import re
import time
from datetime import UTC, datetime
from uuid import uuid4

from django.conf import settings
from django.core.mail import mail_admins
from django.http import HttpRequest, HttpResponse

from annotation.backends.log_context import logged_fields, logged_with
from piev_site.middleware import Answerer

GIVEN_ID = re.compile(r"[A-Za-z0-9_-]{8,64}")
# A fault that every request meets is told once; how often it happened is in the log.
MAIL_PAUSE_S = 60.0


class RequestIdMiddleware:
    """Name every request in the log and in its answer, by the name that a front server gave it."""

    def __init__(self, get_response: Answerer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        given = request.headers.get("X-Request-ID", "")
        name = given if GIVEN_ID.fullmatch(given) else uuid4().hex
        with logged_with(request=name, asked=request):
            response = self.get_response(request)
        response.headers["X-Request-ID"] = name
        return response


class JsonLines(logging.Formatter):
    """One JSON object a line: time, level, logger, message, and request, user, job, error."""

    def format(self, record: logging.LogRecord) -> str:
        fields = logged_fields()
        # Who asks is known once the request has been asked for its user; the log does not ask.
        user = getattr(fields.pop("asked", None), "_cached_user", None)
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
            **fields,
        }
        if user is not None and user.pk is not None:
            line["user"] = user.pk
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return json.dumps(line, default=str)


class ErrorMails(logging.Handler):
    """Mail errors to the addresses of ERROR_MAIL_TO: the line and where it happened, no data.

    What somebody typed or uploaded is in no mail, as it would be in Django's own.
    """

    def __init__(self) -> None:
        super().__init__()
        self.sent_s = -MAIL_PAUSE_S

    def emit(self, record: logging.LogRecord) -> None:
        if not settings.ADMINS or time.monotonic() - self.sent_s < MAIL_PAUSE_S:
            return
        self.sent_s = time.monotonic()
        subject = record.getMessage().splitlines()[0][:200] if record.getMessage() else "Error"
        mail_admins(subject, self.format(record), fail_silently=True)
