"""Endpoints of rounds of segments: plan, open, read, close."""

from typing import Any

from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.campaigns.campaigns import AllocationSerializer
from annotation.api.records.access import ResearcherEndpoint
from annotation.api.records.bodies import Body
from annotation.api.records.refusals import RefusedSerializer
from annotation.engine.limits import limits
from annotation.models import Campaign, Phase, Round, User
from annotation.selectors.campaigns.campaigns import get_campaign_for_user, get_changeable_campaign
from annotation.selectors.corpus.blinding import why_figures_are_hidden
from annotation.services.campaigns.rounds import close_round
from segments.engine.scheme import UnknownSchemeError
from segments.models import (
    SEGMENTS,
    PublishedAs,
    Segmentation,
    SegmentRecording,
    SegmentSource,
    Stage,
)
from segments.selectors.rounds import (
    get_segment_round,
    recordings_with_work,
    segment_round_of,
    segment_rounds,
)
from segments.services.recordings import Chosen
from segments.services.rounds import (
    NewSegmentRound,
    give_out_again,
    open_segment_round,
    plan_segment_round,
)

# There is no gold for segments, so no training phase.
PHASES = [(phase.value, phase.label) for phase in (Phase.PILOT, Phase.MAIN)]


class SegmentRoundSerializer(serializers.ModelSerializer[Round]):
    """A round of segments and its progress; its source is null for people who work in it."""

    id = serializers.CharField(source="public_id", read_only=True)
    stage = serializers.ChoiceField(source="segments.stage", choices=Stage.choices, read_only=True)
    scheme = serializers.CharField(source="segments.scheme", read_only=True)
    scheme_version = serializers.IntegerField(source="segments.scheme_version", read_only=True)
    guideline = serializers.IntegerField(source="guideline.number", read_only=True)
    guideline_version = serializers.CharField(source="guideline.name", read_only=True)
    guideline_hash = serializers.CharField(source="guideline.content_hash", read_only=True)
    has_locked_edges = serializers.BooleanField(source="segments.has_locked_edges", read_only=True)
    hides_author = serializers.BooleanField(source="segments.hides_author", read_only=True)
    resolution_s = serializers.FloatField(
        source="segments.resolution_s", read_only=True, allow_null=True
    )
    rater_count = serializers.IntegerField(read_only=True)
    recording_count = serializers.IntegerField(read_only=True)
    assigned_count = serializers.IntegerField(read_only=True)
    started_count = serializers.IntegerField(read_only=True)
    submitted_count = serializers.IntegerField(read_only=True)
    source = serializers.SerializerMethodField()  # type: ignore[assignment]
    source_round = serializers.SerializerMethodField()
    control_count = serializers.SerializerMethodField()

    class Meta:
        model = Round
        fields = [
            "id", "number", "phase", "stage", "scheme", "scheme_version", "guideline",
            "guideline_version", "guideline_hash", "overlap", "seed", "stop_rule",
            "has_locked_edges", "hides_author", "resolution_s", "source", "source_round",
            "control_count", "rater_count", "recording_count", "assigned_count", "started_count",
            "submitted_count", "opened_at", "closed_at",
        ]  # fmt: skip

    @extend_schema_field(serializers.ChoiceField(choices=SegmentSource.choices, allow_null=True))
    def get_source(self, round_: Round) -> str | None:
        return None if self._hides else round_.segments.source

    @extend_schema_field(serializers.IntegerField(allow_null=True))
    def get_source_round(self, round_: Round) -> int | None:
        source = round_.segments.source_round
        return None if self._hides or source is None else source.number

    @extend_schema_field(serializers.IntegerField(allow_null=True))
    def get_control_count(self, round_: Round) -> int | None:
        return None if self._hides else round_.segments.control_count

    @property
    def _hides(self) -> bool:
        return bool(self.context["hides"])


class WorkSerializer(serializers.ModelSerializer[Segmentation]):
    """One person at one recording."""

    id = serializers.CharField(source="public_id", read_only=True)
    username = serializers.CharField(source="person.username", read_only=True)

    class Meta:
        model = Segmentation
        fields = [
            "id", "username", "position", "status", "head", "reject_reason", "started_at",
            "submitted_at", "decided_at",
        ]  # fmt: skip


class SegmentRecordingSerializer(serializers.ModelSerializer[SegmentRecording]):
    """A recording of a round: that of `trace`, or of `take` where `trace` is null."""

    take = serializers.CharField(source="take.public_id", read_only=True)
    trace = serializers.CharField(source="trace.public_id", read_only=True, allow_null=True)
    uid = serializers.SerializerMethodField()
    scenario = serializers.CharField(source="take.scenario", read_only=True)
    segment_count = serializers.SerializerMethodField()
    work = WorkSerializer(source="segmentations", many=True, read_only=True)

    class Meta:
        model = SegmentRecording
        fields = [
            "take", "trace", "uid", "scenario", "published_as", "proposal_source", "is_control",
            "segment_count", "work",
        ]  # fmt: skip

    def get_uid(self, recording: SegmentRecording) -> str:
        return recording.recorded.uid

    def get_segment_count(self, recording: SegmentRecording) -> int:
        return len(recording.proposals)


