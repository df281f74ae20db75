"""Endpoints of the history of one's own segments: the log, earlier states, a file."""

from collections.abc import Iterable

from django.http import Http404, HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from segments.api.bodies import PastGestureSerializer, PastSegmentsSerializer, notes_header
from segments.api.segmentations import SegmentationEndpoint
from segments.engine.model import GestureError, as_table
from segments.formats.exchange import SegmentFile, Settings, segment_formats
from segments.selectors.history import history_of, state_at
from segments.selectors.segmentations import as_recording
from segments.services.errors import SHOWN_CHARACTERS

# Of the largest head that the database holds. Python refuses to read thousands of digits.
MOST_DIGITS = 10


class SegmentHistory(SegmentationEndpoint):
    @extend_schema(
        operation_id="segmentation_history",
        parameters=[OpenApiParameter("before", int, description="Only gestures before this head")],
        responses={
            200: PastGestureSerializer(many=True),
            400: OpenApiResponse(description="`before` is not the number of a gesture"),
        },
    )
    def get(self, request: Request, public_id: str) -> Response:
        """List your gestures, the newest first, 100 at most."""
        before = request.query_params.get("before")
        if before is not None and not (before.isdecimal() and len(before) <= MOST_DIGITS):
            shown = before[:SHOWN_CHARACTERS]
            raise ValidationError({"before": [f"{shown!r}; expected the number of a gesture."]})
        gestures = history_of(
            self.own(request, public_id), before=None if before is None else int(before)
        )
        return Response(PastGestureSerializer(gestures, many=True).data)


class _OneAnswer(DefaultContentNegotiation):
    """Leaves `?format=` to the endpoint; the framework would look for a renderer of that name."""

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        usual = next(iter(renderers))
        return usual, usual.media_type


class SegmentExport(SegmentationEndpoint):
    content_negotiation_class = _OneAnswer

    @extend_schema(
        operation_id="segmentation_export",
        parameters=[
            OpenApiParameter("format", str, required=True, enum=sorted(segment_formats())),
        ],
        responses={
            (200, "application/octet-stream"): OpenApiTypes.BINARY,
            400: OpenApiResponse(description="There is no such format, or it cannot hold this."),
        },
    )
    def get(self, request: Request, public_id: str) -> HttpResponse:
        """Download your segments of one recording; X-Notes lists what the format cannot hold."""
        own = self.own(request, public_id)
        name, formats = request.query_params.get("format", ""), segment_formats()
        if name not in formats:
            shown = name[:SHOWN_CHARACTERS]
            raise ValidationError({"format": [f"{shown!r}; expected one of {', '.join(formats)}."]})
        recording = as_recording(own)
        try:
            written = formats[name].write(SegmentFile((recording,)), Settings(rate=recording.rate))
        except ValueError as error:
            raise ValidationError({"format": [f"{formats[name].title}: {error}."]}) from error
        answer = HttpResponse(written.text, content_type="application/octet-stream")
        file = f"segments-{own.public_id}{formats[name].suffix}"
        answer["Content-Disposition"] = f'attachment; filename="{file}"'
        answer["X-Notes"] = notes_header(written.notes)
        return answer


class PastSegments(SegmentationEndpoint):
    @extend_schema(operation_id="segmentation_history_at", responses={200: PastSegmentsSerializer})
    def get(self, request: Request, public_id: str, head: int) -> Response:
        """Read the segments as they were after a gesture, from the log alone."""
        try:
            past = state_at(self.own(request, public_id), head)
        except GestureError as error:
            raise Http404(str(error)) from error
        return Response({"head": head, "segments": as_table(past.segments.values())})
