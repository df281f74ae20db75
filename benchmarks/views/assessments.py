"""The pages of assessments: watch, cancel, resume, re-ask, compare; and those of a person's own."""

from collections.abc import Callable
from dataclasses import replace
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.analytics.table import lay_out
from annotation.analytics.table_writers import TableFormat
from annotation.models import User
from annotation.permissions import researcher_required, signed_in_user
from annotation.tables import ListColumn, TableKind, read_table
from annotation.views.errors import refusals_shown
from benchmarks import launch
from benchmarks.engine.charts import drawn_curve
from benchmarks.engine.shown import parts_of, value_in_words
from benchmarks.engine.task import AnswerStatus
from benchmarks.forms.participants import AnswerForm, JudgeForm
from benchmarks.models import Assessment, ParticipantKind
from benchmarks.responses import table_response
from benchmarks.selectors.assessments import (
    get_assessment_for_user,
    get_changeable_assessment,
    get_own_answering,
    get_participant,
    spending_on,
    status_counts,
)
from benchmarks.selectors.item_sets import (
    engine_item,
    get_item_set_for_user,
    may_change_item_set,
    may_see_answers,
    task_of,
)
from benchmarks.selectors.pages import answer_lines, breakdowns_of, figures_drawn, progress_of
from benchmarks.selectors.reports import compared, curve_of, details_of
from benchmarks.selectors.tables import how_it_was_made, what_it_is_over
from benchmarks.services.answering import (
    AnswersFinalError,
    answer_item,
    finish_answering,
    open_items,
    start_answering,
)
from benchmarks.services.assessments import cancel_assessment, delete_assessment
from benchmarks.services.judging import judge_prices, may_judge
from benchmarks.services.pictures import SHOWN_PICTURES, picture_times, shown_picture

# JSON is what the API gives.
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
    found = get_assessment_for_user(user, public_id)
    sees = may_see_answers(user, found)
    answers = found.answers.select_related("item", "call", "assessment")
    table = read_table(request, ANSWERS, answers.order_by("item__position", "repeat"))
    task = task_of(found.item_set)
    pays = found.kind != ParticipantKind.TRAINED
    counts = found.counts if found.frozen_at else status_counts(found)
    context = {
        "section": "benchmarks",
        "assessment": found,
        "counts": {status.replace("_", " "): count for status, count in counts.items()},
        "progress": progress_of(found, counts),
        "spending": spending_on(found) if found.job_id and pays else None,
        "answers": table if sees else None,
        "answer_lines": answer_lines(table.page.object_list) if sees else [],
        "may_change": found.owner_id == user.pk or may_change_item_set(user, found.item_set),
        "made": how_it_was_made(found),
        "over": what_it_is_over(found.item_set, task),
    }
    if context["may_change"] and may_judge(found):
        context["judge_form"] = JudgeForm(prices=judge_prices(found, user))
    if found.frozen_at:
        context |= {
            "drawing": figures_drawn(found, task),
            "breakdowns": breakdowns_of(found, task),
        }
    if found.frozen_at and sees:
        curve = curve_of(found)
        context |= {
            "curve": None if curve is None else drawn_curve(curve),
            "details": [lay_out(table) for table in details_of(found)],
            "formats": WRITTEN,
        }
    return render(request, "benchmarks/assessment.html", context)


@researcher_required
@require_GET
def assessment_table(request: HttpRequest, public_id: str, key: str, form: str) -> HttpResponse:
    """One of the tables that the task has to say about a participant, as a file."""
    user = signed_in_user(request)
    found = get_assessment_for_user(user, public_id)
    if not found.frozen_at or not may_see_answers(user, found):
        raise Http404
    table = next((table for table in details_of(found) if table.key == key), None)
    if table is None:
        raise Http404
    over = (how_it_was_made(found), what_it_is_over(found.item_set, task_of(found.item_set)))
    noted = replace(table, notes=(*table.notes, *over))
    return table_response(noted, form, f"{key}-{found.public_id}")


def _command(
    request: HttpRequest, public_id: str, deed: Callable[..., object], words: str
) -> HttpResponse:
    user = signed_in_user(request)
    found = get_changeable_assessment(user, public_id)
    with refusals_shown(request):
        done = deed(assessment=found, actor=user)
        messages.info(request, words if done else "There was nothing to do.")
    return redirect("assessment", public_id)


@researcher_required
@require_POST
def assessment_cancel(request: HttpRequest, public_id: str) -> HttpResponse:
    return _command(request, public_id, cancel_assessment, "Cancelled; answers stay.")


@researcher_required
@require_POST
def assessment_resume(request: HttpRequest, public_id: str) -> HttpResponse:
    given = request.POST.get("budget_usd", "").strip()

    def resume(*, assessment: Assessment, actor: User) -> int:
        try:
            budget = float(given) if given else None
        except ValueError as error:
            raise ValidationError(f"The budget is {given!r}; expected dollars.") from error
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
                [f"{field}: {words}" for field, found in form.errors.items() for words in found]
            )
        return launch.judge_assessment(assessment=assessment, actor=actor, **form.cleaned_data)

    return _command(request, public_id, judge, "The judges grade; the figures follow.")


