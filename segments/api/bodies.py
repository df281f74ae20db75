"""Bodies of requests about segments and of their answers."""

import json
from collections.abc import Sequence

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from annotation.api.ratings.bodies import (
    CLIENT_ID_CHARACTERS,
    MAX_INTEGER,
    MAX_SEQUENCE,
    refuse_future,
)
from annotation.api.ratings.viewing import LenientViewingSerializer
from annotation.api.records.bodies import Body
from annotation.api.records.dataclass_serializer import DataclassSerializer
from annotation.engine.corpus.content_hash import VERSION_CHARACTERS
from segments.engine.faults import Fault
from segments.engine.model import MAX_KEY, MAX_NAME, MAX_TEXT, MAX_TIME_S, Segment
from segments.engine.scheme import Question, Scheme, Track
from segments.engine.starting_segments import TimedStep
from segments.models import NAME_CHARACTERS, RejectReason, Segmentation
from segments.selectors.history import PastGesture
from segments.selectors.saving import StandingAnswer
from segments.services.saving import ChecksSaved

# Somebody who was offline for a whole recording sends some hundred gestures at once; one gesture
# may change every step.
MAX_GESTURES = 1000
MAX_CHANGES = 10_000
# Of a header: proxies refuse lines of 8 kB, some of 4 kB with what stands around.
MOST_NOTES_BYTES = 3500
REJECT_REASONS = [item.value for item in RejectReason]

CHANGE_SCHEMA = {
    "type": "object",
    "description": (
        "One segment: its key, the revision that the person saw (0 for a new one), and one of set,"
        " insert (fields of a segment and their values) and delete (true)."
    ),
    "properties": {
        "key": {"type": "string", "maxLength": MAX_KEY},
        "base_revision": {"type": "integer", "minimum": 0},
        "set": {"type": "object", "additionalProperties": True},
        "insert": {"type": "object", "additionalProperties": True},
        "delete": {"type": "boolean"},
    },
    "required": ["key", "base_revision"],
}


@extend_schema_field(CHANGE_SCHEMA)
class ChangeField(serializers.JSONField):
    """A change as sent; `gesture_from_dict` reads it and names what is wrong with it."""


VALUE_SCHEMA = {
    "anyOf": [
        *({"type": name} for name in ("string", "number", "boolean", "object")),
        {"type": "array", "items": {}},
    ],
    "nullable": True,
}
MEDIA_SCHEMA = {
    "type": "object",
    "nullable": True,
    "description": "What plays, with its sound and pictures; null where there is no video.",
    "properties": {
        "url": {"type": "string"},
        "width": {"type": "integer"},
        "height": {"type": "integer"},
        "frame_rate": {"type": "number"},
    },
    "required": ["url", "width", "height", "frame_rate"],
    "additionalProperties": {},
}


@extend_schema_field(VALUE_SCHEMA)
class ValueField(serializers.JSONField):
    """A value of a field of a segment, or what was sent as one."""


@extend_schema_field(MEDIA_SCHEMA)
class MediaField(serializers.JSONField):
    """See `segments.selectors.media`."""


class GestureSerializer(Body):
    """One act of a person: its changes are stored together or not at all."""

    sequence = serializers.IntegerField(min_value=0, max_value=MAX_SEQUENCE)
    name = serializers.CharField(max_length=MAX_NAME)
    made_at = serializers.DateTimeField(validators=[refuse_future])
    raw_time_s = serializers.FloatField(
        min_value=0, max_value=MAX_TIME_S, allow_null=True, default=None
    )
    changes = serializers.ListField(child=ChangeField(), allow_empty=False, max_length=MAX_CHANGES)


class SaveGesturesSerializer(Body):
    """Gestures in order; `content` is the version of the recording that they were made on.

    `viewing` is what was watched meanwhile; faults in it do not stop the gestures from being saved.
    """

    client_id = serializers.CharField(max_length=CLIENT_ID_CHARACTERS)
    content = serializers.CharField(max_length=VERSION_CHARACTERS, required=False)
    gestures = serializers.ListField(
        child=GestureSerializer(), allow_empty=False, max_length=MAX_GESTURES
    )
    viewing = LenientViewingSerializer(required=False)


