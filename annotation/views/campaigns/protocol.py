"""Pages of a campaign's accountability: plan of the analysis, consent, the protocol as a file."""

from dataclasses import dataclass

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.text import slugify
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.analytics.tables.table import lay_out
from annotation.analytics.tables.table_writers import TableFormat, write_table
from annotation.engine.campaigns.protocol_file import (
    protocol_hash,
    protocol_json,
    protocol_markdown,
)
from annotation.engine.rubric.rubric import current_rubric
from annotation.forms.campaigns.protocol import AnalysisPlanForm, ConsentForm, PeopleQuestionsForm
from annotation.models import Campaign, FilingMoment, InterimLook
from annotation.models.round_kinds import RATINGS
from annotation.permissions import researcher_required, signed_in_user
from annotation.selectors.campaigns.campaigns import (
    get_campaign_for_user,
    get_changeable_campaign,
    get_readable_campaign,
    may_change_campaign,
)
from annotation.selectors.campaigns.people_questions import (
    questions_about_people,
    table_of_annotators,
)
from annotation.selectors.campaigns.protocol import (
    analysis_plan,
    consent_to_ask,
    consents_to,
    current_consent,
    filed_protocol,
    interim_looks,
    protocol_of,
    round_to_consent,
)
from annotation.selectors.corpus.blinding import why_figures_are_hidden
from annotation.services.campaigns.people_questions import set_people_questions
from annotation.services.campaigns.protocol import (
    FILED_BY_HAND_IN,
    PLANNED_IN,
    InvalidPlanError,
    PlanIsFiledError,
    accept_consent,
    file_protocol_now,
    set_analysis_plan,
    set_consent_text,
)
from annotation.views.records.errors import refusals_shown

SECTION = {"section": "campaigns"}
CONTENT_TYPES = {"json": "application/json", "md": "text/markdown; charset=utf-8"}


@dataclass(frozen=True, slots=True)
class ShownLook:
    """A look at agreement before the end, with the metrics by their titles."""

    look: InterimLook

    @property
    def figures(self) -> str:
        titles = current_rubric().titles
        return "; ".join(
            f"{name}: {titles.get(metric, metric)}" for name, metric in self.look.figures
        )


@researcher_required
@require_GET
def protocol(request: HttpRequest, public_id: str) -> HttpResponse:
    campaign = get_campaign_for_user(signed_in_user(request), public_id, kind=None)
    return _page(request, campaign)


def _page(
    request: HttpRequest,
    campaign: Campaign,
    *,
    plan_form: AnalysisPlanForm | None = None,
    consent_form: ConsentForm | None = None,
    people_form: PeopleQuestionsForm | None = None,
    status: int = 200,
) -> HttpResponse:
    """The page; a form that was refused keeps what was typed."""
    user = signed_in_user(request)
    consent = current_consent(campaign)
    questions = questions_about_people(campaign)
    table = table_of_annotators(campaign, questions)
    may_change = may_change_campaign(user, campaign)
    context: dict[str, object] = SECTION | {
        "campaign": campaign,
        "may_change": may_change,
        "consent": consent,
        "consents": consents_to(consent) if consent else (),
        "people_form": people_form
        or PeopleQuestionsForm(initial=PeopleQuestionsForm.stored(questions)),
        "annotators": lay_out(table) if table else None,
        "consent_form": consent_form or ConsentForm(initial={"text": consent and consent.text}),
    }
    template = campaign.round_kind.consent_template
    if campaign.kind != RATINGS:
        return render(request, template, context, status=status)
    hidden = why_figures_are_hidden(user, campaign)
    plan_form = plan_form or AnalysisPlanForm(
        campaign, analysis_plan(campaign), names_datasets=not hidden
    )
    if not plan_form.is_bound and (not may_change or campaign.state not in PLANNED_IN):
        for field in plan_form.fields.values():
            field.disabled = True
    context |= {
        "hidden": hidden,
        "is_planned": campaign.state not in PLANNED_IN,
        "can_file": campaign.state in FILED_BY_HAND_IN,
        "plan_form": plan_form,
        "looks": () if hidden else [ShownLook(look) for look in interim_looks(campaign)],
        "filed": campaign.protocol_files.select_related("made_by").order_by("-pk"),
    }
    return render(request, template, context, status=status)


