"""Endpoints of ingestion: how far the recordings of a data set are, and queue what is missing."""

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.records.access import ResearcherEndpoint
from annotation.launch import launch_ingest
from annotation.selectors.corpus import corpus
from annotation.selectors.videos.ingest import IngestState, ingest_report
from annotation.services.videos.ingest import cancel_ingest


class IngestItemSerializer(serializers.Serializer[None]):
    """One recording; `detail` says why it failed, why it has a proxy, or what is to be known."""

    stem = serializers.CharField()
    state = serializers.ChoiceField(choices=[(state, state) for state in IngestState])
    detail = serializers.CharField()
    done_frames = serializers.IntegerField()
    total_frames = serializers.IntegerField()


class IngestSerializer(serializers.Serializer[None]):
    """How many recordings are in each state, the seconds left at the pace so far, and each one."""

    counts = serializers.DictField(child=serializers.IntegerField())
    left_s = serializers.FloatField(allow_null=True)
    videos = IngestItemSerializer(many=True)


class IngestEndpoint(ResearcherEndpoint):
    @extend_schema(operation_id="dataset_ingest_state", responses={200: IngestSerializer})
    def get(self, request: Request, public_id: str) -> Response:
        """Tell how far the ingestion of the data set's recordings is."""
        dataset = corpus.get_dataset_for_user(self.user, public_id)
        return Response(ingest_report(dataset).to_dict())

    @extend_schema(operation_id="dataset_ingest", request=None, responses={200: IngestSerializer})
    def post(self, request: Request, public_id: str) -> Response:
        """Queue the recordings that are not ingested as they are now, failed ones included."""
        dataset = corpus.get_changeable_dataset(self.user, public_id)
        launch_ingest(dataset=dataset, actor=self.user)
        return Response(ingest_report(dataset).to_dict())

    @extend_schema(
        operation_id="dataset_ingest_cancel", request=None, responses={200: IngestSerializer}
    )
    def delete(self, request: Request, public_id: str) -> Response:
        """Cancel the recordings that wait or are being made; what is finished stays."""
        dataset = corpus.get_changeable_dataset(self.user, public_id)
        cancel_ingest(dataset=dataset, actor=self.user)
        return Response(ingest_report(dataset).to_dict())
