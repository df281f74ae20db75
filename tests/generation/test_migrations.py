"""What migrations do to rows that are kept."""

import importlib
from decimal import Decimal

import pytest
from django.apps import apps
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from benchmarks.models import AgentAttempt, AgentCall
from generation.models import ClipCall, PayerSum, VideoEndpoint
from tests.generation.video_endpoints import make_video_endpoint
from tests.migrated import copy_tables

pytestmark = pytest.mark.django_db
QUESTION = {
    "prompt": "A hand drops a cup. Same camera.",
    "duration_s": 4,
    "anchors": {"first": "0" * 64},
    "parameters": {"size": "1280x720", "width": 1280, "height": 720, "sample": 0},
}


# Of that question to a server of one's own, as it always was.
KEY = "6b15922243a3ff42780591577e3a537a79e6c43987e9cae96d9b53dc62656210"


def test_recorded_clips_of_sora_are_reused():
    kept = make_video_endpoint(
        "https://own.example/v1", "openai_videos", model_name="film", lengths="", sizes=""
    )
    VideoEndpoint.objects.update(provider="sora")
    call = ClipCall.objects.create(
        key="as it was", provider="sora", base_url=kept.base_url, model_name="film", **QUESTION
    )
    other = ClipCall.objects.create(key="another", provider="runway", **QUESTION)

    migration = importlib.import_module("generation.migrations.0014_video_models_as_they_are")
    migration.rename_sora(apps, None)

    kept.refresh_from_db()
    call.refresh_from_db()
    other.refresh_from_db()
    assert (kept.provider, kept.fault) == ("openai_videos", "")
    assert (call.provider, call.key) == ("openai_videos", KEY)
    assert (other.provider, other.key) == ("runway", "another")


def moved_to(name):
    """Bring the database to a migration of generation; return the models as they are then."""
    executor = MigrationExecutor(connection)
    executor.migrate([("generation", name)])
    # What stands above generation went back with it.
    moved = {"generation", "benchmarks"}
    leaves = [leaf for leaf in executor.loader.graph.leaf_nodes() if leaf[0] not in moved]
    return MigrationExecutor(connection).loader.project_state([*leaves, ("generation", name)]).apps


@pytest.fixture
def before(transactional_db):
    """The models of the release before calls had payers; afterwards all is as it is now."""
    yield moved_to("0015_who_asks")
    copy_tables()


TIMES = dict.fromkeys(("started_at", "lease_until", "ended_at"), "2026-01-01T00:00Z")


def run_before(models):
    """A run of that release with two takes: texts, one of them read by the other, and a clip."""
    get = models.get_model
    dataset = get("annotation", "Dataset").objects.create(name="Tea", format="native")
    run = get("generation", "Run").objects.create(
        name="R", dataset=dataset, profile_name="p", profile={}, seed=1, stages=["write"]
    )
    takes = []
    stops = ["the budget is $1.00, and that is spent.", "its owner may not use Big any more."]
    for position, stop in enumerate(stops):
        name = f"take-{position}"
        take = get("annotation", "Take").objects.create(dataset=dataset, uid=name, name=name)
        job = get("annotation", "Job").objects.create(
            kind="k", key=name, payload={}, status="failed", error=f"The run was stopped: {stop}"
        )
        takes.append(
            get("generation", "RunTake").objects.create(
                run=run, take=take, job=job, position=position
            )
        )
    text = get("generation", "TextCall").objects
    answered = text.create(
        key="a", run_take=takes[0], status="unusable", error_kind="NotJsonError", price="0.25"
    )
    failed = text.create(key="b", run_take=takes[0], status="failed", error_kind="NoSuchError")
    for call, outcome in (
        (answered, "RateLimitedError"),
        (answered, "lost"),
        (answered, "NotJsonError"),
        (failed, "NoAnswerInTimeError"),
    ):
        get("generation", "TextAttempt").objects.create(
            call=call, outcome=outcome, reserved_price="0.5", **TIMES
        )
    get("generation", "TextUse").objects.create(call=answered, run_take=takes[1])
    clip = get("generation", "ClipCall").objects.create(
        key="c", run_take=takes[0], status="made", path="x", duration_s=4
    )
    get("generation", "ClipAttempt").objects.create(
        call=clip, run_take=takes[0], outcome="made", price="0.4", reserved_price="0.4", **TIMES
    )
    return run


