"""Endpoints of the audit page: save changes, read the sheet, submit, reopen."""

from collections.abc import Callable, Iterable

from django.http import Http404
from drf_spectacular.utils import F, OpenApiResponse, extend_schema, extend_schema_view
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.ratings.bodies import (
    SAVE,
    InvalidChangeSerializer,
    RefusalSerializer,
    SavedSerializer,
    SaveSerializer,
    SheetSerializer,
    StatusSerializer,
)
from annotation.api.ratings.viewing import keep_viewing
from annotation.api.records.bodies import BodyError
from annotation.engine.exceptions import SHOWN_VALUE_CHARACTERS
from annotation.engine.ratings.changes import Answer, RatingChange, RatingKey
from annotation.engine.rubric.rubric import Metric
from annotation.models import Assignment
from annotation.permissions import signed_in_user
from annotation.selectors.ratings.assignments import (
    CurrentRating,
    assignment_for_rater,
    rating_sheet,
)
from annotation.services.ratings import assignments, saving
from annotation.services.ratings.errors import (
    ContentReplacedError,
    IncompleteError,
    InvalidChangeError,
    InvalidRemarkError,
    RatingConflictError,
    RatingError,
    RatingsClosedError,
    RemarkConflictError,
    UnknownEventError,
)
from annotation.services.ratings.viewing import store_viewing


def _key(key: RatingKey) -> dict[str, object]:
    return {"event": key.event_index, "metric": key.metric.value}


def _answer(answer: Answer) -> dict[str, object]:
    return {
        "value": answer.value or None,
        "confidence": answer.confidence,
        "cannot_judge": answer.cannot_judge or None,
    }


def _ratings(ratings: Iterable[CurrentRating]) -> list[dict[str, object]]:
    return [
        {
            **_key(rating.key),
            **_answer(rating.answer),
            "is_implied": rating.is_implied,
            "revision": rating.revision,
        }
        for rating in ratings
    ]


def _answer_to(error: RatingError) -> BodyError | Http404:
    body: dict[str, object] = {"detail": str(error)}
    code: int = status.HTTP_409_CONFLICT
    match error:
        case UnknownEventError():
            return Http404(str(error))
        case InvalidRemarkError():
            code = status.HTTP_400_BAD_REQUEST
            body |= {
                "code": "invalid",
                "sequence": error.change.sequence,
                "event": error.change.key.event_index,
                "kind": error.change.key.kind.value,
                "field": error.field,
                "expected": error.expected,
            }
        case InvalidChangeError():
            value = error.value
            code = status.HTTP_400_BAD_REQUEST
            body |= {
                "code": "invalid",
                "sequence": error.change.sequence,
                **_key(error.change.key),
                "field": error.field,
                "value": value[:SHOWN_VALUE_CHARACTERS] if isinstance(value, str) else value,
                "expected": error.expected,
            }
        case RemarkConflictError():
            conflicts = [_remark_conflict(error)]
            body |= {"code": "conflict", "saved": list(error.saved), "conflicts": conflicts}
        case RatingConflictError():
            conflicts = [_conflict_body(error)]
            body |= {"code": "conflict", "saved": list(error.saved), "conflicts": conflicts}
        case RatingsClosedError():
            body |= {"code": error.code, "saved": list(error.saved)}
        case ContentReplacedError():
            body["code"] = "replaced"
        case IncompleteError():
            body |= {"code": "incomplete", "missing": [_key(key) for key in error.missing]}
    return BodyError(code, body)


def _remark_conflict(error: RemarkConflictError) -> dict[str, object]:
    return {
        "sequence": error.mine.sequence,
        "event": error.mine.key.event_index,
        "kind": error.mine.key.kind.value,
        "mine": {"text": error.mine.text},
        "theirs": {
            "text": error.theirs.text,
            "revision": error.theirs.revision,
            "written_at": error.theirs.written_at.isoformat(),
        },
    }


