"""The walk of docs/mistake_questions.md, "a question set in ten minutes", in a real browser."""

import base64
import json
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace

import httpx
import pytest
from django.conf import settings
from django.db import connection
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotation.models import Dataset, Role
from annotation.services.corpus.imports import ImportTarget, import_reading
from annotation.services.videos.linking import link_videos
from benchmarks.models import AgentCall, Assessment, ItemSet, QuestionSet
from benchmarks.services.answering import answer_item, open_items
from benchmarks.services.assessment_work import work_on_assessments
from benchmarks.services.item_set_work import work_on_item_sets
from benchmarks.services.questions.work import work_on_question_sets
from generation.models import TextCall, TextEndpoint
from sample.corpus import load_corpus
from tests.benchmarks.agents.served import STARTS_WITHIN_S, agent_at
from tests.benchmarks.agents.served_assessor import (
    assess,
    request_for,
    results_in,
    states_of,
    token_of,
)
from tests.benchmarks.answering_server import AnsweringServer, pictures_of
from tests.benchmarks.asked import model
from tests.benchmarks.made import as_lines, figures_of
from tests.e2e.site import enter, in_worker
from tests.e2e.test_texts import press_for
from tests.factories import UserFactory, watchable
from tests.sample_videos import give_sample_videos
from tests.site.serving import free_port
from texts.models import TextVerdict
from texts.selectors.figures import figures_now
from texts.services.verdicts import SentVerdict, give_verdict

pytestmark = pytest.mark.e2e

TAKES = ("sample-coffee", "sample-sandwich", "sample-repot")
# So many questions and items are gone through by hand; the rest goes the way of the API.
BY_HAND, LEAST_QUESTIONS = 20, 200
JPEG = b"\xff\xd8"
GRADES = {"lenient": 4, "strict": 2}


@pytest.fixture
def people(transactional_db):
    names = ("ann", "ben", "cem")
    return {name: UserFactory(username=name) for name in names}


@pytest.fixture
def researcher(transactional_db):
    return UserFactory(username="researcher", role=Role.RESEARCHER)


@pytest.fixture
def dataset(researcher, settings, tmp_path):
    """Three procedures of the sample corpus with the recordings of their mistakes."""
    settings.MEDIA_ROOT = tmp_path
    settings.VIDEO_ROOTS = [str(tmp_path)]
    give_sample_videos(tmp_path)
    whole = load_corpus()
    part = replace(
        whole,
        takes=tuple(take for take in whole.takes if take.uid in TAKES),
        traces=tuple(trace for trace in whole.traces if trace.take_uid in TAKES),
        task_graphs=(),
    )
    target = ImportTarget(name="Kitchen", format="native", owner=researcher, is_shared=False)
    import_reading(part, target=target, actor=researcher)
    made = Dataset.objects.get()
    link_videos(dataset=made, folder=str(tmp_path / "sample"), pattern="{stem}.mp4")
    for video in made.videos.all():
        watchable(video)
    return made


def answer_of(body):
    """What the models say: two grade, and one answers only what it was shown pictures of."""
    if body["model"] in GRADES:
        return json.dumps({"score": GRADES[body["model"]], "reason": "By the words."})
    pictures = [base64.b64decode(one.partition(",")[2]) for one in pictures_of(body)]
    are_seen = bool(pictures) and all(picture.startswith(JPEG) for picture in pictures)
    return json.dumps({"answer": f"Yes, I did it. {len(pictures)} pictures." if are_seen else ""})


