"""Items that are shown with their truth before a question: never one that is asked about."""

from dataclasses import replace
from fractions import Fraction

import pytest
from django.core.exceptions import ValidationError
from django.core.management import call_command

from annotation.engine.corpus.procedure import Reading
from annotation.models import Dataset
from annotation.services.corpus.imports import ImportTarget, import_reading
from annotation.services.videos.linking import link_videos
from benchmarks.engine.division import Division, ExampleRecordings
from benchmarks.engine.error_classes import CORRECT
from benchmarks.models import Item, ItemSet
from benchmarks.services.asking_prices import asking_price
from benchmarks.services.assessments import AskRequest
from benchmarks.services.item_sets import OneOfSources
from generation.models import TextEndpoint
from sample.corpus import load_corpus
from tests.benchmarks.answering_server import AnsweringServer, pictures_of, words_of
from tests.benchmarks.asked import assessed, model, small_set, started
from tests.benchmarks.made import frozen, frozen_set, made_set
from tests.benchmarks.tasks.material import TAKE, TRACE
from tests.recordings import write_recording

pytestmark = pytest.mark.django_db(transaction=True)
FEW = "few-plain-name"
KEPT = ExampleRecordings(4)
PLANTED = "⟦the planted step⟧"


def asked_few(made, owner, **changes):
    """An assessment in a few-shot way, and the words of its requests."""
    with AnsweringServer(answers=lambda body: "correct") as server:
        endpoint = model(server, owner, name=f"Model {TextEndpoint.objects.count()}")
        done = assessed(made, endpoint, owner, variant=FEW, **changes)
        return done, [asked.body for asked in server.asked]


def test_kept_recordings_are_examples_and_all_others_are_asked_about(sample, owner):
    whole = made_set(sample, owner, "error_types")
    made = made_set(sample, owner, "error_types", division=KEPT)

    recordings = {
        part: {*made.items.filter(part=part).values_list("source_recording", flat=True)}
        for part in ("train", "test")
    }
    assert len(recordings["train"]) == KEPT.count
    assert not recordings["train"] & recordings["test"]
    assert made.items.count() == whole.items.count() == made.item_count + made.examples.count()
    assert made.division == {"example_recordings": 4}
    again = made_set(sample, owner, "error_types", name="Again", division=KEPT)
    other = made_set(sample, owner, "error_types", name="Other", division=KEPT, seed=1)
    assert again.content_hash == made.content_hash != other.content_hash


def test_every_item_gets_one_right_and_one_wrong_step_of_other_recordings(sample, owner):
    made = frozen_set(sample, owner, "error_types", division=KEPT)

    done, bodies = asked_few(made, owner, limit=40)

    by_key = {row.key: row for row in made.items.all()}
    drawn = set()
    asked_about = {*made.test_items.values_list("recording", flat=True)}
    assert len(bodies) > 30
    for answer in done.answers.select_related("item", "call"):
        first, second = (by_key[example["key"]] for example in answer.saw["examples"])
        drawn.add((first.key, second.key))
        assert first.truth["classes"] == [CORRECT]
        assert CORRECT not in second.truth["classes"]
        for row in (first, second):
            assert row.part == "train"
            assert row.recording not in asked_about
            assert row.take != answer.item.take
        words = answer.call.prompt
        assert f"What is right: {second.truth['answer']}" in words
        assert words.index("Example 1") < words.index("Example 2") < words.index("Now the question")
        assert words.rindex("The step of this clip") > words.index("Now the question")
    # The pair is another for each item, and the same whenever it is asked.
    assert len(drawn) > 5
    again, _ = asked_few(made, owner, limit=40)
    assert [row.saw["examples"] for row in again.answers.order_by("item")] == [
        row.saw["examples"] for row in done.answers.order_by("item")
    ]


