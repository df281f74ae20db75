"""The pages of assessments: watch, cancel, resume, re-ask, compare, and answer as a person."""

from collections.abc import Callable
from dataclasses import replace
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import (
    require_GET,
    require_http_methods,
    require_POST,
    require_safe,
)
from django_htmx.http import HttpResponseClientRefresh

from annotation.analytics.tables.table import lay_out
from annotation.analytics.tables.table_writers import TableFormat
from annotation.models import User
from annotation.permissions import researcher_required, signed_in_user
from annotation.tables import ListColumn, TableKind, read_table
from annotation.views.records.errors import refusals_shown
from annotation.views.videos.videos import recording_response
from benchmarks import launch
from benchmarks.engine.charts import drawn_curve
from benchmarks.engine.shown import parts_of, value_in_words
from benchmarks.engine.task import AnswerShape, AnswerStatus
from benchmarks.forms.participants import AnswerForm, JudgeForm
from benchmarks.models import Assessment, ParticipantKind
from benchmarks.responses import asked_response, table_response
from benchmarks.selectors.asked import get_asked_for_user
from benchmarks.selectors.assessments import (
    answers_without_role,
    get_assessment_for_user,
    get_changeable_assessment,
    get_own_answering,
    spending_on,
    status_counts,
)
from benchmarks.selectors.item_sets import (
    engine_item,
    get_changeable_item_set,
    get_item_set_for_user,
    may_change_item_set,
    task_of,
)
from benchmarks.selectors.judging import is_grading, with_grades
from benchmarks.selectors.pages import answer_lines, breakdowns_of, figures_drawn, progress_of
from benchmarks.selectors.planned_sizes import planned_sizes
from benchmarks.selectors.readers import reader_of
from benchmarks.selectors.reports import (
    compare_assessments,
    curve_of,
    discordance_of,
    shown_details,
)
from benchmarks.selectors.review_answers import reviews_shown
from benchmarks.selectors.tables import items_note, participant_note
from benchmarks.services.answering import (
    AnswersFinalError,
    answer_item,
    finish_answering,
    open_items,
)
from benchmarks.services.assessments import cancel_assessment, delete_assessment
from benchmarks.services.judging import judge_prices, may_judge, name_judges
from benchmarks.services.pictures import (
    SHOWN_PICTURES,
    picture_times,
    sent_picture,
    shown_picture,
)

# Pages offer all formats but JSON, which the API has.
WRITTEN = [form for form in TableFormat if form is not TableFormat.JSON]
ANSWERS = TableKind(
    "answers",
    (
        ListColumn("Item"),
        ListColumn("Repeat", "repeat", is_number=True),
        ListColumn("Status", "status"),
        ListColumn("Answer"),
        ListColumn("What it saw"),
    ),
    searched=("item__key", "raw", "reason"),
    rows_per_page=30,
)


@researcher_required
@require_GET
def assessment(request: HttpRequest, public_id: str) -> HttpResponse:
    user = signed_in_user(request)
    assessment = get_assessment_for_user(user, public_id)
    reader = reader_of(user, assessment.item_set)
    sees_answers = assessment in reader.assessments()
    answers = assessment.answers.select_related("item", "call", "agent_call", "assessment")
    answers = with_grades(answers)
    table = read_table(request, ANSWERS, answers.order_by("item__position", "repeat"))
    task = task_of(assessment.item_set)
    pays = assessment.kind != ParticipantKind.TRAINED
    counts = assessment.counts if assessment.frozen_at else status_counts(assessment)
    progress = progress_of(assessment, counts)
    if "HX-Request" in request.headers and not progress.is_at_work:
        # Only progress is polled; with its end come figures, answers and other buttons.
        return HttpResponseClientRefresh()
    context = {
        "section": "benchmarks",
        "assessment": assessment,
        "counts": {status.replace("_", " "): count for status, count in counts.items()},
        "progress": progress,
        "has_failed": bool(counts.get(AnswerStatus.FAILED))
        or (bool(assessment.settings.get("roles")) and answers_without_role(assessment).exists()),
        "spending": spending_on(assessment) if assessment.job_id and pays else None,
        "answers": table if sees_answers else None,
        "answer_lines": answer_lines(
            table.page.object_list,
            sees_truth=reader.sees_truth,
            is_grading=is_grading(user, assessment.item_set),
        )
        if sees_answers
        else [],
        "may_change": assessment.owner_id == user.pk
        or may_change_item_set(user, assessment.item_set),
        "sees_asked": assessment.job_id and reader.may_see_asked(assessment),
        "made": participant_note(assessment),
        "reviews": reviews_shown(user, assessment),
        "over": items_note(assessment.item_set, task),
    }
    if context["may_change"] and may_judge(assessment):
        prices = judge_prices(assessment, user, sees_truth=reader.sees_truth)
        context["judge_form"] = JudgeForm(prices=prices)
    if assessment.frozen_at:
        figures = list(assessment.figures.order_by("group", "group_value", "pk"))
        context |= {
            "drawing": figures_drawn(figures, task),
            "sizes": lay_out(sizes) if (sizes := planned_sizes(figures, task)) else None,
            "breakdowns": breakdowns_of(figures, task),
        }
    if assessment.frozen_at and sees_answers:
        curve = curve_of(assessment)
        context |= {
            "curve": None if curve is None else drawn_curve(curve),
            "details": [
                lay_out(table) for table in shown_details(assessment, sees_truth=reader.sees_truth)
            ],
            "formats": WRITTEN,
        }
    return render(request, "benchmarks/assessment.html", context)


