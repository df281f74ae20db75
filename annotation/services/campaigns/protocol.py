"""Consent of raters, the plan of the analysis, and filing the protocol."""

from collections.abc import Sequence

from django.db import transaction
from django.db.models import Max

from annotation.engine.campaigns.protocol_file import protocol_hash, protocol_json
from annotation.engine.corpus.step_words import StepWords
from annotation.engine.exceptions import NotNowError
from annotation.engine.rubric.rubric import Metric
from annotation.models import (
    AnalysisPlan,
    Campaign,
    CampaignState,
    Consent,
    ConsentText,
    FilingMoment,
    ProtocolFile,
    User,
)
from annotation.selectors.campaigns.protocol import protocol_of
from annotation.services.records.audit_log import record_campaign
from annotation.services.records.locks import lock_campaign

# Whoever has seen answers of the main round must not choose what is reported.
PLANNED_IN = {CampaignState.DRAFT, CampaignState.PILOT, CampaignState.DISCUSSION}
FILED_BY_HAND_IN = {*PLANNED_IN, CampaignState.FROZEN}


class PlanIsFiledError(NotNowError):
    """The plan of the analysis can no longer change: the protocol is frozen or filed."""


class TooLateToFileError(NotNowError):
    """The main round was opened, and the protocol filed before it: it is filed again at release."""


class InvalidPlanError(ValueError):
    """A metric or data set of the plan is not of this campaign; says which."""


@transaction.atomic
def set_consent_text(*, campaign: Campaign, text: str, actor: User) -> ConsentText:
    """Have raters accept a text before a first answer; the same text again is no change."""
    locked = lock_campaign(campaign)
    current = locked.consent_texts.order_by("-number").first()
    if current is not None and current.text == text:
        return current
    last = locked.consent_texts.aggregate(last=Max("number"))["last"] or 0
    consent_text = ConsentText.objects.create(
        campaign=locked,
        number=last + 1,
        text=text,
        content_hash=protocol_hash(text),
        made_by=actor,
    )
    record_campaign(
        actor,
        "consent.text",
        locked,
        {"number": consent_text.number, "hash": consent_text.content_hash},
    )
    return consent_text


@transaction.atomic
def accept_consent(*, text: ConsentText, rater: User) -> Consent:
    """Record that somebody accepted a text; a second time changes nothing."""
    consent, is_new = Consent.objects.get_or_create(text=text, rater=rater)
    if is_new:
        record_campaign(rater, "consent.accept", text.campaign, {"number": text.number})
    return consent


@transaction.atomic
def set_analysis_plan(
    *,
    campaign: Campaign,
    actor: User,
    metrics: Sequence[str],
    comparisons: Sequence[tuple[str, str]],
    hypotheses: str,
    exclusions: str,
    least_coverage: int = AnalysisPlan.LEAST_COVERAGE,
    least_raters: int = AnalysisPlan.LEAST_RATERS,
    step_words: str = StepWords.ARROWS,
) -> AnalysisPlan:
    """Store what will be reported; raises `InvalidPlanError` or `PlanIsFiledError`."""
    locked = lock_campaign(campaign)
    if locked.state not in PLANNED_IN:
        raise PlanIsFiledError(
            f"The campaign is in state {locked.get_state_display().lower()}: what was planned"
            " stands, and anything beyond it is exploratory."
        )
    datasets = set(locked.datasets.values_list("name", flat=True))
    for name in metrics:
        if name not in set(Metric):
            raise InvalidPlanError(f"metric {name!r}: expected one of {', '.join(Metric)}")
    for pair in comparisons:
        for name in pair:
            if name not in datasets:
                expected = ", ".join(sorted(datasets))
                raise InvalidPlanError(f"data set {name!r}: expected one of {expected}")
    plan, _ = AnalysisPlan.objects.update_or_create(
        campaign=locked,
        defaults={
            "metrics": list(metrics),
            "comparisons": [list(pair) for pair in comparisons],
            "hypotheses": hypotheses,
            "exclusions": exclusions,
            "least_coverage": least_coverage,
            "least_raters": least_raters,
            "step_words": step_words,
        },
    )
    record_campaign(actor, "campaign.analysis_plan", locked, {"metrics": list(metrics)})
    return plan


@transaction.atomic
def file_protocol_now(*, campaign: Campaign, actor: User) -> ProtocolFile:
    """File the protocol by hand, as long as what it is filed before has not begun."""
    locked = lock_campaign(campaign)
    if locked.state not in FILED_BY_HAND_IN:
        raise TooLateToFileError(
            f"The campaign is in state {locked.get_state_display().lower()}: the protocol was filed"
            " before the main round, and is filed again at release."
        )
    return file_protocol(campaign=locked, moment=FilingMoment.BEFORE_MAIN, actor=actor)


@transaction.atomic
def file_protocol(*, campaign: Campaign, moment: FilingMoment, actor: User | None) -> ProtocolFile:
    """Keep the protocol as it stands now, for good."""
    content = protocol_json(protocol_of(campaign, moment=moment))
    filed = ProtocolFile.objects.create(
        campaign=campaign,
        moment=moment,
        content=content,
        content_hash=protocol_hash(content),
        made_by=actor,
    )
    detail = {"moment": moment.value, "hash": filed.content_hash}
    record_campaign(actor, "protocol.file", campaign, detail)
    return filed
