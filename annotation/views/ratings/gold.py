"""Pages of gold for researchers: mark it, take it from a closed round, plan checks, who passed.

Annotators get 404 from the selectors, as for anything that does not exist, so that they do not
learn that a campaign has gold.
"""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.engine.counting import counted
from annotation.engine.ratings.gold import GoldError, accepted_values
from annotation.engine.rubric.rubric import Metric
from annotation.forms.ratings.gold import AnswerKeyForm, ChecksForm, LetInForm
from annotation.models import Campaign, Event, Phase, Round, Trace
from annotation.permissions import signed_in_user
from annotation.selectors.campaigns.campaigns import may_change_campaign
from annotation.selectors.campaigns.rounds import independent_rounds, round_of
from annotation.selectors.corpus.corpus import event_names
from annotation.selectors.ratings.audit import preview_page
from annotation.selectors.ratings.gold import (
    LEAST_RATERS,
    active_gold,
    check_counts,
    checks_of,
    get_gold_campaign,
    get_gold_campaign_to_change,
    get_gold_item,
    get_trace_of_campaign,
    gold_of,
    ordinary_per_rater,
    proposals,
    rubric_of,
)
from annotation.selectors.ratings.training import qualifications, training_rounds
from annotation.services.ratings.gold import accept_proposals, mark_event, plan_checks, retire_gold
from annotation.services.ratings.qualification import let_in
from annotation.services.ratings.training import TrainingError
from annotation.views.videos.watching import watching_page, watching_trace

SECTION = {"section": "campaigns"}
# Of an event in an address.
MOST_DIGITS = 9


@require_safe
@login_required
def gold_list(request: HttpRequest, public_id: str) -> HttpResponse:
    user = signed_in_user(request)
    campaign = get_gold_campaign(user, public_id)
    rubric_ = rubric_of(campaign)
    gold = gold_of(campaign)
    names = event_names(item.trace_id for item in gold)
    rows = [
        {
            "item": item,
            "event": names.get(item.event_id or 0, ""),
            "title": definition.title,
            "accepted": [
                definition.shown(value)
                for value in accepted_values(definition, item.accepted, item.band)
            ],
        }
        for item in gold
        for definition in [rubric_.definition(Metric(item.metric))]
    ]
    context = SECTION | {
        "campaign": campaign,
        "rows": rows,
        "rounds": independent_rounds(campaign),
        "may_change": may_change_campaign(user, campaign),
    }
    return render(request, "annotation/gold_list.html", context)


