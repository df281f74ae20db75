"""The page of one item set: its items, its participants with their figures, and their forms."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from annotation.analytics.tables.table import ShownTable, lay_out
from annotation.analytics.tables.table_writers import TableFormat
from annotation.models import User
from annotation.permissions import signed_in_user
from annotation.tables import Filter, ListColumn, TableKind, read_table
from benchmarks.forms.item_sets import ReferenceReviewForm, ReferenceWritingForm, TrainingFilesForm
from benchmarks.forms.participants import (
    AskForm,
    NamedJudgesForm,
    ParticipantForm,
    PersonForm,
    TrainForm,
    UploadForm,
)
from benchmarks.forms.sizes import SizesForm
from benchmarks.models import ItemSet, ParticipantKind
from benchmarks.selectors.assessments import state_of
from benchmarks.selectors.downloads import Download, downloads_of
from benchmarks.selectors.item_sets import (
    cautions_of,
    has_references,
    has_written_references,
    may_change_item_set,
    progress_of_set,
    state_of_set,
    task_of,
)
from benchmarks.selectors.pages import drawing_of
from benchmarks.selectors.planned_sizes import assumed_sizes, items_per_recording
from benchmarks.selectors.readers import Reader, reader_of
from benchmarks.selectors.tables import GROUP_TITLES, groups_of, table_of
from benchmarks.selectors.training import parts_with_folds, trainable_folds

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


def state_of_page(user: User, item_set: ItemSet) -> dict[str, Any]:
    """What the page of a set says of its job, and whether the user may change that."""
    return {
        "task": task_of(item_set),
        "state": state_of_set(item_set),
        "progress": progress_of_set(item_set),
        "may_change": may_change_item_set(user, item_set),
    }


def group_of(request: HttpRequest) -> tuple[str, str]:
    """The breakdown and its value from the address."""
    # PostgreSQL raises an error for text with NUL in it.
    texts = (request.GET.get(name, "").replace("\x00", "") for name in ("group", "value"))
    group, value = (text[:200] for text in texts)
    return group, value


def _sizes(item_set: ItemSet, form: SizesForm) -> ShownTable | None:
    """Recordings by people, of what was assumed; None where nothing was sent, or not rightly."""
    if not form.is_bound or not form.is_valid():
        return None
    sent = form.cleaned_data
    per_recording = items_per_recording(item_set)
    return lay_out(assumed_sizes(sent["assumed"], per_recording, raters=sent["raters"]))


def set_page(
    request: HttpRequest,
    item_set: ItemSet,
    sent: ParticipantForm | None = None,
    problems: Sequence[str] = (),
    price: str = "",
) -> HttpResponse:
    """The page of a set; a form that was `sent` is shown with its errors and its file's faults."""
    user, task = signed_in_user(request), task_of(item_set)
    reader = reader_of(user, item_set)
    ask_form = AskForm(reader=reader)
    forms: dict[str, ParticipantForm] = {"upload": UploadForm(reader=reader), "ask": ask_form}
    if task.learns:
        forms["train"] = TrainForm(reader=reader)
    if sent is not None:
        forms[sent.prefix] = sent
    sizes_form = SizesForm(request.GET if "accuracy" in request.GET else None, auto_id="sizes-%s")
    folds = parts_with_folds(item_set) if task.learns else []
    downloads = downloads_of(item_set, parts=[part for part, _ in folds] if folds else None)
    participants = _participants(request, item_set)
    context = {
        "section": "benchmarks",
        "item_set": item_set,
        **state_of_page(user, item_set),
        "warnings": cautions_of(item_set),
        **_items(request, reader),
        **participants,
        # A set of one data set has none.
        "sources": [] if item_set.dataset_id else item_set.sources.all(),
        "downloads": downloads,
        "review_form": ReferenceReviewForm(initial={"name": f"Words of {item_set}"})
        if has_references(task)
        else None,
        "writing_form": ReferenceWritingForm(user=user)
        if has_written_references(task) and not item_set.is_frozen and reader.sees_truth
        else None,
        "training_form": TrainingFilesForm() if Download.TRAINING in downloads else None,
        "formats": list(TableFormat),
        "forms": forms,
        "person_form": PersonForm(),
        "judges_form": NamedJudgesForm(reader=reader, models=ask_form.models)
        if task.is_judged
        else None,
        "sizes_form": sizes_form,
        "sizes": _sizes(item_set, sizes_form),
        "problems": problems,
        "price": price,
        "may_grade": task.is_judged and reader.sees_truth and participants["is_answered"],
        "lowest_grade": min(task.people_rubric.words),
        "why_not_trainable": trainable_folds(task, folds)[1] if task.learns else "",
    }
    return render(
        request, "benchmarks/item_set.html", context, status=400 if sent and not price else 200
    )


def _items(request: HttpRequest, reader: Reader) -> dict[str, Any]:
    """The table of the items to answer."""
    item_set, sees_truth = reader.item_set, reader.sees_truth
    test_items = item_set.test_items.defer("truth").prefetch_related("shared")
    if reader.is_answering:
        test_items = test_items.filter(sequence="")
    kind = ITEMS_WITH_TRUTH if sees_truth and item_set.shortcuts else ITEMS
    row_count = item_set.item_count if item_set.is_made and not reader.is_answering else None
    return {
        "items": read_table(request, kind, test_items.order_by("position"), row_count),
        "shows_names": sees_truth,
        "shows_guessed": kind is ITEMS_WITH_TRUTH,
    }


def _participants(request: HttpRequest, item_set: ItemSet) -> dict[str, Any]:
    """The table of participants, and the figures of those on its page: table, drawing, choices."""
    task = task_of(item_set)
    rows = item_set.assessments.exclude(kind=ParticipantKind.BASELINE).select_related("job")
    participants = read_table(request, PARTICIPANTS, rows.order_by("pk"))
    on_page = list(participants.page.object_list)
    group, value = group_of(request)
    figures = table_of(item_set, group=group, group_value=value, page=on_page)
    lines = list(figures.rows())
    first = request.GET.get("first", "")
    return {
        "participants": participants,
        "assessments": [(row, state_of(row)) for row in on_page],
        "shown": lay_out(figures),
        "group": group,
        "value": value,
        "groups": groups_of(item_set),
        "is_part": not all(line.is_shown for line in lines),
        # The participant to compare with may be on another page of the table.
        "first": first,
        "finished": [line for line in lines if line.key and (line.is_shown or line.key == first)],
        # There is something to grade: somebody but the trivial baselines has finished.
        "is_answered": item_set.is_frozen
        and any(
            line.key
            for part in figures.groups
            for line in part.rows
            if part.title != GROUP_TITLES[ParticipantKind.BASELINE]
        ),
        "measures": task.measures,
        "drawing": drawing_of(figures, task, request.GET.get("measure", "")),
    }
