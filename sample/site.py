"""Fill a fresh site with the sample corpus: videos, accounts, campaigns and a question set.

Everything is looked up before it is made, so that doing it again changes nothing and repairs what
is missing.
"""

from collections import defaultdict
from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import numpy as np
from django.conf import settings
from django.db import transaction
from django.utils import timezone

from annotation.analytics.raters.planner import FEWEST_TRACES
from annotation.engine.corpus.procedure import Reading
from annotation.engine.ratings.adjudication import Cause
from annotation.engine.ratings.changes import Answer, RatingChange, RatingKey
from annotation.engine.rubric.rubric import Metric, Scope, applicable_metrics, rubric
from annotation.engine.taxonomy import EventKind, TaxonomyLabel
from annotation.models import (
    Assignment,
    AssignmentStatus,
    Campaign,
    Case,
    Dataset,
    Phase,
    Rating,
    Role,
    Round,
    User,
)
from annotation.services.campaigns.campaigns import NewCampaign, add_raters, create_campaign
from annotation.services.campaigns.guidelines import edit_version, new_version
from annotation.services.campaigns.protocol import accept_consent, set_consent_text
from annotation.services.campaigns.rounds import close_round
from annotation.services.corpus.imports import ImportTarget, import_reading
from annotation.services.ratings.assignments import submit_assignment
from annotation.services.ratings.desk import add_comment, decide_case, draw_cases
from annotation.services.ratings.rounds import NewRound, freeze_protocol, open_round, plan_round
from annotation.services.ratings.saving import save_changes
from annotation.services.ratings.screening import run_screening
from annotation.services.videos.ingest import queue_ingest
from annotation.services.videos.ingest_work import ingest_videos
from annotation.services.videos.linking import link_videos
from sample.corpus import load_corpus
from sample.questions import ask_about_mistakes
from sample.ratings import RATERS, SampleRating, sample_ratings
from sample.render import render_corpus
from sample.segments import marked_segments
from segments.engine.model import CONTENT, Segment
from segments.models import SEGMENTS, SegmentSource, Stage
from segments.services.recordings import Chosen
from segments.services.rounds import NewSegmentRound, open_segment_round, plan_segment_round
from segments.services.saving import SentGesture, save_gestures
from segments.services.segmentations import submit

DATASET_NAME = "Everyday procedures (sample)"
RATED_CAMPAIGN = "Sample audit"
OPEN_CAMPAIGN = "Try it yourself"
PROTOCOL_CAMPAIGN = "From pilot to paper"
PROTOCOL_DATASET = "Everyday procedures (audit)"
SEGMENT_CAMPAIGN = "Mark the steps"
PROTOCOL_TAKES = 7
# As many as a plan of the main round needs.
PILOT_TRACES = FEWEST_TRACES
CONSENT = "You may stop at any time. Your answers are published without your name."
NEW_QUESTION = "Could a real person slip like this, here and now, however seldom that is?"
NEW_ADVICE = """\
Think of someone who wants to get the procedure right and is a little tired or distracted. Give \
a high value when the slip comes naturally at this point, and a low one when it looks staged, \
absurd or impossible. How often it happens does not matter: a rare slip can come naturally.\
"""
STOP_RULE = "The round ends when each trace has three answers."
DOUBT = "Nobody asked for this step, so I took it for one more; or does it repair something?"
ANSWER = "The heading names the mistake that it repairs, so it is a correction."
SELDOM = "Anybody might do this, but how often does it happen?"
WHY = "Raters of the pilot read “plausible” as “frequent”."
RESEARCHER, ADMINISTRATOR, ANNOTATOR = "researcher", "administrator", "annotator"
# Known to everybody who reads this, hence only for a site on one's own machine.
PASSWORD = "piev-demo"  # noqa: S105
SEED = 2026
# How long ago the rated rounds opened, and their raters began.
OPENED_AGO, RATED_AGO = timedelta(days=6), timedelta(days=5)
MINUTES_PER_TRACE = 20
SECONDS_PER_SEGMENT = 25
# What an answer takes on average; how much answers of one person differ is a gamma's shape.
SECONDS_PER_ANSWER = dict(zip(RATERS, (14.0, 19.0, 27.0), strict=True))
USUAL_SECONDS, STEADINESS = 20.0, 4.0
CLIENT_ID = "sample"

ACCOUNTS = {
    RESEARCHER: Role.RESEARCHER,
    ADMINISTRATOR: Role.ADMINISTRATOR,
    ANNOTATOR: Role.ANNOTATOR,
    **dict.fromkeys(RATERS, Role.ANNOTATOR),
}


