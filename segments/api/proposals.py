"""The endpoint that fills a round of segments from files of predictions."""

from functools import partial
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.corpus.imports import uploaded
from annotation.api.records.bodies import Body
from annotation.api.records.dataclass_serializer import DataclassSerializer
from annotation.api.records.refusals import RefusedSerializer
from annotation.engine.limits import limits
from annotation.selectors.corpus.blinding import refuse_while_rating
from segments.api.rounds import SegmentRoundEndpoint
from segments.formats.exchange import segment_formats
from segments.selectors.rounds import segment_round_of
from segments.services.proposals import (
    Outcome,
    ProposalReport,
    ProposalRequest,
    RecordingReport,
    import_proposals,
    store_proposals,
)


class ProposalsSerializer(Body):
    """Files of predictions, and what the files leave out."""

    files = serializers.ListField(child=serializers.FileField(), allow_empty=False)
    format = serializers.ChoiceField(choices=[])
    source = serializers.CharField(  # type: ignore[assignment]
        **limits(ProposalRequest, "source")
    )
    rate = serializers.FloatField(
        allow_null=True, **limits(ProposalRequest, "rate", default_as="default")
    )
    first_frame = serializers.ChoiceField(choices=[0, 1], default=1)
    dry_run = serializers.BooleanField(default=False)

    def get_fields(self) -> dict[str, Any]:
        fields = super().get_fields()
        fields["format"] = serializers.ChoiceField(choices=list(segment_formats()))
        return fields


class ReportedRecordingSerializer(DataclassSerializer[RecordingReport]):
    outcome = serializers.ChoiceField(choices=[outcome.value for outcome in Outcome])


class ProposalReportSerializer(DataclassSerializer[ProposalReport]):
    """The result of an import or dry run: counts of recordings by outcome, and each recording."""

    new = serializers.IntegerField(source="counts.new")
    same = serializers.IntegerField(source="counts.same")
    differing = serializers.IntegerField(source="counts.differing")
    begun = serializers.IntegerField(source="counts.begun")
    recordings = ReportedRecordingSerializer(many=True)


class SegmentRoundProposals(SegmentRoundEndpoint):
    parser_classes = [MultiPartParser]

    @extend_schema(
        operation_id="segment_round_import",
        request={"multipart/form-data": ProposalsSerializer},
        responses={200: ProposalReportSerializer, 400: RefusedSerializer, 409: RefusedSerializer},
    )
    def post(self, request: Request, public_id: str, number: int) -> Response:
        """Give the recordings of a round the segments of files; a dry run only reports."""
        round_ = segment_round_of(self.changeable(public_id), number)
        refuse_while_rating(self.user, round_.campaign)
        body = ProposalsSerializer.read(request)
        files, is_dry_run = body.pop("files"), body.pop("dry_run")
        import_request = ProposalRequest(**body)
        store = partial(store_proposals, round_=round_)
        with uploaded(self.user, files, import_request, store=store) as upload:
            report = import_proposals(
                round_=round_,
                paths=[upload.path],
                request=import_request,
                actor=self.user,
                is_dry_run=is_dry_run,
            )
        return Response(ProposalReportSerializer(report).data)
