"""What raters say besides their answers: saved by the audit page, read by the campaign's people."""

from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.ratings.bodies import (
    CLIENT_ID_CHARACTERS,
    MAX_CHANGES,
    MAX_INTEGER,
    MAX_SEQUENCE,
    refuse_future,
)
from annotation.api.ratings.ratings import AssignmentEndpoint
from annotation.api.records.access import ResearcherEndpoint
from annotation.api.records.bodies import Body
from annotation.api.records.dataclass_serializer import DataclassSerializer
from annotation.engine.corpus.content_hash import VERSION_CHARACTERS
from annotation.engine.ratings.remarks import (
    MAX_CHARACTERS,
    RemarkChange,
    RemarkKey,
    RemarkKind,
    RemarkState,
)
from annotation.permissions import signed_in_user
from annotation.selectors.campaigns.campaigns import get_readable_campaign
from annotation.selectors.ratings.remarks import CANNOT_JUDGE, SKIPPED, RaterNote, notes_of
from annotation.services.ratings.remarks import save_remarks

KINDS = [item.value for item in RemarkKind]


class NewRemarkSerializer(Body):
    """One text, empty to take it back; `event` is its index, null for the whole trace."""

    sequence = serializers.IntegerField(min_value=0, max_value=MAX_SEQUENCE)
    event = serializers.IntegerField(allow_null=True, min_value=0, max_value=MAX_INTEGER)
    kind = serializers.ChoiceField(choices=KINDS)
    text = serializers.CharField(allow_blank=True, max_length=MAX_CHARACTERS, trim_whitespace=False)
    base_revision = serializers.IntegerField(min_value=0, max_value=MAX_INTEGER)
    written_at = serializers.DateTimeField(validators=[refuse_future])


class SaveRemarksSerializer(Body):
    """Remarks; with `content`, the version that the page was made of, they count only for that."""

    client_id = serializers.CharField(max_length=CLIENT_ID_CHARACTERS)
    content = serializers.CharField(max_length=VERSION_CHARACTERS, required=False)
    remarks = serializers.ListField(
        child=NewRemarkSerializer(), allow_empty=False, max_length=MAX_CHANGES
    )


class RemarkSerializer(serializers.Serializer[None]):
    event = serializers.IntegerField(allow_null=True)
    kind = serializers.ChoiceField(choices=KINDS)
    text = serializers.CharField()
    revision = serializers.IntegerField()


class SavedRemarksSerializer(serializers.Serializer[None]):
    saved = serializers.ListField(child=serializers.IntegerField())
    remarks = RemarkSerializer(many=True)


class RemarkTextSerializer(serializers.Serializer[None]):
    text = serializers.CharField()


class OtherRemarkSerializer(RemarkTextSerializer):
    revision = serializers.IntegerField()
    written_at = serializers.DateTimeField()


class RemarkConflictSerializer(serializers.Serializer[None]):
    sequence = serializers.IntegerField()
    event = serializers.IntegerField(allow_null=True)
    kind = serializers.ChoiceField(choices=KINDS)
    mine = RemarkTextSerializer()
    theirs = OtherRemarkSerializer()


class InvalidRemarkSerializer(serializers.Serializer[None]):
    """The remark that is not possible there: its field and what was expected."""

    code = serializers.CharField()
    detail = serializers.CharField()
    sequence = serializers.IntegerField()
    event = serializers.IntegerField(allow_null=True)
    kind = serializers.ChoiceField(choices=KINDS)
    field = serializers.CharField()
    expected = serializers.CharField()


class RemarkRefusalSerializer(serializers.Serializer[None]):
    """Why nothing more was saved; `code`: conflict, closed, submitted, consent or replaced."""

    code = serializers.CharField()
    detail = serializers.CharField()
    saved = serializers.ListField(child=serializers.IntegerField(), required=False)
    conflicts = RemarkConflictSerializer(many=True, required=False)


def remark_dict(key: RemarkKey, state: RemarkState) -> dict[str, object]:
    return {
        "event": key.event_index,
        "kind": key.kind.value,
        "text": state.text,
        "revision": state.revision,
    }


class RemarksEndpoint(AssignmentEndpoint):
    @extend_schema(
        operation_id="assignment_remarks_save",
        request=SaveRemarksSerializer,
        responses={
            200: SavedRemarksSerializer,
            400: OpenApiResponse(
                InvalidRemarkSerializer, description="A remark of a kind that is not possible there"
            ),
            404: OpenApiResponse(description="No such assignment or event"),
            409: RemarkRefusalSerializer,
        },
    )
    def post(self, request: Request, public_id: str) -> Response:
        """Save comments and reports of broken videos in order; one sent twice counts once."""
        body = SaveRemarksSerializer.read(request)
        changes = [
            RemarkChange(
                sequence=item["sequence"],
                key=RemarkKey(item["event"], RemarkKind(item["kind"])),
                text=item["text"],
                base_revision=item["base_revision"],
                written_at=item["written_at"],
            )
            for item in body["remarks"]
        ]
        states = save_remarks(
            public_id=public_id,
            client_id=body["client_id"],
            remarks=changes,
            actor=signed_in_user(request),
            content=body.get("content"),
        )
        return Response(
            {
                "saved": [change.sequence for change in changes],
                "remarks": [remark_dict(key, state) for key, state in states.items()],
            }
        )


class SaidSerializer(DataclassSerializer[RaterNote]):
    """One thing that a rater said; `metric` is set where an answer could not be given."""

    kind = serializers.ChoiceField(choices=[*KINDS, CANNOT_JUDGE, SKIPPED])

    class Meta:
        help_texts = {"event": "Empty for the whole trace."}


class CampaignRemarks(ResearcherEndpoint):
    @extend_schema(operation_id="campaign_remarks", responses={200: SaidSerializer(many=True)})
    def get(self, request: Request, public_id: str) -> Response:
        """Return what the raters of a campaign said besides their answers, the latest first."""
        campaign = get_readable_campaign(self.user, public_id)
        return Response(SaidSerializer(notes_of(campaign), many=True).data)
