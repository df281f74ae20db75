"""The pages of question sets: list, make, read, freeze, delete."""

from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.db.models import Q
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST
from django_htmx.http import HttpResponseClientRefresh

from annotation.permissions import researcher_required, signed_in_user
from annotation.selectors.corpus.blinding import why_some_are_hidden
from annotation.tables import Filter, ListColumn, TableKind, read_table
from annotation.views.records.errors import refusals_shown
from benchmarks import launch
from benchmarks.engine.questions.kinds import Kind
from benchmarks.forms.questions import BudgetForm, QuestionSetForm, ReviewForm
from benchmarks.models import QuestionSet, QuestionState
from benchmarks.responses import questions_response
from benchmarks.selectors.questions import (
    BEFORE_REVIEW,
    KindsTable,
    current_questions,
    get_question_set_for_user,
    linked_questions,
    progress_of_questions,
    state_of_questions,
    visible_question_sets,
)
from benchmarks.services.questions.reviewing import finish_review, start_review
from benchmarks.services.questions.sets import cancel_questions, delete_questions

SETS = TableKind(
    "question-sets",
    (
        ListColumn("Question set", "name"),
        ListColumn("Data set", "source"),
        ListColumn("Questions", "question_count", is_number=True),
        ListColumn("Written by"),
        ListColumn("Owner", "owner__username"),
        ListColumn("Made", "created_at"),
    ),
    searched=("name", "source", "owner__username"),
    rows_per_page=30,
)
STATES = [state for state in QuestionState if state != QuestionState.REPLACED]
QUESTIONS = TableKind(
    "questions",
    (
        ListColumn("Question and answer"),
        ListColumn("Kind", "kind"),
        ListColumn("Class"),
        ListColumn("Recording", "recording"),
        ListColumn("State", "state"),
    ),
    searched=("question", "answer", "recording"),
    filters=(
        Filter("kind", "Kind", {kind.value: (kind.value, Q(kind=kind)) for kind in Kind}),
        Filter(
            "state", "State",
            {state.value: (state.label.lower(), Q(state=state)) for state in STATES},
        ),
    ),
    rows_per_page=20,
)  # fmt: skip


@researcher_required
@require_GET
def question_list(request: HttpRequest) -> HttpResponse:
    user = signed_in_user(request)
    related = ("owner", "job", "writer", "review")
    sets = visible_question_sets(user).select_related(*related)
    table = read_table(request, SETS, sets)
    context = {
        "section": "benchmarks",
        "table": table,
        "lines": [(row, state_of_questions(row)) for row in table.page.object_list],
        "hidden": why_some_are_hidden(user),
    }
    return render(request, "benchmarks/question_set_list.html", context)


@researcher_required
@require_http_methods(["GET", "POST"])
def question_new(request: HttpRequest) -> HttpResponse:
    """Show the form, or make the question set."""
    user = signed_in_user(request)
    form = QuestionSetForm(request.POST or None, user=user, initial=request.GET.dict())
    if request.method == "POST" and form.is_valid():
        try:
            question_set = launch.launch_questions(request=form.to_request(), actor=user)
        except ValidationError as error:
            form.add_error(None, ValidationError(error.messages))
        else:
            return redirect("question-set", question_set.public_id)
    context = {"section": "benchmarks", "form": form}
    return render(request, "benchmarks/question_set_new.html", context)


def _state(question_set: QuestionSet) -> dict[str, Any]:
    return {
        "question_set": question_set,
        "state": state_of_questions(question_set),
        "progress": progress_of_questions(question_set),
    }


@researcher_required
@require_GET
def question_detail(request: HttpRequest, public_id: str) -> HttpResponse:
    user = signed_in_user(request)
    question_set = get_question_set_for_user(user, public_id)
    table = read_table(request, QUESTIONS, current_questions(question_set))
    context = {
        "section": "benchmarks",
        **_state(question_set),
        "table": table,
        "lines": linked_questions(user, question_set, list(table.page.object_list)),
        "kinds": KindsTable.of(question_set.figures.get("kinds", [])),
        "guessers": question_set.figures.get("guessers", []),
        "failed_count": current_questions(question_set).filter(state=QuestionState.FAILED).count(),
        "budget_form": BudgetForm(),
        "review_form": ReviewForm(initial={"name": f"Review of {question_set}"}),
        "kinds_before": KindsTable.of(question_set.figures.get(BEFORE_REVIEW, [])),
    }
    return render(request, "benchmarks/question_set.html", context)


@researcher_required
@require_GET
def question_download(request: HttpRequest, public_id: str) -> StreamingHttpResponse:
    """The questions of a set as JSON lines, with where they come from."""
    user = signed_in_user(request)
    return questions_response(user, get_question_set_for_user(user, public_id))


@researcher_required
@require_GET
def question_progress(request: HttpRequest, public_id: str) -> HttpResponse:
    """How far the job of a set is; once it has ended, the whole page is loaded anew."""
    question_set = get_question_set_for_user(signed_in_user(request), public_id)
    state = _state(question_set)
    if state["progress"] is None or not state["progress"].is_at_work:
        return HttpResponseClientRefresh()
    return render(request, "benchmarks/_question_progress.html", state)


@researcher_required
@require_POST
def question_freeze(request: HttpRequest, public_id: str) -> HttpResponse:
    user = signed_in_user(request)
    question_set = get_question_set_for_user(user, public_id)
    with refusals_shown(request):
        launch.launch_question_freeze(question_set=question_set, actor=user)
    return redirect("question-set", public_id)


@researcher_required
@require_POST
def question_review(request: HttpRequest, public_id: str) -> HttpResponse:
    """Have people review the questions, or take back what they decided."""
    user = signed_in_user(request)
    question_set = get_question_set_for_user(user, public_id)
    with refusals_shown(request):
        if question_set.review is not None:
            finish_review(question_set=question_set, actor=user)
            return redirect("question-set", public_id)
        form = ReviewForm(request.POST)
        if form.is_valid():
            try:
                round_ = start_review(
                    question_set=question_set, request=form.to_request(), actor=user
                )
                return redirect("campaign-detail", round_.campaign.public_id)
            except ValidationError as error:
                messages.error(request, " ".join(error.messages))
        else:
            messages.error(request, "Give the review a name of at most 200 characters.")
    return redirect("question-set", public_id)


@researcher_required
@require_POST
def question_cancel(request: HttpRequest, public_id: str) -> HttpResponse:
    user = signed_in_user(request)
    cancel_questions(question_set=get_question_set_for_user(user, public_id), actor=user)
    return redirect("question-set", public_id)


@researcher_required
@require_POST
def question_resume(request: HttpRequest, public_id: str) -> HttpResponse:
    user = signed_in_user(request)
    question_set = get_question_set_for_user(user, public_id)
    form = BudgetForm(request.POST)
    if form.is_valid():
        budget_usd = form.cleaned_data["budget_usd"]
        launch.resume_questions(question_set=question_set, actor=user, budget_usd=budget_usd)
    else:
        messages.error(request, "The budget is a number of dollars above 0.")
    return redirect("question-set", public_id)


@researcher_required
@require_POST
def question_delete(request: HttpRequest, public_id: str) -> HttpResponse:
    user = signed_in_user(request)
    with refusals_shown(request):
        delete_questions(question_set=get_question_set_for_user(user, public_id), actor=user)
        return redirect("question-sets")
    return redirect("question-set", public_id)
