"""The page for a new campaign of segments; its other pages are those of every campaign."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_http_methods

from annotation.permissions import researcher_required
from annotation.views.campaigns.campaigns import create_campaign_page
from segments.forms.campaigns import SegmentCampaignForm


@researcher_required
@require_http_methods(["GET", "POST"])
def segment_campaign_create(request: HttpRequest) -> HttpResponse:
    return create_campaign_page(
        request,
        SegmentCampaignForm,
        "segments/campaign_create.html",
        "Add people, then plan its first round.",
    )
