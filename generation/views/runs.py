"""The pages of runs: list, launch, watch, cancel, resume, retry, clone."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.db.models import Q
from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.models import JobStatus
from annotation.page_links import readings_of
from annotation.permissions import researcher_required, signed_in_user
from annotation.selectors.corpus.blinding import may_open, why_some_are_hidden
from annotation.tables import Filter, ListColumn, TableKind, read_table
from annotation.views.records.errors import refusals_shown
from generation import launch
from generation.engine.judging.check import sense_checks
from generation.engine.run_options import RunOptions
from generation.engine.stages import Stage
from generation.forms.runs import BudgetForm, RunForm, SeedForm
from generation.models import Run
from generation.selectors import runs
from generation.selectors.clips.calls import clip_spending_of
from generation.selectors.clips.takes import waiting_takes_of
from generation.selectors.launching.clip_price import price_of_clips
from generation.selectors.launching.models import model_names
from generation.selectors.launching.sample import RunSample
from generation.selectors.launching.size import size_of_run
from generation.selectors.launching.text_price import price_of_writing
from generation.selectors.plans.distributions import run_distributions
from generation.selectors.run_stops import stop_of, stopped_run_ids
from generation.selectors.texts.calls import text_spending_of
from generation.selectors.texts.rewrites import takes_with_finding
from generation.selectors.totals import CodeCount, finding_counts, run_totals
from generation.services.runs import cancel_run, delete_run

RUNS = TableKind(
    "runs",
    (
        ListColumn("Run", "name"),
        ListColumn("Data set", "dataset__name"),
        ListColumn("Profile", "profile_name"),
        ListColumn("Seed", "seed", is_number=True),
        ListColumn("State"),
        ListColumn("Done", is_number=True),
        ListColumn("Failed", is_number=True),
        ListColumn("Owner", "owner__username"),
        ListColumn("Launched", "created_at"),
    ),
    searched=("name", "dataset__name", "profile_name", "owner__username"),
    rows_per_page=30,
)
TAKES_PER_PAGE = 20
BY_STATE = Filter(
    "state",
    "State",
    {status.value: (status.label.lower(), Q(job__status=status)) for status in JobStatus},
)
HAS_ANY = Q(judgement__hard_left__gt=0) | Q(judgement__soft_left__gt=0)
SHOWN_FAILURES = 20
NEXT_SEED = 1


@researcher_required
@require_GET
def run_list(request: HttpRequest) -> HttpResponse:
    rows = runs.visible_runs(signed_in_user(request)).select_related("dataset", "owner")
    table = read_table(request, RUNS, rows.defer("profile", "run_statistics"))
    page = table.page
    progress = runs.progress_by_run(page.object_list)
    stopped = stopped_run_ids(page.object_list)
    lines = [(run, progress[run.pk], run.pk in stopped) for run in page.object_list]
    return render(
        request,
        "generation/run_list.html",
        {
            "section": "runs",
            "table": table,
            "lines": lines,
            "hidden": why_some_are_hidden(signed_in_user(request)),
        },
    )


@researcher_required
@require_http_methods(["GET", "POST"])
def run_launch(request: HttpRequest) -> HttpResponse:
    """Show the form, or launch the run that it describes."""
    user = signed_in_user(request)
    form = RunForm(
        request.POST or None, request.FILES or None, user=user, initial=request.GET.dict()
    )
    if request.method == "POST" and form.is_valid():
        try:
            run = launch.launch_run(request=form.to_request(), actor=user)
        except ValidationError as error:
            form.add_error(None, error)
        else:
            return redirect("run-detail", run.public_id)
    return render(request, "generation/run_launch.html", {"section": "runs", "form": form})


@researcher_required
@require_POST
def run_size(request: HttpRequest) -> HttpResponse:
    """Show how large the run in the form would be; nothing while the form has errors."""
    form = RunForm(request.POST, request.FILES, user=signed_in_user(request))
    context: dict[str, Any] = {"form": form, "writing": None, "clips": None}
    if form.is_valid():
        stages, is_freeform = form.cleaned_data["stages"], form.cleaned_data["is_freeform"]
        sample = RunSample(form.cleaned_data["takes"], form.chosen_profile())
        context["size"] = size_of_run(sample)
        context["with_corrections"] = Stage.CORRECT in stages
        context["is_freeform"] = is_freeform
        writer, provider = form.chosen_writer(), form.chosen_provider()
        if writer is not None and Stage.WRITE in stages:
            context["writing"] = price_of_writing(sample, writer, is_freeform=is_freeform)
        if provider is not None and Stage.VIDEO in stages and not is_freeform:
            corrects = Stage.CORRECT in stages
            context["clips"] = price_of_clips(sample, provider, corrects=corrects)
    return render(request, "generation/_run_size.html", context)


@researcher_required
@require_POST
def run_scenarios(request: HttpRequest) -> HttpResponse:
    """Show the scenarios of the chosen data set."""
    form = RunForm(request.POST, user=signed_in_user(request))
    return render(request, "generation/_run_scenarios.html", {"form": form})


@researcher_required
@require_GET
def run_detail(request: HttpRequest, public_id: str) -> HttpResponse:
    return _detail(request, runs.get_run_for_user(signed_in_user(request), public_id))


def _detail(request: HttpRequest, run: Run, *, status: int = 200, **forms: Form) -> HttpResponse:
    """The page of a run; `forms` are those that were refused, with what the user typed."""
    budget_usd = RunOptions.from_dict(run.options).budget_usd
    progress = _progress_context(request, run)
    codes = progress["texts"].codes if progress["texts"] else ()
    context = {
        "section": "runs",
        **progress,
        **_takes_context(request, run, codes, progress["progress"].take_count),
        "budget_form": budget_usd and BudgetForm(initial={"budget_usd": 2 * budget_usd}),
        "clone_form": SeedForm(initial={"seed": run.seed + NEXT_SEED}),
        **forms,
    }
    return render(request, "generation/run_detail.html", context, status=status)


def _progress_context(request: HttpRequest, run: Run) -> dict[str, Any]:
    user, progress, totals = signed_in_user(request), runs.progress_of(run), run_totals(run)
    published = run.published_dataset
    context = {
        "run": run,
        "progress": progress,
        "stop": stop_of(run) if progress.failed_count else None,
        "totals": totals.plans,
        "texts": totals.texts,
        "videos": totals.videos,
        "waiting": waiting_takes_of(run, limit=SHOWN_FAILURES) if progress.waiting_count else [],
        "more_waiting": max(0, progress.waiting_count - SHOWN_FAILURES),
        "failures": runs.failed_takes(run)[:SHOWN_FAILURES] if progress.failed_count else [],
        "more_failures": max(0, progress.failed_count - SHOWN_FAILURES),
        "may_change": runs.may_change_run(user, run),
        "may_open_published": published is not None and may_open(user, published),
    }
    if Stage.WRITE in run.stages:
        options = RunOptions.from_dict(run.options)
        context |= {
            "sense_checks": sense_checks(),
            "models": model_names(run),
            "spending": text_spending_of(run) if options.models else None,
            "clip_spending": clip_spending_of(run) if options.clips.endpoint else None,
            "readings": readings_of(user, published) if published else (),
        }
    return context


def _takes_context(
    request: HttpRequest, run: Run, codes: Iterable[CodeCount], take_count: int | None = None
) -> dict[str, Any]:
    """The table of takes, with filters for the codes of findings if the run has a judge.

    `take_count` is how many they are where the page has counted them.
    """
    columns = [
        ListColumn("#", "position", is_number=True),
        ListColumn("Take", "take__name"),
        ListColumn("Scenario", "take__scenario"),
        ListColumn("State", "job__status"),
        ListColumn("Mistakes", "plan__error_count", is_number=True),
        ListColumn("Corrections", "plan__correction_count", is_number=True),
        ListColumn("Warnings", "plan__warning_count", is_number=True),
    ]
    filters = [BY_STATE]
    if Stage.JUDGE in run.stages:
        columns.append(ListColumn("Findings", "findings_left", is_number=True))
        first_codes = sorted({item.code for item in codes if item.found_count})
        last_codes = sorted({item.code for item in codes if item.left_count})
        last_choices = {
            "hard": ("a hard finding", Q(judgement__hard_left__gt=0)),
            "any": ("any finding", HAS_ANY),
            "none": ("none", Q(judgement__isnull=False) & ~HAS_ANY),
            **{code: (code, takes_with_finding(run, code, is_left=True)) for code in last_codes},
        }
        first_choices = {
            code: (code, takes_with_finding(run, code, is_left=False)) for code in first_codes
        }
        filters.append(Filter("left", "Findings left", last_choices))
        filters.append(Filter("found", "Findings before repairs", first_choices))
    if Stage.VIDEO in run.stages:
        columns.append(ListColumn("Video", "made_video__duration_s", is_number=True))
    kind = TableKind(
        "takes",
        (*columns, ListColumn("Pages", is_hidden=True)),
        searched=("take__name", "take__uid", "take__scenario", "job__error"),
        filters=tuple(filters),
        rows_per_page=TAKES_PER_PAGE,
    )
    return {"run": run, "table": read_table(request, kind, runs.run_takes(run), take_count)}


@researcher_required
@require_GET
def run_progress(request: HttpRequest, public_id: str) -> HttpResponse:
    """Show how far the run is; the page requests this every second until the run is finished."""
    run = runs.get_run_for_user(signed_in_user(request), public_id)
    context = {**_progress_context(request, run), "is_update": True}
    response = render(request, "generation/_run_progress.html", context)
    progress = context["progress"]
    if request.GET.get("seen") != progress.fingerprint:
        # The page then reloads the takes or, once nothing is running, also their distributions.
        response["HX-Trigger"] = "run-moved" if progress.is_at_work else "run-rested"
    return response


@researcher_required
@require_GET
def run_takes(request: HttpRequest, public_id: str) -> HttpResponse:
    """Show one page of the run's takes."""
    run = runs.get_run_for_user(signed_in_user(request), public_id)
    codes = finding_counts(run) if Stage.JUDGE in run.stages else ()
    context = _takes_context(request, run, codes)
    return render(request, "generation/_run_takes.html", context)


