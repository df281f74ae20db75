"""Endpoints of campaigns: make, fill, watch, close, and take the figures away."""

from typing import Any

from django.core.exceptions import ValidationError as DjangoValidationError
from django.db.models import Prefetch, QuerySet
from django.http import StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import generics, serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.records.access import IsResearcher, ResearcherEndpoint
from annotation.api.records.bodies import Body
from annotation.api.records.dataclass_serializer import DataclassSerializer
from annotation.api.records.refusals import RefusedSerializer
from annotation.engine.campaigns.account_table import MAX_ACCOUNTS
from annotation.engine.limits import limits
from annotation.models import Assignment, Campaign, Dataset, Phase, Round, User
from annotation.models.round_kinds import RATINGS, kind_choices
from annotation.permissions import signed_in_user
from annotation.selectors.campaigns.campaigns import (
    RaterProgress,
    campaigns_with_progress,
    get_campaign_for_user,
    get_changeable_campaign,
    get_readable_campaign,
    name_warning,
    rater_progress,
)
from annotation.selectors.corpus.corpus import visible_datasets
from annotation.selectors.figures.rating_export import export_lines, exportable_ratings
from annotation.selectors.ratings.assignments import assignments_of
from annotation.services.campaigns.campaigns import (
    AllocationResult,
    NewCampaign,
    add_datasets,
    add_new_raters,
    close_campaign,
    create_campaign,
    remove_rater,
)


class RoundSerializer(serializers.ModelSerializer[Round]):
    """One round of a campaign: its guideline, k, seed, and how far it is."""

    id = serializers.CharField(source="public_id", read_only=True)
    kind = serializers.ChoiceField(choices=kind_choices(), required=False)
    guideline = serializers.CharField(source="guideline.public_id", read_only=True)
    guideline_version = serializers.CharField(source="guideline.name", read_only=True)
    guideline_hash = serializers.CharField(source="guideline.content_hash", read_only=True)
    rubric_version = serializers.CharField(
        source="ratings.rubric_version",
        read_only=True,
        allow_null=True,
        help_text="Null for a round that rates nothing",
    )

    class Meta:
        model = Round
        fields = [
            "id", "number", "kind", "phase", "overlap", "seed", "stop_rule", "rubric_version",
            "guideline", "guideline_version", "guideline_hash", "opened_at", "closed_at",
        ]  # fmt: skip


class CampaignSerializer(serializers.ModelSerializer[Campaign]):
    """A campaign with its rounds and its counts of assignments."""

    id = serializers.CharField(source="public_id", read_only=True)
    kind = serializers.ChoiceField(choices=kind_choices(), required=False)
    datasets: serializers.SlugRelatedField[Dataset] = serializers.SlugRelatedField(
        slug_field="public_id", many=True, read_only=True
    )
    dataset_names: serializers.SlugRelatedField[Dataset] = serializers.SlugRelatedField(
        source="datasets", slug_field="name", many=True, read_only=True
    )
    is_closed = serializers.BooleanField(read_only=True)
    rounds = RoundSerializer(many=True, read_only=True)
    rater_count = serializers.IntegerField(read_only=True)
    trace_count = serializers.IntegerField(read_only=True)
    assigned_count = serializers.IntegerField(read_only=True)
    started_count = serializers.IntegerField(read_only=True)
    submitted_count = serializers.IntegerField(read_only=True)

    class Meta:
        model = Campaign
        fields = [
            "id",
            "name",
            "kind",
            "state",
            "is_shared",
            "is_closed",
            "rounds",
            "datasets",
            "dataset_names",
            "rater_count",
            "trace_count",
            "assigned_count",
            "started_count",
            "submitted_count",
            "created_at",
        ]


class MadeCampaignSerializer(CampaignSerializer):
    """A campaign that was just made; `warnings` say what its name could tell raters."""

    warnings = serializers.ListField(child=serializers.CharField(), read_only=True)

    class Meta(CampaignSerializer.Meta):
        fields = [*CampaignSerializer.Meta.fields, "warnings"]


