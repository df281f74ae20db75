"""What every endpoint shares: how errors look and how lists are paged."""

from typing import Any

from django.core.exceptions import NON_FIELD_ERRORS
from django.core.exceptions import ValidationError as DjangoValidationError
from rest_framework import exceptions
from rest_framework.pagination import PageNumberPagination
from rest_framework.parsers import JSONParser
from rest_framework.response import Response
from rest_framework.views import exception_handler as default_exception_handler


class PagePagination(PageNumberPagination):
    """Pages of 50 rows; `?page_size=` asks for up to 500."""

    page_size = 50
    page_size_query_param = "page_size"
    max_page_size = 500


class BoundedJSONParser(JSONParser):
    """JSON as everywhere; a body nested deeper than Python follows is refused like any other."""

    def parse(self, *args: Any, **kwargs: Any) -> Any:
        try:
            return super().parse(*args, **kwargs)
        except RecursionError as error:
            raise exceptions.ParseError("JSON parse error - nested too deeply") from error


def exception_handler(error: Exception, context: dict[str, Any]) -> Response | None:
    """Answer a model's own validation with 400, by field where it names some."""
    if isinstance(error, DjangoValidationError):
        by_field = hasattr(error, "error_dict") and NON_FIELD_ERRORS not in error.error_dict
        detail: Any = error.message_dict if by_field else error.messages
        error = exceptions.ValidationError(detail=detail)
    return default_exception_handler(error, context)
