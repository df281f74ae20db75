"""A freeform run against a model's server: stopped by its budget, given more, judged, looked at."""

import json
import re

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from annotation.models import Role
from annotation.services.corpus.imports import ImportTarget, import_reading
from generation.models import Run
from sample.corpus import load_corpus
from tests.e2e.site import log_in
from tests.factories import UserFactory
from tests.fakes.openai_server import OpenAiServer
from tests.generation.text_endpoints import make_endpoint

pytestmark = pytest.mark.e2e

TAKE_UID = "sample-sandwich"


@pytest.fixture
def steps(transactional_db):
    owner = UserFactory(username="mara", role=Role.RESEARCHER)
    target = ImportTarget(name="Sample", format="native", owner=owner, is_shared=False)
    import_reading(load_corpus(), target=target)
    take = next(take for take in load_corpus().takes if take.uid == TAKE_UID)
    return [step.text for step in take.steps]


@pytest.fixture
def server(steps):
    acts = [{"do": "not_json"}, freeform(steps, "Dance around the table"), repaired(steps)]
    with OpenAiServer(acts) as running:
        make_endpoint(running.url, is_shared=True)
        yield running


def freeform(steps, mistake):
    rows = [
        {"source": index, "mod": "u" if index else "we", "error_id": None if index else "E01",
         "correction_id": None}
        for index in range(len(steps))
    ]  # fmt: skip
    document = {"final_steps": [mistake, *steps[1:]], "meta": rows, "del": []}
    return {"do": "answer", "text": json.dumps(document)}


def repaired(steps):
    rows = [
        {"old": index, "new": index, "mod": "u" if index else "e",
         "etype": None if index else "wrong_execution", "eid": None if index else "E01",
         "cid": None}
        for index in range(len(steps))
    ]  # fmt: skip
    document = {"final_steps": [f"{steps[0]} with dirty hands", *steps[1:]], "meta": rows}
    return {"do": "answer", "text": json.dumps(document)}


def launch(page, live_server):
    page.goto(live_server.url + reverse("run-launch"))
    page.get_by_label("Seed").fill("2026")
    page.get_by_text("Only some takes").click()
    page.get_by_label("Only these takes").fill(TAKE_UID)
    page.get_by_label("Writer").select_option(label="Local (gpt-x)")
    page.get_by_label("Without a plan").check()
    page.get_by_label("Who helps the judge").select_option(label="Local (gpt-x)")
    page.get_by_label("Budget in US dollars").fill("0.01")
    expect(page.locator("#run-size")).to_contain_text("Writing: 1 call")
    page.get_by_role("button", name="Launch", exact=True).click()


def test_stopped_freeform_run_goes_on_and_shows_every_call_and_attempt(
    page, live_server, steps, server, queue
):
    log_in(page, live_server, "mara")
    launch(page, live_server)
    state = page.locator("#run-progress .run-line .state")
    queue.work(1)
    expect(page.locator("#failures")).to_contain_text("The run was stopped: the budget is $0.01")

    page.get_by_label("Budget in US dollars").fill("5")
    page.get_by_role("button", name="Raise and continue").click()
    expect(page.locator("body")).to_contain_text("Budget raised: 1 take queued again.")
    queue.work(1)
    expect(state).to_have_text("finished")
    assert Run.objects.get().stages == ["write", "judge", "publish"]

    page.get_by_role("link", name="Text of").click()
    expect(page.locator(".verdict")).to_contain_text("no finding")
    expect(page.locator(".verdict")).to_contain_text("with Local")
    expect(page.get_by_role("main")).to_contain_text("Checks that need a plan were not applied")
    page.get_by_text("The text before repairs, with its findings").click()
    expect(page.get_by_role("main")).to_contain_text("Dance around the table")
    page.get_by_text(re.compile("attempts? to repair")).click()
    expect(page.locator("table", has_text="Outcome")).to_contain_text("adopted")

    page.get_by_text("3 calls to a model: 360 tokens in, 90 out, $0.0063").click()
    calls = page.locator("article.call")
    expect(calls).to_have_count(3)
    expect(calls.nth(0)).to_contain_text("unusable")
    expect(calls.nth(0)).to_contain_text("Expecting value")
    for number, version in ((1, "freeform.v1"), (2, "repair.v1")):
        expect(calls.nth(number)).to_contain_text(version)
        expect(calls.nth(number)).to_contain_text("120 tokens in, 30 out · $0.0021")
    assert len(server.asked) == 3
