"""Endpoints that change the corpus: import annotation files, choose a reference, link videos."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers, status
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.records.access import ResearcherEndpoint
from annotation.api.records.bodies import Body
from annotation.api.records.dataclass_serializer import DataclassSerializer
from annotation.api.records.refusals import RefusedError, RefusedSerializer
from annotation.engine.corpus.formats.errors import FormatError
from annotation.engine.corpus.formats.registry import available_formats
from annotation.engine.corpus.procedure import ReadingWarning
from annotation.engine.ratings.columns import VERSION_CHARACTERS
from annotation.launch import launch_ingest
from annotation.models import User
from annotation.selectors.corpus import corpus
from annotation.selectors.videos.files import opened_places
from annotation.services.corpus.import_plan import ImportRefusedError
from annotation.services.corpus.import_preview import confirm_upload, preview_upload
from annotation.services.corpus.imports import ImportOutcome
from annotation.services.corpus.references import change_reference
from annotation.services.corpus.uploads import (
    RequestT,
    Upload,
    UploadRefusedError,
    UploadRequest,
    discard_upload,
    keep_files,
    store_upload,
)
from annotation.services.ratings.imports.files import (
    RATERS_CHARACTERS,
    RatingRequest,
    import_rating_files,
)
from annotation.services.videos.linking import (
    FileNote,
    VideoLinkError,
    link_videos,
    may_link_videos,
)


class WarningSerializer(DataclassSerializer[ReadingWarning]):
    pass


class ImportedSerializer(serializers.Serializer[None]):
    """What came in, or would come in on a dry run; the same object as the command's `--json`."""

    takes = serializers.IntegerField()
    steps = serializers.IntegerField()
    traces = serializers.IntegerField()
    trace_steps = serializers.IntegerField()
    events = serializers.IntegerField()
    native_labels = serializers.DictField(child=serializers.IntegerField())
    derived = serializers.DictField(child=serializers.IntegerField())
    created = serializers.IntegerField()
    updated = serializers.IntegerField()
    unchanged = serializers.IntegerField()
    warnings = WarningSerializer(many=True)
    dataset = serializers.CharField(allow_null=True)


class ImportSerializer(Body):
    """The files of one import: one file, several, or one zip archive with the folder.

    Without a `format` the files tell it.
    """

    name = serializers.CharField(max_length=200)
    format = serializers.ChoiceField(choices=[], required=False)
    files = serializers.ListField(child=serializers.FileField(), allow_empty=False)
    is_shared = serializers.BooleanField(default=False)
    dry_run = serializers.BooleanField(default=False)

    def get_fields(self) -> dict[str, Any]:
        fields = super().get_fields()
        fields["format"] = serializers.ChoiceField(
            choices=list(available_formats()), required=False
        )
        return fields


@contextmanager
def uploaded(
    user: User,
    files: Iterable["UploadedFile[Any]"],
    request: RequestT,
    store: Callable[..., Upload[RequestT]] = keep_files,
) -> Iterator[Upload[RequestT]]:
    """The files while they are read; 400 says what is wrong with them."""
    try:
        upload = store(user=user, files=files, request=request)
    except UploadRefusedError as error:
        raise RefusedError(status.HTTP_400_BAD_REQUEST, str(error)) from error
    try:
        yield upload
    except FormatError as error:
        raise RefusedError.of_files(error) from error
    finally:
        discard_upload(user=user, upload_id=upload.upload_id)


class ImportEndpoint(ResearcherEndpoint):
    parser_classes = [MultiPartParser]

    @extend_schema(
        operation_id="dataset_import",
        request={"multipart/form-data": ImportSerializer},
        responses={200: ImportedSerializer, 400: RefusedSerializer},
    )
    def post(self, request: Request) -> Response:
        """Import files as a data set, or with `dry_run` say what would come in."""
        body = ImportSerializer.read(request)
        terms = UploadRequest(
            dataset_name=body["name"],
            format=body.get("format", ""),
            is_shared=body["is_shared"],
        )
        with uploaded(self.user, body["files"], terms, store=store_upload) as upload:
            try:
                outcome = self.dry_run(upload) if body["dry_run"] else None
                imported = outcome or confirm_upload(upload=upload, user=self.user)
            except (FormatError, ImportRefusedError) as error:
                words = "The import was refused; nothing was written."
                raise RefusedError(status.HTTP_400_BAD_REQUEST, words, error.problems) from error
        return Response(imported.to_dict() | {"dataset": imported.dataset_id})

    def dry_run(self, upload: Upload[UploadRequest]) -> ImportOutcome:
        preview = preview_upload(upload=upload, user=self.user)
        if preview.outcome is None:
            raise FormatError(preview.problems)
        return preview.outcome


class RatingImportSerializer(Body):
    """Files of ratings, and what they do not say themselves.

    The files are workbooks of the annotation template, tables with one row per rating, or one zip
    archive of them. Where nothing says when and under which guideline version ratings were given,
    that is recorded as unknown.
    """

    files = serializers.ListField(child=serializers.FileField(), allow_empty=False)
    raters = serializers.CharField(
        default="",
        allow_blank=True,
        max_length=RATERS_CHARACTERS,
        help_text="Who filled in the workbooks: one user name, or lines FILE=NAME",
    )
    dataset = serializers.CharField(
        default="", allow_blank=True, help_text="The id of the data set; else the files tell it"
    )
    campaign = serializers.CharField(
        default="",
        allow_blank=True,
        max_length=200,
        help_text="The name of one of your campaigns, or a new name",
    )
    guideline_version = serializers.CharField(
        default="", allow_blank=True, max_length=VERSION_CHARACTERS
    )
    rated_at = serializers.DateTimeField(default=None, allow_null=True)
    change_submitted = serializers.BooleanField(default=False)
    dry_run = serializers.BooleanField(default=False)