@require_http_methods(["GET", "POST"])
@login_required
def gold_trace(request: HttpRequest, public_id: str, trace_id: str) -> HttpResponse:
    """The answer key of one event of a trace, or of the whole trace (`?event=trace`)."""
    user = signed_in_user(request)
    campaign = get_gold_campaign_to_change(user, public_id)
    trace = get_trace_of_campaign(campaign, trace_id)
    event = _chosen_event(trace, request.GET.get("event", ""))
    index = None if event is None else event.index
    gold = {item.metric: item for item in active_gold(campaign).filter(trace=trace, event=event)}
    form = AnswerKeyForm(rubric_of(campaign), index, gold, request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            marked, retired = mark_event(
                campaign=campaign, trace=trace, event=event, gold=list(form.gold()), actor=user
            )
        except GoldError as error:
            form.add_error(None, str(error))
        else:
            gone = f" {retired} retired." if retired else ""
            messages.success(request, f"{counted(marked, 'accepted answer')} saved.{gone}")
            return redirect(f"{request.path}?event={'trace' if index is None else index}")
    page = preview_page(trace=trace, user=user)
    # Placeholders are shown to who prepares the answers, and not to raters.
    watching = watching_trace(trace, user) if trace.has_placeholders else watching_page(page, user)
    context = SECTION | {
        "campaign": campaign,
        "trace": trace,
        "form": form,
        "page": page,
        "watching": watching,
        "event_index": index,
    }
    return render(request, "annotation/gold_trace.html", context)


def _chosen_event(trace: Trace, index: str) -> Event | None:
    """The event of an address: the first one where it names none; raises Http404."""
    if index == "trace":
        return None
    events = trace.events.order_by("index")
    if not index:
        return events.first()
    if not index.isdecimal() or len(index) > MOST_DIGITS:
        raise Http404
    return get_object_or_404(events, index=index)


@require_POST
@login_required
def gold_retire(request: HttpRequest, gold_id: str) -> HttpResponse:
    user = signed_in_user(request)
    item = get_gold_item(user, gold_id, to_change=True)
    retire_gold(item=item, actor=user)
    messages.success(request, "Retired: it counts nowhere any more.")
    return redirect("gold", item.campaign.public_id)


@require_http_methods(["GET", "POST"])
@login_required
def gold_proposals(request: HttpRequest, public_id: str, number: int) -> HttpResponse:
    """What all raters of a closed round answered alike, to be taken as gold."""
    user = signed_in_user(request)
    campaign = get_gold_campaign_to_change(user, public_id)
    round_ = round_of(campaign, number)
    count = request.GET.get("raters", "")
    least = max(2, int(count)) if count.isdecimal() and len(count) < 4 else LEAST_RATERS
    if request.method == "POST":
        keys = request.POST.getlist("accept")
        try:
            items = accept_proposals(round_=round_, keys=keys, least_raters=least, actor=user)
        except GoldError as error:
            messages.error(request, f"Nothing was taken: {error}")
        else:
            messages.success(request, f"Gold: {counted(len(items), 'more answer')}.")
        return redirect(request.get_full_path())
    context = SECTION | {
        "campaign": campaign,
        "round": round_,
        "found": proposals(round_, least_raters=least),
        "least": least,
    }
    return render(request, "annotation/gold_proposals.html", context)


@require_http_methods(["GET", "POST"])
@login_required
def round_checks(request: HttpRequest, public_id: str, number: int) -> HttpResponse:
    """The checks of a round: the plan, and once it is open what everybody got."""
    user = signed_in_user(request)
    campaign = get_gold_campaign(user, public_id)
    round_ = round_of(campaign, number)
    may_change = may_change_campaign(user, campaign) and round_.opened_at is None
    form = ChecksForm(round_, request.POST or None) if may_change else None
    if request.method == "POST" and form is None:
        raise Http404
    if request.method == "POST" and form is not None and form.is_valid():
        try:
            plan_checks(round_=round_, new=form.to_checks(), actor=user)
        except ValidationError as error:
            _add_errors(form, error)
        else:
            messages.success(request, f"The plan of round {number} is saved.")
            return redirect("round-detail", public_id, number)
    context = SECTION | {
        "campaign": campaign,
        "round": round_,
        "form": form,
        "checks": checks_of(round_),
        "ordinary": ordinary_per_rater(round_),
        "is_training": round_.phase == Phase.TRAINING,
        "given": check_counts(round_) if round_.opened_at else [],
    }
    return render(request, "annotation/round_checks.html", context)


def _add_errors(form: ChecksForm, error: ValidationError) -> None:
    by_field = getattr(error, "error_dict", None)
    if by_field is None:
        form.add_error(None, error)
        return
    for name, errors in by_field.items():
        form.add_error(name if name in form.fields else None, errors)


@require_safe
@login_required
def qualification_list(request: HttpRequest, public_id: str) -> HttpResponse:
    user = signed_in_user(request)
    campaign = get_gold_campaign(user, public_id)
    return render(request, "annotation/qualifications.html", _qualified(request, campaign))


@require_POST
@login_required
def qualification_let_in(request: HttpRequest, public_id: str, number: int) -> HttpResponse:
    user = signed_in_user(request)
    campaign = get_gold_campaign_to_change(user, public_id)
    training = get_object_or_404(training_rounds(campaign), number=number)
    form = LetInForm(training, request.POST)
    if form.is_valid():
        rater = form.cleaned_data["rater"]
        try:
            let_in(training=training, rater=rater, reason=form.cleaned_data["reason"], actor=user)
        except TrainingError as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, f"{rater.username} may go on without passing.")
            return redirect(reverse("qualifications", args=[public_id]))
    context = _qualified(request, campaign, refused=form, training=training)
    return render(request, "annotation/qualifications.html", context, status=400)


def _qualified(
    request: HttpRequest,
    campaign: Campaign,
    *,
    refused: LetInForm | None = None,
    training: Round | None = None,
) -> dict[str, object]:
    """The context of the table, a form for each training; `refused` is that of `training`."""
    user = signed_in_user(request)
    may_change = may_change_campaign(user, campaign)
    trainings = qualifications(campaign)
    rounds = [
        {
            "round": round_,
            "checks": checks_of(round_),
            "trainings": [item for item in trainings if item.round.pk == round_.pk],
            "form": (refused if training == round_ else LetInForm(round_)) if may_change else None,
        }
        for round_ in training_rounds(campaign).select_related("guideline", "checks")
    ]
    return SECTION | {"campaign": campaign, "rounds": rounds, "may_change": may_change}
