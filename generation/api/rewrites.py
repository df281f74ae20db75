"""Endpoints of the texts of a run: in the published form, and findings by code."""

from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.records.access import ResearcherEndpoint
from annotation.api.records.dataclass_serializer import DataclassSerializer
from annotation.permissions import signed_in_user
from generation.api.documents import AttemptsField, RewriteField
from generation.api.runs import OfRun
from generation.models import TakeJudgement, TakeRewrite
from generation.selectors.runs import get_run_for_user
from generation.selectors.totals import CodeCount, finding_counts


class JudgementSerializer(serializers.ModelSerializer[TakeJudgement]):
    """The text after the judge, with the counts of findings before and after repairs.

    `sense_left` counts the findings of its `sense_checks` that are left.
    """

    rewrite = RewriteField(source="document")
    prompt_versions = serializers.ListField(child=serializers.CharField(), read_only=True)
    attempts = AttemptsField(read_only=True)
    valid = serializers.BooleanField(
        source="is_valid",
        read_only=True,
        help_text="Whether no hard finding is left: the text keeps its plan.",
    )
    sense_checks = serializers.ListField(
        child=serializers.CharField(),
        read_only=True,
        help_text="The rules that checked the text for sense; they do not judge as a person does.",
    )

    class Meta:
        model = TakeJudgement
        fields = [
            "status", "model", "prompt_versions", "hard_found", "soft_found", "hard_left",
            "soft_left", "changed_words", "attempts", "rewrite", "valid", "sense_checks",
            "sense_left",
        ]  # fmt: skip


class RewriteSerializer(serializers.ModelSerializer[TakeRewrite]):
    """The text of one take as it was written, and its judgement if the run judges."""

    position = serializers.IntegerField(source="run_take.position")
    take = serializers.CharField(source="run_take.take.public_id")
    take_uid = serializers.CharField(source="run_take.take.uid")
    rewrite = RewriteField(source="document")
    notes = serializers.ListField(child=serializers.CharField(), read_only=True)
    problems = serializers.ListField(child=serializers.CharField(), read_only=True)
    judgement = serializers.SerializerMethodField()

    class Meta:
        model = TakeRewrite
        fields = [
            "position", "take", "take_uid", "model", "answered_by", "prompt_version", "notes",
            "problems", "rewrite", "judgement",
        ]  # fmt: skip

    @extend_schema_field(JudgementSerializer(allow_null=True))
    def get_judgement(self, rewrite: TakeRewrite) -> dict[str, Any] | None:
        judgement = getattr(rewrite.run_take, "judgement", None)
        return None if judgement is None else dict(JudgementSerializer(judgement).data)


class CodeCountSerializer(DataclassSerializer[CodeCount]):
    """How often the judge found one kind of fault, before and after repairs."""


class RunRewrites(OfRun):
    """List the texts of a run."""

    serializer_class = RewriteSerializer
    queryset = TakeRewrite.objects.none()

    def get_queryset(self) -> QuerySet[TakeRewrite]:
        rows = TakeRewrite.objects.filter(run_take__run=self.run())
        rows = rows.select_related("run_take__take", "run_take__judgement")
        return rows.order_by("run_take__position")


class RunFindings(ResearcherEndpoint):
    """Count the findings of a run by code."""

    @extend_schema(operation_id="run_findings", responses={200: CodeCountSerializer(many=True)})
    def get(self, request: Request, public_id: str) -> Response:
        """Return how many findings there were before and after repairs, by code."""
        run = get_run_for_user(signed_in_user(request), public_id)
        return Response(CodeCountSerializer(finding_counts(run), many=True).data)
