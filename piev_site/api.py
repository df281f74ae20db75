"""What every endpoint shares: parsing, negotiation, errors and the pages of lists."""

from collections.abc import Iterable
from typing import Any

from django.core.exceptions import NON_FIELD_ERRORS
from django.core.exceptions import ValidationError as DjangoValidationError
from rest_framework import exceptions, status
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.pagination import PageNumberPagination
from rest_framework.parsers import JSONParser
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import exception_handler as default_exception_handler

from annotation.engine.exceptions import NotNowError

ANYTHING = "*/*"
NOT_UNICODE = "Half a character (a lone surrogate); expected text that is valid Unicode."


class PagePagination(PageNumberPagination):
    """Pages of 50 rows; `?page_size=` asks for up to 500."""

    page_size = 50
    page_size_query_param = "page_size"
    max_page_size = 500


class StrictJSONParser(JSONParser):
    """JSON as everywhere; a body nested deeper than Python follows is refused like any other.

    So is half a character, which JSON can spell and nothing can store or send back.
    """

    def parse(self, *args: Any, **kwargs: Any) -> Any:
        try:
            data = super().parse(*args, **kwargs)
            faults = _half_characters(data)
        except RecursionError as error:
            raise exceptions.ParseError("JSON parse error - nested too deeply") from error
        if faults:
            by_field = faults if isinstance(faults, dict) else {"non_field_errors": faults}
            raise exceptions.ValidationError(by_field)
        return data


def _half_characters(data: Any) -> Any:
    """The faults by the names of the fields, nested as these are; empty if there is none."""
    if isinstance(data, str):
        return [NOT_UNICODE] if _is_broken(data) else []
    if isinstance(data, list):
        data = dict(enumerate(data))
    if not isinstance(data, dict):
        return []
    parts = {}
    for name, value in data.items():
        faults = [NOT_UNICODE] if _is_broken(str(name)) else _half_characters(value)
        if faults:
            parts[str(name).encode(errors="replace").decode()] = faults
    return parts


def _is_broken(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


class LenientNegotiation(DefaultContentNegotiation):
    """Answers as the endpoint does, whatever is asked for: errors are JSON where a CSV is not."""

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        usual = next(iter(renderers))
        # As nearly everybody asks, every save among them.
        is_usual = request.META.get("HTTP_ACCEPT", ANYTHING) in (ANYTHING, usual.media_type)
        if is_usual and not format_suffix and not request.query_params:
            return usual, usual.media_type
        try:
            return super().select_renderer(request, renderers, format_suffix)
        except exceptions.NotAcceptable:
            return usual, usual.media_type


class ConflictError(exceptions.APIException):
    status_code = status.HTTP_409_CONFLICT


def exception_handler(error: Exception, context: dict[str, Any]) -> Response | None:
    """Answer what cannot be done now with 409, and a model's own validation with 400, by field."""
    if isinstance(error, NotNowError):
        error = ConflictError(str(error))
    if isinstance(error, DjangoValidationError):
        by_field = hasattr(error, "error_dict") and NON_FIELD_ERRORS not in error.error_dict
        detail: Any = error.message_dict if by_field else {"non_field_errors": error.messages}
        error = exceptions.ValidationError(detail=detail)
    return default_exception_handler(error, context)
