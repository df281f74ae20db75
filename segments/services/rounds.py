"""Plans and opens rounds of segments and assigns their recordings to people.

`segments.services.recordings` puts together what a round starts from. Nobody is assigned a
recording that goes on from their own work.
"""

from collections.abc import Collection
from dataclasses import dataclass, field

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from annotation.engine.campaigns.allocation import AllocationResult, queued
from annotation.engine.limits import between, up_to
from annotation.models import Campaign, GuidelineVersion, Phase, Round, RoundRater, User
from annotation.services.campaigns.guidelines import freeze_version
from annotation.services.campaigns.rounds import (
    INSERT_BATCH,
    OVERLAP,
    SEED,
    STOP_RULE,
    ProtocolError,
    add_round,
    record_allocation,
    share_out,
)
from annotation.services.records.audit_log import record_round
from annotation.services.records.locks import hold_datasets, hold_work, lock_campaign
from segments.engine.scheme import Scheme, scheme
from segments.models import (
    SEGMENTS,
    Segmentation,
    SegmentRecording,
    SegmentRound,
    SegmentSource,
    Stage,
)
from segments.selectors.sources import barred_people, bases_by_recording, unbegun
from segments.services.guidelines import version_for_scheme
from segments.services.recordings import Chosen, begin_with, fill

# The stages whose work a stage can go on from.
GOES_ON_FROM: dict[Stage, set[Stage]] = {
    Stage.LABEL: {Stage.LABEL, Stage.CORRECT, Stage.REVIEW, Stage.ADJUDICATE},
    Stage.AUDIT: {Stage.LABEL, Stage.CORRECT, Stage.REVIEW, Stage.ADJUDICATE},
    Stage.CORRECT: {Stage.AUDIT},
    Stage.REVIEW: {Stage.LABEL, Stage.CORRECT},
    Stage.ADJUDICATE: {Stage.LABEL},
}
# Two people would make two versions, and no later stage decides between them.
ONE_PERSON_STAGES = (Stage.CORRECT, Stage.REVIEW, Stage.ADJUDICATE)


@dataclass(frozen=True, slots=True)
class NewSegmentRound:
    """The settings of a new round; see `Round` and `SegmentRound` for their meanings.

    `chosen` selects recordings of data sets; a round that goes on from an earlier one has those of
    that round. `guideline` None takes the newest version for the scheme, or a new one with its
    boundaries; `people` None takes everybody in the campaign. `control_count` None takes as many
    controls as there are corrected recordings.
    """

    stage: Stage
    scheme: str = field(metadata=up_to(32))
    scheme_version: int | None = field(default=None, metadata=between(1, 2**15 - 1))
    guideline: GuidelineVersion | None = None
    phase: Phase = Phase.PILOT
    overlap: int = field(default=1, metadata=OVERLAP)
    seed: int = field(default=0, metadata=SEED)
    stop_rule: str = field(default="", metadata=STOP_RULE)
    people: Collection[User] | None = None
    chosen: Chosen = field(default_factory=Chosen)
    source: SegmentSource = SegmentSource.NONE
    source_round: Round | None = None
    has_locked_edges: bool = False
    hides_author: bool = True
    control_count: int | None = field(default=None, metadata=between(0, 1000))
    resolution_s: float | None = field(default=None, metadata=between(0.001, 10))


