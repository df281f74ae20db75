"""The pages of task graphs, of recordings' walks through them, and of one recording of a set."""

from collections import Counter
from itertools import chain

from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from annotation.analytics.tables.table_writers import TableFormat
from annotation.engine.csv_cells import csv_lines
from annotation.permissions import researcher_required, signed_in_user
from annotation.selectors.corpus.corpus import get_dataset_for_user, visible_datasets
from annotation.services.videos.tokens import video_url
from annotation.views.figures.reports import csv_response
from benchmarks.engine.graphs.walks import LISTED_ORDERS
from benchmarks.forms.graphs import OrdersForm
from benchmarks.responses import table_response
from benchmarks.selectors import graphs
from benchmarks.selectors.item_sets import (
    get_item_set_for_user,
    task_of,
)
from benchmarks.selectors.readers import reader_of
from benchmarks.selectors.recording_pages import claims_on
from benchmarks.selectors.walk_pages import chart_of, drawn_graph, ticks_of

ALL, SUSPECT = "all", "suspect"


@researcher_required
@require_GET
def graph_list(request: HttpRequest, public_id: str) -> HttpResponse:
    """The procedures of a data set, and its recordings that are worth a second look."""
    user = signed_in_user(request)
    dataset = get_dataset_for_user(user, public_id)
    procedures = graphs.procedures_of(dataset)
    if not procedures:
        raise Http404
    walks = graphs.walks_of(dataset, procedures)
    suspect = [walk for walk in walks if walk.is_suspect]
    counts = Counter((walk.procedure.number, walk.recording.is_normal) for walk in walks)
    in_doubt = Counter(walk.procedure.number for walk in suspect)
    rounds = graphs.rounds_with(user, suspect)
    context = {
        "section": "datasets",
        "dataset": dataset,
        "procedures": [
            (walk, counts[walk.number, True], counts[walk.number, False], in_doubt[walk.number])
            for walk in procedures
        ],
        "suspect": [
            (walk, rounds.get((walk.recording.kind, walk.recording.pk), ())) for walk in suspect
        ],
        "normal_count": sum(walk.recording.is_normal for walk in walks),
        "recording_count": len(walks),
    }
    return render(request, "benchmarks/graph_list.html", context)


@researcher_required
@require_GET
def walks_file(request: HttpRequest, public_id: str, which: str) -> HttpResponse:
    """Every recording compared with its graph, or those worth a second look, as CSV."""
    if which not in {ALL, SUSPECT}:
        raise Http404
    dataset = get_dataset_for_user(signed_in_user(request), public_id)
    walks = graphs.walks_of(dataset, graphs.procedures_of(dataset), has_marks=True)
    listed = [walk for walk in walks if which == ALL or walk.is_suspect]
    return table_response(graphs.walks_table(dataset, listed), TableFormat.CSV, "walks")


@researcher_required
@require_GET
def graph_detail(request: HttpRequest, public_id: str, number: int) -> HttpResponse:
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
def orders_file(request: HttpRequest, public_id: str, number: int) -> StreamingHttpResponse:
    """Valid orders drawn uniformly, as CSV with a row per step."""
    dataset = get_dataset_for_user(signed_in_user(request), public_id)
    procedure = graphs.get_procedure(dataset, number)
    if not procedure.order_count:
        raise Http404
    form = OrdersForm(request.GET)
    orders = procedure.sampled_orders(form.value_of("count"), form.value_of("seed"))
    head = "order", "place", "number", "step_id", "text"
    rows = (
        (order_number, place, step.number, step.step_id, step.text)
        for order_number, order in enumerate(orders, start=1)
        for place, step in enumerate(order, start=1)
    )
    return csv_response(csv_lines(chain([head], rows)), "orders.csv")


@researcher_required
@require_GET
def walk(request: HttpRequest, kind: str, public_id: str) -> HttpResponse:
    user = signed_in_user(request)
    dataset, walked = graphs.get_recording_walk(user, kind, public_id)
    recording, video = walked.recording, graphs.video_of(walked.recording)
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
        "rounds": graphs.rounds_with(user, [walked]).get((recording.kind, recording.pk), ()),
        "item_sets": graphs.item_sets_with(user, dataset, recording.key),
    }
    return render(request, "benchmarks/walk.html", context)


@researcher_required
@require_GET
def set_recording(request: HttpRequest, public_id: str, recording: str) -> HttpResponse:
    """One recording of an item set: graph, walk, truth and all claims on one timeline.

    Graph and walk come from the data set, so only users who may read it see them, and not while
    they are answering the items.
    """
    user = signed_in_user(request)
    item_set = get_item_set_for_user(user, public_id)
    reader = reader_of(user, item_set)
    rows = reader.items().filter(recording=recording)
    rows = rows.select_related("video").prefetch_related("shared")
    if not (items := list(rows.order_by("start_s", "position"))):
        raise Http404
    sees_truth = reader.sees_truth
    dataset, walked = item_set.dataset, None
    if sees_truth and dataset and visible_datasets(user).filter(pk=dataset.pk).exists():
        walked = graphs.recording_walk_of(dataset, items[0].source_recording)
    video = items[0].video
    length_s = max(
        video.duration_s if video else 0.0,
        *(item.moment_s or 0.0 for item in items),
        walked.walk.length_s if walked else 0.0,
        0.001,
    )
    task, numbers = task_of(item_set), walked.procedure.numbers if walked else {}
    claims = claims_on(reader, reader.assessments(), items, length_s=length_s, step_numbers=numbers)
    # Claims at steps are drawn for one participant: the one that is asked for, or else the first.
    candidates = [row for row in claims.rows if row.on_steps and row.public_id]
    chosen = [row for row in candidates if row.public_id == request.GET.get("on")]
    focus = next(iter([*chosen, *candidates]), None)
    claims_by_step = focus.on_steps if focus else {}
    names = reader.items().order_by("recording")
    context = {
        "section": "benchmarks",
        "item_set": item_set,
        "recording": recording,
        "walked": walked,
        "chart": walked and chart_of(walked.procedure, walked.walk, length_s, claims_by_step),
        "focus": focus,
        "ticks": ticks_of(length_s),
        "length_s": length_s,
        "claims": claims,
        "clip_url": video_url(video, user) if sees_truth and video else "",
        "may_watch": sees_truth and item_set.is_frozen and task.is_watched,
        "name": items[0].source_recording.partition(":")[2] if sees_truth else recording,
        "previous": names.filter(recording__lt=recording).values_list("recording").last(),
        "next": names.filter(recording__gt=recording).values_list("recording").first(),
    }
    return render(request, "benchmarks/recording.html", context)
