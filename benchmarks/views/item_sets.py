"""The pages of item sets: list, make, read, freeze, share, upload, ask, compare."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST
from django_htmx.http import HttpResponseClientRefresh

from annotation.analytics.tables.table import lay_out
from annotation.analytics.tables.table_writers import TableFormat
from annotation.engine.corpus.formats.errors import FormatError
from annotation.models import User
from annotation.permissions import researcher_required, signed_in_user
from annotation.selectors.corpus.blinding import why_some_are_hidden
from annotation.services.videos.tokens import video_url
from annotation.tables import Filter, ListColumn, TableKind, read_table
from annotation.views.records.errors import refusals_shown
from benchmarks import launch
from benchmarks.engine.division import TRAINING
from benchmarks.engine.registry import tasks
from benchmarks.engine.shown import parts_of, value_in_words
from benchmarks.forms.item_sets import ItemSetForm, LeaveOutForm
from benchmarks.forms.participants import (
    AskForm,
    NamedJudgesForm,
    ParticipantForm,
    PersonForm,
    TrainForm,
    UploadForm,
)
from benchmarks.models import Assessment, ItemSet, ParticipantKind
from benchmarks.responses import download_response, table_response
from benchmarks.selectors.asked import seen_asked
from benchmarks.selectors.assessments import answers_to_items, state_of
from benchmarks.selectors.downloads import downloads_of
from benchmarks.selectors.item_sets import (
    cautions_of,
    get_changeable_item_set,
    get_item_set_for_user,
    get_unfinished_item_set_for_user,
    is_answering,
    may_change_item_set,
    may_see_truth,
    progress_of_set,
    readable_assessments,
    readable_items,
    state_of_set,
    summaries,
    task_of,
    visible_item_sets,
)
from benchmarks.selectors.pages import answer_lines, drawing_of
from benchmarks.selectors.recording_pages import claims_on, visible_part_row
from benchmarks.selectors.tables import groups_of, table_of
from benchmarks.selectors.training import trainable_folds
from benchmarks.selectors.walk_pages import ticks_of
from benchmarks.services.asking_prices import asking_price
from benchmarks.services.item_sets import (
    ItemSetInUseError,
    cancel_item_set,
    delete_item_set,
    share_item_set,
)
from benchmarks.services.pictures import SHOWN_PICTURES, picture_times, shown_picture
from benchmarks.services.uploads import upload_answers

SETS = TableKind(
    "sets",
    (
        ListColumn("Item set", "name"),
        ListColumn("Task", "task"),
        ListColumn("Made of", "source"),
        ListColumn("Items", "item_count", is_number=True),
        ListColumn("Participants", is_number=True),
        ListColumn("Owner", "owner__username"),
        ListColumn("Made", "created_at"),
    ),
    searched=("name", "task", "source", "owner__username"),
    rows_per_page=30,
)
ITEMS = TableKind(
    "items",
    (
        ListColumn("Item"),
        ListColumn("Question"),
        ListColumn("Recording", "recording"),
        ListColumn("Part", "part"),
        ListColumn("Up to (s)", "moment_s"),
    ),
    searched=("key", "question"),
    rows_per_page=20,
)
# Sorted by it, the items would tell who may not see the truth which are guessed.
ITEMS_WITH_TRUTH = replace(
    ITEMS, columns=(*ITEMS.columns, ListColumn("Guessed by", "guessed", is_number=True))
)
PARTICIPANTS = TableKind(
    "participants",
    (
        ListColumn("Participant", "name"),
        ListColumn("Kind", "kind"),
        ListColumn("State"),
        ListColumn("Read", is_number=True),
        ListColumn("Not read"),
        ListColumn("Since", "created_at"),
    ),
    searched=("name",),
    filters=(
        Filter(
            "kind",
            "Kind",
            {
                kind.value: (kind.label.lower(), Q(kind=kind))
                for kind in ParticipantKind
                if kind != ParticipantKind.BASELINE
            },
        ),
    ),
    rows_per_page=30,
)
SHOWN_PROBLEMS = 50


@researcher_required
@require_GET
def set_list(request: HttpRequest) -> HttpResponse:
    user = signed_in_user(request)
    table = read_table(request, SETS, visible_item_sets(user).select_related("owner", "job"))
    rows = list(table.page.object_list)
    summary_of, names = summaries(rows), {name: task.title for name, task in tasks().items()}
    lines = [
        (row, state_of_set(row), names.get(row.task, row.task), summary_of[row.pk]) for row in rows
    ]
    context = {"table": table, "lines": lines, "tasks": tasks().values()}
    context["hidden"] = why_some_are_hidden(user)
    return render(request, "benchmarks/item_set_list.html", {"section": "benchmarks", **context})


@researcher_required
@require_http_methods(["GET", "POST"])
def set_new(request: HttpRequest, task: str) -> HttpResponse:
    """Show the form of a task, or make the item set."""
    if task not in tasks():
        raise Http404
    user = signed_in_user(request)
    form = ItemSetForm(
        request.POST or None, user=user, task=tasks()[task], initial=request.GET.dict()
    )
    if request.method == "POST" and form.is_valid():
        try:
            item_set = launch.launch_item_set(request=form.to_request(), actor=user)
        except ValidationError as error:
            form.add_error(None, ValidationError(error.messages))
        else:
            return redirect("item-set", item_set.public_id)
    context = {"section": "benchmarks", "form": form, "task": tasks()[task]}
    return render(request, "benchmarks/item_set_new.html", context)


@researcher_required
@require_GET
def set_detail(request: HttpRequest, public_id: str) -> HttpResponse:
    user = signed_in_user(request)
    item_set = get_unfinished_item_set_for_user(user, public_id)
    if item_set.is_made:
        return _page(request, item_set)
    context = {"section": "benchmarks", "item_set": item_set, **_state(user, item_set)}
    return render(request, "benchmarks/item_set_unmade.html", context)


def _state(user: User, item_set: ItemSet) -> dict[str, Any]:
    """What the page of a set says of its job, and whether the user may change that."""
    return {
        "task": task_of(item_set),
        "state": state_of_set(item_set),
        "progress": progress_of_set(item_set),
        "may_change": may_change_item_set(user, item_set),
    }


@researcher_required
@require_GET
def set_progress(request: HttpRequest, public_id: str) -> HttpResponse:
    """How far the job of a set is; once it has ended, the whole page is loaded anew."""
    user = signed_in_user(request)
    item_set = get_unfinished_item_set_for_user(user, public_id)
    state = _state(user, item_set)
    if state["progress"] is None or not state["progress"].is_at_work:
        return HttpResponseClientRefresh()
    return render(request, "benchmarks/_set_progress.html", {"item_set": item_set, **state})


def _group_of(request: HttpRequest) -> tuple[str, str]:
    """The breakdown and its value from the address."""
    # PostgreSQL raises an error for text with NUL in it.
    texts = (request.GET.get(name, "").replace("\x00", "") for name in ("group", "value"))
    group, value = (text[:200] for text in texts)
    return group, value


def _page(
    request: HttpRequest,
    item_set: ItemSet,
    sent: ParticipantForm | None = None,
    problems: Sequence[str] = (),
    price: str = "",
) -> HttpResponse:
    """The page of a set; a form that was `sent` is shown with its errors and its file's faults."""
    user, task = signed_in_user(request), task_of(item_set)
    kinds = (UploadForm, AskForm, TrainForm) if task.learns else (UploadForm, AskForm)
    forms: dict[str, ParticipantForm] = {
        kind.prefix: kind(user=user, item_set=item_set) for kind in kinds
    }
    if sent is not None:
        forms[sent.prefix] = sent
    test_items = item_set.test_items.defer("truth")
    if is_answering(user, item_set):
        test_items = test_items.filter(sequence="")
    sees_truth = may_see_truth(user, item_set)
    kind_of_items = ITEMS_WITH_TRUTH if sees_truth and item_set.shortcuts else ITEMS
    items = read_table(request, kind_of_items, test_items.order_by("position"))
    group, value = _group_of(request)
    rows = item_set.assessments.exclude(kind=ParticipantKind.BASELINE).select_related("job")
    participants = read_table(request, PARTICIPANTS, rows.order_by("pk"))
    on_page = list(participants.page.object_list)
    figures = table_of(item_set, group=group, group_value=value, page=on_page)
    lines = list(figures.rows())
    first = request.GET.get("first", "")
    context = {
        "section": "benchmarks",
        "item_set": item_set,
        **_state(user, item_set),
        "warnings": cautions_of(item_set),
        "items": items,
        "shows_names": sees_truth,
        "shows_guessed": kind_of_items is ITEMS_WITH_TRUTH,
        "shown": lay_out(figures),
        "group": group,
        "value": value,
        "groups": groups_of(item_set),
        "participants": participants,
        "assessments": [(row, state_of(row)) for row in on_page],
        "is_part": not all(line.is_shown for line in lines),
        # The participant to compare with may be on another page of the table.
        "first": first,
        "finished": [line for line in lines if line.key and (line.is_shown or line.key == first)],
        "downloads": downloads_of(item_set),
        "formats": list(TableFormat),
        "forms": forms,
        "person_form": PersonForm(),
        "judges_form": NamedJudgesForm(user=user, item_set=item_set) if task.is_judged else None,
        "problems": problems,
        "price": price,
        "why_not_trainable": trainable_folds(item_set, task)[1] if task.learns else "",
        "measures": task.measures,
        "drawing": drawing_of(figures, task, request.GET.get("measure", "")),
    }
    return render(
        request, "benchmarks/item_set.html", context, status=400 if sent and not price else 200
    )


