"""Endpoints of step proposals: start, read, audit, cancel, go on, delete.

Researchers and administrators only; what is not yours is 404.
"""

from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.records.access import ResearcherEndpoint
from annotation.api.records.bodies import Body
from annotation.api.records.refusals import RefusedSerializer
from benchmarks import launch
from benchmarks.api.bodies import QueuedJobsSerializer
from benchmarks.api.questions import GoOnSerializer
from benchmarks.models import ProposedRecording, StepProposals
from benchmarks.selectors.proposals import (
    get_proposals_for_user,
    is_left_out,
    state_of_proposals,
    visible_proposals,
)
from benchmarks.services.proposals import (
    ProposalsRequest,
    cancel_proposals,
    delete_proposals,
    start_audit,
)


class StepProposalsSerializer(serializers.ModelSerializer[StepProposals]):
    """Proposals and how far they are."""

    dataset = serializers.CharField(source="dataset.public_id")
    features = serializers.CharField(source="features_name")
    describer = serializers.CharField(source="describer_name")
    owner = serializers.CharField(source="owner.username", allow_null=True, default=None)
    state = serializers.SerializerMethodField()
    done_count = serializers.IntegerField(source="job.done_count", default=None, allow_null=True)
    total_count = serializers.IntegerField(source="job.total_count", default=None, allow_null=True)
    error = serializers.CharField(source="job.error", default="")
    campaign = serializers.CharField(
        source="audit.campaign.public_id", allow_null=True, default=None,
        help_text="In which people check them",
    )  # fmt: skip

    class Meta:
        model = StepProposals
        fields = (
            "public_id", "name", "dataset", "features", "describer", "budget_usd", "owner", "state",
            "done_count", "total_count", "error", "campaign", "created_at", "finished_at",
        )  # fmt: skip

    def get_state(self, proposals: StepProposals) -> str:
        return state_of_proposals(proposals)


class ProposedStepSerializer(serializers.Serializer[Any]):
    start_s = serializers.FloatField()
    end_s = serializers.FloatField()
    place = serializers.IntegerField(
        allow_null=True, help_text="Of the step in the procedure, from 0; null for no step"
    )
    caption = serializers.CharField(allow_blank=True)


class EdgeErrorsSerializer(serializers.Serializer[Any]):
    """How far edges are from those of the data set; `near` by seconds, of inner edges."""

    matched = serializers.IntegerField()
    steps = serializers.IntegerField()
    median_s = serializers.FloatField(allow_null=True)
    mean_s = serializers.FloatField(allow_null=True)
    inner = serializers.IntegerField()
    near = serializers.DictField(child=serializers.FloatField())


class ProposedRecordingSerializer(serializers.ModelSerializer[ProposedRecording]):
    steps = ProposedStepSerializer(many=True)
    edge_errors = EdgeErrorsSerializer(source="stages.errors", allow_null=True, default=None)
    errors_of_equal_pieces = EdgeErrorsSerializer(
        source="stages.even", allow_null=True, default=None
    )
    is_left_out = serializers.SerializerMethodField()

    class Meta:
        model = ProposedRecording
        fields = ("key", "steps", "edge_errors", "errors_of_equal_pieces", "is_left_out", "fault")

    def get_is_left_out(self, row: ProposedRecording) -> bool:
        return is_left_out(row)


class NewProposalsSerializer(Body):
    """Features, which recordings of theirs, and the model that captions (empty: none).

    Instead of features a data set and what computes them first.
    """

    name = serializers.CharField(max_length=200)
    features = serializers.CharField(
        max_length=16, default="", allow_blank=True, help_text="The id of finished features"
    )
    dataset = serializers.CharField(
        max_length=16, default="", allow_blank=True, help_text="The id of a data set"
    )
    extractor = serializers.CharField(
        max_length=64, default="", allow_blank=True, help_text="Computes what is not there yet"
    )
    recordings = serializers.CharField(
        default="", allow_blank=True, max_length=10_000, help_text="Names, separated by blanks"
    )
    describer = serializers.CharField(max_length=16, default="", allow_blank=True)
    budget_usd = serializers.FloatField(default=None, allow_null=True)