class NewCampaignSerializer(Body):
    """What a campaign is made of; data sets by their ids.

    Of a campaign of another kind only name, data sets and sharing are read: its rounds are planned
    one by one.
    """

    name = serializers.CharField(**limits(NewCampaign, "name"))
    kind = serializers.ChoiceField(choices=kind_choices(), default=RATINGS)
    datasets = serializers.ListField(child=serializers.CharField(), default=list)
    overlap = serializers.IntegerField(**limits(NewCampaign, "overlap", default_as="default"))
    seed = serializers.IntegerField(**limits(NewCampaign, "seed", default_as="default"))
    phase = serializers.ChoiceField(
        choices=Phase.choices,
        default=None,
        allow_null=True,
        help_text="Of the first round, which is open at once. Without it, as with null, the"
        " campaign is a draft, whose first round is planned and opened later.",
    )
    guideline_version = serializers.CharField(
        **limits(NewCampaign, "guideline_version", default_as="default")
    )
    is_shared = serializers.BooleanField(default=False)


class DatasetsSerializer(Body):
    datasets = serializers.ListField(child=serializers.CharField(), allow_empty=False)


class NewRatersSerializer(Body):
    """User names of annotators with an account, and names for which accounts are made."""

    usernames = serializers.ListField(
        child=serializers.CharField(), default=list, max_length=MAX_ACCOUNTS
    )
    new_usernames = serializers.ListField(
        child=serializers.CharField(), default=list, max_length=MAX_ACCOUNTS
    )


class RaterNameSerializer(Body):
    username = serializers.CharField()


class AllocationSerializer(DataclassSerializer[AllocationResult]):
    """Assignments made and handed on, and traces that still lack raters."""


class AddedRatersSerializer(AllocationSerializer):
    """`passwords` holds the first password of each new account; it is shown nowhere else."""

    passwords = serializers.DictField(child=serializers.CharField())


class RaterProgressSerializer(serializers.Serializer[RaterProgress]):
    username = serializers.CharField()
    is_member = serializers.BooleanField()
    assigned_count = serializers.IntegerField()
    started_count = serializers.IntegerField()
    submitted_count = serializers.IntegerField()
    rating_count = serializers.IntegerField()
    last_rated_at = serializers.DateTimeField(source="last_at", allow_null=True)


class AssignmentSerializer(serializers.ModelSerializer[Assignment]):
    """One trace of the rater's own queue; nothing in it tells where the trace came from."""

    id = serializers.CharField(source="public_id", read_only=True)
    campaign = serializers.CharField(source="round.campaign.public_id", read_only=True)
    campaign_name = serializers.CharField(source="round.campaign.name", read_only=True)

    class Meta:
        model = Assignment
        fields = [
            "id", "campaign", "campaign_name", "position", "status", "started_at", "submitted_at",
        ]  # fmt: skip


def _chosen_datasets(user: User, ids: list[str]) -> list[Dataset]:
    """The data sets of these ids; raises ValidationError with those that the user cannot see."""
    datasets = {dataset.public_id: dataset for dataset in visible_datasets(user)}
    unknown = [public_id for public_id in ids if public_id not in datasets]
    if unknown:
        expected = "expected ids of data sets that you may see"
        raise serializers.ValidationError({"datasets": [f"{', '.join(unknown)}: {expected}"]})
    return [datasets[public_id] for public_id in ids]


def _with_rounds(user: User) -> QuerySet[Campaign]:
    rounds = Round.objects.select_related("guideline", "ratings")
    return campaigns_with_progress(user).prefetch_related(Prefetch("rounds", rounds))


def _counted(user: User, campaign: Campaign) -> dict[str, Any]:
    return dict(CampaignSerializer(_with_rounds(user).get(pk=campaign.pk)).data)


class CampaignList(generics.ListAPIView[Campaign]):
    """List the campaigns that you may see, with their progress."""

    permission_classes = [IsResearcher]
    serializer_class = CampaignSerializer

    def get_queryset(self) -> QuerySet[Campaign]:
        return _with_rounds(signed_in_user(self.request))

    @extend_schema(
        operation_id="campaign_create",
        request=NewCampaignSerializer,
        responses={201: MadeCampaignSerializer},
    )
    def post(self, request: Request) -> Response:
        """Make a campaign under the current rubric."""
        user = signed_in_user(request)
        body = NewCampaignSerializer.read(request)
        datasets = _chosen_datasets(user, body.pop("datasets"))
        campaign = create_campaign(new=NewCampaign(**body), datasets=datasets, actor=user)
        warning = name_warning(user, campaign.name)
        content = _counted(user, campaign) | {"warnings": [warning] if warning else []}
        return Response(content, status=status.HTTP_201_CREATED)


class CampaignDetail(generics.RetrieveAPIView[Campaign]):
    """Return one campaign with its progress."""

    permission_classes = [IsResearcher]
    serializer_class = CampaignSerializer
    lookup_field = "public_id"

    def get_queryset(self) -> QuerySet[Campaign]:
        return _with_rounds(signed_in_user(self.request))


