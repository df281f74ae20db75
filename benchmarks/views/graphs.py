"""The pages of task graphs, of recordings that walk through them, and of one recording of a set."""

import csv
from collections import Counter

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from annotation.analytics.table_writers import TableFormat, write_table
from annotation.engine.csv_cells import safe_cell
from annotation.permissions import researcher_required, signed_in_user
from annotation.selectors.corpus import get_dataset_for_user, visible_datasets
from annotation.services.video_tokens import video_url
from benchmarks.engine.walks import LISTED_ORDERS
from benchmarks.forms import OrdersForm
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
    walked = graphs.walks_of(dataset, procedures.values())
    suspect = [one for one in walked if one.is_suspect]
    counts = Counter((one.recorded.scenario, one.recorded.is_normal) for one in walked)
    in_doubt = Counter(one.recorded.scenario for one in suspect)
    rounds = graphs.rounds_with(user, suspect)
    context = {
        "section": "datasets",
        "dataset": dataset,
        "procedures": [
            (
                pk,
                one,
                counts[one.scenario, True],
                counts[one.scenario, False],
                in_doubt[one.scenario],
            )
            for pk, one in procedures.items()
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
    walked = graphs.walks_of(dataset, graphs.procedures_of(dataset).values())
    kept = [one for one in walked if which == ALL or one.is_suspect]
    return _file(write_table(graphs.walks_table(dataset, kept), TableFormat.CSV), "walks.csv")


def _file(text: str, name: str) -> HttpResponse:
    response = HttpResponse(text, content_type="text/csv; charset=utf-8")
    response["content-disposition"] = f'attachment; filename="{name}"'
    return response


@researcher_required
@require_GET
def graph_detail(request: HttpRequest, public_id: str, number: int) -> HttpResponse:
    """One procedure: its graph drawn and told, its orders, its recordings."""
    dataset = get_dataset_for_user(signed_in_user(request), public_id)
    graph = graphs.get_graph(dataset, number)
    procedure = graphs.procedures_of(dataset, graph.scenario)[graph.pk]
    form = OrdersForm(request.GET)
    orders = []
    if procedure.order_count:
        found = procedure.all_orders()
        if procedure.order_count > LISTED_ORDERS:
            found = procedure.sampled_orders(form.value_of("count"), form.value_of("seed"))
        orders = [[procedure.numbers[node] for node in order] for order in found]
    context = {
        "section": "datasets",
        "dataset": dataset,
        "graph": graph,
        "procedure": procedure,
        "steps": [
            (
                procedure.numbers[node],
                procedure.texts[node],
                [procedure.numbers[one] for one in procedure.before(node)],
                node in procedure.unmatched,
            )
            for node in procedure.order
        ],
        "cycle": [procedure.texts[node] for node in procedure.graph.cycle],
        "drawn": drawn_graph(procedure),
        "form": form,
        "orders": orders,
        "is_sampled": (procedure.order_count or 0) > LISTED_ORDERS,
        "walked": graphs.walks_of(dataset, [procedure]),
    }
    return render(request, "benchmarks/graph.html", context)


@researcher_required
@require_GET
def orders_file(request: HttpRequest, public_id: str, number: int) -> HttpResponse:
    """Valid orders, each drawn with the same chance: a row per step, by the ids of steps."""
    dataset = get_dataset_for_user(signed_in_user(request), public_id)
    graph = graphs.get_graph(dataset, number)
    procedure = graphs.procedures_of(dataset, graph.scenario)[graph.pk]
    if not procedure.order_count:
        raise Http404
    form = OrdersForm(request.GET)
    response = _file("", "orders.csv")
    writer = csv.writer(response, lineterminator="\n")
    writer.writerow(["order", "place", "number", "step_id", "text"])
    orders = procedure.sampled_orders(form.value_of("count"), form.value_of("seed"))
    for order_number, order in enumerate(orders, start=1):
        for place, node in enumerate(order, start=1):
            row = (procedure.numbers[node], procedure.step_of[node], procedure.texts[node])
            writer.writerow([safe_cell(cell) for cell in (order_number, place, *row)])
    return response


@researcher_required
@require_GET
def walk(request: HttpRequest, kind: str, public_id: str) -> HttpResponse:
    """A recording's walk through the graph of its procedure."""
    if kind not in {graphs.TAKE, graphs.TRACE}:
        raise Http404
    user = signed_in_user(request)
    dataset, walked = graphs.get_walked(user, kind, public_id)
    recorded, video = walked.recorded, graphs.video_of(walked.recorded)
    length_s = max(walked.walk.length_s, video.duration_s if video else 0.0, 0.001)
    context = {
        "section": "datasets",
        "dataset": dataset,
        "walked": walked,
        "graph": dataset.task_graphs.filter(scenario=recorded.scenario).first(),
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
    items = list(rows.select_related("video").order_by("start_s", "position"))
    if not items:
        raise Http404
    sees_truth, dataset = may_see_truth(user, item_set), item_set.dataset
    walked = None
    if sees_truth and dataset and visible_datasets(user).filter(pk=dataset.pk).exists():
        walked = graphs.walked_of_key(dataset, items[0].source_recording)
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
        step_numbers=walked.procedure.step_numbers if walked else {},
    )
    # Whose claims are drawn at the steps that they name: the asked participant's, else the first's.
    able = [row for row in claims.rows if row.on_steps and row.public_id]
    asked = [row for row in able if row.public_id == request.GET.get("on")]
    focus = next(iter([*asked, *able]), None)
    names = readable_items(user, item_set).order_by("recording")
    context = {
        "section": "benchmarks",
        "item_set": item_set,
        "recording": recording,
        "walked": walked,
        "chart": chart_of(walked.procedure, walked.walk, length_s, focus.on_steps if focus else {})
        if walked
        else None,
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