class RatingFileSerializer(serializers.Serializer[None]):
    """What one file, or one sheet of it, brought."""

    file = serializers.CharField()
    sheet = serializers.CharField()
    raters = serializers.ListField(child=serializers.CharField())
    traces = serializers.IntegerField()
    ratings = serializers.IntegerField()


class ImportedIntoSerializer(serializers.Serializer[None]):
    """A campaign that ratings came into."""

    name = serializers.CharField()
    is_new = serializers.BooleanField()


class ImportedRatingsSerializer(serializers.Serializer[None]):
    """What came in, or would come in on a dry run; the same object as the command's `--json`."""

    ratings = serializers.IntegerField()
    created = serializers.IntegerField()
    updated = serializers.IntegerField()
    unchanged = serializers.IntegerField()
    files = RatingFileSerializer(many=True)
    datasets = serializers.ListField(child=serializers.CharField())
    metrics = serializers.DictField(child=serializers.IntegerField())
    new_raters = serializers.ListField(child=serializers.CharField())
    campaigns = ImportedIntoSerializer(many=True)
    submitted = serializers.IntegerField(allow_null=True, help_text="Null on a dry run")
    warnings = WarningSerializer(many=True)


class RatingImportEndpoint(ResearcherEndpoint):
    parser_classes = [MultiPartParser]

    @extend_schema(
        operation_id="ratings_import",
        request={"multipart/form-data": RatingImportSerializer},
        responses={
            200: ImportedRatingsSerializer,
            400: RefusedSerializer,
            404: OpenApiResponse(description="No such data set"),
        },
    )
    def post(self, request: Request) -> Response:
        """Import ratings from files, or with `dry_run` say what would come in."""
        body = RatingImportSerializer.read(request)
        dataset, rated_at = body["dataset"], body["rated_at"]
        terms = RatingRequest(
            dataset=corpus.get_dataset_for_user(self.user, dataset).name if dataset else "",
            campaign=body["campaign"],
            guideline_version=body["guideline_version"],
            rated_at=rated_at.isoformat() if rated_at else "",
            raters=body["raters"],
            changes_submitted=body["change_submitted"],
        )
        with uploaded(self.user, body["files"], terms) as upload:
            outcome = import_rating_files(
                paths=[upload.path], request=terms, actor=self.user, is_dry_run=body["dry_run"]
            )
        return Response(outcome.to_dict())


class ReferenceSerializer(Body):
    """The take to read the trace against, by its id."""

    take = serializers.CharField()


class ReferenceEndpoint(ResearcherEndpoint):
    @extend_schema(
        operation_id="trace_reference_change",
        request=ReferenceSerializer,
        responses={
            200: ReferenceSerializer,
            404: OpenApiResponse(description="No such trace, or the take cannot be its reference"),
            409: RefusedSerializer,
        },
    )
    def post(self, request: Request, public_id: str) -> Response:
        """Choose another take of the same procedure as the trace's reference."""
        trace = corpus.get_changeable_trace(self.user, public_id)
        body = ReferenceSerializer.read(request)
        candidates = corpus.reference_candidates(trace)
        take = get_object_or_404(candidates, public_id=body["take"])
        changed = change_reference(trace=trace, take=take, actor=self.user)
        return Response({"take": changed.take.public_id})


class VideoPlacesSerializer(Body):
    """Where the videos are: a whole path on the server, and how a stem becomes a file name."""

    folder = serializers.CharField(
        max_length=500, help_text="A folder of the server, or s3://bucket/prefix"
    )
    pattern = serializers.CharField(max_length=200, default="{stem}.mp4")


class FileNoteSerializer(DataclassSerializer[FileNote]):
    """One recording and what is to be said about its file."""


class VideosSerializer(serializers.Serializer[None]):
    linked = serializers.IntegerField()
    missing = FileNoteSerializer(many=True)
    refused = FileNoteSerializer(many=True)
    warnings = FileNoteSerializer(many=True)


class VideosEndpoint(ResearcherEndpoint):
    @extend_schema(
        operation_id="dataset_link_videos",
        request=VideoPlacesSerializer,
        responses={
            200: VideosSerializer,
            400: RefusedSerializer,
            403: OpenApiResponse(description="Your account may not name folders of the server"),
        },
    )
    def post(self, request: Request, public_id: str) -> Response:
        """Probe the files of a folder, link them to the recordings, and queue their ingestion."""
        dataset = corpus.get_changeable_dataset(self.user, public_id)
        if not may_link_videos(self.user, opened_places()):
            self.permission_denied(request)
        body = VideoPlacesSerializer.read(request)
        try:
            report = link_videos(dataset=dataset, actor=self.user, **body)
        except VideoLinkError as error:
            raise RefusedError(status.HTTP_400_BAD_REQUEST, str(error)) from error
        launch_ingest(dataset=dataset, actor=self.user)
        return Response(report.to_dict())
