"""The pages of people as judges: draw a sample, grade it by keyboard, read the agreement."""

from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.analytics.tables.table import lay_out
from annotation.analytics.tables.table_writers import TableFormat
from annotation.permissions import researcher_required, signed_in_user
from annotation.views.records.errors import refusals_shown
from benchmarks.engine.shown import parts_of, value_in_words
from benchmarks.engine.task import Task
from benchmarks.forms.judging import DrawForm, GradeForm
from benchmarks.models import Answer, JudgingSample
from benchmarks.responses import table_response
from benchmarks.selectors.item_sets import (
    engine_item,
    get_changeable_item_set,
    may_change_item_set,
    task_of,
)
from benchmarks.selectors.judging import (
    answers_for,
    get_judged_set,
    judge_of,
    judged_sample,
    judges_and_people,
    may_see_grades,
    sample_of,
)
from benchmarks.services.people.judging import (
    agree_on,
    draw_sample,
    finish_grading,
    grade_answer,
)

# Pages offer all formats but JSON, which the API has.
WRITTEN = [form for form in TableFormat if form is not TableFormat.JSON]


def _graded(task: Task, answer: Answer) -> tuple[str, str]:
    """What is right, and the answer, in words: of the truth the text alone, if it has one."""
    right, value = task.graded_part(engine_item(answer.item), answer.value or {})
    return str(right.get("text") or value_in_words(right)), value_in_words(value)


@researcher_required
@require_http_methods(["GET", "POST"])
def judging(request: HttpRequest, public_id: str) -> HttpResponse:
    """Grade the answer that the address names, or else the next one without a grade."""
    user = signed_in_user(request)
    item_set = get_judged_set(user, public_id)
    sample, rubric = sample_of(item_set), task_of(item_set).people_rubric
    if request.method == "POST" and sample is not None:
        sent = GradeForm(rubric, request.POST)
        with refusals_shown(request):
            if not sent.is_valid():
                raise ValidationError([fault for each in sent.errors.values() for fault in each])
            grade_answer(sample=sample, person=user, **sent.cleaned_data)
        return redirect("item-set-judging", public_id)
    judge = judge_of(sample, user)
    answers = [] if sample is None else answers_for(sample, user)
    scores = {} if judge is None else dict(judge.grades.values_list("sampled", "score"))
    asked = request.GET.get("answer", "")
    left = [row for row in answers if row.pk not in scores]
    chosen = next((row for row in answers if str(row.position) == asked), None)
    shown = chosen or next(iter(left), None)
    is_final = judge is not None and judge.finished_at is not None
    context = {
        "section": "benchmarks",
        "item_set": item_set,
        "sample": sample,
        "judge": judge,
        "is_final": is_final,
        "may_change": may_change_item_set(user, item_set),
        "draw_form": DrawForm(),
        "shown": None if is_final else shown,
        "lines": [(row.position, scores.get(row.pk)) for row in answers],
        "graded_count": len(scores),
        "total_count": len(answers),
        "may_see_grades": may_see_grades(sample, user),
        "lowest": min(rubric.words),
    }
    if shown is not None and not is_final:
        item, before = shown.answer.item, scores.get(shown.pk)
        right, said = _graded(task_of(item_set), shown.answer)
        context |= {
            "form": GradeForm(rubric, initial={"position": shown.position, "score": before}),
            "criteria": rubric.criteria,
            "parts": parts_of(item.payload),
            "truth": right,
            "answer": said,
        }
    return render(request, "benchmarks/judging.html", context)


@researcher_required
@require_POST
def judging_draw(request: HttpRequest, public_id: str) -> HttpResponse:
    """Draw the sample, or draw it anew while nobody has graded."""
    user = signed_in_user(request)
    item_set = get_changeable_item_set(user, public_id)
    get_judged_set(user, public_id)
    form = DrawForm(request.POST)
    with refusals_shown(request):
        if not form.is_valid():
            raise ValidationError(
                [f"{field}: {words}" for field, faults in form.errors.items() for words in faults]
            )
        draw_sample(item_set=item_set, actor=user, **form.cleaned_data)
    return redirect("item-set-judging", public_id)


def _sample(request: HttpRequest, public_id: str) -> JudgingSample:
    sample = sample_of(get_judged_set(signed_in_user(request), public_id))
    if sample is None:
        raise Http404("no sample was drawn yet")
    return sample


@researcher_required
@require_POST
def judging_finish(request: HttpRequest, public_id: str) -> HttpResponse:
    sample = _sample(request, public_id)
    with refusals_shown(request):
        finish_grading(sample=sample, person=signed_in_user(request))
        return redirect("judges-and-people", public_id)
    return redirect("item-set-judging", public_id)


def _open_sample(request: HttpRequest, public_id: str) -> JudgingSample:
    """The sample whose grades the user may read; raises Http404."""
    sample = _sample(request, public_id)
    if not may_see_grades(sample, signed_in_user(request)):
        raise Http404("your own grades are not final yet")
    return sample


@researcher_required
@require_GET
def people_table(request: HttpRequest, public_id: str) -> HttpResponse:
    """The table *Judges and people*, and what is to be discussed."""
    user, sample = signed_in_user(request), _open_sample(request, public_id)
    found, task = judged_sample(sample), task_of(sample.item_set)
    to_discuss = [
        (
            row,
            *_graded(task, row.answer),
            [
                (name, int(column[row.position - 1]))
                for name, column in found.people.items()
                if column[row.position - 1] == column[row.position - 1]
            ],
        )
        for row in found.to_discuss
    ]
    context = {
        "section": "benchmarks",
        "item_set": sample.item_set,
        "shown": lay_out(judges_and_people(sample.item_set, sample)),
        "to_discuss": to_discuss,
        "formats": WRITTEN,
        "may_change": may_change_item_set(user, sample.item_set),
        "at_work_count": sample.judges.filter(finished_at__isnull=True).count(),
        "grades": sorted(task.people_rubric.words),
    }
    return render(request, "benchmarks/judges_and_people.html", context)


@researcher_required
@require_POST
def judging_agree(request: HttpRequest, public_id: str) -> HttpResponse:
    """Store what people agreed on about an answer."""
    user = signed_in_user(request)
    get_changeable_item_set(user, public_id)
    sample = _open_sample(request, public_id)
    form = GradeForm(task_of(sample.item_set).people_rubric, request.POST)
    with refusals_shown(request):
        if not form.is_valid():
            raise ValidationError([fault for each in form.errors.values() for fault in each])
        agree_on(sample=sample, actor=user, **form.cleaned_data)
    return redirect("judges-and-people", public_id)


@researcher_required
@require_GET
def people_table_file(request: HttpRequest, public_id: str, form: str) -> HttpResponse:
    sample = _open_sample(request, public_id)
    table = judges_and_people(sample.item_set, sample)
    return table_response(table, form, f"judges-and-people-{public_id}")
