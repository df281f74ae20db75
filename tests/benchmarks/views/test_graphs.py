"""Pages of task graphs and of one recording: who may open them, and what they show."""

import csv
import io

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.engine.corpus.procedure import Reading, Step, Take
from annotation.models import Trace
from annotation.services.corpus.imports import ImportTarget, import_reading
from benchmarks.engine.claims import LEVEL, Claim
from benchmarks.engine.registry import tasks
from benchmarks.models import Assessment
from benchmarks.selectors.recording_pages import claim_pieces, in_words
from benchmarks.services.item_sets import share_item_set
from tests.benchmarks.made import as_csv, as_lines, baseline_values, frozen_set, uploaded

pytestmark = pytest.mark.django_db
COFFEE = "Make pour-over coffee"


def add_takes(dataset, owner, count):
    """More recordings of the coffee, each of which pours before the kettle is on."""
    [steps] = [
        [
            Step(text=row.text, step_id=row.step_id, start_s=row.start_s, end_s=row.end_s)
            for row in take.steps.order_by("index")
        ]
        for take in dataset.takes.filter(scenario=COFFEE, uid="sample-coffee")
    ]
    late = Step(steps[1].text, steps[1].step_id, start_s=40.0, end_s=41.0)
    takes = [
        Take(f"late-{number}", f"late {number}", COFFEE, (steps[0], late, *steps[2:]), f"l{number}")
        for number in range(count)
    ]
    target = ImportTarget(name=dataset.name, format="native", owner=owner, is_shared=False)
    import_reading(Reading(takes=tuple(takes)), target=target, actor=owner)


@pytest.fixture
def graph(sample):
    return sample.task_graphs.get(scenario=COFFEE)


@pytest.fixture
def coffee(sample):
    """A recording in which coffee is added before the filter is rinsed."""
    return Trace.objects.get(uid="sample-coffee-b")


def test_a_normal_recording_that_is_no_valid_order_is_listed_for_a_second_look(
    sample, owner, owner_client
):
    add_takes(sample, owner, 1)
    page = f"/benchmarks/graphs/{sample.public_id}/"

    shown = owner_client.get(page).content.decode()
    told = owner_client.get(f"{page}walks/suspect.csv").content.decode()
    everybody = owner_client.get(f"{page}walks/all.csv").content.decode()

    assert "1 of the 7 without a marked mistake" in shown
    [row] = csv.DictReader(io.StringIO(told))
    assert (row["label"], row["recording"], row["marked"]) == (COFFEE, "late-0", "normal")
    assert (row["is_valid"], row["reversed"][:25]) == ("no", "kettle-on > rinse-filter;")
    rows = {row["recording"]: row for row in csv.DictReader(io.StringIO(everybody))}
    assert rows["sample-coffee"]["is_valid"] == "yes"
    assert rows["sample-coffee-b"]["reversed"] == "rinse-filter > add-coffee"


def test_a_graph_is_counted_before_it_is_listed_and_sampled_by_its_seed(
    sample, graph, owner_client
):
    page = f"/benchmarks/graphs/{sample.public_id}/{graph.pk}/"

    shown = owner_client.get(page).content.decode()
    orders = owner_client.get(f"{page}orders.csv?count=3&seed=7").getvalue().decode()
    again = owner_client.get(f"{page}orders.csv?count=3&seed=7").getvalue().decode()
    odd = owner_client.get(f"{page}?count=many&seed=-1")

    assert "12 steps, 11 edges, <b>10 valid orders</b>" in shown
    assert shown.count('<g class="box ') == 12
    assert shown.count('class="line edge"') == 11
    assert orders == again
    rows = list(csv.DictReader(io.StringIO(orders)))
    assert [row["order"] for row in rows[::12]] == ["1", "2", "3"]
    assert {row["step_id"] for row in rows[:12]} == {row["step_id"] for row in rows[12:24]}
    assert odd.status_code == 200


def test_walk_lists_both_steps_and_times(coffee, owner_client):
    shown = owner_client.get(f"/benchmarks/walks/trace/{coffee.public_id}/").content.decode()

    assert "no valid order" in shown
    assert "Done before 6, which must come first" in shown
    for words in ("6. Rinse the paper filter with hot water", "7. Add two scoops of ground coffee",
                  "15.6 s", "12.9 s", "done too late"):  # fmt: skip
        assert words in shown
    assert shown.count('class="line reversed"') == 1


def test_api_returns_graphs_orders_and_walks(sample, graph, owner, owner_client):
    add_takes(sample, owner, 1)
    api = f"/api/v1/datasets/{sample.public_id}"

    [told] = [
        one
        for one in owner_client.get(f"{api}/task-graphs/").json()
        if one["number"] == graph.pk
    ]  # fmt: skip
    orders = owner_client.get(f"{api}/task-graphs/{graph.pk}/orders/?count=2&seed=3").json()
    refused = owner_client.get(f"{api}/task-graphs/{graph.pk}/orders/?count=1000")
    [suspect] = owner_client.get(f"{api}/walks/?suspect=true").json()
    everybody = owner_client.get(f"{api}/walks/").json()

    assert (told["scenario"], told["order_count"], len(told["steps"])) == (COFFEE, 10, 12)
    assert told["steps"][5]["after"] == [2, 5]
    assert [len(order) for order in orders["orders"]] == [12, 12]
    assert refused.status_code == 400
    assert (suspect["uid"], suspect["is_normal"], suspect["is_valid_order"]) == (
        "late-0", True, False,
    )  # fmt: skip
    assert ["kettle-on", "rinse-filter"] in suspect["reversed"]
    by_uid = {one["uid"]: one for one in everybody}
    assert by_uid["sample-coffee-b"]["reversed"] == [["rinse-filter", "add-coffee"]]
    beside = by_uid["sample-coffee-a"]
    assert beside["missing"] == ["rinse-filter"]
    assert [words[:23] for words in beside["unknown"]] == ["Tip out the cocoa powde"]