@contextmanager
def command_served(name: str, *words: str) -> Iterator[str]:
    """A command that serves over A2A, as a process beside the site; yields its address."""
    port = free_port()
    environment = os.environ | {
        "DATABASE_URL": f"sqlite:///{connection.settings_dict['NAME']}",
        "DJANGO_SETTINGS_MODULE": "piev_site.settings",
        "SECRET_KEY": settings.SECRET_KEY,
        "LOG_LEVEL": "ERROR",
    }
    process = subprocess.Popen(
        [sys.executable, "manage.py", name, *words, "--port", str(port)],
        cwd=settings.BASE_DIR, env=environment, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    url = f"http://127.0.0.1:{port}"
    try:
        ends_at_s = time.monotonic() + STARTS_WITHIN_S
        while process.poll() is None and time.monotonic() < ends_at_s:
            with suppress(httpx.TransportError):
                httpx.get(f"{url}/.well-known/agent-card.json")
                break
            time.sleep(0.1)
        yield url
    finally:
        process.terminate()
        process.wait()


def work(row, how) -> None:
    """Do the queued job of a row, as a worker would."""
    row.refresh_from_db()
    in_worker(lambda: how(job_ids=[row.job_id]))
    # So its job is read anew too.
    row.refresh_from_db()
    assert row.job.error == ""


def verdict_of(username: str, said: str) -> str:
    """Ann doubts what asks how, Ben whether anything went wrong, and both would edit one."""
    if said.startswith("In what way"):
        return "edit" if username == "ann" else "reject"
    if said.startswith("How did"):
        return "reject" if username == "ann" else "accept"
    return "accept"


def read_all(page: Page, live_server, person) -> int:
    """Read the first texts of a person's queue by keys alone; returns how many there are."""
    page.context.clear_cookies()
    enter(page, live_server, person)
    page.goto(live_server.url + reverse("queue"))
    page.get_by_role("link", name="Start").focus()
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Start").focus()
    page.keyboard.press("Enter")
    expect(page).to_have_title(re.compile(r"^Text 1 of \d+"))
    count = int(page.title().split(" of ")[1].split()[0])
    for number in range(1, min(count, BY_HAND) + 1):
        expect(page).to_have_title(f"Text {number} of {count} · PIE-V")
        page.wait_for_load_state("domcontentloaded")
        press_for(page, verdict_of(person.username, page.locator(".said").first.inner_text()))
    if count <= BY_HAND:
        page.wait_for_url("**" + reverse("queue"))
    else:
        expect(page).to_have_title(f"Text {BY_HAND + 1} of {count} · PIE-V")
        in_worker(lambda: accept_rest(person))
    return count


def accept_rest(person) -> None:
    for own in TextVerdict.objects.filter(person=person, verdict=""):
        give_verdict(public_id=own.public_id, sent=SentVerdict("accept"), actor=person)


def as_researcher(page: Page, live_server, researcher, address: str) -> None:
    page.context.clear_cookies()
    enter(page, live_server, researcher)
    page.goto(live_server.url + address)


def make_questions(page: Page) -> QuestionSet:
    page.get_by_role("link", name="Benchmarks", exact=True).click()
    page.get_by_role("link", name="question sets").click()
    page.get_by_role("link", name="Make a question set").click()
    page.get_by_label("Name").fill("Mistakes in the kitchen")
    page.get_by_label("Data set").select_option(label="Kitchen")
    page.get_by_label("Questions about each step").fill("4")
    page.get_by_label("Steps without a mistake").select_option(label="all")
    page.get_by_role("button", name="Make the questions").click()
    page.get_by_text("Waiting for a worker").wait_for()
    question_set = QuestionSet.objects.get()
    work(question_set, work_on_question_sets)
    expect(page.get_by_role("heading", name="What the words tell")).to_be_visible()
    return question_set


def review(page: Page, live_server, researcher, people, question_set: QuestionSet) -> None:
    """Two read every question and differ about some, a third decides; the verdicts come back."""
    page.get_by_text("Have people review them first").click()
    page.get_by_role("button", name="Plan the review").click()
    campaign = page.url.removeprefix(live_server.url)
    for name in ("ann", "ben"):
        page.get_by_label(name, exact=True).check()
    page.get_by_role("button", name="Add people").click()
    the_round = page.get_by_role("rowheader").get_by_role("link", name="1", exact=True)
    the_round.click()
    page.get_by_role("button", name="Open the round").click()
    page.get_by_role("button", name="Yes: open the round").click()
    expect(page.get_by_role("button", name="Close the round")).to_be_visible()
    counts = [read_all(page, live_server, people[name]) for name in ("ann", "ben")]
    assert counts == [question_set.question_count] * 2
    assert counts[0] >= LEAST_QUESTIONS
    as_researcher(page, live_server, researcher, campaign)
    page.get_by_label("cem", exact=True).check()
    page.get_by_role("button", name="Add people").click()
    disputed = read_all(page, live_server, people["cem"])
    as_researcher(page, live_server, researcher, campaign)
    the_round.click()
    page.get_by_role("button", name="Close the round").click()
    page.get_by_role("button", name="Yes: close the round").click()
    expect(page.get_by_role("button", name="Close the round")).to_have_count(0)
    page.goto(live_server.url + reverse("question-set", args=[question_set.public_id]))
    page.get_by_role("button", name="Take the verdicts back").click()
    page.get_by_role("button", name="Yes: take the verdicts back").click()
    expect(page.get_by_role("heading", name="Before the review")).to_be_visible()
    question_set.refresh_from_db()
    figures = figures_now(question_set.review)
    assert figures.equal.count - figures.equal.hits == disputed > 0
    assert not TextVerdict.objects.filter(verdict="").exists()


def make_item_set(page: Page, question_set: QuestionSet) -> ItemSet:
    page.get_by_role("button", name="Freeze").click()
    page.get_by_role("button", name="Yes: freeze").click()
    page.get_by_text("being frozen").wait_for()
    work(question_set, work_on_question_sets)
    page.get_by_role("link", name="Make an item set of it").click()
    page.get_by_label("Name").fill("Kitchen, asked")
    page.get_by_role("button", name="Make the items").click()
    page.get_by_text("Waiting for a worker").wait_for()
    item_set = ItemSet.objects.get()
    work(item_set, work_on_item_sets)
    page.get_by_role("button", name="Freeze").click()
    page.get_by_role("button", name="Yes: freeze").click()
    page.get_by_text("being frozen").wait_for()
    work(item_set, work_on_item_sets)
    expect(page.get_by_role("heading", name="Add a participant")).to_be_visible()
    return item_set


def ask(page: Page, name: str) -> None:
    """Have a model or an agent answer the set on whose page this is, graded by both judges."""
    asking = page.get_by_role("region", name="A model or an agent")
    asking.get_by_label("Text model or agent").select_option(label=name)
    for judge in GRADES:
        asking.get_by_label(judge).check()
    asking.get_by_role("button", name="Ask it").click()
    page.locator(".run-line .state").wait_for()


def have_assessed(researcher, item_set: ItemSet, agent_url: str) -> None:
    """A stock client has the assessor let the agent answer; it gets the figures of the page."""
    judges = list(TextEndpoint.objects.filter(name__in=GRADES).values_list("public_id", flat=True))
    request = request_for(agent_url, item_set, pictures=4, judges=judges)
    token, events = token_of(researcher), []
    with command_served("serve_assessor") as assessor:
        client = threading.Thread(
            target=lambda: events.extend(assess(assessor, token, request)), daemon=True
        )
        client.start()
        while not item_set.assessments.filter(kind="agent", job__status="queued").exists():
            assert client.is_alive()
            time.sleep(0.1)
        work(item_set.assessments.get(kind="agent"), work_on_assessments)
        client.join(STARTS_WITHIN_S)
    assert states_of(events)[-1] == "COMPLETED"
    told = {row["measure"]: row["value"] for row in results_in(events)["figures"]
            if not row["group"]}  # fmt: skip
    own = figures_of(item_set.assessments.get(kind="agent"))
    assert told["avg_sim"] == own["avg_sim"][0]


def answer_rest(assessment) -> None:
    answered = set(assessment.answers.values_list("item__key", flat=True))
    for item in open_items(assessment):
        if item.key not in answered:
            fields = {"text": "Yes, I think."}
            answer_item(assessment=assessment, key=item.key, fields=fields)


def answer_in_five_ways(page: Page, live_server, researcher, ann, item_set, folder) -> None:
    """A file, a model and an agent with two judges, the agent after the assessor; a person."""
    keys = item_set.items.values_list("key", flat=True)
    file = folder / "answers.jsonl"
    file.write_text(as_lines({key: {"text": "No, I did not."} for key in keys}))
    page.get_by_label("Participant").fill("Always no 1")
    page.get_by_label("Answers", exact=True).set_input_files(file)
    page.get_by_role("button", name="Upload").click()
    page.goto(live_server.url + reverse("item-set", args=[item_set.public_id]))
    for name, kind in (("Looks", "endpoint"), ("An agent", "agent")):
        ask(page, name)
        work(item_set.assessments.filter(kind=kind).latest("pk"), work_on_assessments)
        page.goto(live_server.url + reverse("item-set", args=[item_set.public_id]))
    page.get_by_label("Account").fill("ann")
    page.get_by_role("button", name="Let this person answer").click()
    as_researcher(page, live_server, ann, reverse("queue"))
    page.goto(live_server.url + reverse("own-answering"))
    page.get_by_role("link", name="Kitchen, asked").click()
    for number in range(BY_HAND):
        expect(page.get_by_role("status")).to_contain_text(f"{number} of {item_set.item_count}")
        page.locator("#answer textarea, #answer input[type=text]").first.fill("Yes, I think.")
        page.get_by_role("button", name="Next").click()
    expect(page.get_by_role("status")).to_contain_text(f"{BY_HAND} of {item_set.item_count}")
    in_worker(lambda: answer_rest(item_set.assessments.get(kind="person")))
    page.reload()
    page.get_by_role("button", name="Make them final").click()
    expect(page.get_by_text("Your answers are final", exact=True)).to_be_visible()
    for kind in ("file", "person"):
        own = item_set.assessments.get(kind=kind)
        as_researcher(page, live_server, researcher, reverse("assessment", args=[own.public_id]))
        for judge in GRADES:
            page.get_by_label(re.compile(judge)).check()
        page.get_by_role("button", name="Have them graded").click()
        page.locator(".run-line .state").wait_for()
        work(own, work_on_assessments)


def test_a_question_set_in_ten_minutes(
    page: Page, live_server, researcher, people, dataset, tmp_path
):
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda line: complaints.append(line.text) if line.type == "error" else None)
    with AnsweringServer(answers=answer_of) as server, ExitStack() as served:
        model(server, researcher, name="Looks", model_name="looks", supports_images=True)
        model(server, researcher, name="Takes part", model_name="agent", supports_images=True)
        agent_url = served.enter_context(command_served("take_part", "Takes part"))
        agent_at(agent_url, researcher, timeout_s=30)
        for judge in GRADES:
            model(server, researcher, name=judge, model_name=judge)
        as_researcher(page, live_server, researcher, "/")
        question_set = make_questions(page)
        review(page, live_server, researcher, people, question_set)
        item_set = make_item_set(page, question_set)
        have_assessed(researcher, item_set, agent_url)
        answer_in_five_ways(page, live_server, researcher, people["ann"], item_set, tmp_path)

    page.goto(live_server.url + reverse("item-set", args=[item_set.public_id]))
    expect(page.get_by_role("link", name="Always no 1").first).to_be_visible()
    asked = Assessment.objects.exclude(kind="baseline").order_by("kind")
    assert [own.kind for own in asked] == ["agent", "agent", "endpoint", "file", "person"]
    # The agent was asked from the page again, and each question reached its model once.
    assert AgentCall.objects.count() == item_set.item_count
    assert TextCall.objects.filter(model_name="agent").count() == item_set.item_count
    # Two judges, whose mean is the score; the one that looks saw pictures of every clip.
    assert [figures_of(own)["avg_sim"][0] for own in asked] == [3.0] * 5
    texts = list(asked[2].answers.values_list("value__text", flat=True))
    assert len(texts) == item_set.item_count
    assert all(text.startswith("Yes, I did it.") for text in texts)
    assert complaints == []