class SegmentRoundDetailSerializer(SegmentRoundSerializer):
    """With its recordings and their people; null for people who work in the campaign."""

    recordings = serializers.SerializerMethodField()

    class Meta(SegmentRoundSerializer.Meta):
        fields = [*SegmentRoundSerializer.Meta.fields, "recordings"]

    @extend_schema_field(SegmentRecordingSerializer(many=True, allow_null=True))
    def get_recordings(self, round_: Round) -> list[dict[str, Any]] | None:
        if self._hides:
            return None
        return list(SegmentRecordingSerializer(recordings_with_work(round_), many=True).data)


class NewSegmentRoundSerializer(Body):
    """The settings of a new round.

    `guideline` is the number of a version, null for the newest of the scheme; `source_round` the
    number of the round that it goes on from; `datasets` are ids, `people` user names, null for all.
    """

    stage = serializers.ChoiceField(choices=Stage.choices)
    scheme = serializers.CharField(**limits(NewSegmentRound, "scheme"))
    scheme_version = serializers.IntegerField(
        allow_null=True, **limits(NewSegmentRound, "scheme_version", default_as="default")
    )
    guideline = serializers.IntegerField(
        min_value=1, max_value=2**31 - 1, allow_null=True, default=None
    )
    phase = serializers.ChoiceField(choices=PHASES, default=Phase.PILOT)
    overlap = serializers.IntegerField(**limits(NewSegmentRound, "overlap", default_as="default"))
    seed = serializers.IntegerField(**limits(NewSegmentRound, "seed", default_as="default"))
    stop_rule = serializers.CharField(
        allow_blank=True, **limits(NewSegmentRound, "stop_rule", default_as="default")
    )
    people = serializers.ListField(child=serializers.CharField(), allow_null=True, default=None)
    source = serializers.ChoiceField(  # type: ignore[assignment]
        choices=SegmentSource.choices, default=SegmentSource.NONE
    )
    source_round = serializers.IntegerField(
        min_value=1, max_value=2**31 - 1, allow_null=True, default=None
    )
    has_locked_edges = serializers.BooleanField(default=False)
    hides_author = serializers.BooleanField(default=True)
    control_count = serializers.IntegerField(
        allow_null=True, **limits(NewSegmentRound, "control_count", default_as="default")
    )
    resolution_s = serializers.FloatField(
        allow_null=True, **limits(NewSegmentRound, "resolution_s", default_as="default")
    )
    datasets = serializers.ListField(child=serializers.CharField(), allow_null=True, default=None)
    has_takes = serializers.BooleanField(default=True)
    has_traces = serializers.BooleanField(default=True)
    takes_become = serializers.ChoiceField(
        choices=PublishedAs.choices, default=PublishedAs.REFERENCE
    )
    one_in = serializers.IntegerField(**limits(Chosen, "one_in", default_as="default"))
    needs_video = serializers.BooleanField(default=True)


class PlannedSegmentRoundSerializer(SegmentRoundSerializer):
    """A round that was just planned; `left_out` are sentences on recordings that are not in it."""

    left_out = serializers.ListField(child=serializers.CharField(), read_only=True)

    class Meta(SegmentRoundSerializer.Meta):
        fields = [*SegmentRoundSerializer.Meta.fields, "left_out"]


class SegmentRoundEndpoint(ResearcherEndpoint):
    def handle_exception(self, exc: Exception) -> Response:
        if isinstance(exc, UnknownSchemeError):
            exc = serializers.ValidationError({"scheme": [str(exc)]})
        return super().handle_exception(exc)

    def changeable(self, public_id: str) -> Campaign:
        return get_changeable_campaign(self.user, public_id, SEGMENTS)

    def context_of(self, campaign: Campaign) -> dict[str, Any]:
        return {"hides": bool(why_figures_are_hidden(self.user, campaign))}

    def counted(self, public_id: str, number: int) -> dict[str, Any]:
        round_ = get_segment_round(self.user, public_id, number)
        context = self.context_of(round_.campaign)
        return dict(SegmentRoundSerializer(round_, context=context).data)


