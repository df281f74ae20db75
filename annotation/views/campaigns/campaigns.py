"""The pages of campaigns: list, new, one campaign with its people and progress."""

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.db.models import Q
from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.engine.counting import counted
from annotation.forms.campaigns.campaigns import (
    CampaignForm,
    DatasetsForm,
    InvitationForm,
    RatersForm,
)
from annotation.models import ENDED, Campaign
from annotation.models.round_kinds import RATINGS, round_kinds
from annotation.permissions import researcher_required, signed_in_user
from annotation.selectors.campaigns.campaigns import (
    campaigns_with_people,
    campaigns_with_progress,
    get_changeable_campaign,
    may_change_campaign,
    open_invitations,
    progress_of,
    rater_progress,
    resettable_raters,
)
from annotation.selectors.corpus.blinding import (
    campaigns_hidden_now,
    may_open,
    why_figures_are_hidden,
)
from annotation.services.campaigns.campaigns import (
    AllocationResult,
    CampaignClosedError,
    add_datasets,
    add_new_raters,
    allocate_traces,
    close_campaign,
    create_campaign,
    remove_rater,
)
from annotation.services.campaigns.invitations import VALID_DAYS, end_invitations, make_invitation
from annotation.tables import Filter, ListColumn, TableKind, read_list, read_table
from annotation.views.campaigns.people import rater_called
from annotation.views.records.errors import refusals_shown

SECTION = {"section": "campaigns"}
PEOPLE = TableKind("people", (), searched=("username",))
CAMPAIGNS = TableKind(
    "campaigns",
    (
        ListColumn("Name", "name"),
        ListColumn("Data sets"),
        ListColumn("Raters", "rater_count", is_number=True),
        ListColumn("Traces", "trace_count", is_number=True),
        ListColumn("Submitted", "submitted_count"),
        ListColumn("State", "state"),
        ListColumn("Report"),
    ),
    searched=("name", "owner__username"),
    filters=(
        Filter(
            "state",
            "State",
            {
                "open": ("open", ~Q(state__in=ENDED)),
                "closed": ("closed", Q(state__in=ENDED)),
            },
        ),
    ),
)


@researcher_required
@require_GET
def campaigns(request: HttpRequest) -> HttpResponse:
    rows = campaigns_with_progress(signed_in_user(request))
    hidden = campaigns_hidden_now(signed_in_user(request)).values_list("pk", flat=True)
    context = SECTION | {
        "table": read_table(request, CAMPAIGNS, rows),
        "hidden": set(hidden),
        "other_kinds": [kind for kind in round_kinds() if kind.name != RATINGS],
    }
    return render(request, "annotation/campaign_list.html", context)


@researcher_required
@require_http_methods(["GET", "POST"])
def campaign_create(request: HttpRequest) -> HttpResponse:
    return create_campaign_page(
        request, CampaignForm, "annotation/campaign_create.html", "Now add the people who rate."
    )


def create_campaign_page(
    request: HttpRequest, form_class: type[CampaignForm], template: str, next_step: str
) -> HttpResponse:
    """The page on which a campaign of any kind is made."""
    user = signed_in_user(request)
    form = form_class(user, request.POST or None, chosen=request.GET.getlist("dataset"))
    if request.method == "POST" and form.is_valid():
        try:
            campaign = create_campaign(
                new=form.to_campaign(), datasets=form.cleaned_data["datasets"], actor=user
            )
        except ValidationError as error:
            form.add_error(None, error)
        else:
            messages.success(request, f"{campaign.name} is ready. {next_step}")
            return redirect("campaign-detail", campaign.public_id)
    return render(request, template, SECTION | {"form": form})


@researcher_required
@require_GET
def campaign_detail(request: HttpRequest, public_id: str) -> HttpResponse:
    user = signed_in_user(request)
    return _detail(request, get_object_or_404(campaigns_with_people(user), public_id=public_id))


def _detail(
    request: HttpRequest, counted: Campaign, *, status: int = 200, **forms: Form
) -> HttpResponse:
    """The page of a campaign with its people; `forms` were refused, with what was put into them."""
    user = signed_in_user(request)
    hidden = why_figures_are_hidden(user, counted)
    page = counted.round_kind.campaign_page(counted, hidden)
    context = {
        **SECTION,
        "campaign": counted,
        **page.context,
        **_shared(request, counted, hidden),
        **forms,
    }
    return render(request, page.template, context, status=status)


def _refused(request: HttpRequest, campaign: Campaign, **forms: Form) -> HttpResponse:
    counted = campaigns_with_people(signed_in_user(request)).get(pk=campaign.pk)
    return _detail(request, counted, status=400, **forms)


def _shared(request: HttpRequest, campaign: Campaign, hidden: str) -> dict[str, object]:
    """What the pages of campaigns of every kind show: people, data sets, who may change them."""
    user, raters = signed_in_user(request), rater_progress(campaign)
    datasets = campaign.datasets.all()
    return {
        "raters": raters,
        "people": read_list(request, PEOPLE, raters, lambda rater: rater.username),
        "progress": progress_of(raters),
        "datasets": datasets,
        "openable": {dataset.name for dataset in datasets if may_open(user, dataset)},
        "hidden": hidden,
        "resettable": set(resettable_raters(user, campaign).values_list("pk", flat=True)),
        "invitations": open_invitations(campaign),
        "invitation_form": InvitationForm(),
        "may_change": may_change_campaign(user, campaign),
        "raters_form": RatersForm(campaign),
        "datasets_form": DatasetsForm(user, campaign),
    }