def make_sample_site(*, say: Callable[[str], None]) -> Dataset:
    """Fill the site and return its data set; `say` prints one line per part."""
    people: dict[str, User] = {}
    for name, role in ACCOUNTS.items():
        user, is_new = User.objects.get_or_create(username=name, defaults={"role": role})
        if is_new:
            user.set_password(PASSWORD)
            user.is_staff = user.is_superuser = role == Role.ADMINISTRATOR
            user.save()
        people[name] = user
    owner = people[RESEARCHER]
    corpus = load_corpus()
    dataset = _dataset(DATASET_NAME, corpus, owner)
    say(f"Sample corpus: {dataset.takes.count()} takes, {dataset.traces.count()} traces.")
    # An audit in the middle of its protocol has traces of its own, so that figures of the whole
    # corpus stay those of one round.
    takes = corpus.takes[:PROTOCOL_TAKES]
    uids = {take.uid for take in takes}
    traces = tuple(trace for trace in corpus.traces if trace.take_uid in uids)
    scenarios = {take.scenario for take in takes}
    graphs = tuple(graph for graph in corpus.task_graphs if graph.scenario in scenarios)
    part = replace(corpus, takes=takes, traces=traces, task_graphs=graphs)
    audited = _dataset(PROTOCOL_DATASET, part, owner)
    say("Drawing its videos: half a minute the first time")
    folder = Path(settings.MEDIA_ROOT) / "sample"
    folder.mkdir(parents=True, exist_ok=True)
    render_corpus(corpus, folder)
    for filled in (audited, dataset):
        report = link_videos(dataset=filled, folder=str(folder), pattern="{stem}.mp4")
        # Here and now, because the queue that will serve is not there yet, and it takes seconds.
        ingest_videos(job_ids=queue_ingest(dataset=filled, actor=None))
    say(f"Videos: {len(report.linked)}, drawn, linked and ingested.")
    raters = [people[name] for name in RATERS]
    say(f"Ratings: {rate_audit(dataset, owner, raters)} answers by {len(RATERS)} raters.")
    walk_protocol(audited, owner, raters)
    tried = _campaign(OPEN_CAMPAIGN, Phase.PILOT, 1, dataset, owner)
    add_raters(campaign=tried, raters=[people[ANNOTATOR]], actor=owner)
    begin_segments(audited, owner, [people[ANNOTATOR], raters[0]], raters[1:])
    asked = ask_about_mistakes(dataset, owner, raters, [owner, people[ADMINISTRATOR]])
    steps = f"about {asked.item_count} steps, reviewed, frozen and answered"
    say(f"Questions: {steps}; what people answered and graded is made up.")
    return dataset


def _dataset(name: str, reading: Reading, owner: User) -> Dataset:
    target = ImportTarget(name=name, format="native", owner=owner, is_shared=True)
    import_reading(reading, target=target, actor=owner)
    return Dataset.objects.get(name=name)


def _campaign(name: str, phase: Phase, overlap: int, dataset: Dataset, owner: User) -> Campaign:
    existing = Campaign.objects.filter(name=name).first()
    if existing is not None:
        return existing
    new = NewCampaign(name=name, phase=phase, overlap=overlap, seed=SEED, is_shared=True)
    return create_campaign(new=new, datasets=[dataset], actor=owner)


def rate_audit(dataset: Dataset, owner: User, raters: list[User]) -> int:
    """A campaign whose one round is rated by everybody and closed; returns how many were typed."""
    campaign = _campaign(RATED_CAMPAIGN, Phase.MAIN, len(raters), dataset, owner)
    if campaign.is_closed:
        return 0
    add_raters(campaign=campaign, raters=raters, actor=owner)
    typed_count = rate_as_sampled(campaign)
    _finish_audit(campaign, owner)
    return typed_count