@researcher_required
@require_POST
def assessment_delete(request: HttpRequest, public_id: str) -> HttpResponse:
    user = signed_in_user(request)
    found = get_changeable_assessment(user, public_id)
    with refusals_shown(request):
        delete_assessment(assessment=found, actor=user)
        return redirect("item-set", found.item_set.public_id)
    return redirect("assessment", public_id)


@researcher_required
@require_GET
def compare(request: HttpRequest, public_id: str) -> HttpResponse:
    """Two participants of a set, one less the other."""
    user = signed_in_user(request)
    item_set = get_item_set_for_user(user, public_id)
    taken = item_set.assessments.select_related("item_set")
    asked = [request.GET.get(name, "").replace("\x00", "") for name in ("first", "second")]
    first = get_object_or_404(taken, public_id=asked[0])
    if not asked[1]:
        messages.info(request, f"Search, or turn the pages, and compare {first.name} with another.")
        query = urlencode({"first": first.public_id})
        return redirect(f"{reverse('item-set', args=[public_id])}?{query}#compare")
    second = get_object_or_404(taken, public_id=asked[1])
    with refusals_shown(request):
        context = {
            "section": "benchmarks",
            "item_set": item_set,
            "first": first,
            "second": second,
            "made": [how_it_was_made(row) for row in (first, second)],
            "over": what_it_is_over(item_set, task_of(item_set)),
            "rows": compared(first, second),
            "unread": [
                (row.name, count)
                for row in (first, second)
                if (count := sum(row.counts.values()) - row.counts.get(AnswerStatus.READ, 0))
            ],
        }
        return render(request, "benchmarks/compare.html", context)
    return redirect("item-set", public_id)


@researcher_required
@require_POST
def person_add(request: HttpRequest, public_id: str) -> HttpResponse:
    """Let oneself, or for the set's owner somebody else, answer as a person."""
    user = signed_in_user(request)
    item_set = get_item_set_for_user(user, public_id)
    # PostgreSQL cannot even be asked about a name with NUL in it.
    username = request.POST.get("person-username", "").replace("\x00", "").strip()
    with refusals_shown(request):
        person = get_participant(user, item_set, username)
        made = start_answering(item_set=item_set, person=person, actor=user)
        if person == user:
            return redirect("answering", made.public_id)
        messages.info(request, f"{person.get_username()} finds the items under Benchmarks.")
    return redirect("item-set", public_id)


@login_required
@require_GET
def own_answering(request: HttpRequest) -> HttpResponse:
    """What a person takes part in."""
    user = signed_in_user(request)
    own = Assessment.objects.filter(person=user).select_related("item_set").order_by("-pk")
    return render(request, "benchmarks/answering_list.html", {"section": "queue", "own": own})


@login_required
@require_http_methods(["GET", "POST"])
def answering(request: HttpRequest, public_id: str) -> HttpResponse:
    """The next item that a person has not answered, or the one that the address names."""
    own = get_own_answering(signed_in_user(request), public_id)
    rows = open_items(own) if own.frozen_at is None else []
    given = {answer.item_id: answer for answer in own.answers.all() if own.frozen_at is None}
    wanted = request.GET.get("item") or request.POST.get("item")
    item = next((row for row in rows if row.key == wanted), None) or next(
        (row for row in rows if row.pk not in given), None
    )
    form = None
    if item is not None:
        task, shown = task_of(own.item_set), engine_item(item, with_truth=False)
        before = given[item.pk].value if item.pk in given else None
        form = AnswerForm(request.POST or None, task=task, item=shown, value=before)
        if request.method == "POST" and form.is_valid():
            try:
                answer_item(assessment=own, key=item.key, given=form.to_given())
                return redirect("answering", public_id)
            except (ValidationError, AnswersFinalError) as error:
                words = getattr(error, "messages", [str(error)])
                form.add_error(None, ValidationError(words))
    words = {row.pk: value_in_words(given[row.pk].value) for row in rows if row.pk in given}
    context = {
        "section": "queue",
        "own": own,
        "item": item,
        "form": form,
        "parts": parts_of(item.payload) if item is not None else [],
        "open_lines": [(row, words.get(row.pk, "")) for row in rows],
        "answered_count": len(given),
        "left_count": own.item_set.item_count - len(given),
        "pictures": list(enumerate(picture_times(item, SHOWN_PICTURES)))
        if item is not None and item.video is not None
        else [],
    }
    return render(request, "benchmarks/answering.html", context)


@login_required
@require_POST
def answering_finish(request: HttpRequest, public_id: str) -> HttpResponse:
    own = get_own_answering(signed_in_user(request), public_id)
    finish_answering(assessment=own)
    messages.info(request, "Your answers are final.")
    return redirect("answering", public_id)


@login_required
@require_GET
def answering_picture(request: HttpRequest, public_id: str, key: str, number: int) -> HttpResponse:
    """A picture of an item that is open to the person."""
    own = get_own_answering(signed_in_user(request), public_id)
    item = next((row for row in open_items(own) if row.key == key), None)
    return HttpResponse(shown_picture(item, number), content_type="image/jpeg")
