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
from benchmarks.engine.measures.guidance import DIMENSIONS
from benchmarks.selectors.asked import asked_lines
from benchmarks.selectors.assessments import spending_on
from benchmarks.selectors.reports import details_of
from benchmarks.services.answering import answer_item, finish_answering, start_answering
from benchmarks.services.asking_prices import asking_price
from benchmarks.services.assessment_work import work_on_assessments
from benchmarks.services.assessments import AskRequest, reask_failed, resume_assessment
from benchmarks.services.judging import judge_assessment, judge_prices
from benchmarks.services.live import LiveRequest, start_live
from benchmarks.services.people.judging import draw_sample
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
        "per_minute": 20.0, "undecided": 0.0, "free_pqs_low": 0.0, "free_pqs_high": 1.0,
        **dict.fromkeys(
            ["free_pqs", "free_pqs_of_all", "content", "guidance", *DIMENSIONS, "harmful"]
        ),
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


def grading(body):
    """Full marks for what is said first, none that can be read at 11 s, 3 else; harm at 4.5 s."""
    words = words_of(body)
    if "SAID" not in words:
        return scripted(body)
    if "Next: Pour water" in words:
        return "Rather good."
    grade = 5 if "Boil water." in words else 3
    grades = {**dict.fromkeys(DIMENSIONS, grade), "reasoning": "As it is."}
    return json.dumps({**grades, "harmful": False} if "MISTAKE" in words else grades)


def test_judges_grade_each_matched_text_and_a_kin_judge_is_marked(tea, owner, owner_client):
    with AnsweringServer(answers=grading) as server:
        endpoint = model(server, owner)
        kin = model(server, owner, name="Kin", model_name="openai/gpt-x-mini")
        request = AskRequest(endpoint=endpoint.public_id, judges=[kin.public_id])
        price = asking_price(item_set=tea, request=request, actor=owner)
        done = assessed(tea, endpoint, owner, judges=[kin.public_id])
        asked = [words_of(one.body) for one in server.asked if one.body["model"] != "gpt-x"]

    # Four texts, of which the last is asked about twice.
    assert (len(asked), len(set(asked))) == (5, 4)
    assert [(one.item_count, one.request_count) for one in price.judges] == [(1, 4)]
    answer = done.answers.get()
    judged = answer.judged["Kin"]
    assert [one["time_s"] for one in judged["value"]["grades"]] == [0.0, 4.5, 6.0]
    assert (judged["status"], judged["reason"]) == (
        "malformed", "1 of 4 have no grade, the first: not json",
    )  # fmt: skip
    figures = {key: value for key, (value, _, _) in figures_of(done).items()}
    # Worth 1, 0.5 and 0.5 of four, and one that nobody has graded.
    assert (figures["free_pqs"], figures["free_pqs_low"], figures["free_pqs_high"]) == (
        None, 0.5, 0.75,
    )  # fmt: skip
    assert figures["harmful"] == 0.0
    assert figures["guidance"] == pytest.approx(11 / 3, abs=1e-6)
    page = owner_client.get(reverse("assessment", args=[done.public_id])).content.decode()
    assert "Graded by its own family of models (Kin)" in page
    item = owner_client.get(reverse("item", args=[tea.public_id, tea.items.get().key]))
    assert "at 4.5 s: relevance 3" in item.content.decode()


def test_a_judge_that_fails_on_the_way_pays_for_no_text_twice(tea, owner):
    said = {"said": [{"time_s": 0.0, "text": "Boil."}, {"time_s": 4.0, "text": "Stop."}]}
    file = uploaded(tea, owner, as_lines({tea.items.get().key: said}), "a.jsonl")
    grade = {"do": "answer", "text": json.dumps(dict.fromkeys(DIMENSIONS, 5))}
    with OpenAiServer(acts=[grade, {"do": "reject"}, grade]) as server:
        judges = [model(server, owner, name="Judge", model_name="judge").public_id]
        [price] = judge_prices(file, owner)
        work_on_assessments(job_ids=judge_assessment(assessment=file, judges=judges, actor=owner))
        failed = read_again(file).answers.get().judged["Judge"]
        asked = len(server.asked)
        work_on_assessments(job_ids=judge_assessment(assessment=file, judges=judges, actor=owner))

    assert price.left_count == 1
    assert (failed["status"], failed["value"], asked) == ("failed", None, 2)
    assert len(server.asked) == 3
    figures = {key: value for key, (value, _, _) in figures_of(read_again(file)).items()}
    # Both are worth all they can be; 6 and 10 s were missed.
    assert (figures["free_pqs"], figures["content"]) == (0.5, 1.0)
    highest = float(price.usd)
    assert 0 < float(spending_on(file).price) <= highest


def test_people_grade_what_is_matched_beside_what_is_right(tea, owner, owner_client):
    # Of two for one moment the first is matched.
    said = [{"time_s": 9.5, "text": "Pour it."}, {"time_s": 10.5, "text": "Hm."}]
    key = tea.items.get().key
    uploaded(tea, owner, as_lines({key: {"said": said}}), "a.jsonl")
    uploaded(tea, owner, as_lines({key: {"said": []}}), "a.jsonl", name="nothing to grade")

    sample = draw_sample(item_set=tea, size=9, seed=0, actor=owner)
    page = owner_client.get(reverse("item-set-judging", args=[tea.public_id])).content.decode()
    told = owner_client.get(f"/api/v1/item-sets/{tea.public_id}/judging/").json()

    assert sample.answers.count() == 1
    assert "10 s: Next: Pour water" in page
    assert "9.5 s: Pour it." in page
    assert "Hm." not in page
    assert "Begin with this" not in page
    assert "some 10 to 20 words" in page
    [row] = told["answers"]
    assert row["answer"] == {"said": said[:1]}
    assert row["truth"] == {"said": [{"time_s": 10.0, "text": "Next: Pour water"}]}


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
