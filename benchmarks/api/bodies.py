"""What the endpoints of benchmarks read and answer."""

from typing import Any

from rest_framework import serializers

from annotation.api.bodies import Body
from annotation.models import User
from benchmarks.engine.division import PARTS, UNITS, Division
from benchmarks.engine.training.recipes import KINDS, PRESETS, STEP_SCORES, V3
from benchmarks.models import Answer, Assessment, ItemSet
from benchmarks.selectors.assessments import state_of
from benchmarks.services.assessments import MOST_PICTURES, MOST_REPEATS, PICTURE_SIDES, AskRequest
from benchmarks.services.item_sets import MAX_SEED, ItemSetRequest
from benchmarks.services.training import MOST_EPOCHS, MOST_SEEDS, TrainRequest
from generation.backends.text.model import ImageDetail

MOST_DOLLARS = 1_000_000


def any_object(**more: Any) -> serializers.DictField:
    """An object whose keys are the task's, or the participant's, own."""
    return serializers.DictField(child=serializers.JSONField(allow_null=True), **more)


class LeakSerializer(serializers.Serializer[Any]):
    """What two parts share that should not be shared."""

    kind = serializers.CharField()
    first = serializers.CharField()
    second = serializers.CharField()
    count = serializers.IntegerField()
    examples = serializers.ListField(child=serializers.CharField())
    words = serializers.CharField()


class SettingSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    title = serializers.CharField()
    default = serializers.CharField()
    choices = serializers.ListField(child=serializers.CharField())


class TaskSerializer(serializers.Serializer[Any]):
    """A task that item sets can be made of."""

    name = serializers.CharField()
    title = serializers.CharField()
    description = serializers.CharField()
    version = serializers.IntegerField()
    shape = serializers.CharField()
    source = serializers.CharField(  # type: ignore[assignment]
        help_text="What items are made of"
    )
    settings = SettingSerializer(many=True)


class DivisionSerializer(Body):
    """How items are divided into train, val and test, by whole units."""

    unit = serializers.ChoiceField(UNITS)
    shares = serializers.ListField(
        child=serializers.FloatField(min_value=0, max_value=1),
        min_length=len(PARTS),
        max_length=len(PARTS),
        help_text="Of train, val and test; they add up to 1",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        try:
            Division(attrs["unit"], tuple(attrs["shares"]))
        except ValueError as error:
            raise serializers.ValidationError({"shares": [f"{error}."]}) from error
        return attrs


class MakeSerializer(Body):
    """What to make items of, and how."""

    name = serializers.CharField(max_length=200)
    task = serializers.CharField(max_length=64)
    source = serializers.CharField(  # type: ignore[assignment]
        max_length=64, help_text="The id of the data set, or of what the task's source names"
    )
    seed = serializers.IntegerField(min_value=0, max_value=MAX_SEED, default=0)
    settings = any_object(default=dict)
    division = DivisionSerializer(required=False, allow_null=True)
    is_shared = serializers.BooleanField(default=False)

    @staticmethod
    def request_of(asked: dict[str, Any]) -> ItemSetRequest:
        division = asked.pop("division", None)
        if division is not None:
            asked["division"] = Division(division["unit"], tuple(division["shares"]))
        return ItemSetRequest(**asked)


class ItemSetSerializer(serializers.ModelSerializer[ItemSet]):
    """An item set; `content_hash` is over its items with their truth."""

    settings = any_object()
    division = any_object()
    leaks = LeakSerializer(many=True)
    dataset = serializers.CharField(source="dataset.public_id", allow_null=True, default=None)
    owner = serializers.CharField(source="owner.username", allow_null=True, default=None)

    class Meta:
        model = ItemSet
        fields = (
            "public_id", "name", "version", "task", "task_version", "settings", "seed", "division",
            "leaks", "dataset", "source", "owner", "is_shared", "item_count", "content_hash",
            "created_at", "frozen_at",
        )  # fmt: skip


class ShareSerializer(Body):
    is_shared = serializers.BooleanField()


class ItemSerializer(serializers.Serializer[Any]):
    """An item as participants get it, without its truth."""

    key = serializers.CharField()
    recording = serializers.CharField()
    question = serializers.CharField()
    payload = any_object()
    choices = serializers.ListField(child=serializers.CharField())
    start_s = serializers.FloatField(allow_null=True)
    moment_s = serializers.FloatField(allow_null=True)
    sequence = serializers.CharField()
    position = serializers.IntegerField(source="sequence_position")
    part = serializers.CharField()


class ItemAnswerSerializer(serializers.ModelSerializer[Answer]):
    """What became of an item; `saw` says which pictures the participant got."""

    key = serializers.CharField(source="item.key")
    value = any_object(allow_null=True)
    saw = any_object()
    judged = any_object()
    participant = serializers.CharField(source="assessment.name")

    class Meta:
        model = Answer
        fields = (
            "key", "participant", "repeat", "status", "value", "raw", "reason", "saw", "judged",
            "answered_at",
        )  # fmt: skip


class ItemDetailSerializer(ItemSerializer):
    """An item; truth and answers are null for who may not see them (now)."""

    truth = any_object(allow_null=True)
    groups = any_object(allow_null=True)
    answers = ItemAnswerSerializer(many=True, allow_null=True)


class FigureSerializer(serializers.Serializer[Any]):
    """A measure with its 95% interval; `reason` says why there is none."""

    measure = serializers.CharField()
    group = serializers.CharField(allow_blank=True)
    group_value = serializers.CharField(allow_blank=True)
    value = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    spread = serializers.FloatField(
        allow_null=True, help_text="Standard deviation over the seeds of a trained model"
    )
    reason = serializers.CharField(allow_blank=True)
    item_count = serializers.IntegerField()
    recording_count = serializers.IntegerField()


class AssessmentSerializer(serializers.ModelSerializer[Assessment]):
    """A participant over an item set; `counts` says how many answers of each status there are."""

    settings = any_object()
    counts = serializers.DictField(child=serializers.IntegerField())
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
            "done_count", "total_count", "counts", "owner", "file_hash", "created_at", "frozen_at",
        )  # fmt: skip

    def get_state(self, row: Assessment) -> str:
        return state_of(row)


