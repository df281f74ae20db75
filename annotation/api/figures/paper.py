"""Endpoints of the tables and pictures of a paper, of a campaign or a data set."""

from typing import Any, ClassVar

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import (
    OpenApiParameter,
    OpenApiResponse,
    extend_schema,
    extend_schema_view,
)
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.request import Request

from annotation.analytics.pictures.canvas import PictureFormat
from annotation.analytics.pictures.paper_pictures import PaperPicture
from annotation.analytics.tables.paper_tables import PaperTable
from annotation.analytics.tables.table_writers import TableFormat, write_table
from annotation.api.figures.figures import BEING_COMPUTED, being_computed, being_drawn
from annotation.api.records.access import ResearcherEndpoint
from annotation.launch import figures_to_show, pictures_to_show
from annotation.selectors.figures.drawn_pictures import drawn_file
from annotation.selectors.figures.figures import Figures
from annotation.selectors.figures.paper import (
    Kind,
    Paper,
    PaperSubject,
    example_cases_table,
    paper_of,
    paper_subject,
)

MOST_ROUND = 99_999
YES_NO = ("yes", "no")


class PaperQuerySerializer(serializers.Serializer[None]):
    """Of which ratings, and in what form."""

    round = serializers.IntegerField(
        required=False,
        min_value=1,
        max_value=MOST_ROUND,
        help_text="Only this round; else a row for each",
    )
    informed = serializers.ChoiceField(
        YES_NO,
        default="no",
        help_text="Whether answers of people who could see the sources before are counted too",
    )

    incomplete = serializers.ChoiceField(
        YES_NO,
        default="no",
        help_text="Whether figures of too few answers or raters to be compared are in it too",
    )


class TableQuerySerializer(PaperQuerySerializer):
    intervals = serializers.ChoiceField(
        YES_NO, default="no", help_text="Whether LaTeX and Markdown print intervals"
    )
    form = serializers.ChoiceField(list(TableFormat), default=TableFormat.JSON.value)


class PictureQuerySerializer(PaperQuerySerializer):
    published = serializers.ChoiceField(
        YES_NO, default="no", help_text="Whether the forest plot shows the paper's values too"
    )
    form = serializers.ChoiceField(list(PictureFormat), default=PictureFormat.SVG.value)


BAD_QUERY = OpenApiResponse(OpenApiTypes.OBJECT, description="A parameter is not as described.")


class PaperEndpoint(ResearcherEndpoint):
    """One table or picture of a campaign or a data set, as `kind` of the subclass says."""

    kind: ClassVar[Kind]

    def fetch(
        self, request: Request, public_id: str, query: dict[str, Any]
    ) -> tuple[PaperSubject, Figures, Paper | None]:
        """Whose figures, these, and the paper of them once there are any."""
        has_informed = query["informed"] == "yes"
        subject = paper_subject(self.user, self.kind, public_id, has_informed=has_informed)
        figures = figures_to_show(scope=subject.scope, actor=self.user)
        if figures.computed_at is None:
            return subject, figures, None
        return subject, figures, paper_of(subject, figures, round=query.get("round"))


def _query(serializer: type[PaperQuerySerializer], request: Request) -> dict[str, Any]:
    read = serializer(data=request.query_params)
    read.is_valid(raise_exception=True)
    return dict(read.validated_data)


def _table_schema(kind: Kind) -> Any:
    return extend_schema(
        operation_id=f"{kind}_table",
        parameters=[
            OpenApiParameter("table", str, "path", enum=list(PaperTable)),
            TableQuerySerializer,
        ],
        responses={
            (200, "application/json"): OpenApiTypes.OBJECT,
            **{
                (200, form.media_type): OpenApiTypes.STR
                for form in TableFormat
                if form is not TableFormat.JSON
            },
            202: BEING_COMPUTED,
            400: BAD_QUERY,
        },
    )


def _picture_schema(kind: Kind) -> Any:
    return extend_schema(
        operation_id=f"{kind}_picture",
        parameters=[
            OpenApiParameter("picture", str, "path", enum=list(PaperPicture)),
            PictureQuerySerializer,
        ],
        responses={
            **{(200, form.content_type): OpenApiTypes.BINARY for form in PictureFormat},
            202: BEING_COMPUTED,
            400: BAD_QUERY,
        },
    )


class PaperTableEndpoint(PaperEndpoint):
    def get(self, request: Request, public_id: str, table: str) -> HttpResponseBase:
        """Return a table of the PIE-V paper with the rows of your own data below its own."""
        query = _query(TableQuerySerializer, request)
        if table not in set(PaperTable):
            raise NotFound(f"there is no table {table}; expected one of {', '.join(PaperTable)}")
        if table == PaperTable.EXAMPLES:
            subject = paper_subject(self.user, self.kind, public_id)
            shown = example_cases_table(subject, round=query.get("round"))
        else:
            _, figures, paper = self.fetch(request, public_id, query)
            if paper is None:
                return being_computed(figures.error)
            shown = paper.table(
                PaperTable(table),
                shows_intervals=query["intervals"] == "yes",
                has_incomplete=query["incomplete"] == "yes",
            )
        form = TableFormat(query["form"])
        content = write_table(shown, form)
        return HttpResponse(content, content_type=f"{form.media_type}; charset=utf-8")


class PaperPictureEndpoint(PaperEndpoint):
    def get(self, request: Request, public_id: str, picture: str) -> HttpResponseBase:
        """Return a picture of figures: 202 until it is drawn, 404 with nothing to draw."""
        query = _query(PictureQuerySerializer, request)
        if picture not in set(PaperPicture):
            expected = ", ".join(PaperPicture)
            raise NotFound(f"there is no picture {picture}; expected one of {expected}")
        subject, figures, paper = self.fetch(request, public_id, query)
        if paper is None:
            return being_computed(figures.error)
        drawing = paper.picture(
            PaperPicture(picture),
            has_published=query["published"] == "yes",
            has_incomplete=query["incomplete"] == "yes",
        )
        if drawing.is_empty:
            raise NotFound("there is nothing to draw yet")
        form = PictureFormat(query["form"])
        [row] = pictures_to_show(
            pictures=[drawing], owner=subject.owner, actor=self.user, form=form
        )
        if row.computed_at is None:
            return being_drawn(row.error)
        return HttpResponse(drawn_file(row, form), content_type=form.content_type)


@extend_schema_view(get=_table_schema(Kind.CAMPAIGN))
class CampaignTable(PaperTableEndpoint):
    kind = Kind.CAMPAIGN


@extend_schema_view(get=_table_schema(Kind.DATASET))
class DatasetTable(PaperTableEndpoint):
    kind = Kind.DATASET


@extend_schema_view(get=_picture_schema(Kind.CAMPAIGN))
class CampaignPicture(PaperPictureEndpoint):
    kind = Kind.CAMPAIGN


@extend_schema_view(get=_picture_schema(Kind.DATASET))
class DatasetPicture(PaperPictureEndpoint):
    kind = Kind.DATASET
