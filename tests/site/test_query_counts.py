"""How many queries each address takes: in a large world as in a small one few.

Every route of the URL conf that answers a GET is asked, a new one too; what it costs in time is
measured by `bench.addresses`.
"""

from contextlib import contextmanager
from unittest.mock import patch

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from annotation.analytics.pictures import canvas
from annotation.engine.campaigns.people_questions import PeopleQuestion
from annotation.engine.rubric.rubric import Metric
from annotation.models import Dataset, Phase, ProtocolFile, Role
from annotation.services.campaigns.campaigns import (
    NewCampaign,
    add_datasets,
    add_raters,
    create_campaign,
)
from annotation.services.campaigns.people_questions import set_people_questions
from annotation.services.campaigns.protocol import (
    file_protocol_now,
    set_analysis_plan,
    set_consent_text,
)
from annotation.services.corpus.imports import ImportTarget, import_reading
from bench.addresses_walk import chosen_ids, entered, forget_answers, get_routes, highest_keys
from bench.addresses_world import WorldSize, make_world
from benchmarks.services.item_sets import OneOfSources
from benchmarks.services.judging import name_judges
from generation.engine.run_options import ClipOptions, RunOptions
from generation.engine.stages import Stage
from generation.services.run_work import work_on_takes
from generation.services.runs import create_run
from sample.corpus import load_corpus
from tests.annotation.drawn import draw_all
from tests.benchmarks.made import as_csv, baseline_values, frozen, made_set, uploaded
from tests.benchmarks.training.planted import divided_set, planted, trained
from tests.factories import DatasetFactory, UserFactory
from tests.generation.tea import add_take, request_for
from tests.generation.text_endpoints import make_endpoint
from tests.generation.video_endpoints import make_video_endpoint
from tests.site.furnished import KINDS, addresses_of, furnish, judged_set, kind_of

pytestmark = pytest.mark.django_db

MOST_QUERIES = 15
ADDRESSES = 3
SMALL = WorldSize(takes=4, ratings=200, campaigns=3, raters=6, steps_per_take=6)
LARGE = WorldSize(takes=12, ratings=1_000, campaigns=9, raters=12, steps_per_take=12)


@contextmanager
def world(size):
    """Make the world and take it back; clients of who sees something, and what addresses name."""
    with transaction.atomic():
        owner = UserFactory(username="owner", role=Role.RESEARCHER)
        make_world(size, owner)
        large = highest_keys()
        house = furnish(owner)
        administrator = UserFactory(role=Role.ADMINISTRATOR)
        yield entered([administrator, owner, *house.people]), chosen_ids(large)
        transaction.set_rollback(True)


def counts_of(clients, ids, routes=None, most=ADDRESSES):
    """The most queries that an address of each route takes, asked a second time.

    The first time something may be computed and stored; what a process keeps in its memory does
    not count, for the next one has not. No answer draws a picture; a worker has to do that.
    """
    counts = {}
    for route in routes or get_routes():
        for address in addresses_of(route, ids, most):
            for client in clients:
                with patch.object(canvas, "_drawn", side_effect=AssertionError(address)):
                    status = client.get(address).status_code
                if status in (202, 302) and draw_all():
                    status = client.get(address).status_code
                if status != 200:
                    continue
                forget_answers()
                with CaptureQueriesContext(connection) as queries:
                    b"".join(client.get(address))
                counts[route] = max(counts.get(route, 0), len(queries))
                break
    return counts


def test_no_address_takes_more_queries_where_there_is_more(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path / "media"
    with world(SMALL) as (clients, ids):
        small = counts_of(clients, ids)
    with world(LARGE) as (clients, ids):
        large = counts_of(clients, ids)

    over = {
        route: (small.get(route), count) for route, count in large.items() if count > MOST_QUERIES
    }
    assert small.keys() == large.keys()
    assert len(large) > 150
    assert over == {}
    assert {route: count for route, count in small.items() if count > MOST_QUERIES} == {}


def rare_things(owner):
    """What few owners have, by the model that addresses name, and the keys of items."""
    datasets = []
    for name in ("Everyday", "Elsewhere"):
        target = ImportTarget(name=name, format="native", owner=owner, is_shared=False)
        import_reading(load_corpus(), target=target, actor=owner)
        datasets.append(Dataset.objects.get(name=name))
    sources = [OneOfSources(dataset.public_id) for dataset in datasets]
    mixed = frozen(made_set(None, owner, sources=sources), owner)
    judged = judged_set(datasets[0], owner)
    judges = [
        make_endpoint(owner=owner, name=f"Judge {n}", model_name=f"judge-{n}", is_shared=True)
        for n in range(2)
    ]
    name_judges(item_set=judged, judges=[judge.public_id for judge in judges], actor=owner)
    divided = divided_set(datasets[1], owner)
    features = [planted(divided, owner, name=name) for name in ("First", "Second")]
    sets = [mixed, judged, divided]
    answered = [
        uploaded(item_set, owner, as_csv(item_set, baseline_values(item_set))) for item_set in sets
    ]
    training = trained(divided, features[:1], owner, epochs=1, seeds=2)
    tea = DatasetFactory(name="Tea of clips", owner=owner)
    for number in range(3):
        add_take(tea, f"tea-{number}")
    maker = make_video_endpoint(owner=owner, name="Maker")
    options = RunOptions(clips=ClipOptions(maker=maker.public_id)).to_dict()
    request = request_for(tea, stages=list(Stage), options=options)
    run = create_run(request=request, actor=owner).run
    work_on_takes(job_ids=[take.job_id for take in run.run_takes.all()])
    draft, planned = (
        create_campaign(new=NewCampaign(name, phase=phase), actor=owner)
        for name, phase in (("Draft", None), ("Planned", Phase.PILOT))
    )
    for campaign in (draft, planned):
        add_datasets(campaign=campaign, datasets=datasets, actor=owner)
        add_raters(campaign=campaign, raters=UserFactory.create_batch(4), actor=owner)
    set_consent_text(campaign=planned, text="x", actor=owner)
    set_people_questions(campaign=planned, questions=[PeopleQuestion("x")], actor=owner)
    set_analysis_plan(
        campaign=planned, actor=owner, metrics=[Metric.CONFUSABILITY],
        comparisons=[("Everyday", "Elsewhere")], hypotheses="x", exclusions="x",
    )  # fmt: skip
    file_protocol_now(campaign=planned, actor=owner)
    return {
        "benchmarks.ItemSet": [item_set.public_id for item_set in sets],
        "benchmarks.Assessment": [row.public_id for row in (*answered, training)],
        "generation.Run": [run.public_id],
        "annotation.Campaign": [draft.public_id, planned.public_id],
        "items": [mixed.items.first().key, judged.items.first().key, divided.items.first().key],
    }


def test_rare_things_take_no_more_queries(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path / "media"
    owner = UserFactory(username="owner", role=Role.RESEARCHER)
    rare = rare_things(owner)
    ids = {model: rare.get(model, []) for model in (*KINDS.values(), "items", "clips")}
    ids["annotation.ProtocolFile"] = [ProtocolFile.objects.get().public_id]
    routes = [route for route in get_routes() if rare.get(kind_of(route))]

    counts = counts_of(entered([owner]), ids, routes, most=40)

    over = {route: count for route, count in counts.items() if count > MOST_QUERIES}
    assert {kind_of(route) for route in counts} >= set(rare) - {"items"}
    assert over == {}
