"""A researcher's run in a real browser: launched, watched to its end, and its plan opened."""

import re

import pytest
from django.contrib.sessions.models import Session
from django.urls import reverse
from playwright.sync_api import expect

from annotation.models import Role
from annotation.services.corpus.imports import ImportTarget, import_reading
from generation.models import Run, TakePlan
from sample.corpus import load_corpus
from tests.e2e.site import log_in
from tests.factories import DatasetFactory, TakeFactory, UserFactory

pytestmark = pytest.mark.e2e


@pytest.fixture
def researcher(transactional_db):
    return UserFactory(username="mara", role=Role.RESEARCHER)


@pytest.fixture
def sample(researcher):
    target = ImportTarget(name="Sample", format="native", owner=researcher, is_shared=False)
    import_reading(load_corpus(), target=target)


def test_run_is_launched_watched_and_its_plan_opened(page, live_server, sample, queue):
    problems = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda message: problems.append(message.text)
            if "Content Security Policy" in message.text else None)  # fmt: skip
    log_in(page, live_server, "mara")
    take_count = len(load_corpus().takes)

    page.get_by_role("link", name="Runs", exact=True).click()
    page.get_by_role("main").get_by_role("link", name="Launch a run").click()
    page.get_by_label("Seed").fill("123")
    expect(page.locator("#run-size")).to_contain_text(f"{take_count} takes")
    page.get_by_role("button", name="Launch", exact=True).click()

    state = page.locator("#run-progress .run-line .state")
    expect(page.get_by_role("heading", name="Sample, seed 123")).to_be_visible()
    expect(state).to_have_text("queued")
    address = page.url
    queue.work(1)
    expect(state).to_have_text("running")
    expect(page.locator(".stages tbody tr").first).to_contain_text(f"2 / {take_count}")
    queue.work(take_count)
    expect(state).to_have_text("finished")
    expect(page.locator(".stages tbody tr").last).to_contain_text(f"{take_count} / {take_count}")
    expect(page.get_by_role("button", name="Cancel")).to_have_count(0)
    expect(page.locator("#run-distributions")).to_contain_text("Error types")

    page.get_by_role("link", name=re.compile("^Plan of")).first.click()
    plan = TakePlan.objects.get(run_take__position=0).document
    picture = page.get_by_role("img", name="Plan with seed 123")
    expect(picture.locator("g.step")).to_have_count(len(plan["steps"]))
    expect(picture.locator("g.step.mistake")).to_have_count(
        len({error["step_index"] for error in plan["errors"]})
    )
    page.get_by_text("Simulation log").click()
    expect(page.locator("pre.log")).to_contain_text(plan["simulation_log_lines"][0])

    page.get_by_role("spinbutton").fill("7")
    page.get_by_role("button", name="Show").click()
    expect(page.get_by_role("img", name="Plan with seed 7")).to_be_visible()
    expect(page.get_by_role("img", name="Plan with seed 123")).to_be_visible()

    assert address.endswith(reverse("run-detail", args=[Run.objects.get().public_id]))
    assert problems == []


def test_a_button_that_is_pressed_again_before_the_answer_launches_one_run(
    page, live_server, sample, queue
):
    log_in(page, live_server, "mara")
    address = live_server.url + reverse("run-launch")
    page.goto(address)
    sent = []
    page.route(address, lambda route: sent.append(route))
    launch = page.get_by_role("button", name="Launch", exact=True)
    launch.scroll_into_view_if_needed()
    place = launch.bounding_box()
    at = place["x"] + 9, place["y"] + 9

    # Not by the locator: it would wait for the answer, as nobody does.
    page.mouse.click(*at)
    page.wait_for_timeout(300)
    page.mouse.click(*at)
    page.keyboard.press("Enter")
    page.wait_for_timeout(300)
    sent[0].continue_()
    expect(page.locator("#run-progress .run-line .state")).to_have_text("queued")

    assert (len(sent), Run.objects.count()) == (1, 1)


def test_a_press_a_search_and_the_keyboards_place_outlive_progress(
    page, live_server, sample, queue, monkeypatch
):
    monkeypatch.setattr("generation.services.run_work.QUICK_BATCH", 1)
    log_in(page, live_server, "mara")
    page.get_by_role("link", name="Runs", exact=True).click()
    page.get_by_role("main").get_by_role("link", name="Launch a run").click()
    page.get_by_role("button", name="Launch", exact=True).click()
    expect(page.locator(".stages tbody tr").first).to_contain_text("0 /")
    queue.work(1)
    page.clock.install()
    page.reload()
    search, cancel = page.get_by_placeholder("Search"), page.get_by_role("button", name="Cancel")
    done = page.locator(".stages tbody tr").first

    def come_anew(count):
        with page.expect_response(lambda response: "/progress/" in response.url):
            page.clock.fast_forward(1100)
        expect(done).to_contain_text(f"{count} /")

    cancel.focus()
    queue.work(1)
    come_anew(2)
    expect(cancel).to_be_focused()
    done.locator("th").dblclick()
    queue.work(1)
    come_anew(2)
    assert page.evaluate("String(document.getSelection())").strip() == "Mistakes"
    page.clock.run_for(16_000)
    expect(done).to_contain_text("3 /")
    search.fill("sample")
    queue.work(1)
    come_anew(4)
    page.clock.fast_forward(3100)
    expect(search).to_have_value("sample")
    rows = page.locator("#run-takes tbody tr")
    expect(rows.nth(3)).to_contain_text("queued")
    search.fill("")
    cancel.focus()
    page.clock.run_for(7000)
    expect(rows.nth(3)).to_contain_text("done")
    cancel.hover()
    page.mouse.down()
    queue.work(1)
    come_anew(4)
    page.mouse.up()

    expect(page.locator("#run-progress .run-line .state")).to_have_text("cancelled")


def test_words_that_are_typed_outlive_the_login_and_the_page_says_that_it_is_old(
    page, live_server, sample, queue
):
    log_in(page, live_server, "mara")
    page.goto(live_server.url + reverse("run-launch"))
    page.get_by_role("button", name="Launch", exact=True).click()
    search = page.locator("#run-takes").get_by_role("searchbox")
    search.fill("coffee")

    Session.objects.all().delete()
    expect(page.get_by_role("link", name="Load the page anew")).to_have_count(1)
    page.wait_for_timeout(2500)

    expect(search).to_have_value("coffee")
    page.get_by_role("link", name="Load the page anew").click()
    expect(page.get_by_role("heading", name="Log in")).to_be_visible()


def test_scenarios_follow_the_data_set_while_the_estimate_loads(page, live_server, researcher):
    for name in ("Baking", "Cycling"):
        TakeFactory(dataset=DatasetFactory(name=name, owner=researcher), scenario=name)
    log_in(page, live_server, "mara")
    estimates = []
    page.route("**" + reverse("run-size"), lambda route: estimates.append(route))
    with page.expect_request("**" + reverse("run-size")):
        page.goto(live_server.url + reverse("run-launch"))
        expect(page.locator("#run-scenarios")).to_contain_text("Baking (1)")
        page.get_by_label("Seed").fill("123")

    page.get_by_label("Data set", exact=True).select_option(label="Cycling")

    expect(page.locator("#run-scenarios")).to_contain_text("Cycling (1)")
    assert estimates  # none was answered, so the choice was made while one loaded
    for estimate in estimates:
        estimate.abort()
