"""What the dataclass of a request accepts is what its form and its endpoint accept."""

from dataclasses import MISSING, fields

import pytest
from rest_framework.fields import empty

from annotation.analytics.raters.screening_terms import Thresholds
from annotation.api.campaigns.campaigns import NewCampaignSerializer
from annotation.api.campaigns.rounds import NewRoundSerializer
from annotation.api.figures.raters import ThresholdsSerializer
from annotation.api.ratings.gold import NewChecksSerializer
from annotation.engine.limits import limits
from annotation.forms.campaigns.campaigns import CampaignForm
from annotation.forms.campaigns.rounds import RoundForm
from annotation.forms.figures.raters import ThresholdsForm
from annotation.forms.ratings.gold import ChecksForm
from annotation.models import Campaign, GuidelineVersion
from annotation.services.campaigns.campaigns import NewCampaign
from annotation.services.ratings.gold import NewChecks
from annotation.services.ratings.rounds import NewRound
from segments.api.proposals import ProposalsSerializer
from segments.api.rounds import NewSegmentRoundSerializer
from segments.forms.rounds import ProposalForm, SegmentRoundForm
from segments.services.proposals import ProposalRequest
from segments.services.recordings import Chosen
from segments.services.rounds import NewSegmentRound

REQUESTS = [
    (NewCampaign, CampaignForm.base_fields, NewCampaignSerializer),
    (NewRound, RoundForm.base_fields, NewRoundSerializer),
    (NewChecks, ChecksForm.base_fields, NewChecksSerializer),
    (NewSegmentRound, SegmentRoundForm.base_fields, NewSegmentRoundSerializer),
    (Chosen, SegmentRoundForm.base_fields, NewSegmentRoundSerializer),
    (ProposalRequest, ProposalForm.base_fields, ProposalsSerializer),
    (Thresholds, ThresholdsForm().fields, ThresholdsSerializer),
]
LIMITED = [
    pytest.param(item, form_fields, serializer, id=f"{request.__name__}.{item.name}")
    for request, form_fields, serializer in REQUESTS
    for item in fields(request)
    if item.metadata
]
# Pages offer the schemes that there are, their newest version, and shares in percent.
NOT_TYPED = {"scheme", "scheme_version", "pass_overall", "pass_per_metric"}


@pytest.mark.parametrize(("item", "form_fields", "serializer"), LIMITED)
def test_form_and_endpoint_accept_what_the_dataclass_says(item, form_fields, serializer):
    body_field = serializer().fields[item.name]
    for limit, value in item.metadata.items():
        assert getattr(body_field, limit) == value
        if item.name not in NOT_TYPED:
            assert getattr(form_fields[item.name], limit) == value
    if body_field.default is not empty:
        assert body_field.default == item.default


@pytest.mark.parametrize(("item", "form_fields", "serializer"), LIMITED)
def test_a_form_begins_with_the_default(item, form_fields, serializer):
    if item.name in NOT_TYPED or form_fields[item.name].initial is None:
        return
    assert form_fields[item.name].initial == item.default


def test_columns_hold_what_requests_accept():
    """A longer name or version would be accepted and then fail as it is stored."""
    columns = {"name": Campaign, "guideline_version": GuidelineVersion}
    for name, model in columns.items():
        column = model._meta.get_field("name")
        assert column.max_length == limits(NewCampaign, name)["max_length"]


def test_the_default_is_asked_for_by_its_keyword():
    assert limits(NewRound, "overlap") == {"min_value": 1, "max_value": 50}
    assert limits(NewRound, "overlap", default_as="initial")["initial"] == 3
    assert NewCampaign.__dataclass_fields__["name"].default is MISSING
    with pytest.raises(ValueError, match=r"NewCampaign\.name has no default"):
        limits(NewCampaign, "name", default_as="default")
