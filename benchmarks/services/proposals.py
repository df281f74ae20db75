"""Start, stop and delete step proposals, and hand them to people. The work is in `proposal_work`.

Functions that queue jobs return the ids of those that `launch` must send.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import Http404

from annotation.engine.exceptions import NotNowError
from annotation.models import AT_WORK, Job, Round, User
from annotation.selectors.records.status import installed_version
from annotation.services.campaigns.campaigns import NewCampaign, create_campaign
from annotation.services.records.accounts import save_new
from annotation.services.records.audit_log import record
from annotation.services.records.jobs import cancel_jobs, enqueue_jobs, requeue_jobs
from benchmarks.engine.material import Recording
from benchmarks.models import FeatureSet, ProposedRecording, StepProposals
from benchmarks.selectors.features import recordings_of
from benchmarks.selectors.material import Source, dataset_source
from benchmarks.selectors.proposals import segment_file, usable_features
from benchmarks.services.askable import checked_budget, usable_endpoint, usable_endpoints
from benchmarks.services.feature_work import start_features, usable_extractor
from segments.formats.exchange import Settings, segment_formats
from segments.models import SEGMENTS, SegmentSource, Stage
from segments.services.proposals import ProposalReport, ProposalRequest, import_proposals
from segments.services.rounds import NewSegmentRound, plan_segment_round

# Also the name of the Celery task.
JOB_KIND = "benchmarks.propose_steps"
SCHEME, FORMAT = "partition", "piev"


class ProposalsInUseError(NotNowError):
    """The proposals cannot be changed or handed over as things are; the message says why."""


@dataclass(frozen=True, slots=True)
class ProposalsRequest:
    """What to propose steps for: recordings (uids, separated by blanks; "": all) with features.

    `features`, `dataset` and `describer` are public ids; without a describer pieces are given in
    order. Instead of features there can be an `extractor` and a data set: the job then begins with
    computing what is not there yet.
    """

    name: str
    features: str = ""
    dataset: str = ""
    extractor: str = ""
    recordings: str = ""
    describer: str = ""
    budget_usd: float | None = None


@transaction.atomic
def start_proposals(
    *, request: ProposalsRequest, actor: User | None
) -> tuple[StepProposals, list[int]]:
    """Queue the proposals; `actor` None is the command line. Raises ValidationError by field."""
    if bool(request.features) == bool(request.extractor):
        words = "Choose features that are there, or what computes them: one of the two."
        raise ValidationError({"features": words})
    budget = checked_budget(request.budget_usd)
    describer = None
    if request.describer:
        describer = usable_endpoint(usable_endpoints(actor), request.describer, "describer")
        if not describer.supports_images:
            raise ValidationError({"describer": f"{describer.name} takes no pictures."})
    if request.extractor:
        features, keys = _to_compute(request, actor)
    else:
        features, keys = _there(request, actor)
    proposals = StepProposals(
        name=request.name.strip(),
        dataset=features.dataset,
        features=features,
        features_name=features.name,
        describer=describer,
        describer_name="" if describer is None else describer.name,
        budget_usd=budget,
        owner=actor,
        code_version=installed_version(),
    )
    proposals.full_clean()
    job_ids = enqueue_jobs(
        kind=JOB_KIND, payload_by_key={proposals.public_id: {}}, created_by=actor
    )
    proposals.job_id = job_ids[0]
    save_new(proposals)
    ProposedRecording.objects.bulk_create(
        ProposedRecording(proposals=proposals, position=position, key=key)
        for position, key in enumerate(keys)
    )
    detail = {"features": features.public_id, "recordings": len(keys)}
    record_proposals(proposals, actor, "start", detail)
    return proposals, job_ids


def _there(request: ProposalsRequest, actor: User | None) -> tuple[FeatureSet, list[str]]:
    """The finished features of the request, and the recordings that have some."""
    features = usable_features(actor).filter(public_id=request.features).first()
    if features is None:
        words = f"You have no finished features {request.features!r}."
        raise ValidationError({"features": words})
    try:
        source = dataset_source(actor, features.dataset.public_id)
    except Http404 as error:
        raise ValidationError({"features": "Their data set is no longer there."}) from error
    have_rows = set(features.arrays.values_list("recording", flat=True))
    return features, [one.key for one in _wanted(source, request.recordings, have_rows, "features")]


def _to_compute(request: ProposalsRequest, actor: User | None) -> tuple[FeatureSet, list[str]]:
    """Features that the extractor made already, else new ones that are left for the job to make."""
    chosen = usable_extractor(request.extractor)
    try:
        source = dataset_source(actor, request.dataset)
    except Http404 as error:
        words = f"You have no data set {request.dataset!r}."
        raise ValidationError({"dataset": words}) from error
    filmed = {uid for uid, row in recordings_of(source.dataset).items() if len(row.videos) == 1}
    wanted = _wanted(source, request.recordings, filmed, "linked video")
    uids, keys = sorted({one.uid for one in wanted}), [one.key for one in wanted]
    same = usable_features(actor).filter(dataset=source.dataset, made_by=chosen.made_by)
    for features in same.order_by("-pk"):
        if features.arrays.filter(recording__in=uids).count() == len(uids):
            return features, keys
    # Its job is not sent: the job of the proposals works on it.
    features, _ = start_features(
        dataset=source.dataset,
        name=f"{chosen.title} for {request.name.strip()}"[:200],
        extractor=chosen.name,
        recordings=uids if request.recordings.strip() else (),
        actor=actor,
    )
    return features, keys


def _wanted(source: Source, wanted: str, usable: set[str], what: str) -> list[Recording]:
    """The recordings of the request that are usable and have steps; raises ValidationError.

    A take that is the reference of a trace may share its name; features are of either.
    """
    try:
        recordings = source.material.only(wanted)
    except ValueError as error:
        raise ValidationError({"recordings": f"{error}."}) from error
    found = [one for one in recordings if one.uid in usable and one.take.steps]
    without = sorted({one.uid for one in recordings} - {one.uid for one in found})
    if not found or (wanted and without):
        words = f"No {what} or no steps of {', '.join(without[:5]) or 'any recording'}."
        raise ValidationError({"recordings": words})
    return found


@transaction.atomic
def cancel_proposals(*, proposals: StepProposals, actor: User | None) -> int:
    """Stop the work; stages that are stored stay. Returns the number of stopped jobs."""
    stopped = cancel_jobs(job_ids=_job_ids(proposals))
    cancel_jobs(job_ids=_job_ids_of_features(proposals))
    if stopped:
        record_proposals(proposals, actor, "cancel", {})
    return stopped


@transaction.atomic
def resume_proposals(
    *, proposals: StepProposals, actor: User | None, budget_usd: float | None = None
) -> list[int]:
    """Go on with what was cancelled or has failed, with another budget if one is given.

    Raises ProposalsInUseError where they are deleted.
    """
    now = _locked(proposals)
    if budget_usd is not None:
        now.budget_usd = checked_budget(budget_usd)
        now.save(update_fields=["budget_usd"])
    job_ids = requeue_jobs(job_ids=_job_ids(now))
    if job_ids:
        requeue_jobs(job_ids=_job_ids_of_features(now))
        record_proposals(proposals, actor, "resume", {"budget_usd": budget_usd})
    return job_ids


@transaction.atomic
def delete_proposals(*, proposals: StepProposals, actor: User | None) -> None:
    """Delete proposals; raises ProposalsInUseError while they are made. Their audit stays."""
    now = _locked(proposals)
    if now.job is not None and now.job.status in AT_WORK:
        raise ProposalsInUseError(f"{now} is being worked on; cancel that first.")
    record_proposals(now, actor, "delete", {"name": now.name})
    now.delete()
    Job.objects.filter(pk__in=_job_ids(proposals)).delete()


def start_audit(
    *, proposals: StepProposals, name: str, actor: User
) -> tuple[Round, ProposalReport]:
    """A campaign in which people check the proposals, who are then added there.

    They are imported as segments of a file are, so that nobody who works in it learns where they
    come from. Raises ProposalsInUseError, and ValidationError as the campaign does.
    """
    written = segment_formats()[FORMAT].write(segment_file(proposals), Settings()).text
    with TemporaryDirectory() as folder, transaction.atomic():
        now = _locked(proposals)
        if not now.is_finished:
            raise ProposalsInUseError(f"{now} is not finished.")
        if now.audit is not None:
            raise ProposalsInUseError(f"{now} has an audit already, {now.audit.campaign.name}.")
        path = Path(folder) / "proposals.json"
        path.write_text(written, encoding="utf-8")
        campaign = create_campaign(
            new=NewCampaign(name=name, kind=SEGMENTS), actor=actor, datasets=[now.dataset]
        )
        new = NewSegmentRound(stage=Stage.AUDIT, scheme=SCHEME, source=SegmentSource.FILE)
        round_, _ = plan_segment_round(campaign=campaign, new=new, actor=actor)
        report = import_proposals(
            round_=round_,
            paths=[path],
            request=ProposalRequest(FORMAT, f"step proposals: {now.name}"[:200]),
            actor=actor,
        )
        now.audit = round_
        now.save(update_fields=["audit"])
        record_proposals(now, actor, "start_audit", {"campaign": campaign.public_id})
    return round_, report


def _locked(proposals: StepProposals) -> StepProposals:
    """The proposals as they are now, locked until the transaction ends."""
    rows = StepProposals.objects.select_for_update(of=("self",)).filter(pk=proposals.pk)
    now = rows.select_related("job", "dataset", "audit__campaign").first()
    if now is None:
        raise ProposalsInUseError(f"{proposals} has been deleted.")
    return now


def _job_ids(proposals: StepProposals) -> list[int]:
    return [] if proposals.job_id is None else [proposals.job_id]


def _job_ids_of_features(proposals: StepProposals) -> list[int]:
    """The job of features that the proposals have to compute first."""
    features = FeatureSet.objects.filter(pk__in=[proposals.features_id], finished_at=None)
    return list(features.exclude(job=None).values_list("job", flat=True))


def record_proposals(
    proposals: StepProposals, actor: User | None, action: str, detail: Mapping[str, object]
) -> None:
    subject = f"step_proposals:{proposals.public_id}"
    record(actor=actor, action=f"step_proposals.{action}", subject=subject, detail=detail)
