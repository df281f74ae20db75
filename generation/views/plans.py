"""The page of one take's plan, and the exports of all plans of a run."""

import json
from collections.abc import Iterator
from itertools import chain
from typing import Any

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.utils.text import slugify
from django.views.decorators.http import require_GET

from annotation.engine.corpus.formats.errors import FormatError
from annotation.engine.csv_cells import csv_lines
from annotation.page_links import read_verdicts
from annotation.permissions import researcher_required, signed_in_user
from generation.engine.planner.decisions import Decision
from generation.engine.planner.exceptions import PlanningError
from generation.engine.planner.files.simulation_log import simulation_log
from generation.engine.planner.plan import Plan
from generation.engine.results.plan_events import planned_events
from generation.engine.results.plan_picture import draw_plan
from generation.engine.results.plan_table import COLUMNS, event_rows
from generation.engine.stages import Stage
from generation.forms.runs import SeedForm
from generation.models import Run, TakePlan
from generation.selectors.plans.stored import plan_file_meta, replan, stored_plans, view_of_plan
from generation.selectors.runs import get_run_for_user, get_run_take_for_user
from generation.selectors.texts.rewrites import NOT_JUDGED, QUALITY_COLUMNS, quality_by_take
from generation.views.takes import take_context

PICTURE_WIDTH = 1120.0
HALF_PICTURE_WIDTH = 600.0
# What people who read a sample of the mistakes decided; empty where nobody did.
READ_COLUMN = "read_by_people"


@researcher_required
@require_GET
def take_plan(request: HttpRequest, public_id: str, position: int) -> HttpResponse:
    """Show the plan of one take, and beside it what another seed would plan."""
    run_take = get_run_take_for_user(signed_in_user(request), public_id, position)
    form = SeedForm(request.GET if "seed" in request.GET else None)
    context: dict[str, Any] = {
        **take_context(run_take),
        "form": form,
        "next_seed": run_take.run.seed + 1,
        "plan_title": "This run" if Stage.PLAN in run_take.run.stages else "Claimed by the text",
    }
    if form.is_bound and form.is_valid():
        # The plan with another seed is only shown, never stored.
        seed: int = form.cleaned_data["seed"]
        try:
            again = replan(run_take, seed=seed)
        except (FormatError, PlanningError) as error:
            context["reroll_error"] = str(error)
        else:
            context["other"] = _plan_context(seed, again.plan, again.decisions, HALF_PICTURE_WIDTH)
    if TakePlan.objects.filter(run_take=run_take).exists():
        view = view_of_plan(run_take)
        width = HALF_PICTURE_WIDTH if "other" in context else PICTURE_WIDTH
        context["mine"] = _plan_context(run_take.run.seed, view.plan, view.decisions, width)
        context["why_no_decisions"] = view.why_no_decisions
    return render(request, "generation/take_plan.html", context)


def _plan_context(
    seed: int, plan: Plan, decisions: tuple[Decision, ...], width: float
) -> dict[str, Any]:
    return {
        "seed": seed,
        "plan": plan,
        "picture": draw_plan(plan, width=width),
        "events": planned_events(plan, decisions),
        "whole": [item for item in decisions if item.step_index is None],
        "log": simulation_log(plan),
    }


@researcher_required
@require_GET
def plans_json(request: HttpRequest, public_id: str) -> StreamingHttpResponse:
    """Send all plans of a run as a published plan file."""
    run = get_run_for_user(signed_in_user(request), public_id)
    return _download(run, _json_parts(run), "application/json", "json")


def _json_parts(run: Run) -> Iterator[str]:
    yield '{"meta": ' + json.dumps(plan_file_meta(run), ensure_ascii=False) + ', "takes": {'
    for number, (uid, document) in enumerate(stored_plans(run)):
        separator = ",\n" if number else "\n"
        plan = json.dumps(document, ensure_ascii=False)
        yield f"{separator}{json.dumps(uid, ensure_ascii=False)}: {plan}"
    yield "\n}}\n"


@researcher_required
@require_GET
def plans_csv(request: HttpRequest, public_id: str) -> StreamingHttpResponse:
    """Send the events of all plans of a run as a table, with what judge and people said of them."""
    user = signed_in_user(request)
    run = get_run_for_user(user, public_id)
    quality = quality_by_take(run)
    published = run.published_dataset
    said = read_verdicts(user, published) if published else {}
    event_id = COLUMNS.index("event_id")
    rows = (
        [*row, *quality.get(uid, NOT_JUDGED), said.get((uid, str(row[event_id])), "")]
        for uid, document in stored_plans(run)
        for row in event_rows(uid, document)
    )
    lines = csv_lines(chain([[*COLUMNS, *QUALITY_COLUMNS, READ_COLUMN]], rows))
    return _download(run, lines, "text/csv; charset=utf-8", "csv")


def _download(
    run: Run, parts: Iterator[str], content_type: str, suffix: str
) -> StreamingHttpResponse:
    response = StreamingHttpResponse(parts, content_type=content_type)
    name = f"{slugify(run.name) or run.public_id}-plans.{suffix}"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
