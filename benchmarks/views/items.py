"""The pages of one item, and its pictures."""

from typing import Any

from django.db.models import Count, Max, Min, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_GET

from annotation.permissions import researcher_required, signed_in_user
from annotation.services.videos.tokens import video_url
from benchmarks.engine.division import TRAINING
from benchmarks.engine.shown import parts_of, value_in_words
from benchmarks.models import Item
from benchmarks.selectors.assessments import answers_to_items
from benchmarks.selectors.item_sets import (
    get_item_set_for_user,
    task_of,
)
from benchmarks.selectors.judging import is_grading
from benchmarks.selectors.pages import answer_lines
from benchmarks.selectors.readers import Reader, readable_items, reader_of
from benchmarks.selectors.recording_pages import claims_on, visible_part_row
from benchmarks.selectors.walk_pages import ticks_of
from benchmarks.services.pictures import SHOWN_PICTURES, picture_times, shown_picture


@researcher_required
@require_GET
def item_page(request: HttpRequest, public_id: str, key: str) -> HttpResponse:
    """One item: question, pictures, and truth and answers for users who may see them."""
    user = signed_in_user(request)
    item_set = get_item_set_for_user(user, public_id)
    reader, task = reader_of(user, item_set), task_of(item_set)
    item = get_object_or_404(reader.items().select_related("video", "shared"), key=key)
    sees_truth, assessments = reader.sees_truth, reader.assessments()
    times = picture_times(item, SHOWN_PICTURES) if item.video else []
    answers = answers_to_items(assessments, [item.pk]).get(item.pk, [])
    length_s = max(item.video.duration_s if item.video else 0.0, item.moment_s or 0.0)
    claims = None
    if length_s:
        claims = claims_on(
            reader, assessments, [item],
            length_s=length_s, step_numbers={}, answers_to={item.pk: answers},
        )  # fmt: skip
        claims.rows.insert(0, visible_part_row(item, length_s))
    for answer in answers:
        answer.item = item
    context = {
        "section": "benchmarks",
        "item_set": item_set,
        "item": item,
        **_place_of(reader, item),
        "task": task,
        "pictures": list(enumerate(times)),
        "parts": parts_of(item.payload),
        "sees_truth": sees_truth,
        "truth_words": value_in_words(item.truth) if sees_truth else "",
        "clip_url": video_url(item.video, user) if sees_truth and item.video else "",
        "length_s": length_s,
        "claims": claims,
        "ticks": ticks_of(length_s),
        "answers": answer_lines(
            answers,
            sees_truth=sees_truth,
            is_grading=is_grading(user, item_set),
            asked_by={row.pk for row in assessments if reader.may_see_asked(row)},
        ),
    }
    return render(request, "benchmarks/item.html", context)


def _place_of(reader: Reader, item: Item) -> dict[str, Any]:
    """The item's number, of how many, and the keys of those beside it (two queries).

    Numbered among those to answer, or among the examples, and not over both.
    """
    is_example, around = item.part in TRAINING, reader.items()
    around = around.filter(part__in=TRAINING) if is_example else around.exclude(part__in=TRAINING)
    found = around.aggregate(
        item_total=Count("pk"),
        item_number=Count("pk", filter=Q(position__lte=item.position)),
        previous=Max("position", filter=Q(position__lt=item.position)),
        next=Min("position", filter=Q(position__gt=item.position)),
    )
    beside = around.filter(position__in=[found["previous"], found["next"]]).order_by("position")
    key_at = dict(beside.values_list("position", "key"))
    keys = {name: key_at.get(found[name]) for name in ("previous", "next")}
    return {**found, **keys, "is_example": is_example}


@researcher_required
@require_GET
def item_picture(request: HttpRequest, public_id: str, key: str, number: int) -> HttpResponse:
    user = signed_in_user(request)
    item_set = get_item_set_for_user(user, public_id)
    items = readable_items(user, item_set).select_related("video__dataset")
    item = get_object_or_404(items, key=key)
    return HttpResponse(shown_picture(item, number), content_type="image/jpeg")
