"""Free-running speech through the frame: files, a model, a person, prices, pages and the API."""

import json
from collections import Counter

import pytest
from django.core.exceptions import ValidationError
from django.http import Http404
from django.urls import reverse

from annotation.engine.corpus.procedure import Reading
from annotation.engine.exceptions import NotNowError
from annotation.models import Dataset
from annotation.services.corpus.imports import ImportTarget, import_reading
from benchmarks.engine.measures.free_running import WINDOWS
from benchmarks.selectors.asked import asked_lines
from benchmarks.selectors.assessments import spending_on
from benchmarks.selectors.reports import details_of
from benchmarks.services.answering import answer_item, finish_answering, start_answering
from benchmarks.services.asking_prices import asking_price
from benchmarks.services.assessment_work import work_on_assessments
from benchmarks.services.assessments import AskRequest, reask_failed, resume_assessment
from benchmarks.services.live import LiveRequest, start_live
from tests.benchmarks.answering_server import AnsweringServer, words_of
from tests.benchmarks.asked import assessed, model, read_again
from tests.benchmarks.made import (
    as_csv,
    as_lines,
    baseline_values,
    figures_of,
    frozen_set,
    uploaded,
)
from tests.benchmarks.services.test_spy import filmed  # noqa: F401
from tests.benchmarks.tasks.material import TAKE, TRACE
from tests.fakes.openai_server import OpenAiServer

pytestmark = pytest.mark.django_db(transaction=True)
GRID = 25


@pytest.fixture
def tea(owner):
    """Return a frozen set of one recording of 12 s: due are 0, 4, 6 and 10 s."""
    target = ImportTarget(name="Tea", format="native", owner=owner, is_shared=False)
    import_reading(Reading(takes=(TAKE,), traces=(TRACE,)), target=target, actor=owner)
    return frozen_set(Dataset.objects.get(), owner, "guide_freely")


def test_files_score_as_the_baselines_and_pages_open(tea, owner, owner_client):
    made = tea
    for place, baseline in enumerate(made.assessments.order_by("pk")):
        values = baseline_values(made, place)
        from_csv = uploaded(made, owner, as_csv(made, values), name=f"csv {place}")
        from_lines = uploaded(made, owner, as_lines(values), "a.jsonl", name=f"lines {place}")
        assert figures_of(from_csv) == figures_of(from_lines) == figures_of(baseline)
    [windows] = details_of(from_csv)
    item = made.items.first()
    for address in (
        reverse("item-set", args=[made.public_id]),
        reverse("item", args=[made.public_id, item.key]),
        reverse("item-set-recording", args=[made.public_id, item.recording]),
        reverse("assessment", args=[from_csv.public_id]),
    ):
        page = owner_client.get(address)
        assert page.status_code == 200, address
        assert "Let an assistant watch" not in page.content.decode()
    assert len(list(windows.rows())) == len(WINDOWS)
    assert made.assessments.count() == 12


def scripted(body):
    now_s = words_of(body).partition("It is ")[2].partition(" s into")[0]
    words = {"0.0": "Boil water.", "4.5": "Stop.", "6.0": "Well:", "11.0": "Stop."}.get(now_s)
    return f"$interrupt${words}" if words else "$silent$"


# Spoken at 0, 4.5, 6 and 11 s where 0, 4, 6 and 10 s are due; the fourth repeats the second.
def test_a_model_is_watched_from_start_to_end_and_all_its_requests_can_be_read(
    tea, owner, owner_client
):
    with AnsweringServer(answers=scripted) as server:
        endpoint = model(server, owner)
        price = asking_price(
            item_set=tea, request=AskRequest(endpoint=endpoint.public_id), actor=owner
        )
        done = assessed(tea, endpoint, owner)

    assert (price.item_count, price.request_count) == (1, GRID) == (1, len(server.asked))
    [answer] = done.answers.all()
    assert [one["time_s"] for one in answer.value["said"]] == [0.0, 4.5, 6.0, 11.0]
    figures = {key: value for key, (value, _, _) in figures_of(done).items()}
    assert figures == {
        "free_precision": 1.0, "free_recall": 1.0, "free_f1": 1.0, "free_recall_of_all": 1.0,
        "free_f1_of_all": 1.0, "onset_recall": 1.0, "onset_recall_of_all": 1.0, "repeated": 0.25,
        "per_minute": 20.0, "undecided": 0.0,
    }  # fmt: skip
    [line] = map(json.loads, asked_lines(done))
    prompts = [stage["prompt"] for stage in line["stages"]] + [line["prompt"]]
    assert len(prompts) == GRID
    for number, words in enumerate(prompts):
        assert f"It is {0.5 * number:.1f} s into" in words
    assert {stage["role"] for stage in line["stages"]} == {""}
    item = tea.items.get()
    page = owner_client.get(reverse("item", args=[tea.public_id, item.key])).content.decode()
    assert "4.5 s: Stop." in page