@researcher_required
@require_POST
def protocol_plan(request: HttpRequest, public_id: str) -> HttpResponse:
    user = signed_in_user(request)
    campaign = get_changeable_campaign(user, public_id)
    form = AnalysisPlanForm(
        campaign,
        analysis_plan(campaign),
        request.POST,
        names_datasets=not why_figures_are_hidden(user, campaign),
    )
    if form.is_valid():
        try:
            set_analysis_plan(campaign=campaign, actor=user, **form.to_plan())
        except (InvalidPlanError, PlanIsFiledError) as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, "The plan of the analysis is saved.")
            return redirect("protocol", public_id)
    return _page(request, campaign, plan_form=form, status=400)


@researcher_required
@require_POST
def protocol_consent(request: HttpRequest, public_id: str) -> HttpResponse:
    user = signed_in_user(request)
    campaign = get_changeable_campaign(user, public_id, kind=None)
    form = ConsentForm(request.POST)
    if not form.is_valid():
        return _page(request, campaign, consent_form=form, status=400)
    text = set_consent_text(campaign=campaign, text=form.cleaned_data["text"], actor=user)
    messages.success(request, f"Consent text {text.number} is asked before the next first answer.")
    return redirect("protocol", public_id)


@researcher_required
@require_POST
def protocol_people(request: HttpRequest, public_id: str) -> HttpResponse:
    """Choose what people are asked about themselves."""
    user = signed_in_user(request)
    campaign = get_changeable_campaign(user, public_id, kind=None)
    form = PeopleQuestionsForm(request.POST)
    if not form.is_valid():
        return _page(request, campaign, people_form=form, status=400)
    with refusals_shown(request):
        set_people_questions(campaign=campaign, questions=form.to_questions(), actor=user)
        messages.success(request, "The questions are asked before somebody begins.")
    return redirect("protocol", public_id)


@researcher_required
@require_GET
def annotators_file(request: HttpRequest, public_id: str, suffix: str) -> HttpResponse:
    """Send the table of annotators as a file."""
    campaign = get_campaign_for_user(signed_in_user(request), public_id, kind=None)
    table = table_of_annotators(campaign, questions_about_people(campaign))
    form = next((form for form in TableFormat if form.suffix == suffix), None)
    if table is None or form is None:
        raise Http404
    response = HttpResponse(
        write_table(table, form), content_type=f"{form.media_type}; charset=utf-8"
    )
    name = f"annotators-{slugify(campaign.name) or public_id}.{suffix}"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


@researcher_required
@require_POST
def protocol_file(request: HttpRequest, public_id: str) -> HttpResponse:
    """File the protocol as it stands; opening the main round does so too."""
    user = signed_in_user(request)
    campaign = get_changeable_campaign(user, public_id)
    with refusals_shown(request):
        filed = file_protocol_now(campaign=campaign, actor=user)
        messages.success(request, f"Filed with SHA-256 {filed.content_hash}.")
    return redirect("protocol", public_id)


@researcher_required
@require_GET
def protocol_draft(request: HttpRequest, public_id: str, ending: str) -> HttpResponse:
    """Send the protocol as it would be filed now."""
    campaign = get_readable_campaign(signed_in_user(request), public_id)
    content = protocol_of(campaign, moment=FilingMoment.BEFORE_MAIN)
    text = protocol_json(content)
    content_text = text if ending == "json" else protocol_markdown(content, protocol_hash(text))
    return _file(content_text, f"protocol-draft-{slugify(campaign.name)}", ending)


@researcher_required
@require_GET
def protocol_filed(
    request: HttpRequest, public_id: str, filed_id: str, ending: str
) -> HttpResponse:
    """Send a filed protocol, byte for byte as its hash says."""
    filed = filed_protocol(signed_in_user(request), public_id, filed_id)
    text = filed.content if ending == "json" else filed.markdown
    return _file(text, f"protocol-{slugify(filed.campaign.name)}-{filed.moment}", ending)


def _file(text: str, name: str, ending: str) -> HttpResponse:
    response = HttpResponse(text, content_type=CONTENT_TYPES[ending])
    response["Content-Disposition"] = f'attachment; filename="{name}.{ending}"'
    return response


@login_required
@require_http_methods(["GET", "POST"])
def consent(request: HttpRequest, round_id: str) -> HttpResponse:
    """Ask a rater to accept the text of the campaign before the first answer."""
    user = signed_in_user(request)
    round_ = round_to_consent(user, round_id)
    text = consent_to_ask(user, round_.campaign)
    go_on = round_.round_kind.next_page
    if text is None:
        return redirect(go_on, round_id)
    if request.method == "POST":
        if request.POST.get("number") == str(text.number):
            accept_consent(text=text, rater=user)
            return redirect(go_on, round_id)
        messages.error(request, "The text has changed meanwhile: read it again.")
    context = {"section": "queue", "round": round_, "text": text}
    return render(request, "annotation/consent_page.html", context)