@researcher_required
@require_GET
def run_distribution(request: HttpRequest, public_id: str) -> HttpResponse:
    """Show the distributions of the run's plans beside the profile's expected ones."""
    run = runs.get_run_for_user(signed_in_user(request), public_id)
    context = {"run": run, "distributions": run_distributions(run)}
    return render(request, "generation/_run_distributions.html", context)


def _carry_out(
    request: HttpRequest, public_id: str, command: Callable[..., int], words: str
) -> HttpResponse:
    """Run a command on a run, and say in `words` how many of its takes it changed."""
    user = signed_in_user(request)
    count = command(run=runs.get_changeable_run(user, public_id), actor=user)
    messages.success(request, words.format("1 take" if count == 1 else f"{count} takes"))
    return redirect("run-detail", public_id)


@researcher_required
@require_POST
def run_cancel(request: HttpRequest, public_id: str) -> HttpResponse:
    words = "Cancelled: {} will not be worked on."
    return _carry_out(request, public_id, cancel_run, words)


@researcher_required
@require_POST
def run_resume(request: HttpRequest, public_id: str) -> HttpResponse:
    return _carry_out(request, public_id, launch.resume_run, "Resumed: {} queued again.")


@researcher_required
@require_POST
def run_retry(request: HttpRequest, public_id: str) -> HttpResponse:
    words = "Trying again: {} that had failed."
    return _carry_out(request, public_id, launch.retry_failed_takes, words)