class ProposalsAuditSerializer(Body):
    name = serializers.CharField(max_length=200, help_text="Of the campaign")


class StepProposalsList(ResearcherEndpoint, generics.ListAPIView[StepProposals]):
    """List your step proposals, newest first."""

    serializer_class = StepProposalsSerializer
    queryset = StepProposals.objects.none()

    def get_queryset(self) -> QuerySet[StepProposals]:
        related = ("dataset", "owner", "job", "audit__campaign")
        return visible_proposals(self.user).select_related(*related).order_by("-pk")

    @extend_schema(
        operation_id="step_proposals_start",
        request=NewProposalsSerializer,
        responses={201: StepProposalsSerializer},
    )
    def post(self, request: Request) -> Response:
        """Queue step proposals for recordings that have features, or have them computed first."""
        body = NewProposalsSerializer.read(request)
        proposals = launch.launch_proposals(request=ProposalsRequest(**body), actor=self.user)
        data = StepProposalsSerializer(proposals).data
        return Response(data, status=status.HTTP_201_CREATED)


class StepProposalsDetail(ResearcherEndpoint):
    @extend_schema(operation_id="step_proposals", responses={200: StepProposalsSerializer})
    def get(self, request: Request, public_id: str) -> Response:
        """Return proposals and how far they are."""
        return Response(StepProposalsSerializer(get_proposals_for_user(self.user, public_id)).data)

    @extend_schema(
        operation_id="step_proposals_delete", responses={204: None, 409: RefusedSerializer}
    )
    def delete(self, request: Request, public_id: str) -> Response:
        """Delete proposals; an audit of them stays."""
        proposals = get_proposals_for_user(self.user, public_id)
        delete_proposals(proposals=proposals, actor=self.user)
        return Response(status=status.HTTP_204_NO_CONTENT)


class ProposedRecordingList(ResearcherEndpoint, generics.ListAPIView[ProposedRecording]):
    """List the proposed steps of each recording."""

    serializer_class = ProposedRecordingSerializer
    queryset = ProposedRecording.objects.none()

    def get_queryset(self) -> QuerySet[ProposedRecording]:
        proposals = get_proposals_for_user(self.user, self.kwargs["public_id"])
        return proposals.recordings.order_by("position")


class StepProposalsAudit(ResearcherEndpoint):
    @extend_schema(
        operation_id="step_proposals_audit",
        request=ProposalsAuditSerializer,
        responses={201: StepProposalsSerializer, 409: RefusedSerializer},
    )
    def post(self, request: Request, public_id: str) -> Response:
        """Plan a campaign in which people check the proposals without knowing what they are."""
        proposals = get_proposals_for_user(self.user, public_id)
        body = ProposalsAuditSerializer.read(request)
        start_audit(proposals=proposals, actor=self.user, **body)
        proposals = get_proposals_for_user(self.user, public_id)
        data = StepProposalsSerializer(proposals).data
        return Response(data, status=status.HTTP_201_CREATED)


class StepProposalsCancel(ResearcherEndpoint):
    @extend_schema(
        operation_id="step_proposals_cancel", request=None, responses={200: QueuedJobsSerializer}
    )
    def post(self, request: Request, public_id: str) -> Response:
        """Stop proposing; stages that are stored stay."""
        proposals = get_proposals_for_user(self.user, public_id)
        return Response({"jobs": cancel_proposals(proposals=proposals, actor=self.user)})


class StepProposalsResume(ResearcherEndpoint):
    @extend_schema(
        operation_id="step_proposals_resume",
        request=GoOnSerializer,
        responses={200: QueuedJobsSerializer},
    )
    def post(self, request: Request, public_id: str) -> Response:
        """Go on with what was stopped, with another budget if one is given."""
        proposals = get_proposals_for_user(self.user, public_id)
        body = GoOnSerializer.read(request)
        jobs = launch.resume_proposals(proposals=proposals, actor=self.user, **body)
        return Response({"jobs": jobs})