class CampaignRaters(ResearcherEndpoint):
    @extend_schema(
        operation_id="campaign_raters", responses={200: RaterProgressSerializer(many=True)}
    )
    def get(self, request: Request, public_id: str) -> Response:
        """Return how far every rater is."""
        campaign = get_campaign_for_user(self.user, public_id, kind=None)
        progress = rater_progress(campaign)
        return Response([RaterProgressSerializer(rater).data for rater in progress])

    @extend_schema(
        operation_id="campaign_raters_add",
        request=NewRatersSerializer,
        responses={200: AddedRatersSerializer, 409: RefusedSerializer},
    )
    def post(self, request: Request, public_id: str) -> Response:
        """Add people and give them their share of the traces."""
        campaign = get_changeable_campaign(self.user, public_id, kind=None)
        body = NewRatersSerializer.read(request)
        usernames = body["usernames"]
        people = User.objects.filter(is_active=True, is_superuser=False, username__in=usernames)
        raters = {person.username: person for person in people}
        if unknown := [name for name in usernames if name not in raters]:
            expected = "expected user names of people with an account"
            raise serializers.ValidationError({"usernames": [f"{', '.join(unknown)}: {expected}"]})
        try:
            added = add_new_raters(
                campaign=campaign,
                raters=list(raters.values()),
                new_usernames=body["new_usernames"],
                actor=self.user,
            )
        except DjangoValidationError as error:
            raise serializers.ValidationError({"new_usernames": error.messages}) from error
        passwords = {account.user.username: account.password for account in added.accounts}
        return Response(AllocationSerializer(added.allocation).data | {"passwords": passwords})


class CampaignRaterRemoval(ResearcherEndpoint):
    @extend_schema(
        operation_id="campaign_rater_remove",
        request=RaterNameSerializer,
        responses={200: AllocationSerializer, 409: RefusedSerializer},
    )
    def post(self, request: Request, public_id: str) -> Response:
        """Take somebody out; ratings are kept, what was not begun goes to others."""
        campaign = get_changeable_campaign(self.user, public_id, kind=None)
        body = RaterNameSerializer.read(request)
        members = User.objects.filter(campaign_memberships__campaign=campaign)
        rater = generics.get_object_or_404(members, username=body["username"])
        result = remove_rater(campaign=campaign, rater=rater, actor=self.user)
        return Response(AllocationSerializer(result).data)


class CampaignDatasets(ResearcherEndpoint):
    @extend_schema(
        operation_id="campaign_datasets_add",
        request=DatasetsSerializer,
        responses={200: AllocationSerializer, 409: RefusedSerializer},
    )
    def post(self, request: Request, public_id: str) -> Response:
        """Have the traces of more data sets rated."""
        campaign = get_changeable_campaign(self.user, public_id, kind=None)
        body = DatasetsSerializer.read(request)
        chosen = _chosen_datasets(self.user, body["datasets"])
        result = add_datasets(campaign=campaign, datasets=chosen, actor=self.user)
        return Response(AllocationSerializer(result).data)


class CampaignClosing(ResearcherEndpoint):
    @extend_schema(operation_id="campaign_close", request=None, responses=CampaignSerializer)
    def post(self, request: Request, public_id: str) -> Response:
        """Close the campaign: nothing can be rated, submitted or reopened."""
        closing = get_changeable_campaign(self.user, public_id, kind=None)
        campaign = close_campaign(campaign=closing, actor=self.user)
        return Response(_counted(self.user, campaign))


class CampaignRatings(ResearcherEndpoint):
    @extend_schema(
        operation_id="campaign_ratings_csv",
        responses={
            (200, "text/csv"): OpenApiResponse(
                OpenApiTypes.STR, description="The long table that import_ratings reads"
            )
        },
    )
    def get(self, request: Request, public_id: str) -> StreamingHttpResponse:
        """Stream every rating of the campaign as CSV."""
        campaign = get_readable_campaign(self.user, public_id)
        lines = export_lines(exportable_ratings(self.user, campaign=campaign.name))
        return StreamingHttpResponse(lines, content_type="text/csv; charset=utf-8")


class AssignmentList(generics.ListAPIView[Assignment]):
    """List your own queue."""

    serializer_class = AssignmentSerializer

    def get_queryset(self) -> QuerySet[Assignment]:
        own = assignments_of(signed_in_user(self.request)).select_related("round__campaign")
        return own.order_by("round", "position", "pk")