class SegmentRounds(SegmentRoundEndpoint):
    @extend_schema(
        operation_id="segment_rounds", responses={200: SegmentRoundSerializer(many=True)}
    )
    def get(self, request: Request, public_id: str) -> Response:
        """The rounds of a campaign of segments in order."""
        campaign = get_campaign_for_user(self.user, public_id, SEGMENTS)
        rounds, context = segment_rounds(campaign), self.context_of(campaign)
        return Response(SegmentRoundSerializer(rounds, many=True, context=context).data)

    @extend_schema(
        operation_id="segment_round_plan",
        request=NewSegmentRoundSerializer,
        responses={201: PlannedSegmentRoundSerializer, 409: RefusedSerializer},
    )
    def post(self, request: Request, public_id: str) -> Response:
        """Plan a round; people who will work in it see nothing of it before it opens."""
        campaign = self.changeable(public_id)
        new = _new_round(campaign, NewSegmentRoundSerializer.read(request))
        planned, left_out = plan_segment_round(campaign=campaign, new=new, actor=self.user)
        body = self.counted(public_id, planned.number) | {"left_out": list(left_out)}
        return Response(body, status=status.HTTP_201_CREATED)


def _new_round(campaign: Campaign, body: dict[str, Any]) -> NewSegmentRound:
    """The settings with objects instead of ids, names and numbers.

    Raises `ValidationError` with those that the campaign has not.
    """
    faults: dict[str, list[str]] = {}

    def named(field: str, rows: dict[Any, Any], expected: str) -> list[Any] | None:
        value = body.pop(field)
        if value is None:
            return None
        names = value if isinstance(value, list) else [value]
        unknown = [str(name) for name in names if name not in rows]
        if unknown:
            faults[field] = [f"{', '.join(unknown)}: expected {expected}"]
        return [rows[name] for name in names if name in rows]

    datasets = named(
        "datasets",
        {item.public_id: item for item in campaign.datasets.all()},
        "ids of data sets of the campaign",
    )
    members = User.objects.filter(campaign_memberships__campaign=campaign)
    people = named("people", {item.username: item for item in members}, "people of the campaign")
    versions = {item.number: item for item in campaign.guideline_versions.all()}
    guidelines = named("guideline", versions, "the number of a version of this campaign")
    rounds = {item.number: item for item in campaign.rounds.select_related("segments")}
    sources = named("source_round", rounds, "the number of a round of it")
    if (body["source"] == SegmentSource.ROUND) != (sources is not None):
        faults["source_round"] = ["expected with the source “round”, and only with it"]
    if faults:
        raise serializers.ValidationError(faults)
    chosen = Chosen(
        datasets=datasets,
        takes_become=PublishedAs(body.pop("takes_become")),
        **{name: body.pop(name) for name in ("has_takes", "has_traces", "one_in", "needs_video")},
    )
    body |= {
        "stage": Stage(body["stage"]),
        "phase": Phase(body["phase"]),
        "source": SegmentSource(body["source"]),
    }
    return NewSegmentRound(
        **body,
        chosen=chosen,
        people=people,
        guideline=guidelines[0] if guidelines else None,
        source_round=sources[0] if sources else None,
    )


class SegmentRoundDetail(SegmentRoundEndpoint):
    @extend_schema(operation_id="segment_round", responses={200: SegmentRoundDetailSerializer})
    def get(self, request: Request, public_id: str, number: int) -> Response:
        """One round with its recordings and everybody's progress."""
        round_ = get_segment_round(self.user, public_id, number)
        context = self.context_of(round_.campaign)
        return Response(SegmentRoundDetailSerializer(round_, context=context).data)


class SegmentRoundOpening(SegmentRoundEndpoint):
    @extend_schema(
        operation_id="segment_round_open",
        request=None,
        responses={200: AllocationSerializer, 409: RefusedSerializer},
    )
    def post(self, request: Request, public_id: str, number: int) -> Response:
        """Freeze the guideline of a planned round, assign its recordings, let people begin."""
        planned = segment_round_of(self.changeable(public_id), number)
        result = open_segment_round(planned=planned, actor=self.user)
        return Response(AllocationSerializer(result).data)


class SegmentRoundGivingOut(SegmentRoundEndpoint):
    @extend_schema(
        operation_id="segment_round_give_out",
        request=None,
        responses={200: AllocationSerializer, 409: RefusedSerializer},
    )
    def post(self, request: Request, public_id: str, number: int) -> Response:
        """Assign what was submitted in the source round since this one opened."""
        round_ = segment_round_of(self.changeable(public_id), number)
        return Response(AllocationSerializer(give_out_again(round_=round_, actor=self.user)).data)


class SegmentRoundClosing(SegmentRoundEndpoint):
    @extend_schema(
        operation_id="segment_round_close",
        request=None,
        responses={200: SegmentRoundSerializer, 409: RefusedSerializer},
    )
    def post(self, request: Request, public_id: str, number: int) -> Response:
        """Close a round; it cannot be opened again."""
        closing = segment_round_of(self.changeable(public_id), number)
        close_round(closing=closing, actor=self.user)
        return Response(self.counted(public_id, number))