def test_one_page_has_graph_walk_truth_and_every_participant(sample, coffee, owner, owner_client):
    made = frozen_set(sample, owner)
    uploaded(made, owner, as_csv(made, baseline_values(made, 1)), name="Theirs")
    item = made.items.filter(source_recording="trace:sample-coffee-b").first()
    page = f"/benchmarks/sets/{made.public_id}/recordings/{item.recording}/"

    shown = owner_client.get(page).content.decode()
    linked = owner_client.get(f"/benchmarks/sets/{made.public_id}/items/{item.key}/")
    walk = owner_client.get(f"/benchmarks/walks/trace/{coffee.public_id}/").content.decode()

    assert "Done before 6, which must come first" in shown
    assert shown.count('<span class="dot">') == 12
    assert '<tr class="truth">' in shown
    for assessment in made.assessments.all():
        assert f">{assessment.name}</a>" in shown
    assert page in linked.content.decode()
    assert page in walk


def test_user_without_truth_sees_neither_graph_nor_claims(
    sample, owner, outsider, owner_client, outsider_client
):
    made = frozen_set(sample, owner)
    share_item_set(item_set=made, is_shared=True, actor=owner)
    item = made.items.filter(source_recording="trace:sample-coffee-b").first()
    page = f"/benchmarks/sets/{made.public_id}/recordings/{item.recording}/"

    shared = outsider_client.get(page).content.decode()
    Assessment.objects.create(item_set=made, kind="person", name="me", owner=owner, person=owner)
    answering = owner_client.get(page).content.decode()

    for shown in (shared, answering):
        assert item.key in shown
        for secret in ("sample-coffee-b", "which must come first", '<tr class="truth">',
                       "Always", "baseline"):  # fmt: skip
            assert secret not in shown


def test_outsiders_find_nothing_and_annotators_are_refused(
    sample, graph, coffee, owner, outsider_client, annotator_client
):
    made = frozen_set(sample, owner)
    recording = made.items.first().recording
    graphs = f"/benchmarks/graphs/{sample.public_id}/"
    pages = [
        graphs, f"{graphs}{graph.pk}/", f"{graphs}{graph.pk}/orders.csv", f"{graphs}walks/all.csv",
        f"/benchmarks/walks/trace/{coffee.public_id}/",
        f"/benchmarks/sets/{made.public_id}/recordings/{recording}/",
    ]  # fmt: skip

    for page in pages:
        assert outsider_client.get(page).status_code == 404
        assert annotator_client.get(page).status_code == 403


def test_pages_take_as_many_queries_for_many_recordings(sample, graph, coffee, owner, owner_client):
    made = frozen_set(sample, owner)
    item = made.items.filter(source_recording="trace:sample-coffee-b").first()
    pages = [
        f"/benchmarks/graphs/{sample.public_id}/",
        f"/benchmarks/graphs/{sample.public_id}/{graph.pk}/",
        f"/benchmarks/walks/trace/{coffee.public_id}/",
        f"/benchmarks/sets/{made.public_id}/recordings/{item.recording}/",
    ]

    def queries(address):
        with CaptureQueriesContext(connection) as caught:
            assert owner_client.get(address).status_code == 200
        return len(caught)

    def more(number):
        add_takes(sample, owner, number)
        uploaded(made, owner, as_csv(made, baseline_values(made)), name=f"Theirs {number}")
        return [queries(page) for page in pages]

    assert more(1) == more(3)


def test_claims_that_name_a_step_are_drawn_at_it_and_all_are_listed(sample, owner, owner_client):
    made = frozen_set(sample, owner, "step_localisation")
    item = made.items.get(source_recording="trace:sample-coffee-b")
    sure, unsure = (
        {"start_s": 1.0, "end_s": 3.0, "label": "bloom", "score": 0.9},
        {"start_s": 5.0, "end_s": 6.0, "label": "bloom", "score": 0.1},
    )
    values = {one.key: {"intervals": []} for one in made.items.all()}
    values[item.key] = {"intervals": [unsure, sure]}
    uploaded(made, owner, as_lines(values), "answers.jsonl", name="Finds the bloom")

    page = f"/benchmarks/sets/{made.public_id}/recordings/{item.recording}/"
    shown = owner_client.get(page).content.decode()

    assert "answered by Finds the bloom" in shown
    assert "said with score 0.9, 1.0 to 3.0 s" in shown
    assert "step 8 (score 0.9); step 8 (score 0.1)" in shown


def test_levels_of_frames_are_summed_up_by_their_highest():
    levels = [Claim(n, n + 1.0, f"level {n}", LEVEL, score=n / 4) for n in (1, 4, 2)]

    assert in_words(levels) == "highest at 4–5 s"
    assert [piece.height for piece in claim_pieces(levels, 10.0)] == ["2.50", "10.00", "5.00"]


@pytest.mark.parametrize(
    "task",
    sorted(name for name, task in tasks().items() if task.source == "dataset"),
)
def test_every_task_has_a_page_of_a_recording_with_truth_and_participants(
    sample, owner, owner_client, task
):
    made = frozen_set(sample, owner, task)
    item = made.test_items.exclude(moment_s=None).first() or made.test_items.first()

    page = f"/benchmarks/sets/{made.public_id}/recordings/{item.recording}/"
    shown = owner_client.get(page).content.decode()

    assert '<tr class="truth">' in shown
    assert shown.count('<tr class="baseline">') == made.assessments.count()
    assert "&#x27;" not in shown.partition('id="claims"')[2]
