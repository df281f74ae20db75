"""Endpoints of the results of a round of segments: figures, files, a new data set."""

from tempfile import TemporaryFile

from django.http import FileResponse
from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.records.access import ResearcherEndpoint
from annotation.api.records.bodies import Body
from annotation.api.records.dataclass_serializer import DataclassSerializer
from annotation.api.records.refusals import RefusedError, RefusedSerializer
from annotation.engine.corpus.formats.errors import FormatError
from annotation.engine.exceptions import NotNowError
from annotation.launch import launch_ingest
from annotation.models import Dataset
from annotation.services.corpus.import_plan import ImportRefusedError
from annotation.services.corpus.imports import count_reading
from segments.api.bodies import notes_header
from segments.formats.exchange import Settings, segment_formats
from segments.measures.report import COLUMNS, FigureRow, Part, Revision, Split
from segments.selectors.figures import about_round, revision_of, round_beside, round_figures
from segments.selectors.reading import get_publishable_round, get_readable_segment_round
from segments.services.export import (
    CONTENT_TYPES,
    MOST_RATE,
    SegmentExport,
    UnknownPersonError,
    export_segments,
)
from segments.services.looks import note_segment_look
from segments.services.publish import NewDataset, publication_of, publish_round


class SegmentFigureSerializer(DataclassSerializer[FigureRow]):
    """One figure with its 95% interval over recordings, or the reason why it has no value.

    `split` is all, or the scenario, pair or person that `of` names. `n` counts the segments, edges
    or pairs in the figure, `recordings` the recordings that add to it.
    """

    part = serializers.ChoiceField(list(Part))
    split = serializers.ChoiceField(list(Split))

    class Meta:
        fields = COLUMNS


class NotCountedSerializer(serializers.Serializer[None]):
    status = serializers.CharField()
    count = serializers.IntegerField()


class SegmentFiguresSerializer(serializers.Serializer[None]):
    """The figures of one round, or of it compared with an earlier one; rounds are never pooled."""

    campaign = serializers.CharField()
    round = serializers.IntegerField()
    phase = serializers.CharField()
    stage = serializers.CharField()
    scheme = serializers.CharField()
    scheme_version = serializers.IntegerField()
    guideline = serializers.CharField()
    against_round = serializers.IntegerField(allow_null=True)
    revision = serializers.ChoiceField(list(Revision))
    figures_version = serializers.IntegerField(
        help_text="Raised when the same segments give other figures"
    )
    people = serializers.ListField(child=serializers.CharField())
    compared = serializers.IntegerField(help_text="Recordings that two people finished")
    finished = serializers.IntegerField()
    changed_since = serializers.IntegerField(
        help_text="Of the finished ones those that are different now from what was first submitted"
    )
    not_counted = NotCountedSerializer(many=True)
    flagged = serializers.IntegerField()
    undefined = serializers.IntegerField()
    without_length = serializers.IntegerField()
    figures = SegmentFigureSerializer(many=True)


class SegmentAgreement(ResearcherEndpoint):
    @extend_schema(
        operation_id="segment_round_agreement",
        parameters=[
            OpenApiParameter(
                "against",
                int,
                description="An earlier round of the campaign to compare this one with; 0 compares"
                " the people of this round with each other",
            ),
            OpenApiParameter(
                "revision",
                enum=[item.name.lower() for item in Revision],
                description="`first` (default): what each person first submitted; `reviewed`: the"
                " submitted and accepted work as it is now",
            ),
        ],
        responses={
            200: SegmentFiguresSerializer,
            404: OpenApiResponse(OpenApiTypes.OBJECT, description="No such round."),
            409: OpenApiResponse(
                OpenApiTypes.OBJECT,
                description="Different schemes or guidelines would be pooled.",
            ),
        },
    )
    def get(self, request: Request, public_id: str, number: int) -> Response:
        """Agreement, corrections, answers, coverage and effort of a round's finished work."""
        round_ = get_readable_segment_round(self.user, public_id, number)
        against = round_beside(round_, request.query_params.get("against", ""))
        revision = revision_of(request.query_params.get("revision", ""))
        figures = round_figures(round_, against, revision)
        note_segment_look(round_=round_, rows=figures.rows, person=self.user)
        return Response(
            about_round(round_, against, revision)
            | {
                "against_round": against.number if against else None,
                "people": figures.people,
                "compared": figures.compared,
                "finished": figures.finished,
                "changed_since": figures.changed_since,
                "not_counted": [
                    {"status": status, "count": count} for status, count in figures.not_counted
                ],
                "flagged": figures.flagged,
                "undefined": figures.undefined,
                "without_length": figures.without_length,
                "figures": [row.to_dict() for row in figures.rows],
            }
        )


