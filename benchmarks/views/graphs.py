"""The pages of task graphs, of recordings that walk through them, and of one recording of a set."""

import csv
from collections import Counter

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from annotation.analytics.table_writers import TableFormat
from annotation.engine.csv_cells import safe_cell
from annotation.models import User
from annotation.permissions import researcher_required, signed_in_user
from annotation.selectors.corpus import get_dataset_for_user, visible_datasets
from annotation.services.video_tokens import video_url
from benchmarks.engine.walks import LISTED_ORDERS
from benchmarks.forms.graphs import OrdersForm
from benchmarks.models import Item, ItemSet
from benchmarks.responses import table_response
from benchmarks.selectors import graphs
from benchmarks.selectors.item_sets import (
    get_item_set_for_user,
    may_see_truth,
    readable_items,
    task_of,
)
from benchmarks.selectors.recording_pages import claims_on
from benchmarks.selectors.walk_pages import chart_of, drawn_graph, ticks_of

ALL, SUSPECT = "all", "suspect"


@researcher_required
@require_GET
def graph_list(request: HttpRequest, public_id: str) -> HttpResponse:
    """The procedures of a data set, and recordings that look normal and are no valid order."""
    user = signed_in_user(request)
    dataset = get_dataset_for_user(user, public_id)
    procedures = graphs.procedures_of(dataset)
    if not procedures:
        raise Http404
    walked = graphs.walks_of(dataset, procedures)
    suspect = [one for one in walked if one.is_suspect]
    counts = Counter((one.procedure.number, one.recorded.is_normal) for one in walked)
    in_doubt = Counter(one.procedure.number for one in suspect)
    rounds = graphs.rounds_with(user, suspect)
    context = {
        "section": "datasets",
        "dataset": dataset,
        "procedures": [
            (one, counts[one.number, True], counts[one.number, False], in_doubt[one.number])
            for one in procedures
        ],
        "suspect": [(one, rounds.get((one.recorded.kind, one.recorded.pk), ())) for one in suspect],
        "normal_count": sum(one.recorded.is_normal for one in walked),
        "recording_count": len(walked),
    }
    return render(request, "benchmarks/graph_list.html", context)


@researcher_required
@require_GET
def walks_file(request: HttpRequest, public_id: str, which: str) -> HttpResponse:
    """Every recording against its graph, or those of the audit list, as CSV."""
    if which not in {ALL, SUSPECT}:
        raise Http404
    dataset = get_dataset_for_user(signed_in_user(request), public_id)
    walked = graphs.walks_of(dataset, graphs.procedures_of(dataset), has_marks=True)
    kept = [one for one in walked if which == ALL or one.is_suspect]
    return table_response(graphs.walks_table(dataset, kept), TableFormat.CSV, "walks")


@researcher_required
@require_GET
def graph_detail(request: HttpRequest, public_id: str, number: int) -> HttpResponse:
    """One procedure: its graph drawn and told, its orders, its recordings."""
    dataset = get_dataset_for_user(signed_in_user(request), public_id)
    procedure = graphs.get_procedure(dataset, number)
    form = OrdersForm(request.GET)
    is_sampled = (procedure.order_count or 0) > LISTED_ORDERS
    orders = procedure.all_orders() if procedure.order_count else []
    if is_sampled:
        orders = procedure.sampled_orders(form.value_of("count"), form.value_of("seed"))
    context = {
        "section": "datasets",
        "dataset": dataset,
        "procedure": procedure,
        "cycle": [procedure.step_of[node].text for node in procedure.graph.cycle],
        "drawn": drawn_graph(procedure),
        "form": form,
        "orders": [[step.number for step in order] for order in orders],
        "is_sampled": is_sampled,
        "walked": graphs.walks_of(dataset, [procedure]),
    }
    return render(request, "benchmarks/graph.html", context)


