"""Request bodies and answers that several endpoints of benchmarks share."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from annotation.api.records.bodies import Body
from benchmarks.models import Answer, Assessment, Item
from benchmarks.selectors.assessments import state_of
from benchmarks.selectors.item_sets import shown_payload
from benchmarks.selectors.judging import judgements_of


def any_object(**more: Any) -> serializers.DictField:
    """An object whose keys depend on the task or the participant."""
    return serializers.DictField(child=serializers.JSONField(allow_null=True), **more)


def dollars(help_text: str | None = None) -> serializers.FloatField:
    return serializers.FloatField(
        min_value=0, max_value=1_000_000, required=False, allow_null=True, help_text=help_text
    )


class ShareSerializer(Body):
    is_shared = serializers.BooleanField()


class ItemSerializer(serializers.Serializer[Any]):
    """An item as participants get it, without its truth.

    Names of the data set are in its payload only where the context says that the user `sees_truth`.
    """

    key = serializers.CharField()
    recording = serializers.CharField()
    question = serializers.CharField()
    payload = serializers.SerializerMethodField()
    choices = serializers.ListField(child=serializers.CharField())
    start_s = serializers.FloatField(allow_null=True)
    moment_s = serializers.FloatField(allow_null=True)
    sequence = serializers.CharField()
    position = serializers.IntegerField(source="sequence_position")
    part = serializers.CharField()

    @extend_schema_field({"type": "object", "additionalProperties": {}})
    def get_payload(self, item: Item) -> dict[str, Any]:
        return shown_payload(item, sees_truth=self.context.get("sees_truth", False))


class ItemAnswerSerializer(serializers.ModelSerializer[Answer]):
    """The answer to an item, or why there is none; `saw` lists the pictures that were shown.

    `seconds` is how long all requests about the item took.

    `judged` has the words of judges, and people's grades as "person:1", only where the context says
    that the user `sees_truth`; nothing for a user who is grading.
    """

    key = serializers.CharField(source="item.key")
    value = any_object(allow_null=True)
    saw = any_object()
    judged = serializers.SerializerMethodField()
    participant = serializers.CharField(source="assessment.name")

    class Meta:
        model = Answer
        fields = (
            "key", "participant", "repeat", "status", "value", "raw", "reason", "saw", "judged",
            "seconds", "answered_at",
        )  # fmt: skip

    @extend_schema_field(any_object())
    def get_judged(self, row: Answer) -> dict[str, Any]:
        return judgements_of(
            row,
            sees_truth=self.context.get("sees_truth", False),
            is_grading=self.context.get("is_grading", False),
        )


class AssessmentSerializer(serializers.ModelSerializer[Assessment]):
    """A participant's answers to an item set; `counts` is the number of answers by status.

    `usage` is what final answers took: "usd", "tokens_in", "tokens_out", "seconds", and of a single
    answer "seconds_median" and "seconds_p95"; empty where nobody was asked.
    """

    settings = any_object()
    counts = serializers.DictField(child=serializers.IntegerField())
    usage = any_object()
    item_set = serializers.CharField(source="item_set.public_id")
    content_hash = serializers.CharField(source="item_set.content_hash")
    owner = serializers.CharField(source="owner.username", allow_null=True, default=None)
    state = serializers.SerializerMethodField()
    error = serializers.CharField(source="job.error", allow_null=True, default=None)
    done_count = serializers.IntegerField(source="job.done_count", allow_null=True, default=None)
    total_count = serializers.IntegerField(source="job.total_count", allow_null=True, default=None)

    class Meta:
        model = Assessment
        fields = (
            "public_id", "item_set", "content_hash", "kind", "name", "settings", "state", "error",
            "done_count", "total_count", "counts", "usage", "owner", "file_hash", "created_at",
            "frozen_at",
        )  # fmt: skip

    def get_state(self, row: Assessment) -> str:
        return state_of(row)


class QueuedJobsSerializer(serializers.Serializer[Any]):
    jobs = serializers.IntegerField(help_text="0 where there was nothing to do")


JOBS = {200: QueuedJobsSerializer}
