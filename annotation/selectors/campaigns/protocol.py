"""Reading what makes an audit accountable: consent, the plan of the analysis, filed protocols."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import asdict
from datetime import datetime
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet
from django.forms.models import model_to_dict
from django.shortcuts import get_object_or_404
from django.utils import timezone

from annotation.analytics.agreement.planned import LEAST_COVERAGE, LEAST_RATERS, Planned
from annotation.analytics.agreement.report import RESAMPLES
from annotation.analytics.raters.screening_terms import Thresholds
from annotation.engine.campaigns.protocol_file import FORMAT
from annotation.engine.corpus.step_words import StepWords
from annotation.engine.rubric.rubric import Metric
from annotation.models import (
    AnalysisPlan,
    Assignment,
    Campaign,
    CampaignRater,
    ConsentText,
    FilingMoment,
    GuidelineReading,
    InterimLook,
    ProtocolFile,
    Purpose,
    RatingRound,
    Round,
    RoundRater,
    Trace,
    User,
)
from annotation.models.round_kinds import RATINGS
from annotation.selectors.campaigns.campaigns import get_readable_campaign
from annotation.selectors.campaigns.rounds import rounds_of_rater
from annotation.selectors.corpus.corpus import count_of
from annotation.selectors.records.status import installed_version

AGREEMENT = (
    "Krippendorff's alpha by value counts (nominal, or ordinal for 1-5 scales), with an interval"
    f" of 95% from {RESAMPLES:,} resamples of whole traces, or of takes where traces share one,"
    " bias-corrected where resampling shifts the figure; below 25 clusters the jackknife t interval"
)


def current_consent(campaign: Campaign | int) -> ConsentText | None:
    return ConsentText.objects.filter(campaign=campaign).order_by("-number").first()


def consent_to_ask(user: User, campaign: Campaign | int) -> ConsentText | None:
    """The text that the user has yet to accept before a first answer, if there is one."""
    current = current_consent(campaign)
    if current is None or current.accepted.filter(rater=user).exists():
        return None
    return current


def consents_to(text: ConsentText) -> list[tuple[str, datetime | None]]:
    """Who of the campaign's raters accepted the text when, by name."""
    accepted = dict(text.accepted.values_list("rater", "accepted_at"))
    raters = CampaignRater.objects.filter(campaign=text.campaign_id).order_by("rater__username")
    rows = raters.values_list("rater", "rater__username")
    return [(name, accepted.get(pk)) for pk, name in rows]


def analysis_plan(campaign: Campaign) -> AnalysisPlan:
    """The stored plan of the analysis, else one of all metrics without comparisons.

    Without one, raters of the next round see changes as those of the last that was opened did.
    """
    stored = AnalysisPlan.objects.filter(campaign=campaign).first()
    if stored is not None:
        return stored
    plan = AnalysisPlan(campaign=campaign, metrics=list(Metric))
    opened = RatingRound.objects.filter(round__campaign=campaign, round__opened_at__isnull=False)
    last = opened.exclude(step_words=StepWords.ELSEWHERE).order_by("-round__number").first()
    if last is not None:
        plan.step_words = last.step_words
    return plan


def filed_plans(rounds: Iterable[int]) -> dict[str, Planned]:
    """The plans of the rounds' campaigns that have a filed protocol, by campaign name."""
    filed = ProtocolFile.objects.filter(campaign=OuterRef("pk"))
    campaigns = Campaign.objects.filter(Exists(filed), rounds__in=list(rounds)).distinct()
    everything = list(Metric)
    return {
        name: Planned(
            frozenset(everything if metrics is None else metrics),
            frozenset(frozenset(pair) for pair in pairs or ()),
            # A campaign that filed without storing a plan has the defaults.
            LEAST_COVERAGE if coverage is None else coverage / 100,
            LEAST_RATERS if raters is None else raters,
        )
        for name, metrics, pairs, coverage, raters in campaigns.values_list(
            "name",
            "analysis_plan__metrics",
            "analysis_plan__comparisons",
            "analysis_plan__least_coverage",
            "analysis_plan__least_raters",
        )
    }


def protocol_of(campaign: Campaign, *, moment: FilingMoment) -> dict[str, Any]:
    """Everything about a campaign that a reader needs to judge or repeat it, names left out.

    Raters are named by their places ("rater 1"), the same in all rounds, of which there may be
    many: it takes the same number of queries.
    """
    plan = analysis_plan(campaign)
    people = CampaignRater.objects.filter(campaign=campaign).values_list("rater", flat=True)
    given_out = Assignment.objects.filter(round__campaign=campaign).order_by()
    assigned = given_out.values_list("rater", flat=True).distinct()
    names = {pk: f"rater {place}" for place, pk in enumerate(sorted({*people, *assigned}), start=1)}
    versions = campaign.guideline_versions.filter(kind=RATINGS)
    consent = current_consent(campaign)
    return {
        "format": FORMAT,
        "moment": moment.label.lower(),
        "filed_at": _time(timezone.now()),
        "campaign": campaign.name,
        "state": campaign.state,
        "software": installed_version() or "uninstalled",
        "analysis": {
            "metrics": plan.metrics,
            "comparisons": plan.comparisons,
            "hypotheses": plan.hypotheses,
            "exclusions": plan.exclusions,
            "least_coverage": plan.least_coverage,
            "least_raters": plan.least_raters,
            "step_words": plan.step_words,
            "agreement": AGREEMENT,
        },
        "rounds": _rounds(campaign, names),
        "readings": [
            {"rater": names[rater], "guideline": number, "read_at": _time(read_at)}
            for rater, number, read_at in GuidelineReading.objects.filter(version__in=versions)
            .order_by("version__number", "read_at")
            .values_list("rater", "version__number", "read_at")
            if rater in names
        ],
        "interim_looks": _looks(campaign),
        "guidelines": [
            {
                "number": version.number,
                "name": version.name,
                "hash": version.content_hash,
                "text": version.text,
                "examples": version.examples,
                "changes": version.changes,
                "frozen_at": _time(version.frozen_at),
            }
            for version in versions.order_by("number")
        ],
        "consent": consent
        and {"number": consent.number, "hash": consent.content_hash, "text": consent.text},
    }


