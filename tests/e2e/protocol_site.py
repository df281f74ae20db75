"""A campaign in the middle of its protocol, so that every page of it has something to show."""

import numpy as np

from annotation.engine.ratings.adjudication import Cause
from annotation.models import Assignment, Campaign, Case, Dataset, FilingMoment, Phase, User
from annotation.selectors.ratings.gold import proposals
from annotation.services.campaigns.campaigns import NewCampaign, add_raters, create_campaign
from annotation.services.campaigns.guidelines import edit_version
from annotation.services.campaigns.protocol import file_protocol, set_consent_text
from annotation.services.campaigns.rounds import close_round
from annotation.services.ratings.desk import add_comment, decide_case, draft_from_case
from annotation.services.ratings.gold import NewChecks, accept_proposals, plan_checks
from annotation.services.ratings.rounds import NewRound, freeze_protocol, open_round, plan_round
from annotation.services.ratings.screening import run_screening
from sample.corpus import load_corpus
from sample.ratings import RATERS, sample_ratings
from sample.site import ANNOTATOR, SEED, enter_ratings, rate_as_sampled

NAME = "Kitchen audit"
GOLD_COUNT = 12
TEXT = "We keep your answers and when you gave them. You can stop at any time."


def make_protocol_site(dataset: Dataset) -> Campaign:
    """A pilot rated, closed and discussed; training with gold begun; a main round planned."""
    owner = dataset.owner
    annotator = User.objects.get(username=ANNOTATOR)
    raters = list(User.objects.filter(username__in=RATERS))
    new = NewCampaign(name=NAME, phase=None, overlap=len(RATERS), seed=SEED, is_shared=True)
    campaign = create_campaign(new=new, datasets=[dataset], actor=owner)
    add_raters(campaign=campaign, raters=raters, actor=owner)
    first = campaign.guideline_versions.get()

    pilot_of = NewRound(Phase.PILOT, first, overlap=len(RATERS), seed=SEED)
    pilot = plan_round(campaign=campaign, new=pilot_of, actor=owner)
    open_round(planned=pilot, actor=owner)
    rate_as_sampled(campaign)
    pilot = close_round(closing=pilot, actor=owner)
    run_screening(round_=pilot, actor=owner)

    cases = list(Case.objects.filter(round=pilot).exclude(metric="").order_by("-score", "pk"))
    add_comment(case=cases[0], author=raters[0], text="The pan is off when the eggs go in.")
    decide_case(case=cases[1], actor=owner, cause=Cause.GUIDELINE_GAP, reason="Say what counts.")
    draft = draft_from_case(case=cases[1], actor=owner)
    edit_version(
        version=draft,
        actor=owner,
        text=draft.text,
        examples=draft.examples,
        changes="Raters of the pilot took the same slip for two kinds of mistake.",
    )
    keys = [item.key for item in proposals(pilot, least_raters=len(RATERS))][:GOLD_COUNT]
    accept_proposals(round_=pilot, keys=keys, least_raters=len(RATERS), actor=owner)

    add_raters(campaign=campaign, raters=[annotator], actor=owner)
    training = plan_round(campaign=campaign, new=NewRound(Phase.TRAINING, first), actor=owner)
    plan_checks(round_=training, new=NewChecks(traces_per_attempt=2), actor=owner)
    open_round(planned=training, actor=owner)
    _answer_first(annotator, campaign)

    freeze_protocol(campaign=campaign, guideline=draft, actor=owner)
    main_of = NewRound(Phase.MAIN, draft, overlap=len(RATERS), seed=SEED, rates_pilot_again=True)
    main = plan_round(campaign=campaign, new=main_of, actor=owner)
    plan_checks(round_=main, new=NewChecks(gold_count=1, qualified_by=training), actor=owner)
    set_consent_text(campaign=campaign, text=TEXT, actor=owner)
    file_protocol(campaign=campaign, moment=FilingMoment.BEFORE_MAIN, actor=owner)
    return campaign


def _answer_first(rater: User, campaign: Campaign) -> None:
    """Have the rater answer a first trace as one of the sample's raters did."""
    row = Assignment.objects.filter(round__campaign=campaign, rater=rater).order_by("position")[0]
    ratings = sample_ratings(load_corpus().traces, np.random.default_rng(SEED))
    given = [
        item
        for item in ratings
        if (item.rater, item.trace_uid) == (RATERS[0], row.trace.uid) and not item.is_implied
    ]
    enter_ratings(row, given)