@transaction.atomic
def plan_segment_round(
    *, campaign: Campaign, new: NewSegmentRound, actor: User | None
) -> tuple[Round, tuple[str, ...]]:
    """The planned round, which raters cannot see yet, and sentences on recordings left out.

    Raises `ValidationError` by field where settings do not fit the stage or no recording is left.
    """
    locked = lock_campaign(campaign)
    _refuse_closed(locked)
    scheme_ = scheme(new.scheme, new.scheme_version)
    _check(new, scheme_)
    guideline = new.guideline or version_for_scheme(campaign=locked, scheme=scheme_, actor=actor)
    if (guideline.text.get("scheme"), guideline.text.get("scheme_version")) != (
        scheme_.name,
        scheme_.version,
    ):
        raise ValidationError(
            {"guideline": f"Version {guideline.name} is for another scheme than {scheme_.title}."}
        )
    planned = add_round(
        locked,
        kind=SEGMENTS,
        phase=new.phase,
        guideline=guideline,
        overlap=new.overlap,
        seed=new.seed,
        stop_rule=new.stop_rule,
    )
    SegmentRound.objects.create(
        round=planned,
        scheme=scheme_.name,
        scheme_version=scheme_.version,
        stage=new.stage,
        source=new.source,
        source_round=new.source_round,
        has_locked_edges=new.has_locked_edges,
        hides_author=new.hides_author,
        # At most so many; the real number is known when the round opens.
        control_count=_control_count(new),
        resolution_s=new.resolution_s,
    )
    members = locked.raters.order_by("pk").values_list("rater_id", flat=True)
    people = None if new.people is None else {person.pk for person in new.people}
    RoundRater.objects.bulk_create(
        RoundRater(round=planned, rater_id=pk) for pk in members if people is None or pk in people
    )
    left_out = begin_with(planned, new.chosen)
    detail = {"stage": new.stage, "recordings": planned.recordings.count()}
    record_round(actor, "round.plan", planned, detail)
    return planned, left_out


def _control_count(new: NewSegmentRound) -> int:
    is_blind = (
        new.stage == Stage.AUDIT
        and new.source_round is not None
        and new.source_round.segments.stage == Stage.CORRECT
    )
    if not is_blind:
        return 0
    if new.control_count is not None:
        return new.control_count
    return SegmentRecording.objects.filter(round=new.source_round).count()


def _check(new: NewSegmentRound, scheme_: Scheme) -> None:
    """Raise `ValidationError` with every setting that does not fit the stage."""
    faults: dict[str, str] = {}
    stage = new.stage
    if stage in (Stage.AUDIT, Stage.CORRECT) and not scheme_.questions:
        faults["scheme"] = (
            f"{scheme_.title} asks no questions; an audit and a correction need a scheme that does."
        )
    if fault := _fault_of_source(new, scheme_):
        faults["source"] = fault
    has_segments = stage == Stage.LABEL and new.source != SegmentSource.NONE
    if new.has_locked_edges and not has_segments:
        faults["has_locked_edges"] = (
            "Edges can only be locked where people label segments that exist."
        )
    if has_segments and new.source == SegmentSource.ROUND and not new.has_locked_edges:
        faults["has_locked_edges"] = (
            "Segments of an earlier round are labelled with their edges locked."
        )
    if stage in ONE_PERSON_STAGES and new.overlap != 1:
        faults["overlap"] = f"{stage.label} is for one person per recording."
    if new.control_count and not (stage == Stage.AUDIT and new.source == SegmentSource.ROUND):
        faults["control_count"] = "Only an audit of corrected recordings is mixed with controls."
    if faults:
        raise ValidationError(faults)


def _fault_of_source(new: NewSegmentRound, scheme_: Scheme) -> str:
    """Why the stage cannot go on from this source; "" where it can."""
    source = new.source_round
    if source is None:
        if new.stage in ONE_PERSON_STAGES:
            return f"{new.stage.label} goes on from an earlier round: choose which."
        if new.stage == Stage.AUDIT and new.source == SegmentSource.NONE:
            return "An audit needs segments to ask about: steps, a file or a round."
        return ""
    earlier = Stage(source.segments.stage)
    if earlier not in GOES_ON_FROM[new.stage]:
        allowed = ", ".join(sorted(item.label.lower() for item in GOES_ON_FROM[new.stage]))
        return (
            f"{new.stage.label} cannot go on from a round of the stage {earlier.label.lower()};"
            f" expected one of: {allowed}."
        )
    if source.segments.scheme != scheme_.name:
        return f"Round {source.number} has another scheme: {source.segments.scheme}."
    return f"Round {source.number} was not opened yet." if source.opened_at is None else ""