def interim_looks(campaign: Campaign) -> QuerySet[InterimLook]:
    """Who looked at agreement of a main round while it was open, in the order of the days."""
    looks = InterimLook.objects.filter(round__campaign=campaign)
    return looks.select_related("round", "person").order_by("first_at", "pk")


def _looks(campaign: Campaign) -> list[dict[str, Any]]:
    """The looks without names: the owner is called so, others by their places."""
    looks = list(interim_looks(campaign))
    others = [
        look.person_id
        for look in looks
        if look.person_id is not None and look.person_id != campaign.owner_id
    ]
    places = {pk: f"researcher {place}" for place, pk in enumerate(dict.fromkeys(others), start=1)}
    return [
        {
            "who": places.get(look.person_id, "owner of the campaign")
            if look.person_id is not None
            else "by a command, or an account that is gone",
            "round": look.round.number,
            "day": look.day.isoformat(),
            "first_at": _time(look.first_at),
            "alpha_of": [f"{dataset}: {metric}" for dataset, metric in look.figures],
        }
        for look in looks
    ]


def _rounds(campaign: Campaign, names: dict[int, str]) -> list[dict[str, Any]]:
    """The rounds of a campaign in their order (3 queries)."""
    rounds = campaign.rounds.filter(kind=RATINGS).select_related(
        "guideline", "ratings", "screening_plan", "checks__qualified_by"
    )
    counted = rounds.annotate(
        assignment_count=count_of(Assignment.objects.filter(purpose=Purpose.ORDINARY), "round")
    )
    raters: dict[int, set[str]] = defaultdict(set)
    for key, rater in RoundRater.objects.filter(round__in=rounds).values_list("round", "rater"):
        if rater in names:
            raters[key].add(names[rater])
    traces: dict[int, list[str]] = defaultdict(list)
    chosen = Trace.objects.filter(rating_rounds__round__in=rounds).order_by("dataset__name", "uid")
    for key, dataset, uid in chosen.values_list("rating_rounds", "dataset__name", "uid"):
        traces[key].append(f"{dataset}/{uid}")
    return [
        {
            "number": round_.number,
            "phase": round_.phase,
            "overlap": round_.overlap,
            "seed": round_.seed,
            "stop_rule": round_.stop_rule,
            "rubric": round_.ratings.rubric_version,
            "step_words": round_.ratings.step_words,
            "guideline": round_.guideline.number,
            "opened_at": _time(round_.opened_at),
            "closed_at": _time(round_.closed_at),
            "raters": sorted(raters[round_.pk]),
            "drawn_from": round_.ratings.drawn_from,
            "traces": traces[round_.pk],
            "assignments": round_.assignment_count,
            "checks": _checks(round_),
        }
        for round_ in counted.order_by("number")
    ]


def _checks(round_: Round) -> dict[str, Any]:
    """Thresholds of screening, gold and repeats of a round, by name, as they are stored."""
    stored: dict[str, Any] = {}
    if screening := getattr(round_, "screening_plan", None):
        stored["screening rules"] = asdict(Thresholds(**screening.thresholds))
    if checks := getattr(round_, "checks", None):
        training = checks.qualified_by and checks.qualified_by.number
        counts = model_to_dict(checks, exclude=["round", "qualified_by"])
        stored["gold, traps and repeats"] = counts | {"qualified_by": training}
    return stored


def _time(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat(timespec="seconds")


def filed_protocol(user: User, public_id: str, filed_id: str) -> ProtocolFile:
    """A filed protocol, which names the sources of traces.

    Raises Http404, or HiddenWhileRatingError for who rates in the campaign while it is open.
    """
    campaign = get_readable_campaign(user, public_id)
    filed = ProtocolFile.objects.select_related("campaign").filter(campaign=campaign)
    return get_object_or_404(filed, public_id=filed_id)


def campaign_of_rater(user: User, public_id: str) -> Campaign | None:
    """A campaign with a round that was opened in which the user works, if it is one."""
    own = rounds_of_rater(user, kind=None).values("campaign")
    return Campaign.objects.filter(pk__in=own, public_id=public_id).first()


def round_to_consent(user: User, round_id: str) -> Round:
    """A round that was opened in which the user works; raises Http404."""
    own = rounds_of_rater(user, kind=None).select_related("campaign", "guideline", "ratings")
    return get_object_or_404(own, public_id=round_id)