@researcher_required
@require_GET
def orders_file(request: HttpRequest, public_id: str, number: int) -> HttpResponse:
    """Valid orders, each drawn with the same chance: a row per step, by the ids of steps."""
    dataset = get_dataset_for_user(signed_in_user(request), public_id)
    procedure = graphs.get_procedure(dataset, number)
    if not procedure.order_count:
        raise Http404
    form = OrdersForm(request.GET)
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    response["content-disposition"] = 'attachment; filename="orders.csv"'
    writer = csv.writer(response, lineterminator="\n")
    writer.writerow(["order", "place", "number", "step_id", "text"])
    orders = procedure.sampled_orders(form.value_of("count"), form.value_of("seed"))
    for order_number, order in enumerate(orders, start=1):
        for place, step in enumerate(order, start=1):
            row = (order_number, place, step.number, step.step_id, step.text)
            writer.writerow([safe_cell(cell) for cell in row])
    return response


@researcher_required
@require_GET
def walk(request: HttpRequest, kind: str, public_id: str) -> HttpResponse:
    """A recording's walk through the graph of its procedure."""
    user = signed_in_user(request)
    dataset, walked = graphs.get_walked(user, kind, public_id)
    recorded, video = walked.recorded, graphs.video_of(walked.recorded)
    length_s = max(walked.walk.length_s, video.duration_s if video else 0.0, 0.001)
    context = {
        "section": "datasets",
        "dataset": dataset,
        "walked": walked,
        "drawn": drawn_graph(walked.procedure, walked.walk),
        "chart": chart_of(walked.procedure, walked.walk, length_s),
        "ticks": ticks_of(length_s),
        "length_s": length_s,
        "clip_url": video_url(video, user) if video else "",
        "rounds": graphs.rounds_with(user, [walked]).get((recorded.kind, recorded.pk), ()),
        "item_sets": graphs.item_sets_with(user, dataset, recorded),
    }
    return render(request, "benchmarks/walk.html", context)


@researcher_required
@require_GET
def set_recording(request: HttpRequest, public_id: str, recording: str) -> HttpResponse:
    """One recording of an item set: graph, walk, truth and everybody's claims on one clock.

    Graph and walk come from the data set, so only who may read it sees them, and nobody who is
    answering the items.
    """
    user = signed_in_user(request)
    item_set = get_item_set_for_user(user, public_id)
    rows = readable_items(user, item_set).filter(recording=recording)
    if not (items := list(rows.select_related("video").order_by("start_s", "position"))):
        raise Http404
    sees_truth = may_see_truth(user, item_set)
    walked = _walked_for(user, item_set, items[0]) if sees_truth else None
    video = items[0].video
    length_s = max(
        video.duration_s if video else 0.0,
        *(item.moment_s or 0.0 for item in items),
        walked.walk.length_s if walked else 0.0,
        0.001,
    )
    claims = claims_on(
        user,
        item_set,
        task_of(item_set),
        items,
        length_s=length_s,
        step_numbers=walked.procedure.numbers if walked else {},
    )
    # Whose claims are drawn at the steps that they name: the asked participant's, else the first's.
    able = [row for row in claims.rows if row.on_steps and row.public_id]
    asked = [row for row in able if row.public_id == request.GET.get("on")]
    focus = next(iter([*asked, *able]), None)
    said = focus.on_steps if focus else {}
    names = readable_items(user, item_set).order_by("recording")
    context = {
        "section": "benchmarks",
        "item_set": item_set,
        "recording": recording,
        "walked": walked,
        "chart": walked and chart_of(walked.procedure, walked.walk, length_s, said),
        "focus": focus,
        "ticks": ticks_of(length_s),
        "length_s": length_s,
        "claims": claims,
        "clip_url": video_url(video, user) if sees_truth and video else "",
        "name": items[0].source_recording.partition(":")[2] if sees_truth else recording,
        "previous": names.filter(recording__lt=recording).values_list("recording").last(),
        "next": names.filter(recording__gt=recording).values_list("recording").first(),
    }
    return render(request, "benchmarks/recording.html", context)


def _walked_for(user: User, item_set: ItemSet, item: Item) -> graphs.Walked | None:
    """What the recording of an item did in its graph, where the user may read its data set."""
    dataset = item_set.dataset
    if dataset is None or not visible_datasets(user).filter(pk=dataset.pk).exists():
        return None
    return graphs.walked_of_key(dataset, item.source_recording)