# Built once, as for ratings: building it anew for every save takes longer than the save.
SAVE_GESTURES = SaveGesturesSerializer()


class NewCheckSerializer(Body):
    """An answer to a question of the scheme about a segment as it is at that revision."""

    sequence = serializers.IntegerField(min_value=0, max_value=MAX_SEQUENCE)
    key = serializers.CharField(max_length=MAX_KEY)
    segment_revision = serializers.IntegerField(min_value=1, max_value=MAX_INTEGER)
    question = serializers.CharField(max_length=NAME_CHARACTERS)
    answer = serializers.BooleanField()
    note = serializers.CharField(
        allow_blank=True, default="", max_length=MAX_TEXT, trim_whitespace=False
    )
    made_at = serializers.DateTimeField(validators=[refuse_future])


class SaveChecksSerializer(Body):
    client_id = serializers.CharField(max_length=CLIENT_ID_CHARACTERS)
    content = serializers.CharField(max_length=VERSION_CHARACTERS, required=False)
    checks = serializers.ListField(
        child=NewCheckSerializer(), allow_empty=False, max_length=MAX_GESTURES
    )
    viewing = LenientViewingSerializer(required=False)


class RejectSerializer(Body):
    reason = serializers.ChoiceField(choices=REJECT_REASONS)
    note = serializers.CharField(allow_blank=True, default="", max_length=MAX_TEXT)


class ReturnSerializer(Body):
    note = serializers.CharField(max_length=MAX_TEXT)


# Answers


class TableSerializer(serializers.Serializer[None]):
    """Segments: the names of the columns, and a row of values for each segment."""

    columns = serializers.ListField(child=serializers.CharField())
    rows = serializers.ListField(child=serializers.ListField(child=ValueField()))


class SegmentSerializer(DataclassSerializer[Segment]):
    pass


class CheckSerializer(DataclassSerializer[StandingAnswer]):
    pass


class AskedSerializer(DataclassSerializer[StandingAnswer]):
    class Meta:
        fields = ["key", "question", "note"]


class LaneSerializer(serializers.Serializer[None]):
    title = serializers.CharField()
    segments = TableSerializer()


class ProcedureStepSerializer(serializers.Serializer[None]):
    step_id = serializers.CharField()
    text = serializers.CharField()
    is_essential = serializers.BooleanField(allow_null=True)


class ReferenceStepSerializer(DataclassSerializer[TimedStep]):
    pass


class SchemeLabelSerializer(serializers.Serializer[None]):
    name = serializers.CharField()
    templates = serializers.ListField(child=serializers.CharField())


class TrackSerializer(DataclassSerializer[Track]):
    """One lane; see `segments.engine.scheme.Track`."""

    labels = SchemeLabelSerializer(many=True)


class QuestionSerializer(DataclassSerializer[Question]):
    pass


class SchemeSerializer(DataclassSerializer[Scheme]):
    """One version of a scheme; `resolution_s` is the step of edges, null for a frame."""

    tracks = TrackSerializer(many=True)
    questions = QuestionSerializer(many=True)

    class Meta:
        fields = [
            "name", "version", "title", "boundaries", "resolution_s", "tracks", "questions",
        ]  # fmt: skip


class SegmentGuidelineSerializer(serializers.Serializer[None]):
    name = serializers.CharField()
    text = serializers.CharField()


