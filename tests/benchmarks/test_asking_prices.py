"""Before a model is asked: what it would cost, and asking about a sample only."""

from decimal import Decimal

import pytest

from benchmarks.engine.guiding.plan_state import PREDICTED
from benchmarks.engine.registry import tasks
from benchmarks.forms.item_sets import ItemSetForm
from benchmarks.selectors.assessments import sampled, spending_on, status_counts
from benchmarks.selectors.pages import progress_of
from benchmarks.selectors.tables import table_of
from benchmarks.services.asking_prices import asking_price
from benchmarks.services.assessments import AskRequest
from generation.backends.text.model import ImageDetail
from generation.models import TextCall
from generation.selectors.texts.calls import TOKENS_PER_IMAGE
from tests.benchmarks.answering_server import AnsweringServer, words_of
from tests.benchmarks.asked import assessed, model, small_set
from tests.benchmarks.made import frozen_set
from tests.benchmarks.sample_answers import answer_of
from tests.factories import VideoFactory
from tests.generation.text_endpoints import make_endpoint

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize("limit", [None, 3])
def test_price_is_said_before_anything_is_sent_and_is_not_exceeded(
    sample, owner, owner_client, limit
):
    made = small_set(sample, owner, item_count=8)
    api = f"/api/v1/item-sets/{made.public_id}/ask/"
    with AnsweringServer(answers=answer_of) as server:
        endpoint = model(server, owner)
        body = {"endpoint": endpoint.public_id, "repeats": 2, "limit": limit}
        price = owner_client.post(f"{api}price/", body, "application/json").json()
        sent = {f"ask-{name}": value for name, value in body.items() if value}
        form = {"ask-pictures": 0, "ask-picture_side": 768, "ask-picture_detail": "low", **sent}
        page = owner_client.post(f"/benchmarks/sets/{made.public_id}/ask/price/", form)
        before = (
            len(server.asked),
            TextCall.objects.count(),
            made.assessments.filter(kind="endpoint"),
        )
        assert (before[0], before[1], before[2].exists()) == (0, 0, False)
        done = assessed(made, endpoint, owner, repeats=2, limit=limit)

    assert (price["item_count"], price["request_count"]) == (limit or 8, 2 * (limit or 8))
    assert page.status_code == 200
    words = f"{price['request_count']} requests about {limit or 8} items, at most about $"
    assert words in page.content.decode()
    assert 0 < spending_on(done).price <= Decimal(str(price["usd"]))


def test_unknown_prices_and_wrong_requests_are_said(sample, owner, owner_client):
    made = small_set(sample, owner, item_count=2)
    free = make_endpoint(name="Free", owner=owner, price_in=None, price_out=None)
    api = f"/api/v1/item-sets/{made.public_id}/ask/price/"

    price = owner_client.post(api, {"endpoint": free.public_id}, "application/json").json()
    wrong = owner_client.post(api, {"endpoint": free.public_id, "limit": 0}, "application/json")

    assert price["usd"] is None
    assert wrong.json()["limit"] == ["Ensure this value is greater than or equal to 1."]


def test_a_sample_is_the_same_for_everybody_and_is_never_bold(sample, owner):
    made = small_set(sample, owner, item_count=10)
    with AnsweringServer(answers=answer_of) as server:
        endpoint = model(server, owner)
        runs = [assessed(made, endpoint, owner, limit=4) for _ in range(2)]
        whole = assessed(made, endpoint, owner)
        # What was asked before is not paid for again.
        assert len(server.asked) == len({words_of(asked.body) for asked in server.asked})

    asked = [set(run.answers.values_list("item__key", flat=True)) for run in (*runs, whole)]
    assert asked[0] == asked[1] < asked[2]
    assert [len(keys) for keys in asked] == [4, 4, 10]
    progress = progress_of(runs[0], status_counts(runs[0]))
    assert (progress.asked_count, progress.done_count) == (4, 4)
    rows = {str(row.label.value): row for row in table_of(made).rows()}
    assert not rows["Asked"].is_compared
    assert rows["Asked (run 3)"].is_compared
    assert "asked about a sample of 4 items" in rows["Asked"].label.notes[0]


def test_a_sample_of_sequences_has_whole_ones(sample, owner):
    made = small_set(sample, owner, "speak_or_stay_silent", item_count=40)

    units = list(sampled(made, 1))

    assert len(units) == 1
    [sequence] = {item.sequence for item in units[0]}
    assert len(units[0]) == made.items.filter(sequence=sequence).count() > 1


