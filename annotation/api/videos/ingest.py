"""Endpoints of recordings: upload their files, tell how far their ingestion is, queue the rest."""

from dataclasses import asdict
from typing import Any, cast

from django.http import HttpRequest
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import serializers, status
from rest_framework.pagination import PageNumberPagination
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.settings import api_settings

from annotation.api.records.access import ResearcherEndpoint
from annotation.api.records.bodies import Body
from annotation.api.records.dataclass_serializer import DataclassSerializer
from annotation.api.records.refusals import RefusedError, RefusedSerializer
from annotation.backends.video_uploads import VideoUploadHandler
from annotation.launch import launch_ingest
from annotation.models import Dataset
from annotation.selectors.corpus import corpus
from annotation.selectors.videos.ingest import (
    IngestState,
    ingest_item,
    ingest_report,
    ingested_videos,
)
from annotation.services.videos.ingest import cancel_ingest
from annotation.services.videos.uploading import UploadNote, sent_videos, upload_videos


class IngestItemSerializer(serializers.Serializer[None]):
    """One recording; `detail` says why it failed, why it has a proxy, or what is to be known."""

    stem = serializers.CharField()
    state = serializers.ChoiceField(choices=[(state, state) for state in IngestState])
    detail = serializers.CharField()
    done_frames = serializers.IntegerField()
    total_frames = serializers.IntegerField()


class IngestSerializer(serializers.Serializer[None]):
    """How many recordings are in each state, the seconds left at the pace so far, and a page.

    `videos` are those of the page, the ones that need attention first; `next` is where more are.
    """

    counts = serializers.DictField(child=serializers.IntegerField())
    left_s = serializers.FloatField(allow_null=True)
    next = serializers.URLField(allow_null=True)
    previous = serializers.URLField(allow_null=True)
    videos = IngestItemSerializer(many=True)


PAGES = [
    OpenApiParameter("page", int, description="Which page of recordings, from 1"),
    OpenApiParameter("page_size", int, description="Recordings on a page: 50, at most 500"),
]


class IngestEndpoint(ResearcherEndpoint):
    @extend_schema(
        operation_id="dataset_ingest_state",
        parameters=PAGES,
        responses={
            200: IngestSerializer,
            404: OpenApiResponse(description="No such data set, or no such page"),
        },
    )
    def get(self, request: Request, public_id: str) -> Response:
        """Tell how far the ingestion of the data set's recordings is."""
        dataset = corpus.get_dataset_for_user(self.user, public_id)
        return _progress(request, dataset)

    @extend_schema(operation_id="dataset_ingest", request=None, responses={200: IngestSerializer})
    def post(self, request: Request, public_id: str) -> Response:
        """Queue the recordings that are not ingested as they are now, failed ones included."""
        dataset = corpus.get_changeable_dataset(self.user, public_id)
        launch_ingest(dataset=dataset, actor=self.user)
        return _progress(request, dataset)

    @extend_schema(
        operation_id="dataset_ingest_cancel", request=None, responses={200: IngestSerializer}
    )
    def delete(self, request: Request, public_id: str) -> Response:
        """Cancel the recordings that wait or are being made; what is finished stays."""
        dataset = corpus.get_changeable_dataset(self.user, public_id)
        cancel_ingest(dataset=dataset, actor=self.user)
        return _progress(request, dataset)


class VideoFilesSerializer(Body):
    """Files of recordings that have no video, or an upload, which a new one replaces.

    A file goes to the recording of its name; else `recordings` names them, in the order of the
    files, with "" where the name says it.
    """

    files = serializers.ListField(
        child=serializers.FileField(allow_empty_file=True), required=False, default=list
    )
    recordings = serializers.ListField(
        child=serializers.CharField(allow_blank=True, max_length=255), required=False, default=list
    )


class UploadNoteSerializer(DataclassSerializer[UploadNote]):
    pass


class UploadedSerializer(serializers.Serializer[None]):
    """The recordings that have a video now, and what is to be said about single files."""

    uploaded = serializers.ListField(child=serializers.CharField())
    refused = UploadNoteSerializer(many=True)
    warnings = UploadNoteSerializer(many=True)


class VideoFilesEndpoint(ResearcherEndpoint):
    parser_classes = [MultiPartParser]

    def initialize_request(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Request:
        self.handler = VideoUploadHandler(request)
        request.upload_handlers = [self.handler]
        return super().initialize_request(request, *args, **kwargs)

    @extend_schema(
        operation_id="dataset_upload_videos",
        request={"multipart/form-data": VideoFilesSerializer},
        responses={200: UploadedSerializer, 400: RefusedSerializer},
    )
    def post(self, request: Request, public_id: str) -> Response:
        """Take in the files of recordings without a video, and queue their ingestion."""
        dataset = corpus.get_changeable_dataset(self.user, public_id)
        body = VideoFilesSerializer.read(request)
        sent = sent_videos(body["files"], body["recordings"], self.handler.places)
        report = upload_videos(dataset=dataset, sent=sent, actor=self.user)
        refused = [UploadNote(*item) for item in self.handler.refused] + [*report.refused]
        if not report.videos:
            said = "; ".join(f"{note.file}: {note.message}" for note in refused)
            raise RefusedError(status.HTTP_400_BAD_REQUEST, said or "No file was given.")
        launch_ingest(dataset=dataset, actor=self.user, videos=report.videos)
        return Response(
            {
                "uploaded": [video.stem for video in report.videos],
                "refused": [asdict(note) for note in refused],
                "warnings": [asdict(note) for note in report.warnings],
            }
        )


def _progress(request: Request, dataset: Dataset) -> Response:
    report = ingest_report(dataset)
    pages = cast("type[PageNumberPagination]", api_settings.DEFAULT_PAGINATION_CLASS)()
    videos = pages.paginate_queryset(ingested_videos(dataset), request) or []
    return Response(
        {
            "counts": report.counts,
            "left_s": None if report.left_s is None else round(report.left_s, 1),
            "next": pages.get_next_link(),
            "previous": pages.get_previous_link(),
            "videos": [ingest_item(video).to_dict() for video in videos],
        }
    )
