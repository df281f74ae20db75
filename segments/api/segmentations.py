"""Endpoints of the segment page: read, save gestures and answers, submit, review."""

from collections.abc import Callable

from django.db.models import QuerySet
from django.http import Http404
from drf_spectacular.utils import F, OpenApiResponse, extend_schema, extend_schema_view
from rest_framework import status
from rest_framework.generics import ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.ratings.viewing import ViewingSerializer, keep_viewing, reports_of
from annotation.api.records.bodies import Body, BodyError
from annotation.permissions import signed_in_user
from segments.api.bodies import (
    SAVE_GESTURES,
    FaultSerializer,
    InvalidGestureSerializer,
    OwnSegmentationSerializer,
    RejectSerializer,
    ReturnSerializer,
    SaveChecksSerializer,
    SavedChecksSerializer,
    SavedGesturesSerializer,
    SaveGesturesSerializer,
    SegmentationSerializer,
    SegmentRefusalSerializer,
    StatusOfSegmentsSerializer,
)
from segments.engine.model import as_table
from segments.models import RejectReason, Segmentation
from segments.selectors.saving import StandingAnswer
from segments.selectors.segmentations import segmentation_for_person, segmentations_of
from segments.services import segmentations
from segments.services.errors import (
    SHOWN_CHARACTERS,
    CheckConflictError,
    GestureConflictError,
    IncompleteWorkError,
    InvalidGestureError,
    SegmentError,
    SegmentsClosedError,
)
from segments.services.pages import open_segments
from segments.services.saving import SentCheck, SentGesture, save_checks, save_gestures
from segments.services.viewing import store_segment_viewing


def _answer_to(error: SegmentError) -> BodyError:
    body: dict[str, object] = {"detail": str(error)}
    code: int = status.HTTP_409_CONFLICT
    match error:
        case InvalidGestureError():
            value = error.value
            code = status.HTTP_400_BAD_REQUEST
            body |= {
                "code": "invalid",
                "sequence": error.sequence,
                "key": error.key,
                "field": error.field,
                "value": value[:SHOWN_CHARACTERS] if isinstance(value, str) else value,
                "expected": error.expected,
            }
        case GestureConflictError():
            body |= {
                "code": "conflict",
                "saved": list(error.saved),
                "sequence": error.sequence,
                "mine": [segment.to_dict() for segment in error.mine],
                "theirs": [segment.to_dict() for segment in error.theirs],
            }
        case CheckConflictError():
            body |= {
                "code": "conflict",
                "saved": list(error.saved),
                "sequence": error.sequence,
                "theirs": [error.theirs.to_dict()],
            }
        case SegmentsClosedError():
            body |= {"code": error.code, "saved": list(error.saved)}
            if error.sequence is not None:
                body["sequence"] = error.sequence
        case IncompleteWorkError():
            body |= {
                "code": "incomplete",
                "faults": FaultSerializer(error.faults, many=True).data,
                "unanswered": [{"key": key, "question": name} for key, name in error.unanswered],
            }
    return BodyError(code, body)


class SegmentationEndpoint(APIView):
    def own(self, request: Request, public_id: str) -> Segmentation:
        return segmentation_for_person(signed_in_user(request), public_id)

    def handle_exception(self, exc: Exception) -> Response:
        if isinstance(exc, Segmentation.DoesNotExist):
            exc = Http404("no such segmentation")
        if isinstance(exc, SegmentError):
            exc = _answer_to(exc)
        return super().handle_exception(exc)


class OwnSegmentations(ListAPIView[Segmentation]):
    """List the recordings that you segment, round by round."""

    serializer_class = OwnSegmentationSerializer

    def get_queryset(self) -> QuerySet[Segmentation]:
        own = segmentations_of(signed_in_user(self.request))
        related = ("round__campaign", "round__segments", "recording__take")
        return own.select_related(*related).order_by("round_id", "position", "pk")


class SegmentationDetail(SegmentationEndpoint):
    @extend_schema(operation_id="segmentation", responses={200: SegmentationSerializer})
    def get(self, request: Request, public_id: str) -> Response:
        """Read one of your recordings; the first time this stores its proposals."""
        return Response(open_segments(signed_in_user(request), public_id).payload)


