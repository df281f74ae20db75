"""The pages of a round's raters: figures, screening, hours, and planning an audit from them."""

import math
from collections.abc import Sequence
from urllib.parse import urlencode

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.text import slugify
from django.views.decorators.http import require_GET, require_POST

from annotation.analytics.pictures.canvas import Picture, PictureFormat
from annotation.analytics.raters.planner import OVERLAPS, TRACE_COUNTS, PlannedWidth, workload
from annotation.analytics.raters.rater_report import rater_csv_rows
from annotation.analytics.raters.screening_terms import Thresholds
from annotation.engine.counting import counted
from annotation.engine.csv_cells import csv_lines
from annotation.engine.rubric.rubric import MetricDefinition, Scale, Scope, current_rubric
from annotation.forms.figures.raters import RULE_WORDS, DecisionForm, PlanForm, ThresholdsForm
from annotation.launch import launch_screening, raters_to_show
from annotation.models import Round
from annotation.permissions import researcher_required, signed_in_user
from annotation.selectors.campaigns.campaigns import get_readable_campaign, may_change_campaign
from annotation.selectors.figures.audit_plans import MetricPlan, meeting_table, plan_with
from annotation.selectors.figures.rater_figures import (
    get_changeable_round,
    get_readable_round,
    hours_rows,
)
from annotation.selectors.figures.rater_pages import (
    ShownWork,
    confusion_picture,
    confusion_rows,
    drift_picture,
    metric_rows,
    order_of_raters,
    pair_rows,
    pairs_picture,
    rule_words,
    shared_picture,
    shown_raters,
)
from annotation.selectors.figures.stored_raters import RatersContent, confusion_of, stored_raters
from annotation.selectors.ratings.screening import (
    left_out,
    raters_of_round,
    results_of,
    screening_plan_and_newer,
)
from annotation.services.ratings.screening import decide_on_rater, set_thresholds
from annotation.tables import TableKind, read_list
from annotation.views.figures.paper import PictureFile, picture_response
from annotation.views.figures.reports import csv_response

SECTION = {"section": "campaigns"}
# All tables of the page are of the same raters, so that they are paged as one.
RATERS = TableKind("raters", (), searched=("name",))
COMPUTING = "The figures are being computed; try the download again when the page shows them."


@researcher_required
@require_GET
def round_raters(request: HttpRequest, public_id: str, number: int) -> HttpResponse:
    round_ = get_readable_round(signed_in_user(request), public_id, number)
    return _page(request, round_)


def _page(
    request: HttpRequest,
    round_: Round,
    *,
    thresholds_form: ThresholdsForm | None = None,
    decision_form: DecisionForm | None = None,
    status: int = 200,
) -> HttpResponse:
    user = signed_in_user(request)
    # A form that is refused changes nothing, stored figures neither.
    is_refused = thresholds_form is not None or decision_form is not None
    figures = stored_raters(round_) if is_refused else raters_to_show(round_=round_, actor=user)
    content = figures.content
    plan, rules_newer_count = screening_plan_and_newer(round_)
    place = _metric_place(request)
    definition = current_rubric().metrics[place]
    out = left_out(figures.results)
    on_metric = figures.figures.on_metric(place)
    order = list(range(len(on_metric)))
    if content and len(order) > RATERS.rows_per_page:
        order = order_of_raters(content, on_metric, figures.results)
    names = content.names if content else ()
    names_by_key = dict(zip(content.rater_ids, names, strict=True)) if content else {}
    table = read_list(request, RATERS, order, lambda rater: names[rater])
    places: list[int] = list(table.page)
    results, raters = [], []
    if content and places:
        own = [content.rater_ids[rater] for rater in places]
        results = results_of(round_, own)
        raters = shown_raters(content, places, on_metric, figures.results, results)
    context = SECTION | {
        "campaign": round_.campaign,
        "round": round_,
        "rounds": list(round_.campaign.rounds.order_by("number")),
        "figures": figures,
        "names": names,
        "table": table,
        "raters": raters,
        "results": [
            (names_by_key[item.rater_id], rule_words(item.rule, RULE_WORDS), item)
            for item in results
        ],
        "plan": plan,
        "rules_newer_count": rules_newer_count,
        # Only the part of the page that says so asks again, so that nothing typed is lost.
        "awaits_rules": request.headers.get("HX-Target") == "rules-run",
        "thresholds_are_late": bool(
            plan.changed_at and round_.opened_at and plan.changed_at > round_.opened_at
        ),
        "may_change": may_change_campaign(user, round_.campaign),
        "thresholds_form": thresholds_form or ThresholdsForm(limits=Thresholds(**plan.thresholds)),
        "decision_form": decision_form,
        "left_out_names": [
            name for key, name in zip(content.rater_ids, content.names, strict=True) if key in out
        ]
        if content
        else (),
        "both": [
            (row, current_rubric().definition(row.metric).title)
            for row in (content.both if content and out == {*content.left_out} else ())
        ],
        "metrics": current_rubric().metrics,
        "metric": definition,
        "unit": "trace" if definition.scope is Scope.TRACE else "event",
        "metric_rows": metric_rows(raters, is_scale=definition.scale is Scale.LIKERT),
        "work_rows": [ShownWork(item) for item in figures.figures.without_metrics(places)],
        "pairs": pair_rows(
            figures.pairs_among(definition.metric, places), [names[rater] for rater in places]
        ),
        "confusion": _confusion(request, round_, content, definition) if content else {},
        "picture_forms": [form.value for form in PictureFormat],
    }
    return render(request, "annotation/round_raters.html", context, status=status)


