"""Endpoints of what came out of a round of segments: figures, files, a data set made of it."""

from django.http import Http404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.analytics.segments.report import Part, Split
from annotation.permissions import IsResearcher, signed_in_user
from annotation.selectors.segment_figures import about_round, round_beside, round_figures
from annotation.selectors.segment_reading import MixedSchemesError, get_readable_segment_round

MOST_ROUNDS = 99_999


class SegmentFigureSerializer(serializers.Serializer[None]):
    """One figure with its 95% interval over recordings, or the reason why there is none.

    `split` says of what it is: of all, or of the scenario, pair or person that `of` names. `n`
    counts what it is of, `recordings` those that add to it.
    """

    part = serializers.ChoiceField(list(Part))
    track = serializers.CharField(allow_blank=True)
    split = serializers.ChoiceField(list(Split))
    of = serializers.CharField(allow_blank=True)
    measure = serializers.CharField()
    title = serializers.CharField()
    value = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    n = serializers.IntegerField()
    recordings = serializers.IntegerField()
    reason = serializers.CharField(allow_blank=True)
    method = serializers.CharField()


class NotCountedSerializer(serializers.Serializer[None]):
    status = serializers.CharField()
    count = serializers.IntegerField()


class SegmentFiguresSerializer(serializers.Serializer[None]):
    """The figures of one round, or of it beside an earlier one; never of several together."""

    campaign = serializers.CharField()
    round = serializers.IntegerField()
    stage = serializers.CharField()
    scheme = serializers.CharField()
    scheme_version = serializers.IntegerField()
    guideline = serializers.CharField()
    against_round = serializers.IntegerField(allow_null=True)
    people = serializers.ListField(child=serializers.CharField())
    compared = serializers.IntegerField(help_text="Recordings that two people finished")
    finished = serializers.IntegerField()
    not_counted = NotCountedSerializer(many=True)
    flagged = serializers.IntegerField()
    undefined = serializers.IntegerField()
    without_length = serializers.IntegerField()
    figures = SegmentFigureSerializer(many=True)


class SegmentAgreement(APIView):
    permission_classes = [IsResearcher]

    @extend_schema(
        operation_id="segment_round_agreement",
        parameters=[
            OpenApiParameter(
                "against",
                int,
                description="An earlier round of the campaign to compare this one with; 0 compares"
                " the people of this round with each other",
            )
        ],
        responses={
            200: SegmentFiguresSerializer,
            404: OpenApiResponse(OpenApiTypes.OBJECT, description="No such round."),
            409: OpenApiResponse(
                OpenApiTypes.OBJECT,
                description="Different schemes or guidelines would be put together.",
            ),
        },
    )
    def get(self, request: Request, public_id: str, number: int) -> Response:
        """Agreement, corrections, answers, coverage and effort of what is finished of a round."""
        made = get_readable_segment_round(signed_in_user(request), public_id, number)
        asked = request.query_params.get("against", "")
        if asked and not (asked.isascii() and asked.isdecimal() and int(asked) <= MOST_ROUNDS):
            raise Http404
        against = round_beside(made, int(asked) if asked else None)
        try:
            found = round_figures(made, against)
        except MixedSchemesError as error:
            return Response({"detail": str(error)}, status=409)
        return Response(
            about_round(made, against)
            | {
                "against_round": against.number if against else None,
                "people": found.people,
                "compared": found.compared,
                "finished": found.finished,
                "not_counted": [
                    {"status": status, "count": count} for status, count in found.not_counted
                ],
                "flagged": found.flagged,
                "undefined": found.undefined,
                "without_length": found.without_length,
                "figures": [row.to_dict() for row in found.rows],
            }
        )