class SegmentationSerializer(serializers.Serializer[None]):
    """One recording as its person works on it.

    `can_edit`: whether anything can be changed now; in an audit only the answers. `scheme` has the
    tracks, labels and questions. `rate` is null where frames are unknown, and `rate_note` says why.
    `asked` are the answers "no" that a correction has to deal with.
    """

    id = serializers.CharField()
    status = serializers.CharField()
    reason = serializers.CharField()
    reject_reason = serializers.CharField()
    head = serializers.IntegerField()
    content = serializers.CharField()
    is_closed = serializers.BooleanField()
    is_replaced = serializers.BooleanField()
    waits_for_author = serializers.BooleanField()
    stage = serializers.CharField()
    has_locked_edges = serializers.BooleanField()
    can_edit = serializers.BooleanField()
    title = serializers.CharField()
    scenario = serializers.CharField()
    scheme = SchemeSerializer()
    duration_s = serializers.FloatField(allow_null=True)
    rate = serializers.FloatField(allow_null=True)
    rate_note = serializers.CharField()
    procedure = ProcedureStepSerializer(many=True)
    reference = ReferenceStepSerializer(many=True)
    segments = TableSerializer()
    checks = CheckSerializer(many=True)
    asked = AskedSerializer(many=True)
    lanes = LaneSerializer(many=True)
    guideline = SegmentGuidelineSerializer()
    watched = serializers.ListField(
        child=serializers.ListField(child=serializers.FloatField(), min_length=2, max_length=2)
    )
    media = MediaField()
    urls = serializers.DictField(child=serializers.CharField())
    opened = serializers.CharField()
    now = serializers.DateTimeField()
    account = serializers.IntegerField()


class SavedGesturesSerializer(serializers.Serializer[None]):
    saved = serializers.ListField(child=serializers.IntegerField())
    head = serializers.IntegerField()
    segments = TableSerializer()
    status = serializers.CharField()


class SavedChecksSerializer(DataclassSerializer[ChecksSaved]):
    checks = CheckSerializer(many=True)


class FaultSerializer(DataclassSerializer[Fault]):
    pass


class UnansweredSerializer(serializers.Serializer[None]):
    key = serializers.CharField()
    question = serializers.CharField()


class SegmentRefusalSerializer(serializers.Serializer[None]):
    """Why nothing more was saved; `sequence` is the first refused number, `saved` are those before.

    `code`: conflict (`mine` and `theirs` are the segments of the refused gesture), closed,
    submitted, consent (to be accepted first), replaced, locked or incomplete.
    """

    code = serializers.CharField()
    detail = serializers.CharField()
    status = serializers.CharField(required=False)
    saved = serializers.ListField(child=serializers.IntegerField(), required=False)
    sequence = serializers.IntegerField(required=False)
    mine = SegmentSerializer(many=True, required=False)
    theirs = SegmentSerializer(many=True, required=False)
    faults = FaultSerializer(many=True, required=False)
    unanswered = UnansweredSerializer(many=True, required=False)


class InvalidGestureSerializer(serializers.Serializer[None]):
    """The impossible value of a field of a segment, and what was expected."""

    code = serializers.CharField()
    detail = serializers.CharField()
    sequence = serializers.IntegerField()
    key = serializers.CharField()
    field = serializers.CharField()
    value = ValueField()
    expected = serializers.CharField()


class StatusOfSegmentsSerializer(serializers.Serializer[None]):
    status = serializers.CharField()


class PastGestureSerializer(DataclassSerializer[PastGesture]):
    pass


class PastSegmentsSerializer(serializers.Serializer[None]):
    head = serializers.IntegerField()
    segments = TableSerializer()


class OwnSegmentationSerializer(serializers.Serializer[Segmentation]):
    """One of a person's own; `position` counts from 0 in the round."""

    id = serializers.CharField(source="public_id")
    campaign = serializers.CharField(source="round.campaign.public_id")
    campaign_name = serializers.CharField(source="round.campaign.name")
    round = serializers.CharField(source="round.public_id")
    stage = serializers.CharField(source="round.segments.stage")
    position = serializers.IntegerField()
    scenario = serializers.CharField(source="recording.take.scenario")
    status = serializers.CharField()
    head = serializers.IntegerField()
    is_closed = serializers.BooleanField(source="round.is_closed")


def notes_header(notes: Sequence[str]) -> str:
    """Notes as JSON for a header, which is ASCII: as many as fit, then how many more there are.

    >>> notes_header(["labels left out: 1"])
    '["labels left out: 1"]'
    """
    for count in range(len(notes), -1, -1):
        left = len(notes) - count
        header = json.dumps([*notes[:count], *([f"and {left:,} more"] if left else [])])
        if len(header) <= MOST_NOTES_BYTES:
            break
    return header