@researcher_required
@require_GET
def round_raters_csv(request: HttpRequest, public_id: str, number: int) -> HttpResponseBase:
    round_ = get_readable_round(signed_in_user(request), public_id, number)
    stored = raters_to_show(round_=round_, actor=signed_in_user(request))
    if stored.content is None:
        messages.warning(request, COMPUTING)
        return redirect(reverse("round-raters", args=[public_id, number]))
    lines = csv_lines(rater_csv_rows(stored.figures))
    return csv_response(lines, f"raters-{slugify(round_.campaign.name)}-round-{number}.csv")


@researcher_required
@require_GET
def round_raters_picture(
    request: HttpRequest, public_id: str, number: int, kind: str, form: str
) -> HttpResponseBase:
    """Send one of the page's pictures of a metric as SVG or PDF, for a paper."""
    user = signed_in_user(request)
    round_ = get_readable_round(user, public_id, number)
    if form not in set(PictureFormat) or kind not in ("pairs", "shared", "confusion", "drift"):
        raise Http404
    figures, place = raters_to_show(round_=round_, actor=user), _metric_place(request)
    content, definition = figures.content, current_rubric().metrics[place]
    back = reverse("round-raters", args=[public_id, number])
    if content is None:
        messages.warning(request, COMPUTING)
        return redirect(back)
    chosen = _chosen_two(request, content.names)
    if chosen is None:
        raise Http404
    picture: Picture
    if kind == "drift":
        on_metric = figures.figures.on_metric(place)
        picture = drift_picture(content.names, on_metric, definition.title)
    elif kind == "confusion":
        table = confusion_of(round_, definition.metric, *_keys_of(content, chosen))
        picture = confusion_picture(definition, table, *chosen)
    else:
        draw = pairs_picture if kind == "pairs" else shared_picture
        picture = draw(definition, figures.pairs(definition.metric), content.names)
    if picture.is_empty:
        raise Http404("there is nothing to draw yet")
    file = PictureFile(f"{kind}-{slugify(definition.title)}-round-{number}", PictureFormat(form))
    return picture_response(request, picture, file, owner=round_.campaign, back=back)


@researcher_required
@require_POST
def round_screening(request: HttpRequest, public_id: str, number: int) -> HttpResponse:
    user = signed_in_user(request)
    round_ = get_changeable_round(user, public_id, number)
    results = launch_screening(round_=round_, actor=user)
    if results is not None:
        flagged = {item.rater_id for item in results if item.state == "flagged"}
        raters = counted(len({item.rater_id for item in results}), "rater")
        messages.success(
            request,
            f"The rules were run: {len(flagged)} of {raters} flagged. Nobody is left out by that.",
        )
    return redirect(reverse("round-raters", args=[public_id, number]) + "#rules")


@researcher_required
@require_POST
def round_thresholds(request: HttpRequest, public_id: str, number: int) -> HttpResponse:
    user = signed_in_user(request)
    round_ = get_changeable_round(user, public_id, number)
    form = ThresholdsForm(request.POST)
    if not form.is_valid():
        return _page(request, round_, thresholds_form=form, status=400)
    set_thresholds(round_=round_, thresholds=Thresholds(**form.cleaned_data), actor=user)
    messages.success(request, "Thresholds kept. Run the rules to apply them.")
    return redirect(reverse("round-raters", args=[public_id, number]) + "#rules")


@researcher_required
@require_POST
def round_rater_decision(request: HttpRequest, public_id: str, number: int) -> HttpResponse:
    user = signed_in_user(request)
    round_ = get_changeable_round(user, public_id, number)
    form = DecisionForm(request.POST)
    if not form.is_valid():
        return _page(request, round_, decision_form=form, status=400)
    rater = get_object_or_404(raters_of_round(round_), username=form.cleaned_data["rater"])
    is_excluded = form.cleaned_data["decision"] == "excluded"
    try:
        decide_on_rater(
            round_=round_,
            rater=rater,
            is_excluded=is_excluded,
            why=form.cleaned_data["why"],
            actor=user,
        )
    except ValidationError as error:
        form.add_error(None, error)
        return _page(request, round_, decision_form=form, status=400)
    done = "excluded from" if is_excluded else "accepted into"
    messages.success(request, f"{rater.username} is {done} the figures of the accepted.")
    # Back to the page of raters that it was decided on.
    query = f"?{request.GET.urlencode()}" if request.GET else ""
    return redirect(reverse("round-raters", args=[public_id, number]) + query + "#rules")