@pytest.mark.parametrize(
    ("shares", "words"),
    [("50, 0, 50", ""), ("", ""), ("50, 25, 20", "add up to 100"), ("a, b, c", "three numbers")],
)
def test_shares_of_the_parts_are_chosen_on_the_page(sample, owner, shares, words):
    fields = {"name": "Parts", "source": sample.public_id, "seed": 0, "unit": "take"}
    task = tasks()["step_mistakes"]
    settings = {f"setting_{setting.name}": setting.default for setting in task.settings}
    form = ItemSetForm({**fields, "shares": shares, **settings}, user=owner, task=task)

    assert form.is_valid() == (not words), form.errors
    if words:
        assert words in str(form.errors["shares"])
    else:
        expected = (0.5, 0.0, 0.5) if shares else (0.6, 0.2, 0.2)
        assert form.to_request().division.shares == expected


def test_price_has_each_judge_on_top_and_is_not_exceeded(sample, owner, owner_client):
    made = small_set(sample, owner, "describe_mistake", item_count=4)
    api = f"/api/v1/item-sets/{made.public_id}/ask/price/"
    with AnsweringServer(answers=answer_of) as server:
        endpoint = model(server, owner)
        judge = model(server, owner, name="Judge", model_name="judge")
        free = model(server, owner, name="Free", price_in=None, price_out=None)
        judges = [judge.public_id, free.public_id]
        body = {"endpoint": endpoint.public_id, "repeats": 2, "judges": judges}
        price = owner_client.post(api, body, "application/json").json()
        alone = {**body, "judges": []}
        without = owner_client.post(api, alone, "application/json").json()
        assert TextCall.objects.count() == 0
        done = assessed(made, endpoint, owner, repeats=2, judges=judges[:1])
    request = AskRequest(endpoint.public_id, repeats=2, judges=judges)
    words = asking_price(item_set=made, request=request, actor=owner).words

    assert price["usd"] == without["usd"]
    assert without["judges"] == []
    assert [(one["name"], one["request_count"]) for one in price["judges"]] == [
        ("Judge (judge)", 8),
        (f"Free ({free.model_name})", 8),
    ]
    assert price["judges"][1]["usd"] is None
    whole = price["usd"] + price["judges"][0]["usd"]
    assert done.answers.exclude(judged={}).count() == 8
    assert 0 < float(spending_on(done).price) <= whole
    assert "Judges come on top: Judge (judge): 8 grades about 4 items, at most about $" in words
    assert (
        f"Together at most about ${whole:.4f}, without those whose prices are not known." in words
    )


@pytest.mark.parametrize("task", ["guide", "guide_freely", "describe_mistake"])
def test_price_of_judges_is_known_before_there_are_answers_of_any_shape(sample, owner, task):
    made = frozen_set(sample, owner, task)
    endpoint = make_endpoint("http://127.0.0.1:9", owner=owner)
    request = AskRequest(endpoint.public_id, judges=[endpoint.public_id])

    [judge] = asking_price(item_set=made, request=request, actor=owner).judges

    assert judge.usd > 0
    assert judge.request_count >= judge.item_count == made.item_count


def test_judges_that_are_not_open_have_no_price(sample, owner, owner_client):
    made = small_set(sample, owner, "describe_mistake", item_count=2)
    api = f"/api/v1/item-sets/{made.public_id}/ask/price/"
    endpoint = make_endpoint(name="Model", owner=owner)

    body = {"endpoint": endpoint.public_id, "judges": ["none-such"]}
    wrong = owner_client.post(api, body, "application/json")

    assert wrong.status_code == 400
    assert "judges" in wrong.json()


@pytest.mark.parametrize(
    ("task", "pictures"), [("guide", 15), ("guide_freely", 15), ("step_mistakes", 1)]
)
def test_price_of_an_assistant_counts_the_pictures_of_all_clips(sample, owner, task, pictures):
    made = frozen_set(sample, owner, task)
    endpoint = make_endpoint(owner=owner, supports_images=True, price_in=10, price_out=0)

    def usd(count):
        request = AskRequest(endpoint=endpoint.public_id, pictures=count, limit=2)
        return asking_price(item_set=made, request=request, actor=owner).usd

    without = usd(0)
    made.items.update(video=VideoFactory(dataset=sample))
    price = asking_price(
        item_set=made, request=AskRequest(endpoint.public_id, pictures=1, limit=2), actor=owner
    )
    each = 10 * Decimal(TOKENS_PER_IMAGE[ImageDetail.LOW]) / 1_000_000
    assert price.usd - without == pytest.approx(price.request_count * pictures * each)
    assert usd(0) == without


def test_price_says_that_a_planner_comes_on_top(sample, owner):
    made = frozen_set(sample, owner, "guide_freely", settings={"plan": PREDICTED})
    endpoint = make_endpoint(owner=owner)

    price = asking_price(item_set=made, request=AskRequest(endpoint.public_id), actor=owner)

    assert price.words.endswith("What the planner is asked comes on top.")
