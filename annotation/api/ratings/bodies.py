"""What requests about ratings say and what their answers hold."""

from datetime import datetime
from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from annotation.api.ratings.viewing import LenientViewingSerializer
from annotation.api.records.bodies import Body
from annotation.engine.corpus.content_hash import VERSION_CHARACTERS
from annotation.engine.ratings.changes import RatingKey, is_in_future
from annotation.engine.rubric.rubric import CannotJudge, Metric

CLIENT_ID_CHARACTERS = 40
# A rater who was offline for a whole long trace has a few hundred changes to send.
MAX_CHANGES = 1000
# The largest whole number that every JSON reader keeps exact, and the largest of a revision column.
MAX_SEQUENCE = 2**53 - 1
MAX_INTEGER = 2**31 - 1
REASONS = [item.value for item in CannotJudge]
METRIC_WORDS: dict[str, Any] = {
    "invalid_choice": '"{input}" is not a metric; expected one of ' + ", ".join(Metric) + "."
}


@extend_schema_field({"anyOf": [{"type": "string"}, {"type": "integer"}]})
class ValueField(serializers.JSONField):
    """What was sent as an answer or a confidence."""


def refuse_future(moment: datetime) -> None:
    """Refuse a time in the future; pages then take over the server's clock."""
    now = timezone.now()
    if is_in_future(moment, now=now):
        raise serializers.ValidationError(
            f"{moment.isoformat()} is in the future; it is {now:%Y-%m-%dT%H:%M:%SZ}."
        )


class KeySerializer(serializers.Serializer[RatingKey]):
    event = serializers.IntegerField(allow_null=True)
    metric = serializers.ChoiceField(choices=list(Metric))


class ChangeSerializer(Body):
    """One change; `event` is the index of the event, null for the whole trace."""

    sequence = serializers.IntegerField(min_value=0, max_value=MAX_SEQUENCE)
    event = serializers.IntegerField(allow_null=True, min_value=0, max_value=MAX_INTEGER)
    metric = serializers.ChoiceField(choices=list(Metric), error_messages=METRIC_WORDS)
    value = serializers.CharField(allow_null=True, allow_blank=True)
    confidence = serializers.IntegerField(allow_null=True, default=None)
    cannot_judge = serializers.ChoiceField(choices=REASONS, allow_null=True, default=None)
    base_revision = serializers.IntegerField(min_value=0, max_value=MAX_INTEGER)
    rated_at = serializers.DateTimeField(validators=[refuse_future])


class SaveSerializer(Body):
    """Changes; with `content`, the version that the page was made of, they count only for that.

    `viewing` is what the rater has watched meanwhile; whatever is wrong with it, changes are saved.
    """

    client_id = serializers.CharField(max_length=CLIENT_ID_CHARACTERS)
    content = serializers.CharField(max_length=VERSION_CHARACTERS, required=False)
    changes = serializers.ListField(
        child=ChangeSerializer(), allow_empty=False, max_length=MAX_CHANGES
    )
    viewing = LenientViewingSerializer(required=False)


# One for all saves: making the fields anew for each took a tenth of its processor time.
SAVE = SaveSerializer()


class AnswerSerializer(serializers.Serializer[None]):
    value = serializers.CharField(allow_null=True)
    confidence = serializers.IntegerField(allow_null=True)
    cannot_judge = serializers.ChoiceField(choices=REASONS, allow_null=True)


class RatingSerializer(KeySerializer, AnswerSerializer):
    is_implied = serializers.BooleanField()
    revision = serializers.IntegerField()


class SavedSerializer(serializers.Serializer[None]):
    saved = serializers.ListField(child=serializers.IntegerField())
    ratings = RatingSerializer(many=True)
    missing_count = serializers.IntegerField()
    status = serializers.CharField()


class SheetSerializer(serializers.Serializer[None]):
    ratings = RatingSerializer(many=True)
    missing = KeySerializer(many=True)
    missing_count = serializers.IntegerField()
    status = serializers.CharField()


class TheirsSerializer(AnswerSerializer):
    is_implied = serializers.BooleanField()
    revision = serializers.IntegerField()
    rated_at = serializers.DateTimeField(allow_null=True)


class ConflictSerializer(KeySerializer):
    sequence = serializers.IntegerField()
    mine = AnswerSerializer()
    theirs = TheirsSerializer()


class RefusalSerializer(serializers.Serializer[None]):
    """Why nothing more was saved.

    `code`: conflict, closed, submitted, consent (to be accepted first), replaced or incomplete.
    """

    code = serializers.CharField()
    detail = serializers.CharField()
    saved = serializers.ListField(child=serializers.IntegerField(), required=False)
    conflicts = ConflictSerializer(many=True, required=False)
    missing = KeySerializer(many=True, required=False)


class InvalidChangeSerializer(KeySerializer):
    """The change that the rubric does not take: its field, what it holds and what was expected."""

    code = serializers.CharField()
    detail = serializers.CharField()
    sequence = serializers.IntegerField()
    field = serializers.CharField()
    value = ValueField(allow_null=True)
    expected = serializers.CharField()


class StatusSerializer(serializers.Serializer[None]):
    status = serializers.CharField()