@researcher_required
@require_GET
def round_plan(request: HttpRequest, public_id: str, number: int) -> HttpResponse:
    """Show cost and precision of an audit, estimated from this round."""
    user = signed_in_user(request)
    round_ = get_readable_round(user, public_id, number)
    figures = raters_to_show(round_=round_, actor=user)
    content = figures.content
    if content is None:
        context = SECTION | {"campaign": round_.campaign, "round": round_, "figures": figures}
        return render(request, "annotation/round_plan.html", context)
    pilot = content.pilot
    usual = {
        "traces": pilot.trace_count or 50,
        "events_per_trace": round(pilot.events_per_trace or 5, 2),
        "overlap": round_.overlap,
        "raters": max(len(content.names), 1),
        "minutes": round(pilot.minutes_per_event or 2, 2),
        "hours_per_week": 5,
        "starts_on": timezone.localdate(),
        "alpha": 0.667,
    }
    values = {name: request.GET.get(name, value) for name, value in usual.items()}
    form = PlanForm(values)
    work, event_count = None, 0
    if form.is_valid():
        chosen = form.cleaned_data
        event_count = round(chosen["traces"] * chosen["events_per_trace"])
        work = workload(
            chosen["minutes"],
            events=event_count,
            overlap=chosen["overlap"],
            raters=chosen["raters"],
            hours_per_week=chosen["hours_per_week"],
            starts_on=chosen["starts_on"],
        )
    alpha = form.cleaned_data.get("alpha", usual["alpha"])
    stored = content.plans[_metric_place(request)]
    definition = current_rubric().definition(stored.metric)
    plan = plan_with(definition, stored.widths, stored.rarest_share, alpha)
    context = SECTION | {
        "campaign": round_.campaign,
        "round": round_,
        "figures": figures,
        "pilot": pilot,
        "form": form,
        "work": work,
        "event_count": event_count,
        "metrics": current_rubric().metrics,
        "plan": plan,
        "trace_counts": TRACE_COUNTS,
        "widths": [_width_row(plan, overlap) for overlap in OVERLAPS],
        "alpha": f"{alpha:g}",
        "rarest_percent": f"{plan.rarest_share or 0:.0%}",
        "required": math.ceil(plan.required_units or 0),
        "unit": "trace" if plan.definition.scope is Scope.TRACE else "event",
        "kept_query": urlencode(values),
        "meeting": meeting_table(round_),
    }
    return render(request, "annotation/round_plan.html", context)


@researcher_required
@require_GET
def campaign_hours_csv(request: HttpRequest, public_id: str) -> HttpResponseBase:
    campaign = get_readable_campaign(signed_in_user(request), public_id)
    return csv_response(csv_lines(hours_rows(campaign)), f"hours-{slugify(campaign.name)}.csv")


def _metric_place(request: HttpRequest) -> int:
    """The place of the metric that the address asks for; the first where it asks for none."""
    names = [item.metric.value for item in current_rubric().metrics]
    name = request.GET.get("metric", "")
    return names.index(name) if name in names else 0


def _width_row(plan: MetricPlan, overlap: int) -> tuple[int, str, list[PlannedWidth]]:
    """An overlap, the reason that all its widths share where there are none, and the widths."""
    cells = [item for item in plan.widths if item.overlap == overlap]
    reasons = {item.reason for item in cells}
    return overlap, reasons.pop() if len(reasons) == 1 else "", cells


def _chosen_two(request: HttpRequest, names: Sequence[str]) -> tuple[str, str] | None:
    """The two raters that the address names, else the first two; None where there are not two."""
    if len(names) < 2:
        return None
    first = request.GET.get("first", names[0])
    second = request.GET.get("second", names[1])
    if first not in names or second not in names or first == second:
        return names[0], names[1]
    return first, second


def _keys_of(content: RatersContent, names: tuple[str, str]) -> tuple[int, int]:
    first, second = (content.rater_ids[content.names.index(name)] for name in names)
    return first, second


def _confusion(
    request: HttpRequest, round_: Round, content: RatersContent, definition: MetricDefinition
) -> dict[str, object]:
    chosen = _chosen_two(request, content.names)
    if chosen is None:
        return {}
    first, second = chosen
    table = confusion_of(round_, definition.metric, *_keys_of(content, chosen))
    return {
        "first": first,
        "second": second,
        "values": [definition.shown(value) for value in definition.values],
        "rows": confusion_rows(definition, table),
        "query": urlencode({"metric": definition.metric, "first": first, "second": second}),
    }