def test_planted_examples_of_what_is_asked_are_never_shown(sample, owner):
    made = made_set(sample, owner, "error_types", division=KEPT)
    asked = made.test_items.order_by("position")
    train = list(made.items.filter(part="train").order_by("position"))
    # All but two steps to learn from are made a leak: of a recording that is asked about, or of the
    # take of every item.
    kept = [next(row for row in train if (row.truth["classes"] == [CORRECT]) is right)
            for right in (True, False)]  # fmt: skip
    takes = {*asked.values_list("take", flat=True)}
    asked.update(take="the take that is asked about")
    for number, row in enumerate(row for row in train if row not in kept):
        leak = {"own_payload": {**row.payload, "step": PLANTED}, "shared": None}
        if number % 2:
            leak["recording"] = asked[number % asked.count()].recording
        else:
            leak["take"] = "the take that is asked about"
        Item.objects.filter(pk=row.pk).update(**leak)
    frozen(made, owner)

    done, bodies = asked_few(made, owner, limit=30)

    assert len(takes) > 1
    assert len(bodies) > 20
    assert not [body for body in bodies if PLANTED in words_of(body)]
    keys = [[example["key"] for example in row.saw["examples"]] for row in done.answers.all()]
    assert keys == [[row.key for row in kept]] * 30


def test_without_examples_a_few_shot_way_is_neither_offered_nor_started(
    sample, owner, owner_client
):
    made = small_set(sample, owner, "error_types", item_count=4)
    with AnsweringServer() as server:
        endpoint = model(server, owner)
        page = owner_client.get(f"/benchmarks/sets/{made.public_id}/").content.decode()
        with pytest.raises(ValidationError, match="has no examples to show"):
            started(made, endpoint, owner, variant=FEW)

    assert "zero-shot, name only" in page
    assert "few-shot" not in page


def test_what_examples_lack_is_the_reason_of_a_failed_answer_and_of_a_missing_price(sample, owner):
    made = made_set(sample, owner, "error_types", division=KEPT)
    for row in made.items.filter(part="train"):
        row.truth = {"answer": CORRECT, "classes": [CORRECT]}
        row.save()
    frozen(made, owner)

    done, bodies = asked_few(made, owner, limit=3)

    reason = "no examples: no step of the recordings to learn from has a mistake"
    assert (bodies, {row.reason for row in done.answers.all()}) == ([], {reason})
    request = AskRequest(done.endpoint.public_id, variant=FEW, limit=3)
    with pytest.raises(ValidationError, match="no step of the recordings to learn from"):
        asking_price(item_set=made, request=request, actor=owner)


def test_examples_are_of_the_same_data_set(sample, owner):
    target = ImportTarget(name="Elsewhere", format="native", owner=owner, is_shared=False)
    reading = load_corpus()
    # Another data set of other takes: with the same ones, it would be the same recordings.
    renamed = {take.uid: f"other-{take.uid}" for take in reading.takes}
    takes = tuple(replace(take, uid=renamed[take.uid]) for take in reading.takes)
    traces = tuple(
        replace(trace, uid=f"other-{trace.uid}", take_uid=renamed[trace.take_uid])
        for trace in reading.traces
    )
    import_reading(replace(reading, takes=takes, traces=traces), target=target, actor=owner)
    second = Dataset.objects.get(name="Elsewhere")
    sources = [OneOfSources(sample.public_id), OneOfSources(second.public_id)]
    made = frozen_set(None, owner, "error_types", sources=sources, division=KEPT)

    done, _ = asked_few(made, owner, limit=30)

    of_key = dict(made.items.values_list("key", "groups"))
    pairs = {
        (of_key[row.item.key]["data set"], of_key[example["key"]]["data set"])
        for row in done.answers.select_related("item")
        for example in row.saw["examples"]
    }
    assert pairs == {("Everyday", "Everyday"), ("Elsewhere", "Elsewhere")}
    train = made.items.filter(part="train").values_list("recording", flat=True)
    assert len({*train}) == 2 * KEPT.count