def test_who_meets_the_budget_goes_on_and_nothing_is_paid_twice(tea, owner):
    with AnsweringServer(answers=scripted) as server:
        cost = float(spending_on(assessed(tea, model(server, owner), owner)).price)
        other = model(server, owner, name="Other", model_name="other")
        request = AskRequest(endpoint=other.public_id)
        highest = float(asking_price(item_set=tea, request=request, actor=owner).usd)
        # Half of what it takes, and room for the next reply, which may be long.
        poor = assessed(tea, other, owner, budget_usd=highest / GRID + cost / 2)
        asked = len(server.asked)
        assert (poor.job.stop_reason, poor.answers.count()) == ("budget_spent", 0)
        work_on_assessments(
            job_ids=resume_assessment(assessment=poor, actor=owner, budget_usd=highest)
        )

    assert GRID < asked < 2 * GRID
    assert len(server.asked) == 2 * GRID
    assert set(Counter(server.paid).values()) == {2}
    assert read_again(poor).answers.get().status == "read"
    assert float(spending_on(poor).price) == pytest.approx(cost)


def test_a_server_that_fails_once_leaves_no_answer_and_is_asked_again(tea, owner):
    silent = {"do": "answer", "text": "$silent$"}
    with OpenAiServer(acts=[silent, silent, {"do": "reject"}, silent]) as server:
        done = assessed(tea, model(server, owner), owner)
        failed = done.answers.get()
        assert (failed.status, failed.value, len(server.asked)) == ("failed", None, 3)
        work_on_assessments(job_ids=reask_failed(assessment=done, actor=owner))

    assert done.answers.get().value["said"] == []
    # The two replies that came are read from the record.
    assert len(server.asked) == 3 + GRID - 2


def test_an_answer_of_a_person_is_final_once_it_is_given(tea, owner, annotator, client):
    own = start_answering(item_set=tea, person=annotator, actor=owner)
    item = tea.items.get()
    address = reverse("answering", args=[own.public_id])
    client.force_login(annotator)

    with pytest.raises(ValidationError, match="each moment once"):
        answer_item(
            assessment=own, key=item.key,
            fields={"said": [{"time_s": 1, "text": "a"}, {"time_s": 1, "text": "b"}]},
        )  # fmt: skip
    wrong = client.post(address, {"item": item.key, "said": "4 Stop."})
    sent = client.post(address, {"item": item.key, "said": "10.2, Done, at last.\n\n4, Stop."})
    with pytest.raises(NotNowError, match="the answer is final"):
        answer_item(assessment=own, key=item.key, fields={"said": []})
    again = client.get(f"{address}?item={item.key}").content.decode()
    finish_answering(assessment=own)

    assert "time_s is" in wrong.content.decode()
    assert sent.status_code == 302
    assert own.answers.get().value == {
        "said": [{"time_s": 4.0, "text": "Stop."}, {"time_s": 10.2, "text": "Done, at last."}]
    }
    assert "4 s: Stop.; 10.2 s: Done, at last." in again
    assert 'name="said"' not in again
    assert figures_of(own)["free_recall"][0] == 0.5


def test_over_the_api_a_person_gives_moments_with_words(tea, owner, annotator, client):
    own = start_answering(item_set=tea, person=annotator, actor=owner)
    client.force_login(annotator)
    body = {"key": tea.items.get().key, "said": [{"time_s": 4, "text": "Stop."}]}

    answer = client.post(f"/api/v1/assessments/{own.public_id}/items/", body, "application/json")

    assert answer.status_code == 200
    assert answer.json()["value"] == {"said": [{"time_s": 4.0, "text": "Stop."}]}


def test_it_is_no_set_to_watch_live(tea, owner):
    with AnsweringServer(answers=scripted) as server:
        request = LiveRequest(endpoint=model(server, owner).public_id)
        with pytest.raises(Http404):
            start_live(
                item_set=tea, recording=tea.items.get().recording, request=request, actor=owner
            )


def test_only_who_speaks_gets_the_recording_and_no_picture_of_what_comes(
    filmed,  # noqa: F811
    owner,
    annotator,
    client,
):
    made = frozen_set(filmed, owner, "guide_freely")
    own = start_answering(item_set=made, person=annotator, actor=owner)
    [item] = made.items.all()
    address = reverse("answering-recording", args=[own.public_id, item.key])
    points = frozen_set(filmed, owner, "guide", name="Points")
    other = start_answering(item_set=points, person=annotator, actor=owner)
    first = points.items.order_by("sequence_position").first()

    seen = {}
    for person in (owner, annotator):
        client.force_login(person)
        seen[person] = client.get(address).status_code
    page = client.get(reverse("answering", args=[own.public_id])).content.decode()

    assert seen[owner] == 404
    assert seen[annotator] != 404
    assert address in page
    assert 'class="pictures"' not in page
    # Nor by its address: the last one shows how the recording ends.
    picture = reverse("answering-picture", args=[own.public_id, item.key, 7])
    assert client.get(picture).status_code == 404
    # Where items have moments, what comes after them is not shown.
    beyond = reverse("answering-recording", args=[other.public_id, first.key])
    assert client.get(beyond).status_code == 404