class AssessmentDetailSerializer(AssessmentSerializer):
    figures = FigureSerializer(many=True)

    class Meta(AssessmentSerializer.Meta):
        fields = (*AssessmentSerializer.Meta.fields, "figures")  # type: ignore[assignment]


class AskSerializer(Body):
    """Which text model answers, and how it is asked."""

    endpoint = serializers.CharField(max_length=16)
    pictures = serializers.IntegerField(min_value=0, max_value=MOST_PICTURES, default=4)
    picture_side = serializers.IntegerField(
        min_value=PICTURE_SIDES[0], max_value=PICTURE_SIDES[1], default=PICTURE_SIDES[1]
    )
    picture_detail = serializers.ChoiceField(list(ImageDetail), default=ImageDetail.LOW.value)
    repeats = serializers.IntegerField(min_value=1, max_value=MOST_REPEATS, default=1)
    temperature = serializers.FloatField(
        min_value=0, max_value=2, default=0.0, allow_null=True, help_text="Null: not sent"
    )
    budget_usd = serializers.FloatField(
        min_value=0, max_value=MOST_DOLLARS, required=False, allow_null=True
    )
    judges = serializers.ListField(
        child=serializers.CharField(max_length=16), default=list, max_length=5
    )

    @staticmethod
    def request_of(asked: dict[str, Any]) -> AskRequest:
        return AskRequest(**asked)


class TrainSerializer(Body):
    """Which model is trained on which features; without a number the preset's is taken."""

    model = serializers.ChoiceField(list(KINDS))
    features = serializers.ListField(
        child=serializers.CharField(max_length=16),
        min_length=1,
        max_length=KINDS[V3].most_sets,
        help_text="Ids of feature sets; of V3 in the order video, audio, text, depth",
    )
    preset = serializers.ChoiceField(PRESETS, default=PRESETS[0])
    seeds = serializers.IntegerField(min_value=1, max_value=MOST_SEEDS, default=3)
    epochs = serializers.IntegerField(
        min_value=1, max_value=MOST_EPOCHS, required=False, allow_null=True
    )
    learning_rate = serializers.FloatField(
        min_value=0, max_value=1, required=False, allow_null=True
    )
    step_score = serializers.ChoiceField(STEP_SCORES, default=STEP_SCORES[0])
    name = serializers.CharField(max_length=250, required=False, allow_blank=True)

    @staticmethod
    def request_of(asked: dict[str, Any]) -> TrainRequest:
        return TrainRequest(**asked)


class AnswersUploadSerializer(Body):
    """A participant's answers in a CSV or JSON lines file; numbers of frames also as .npz."""

    name = serializers.CharField(max_length=300, help_text="The participant's exact name")
    file = serializers.FileField()
    counts_missing = serializers.BooleanField(
        default=False, help_text="Count items without an answer as missing; else they are a fault"
    )


class ResumeSerializer(Body):
    budget_usd = serializers.FloatField(
        min_value=0, max_value=MOST_DOLLARS, required=False, allow_null=True
    )


class JudgeSerializer(Body):
    """Who judges: text models that you and the assessment's owner may use, by their ids."""

    judges = serializers.ListField(
        child=serializers.CharField(max_length=16), min_length=1, max_length=5
    )
    budget_usd = serializers.FloatField(
        min_value=0,
        max_value=MOST_DOLLARS,
        required=False,
        allow_null=True,
        help_text="For what is spent from now on",
    )


class JudgePriceSerializer(serializers.Serializer[Any]):
    """What a judge has left to grade, and what that costs at most; null without known prices."""

    endpoint = serializers.CharField(source="endpoint.public_id")
    name = serializers.CharField(source="endpoint.name")
    left_count = serializers.IntegerField()
    usd = serializers.FloatField(allow_null=True)


class QueuedJobsSerializer(serializers.Serializer[Any]):
    jobs = serializers.IntegerField(help_text="0 where there was nothing to do")


class PersonSerializer(Body):
    """Who takes part; without a name, yourself."""

    username = serializers.CharField(max_length=150, required=False)

    @staticmethod
    def person_of(asked: dict[str, Any], user: User) -> User:
        """The account that is named; raises ValidationError."""
        name = asked.get("username")
        if not name or name == user.get_username():
            return user
        found = User.objects.filter(username=name, is_active=True).first()
        if found is None:
            raise serializers.ValidationError({"username": [f"There is no account {name!r}."]})
        return found


class GivenSerializer(Body):
    """A person's answer: the fields of the task's shape."""

    key = serializers.CharField(max_length=24)
    answer = serializers.CharField(required=False)
    score = serializers.FloatField(required=False, allow_null=True)
    text = serializers.CharField(required=False, allow_blank=True)
    intervals = serializers.ListField(child=any_object(), required=False)


class DifferenceSerializer(serializers.Serializer[Any]):
    """The first participant less the second over the same draws of recordings."""

    measure = serializers.CharField()
    value = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    p = serializers.FloatField(allow_null=True)
    reason = serializers.CharField(allow_blank=True)
