"""Training and who is let into rounds, over the API."""

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.ratings.gold import MOST_INDEX, GoldEndpoint
from annotation.api.records.bodies import Body
from annotation.api.records.refusals import RefusedSerializer
from annotation.forms.ratings.gold import REASON_CHARACTERS
from annotation.models import User
from annotation.permissions import signed_in_user
from annotation.selectors.ratings.gold import get_gold_campaign
from annotation.selectors.ratings.training import (
    Feedback,
    Training,
    get_feedback,
    get_training,
    qualifications,
    training_rounds,
    trainings_of,
)
from annotation.services.ratings.qualification import let_in
from annotation.services.ratings.training import note_feedback_shown, try_again


class AttemptSerializer(serializers.Serializer[None]):
    """`right` and `asked` count the questions with gold by metric, once it is finished."""

    number = serializers.IntegerField()
    finished_at = serializers.DateTimeField(allow_null=True)
    is_passed = serializers.BooleanField()
    right = serializers.DictField(child=serializers.IntegerField(), source="score.right")
    asked = serializers.DictField(child=serializers.IntegerField(), source="score.asked")


class TrainingSerializer(serializers.Serializer[Training]):
    """Somebody's training; `id` names its round."""

    id = serializers.CharField(source="round.public_id")
    campaign = serializers.CharField(source="round.campaign.public_id")
    passed_at = serializers.DateTimeField(source="qualification.passed_at", allow_null=True)
    let_in_at = serializers.DateTimeField(source="qualification.let_in_at", allow_null=True)
    pass_overall = serializers.FloatField(source="checks.pass_overall")
    pass_per_metric = serializers.FloatField(source="checks.pass_per_metric")
    may_try_again = serializers.BooleanField()
    attempts = AttemptSerializer(many=True)


class QualificationSerializer(TrainingSerializer):
    round = serializers.IntegerField(source="round.number")
    guideline_version = serializers.CharField(source="round.guideline.name")
    rater = serializers.CharField(source="qualification.rater.username")
    let_in_by = serializers.CharField(
        source="qualification.let_in_by.username", allow_null=True, default=None
    )
    let_in_reason = serializers.CharField(source="qualification.let_in_reason")


class LetInSerializer(Body):
    round = serializers.IntegerField(min_value=1, max_value=MOST_INDEX)
    username = serializers.CharField(max_length=150)
    reason = serializers.CharField(max_length=REASON_CHARACTERS)


class FeedbackAnswerSerializer(serializers.Serializer[None]):
    event = serializers.IntegerField(allow_null=True)
    metric = serializers.CharField()
    value = serializers.CharField(allow_blank=True)
    accepted = serializers.ListField(child=serializers.CharField())
    is_right = serializers.BooleanField()
    reason = serializers.CharField()


class FeedbackSerializer(serializers.Serializer[Feedback]):
    """Own answers to a submitted training trace beside the accepted ones."""

    attempt = serializers.IntegerField(source="item.attempt.number")
    answers = FeedbackAnswerSerializer(many=True, source="item.answers")


class Qualifications(GoldEndpoint):
    @extend_schema(
        operation_id="qualifications", responses={200: QualificationSerializer(many=True)}
    )
    def get(self, request: Request, public_id: str) -> Response:
        """Who passed which training of a campaign with what."""
        campaign = get_gold_campaign(signed_in_user(request), public_id)
        return Response([QualificationSerializer(item).data for item in qualifications(campaign)])

    @extend_schema(
        operation_id="qualification_let_in",
        request=LetInSerializer,
        responses={200: QualificationSerializer(many=True), 409: RefusedSerializer},
    )
    def post(self, request: Request, public_id: str) -> Response:
        """Let somebody go on without passing, for a written reason."""
        campaign = self.changeable(public_id)
        body = LetInSerializer.read(request)
        training = training_rounds(campaign).filter(number=body["round"]).first()
        rater = User.objects.filter(
            username=body["username"], campaign_memberships__campaign=campaign
        ).first()
        faults = {}
        if training is None:
            faults["round"] = ["expected the number of a training round of this campaign"]
        if rater is None:
            faults["username"] = ["expected the user name of somebody in this campaign"]
        if training is None or rater is None:
            raise serializers.ValidationError(faults)
        let_in(training=training, rater=rater, reason=body["reason"], actor=signed_in_user(request))
        return Response([QualificationSerializer(item).data for item in qualifications(campaign)])


class Trainings(GoldEndpoint):
    @extend_schema(operation_id="trainings", responses={200: TrainingSerializer(many=True)})
    def get(self, request: Request) -> Response:
        """Your own trainings with every attempt."""
        found = trainings_of(signed_in_user(request))
        return Response([TrainingSerializer(item).data for item in found])


class TrainingAgain(GoldEndpoint):
    @extend_schema(
        operation_id="training_again",
        request=None,
        responses={200: TrainingSerializer, 409: RefusedSerializer},
    )
    def post(self, request: Request, public_id: str) -> Response:
        """Begin another attempt at a training that you did not pass."""
        user = signed_in_user(request)
        try_again(qualification=get_training(user, public_id).qualification, actor=user)
        return Response(TrainingSerializer(get_training(user, public_id)).data)


class FeedbackEndpoint(GoldEndpoint):
    @extend_schema(operation_id="assignment_feedback", responses={200: FeedbackSerializer})
    def get(self, request: Request, public_id: str) -> Response:
        """What is accepted on a training trace that you have submitted."""
        feedback = get_feedback(signed_in_user(request), public_id)
        note_feedback_shown(feedback.item)
        return Response(FeedbackSerializer(feedback).data)