def rows(models, name, *columns):
    return list(models.get_model("generation", name).objects.order_by("pk").values_list(*columns))


def as_before(models):
    return {
        "calls": rows(models, "TextCall", "run_take__position", "error_kind"),
        "attempts": rows(models, "TextAttempt", "outcome"),
        "uses": rows(models, "TextUse", "run_take__position"),
        "clips": rows(models, "ClipAttempt", "run_take__position", "outcome"),
    }


@pytest.mark.django_db(transaction=True)
def test_payers_prices_and_outcomes_are_carried_over_and_back(before):
    key = f"run:{run_before(before).public_id}"
    old = as_before(before)

    now = moved_to("0018_outcomes_of_calls")
    carried = {
        "calls": rows(now, "TextCall", "payer", "part", "error_kind"),
        "attempts": rows(now, "TextAttempt", "payer", "outcome", "price", "is_free"),
        "uses": rows(now, "TextUse", "payer", "part"),
        "clip": rows(now, "ClipCall", "payer", "part", "price"),
        "order": rows(now, "ClipAttempt", "payer", "outcome"),
        "stops": rows(now, "RunTake", "stop_reason", "stop_words"),
    }
    back = as_before(moved_to("0015_who_asks"))

    assert carried == {
        "calls": [(key, 0, "not_json"), (key, 0, "fault")],
        "attempts": [
            (key, "rate_limited", None, True),
            (key, "lost", None, False),
            (key, "not_json", Decimal("0.25"), False),
            (key, "timed_out", None, False),
        ],
        "uses": [(key, 1)],
        "clip": [(key, 0, Decimal("0.4"))],
        "order": [(key, "answered")],
        "stops": [
            ("budget_spent", "The budget is $1.00, and that is spent."),
            ("not_allowed", "Its owner may not use Big any more."),
        ],
    }
    # A name that no exception has is a fault from then on.
    assert back == {**old, "calls": [old["calls"][0], (0, "fault")]}


@pytest.mark.django_db(transaction=True)
def test_sums_of_payers_are_filled_from_attempts_of_every_kind(transactional_db):
    models = moved_to("0020_sense_of_judgements")
    text = models.get_model("generation", "TextCall").objects.create(key="a")
    clip = models.get_model("generation", "ClipCall").objects.create(key="c", duration_s=4)
    attempts = models.get_model("generation", "TextAttempt").objects
    # Known; only reserved; free after all; of nobody; of somebody else, unpriced.
    for payer, columns in (
        ("run:a", {"price": "0.00000003", "reserved_price": "0.5"}),
        ("run:a", {"reserved_price": "0.1"}),
        ("run:a", {"reserved_price": "0.5", "is_free": True}),
        ("", {"price": "0.5"}),
        ("run:b", {}),
    ):
        attempts.create(call=text, payer=payer, **columns, **TIMES)
    orders = models.get_model("generation", "ClipAttempt").objects
    orders.create(call=clip, payer="run:a", price="0.4", reserved_price="0.3", **TIMES)

    now = moved_to("0022_fill_payer_sums")
    sums = rows(now, "PayerSum", "payer", "units")
    copy_tables()

    assert sums == [("run:a", 50_000_003)]


def test_sums_of_payers_get_the_calls_of_agents_and_lose_them_again():
    call = AgentCall.objects.create(key="a")
    AgentAttempt.objects.create(call=call, payer="agent:a", price="0.25", **TIMES)
    AgentAttempt.objects.create(call=call, payer="run:a", reserved_price="0.00000001", **TIMES)
    PayerSum.objects.create(payer="run:a", units=7)
    migration = importlib.import_module("benchmarks.migrations.0034_fill_payer_sums")

    sums = []
    for statement in (migration.ADD, migration.SUBTRACT):
        with connection.cursor() as cursor:
            cursor.execute(statement)
        sums.append(dict(PayerSum.objects.values_list("payer", "units")))

    assert sums == [{"run:a": 8, "agent:a": 25_000_000}, {"run:a": 7, "agent:a": 0}]
