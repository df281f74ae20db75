"""Log lines as JSON, the name of every request in them, and mails about errors."""

import json
import logging
import re
import time
import traceback
from datetime import UTC, datetime
from uuid import uuid4

from django.conf import settings
from django.core.mail import mail_admins
from django.http import HttpRequest, HttpResponse

from annotation.backends.log_context import logged_fields, logged_with
from piev_site.middleware import Answerer

GIVEN_ID = re.compile(r"[A-Za-z0-9_-]{8,64}")
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
# A fault that every request meets is told once; how often it happened is in the log.
MAIL_PAUSE_S = 60.0
# Of an error those last lines, and of the errors that it came from.
MAILED_FRAMES, MAILED_ERRORS = 20, 5


class RequestIdMiddleware:
    """Name every request in the log and in its answer, by the name that a front server gave it."""

    def __init__(self, get_response: Answerer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        given = request.headers.get("X-Request-ID", "")
        name = given if GIVEN_ID.fullmatch(given) else uuid4().hex
        # Django logs what was not found or refused when all middleware is through.
        vars(request)["log_name"] = name
        with logged_with(request=name, asked=request):
            response = self.get_response(request)
        response.headers["X-Request-ID"] = name
        return response


def _context_of(record: logging.LogRecord) -> dict[str, object]:
    """The request or job that a line belongs to, and whose it is."""
    fields = logged_fields()
    asked = fields.pop("asked", None) or getattr(record, "request", None)
    if name := getattr(asked, "log_name", None):
        fields["request"] = name
    # Who asks is known once the request has been asked for its user; the log does not ask.
    user = getattr(asked, "_cached_user", None)
    if user is not None and user.pk is not None:
        fields["user"] = user.pk
    return fields


class PlainLines(logging.Formatter):
    """Lines for people. What somebody typed can neither begin a line nor steer the terminal."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - logging's name
        record.message = CONTROL.sub(_escaped, record.message)
        return super().formatMessage(record)


def _escaped(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode()


class JsonLines(logging.Formatter):
    """One JSON object a line: time, level, logger, message, and request, user, job, error."""

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
            **_context_of(record),
        }
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return json.dumps(line, default=str)


class MailedLines(logging.Formatter):
    """The line, the request or job by which the log has more, and where in the code it happened.

    Of an exception its class is told and not its words, which may be what somebody typed.
    """

    def format(self, record: logging.LogRecord) -> str:
        lines = [f"{self.formatTime(record)} {record.levelname} {record.name}"]
        lines += [record.getMessage()]
        lines += [f"{name}: {value}" for name, value in _context_of(record).items()]
        error = record.exc_info[1] if record.exc_info else None
        for _ in range(MAILED_ERRORS):
            if error is None:
                break
            kind = type(error)
            lines += ["", f"{kind.__module__}.{kind.__qualname__}, raised at"]
            lines += [
                f"  {frame.filename}:{frame.lineno} in {frame.name}"
                for frame in traceback.extract_tb(error.__traceback__, limit=-MAILED_FRAMES)
            ]
            error = error.__cause__ or error.__context__
        return "\n".join(lines)


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
