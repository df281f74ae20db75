"""Pages on which texts are brought to people: a new campaign, a sample of a data set."""

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from annotation.permissions import researcher_required, signed_in_user
from annotation.selectors.corpus.corpus import get_dataset_for_user
from annotation.views.campaigns.campaigns import create_campaign_page
from texts.forms.campaigns import TextCampaignForm
from texts.forms.sample import SampleForm
from texts.services.sampling import have_mistakes_read


@researcher_required
@require_http_methods(["GET", "POST"])
def text_campaign_create(request: HttpRequest) -> HttpResponse:
    return create_campaign_page(
        request,
        TextCampaignForm,
        "texts/campaign_create.html",
        "Add people; its texts come from the pages that make them.",
    )


@researcher_required
@require_http_methods(["GET", "POST"])
def text_sample(request: HttpRequest, public_id: str) -> HttpResponse:
    """Have a sample of a data set's mistakes read."""
    user = signed_in_user(request)
    dataset = get_dataset_for_user(user, public_id)
    form = SampleForm(request.POST or None, initial={"name": "Which mistakes make sense?"})
    if request.method == "POST" and form.is_valid():
        try:
            planned = have_mistakes_read(dataset=dataset, new=form.to_sample(), actor=user)
        except ValidationError as error:
            form.add_error(None, error)
        else:
            count = planned.text_items.count()
            messages.success(
                request, f"{count:,} mistakes are drawn. Add people, then open the round."
            )
            return redirect("campaign-detail", planned.campaign.public_id)
    context = {"section": "datasets", "dataset": dataset, "form": form}
    return render(request, "texts/sample.html", context)
