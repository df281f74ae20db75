"""Figures of rounds of texts over the API."""

from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.figures.figures import BEING_COMPUTED, being_computed
from annotation.api.records.access import ResearcherEndpoint
from annotation.api.records.dataclass_serializer import DataclassSerializer
from texts.engine.figures import FIGURES_VERSION, Group, Kappa, Reader, Share, TextFigures
from texts.launch import figures_to_show
from texts.selectors.rounds import get_readable_text_round


class TextShareSerializer(DataclassSerializer[Share]):
    """A share of texts; `low` and `high` are null where no interval can be shown."""

    value = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(source="interval.low", allow_null=True)
    high = serializers.FloatField(source="interval.high", allow_null=True)
    no_interval = serializers.CharField(source="interval.reason")

    class Meta:
        fields = ["name", "title", "hits", "count", "value", "low", "high", "no_interval"]


class TextKappaSerializer(DataclassSerializer[Kappa]):
    """Cohen's kappa, the mean over the pairs of people."""

    low = serializers.FloatField(source="interval.low", allow_null=True)
    high = serializers.FloatField(source="interval.high", allow_null=True)
    no_interval = serializers.CharField(source="interval.reason")

    class Meta:
        fields = ["name", "title", "value", "low", "high", "no_interval"]


class TextGroupSerializer(DataclassSerializer[Group]):
    """A group's share of all texts before, of those decided what was kept, its share after."""

    before = TextShareSerializer()
    kept = TextShareSerializer()
    after = TextShareSerializer()


# The median seconds of a verdict; `no_median_interval` says why there is no interval.
TIMED = {
    "median_seconds": "seconds.value",
    "median_low": "seconds.interval.low",
    "median_high": "seconds.interval.high",
    "no_median_interval": "seconds.interval.reason",
}


COUNTED = (
    "texts", "read_twice", "decided", "equal", "kappas", "shares", "reasons", "by_group",
    "by_person",
)  # fmt: skip


class TextReaderSerializer(DataclassSerializer[Reader]):
    """What one person gave; `keeping` counts the verdicts that keep a text."""

    class Meta:
        fields = {**{name: name for name in ("name", "given", "keeping")}, **TIMED}


class TextFiguresSerializer(DataclassSerializer[TextFigures]):
    """Figures of a round of texts, over independent verdicts and over what was decided.

    They are those of `computed_at`; `newer_verdicts` have been given or changed since.
    """

    equal = TextShareSerializer()
    kappas = TextKappaSerializer(many=True)
    shares = TextShareSerializer(many=True)
    reasons = TextShareSerializer(many=True)
    by_group = TextGroupSerializer(many=True)
    by_person = TextReaderSerializer(many=True)
    figures_version = serializers.SerializerMethodField()
    computed_at = serializers.SerializerMethodField()
    newer_verdicts = serializers.SerializerMethodField()

    class Meta:
        fields = {
            **{name: name for name in COUNTED},
            **TIMED,
            **{name: name for name in ("figures_version", "computed_at", "newer_verdicts")},
        }

    def get_figures_version(self, figures: TextFigures) -> int:
        return FIGURES_VERSION

    @extend_schema_field(serializers.DateTimeField())
    def get_computed_at(self, figures: TextFigures) -> str:
        return str(self.context["freshness"]["computed_at"])

    def get_newer_verdicts(self, figures: TextFigures) -> int:
        return int(self.context["freshness"]["newer_verdicts"])


class TextRoundDetail(ResearcherEndpoint):
    @extend_schema(
        operation_id="text_round", responses={200: TextFiguresSerializer, 202: BEING_COMPUTED}
    )
    def get(self, request: Request, public_id: str, number: int) -> Response:
        """Read how far a round of texts is, and how far people agree."""
        round_ = get_readable_text_round(self.user, public_id, number)
        [stored] = figures_to_show(rounds=[round_], actor=self.user)
        if stored.figures is None:
            return being_computed(stored.error)
        context = {"freshness": stored.freshness()}
        return Response(TextFiguresSerializer(stored.figures, context=context).data)