class GesturesEndpoint(SegmentationEndpoint):
    @extend_schema(
        operation_id="segmentation_gestures_save",
        request=SaveGesturesSerializer,
        responses={
            200: SavedGesturesSerializer,
            400: OpenApiResponse(
                InvalidGestureSerializer, description="An impossible gesture; nothing is saved."
            ),
            409: SegmentRefusalSerializer,
        },
    )
    def post(self, request: Request, public_id: str) -> Response:
        """Save gestures in order, each whole or not at all; one that is sent twice counts once."""
        # A body of `null` is valid JSON and lacks every field.
        body = SAVE_GESTURES.run_validation({} if request.data is None else request.data)
        result = save_gestures(
            public_id=public_id,
            client_id=body["client_id"],
            gestures=[
                SentGesture(sent["sequence"], sent["made_at"], sent) for sent in body["gestures"]
            ],
            actor=signed_in_user(request),
            content=body.get("content"),
        )
        keep_viewing(store_segment_viewing, public_id, body, signed_in_user(request))
        return Response(
            {
                "saved": result.saved,
                "head": result.head,
                "segments": as_table(result.segments),
                "status": result.status,
            }
        )


class ChecksEndpoint(SegmentationEndpoint):
    @extend_schema(
        operation_id="segmentation_checks_save",
        request=SaveChecksSerializer,
        responses={
            200: SavedChecksSerializer,
            400: OpenApiResponse(
                InvalidGestureSerializer, description="An impossible answer; nothing is saved."
            ),
            409: SegmentRefusalSerializer,
        },
    )
    def post(self, request: Request, public_id: str) -> Response:
        """Save answers to questions about segments; they count until the segment is changed."""
        body = SaveChecksSerializer.read(request)
        result = save_checks(
            public_id=public_id,
            client_id=body["client_id"],
            checks=[
                SentCheck(
                    sent["sequence"],
                    sent["made_at"],
                    StandingAnswer(
                        sent["key"],
                        sent["segment_revision"],
                        sent["question"],
                        sent["answer"],
                        sent["note"],
                    ),
                )
                for sent in body["checks"]
            ],
            actor=signed_in_user(request),
            content=body.get("content"),
        )
        keep_viewing(store_segment_viewing, public_id, body, signed_in_user(request))
        return Response(SavedChecksSerializer(result).data)


class SegmentViewingEndpoint(SegmentationEndpoint):
    @extend_schema(
        operation_id="segmentation_viewing", request=ViewingSerializer, responses={204: None}
    )
    def post(self, request: Request, public_id: str) -> Response:
        """Store which parts of the recording you watched, as side `trace` of the reports."""
        body = ViewingSerializer.read(request)
        store_segment_viewing(
            public_id=public_id, reports=reports_of(body), actor=signed_in_user(request)
        )
        return Response(status=status.HTTP_204_NO_CONTENT)


def _status_schema(operation_id: str, request: type[Body] | None = None) -> Callable[[F], F]:
    return extend_schema(
        operation_id=operation_id,
        request=request,
        responses={200: StatusOfSegmentsSerializer, 409: SegmentRefusalSerializer},
    )


class _StatusEndpoint(SegmentationEndpoint):
    """Changes the status of one's own segmentation; its request has no body."""

    change: Callable[..., Segmentation]

    def post(self, request: Request, public_id: str) -> Response:
        own = self.change(public_id=public_id, actor=signed_in_user(request))
        return Response({"status": own.status})


@extend_schema_view(post=_status_schema("segmentation_submit"))
class SegmentSubmission(_StatusEndpoint):
    """Submit it; 409 lists the faults and open questions that are left."""

    change = staticmethod(segmentations.submit)


@extend_schema_view(post=_status_schema("segmentation_reopen"))
class SegmentReopening(_StatusEndpoint):
    """Reopen submitted or rejected work, until its round closes."""

    change = staticmethod(segmentations.reopen)


@extend_schema_view(post=_status_schema("segmentation_carry_over"))
class SegmentCarryOver(_StatusEndpoint):
    """Go on with a recording that was replaced: segments keep the ids of their steps."""

    change = staticmethod(segmentations.carry_over)


class SegmentRejection(SegmentationEndpoint):
    @_status_schema("segmentation_reject", request=RejectSerializer)
    def post(self, request: Request, public_id: str) -> Response:
        """Say that the recording cannot be segmented, and why."""
        body = RejectSerializer.read(request)
        own = segmentations.reject(
            public_id=public_id,
            reason=RejectReason(body["reason"]),
            note=body["note"],
            actor=signed_in_user(request),
        )
        return Response({"status": own.status})


class SegmentReturn(SegmentationEndpoint):
    @_status_schema("segmentation_return", request=ReturnSerializer)
    def post(self, request: Request, public_id: str) -> Response:
        """Return the work that you review to its author; your review waits until it comes back."""
        body = ReturnSerializer.read(request)
        own = segmentations.return_to_author(
            public_id=public_id, note=body["note"], actor=signed_in_user(request)
        )
        return Response({"status": own.status})


@extend_schema_view(post=_status_schema("segmentation_accept"))
class SegmentAcceptance(_StatusEndpoint):
    """Accept the work that you review, and submit your review."""

    change = staticmethod(segmentations.accept)