class SegmentFileSerializer(serializers.Serializer[None]):
    form = serializers.ChoiceField(
        sorted(segment_formats()), default="piev", help_text="The format"
    )
    person = serializers.CharField(
        required=False,
        default="",
        allow_blank=True,
        help_text="The code of one person, as files name people; else everybody's segments",
    )
    rate = serializers.FloatField(
        required=False,
        default=None,
        min_value=0.1,
        max_value=MOST_RATE,
        help_text="Frames per second, for formats that count frames where the rate is not known",
    )


class SegmentFileEndpoint(ResearcherEndpoint):
    @extend_schema(
        operation_id="segment_round_file",
        parameters=[SegmentFileSerializer],
        responses={
            **{
                (200, media.partition(";")[0]): OpenApiTypes.BINARY
                for media in CONTENT_TYPES.values()
            },
            400: OpenApiResponse(
                OpenApiTypes.OBJECT, description="A parameter is not as described."
            ),
            404: OpenApiResponse(OpenApiTypes.OBJECT, description="No such round."),
            409: OpenApiResponse(
                OpenApiTypes.OBJECT, description="The format cannot hold these segments; says why."
            ),
        },
    )
    def get(self, request: Request, public_id: str, number: int) -> HttpResponseBase:
        """The finished segments of a round as a file; people are opaque codes.

        X-Notes lists what the format could not keep as it was.
        """
        round_ = get_readable_segment_round(self.user, public_id, number)
        query = SegmentFileSerializer(data=request.query_params)
        query.is_valid(raise_exception=True)
        export = SegmentExport(
            segment_formats()[query.validated_data["form"]],
            Settings(rate=query.validated_data["rate"]),
            person=query.validated_data["person"],
        )
        # Deleted when the response is closed; Django closes the file that it sends.
        file = TemporaryFile()  # noqa: SIM115
        try:
            written = export_segments(round_, export, file)
        except UnknownPersonError as error:
            file.close()
            raise serializers.ValidationError({"person": [str(error)]}) from error
        except NotNowError:
            file.close()
            raise
        file.seek(0)
        answer = FileResponse(
            file, as_attachment=True, filename=written.name, content_type=written.content_type
        )
        # An archive holds all of them.
        answer["X-Notes"] = notes_header(written.notes)
        return answer


class PublishSerializer(Body):
    """The data set to make; `dry_run` only counts what it would contain."""

    name = serializers.CharField(max_length=200)
    is_shared = serializers.BooleanField(default=False)
    dry_run = serializers.BooleanField(default=False)


class PublishedSerializer(serializers.Serializer[None]):
    """`dataset` is null on a dry run."""

    dataset = serializers.CharField(allow_null=True)
    takes = serializers.IntegerField()
    traces = serializers.IntegerField()
    events = serializers.IntegerField()


class SegmentPublishing(ResearcherEndpoint):
    @extend_schema(
        operation_id="segment_round_publish",
        request=PublishSerializer,
        responses={200: PublishedSerializer, 201: PublishedSerializer, 409: RefusedSerializer},
    )
    def post(self, request: Request, public_id: str, number: int) -> Response:
        """Make a new data set of accepted work, and of submitted work where the round is closed."""
        round_ = get_publishable_round(self.user, public_id, number)
        body = PublishSerializer.read(request)
        new = NewDataset(body["name"], body["is_shared"])
        try:
            if body["dry_run"]:
                counts, dataset_id = count_reading(publication_of(round_).reading), None
            else:
                outcome = publish_round(round_=round_, new=new, actor=self.user)
                counts, dataset_id = outcome.counts, outcome.dataset_id
        except (FormatError, ImportRefusedError) as error:
            words = "The data set was not made; nothing was written."
            raise RefusedError(status.HTTP_409_CONFLICT, words, error.problems) from error
        if dataset_id is not None:
            launch_ingest(dataset=Dataset.objects.get(public_id=dataset_id), actor=self.user)
        answer = {
            "dataset": dataset_id,
            "takes": counts.takes,
            "traces": counts.traces,
            "events": counts.events,
        }
        return Response(answer, status=200 if dataset_id is None else 201)