@transaction.atomic
def open_segment_round(*, planned: Round, actor: User | None) -> AllocationResult:
    """Freeze the guideline, assign the recordings, and let people begin.

    Raises `ProtocolError` where there is no recording, or the round was opened before.
    """
    campaign = lock_campaign(planned.campaign)
    _refuse_closed(campaign)
    fresh = Round.objects.select_related("guideline", "segments").get(pk=planned.pk)
    if fresh.opened_at is not None:
        raise ProtocolError(f"Round {fresh.number} was opened before.")
    fill(fresh, is_opening=True)
    if not fresh.recordings.exists():
        raise ProtocolError(f"Round {fresh.number} has no recording to begin with.")
    freeze_version(version=fresh.guideline, actor=actor)
    fresh.opened_at = timezone.now()
    fresh.save(update_fields=["opened_at"])
    detail = {"guideline": fresh.guideline.public_id, "recordings": fresh.recordings.count()}
    record_round(actor, "round.open", fresh, detail)
    return allocate_recordings(fresh, actor)


@transaction.atomic
def give_out_again(*, round_: Round, actor: User | None) -> AllocationResult:
    """Assign what was submitted in the source round since this one opened.

    Raises `ProtocolError` where the round is not open.
    """
    campaign = lock_campaign(round_.campaign)
    _refuse_closed(campaign)
    fresh = Round.objects.select_related("segments").get(pk=round_.pk)
    if not fresh.is_open:
        raise ProtocolError(f"Round {fresh.number} is not open.")
    return allocate_recordings(fresh, actor)


def allocate_recordings(round_: Round, actor: User | None) -> AllocationResult:
    """Assign recordings by overlap k and people's loads; needs the lock of the campaign."""
    hold_datasets(round_.campaign_id)
    hold_work(unbegun(round_))
    if round_.recordings.exists():
        fill(round_, is_opening=False)
    held: dict[int, list[int]] = {pk: [] for pk in round_.recordings.values_list("pk", flat=True)}
    for recording, person in round_.segmentations.values_list("recording_id", "person_id"):
        held[recording].append(person)
    movable = unbegun(round_).order_by("position").values_list("person", "recording")
    plan = share_out(round_, held, movable, barred_people(round_, round_.segments.stage))
    for recording, person in plan.removed:
        round_.segmentations.filter(recording=recording, person=person).delete()
    _reserve(round_, plan.added)
    counts = {pk: len(holders) for pk, holders in held.items()}
    for change, pairs in ((1, plan.added), (-1, plan.removed)):
        for recording, _ in pairs:
            counts[recording] += change
    short_count = sum(count < round_.overlap for count in counts.values())
    return record_allocation(round_, plan, short_count, actor)


def _reserve(round_: Round, pairs: Collection[tuple[int, int]]) -> None:
    """Append new recordings to each person's queue, in that person's own seeded order."""
    ends = dict(round_.segmentations.order_by().values_list("person").annotate(end=Max("position")))
    rows = [
        Segmentation(round=round_, recording_id=recording, person_id=person, position=position)
        for recording, person, position in queued(pairs, ends=ends, seed=round_.seed)
    ]
    Segmentation.objects.bulk_create(rows, batch_size=INSERT_BATCH)
    bases = bases_by_recording(round_, round_.segments.stage)
    link = Segmentation.based_on.through
    link.objects.bulk_create(
        (
            link(from_segmentation=row, to_segmentation=base)
            for row in rows
            for base in bases.get(row.recording_id, ())
        ),
        batch_size=INSERT_BATCH,
    )


def _refuse_closed(campaign: Campaign) -> None:
    if campaign.is_closed:
        raise ProtocolError(f"{campaign.name} is closed: no round can be added or opened.")