@transaction.atomic
def _finish_audit(campaign: Campaign, owner: User) -> None:
    """Close the round once every planned answer is given, and take up what it tells."""
    only = campaign.rounds.get(number=1)
    left = only.assignments.exclude(status=AssignmentStatus.SUBMITTED)
    if left.exists():
        return
    _open_before_ratings(only)
    campaign.protocol_files.update(made_at=only.opened_at)
    closed = close_round(closing=only, actor=owner)
    run_screening(round_=closed, actor=owner)
    draw_cases(campaign=campaign, actor=owner)
    answers = Rating.objects.filter(assignment__round=closed, metric=Metric.TAXONOMY_FIT)
    doubted = answers.filter(event__kind=EventKind.CORRECTION, value=TaxonomyLabel.INSERTION)
    rating = doubted.select_related("assignment__rater").order_by("pk").first()
    if rating is not None:
        case = Case.objects.get(round=closed, event=rating.event, metric=rating.metric)
        add_comment(case=case, author=rating.assignment.rater, text=DOUBT)
        label = TaxonomyLabel.CORRECTION.value
        decide_case(case=case, actor=owner, cause=Cause.SLIP, value=label, reason=ANSWER)


def _open_before_ratings(round_: Round) -> None:
    """The sample's answers are some days old: their round cannot be younger."""
    round_.opened_at = timezone.now() - OPENED_AGO
    round_.save(update_fields=["opened_at"])


@transaction.atomic
def walk_protocol(dataset: Dataset, owner: User, raters: list[User]) -> None:
    """A campaign after its pilot and desk, in its main round, of which nothing is rated yet."""
    if Campaign.objects.filter(name=PROTOCOL_CAMPAIGN).exists():
        return
    new = NewCampaign(name=PROTOCOL_CAMPAIGN, phase=None, is_shared=True)
    campaign = create_campaign(new=new, datasets=[dataset], actor=owner)
    add_raters(campaign=campaign, raters=raters, actor=owner)
    text = set_consent_text(campaign=campaign, text=CONSENT, actor=owner)
    for rater in raters:
        accept_consent(text=text, rater=rater)
    first = campaign.guideline_versions.get()
    plan = NewRound(Phase.PILOT, first, overlap=len(raters), seed=SEED, per_dataset=PILOT_TRACES)
    pilot = plan_round(campaign=campaign, new=plan, actor=owner)
    open_round(planned=pilot, actor=owner)
    rate_as_sampled(campaign)
    _open_before_ratings(pilot)
    close_round(closing=pilot, actor=owner)
    widest = Case.objects.filter(
        round=pilot, metric=Metric.HUMAN_PLAUSIBILITY, event__kind=EventKind.MISTAKE
    )
    case = widest.order_by("-score", "pk").first()
    if case is not None:
        answers = Rating.objects.filter(assignment__round=pilot, event=case.event)
        lowest = answers.filter(metric=case.metric).order_by("value", "pk")[0]
        add_comment(case=case, author=lowest.assignment.rater, text=SELDOM)
        decide_case(case=case, actor=owner, cause=Cause.GUIDELINE_GAP, reason=WHY)
    second = new_version(campaign=campaign, parent=first, actor=owner)
    changed = deepcopy(second.text)
    # Corrections keep their question: it is about the repair, not about the slip.
    changed[Metric.HUMAN_PLAUSIBILITY]["mistake"] |= {
        "question": NEW_QUESTION,
        "how_to_judge": NEW_ADVICE,
    }
    edit_version(version=second, actor=owner, text=changed, examples=[], changes=WHY)
    freeze_protocol(campaign=campaign, guideline=second, actor=owner)
    # Who rates a trace again may not discuss it meanwhile, and the pilot's cases are there to be.
    plan = NewRound(Phase.MAIN, second, overlap=len(raters), seed=SEED, stop_rule=STOP_RULE)
    main = plan_round(campaign=campaign, new=plan, actor=owner)
    open_round(planned=main, actor=owner)


@transaction.atomic
def begin_segments(dataset: Dataset, owner: User, people: list[User], before: list[User]) -> None:
    """A campaign of segments: a round that `before` have finished, and two that `people` begin.

    In these there are recordings with mistakes to label, and steps to be audited.
    """
    if Campaign.objects.filter(name=SEGMENT_CAMPAIGN).exists():
        return
    new = NewCampaign(name=SEGMENT_CAMPAIGN, kind=SEGMENTS, is_shared=True)
    campaign = create_campaign(new=new, datasets=[dataset], actor=owner)
    add_raters(campaign=campaign, raters=[*people, *before], actor=owner)
    _mark_segments(campaign, owner, before)
    for recordings in (
        NewSegmentRound(
            phase=Phase.MAIN,
            stage=Stage.LABEL,
            scheme="egooops",
            overlap=len(people),
            seed=SEED,
            people=people,
            chosen=Chosen(has_takes=False),
        ),
        NewSegmentRound(
            phase=Phase.MAIN,
            stage=Stage.AUDIT,
            scheme="partition",
            seed=SEED,
            people=people,
            source=SegmentSource.STEPS,
            chosen=Chosen(has_traces=False),
        ),
    ):
        planned, _ = plan_segment_round(campaign=campaign, new=recordings, actor=owner)
        open_segment_round(planned=planned, actor=owner)