def test_division_and_kept_recordings_exclude_each_other(sample, owner, owner_client):
    body = {
        "name": "Both", "task": "error_types", "source": sample.public_id, "example_recordings": 2,
        "division": {"unit": "recording", "shares": [0.5, 0, 0.5]},
    }  # fmt: skip
    refused = owner_client.post("/api/v1/item-sets/", body, content_type="application/json")
    del body["division"]
    taken = owner_client.post("/api/v1/item-sets/", body, content_type="application/json")
    form = {
        "name": "Form", "source": sample.public_id, "seed": 0, "unit": "recording",
        "example_recordings": 2, "setting_answers": "names", "setting_unnamed": "left out",
        "setting_untimed": "left out",
    }  # fmt: skip
    page = owner_client.post("/benchmarks/new/error_types/", form)
    options = {"example_recordings": 3, "queue": True}
    call_command("benchmark", "make", "error_types", sample.name, name="By command", **options)

    assert (refused.status_code, taken.status_code) == (400, 201)
    assert "There is a division too" in refused.content.decode()
    assert taken.json()["division"] == {"example_recordings": 2}
    assert "There are parts already: they have examples." in page.content.decode()
    assert ItemSet.objects.get(name="By command").division == {"example_recordings": 3}
    with pytest.raises(ValidationError, match="so that none of it would be asked about"):
        made_set(sample, owner, "error_types", name="All", division=ExampleRecordings(1000))


@pytest.fixture
def filmed(owner, tmp_path, media):
    """Return a data set of four recordings of one procedure, each with a video."""
    folder = tmp_path / "recordings"
    folder.mkdir()
    recipe = {"rate": Fraction(10), "frame_count": 120, "group": 20, "sound": None}
    traces = []
    for number in range(4):
        write_recording(folder / f"tea-{number}.mp4", **recipe)
        traces.append(replace(TRACE, uid=f"tea-{number}", video_stem=f"tea-{number}"))
    target = ImportTarget(name="Tea", format="native", owner=owner, is_shared=False)
    import_reading(Reading(takes=(TAKE,), traces=tuple(traces)), target=target, actor=owner)
    dataset = Dataset.objects.get()
    link_videos(dataset=dataset, folder=str(folder), pattern="{stem}.mp4")
    return dataset


def test_pictures_of_examples_are_sent_first_and_shown_on_the_page(filmed, owner, owner_client):
    division = Division("recording", (0.5, 0.0, 0.5))
    made = frozen_set(filmed, owner, "error_types", division=division)
    with AnsweringServer(answers=lambda body: "correct") as server:
        endpoint = model(server, owner, supports_images=True)
        done = assessed(made, endpoint, owner, variant=FEW, pictures=2, limit=1)
        [asked] = server.asked
        request = AskRequest(endpoint.public_id, variant=FEW, pictures=2, limit=1)
        price = asking_price(item_set=made, request=request, actor=owner)

    [answer] = done.answers.all()
    assert len(pictures_of(asked.body)) == 6
    assert price.usd > 6 * 1000 * endpoint.price_in / 1_000_000
    captions = [image["caption"].partition(",")[0] for image in answer.call.images]
    assert captions == ["Example 1", "Example 1", "Example 2", "Example 2",
                        "Picture 1 of 2", "Picture 2 of 2"]  # fmt: skip
    page = owner_client.get(f"/benchmarks/sets/{made.public_id}/items/{answer.item.key}/")
    words = page.content.decode()
    assert "after 2 examples" in words
    for example in answer.saw["examples"]:
        assert f"/items/{example['key']}/" in words
    address = f"/benchmarks/assessments/{done.public_id}/asked/{answer.item.key}/0"
    shown = [owner_client.get(f"{address}/{number}.jpg") for number in range(7)]
    assert [one.status_code for one in shown] == [200] * 6 + [404]