@researcher_required
@require_POST
def set_freeze(request: HttpRequest, public_id: str) -> HttpResponse:
    user = signed_in_user(request)
    item_set = get_changeable_item_set(user, public_id)
    with refusals_shown(request):
        only_audit = "only_audit" in request.POST
        launch.launch_freeze(item_set=item_set, actor=user, only_audit=only_audit)
    return redirect("item-set", public_id)


@researcher_required
@require_POST
def set_leave_out(request: HttpRequest, public_id: str) -> HttpResponse:
    user = signed_in_user(request)
    item_set = get_changeable_item_set(user, public_id)
    form = LeaveOutForm(request.POST)
    if form.is_valid():
        with refusals_shown(request):
            launch.launch_leaving_out(item_set=item_set, actor=user, **form.cleaned_data)
    else:
        messages.error(request, "Choose what to leave out.")
    return redirect("item-set", public_id)


@researcher_required
@require_POST
def set_cancel(request: HttpRequest, public_id: str) -> HttpResponse:
    user = signed_in_user(request)
    cancel_item_set(item_set=get_changeable_item_set(user, public_id), actor=user)
    return redirect("item-set", public_id)


@researcher_required
@require_POST
def set_resume(request: HttpRequest, public_id: str) -> HttpResponse:
    user = signed_in_user(request)
    launch.resume_item_set(item_set=get_changeable_item_set(user, public_id), actor=user)
    return redirect("item-set", public_id)