@researcher_required
@require_GET
def assessment_asked(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """What a model was asked and answered, as a file."""
    return asked_response(get_asked_for_user(signed_in_user(request), public_id))


@researcher_required
@require_GET
def asked_picture(
    request: HttpRequest, public_id: str, key: str, repeat: int, number: int
) -> HttpResponse:
    """One of the pictures that a model got, made again as it was."""
    assessment = get_asked_for_user(signed_in_user(request), public_id)
    answers = assessment.answers.select_related("item__video__dataset")
    answer = get_object_or_404(answers, item__key=key, repeat=repeat)
    jpeg = sent_picture(assessment, answer, number)
    return HttpResponse(jpeg, content_type="image/jpeg")


@researcher_required
@require_GET
def assessment_table(request: HttpRequest, public_id: str, key: str, form: str) -> HttpResponse:
    """One of the task's own tables about a participant, as a file."""
    user = signed_in_user(request)
    assessment = get_assessment_for_user(user, public_id)
    reader = reader_of(user, assessment.item_set)
    if not assessment.frozen_at or assessment not in reader.assessments():
        raise Http404
    shown = shown_details(assessment, sees_truth=reader.sees_truth)
    table = next((table for table in shown if table.key == key), None)
    if table is None:
        raise Http404
    item_set = assessment.item_set
    over = participant_note(assessment), items_note(item_set, task_of(item_set))
    noted = replace(table, notes=(*table.notes, *over))
    return table_response(noted, form, f"{key}-{assessment.public_id}")


def _command(
    request: HttpRequest, public_id: str, service: Callable[..., object], message: str
) -> HttpResponse:
    user = signed_in_user(request)
    assessment = get_changeable_assessment(user, public_id)
    with refusals_shown(request):
        done = service(assessment=assessment, actor=user)
        messages.info(request, message if done else "There was nothing to do.")
    return redirect("assessment", public_id)


@researcher_required
@require_POST
def assessment_cancel(request: HttpRequest, public_id: str) -> HttpResponse:
    return _command(request, public_id, cancel_assessment, "Cancelled; answers stay.")


@researcher_required
@require_POST
def assessment_resume(request: HttpRequest, public_id: str) -> HttpResponse:
    typed = request.POST.get("budget_usd", "").strip()

    def resume(*, assessment: Assessment, actor: User) -> int:
        try:
            budget = float(typed) if typed else None
        except ValueError as error:
            raise ValidationError(f"The budget is {typed!r}; expected dollars.") from error
        return launch.resume_assessment(assessment=assessment, actor=actor, budget_usd=budget)

    return _command(request, public_id, resume, "Queued again; answers that came stay.")


@researcher_required
@require_POST
def assessment_reask(request: HttpRequest, public_id: str) -> HttpResponse:
    return _command(request, public_id, launch.reask_failed, "What failed is asked again.")


@researcher_required
@require_POST
def assessment_judge(request: HttpRequest, public_id: str) -> HttpResponse:
    def judge(*, assessment: Assessment, actor: User) -> int:
        form = JudgeForm(request.POST, prices=judge_prices(assessment, actor))
        if not form.is_valid():
            raise ValidationError(
                [f"{field}: {words}" for field, faults in form.errors.items() for words in faults]
            )
        return launch.judge_assessment(assessment=assessment, actor=actor, **form.cleaned_data)

    return _command(request, public_id, judge, "The judges grade; the figures follow.")


@researcher_required
@require_POST
def set_judges(request: HttpRequest, public_id: str) -> HttpResponse:
    """Name the judges open to participants who may not see the truth of a set."""
    user = signed_in_user(request)
    item_set = get_changeable_item_set(user, public_id)
    with refusals_shown(request):
        name_judges(item_set=item_set, judges=request.POST.getlist("judges"), actor=user)
    return redirect("item-set", public_id)


@researcher_required
@require_POST
def assessment_delete(request: HttpRequest, public_id: str) -> HttpResponse:
    user = signed_in_user(request)
    assessment = get_changeable_assessment(user, public_id)
    with refusals_shown(request):
        delete_assessment(assessment=assessment, actor=user)
        return redirect("item-set", assessment.item_set.public_id)
    return redirect("assessment", public_id)


@researcher_required
@require_GET
def compare(request: HttpRequest, public_id: str) -> HttpResponse:
    user = signed_in_user(request)
    item_set = get_item_set_for_user(user, public_id)
    assessments = item_set.assessments.select_related("item_set")
    ids = [request.GET.get(name, "").replace("\x00", "") for name in ("first", "second")]
    first = get_object_or_404(assessments, public_id=ids[0])
    if not ids[1]:
        messages.info(request, f"Search, or turn the pages, and compare {first.name} with another.")
        query = urlencode({"first": first.public_id})
        return redirect(f"{reverse('item-set', args=[public_id])}?{query}#compare")
    second = get_object_or_404(assessments, public_id=ids[1])
    with refusals_shown(request):
        context = {
            "section": "benchmarks",
            "item_set": item_set,
            "first": first,
            "second": second,
            "made": [participant_note(row) for row in (first, second)],
            "over": items_note(item_set, task_of(item_set)),
            "rows": compare_assessments(first, second),
            "discordance": discordance_of(first, second),
            "unread": [
                (row.name, count)
                for row in (first, second)
                # Where missing answers count as wrong, figures are over all items anyway.
                if not row.settings.get("counts_missing")
                and (count := sum(row.counts.values()) - row.counts.get(AnswerStatus.READ, 0))
            ],
        }
        return render(request, "benchmarks/compare.html", context)
    return redirect("item-set", public_id)


@login_required
@require_GET
def own_answering(request: HttpRequest) -> HttpResponse:
    user = signed_in_user(request)
    own = Assessment.objects.filter(person=user).select_related("item_set").order_by("-pk")
    return render(request, "benchmarks/answering_list.html", {"section": "queue", "own": own})


@login_required
@require_http_methods(["GET", "POST"])
def answering(request: HttpRequest, public_id: str) -> HttpResponse:
    """Answer the item that the address names, or else the next one without an answer."""
    assessment = get_own_answering(signed_in_user(request), public_id)
    rows = open_items(assessment) if assessment.frozen_at is None else []
    answers = {row.item_id: row for row in assessment.answers.all() if rows}
    key = request.GET.get("item") or request.POST.get("item")
    item = next((row for row in rows if row.key == key), None) or next(
        (row for row in rows if row.pk not in answers), None
    )
    form = None
    if item is not None:
        task, shown = task_of(assessment.item_set), engine_item(item, with_truth=False)
        before = answers[item.pk].value if item.pk in answers else None
        if before is None or not _is_spoken(assessment):
            form = AnswerForm(request.POST or None, task=task, item=shown, value=before)
        if request.method == "POST" and form is not None and form.is_valid():
            try:
                answer_item(assessment=assessment, key=item.key, fields=form.to_fields())
                return redirect("answering", public_id)
            except (ValidationError, AnswersFinalError) as error:
                words = getattr(error, "messages", [str(error)])
                form.add_error(None, ValidationError(words))
    has_video, is_spoken = item is not None and item.video is not None, _is_spoken(assessment)
    words = {row.pk: value_in_words(answers[row.pk].value) for row in rows if row.pk in answers}
    context = {
        "section": "queue",
        "own": assessment,
        "item": item,
        "form": form,
        "parts": parts_of(item.payload) if item is not None else [],
        "open_lines": [(row, words.get(row.pk, "")) for row in rows],
        "answered_count": len(answers),
        "left_count": assessment.item_set.item_count - len(answers),
        # Pictures of a whole recording would show beforehand what comes.
        "pictures": list(enumerate(picture_times(item, SHOWN_PICTURES)))
        if item is not None and has_video and not is_spoken
        else [],
        "is_played": has_video and is_spoken,
        "given": words.get(item.pk, "") if item is not None else "",
    }
    return render(request, "benchmarks/answering.html", context)


@login_required
@require_POST
def answering_finish(request: HttpRequest, public_id: str) -> HttpResponse:
    assessment = get_own_answering(signed_in_user(request), public_id)
    finish_answering(assessment=assessment)
    messages.info(request, "Your answers are final.")
    return redirect("answering", public_id)


@login_required
@require_GET
def answering_picture(request: HttpRequest, public_id: str, key: str, number: int) -> HttpResponse:
    assessment = get_own_answering(signed_in_user(request), public_id)
    item = next((row for row in open_items(assessment) if row.key == key), None)
    if _is_spoken(assessment):
        raise Http404
    return HttpResponse(shown_picture(item, number), content_type="image/jpeg")


@login_required
@require_safe
def answering_recording(request: HttpRequest, public_id: str, key: str) -> HttpResponseBase:
    """The recording of an item whose moments are the person's own; raises Http404 for others."""
    user = signed_in_user(request)
    assessment = get_own_answering(user, public_id)
    item = next((row for row in open_items(assessment) if row.key == key), None)
    if not _is_spoken(assessment) or item is None or item.video is None:
        raise Http404
    return recording_response(request, user, item.video)


def _is_spoken(assessment: Assessment) -> bool:
    """Whether a person speaks while the recording plays."""
    return task_of(assessment.item_set).shape is AnswerShape.SPEECH
