"""Endpoints of features: upload them, make them of linked videos, share and delete them.

Researchers and administrators only; a set that is not yours to see is 404.
"""

from typing import Any

from django.db.models import QuerySet
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import generics, serializers, status
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.records.access import ResearcherEndpoint
from annotation.api.records.bodies import Body
from annotation.api.records.refusals import RefusedError, RefusedSerializer
from annotation.engine.corpus.formats.errors import FormatError
from annotation.models import Dataset, User
from annotation.selectors.corpus.corpus import visible_datasets
from benchmarks import launch
from benchmarks.api.bodies import QueuedJobsSerializer, ShareSerializer
from benchmarks.engine.features.extractor import extractors
from benchmarks.models import FeatureSet
from benchmarks.selectors.features import (
    get_changeable_feature_set,
    get_feature_set_for_user,
    state_of,
    visible_feature_sets,
)
from benchmarks.services.feature_work import cancel_features
from benchmarks.services.features import (
    MOST_SECONDS_PER_ROW,
    FeaturesRequest,
    delete_feature_set,
    share_feature_set,
)

SHOWN_PROBLEMS = 200


class ExtractorSerializer(serializers.Serializer[Any]):
    """An extractor, which computes features of videos."""

    name = serializers.CharField()
    title = serializers.CharField()
    description = serializers.CharField()
    version = serializers.IntegerField()
    width = serializers.IntegerField()
    missing = serializers.CharField(help_text="What to install first; empty where nothing is")


class FeatureSetSerializer(serializers.ModelSerializer[FeatureSet]):
    """Features of recordings; `width` numbers in every row."""

    dataset = serializers.CharField(source="dataset.public_id")
    owner = serializers.CharField(source="owner.username", allow_null=True, default=None)
    notes = serializers.ListField(child=serializers.CharField())
    state = serializers.SerializerMethodField()
    done_count = serializers.IntegerField(
        source="job.done_count",
        default=None,
        allow_null=True,
        help_text="Seconds of video, or files",
    )
    total_count = serializers.IntegerField(source="job.total_count", default=None, allow_null=True)
    error = serializers.CharField(source="job.error", default="")

    class Meta:
        model = FeatureSet
        fields = (
            "public_id", "name", "dataset", "owner", "is_shared", "seconds_per_row", "width",
            "made_by", "state", "done_count", "total_count", "error", "notes", "content_hash",
            "created_at", "finished_at",
        )  # fmt: skip

    def get_state(self, feature_set: FeatureSet) -> str:
        return state_of(feature_set)


class ArraySerializer(serializers.Serializer[Any]):
    recording = serializers.CharField()
    rows = serializers.IntegerField()
    content_hash = serializers.CharField()


class FeatureSetDetailSerializer(FeatureSetSerializer):
    """Features with the arrays that there are."""

    arrays = ArraySerializer(many=True)

    class Meta(FeatureSetSerializer.Meta):
        fields = (*FeatureSetSerializer.Meta.fields, "arrays")  # type: ignore[assignment]


NO_ID = OpenApiResponse(OpenApiTypes.OBJECT, description="`dataset` is not the id of a data set.")


class OfDatasetSerializer(serializers.Serializer[None]):
    """Only the features of one data set, by its id."""

    dataset = serializers.CharField(max_length=16, default="", allow_blank=True)


class FeaturesUploadSerializer(Body):
    """Files of features: .npy or .npz, one per recording and named after it, or zip archives."""

    dataset = serializers.CharField(max_length=16)
    name = serializers.CharField(max_length=200)
    files = serializers.ListField(child=serializers.FileField(), allow_empty=False)
    seconds_per_row = serializers.FloatField(
        min_value=0.01, max_value=MOST_SECONDS_PER_ROW, default=1.0
    )
    key = serializers.CharField(
        max_length=100, default="", allow_blank=True, help_text="Which array of an .npz file"
    )
    is_shared = serializers.BooleanField(default=False)


class FeaturesMakeSerializer(Body):
    """What to make of the linked videos of a data set."""

    dataset = serializers.CharField(max_length=16)
    name = serializers.CharField(max_length=200)
    extractor = serializers.CharField(max_length=64)
    is_shared = serializers.BooleanField(default=False)


def _dataset_of(user: User, public_id: str) -> Dataset:
    """A data set that the user may read; raises ValidationError, whether it exists or not."""
    dataset = visible_datasets(user).filter(public_id=public_id).first()
    if dataset is None:
        raise serializers.ValidationError({"dataset": [f"You have no data set {public_id!r}."]})
    return dataset


class ExtractorList(ResearcherEndpoint):
    @extend_schema(operation_id="extractors", responses={200: ExtractorSerializer(many=True)})
    def get(self, request: Request) -> Response:
        """List the extractors, which compute features of videos."""
        return Response(ExtractorSerializer(extractors().values(), many=True).data)