@researcher_required
@require_POST
def set_share(request: HttpRequest, public_id: str) -> HttpResponse:
    user = signed_in_user(request)
    is_shared = request.POST.get("is_shared") == "yes"
    item_set = get_changeable_item_set(user, public_id)
    share_item_set(item_set=item_set, is_shared=is_shared, actor=user)
    return redirect("item-set", public_id)


@researcher_required
@require_POST
def set_delete(request: HttpRequest, public_id: str) -> HttpResponse:
    user = signed_in_user(request)
    with refusals_shown(request):
        delete_item_set(item_set=get_changeable_item_set(user, public_id), actor=user)
        return redirect("item-sets")
    return redirect("item-set", public_id)


def _start(
    request: HttpRequest,
    public_id: str,
    kind: type[ParticipantForm],
    start: Callable[..., Assessment],
) -> HttpResponse:
    """Start a participant from its form, or show the page again with all errors."""
    user = signed_in_user(request)
    item_set = get_item_set_for_user(user, public_id)
    form = kind(request.POST, request.FILES, user=user, item_set=item_set)
    problems: list[str] = []
    if form.is_valid():
        try:
            assessment = start(item_set=item_set, request=form.to_request(), actor=user)
            return redirect("assessment", assessment.public_id)
        except ItemSetInUseError as error:
            messages.error(request, str(error))
            return redirect("item-sets")
        except FormatError as error:
            problems = [str(problem) for problem in error.problems[:SHOWN_PROBLEMS]]
        except ValidationError as error:
            form.add_error(None, ValidationError(error.messages))
    return _page(request, item_set, form, problems)


