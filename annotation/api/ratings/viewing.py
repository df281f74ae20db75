"""What the audit page reports as watched: by itself, or along with a save."""

import logging
from collections.abc import Callable
from typing import Any

from django.db import DatabaseError
from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.records.bodies import Body
from annotation.engine.corpus.content_hash import VERSION_CHARACTERS
from annotation.models import Assignment, User
from annotation.permissions import signed_in_user
from annotation.services.ratings.viewing import ViewingReport, store_viewing

logger = logging.getLogger(__name__)

TOKEN_CHARACTERS = 200
MAX_REPORTS = 500
MAX_SPANS = 500
# Of all reports together. A page sends a few for every minute that it played.
MAX_SPANS_AT_ONCE = 5000


class SpanField(serializers.ListField):
    """Two seconds of a recording: [start, end]."""

    child = serializers.FloatField(min_value=0)

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(min_length=2, max_length=2, **kwargs)


class ViewedSerializer(Body):
    """Stretches watched on both sides until `at`, from a page of version `content`."""

    opened = serializers.CharField(max_length=TOKEN_CHARACTERS)
    content = serializers.CharField(max_length=VERSION_CHARACTERS)
    at = serializers.DateTimeField()
    reference = serializers.ListField(child=SpanField(), max_length=MAX_SPANS)
    trace = serializers.ListField(child=SpanField(), max_length=MAX_SPANS)


class ViewingSerializer(Body):
    """Reports; how many stretches they hold is looked at before any of them is read."""

    reports = serializers.ListField(child=ViewedSerializer(), max_length=MAX_REPORTS)

    def to_internal_value(self, data: Any) -> Any:
        # Nobody has checked the body yet.
        reports = data.get("reports") if isinstance(data, dict) else None
        sides = [
            report.get(side)
            for report in (reports if isinstance(reports, list) else [])
            if isinstance(report, dict)
            for side in ("reference", "trace")
        ]
        count = sum(len(side) for side in sides if isinstance(side, list))
        if count > MAX_SPANS_AT_ONCE:
            raise serializers.ValidationError(
                {"reports": [f"{count} stretches; expected at most {MAX_SPANS_AT_ONCE}."]}
            )
        return super().to_internal_value(data)


class LenientViewingSerializer(ViewingSerializer):
    """Takes nothing instead of refusing: evidence never stands in the way of an answer."""

    def run_validation(self, data: Any = serializers.empty) -> Any:
        try:
            return super().run_validation(data)
        except serializers.ValidationError:
            return {"reports": []}


def reports_of(data: dict[str, Any]) -> list[ViewingReport]:
    return [
        ViewingReport(
            opened=report["opened"],
            content=report["content"],
            at=report["at"],
            reference=[(start, end) for start, end in report["reference"]],
            trace=[(start, end) for start, end in report["trace"]],
        )
        for report in data["reports"]
    ]


def keep_viewing(
    store: Callable[..., None], public_id: str, body: dict[str, Any], actor: User
) -> None:
    """Store the viewing that came with a save; the save stands, even if this fails."""
    reports = reports_of(body["viewing"]) if body.get("viewing") else []
    if reports:
        try:
            store(public_id=public_id, reports=reports, actor=actor)
        except DatabaseError:
            logger.exception("what was watched of %s is not stored", public_id)


class ViewingEndpoint(APIView):
    @extend_schema(
        operation_id="assignment_viewing", request=ViewingSerializer, responses={204: None}
    )
    def post(self, request: Request, public_id: str) -> Response:
        """Keep what the page has seen its rater watch, as far as it can be true."""
        body = ViewingSerializer.read(request)
        try:
            store_viewing(
                public_id=public_id,
                reports=reports_of(body),
                actor=signed_in_user(request),
            )
        except Assignment.DoesNotExist as error:
            raise Http404("no such assignment") from error
        return Response(status=status.HTTP_204_NO_CONTENT)