class FeatureSetList(ResearcherEndpoint, generics.ListAPIView[FeatureSet]):
    """List the features that you may see, newest first."""

    parser_classes = [MultiPartParser]
    serializer_class = FeatureSetSerializer
    queryset = FeatureSet.objects.none()

    def get_queryset(self) -> QuerySet[FeatureSet]:
        query = OfDatasetSerializer(data=self.request.query_params)
        query.is_valid(raise_exception=True)
        sets = visible_feature_sets(self.user)
        if query.validated_data["dataset"]:
            sets = sets.filter(dataset__public_id=query.validated_data["dataset"])
        return sets.select_related("dataset", "owner", "job").order_by("-pk")

    @extend_schema(
        parameters=[OfDatasetSerializer],
        responses={200: FeatureSetSerializer(many=True), 400: NO_ID},
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """List the features that you may see, newest first."""
        return super().get(request, *args, **kwargs)

    @extend_schema(
        operation_id="feature_set_upload",
        request={"multipart/form-data": FeaturesUploadSerializer},
        responses={201: FeatureSetSerializer, 400: RefusedSerializer},
    )
    def post(self, request: Request) -> Response:
        """Upload features, which are read in a job; where a file has any fault, all are refused.

        Names and sizes are checked at once. What the job finds is in `notes` of the feature set.
        """
        body = FeaturesUploadSerializer.read(request)
        try:
            feature_set = launch.launch_upload(
                dataset=_dataset_of(self.user, body["dataset"]),
                request=FeaturesRequest(body["name"], body["seconds_per_row"], body["is_shared"]),
                files=body["files"],
                key=body["key"],
                actor=self.user,
            )
        except FormatError as error:
            words = "The files were refused; nothing was written."
            shown = error.problems[:SHOWN_PROBLEMS]
            raise RefusedError(status.HTTP_400_BAD_REQUEST, words, shown) from error
        return Response(FeatureSetSerializer(feature_set).data, status=status.HTTP_201_CREATED)


class FeatureSetMake(ResearcherEndpoint):
    @extend_schema(
        operation_id="feature_set_make",
        request=FeaturesMakeSerializer,
        responses={201: FeatureSetSerializer},
    )
    def post(self, request: Request) -> Response:
        """Queue features of the linked videos of a data set."""
        body = FeaturesMakeSerializer.read(request)
        body["dataset"] = _dataset_of(self.user, body["dataset"])
        feature_set = launch.launch_features(**body, actor=self.user)
        return Response(FeatureSetSerializer(feature_set).data, status=status.HTTP_201_CREATED)


class FeatureSetDetail(ResearcherEndpoint):
    @extend_schema(operation_id="feature_set", responses={200: FeatureSetDetailSerializer})
    def get(self, request: Request, public_id: str) -> Response:
        """Return features with the arrays that there are."""
        feature_set = get_feature_set_for_user(self.user, public_id)
        return Response(FeatureSetDetailSerializer(feature_set).data)

    @extend_schema(operation_id="feature_set_delete", responses={204: None, 409: RefusedSerializer})
    def delete(self, request: Request, public_id: str) -> Response:
        """Delete features with their files."""
        feature_set = get_changeable_feature_set(self.user, public_id)
        delete_feature_set(feature_set=feature_set, actor=self.user)
        return Response(status=status.HTTP_204_NO_CONTENT)


class FeatureSetShare(ResearcherEndpoint):
    @extend_schema(
        operation_id="feature_set_share",
        request=ShareSerializer,
        responses={200: FeatureSetSerializer},
    )
    def post(self, request: Request, public_id: str) -> Response:
        """Open features to every researcher who may read the data set, or close them again."""
        feature_set = get_changeable_feature_set(self.user, public_id)
        share_feature_set(feature_set=feature_set, actor=self.user, **ShareSerializer.read(request))
        return Response(FeatureSetSerializer(feature_set).data)


class FeatureSetCancel(ResearcherEndpoint):
    @extend_schema(
        operation_id="feature_set_cancel", request=None, responses={200: QueuedJobsSerializer}
    )
    def post(self, request: Request, public_id: str) -> Response:
        """Stop making features; what was made stays."""
        feature_set = get_changeable_feature_set(self.user, public_id)
        return Response({"jobs": cancel_features(feature_set=feature_set, actor=self.user)})


class FeatureSetResume(ResearcherEndpoint):
    @extend_schema(
        operation_id="feature_set_resume", request=None, responses={200: QueuedJobsSerializer}
    )
    def post(self, request: Request, public_id: str) -> Response:
        """Resume features that were cancelled or have failed."""
        feature_set = get_changeable_feature_set(self.user, public_id)
        return Response({"jobs": launch.resume_features(feature_set=feature_set, actor=self.user)})