def _conflict_body(error: RatingConflictError) -> dict[str, object]:
    mine, theirs = error.conflict.mine, error.conflict.theirs
    return {
        "sequence": mine.sequence,
        **_key(mine.key),
        "mine": _answer(mine.answer),
        "theirs": {
            **_answer(theirs.answer),
            "is_implied": theirs.is_implied,
            "revision": theirs.revision,
            "rated_at": theirs.rated_at and theirs.rated_at.isoformat(),
        },
    }


class AssignmentEndpoint(APIView):
    """An endpoint of one of the user's own assignments."""

    def assignment(self, request: Request, public_id: str) -> Assignment:
        return assignment_for_rater(signed_in_user(request), public_id)

    def handle_exception(self, exc: Exception) -> Response:
        if isinstance(exc, Assignment.DoesNotExist):
            exc = Http404("no such assignment")
        if isinstance(exc, RatingError):
            exc = _answer_to(exc)
        return super().handle_exception(exc)


class ChangesEndpoint(AssignmentEndpoint):
    @extend_schema(
        operation_id="assignment_changes_save",
        request=SaveSerializer,
        responses={
            200: SavedSerializer,
            400: OpenApiResponse(
                InvalidChangeSerializer, description="A change that the rubric does not take."
            ),
            404: OpenApiResponse(description="No such assignment or event"),
            409: RefusalSerializer,
        },
    )
    def post(self, request: Request, public_id: str) -> Response:
        """Save changes in order; the same change sent twice counts once."""
        # `null` is JSON too, and lacks every field.
        body = SAVE.run_validation({} if request.data is None else request.data)
        result = saving.save_changes(
            public_id=public_id,
            client_id=body["client_id"],
            changes=[
                RatingChange(
                    sequence=change["sequence"],
                    key=RatingKey(change["event"], Metric(change["metric"])),
                    answer=Answer(
                        change["value"] or "", change["confidence"], change["cannot_judge"] or ""
                    ),
                    base_revision=change["base_revision"],
                    rated_at=change["rated_at"],
                )
                for change in body["changes"]
            ],
            actor=signed_in_user(request),
            content=body.get("content"),
        )
        keep_viewing(store_viewing, public_id, body, signed_in_user(request))
        return Response(
            {
                "saved": result.saved,
                "ratings": _ratings(result.ratings),
                "missing_count": result.missing_count,
                "status": result.status,
            }
        )


class SheetEndpoint(AssignmentEndpoint):
    @extend_schema(operation_id="assignment_ratings", responses={200: SheetSerializer})
    def get(self, request: Request, public_id: str) -> Response:
        """Return every current rating of the assignment and what is missing."""
        sheet = rating_sheet(self.assignment(request, public_id))
        return Response(
            {
                "ratings": _ratings(sheet.ratings),
                "missing": [_key(key) for key in sheet.missing],
                "missing_count": len(sheet.missing),
                "status": sheet.status,
            }
        )


def _status_schema(operation_id: str) -> Callable[[F], F]:
    return extend_schema(
        operation_id=operation_id,
        request=None,
        responses={200: StatusSerializer, 409: RefusalSerializer},
    )


class _StatusEndpoint(AssignmentEndpoint):
    """Changes the status of one's own assignment."""

    change: Callable[..., Assignment]

    def post(self, request: Request, public_id: str) -> Response:
        assignment = self.assignment(request, public_id)
        changed = self.change(assignment=assignment, actor=signed_in_user(request))
        return Response({"status": changed.status})


@extend_schema_view(post=_status_schema("assignment_submit"))
class SubmitEndpoint(_StatusEndpoint):
    """Finish the assignment; 409 lists what is missing."""

    change = staticmethod(assignments.submit_assignment)


@extend_schema_view(post=_status_schema("assignment_skip"))
class SkipEndpoint(_StatusEndpoint):
    """Put the assignment behind all others of your queue; it stays open."""

    change = staticmethod(assignments.skip_assignment)


@extend_schema_view(post=_status_schema("assignment_reopen"))
class ReopenEndpoint(_StatusEndpoint):
    """Open a submitted assignment again, until its campaign closes."""

    change = staticmethod(assignments.reopen_assignment)