@researcher_required
@require_POST
def set_upload(request: HttpRequest, public_id: str) -> HttpResponse:
    return _start(request, public_id, UploadForm, upload_answers)


@researcher_required
@require_POST
def set_ask(request: HttpRequest, public_id: str) -> HttpResponse:
    return _start(request, public_id, AskForm, launch.launch_assessment)


@researcher_required
@require_POST
def set_ask_price(request: HttpRequest, public_id: str) -> HttpResponse:
    """Show the page again, with what asking as the form says would cost."""
    user = signed_in_user(request)
    item_set = get_item_set_for_user(user, public_id)
    form = AskForm(request.POST, user=user, item_set=item_set)
    if not form.is_valid():
        return _page(request, item_set, form)
    try:
        price = asking_price(item_set=item_set, request=form.to_request(), actor=user)
    except ValidationError as error:
        form.add_error(None, ValidationError(error.messages))
        return _page(request, item_set, form)
    return _page(request, item_set, form, price=price.words)


@researcher_required
@require_POST
def set_train(request: HttpRequest, public_id: str) -> HttpResponse:
    return _start(request, public_id, TrainForm, launch.launch_training)


@researcher_required
@require_GET
def set_download(request: HttpRequest, public_id: str, which: str) -> HttpResponseBase:
    user = signed_in_user(request)
    return download_response(user, get_item_set_for_user(user, public_id), which)


@researcher_required
@require_GET
def set_table(request: HttpRequest, public_id: str, form: str) -> HttpResponse:
    item_set = get_item_set_for_user(signed_in_user(request), public_id)
    group, value = _group_of(request)
    table = table_of(item_set, group=group, group_value=value)
    return table_response(table, form, f"{item_set.task}-{item_set.content_hash[:12]}")


@researcher_required
@require_GET
def item_page(request: HttpRequest, public_id: str, key: str) -> HttpResponse:
    """One item: question, pictures, and truth and answers for users who may see them."""
    user = signed_in_user(request)
    item_set = get_item_set_for_user(user, public_id)
    item = get_object_or_404(readable_items(user, item_set).select_related("video"), key=key)
    sees_truth = may_see_truth(user, item_set)
    assessments = readable_assessments(user, item_set)
    times = picture_times(item, SHOWN_PICTURES) if item.video else []
    answers = answers_to_items(assessments, [item.pk]).get(item.pk, [])
    length_s = max(item.video.duration_s if item.video else 0.0, item.moment_s or 0.0)
    claims = None
    if length_s:
        claims = claims_on(
            user, item_set, task_of(item_set), [item], length_s=length_s, step_numbers={}
        )
        claims.rows.insert(0, visible_part_row(item, length_s))
    # Numbered among those to answer, or among the examples, and not over both.
    is_example = item.part in TRAINING
    around = readable_items(user, item_set).order_by("position").only("key", "position")
    around = around.filter(part__in=TRAINING) if is_example else around.exclude(part__in=TRAINING)
    for answer in answers:
        answer.item = item
    context = {
        "section": "benchmarks",
        "item_set": item_set,
        "item": item,
        "item_number": around.filter(position__lte=item.position).count(),
        "item_total": around.count(),
        "is_example": is_example,
        "task": task_of(item_set),
        "pictures": list(enumerate(times)),
        "parts": parts_of(item.payload),
        "sees_truth": sees_truth,
        "truth_words": value_in_words(item.truth) if sees_truth else "",
        "clip_url": video_url(item.video, user) if sees_truth and item.video else "",
        "length_s": length_s,
        "claims": claims,
        "ticks": ticks_of(length_s),
        "answers": answer_lines(
            answers, sees_truth=sees_truth, asked_by=seen_asked(user, assessments)
        ),
        "previous": around.filter(position__lt=item.position).last(),
        "next": around.filter(position__gt=item.position).first(),
    }
    return render(request, "benchmarks/item.html", context)


@researcher_required
@require_GET
def item_picture(request: HttpRequest, public_id: str, key: str, number: int) -> HttpResponse:
    user = signed_in_user(request)
    item_set = get_item_set_for_user(user, public_id)
    items = readable_items(user, item_set).select_related("video__dataset")
    item = get_object_or_404(items, key=key)
    return HttpResponse(shown_picture(item, number), content_type="image/jpeg")