def _mark_segments(campaign: Campaign, owner: User, people: list[User]) -> None:
    """A closed round in which each of `people` marked what each trace shows."""
    new = NewSegmentRound(
        phase=Phase.MAIN,
        stage=Stage.LABEL,
        scheme="egooops",
        overlap=len(people),
        seed=SEED,
        people=people,
        chosen=Chosen(has_takes=False),
    )
    planned, _ = plan_segment_round(campaign=campaign, new=new, actor=owner)
    open_segment_round(planned=planned, actor=owner)
    _open_before_ratings(planned)
    traces = {trace.uid: trace for trace in load_corpus().traces}
    began_at = timezone.now() - RATED_AGO
    work = planned.segmentations.select_related("person", "recording__trace__video")
    for place, own in enumerate(work.order_by("pk")):
        row = own.recording.trace
        # The round has traces with videos alone.
        assert row is not None  # noqa: S101
        assert row.video is not None  # noqa: S101
        rng = np.random.default_rng([SEED, place])
        marked = marked_segments(traces[row.uid], row.video.duration_s, rng)
        gestures = [
            SentGesture(
                sequence=number,
                made_at=began_at + timedelta(seconds=SECONDS_PER_SEGMENT * number),
                data={"name": "draw", "changes": [_insertion(segment)]},
            )
            for number, segment in enumerate(marked, start=1)
        ]
        public_id, person = own.public_id, own.person
        save_gestures(public_id=public_id, client_id=CLIENT_ID, gestures=gestures, actor=person)
        submit(public_id=public_id, actor=person)
    close_round(closing=planned, actor=owner)


def _insertion(segment: Segment) -> dict[str, object]:
    values = segment.to_dict()
    fields = {name: values[name] for name in CONTENT if values[name] not in ("", False)}
    return {"key": segment.key, "base_revision": 0, "insert": fields}


def rate_as_sampled(campaign: Campaign) -> int:
    """Enter the sample ratings as the raters would have; returns how many were typed."""
    answers: dict[tuple[str, str], list[SampleRating]] = defaultdict(list)
    for rating in sample_ratings(load_corpus().traces, np.random.default_rng(SEED)):
        if not rating.is_implied:
            answers[rating.rater, rating.trace_uid].append(rating)
    assignments = Assignment.objects.filter(
        round__campaign=campaign, started_at__isnull=True
    ).select_related("round__ratings", "trace", "rater")
    typed_count = 0
    for assignment in assignments.order_by("rater", "position"):
        ratings = answers.get((assignment.rater.username, assignment.trace.uid), [])
        if ratings:
            typed_count += enter_ratings(assignment, ratings)
    return typed_count


@transaction.atomic
def enter_ratings(assignment: Assignment, ratings: list[SampleRating]) -> int:
    indices = dict(assignment.trace.events.values_list("event_id", "index"))
    has_video = assignment.trace.video_id is not None
    rubric_ = rubric(assignment.round.ratings.rubric_version)
    applicable = {
        metric
        for scope in Scope
        for metric in applicable_metrics(scope, has_video, rubric_=rubric_)
    }
    began_at = timezone.now() - RATED_AGO
    started_at = began_at + timedelta(minutes=MINUTES_PER_TRACE * assignment.position)
    rows = [rating for rating in ratings if rating.metric in applicable]
    rater = assignment.rater
    mean_s = SECONDS_PER_ANSWER.get(rater.username, USUAL_SECONDS)
    rng = np.random.default_rng([SEED, assignment.position, *rater.username.encode()])
    moments_s = np.cumsum(rng.gamma(STEADINESS, mean_s / STEADINESS, len(rows)))
    changes = [
        RatingChange(
            sequence=sequence,
            key=RatingKey(
                None if rating.event_id is None else indices[rating.event_id], rating.metric
            ),
            answer=Answer(rating.value, rating.confidence),
            base_revision=0,
            rated_at=started_at + timedelta(seconds=float(moment_s)),
        )
        for sequence, (rating, moment_s) in enumerate(zip(rows, moments_s, strict=True), start=1)
    ]
    save_changes(public_id=assignment.public_id, client_id=CLIENT_ID, changes=changes, actor=rater)
    submit_assignment(assignment=assignment, actor=rater)
    return len(changes)