@researcher_required
@require_POST
def run_publish_withheld(request: HttpRequest, public_id: str) -> HttpResponse:
    """Publish also the takes in which the judge left hard findings."""
    words = "Publishing: {} with hard findings."
    return _carry_out(request, public_id, launch.publish_withheld, words)


@researcher_required
@require_POST
def run_budget(request: HttpRequest, public_id: str) -> HttpResponse:
    """Raise the budget of a run and continue the takes that it had stopped."""
    run = runs.get_changeable_run(signed_in_user(request), public_id)
    form = BudgetForm(request.POST)
    if form.is_valid():
        raise_budget = partial(launch.raise_budget, **form.cleaned_data)
        try:
            return _carry_out(request, public_id, raise_budget, "Budget raised: {} queued again.")
        except ValidationError as error:
            form.add_error("budget_usd", error.messages)
    return _detail(request, run, budget_form=form, status=400)


@researcher_required
@require_POST
def run_clone(request: HttpRequest, public_id: str) -> HttpResponse:
    """Launch the same takes with another seed; for all who may see the run and use its models."""
    user = signed_in_user(request)
    run = runs.get_run_for_user(user, public_id)
    form = SeedForm(request.POST)
    if form.is_valid():
        with refusals_shown(request):
            clone = launch.launch_clone(run=run, seed=form.cleaned_data["seed"], actor=user)
            return redirect("run-detail", clone.public_id)
    return _detail(request, run, clone_form=form, status=400)


@researcher_required
@require_POST
def run_delete(request: HttpRequest, public_id: str) -> HttpResponse:
    user = signed_in_user(request)
    run = runs.get_changeable_run(user, public_id)
    with refusals_shown(request):
        delete_run(run=run, actor=user)
        messages.success(request, f"Deleted: {run.name} and its plans.")
        return redirect("runs")
    return redirect("run-detail", public_id)
