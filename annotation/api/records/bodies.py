"""What bodies share: unknown fields are refused, and refusals answer with a body of their own."""

from collections.abc import Mapping
from typing import Any, cast

from rest_framework import serializers
from rest_framework.exceptions import APIException
from rest_framework.request import Request

SHOWN_FIELDS = 10


class Body(serializers.Serializer[Any]):
    """The body of a request, or a part of one; an unknown field is refused by name."""

    @classmethod
    def read(cls, request: Request) -> dict[str, Any]:
        """The values that a request brings; raises ValidationError with all faults at once."""
        body = cls(data=request.data)
        body.is_valid(raise_exception=True)
        return dict(body.validated_data)

    def to_internal_value(self, data: Any) -> Any:
        names = [name for name, field in self.fields.items() if not field.read_only]
        sent = data if isinstance(data, Mapping) else ()
        unknown = sorted(str(name) for name in sent if name not in names)
        expected = f"Unknown field; expected only {', '.join(names)}."
        faults: dict[str, Any] = {name: [expected] for name in unknown[:SHOWN_FIELDS]}
        try:
            values = super().to_internal_value(data)
        except serializers.ValidationError as error:
            if not faults or not isinstance(error.detail, dict):
                raise
            faults |= error.detail
        if faults:
            raise serializers.ValidationError(faults)
        return values


def text_or_null(source: str) -> serializers.CharField:
    """A text of another row, null where there is none."""
    return serializers.CharField(source=source, default=None, allow_null=True, read_only=True)


class BodyError(APIException):
    """Answers with its body unchanged; the framework's own errors turn every value into text."""

    def __init__(self, status_code: int, body: dict[str, Any]) -> None:
        super().__init__()
        self.status_code = status_code
        self.detail = cast("Any", body)
