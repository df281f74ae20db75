"""The live page in a browser, by keyboard alone and under the strict policy; played again."""

import threading

import pytest
from django.db import connection
from django.urls import reverse
from playwright.sync_api import Page, expect

from benchmarks.engine.tasks.guide.items import PREDICTED
from benchmarks.models import LiveRun
from benchmarks.services.live import LiveRequest, start_live
from benchmarks.services.live_work import watch_live
from tests.benchmarks.answering_server import AnsweringServer, words_of
from tests.benchmarks.asked import model
from tests.benchmarks.made import frozen_set
from tests.benchmarks.sample_answers import PLAN, PLANNER
from tests.e2e.site import enter
from tests.e2e.test_benchmark_pages import filmed, look, researcher  # noqa: F401

pytestmark = pytest.mark.e2e
STRIDE_S = 5.0


def scripted(body):
    text = words_of(body)
    if PLANNER not in text:
        said = text.count(", you:")
        return "$silent$" if said > 2 else f"$interrupt$ Now comes part {said + 1}."
    goal = text.partition("Goal: ")[2].partition("\n")[0]
    plan = PLAN.format(goal=goal, step="Put out what you need\n2. Begin")
    done = "<|steps_completed_so_far|>1. Read the recipe"
    return plan.replace("<|steps_completed_so_far|>", done)


def in_background(job_ids):
    def run():
        try:
            watch_live(job_ids=job_ids)
        finally:
            connection.close()

    worker = threading.Thread(target=run)
    worker.start()
    return worker


def test_a_run_is_played_paused_asked_and_played_again_by_keyboard(
    page: Page,
    live_server,
    researcher,  # noqa: F811
    filmed,  # noqa: F811
):
    made = frozen_set(filmed, researcher, "guide", settings={"plan": PREDICTED})
    recording = made.items.first().recording
    enter(page, live_server, researcher)
    with AnsweringServer(answers=scripted) as server:
        endpoint = model(server, researcher, supports_images=True)
        request = LiveRequest(endpoint=endpoint.public_id, stride_s=STRIDE_S, pictures=2)
        run, job_ids = start_live(
            item_set=made, recording=recording, request=request, actor=researcher
        )
        LiveRun.objects.filter(pk=run.pk).update(length_s=8.0)
        worker = in_background(job_ids)
        page.goto(live_server.url + reverse("live", args=[run.public_id]))
        page.keyboard.press(".")
        expect(page.locator("#said")).to_contain_text("Now comes part 1.", timeout=30_000)
        expect(page.locator("#plan .done")).to_contain_text("Read the recipe")
        page.keyboard.press("/")
        page.keyboard.type("Is it hot?")
        # What does not reach the server stays to be asked again, and is said to have failed.
        commands = live_server.url + reverse("live-command", args=[run.public_id])
        page.route(commands, lambda route: route.fulfill(status=503))
        with page.expect_response(commands):
            page.keyboard.press("Enter")
        with page.expect_response(lambda response: "/events" in response.url):
            pass
        expect(page.locator("#trouble")).to_contain_text("cannot be reached")
        expect(page.locator("#question")).to_have_value("Is it hot?")
        page.unroute(commands)
        page.keyboard.press("Enter")
        expect(page.locator("#said")).to_contain_text("You: Is it hot?", timeout=30_000)
        assert page.locator("#said .right").count() == 0
        # Out of the question by key, as nothing else is typed there.
        page.keyboard.press("Escape")
        page.keyboard.press("Space")
        expect(page.locator("#state")).to_contain_text("ended", timeout=60_000)
        worker.join()
        asked = len(server.asked)
        decided = run.events.filter(kind="decided").count()
        complaints = look(page, "live")
        page.keyboard.press("Space")
        expect(page.locator("#said")).to_contain_text("Now comes part 1.")
        expect(page.locator("#clock")).to_have_text("8.0 s", timeout=30_000)
        expect(page.locator("#all li.decided")).to_have_count(decided)

    assert len(server.asked) == asked
    assert page.locator("#said .right").count() > 0
    page.locator("#decisions summary").click()
    page.locator("#all a").first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("What it saw at 0.0 s")
    complaints += look(page, "live-asked")
    page.goto(live_server.url + reverse("live-new", args=[made.public_id, recording]))
    complaints += look(page, "live-new")
    assert complaints == []


def apart_s(page, clock_s):
    return page.evaluate("clock => document.querySelector('video').currentTime - clock", clock_s)


SEEK = "seconds => { document.querySelector('video').currentTime = seconds; }"
# Whether the playing picture comes back to the clock that the page shows, which has one decimal.
COMES_BACK = """async () => {
  const clip = document.querySelector("video");
  const apart = () => Math.abs(clip.currentTime - parseFloat(document.querySelector("#clock").textContent));
  clip.currentTime -= 0.5;
  for (let frame = 0; frame < 300; frame += 1) {
    await new Promise(requestAnimationFrame);
    if (!clip.paused && !clip.seeking && apart() < 0.25) return true;
  }
  return false;
}"""  # noqa: E501


def test_the_picture_follows_the_loops_clock_where_they_are_more_than_a_fifth_of_a_second_apart(
    page: Page,
    live_server,
    researcher,  # noqa: F811
    filmed,  # noqa: F811
):
    made = frozen_set(filmed, researcher, "guide")
    recording = made.items.first().recording
    enter(page, live_server, researcher)
    with AnsweringServer(answers=scripted) as server:
        endpoint = model(server, researcher)
        request = LiveRequest(endpoint=endpoint.public_id, stride_s=STRIDE_S, pictures=0)
        run, job_ids = start_live(
            item_set=made, recording=recording, request=request, actor=researcher
        )
        worker = in_background(job_ids)
        page.goto(live_server.url + reverse("live", args=[run.public_id]))
        for clock in ("0.0 s", f"{STRIDE_S:.1f} s"):
            page.keyboard.press(".")
            expect(page.locator("#all li.decided")).not_to_have_count(0, timeout=30_000)
            expect(page.locator("#clock")).to_have_text(clock, timeout=30_000)
        page.wait_for_function(
            "clock => document.querySelector('video').currentTime === clock", arg=STRIDE_S
        )

        # Paused there, the clock is known to the millisecond.
        for away_s in (0.5, -0.5, 0.21):
            page.evaluate(SEEK, STRIDE_S + away_s)
            page.wait_for_function(
                "clock => document.querySelector('video').currentTime === clock", arg=STRIDE_S
            )
        for away_s in (0.1, -0.19):
            page.evaluate(SEEK, STRIDE_S + away_s)
            page.wait_for_timeout(1500)
            assert apart_s(page, STRIDE_S) == pytest.approx(away_s, abs=0.005)
        page.keyboard.press("Space")
        page.wait_for_function(
            "clock => document.querySelector('video').currentTime > clock", arg=STRIDE_S + 0.6
        )
        assert page.evaluate(COMES_BACK)
        page.get_by_role("button", name="End").click()
        expect(page.locator("#state")).to_contain_text("ended", timeout=60_000)
        worker.join()