@researcher_required
@require_POST
def campaign_add_raters(request: HttpRequest, public_id: str) -> HttpResponse:
    """Add people; the first passwords of new accounts are shown on the next page only."""
    user = signed_in_user(request)
    campaign = get_changeable_campaign(user, public_id, kind=None)
    form = RatersForm(campaign, request.POST, request.FILES)
    if form.is_valid():
        try:
            added = add_new_raters(
                campaign=campaign,
                raters=form.cleaned_data["raters"],
                new_usernames=form.all_new_names,
                details=form.cleaned_data["accounts_file"],
                actor=user,
            )
        except ValidationError as error:
            form.add_error("new_names", error.messages)
        except CampaignClosedError as error:
            messages.error(request, str(error))
            return redirect("campaign-detail", public_id)
        else:
            _report(request, campaign, added.allocation)
            if not added.accounts:
                return redirect("campaign-detail", public_id)
            context = SECTION | {"campaign": campaign, "accounts": added.accounts}
            return render(request, "annotation/campaign_new_accounts.html", context)
    return _refused(request, campaign, raters_form=form)


@researcher_required
@require_POST
def campaign_remove_rater(request: HttpRequest, public_id: str) -> HttpResponse:
    user = signed_in_user(request)
    campaign = get_changeable_campaign(user, public_id, kind=None)
    rater = rater_called(campaign, request.POST.get("rater", ""))
    with refusals_shown(request):
        result = remove_rater(campaign=campaign, rater=rater, actor=user)
        moved = _counted(campaign, result.added_count)
        messages.success(request, f"{rater.username} removed; {moved} went to the others.")
        _warn_of_lack(request, campaign, result)
    return redirect("campaign-detail", public_id)


@researcher_required
@require_POST
def campaign_add_datasets(request: HttpRequest, public_id: str) -> HttpResponse:
    user = signed_in_user(request)
    campaign = get_changeable_campaign(user, public_id, kind=None)
    form = DatasetsForm(user, campaign, request.POST)
    if not form.is_valid():
        return _refused(request, campaign, datasets_form=form)
    chosen = form.cleaned_data["datasets"]
    with refusals_shown(request):
        _report(request, campaign, add_datasets(campaign=campaign, datasets=chosen, actor=user))
    return redirect("campaign-detail", public_id)


@researcher_required
@require_POST
def campaign_invite(request: HttpRequest, public_id: str) -> HttpResponse:
    """Make a link by which people join the campaign, and show it once."""
    user = signed_in_user(request)
    campaign = get_changeable_campaign(user, public_id, kind=None)
    if campaign.is_closed:
        messages.error(request, "Nobody can join a closed campaign.")
        return redirect("campaign-detail", public_id)
    form = InvitationForm(request.POST)
    if not form.is_valid():
        return _refused(request, campaign, invitation_form=form)
    places = form.cleaned_data["places"]
    token = make_invitation(campaign=campaign, places=places, actor=user)
    context = SECTION | {
        "campaign": campaign,
        "places": places,
        "valid_days": VALID_DAYS,
        "link": request.build_absolute_uri(reverse("join", args=[token])),
    }
    return render(request, "annotation/campaign_invitation.html", context)


@researcher_required
@require_POST
def campaign_end_invitations(request: HttpRequest, public_id: str) -> HttpResponse:
    user = signed_in_user(request)
    campaign = get_changeable_campaign(user, public_id, kind=None)
    end_invitations(campaign=campaign, actor=user)
    messages.success(request, "All invitation links of this campaign are revoked.")
    return redirect("campaign-detail", public_id)


@researcher_required
@require_POST
def campaign_allocate(request: HttpRequest, public_id: str) -> HttpResponse:
    """Give out traces that were imported into the campaign's data sets since."""
    user = signed_in_user(request)
    campaign = get_changeable_campaign(user, public_id, kind=None)
    with refusals_shown(request):
        _report(request, campaign, allocate_traces(campaign=campaign, actor=user))
    return redirect("campaign-detail", public_id)


@researcher_required
@require_POST
def campaign_close(request: HttpRequest, public_id: str) -> HttpResponse:
    user = signed_in_user(request)
    closing = get_changeable_campaign(user, public_id, kind=None)
    campaign = close_campaign(campaign=closing, actor=user)
    messages.success(request, f"{campaign.name} is closed. Its {campaign.kind} stay as they are.")
    return redirect("campaign-detail", public_id)


def _report(request: HttpRequest, campaign: Campaign, result: AllocationResult) -> None:
    """Show what the change did to the queues, and how many things lack people."""
    moved, added = (_counted(campaign, n) for n in (result.moved_count, result.added_count))
    handed_on = f", {moved} moved to others" if result.moved_count else ""
    messages.success(request, f"{added} assigned{handed_on}.")
    _warn_of_lack(request, campaign, result)


def _counted(campaign: Campaign, count: int) -> str:
    return counted(count, campaign.round_kind.words.thing)


def _warn_of_lack(request: HttpRequest, campaign: Campaign, result: AllocationResult) -> None:
    if result.short_trace_count:
        lacking = _counted(campaign, result.short_trace_count)
        messages.warning(request, f"Too few people for {lacking}: add more people.")
