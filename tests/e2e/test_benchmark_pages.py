"""An item set in a browser: made, frozen, answered by file and by hand, read by everybody."""

import json
import os
import re
from pathlib import Path

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotation.models import Campaign, Dataset, Role
from annotation.services.corpus.imports import ImportTarget, import_reading
from annotation.services.videos.linking import link_videos
from benchmarks.engine.division import ExampleRecordings
from benchmarks.engine.tasks.error_types.asking import MISTAKE
from benchmarks.models import Assessment, ItemSet
from benchmarks.services.answering import start_answering
from benchmarks.services.assessment_work import work_on_assessments
from sample.corpus import load_corpus
from sample.ratings import RATERS
from sample.site import walk_protocol
from tests.benchmarks.answering_server import AnsweringServer
from tests.benchmarks.asked import model
from tests.benchmarks.made import as_csv, baseline_values, frozen_set, uploaded, worked_on
from tests.benchmarks.sample_answers import schema_of
from tests.e2e.looks import dark_problems_of, problems_of, sideways_px
from tests.e2e.site import enter, in_worker
from tests.factories import UserFactory
from tests.sample_videos import give_sample_videos

pytestmark = pytest.mark.e2e
# Where the pictures of the pages go, for who wants to look at them.
PICTURES = os.environ.get("PIEV_PAGE_PICTURES")


@pytest.fixture
def researcher(transactional_db):
    return UserFactory(username="researcher", role=Role.RESEARCHER)


@pytest.fixture
def filmed(researcher, settings, tmp_path):
    """The sample corpus with its videos."""
    settings.MEDIA_ROOT = tmp_path
    settings.VIDEO_ROOTS = [str(tmp_path)]
    give_sample_videos(tmp_path)
    target = ImportTarget(name="Everyday", format="native", owner=researcher, is_shared=False)
    import_reading(load_corpus(), target=target, actor=researcher)
    dataset = Dataset.objects.get()
    link_videos(dataset=dataset, folder=str(tmp_path / "sample"), pattern="{stem}.mp4")
    return dataset


# Whether each choice has its key before its box, and not below it.
KEYS_APART = """() => [...document.querySelectorAll("label:has(> kbd)")].map((label) => {
  const [key, box] = ["kbd", "input"].map((name) => label.querySelector(name).getBoundingClientRect());
  return key.right <= box.left;
})"""  # noqa: E501


def look(page: Page, name: str) -> list[str]:
    """What is wrong with the page that is open; its pictures are kept where somebody wants them."""
    page.wait_for_load_state("networkidle")
    if PICTURES:
        for width in (1280, 390):
            page.set_viewport_size({"width": width, "height": 900})
            page.screenshot(path=Path(PICTURES) / f"{name}-{width}.png", full_page=True)
        page.set_viewport_size({"width": 1280, "height": 800})
    return [*problems_of(page), *dark_problems_of(page), *sideways_px(page)]


def test_set_is_made_frozen_and_read(page: Page, live_server, researcher, filmed, tmp_path):
    enter(page, live_server, researcher)
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(live_server.url)
    page.get_by_role("link", name="Benchmarks").click()
    problems = look(page, "list")

    page.get_by_role("link", name="Make an item set: Is this step a mistake?").click()
    problems += look(page, "new")
    page.get_by_label("Name").fill("Steps of everyday procedures")
    page.get_by_role("button", name="Make the items").click()
    # The page is there at once, and loads anew by itself when a worker has done its part.
    page.get_by_text("Waiting for a worker").wait_for()
    problems += look(page, "making")
    item_set = ItemSet.objects.get()
    worked_on(item_set, [item_set.job_id])
    page.get_by_role("button", name="Freeze").click()
    expect(page.get_by_role("dialog", name="Freeze?")).to_contain_text("never change again")
    page.get_by_role("button", name="Yes: freeze").click()
    page.get_by_text("being frozen").wait_for()
    problems += look(page, "freezing")
    worked_on(item_set, [item_set.job_id])
    (tmp_path / "wrong.csv").write_text("key,answer,score\nalien,yes,\n")
    page.get_by_label("Participant").fill("Nobody 1")
    page.get_by_label("File", exact=True).or_(
        page.get_by_label("Answers", exact=True)
    ).first.set_input_files(tmp_path / "wrong.csv")
    page.get_by_role("button", name="Upload").click()
    assert "wrong.csv, line 2: key is 'alien'" in page.get_by_role("alert").inner_text()
    problems += look(page, "refused")

    scored = {
        key: {**value, "score": 0.8 if value["answer"] == "yes" else 0.3}
        for key, value in baseline_values(item_set, 2).items()
    }
    uploaded(item_set, researcher, as_csv(item_set, scored), name="Model of a colleague 2.1")
    page.goto(live_server.url + reverse("item-set", args=[item_set.public_id]))
    problems += look(page, "set")
    page.get_by_role("link", name="Model of a colleague 2.1").first.click()
    problems += look(page, "assessment")
    page.goto(live_server.url + reverse("item-set", args=[item_set.public_id]))
    page.get_by_role("button", name="Show the differences").click()
    problems += look(page, "compare")
    item = item_set.items.filter(moment_s__isnull=False).first()
    page.goto(live_server.url + reverse("item", args=[item_set.public_id, item.key]))
    page.wait_for_function("() => document.querySelector('.pictures img').complete")
    problems += look(page, "item")

    assert problems == []
    assert [text for text in complaints if "400" not in text] == []


def test_intervals_are_drawn_on_the_clock_of_an_item(page: Page, live_server, researcher, filmed):
    item_set = frozen_set(filmed, researcher, "mistake_intervals")
    enter(page, live_server, researcher)

    item = item_set.items.first()
    page.goto(live_server.url + reverse("item", args=[item_set.public_id, item.key]))

    names = page.locator(".walk-chart tbody th[scope=row]").all_inner_texts()
    assert names[:2] == ["Asked", "Truth"]
    assert "Four equal parts, every label" in names
    assert look(page, "intervals") == []


def test_graph_walk_truth_and_claims_share_a_clock_with_the_clip(
    page: Page, live_server, researcher, filmed
):
    frozen_set(filmed, researcher)
    enter(page, live_server, researcher)
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(live_server.url + reverse("dataset-detail", args=[filmed.public_id]))
    page.get_by_text("More", exact=True).click()
    page.get_by_role("link", name="See its task graphs").click()
    problems = look(page, "graphs")
    page.get_by_role("link", name="Make pour-over coffee").click()
    problems += look(page, "graph")
    page.get_by_role("link", name="kitchen_coffee_1_b").click()
    problems += look(page, "walk")
    page.get_by_role("link", name="What participants of").click()
    problems += look(page, "recording")

    clip = page.locator("video.clip")
    page.wait_for_function("() => document.querySelector('video.clip').readyState > 0")
    row = page.locator("td.clock svg").nth(3)
    box = row.bounding_box()
    row.click(position={"x": box["width"] / 2, "y": 5})
    half = page.locator(".walk-chart").evaluate("chart => chart.dataset.lengthS / 2")
    page.wait_for_function("() => !document.querySelector('video.clip').seeking")
    assert abs(clip.evaluate("clip => clip.currentTime") - half) < 0.5
    head = page.locator(".playhead").first
    page.wait_for_function(
        "() => !document.querySelector('.playhead').getAttribute('d').startsWith('M0')"
    )
    x = float(head.get_attribute("d").split(",")[0][1:])
    assert abs(x - 50) < 1
    assert problems + complaints == []


def test_person_answers_by_keyboard_and_sees_the_truth_only_then(
    page: Page, live_server, researcher, filmed
):
    item_set = frozen_set(
        filmed, researcher, "speak_or_stay_silent", settings={"moments": "the end of each step"}
    )
    enter(page, live_server, researcher)
    page.goto(live_server.url + reverse("item-set", args=[item_set.public_id]))
    page.get_by_role("button", name="Answer it myself").click()
    own = Assessment.objects.get(person=researcher)
    problems = look(page, "answering")
    assert page.evaluate(KEYS_APART) == [True] * page.locator("input[type=radio]").count() != []

    first = page.locator("h1").inner_text()
    page.keyboard.press("2")
    page.keyboard.press("Enter")
    page.wait_for_function("(text) => document.querySelector('h1').innerText !== text", arg=first)

    (answer,) = own.answers.all()
    assert answer.value["answer"] == "silent"
    item = answer.item
    page.goto(live_server.url + reverse("item", args=[item_set.public_id, item.key]))
    assert page.get_by_role("heading", name="Truth").count() == 0

    page.goto(live_server.url + reverse("answering", args=[own.public_id]))
    page.get_by_text("Make my answers final").click()
    page.get_by_role("button", name="Make them final").click()
    problems += look(page, "answered")
    page.goto(live_server.url + reverse("item", args=[item_set.public_id, item.key]))
    assert page.get_by_role("heading", name="Truth").count() == 1
    page.goto(live_server.url + reverse("own-answering"))
    assert [*problems, *look(page, "own")] == []


def test_model_as_rater_has_its_verdicts_and_tables(page: Page, live_server, researcher, tmp_path):
    target = ImportTarget(name="Everyday", format="native", owner=researcher, is_shared=False)
    import_reading(load_corpus(), target=target, actor=researcher)
    dataset = Dataset.objects.get()
    people = [UserFactory(username=name) for name in RATERS]
    walk_protocol(dataset, researcher, people)
    pilot = Campaign.objects.get().rounds.get(number=1)
    source = f"{pilot.public_id}:{dataset.public_id}"
    item_set = frozen_set(None, researcher, "model_as_rater", source=source)
    guesses = baseline_values(item_set, 1)
    model = uploaded(item_set, researcher, as_csv(item_set, guesses), name="A guessing model")
    enter(page, live_server, researcher)

    page.goto(live_server.url + reverse("assessment", args=[model.public_id]))

    table = page.get_by_role("region", name="May the model stand in for a person?")
    assert "not usable" in table.inner_text()
    with page.expect_download() as download:
        page.get_by_role("link", name="Agreement with each person as latex").click()
    download.value.save_as(tmp_path / "pairs.tex")
    assert item_set.content_hash in (tmp_path / "pairs.tex").read_text()
    assert look(page, "rater") == []


@pytest.mark.parametrize("answers", ["names", "letters, in an order of their own for each step"])
def test_classes_of_mistakes_can_be_read_and_answered(
    page: Page, live_server, researcher, filmed, answers
):
    made = frozen_set(filmed, researcher, "error_types", settings={"answers": answers})
    first, second = made.assessments.order_by("pk")[:2]
    compare = reverse("item-set-compare", args=[made.public_id])
    addresses = {
        "making": reverse("item-set-new", args=["error_types"]),
        "set": reverse("item-set", args=[made.public_id]),
        "item": reverse("item", args=[made.public_id, made.items.first().key]),
        "baseline": reverse("assessment", args=[first.public_id]),
        "compare": f"{compare}?first={first.public_id}&second={second.public_id}",
    }
    enter(page, live_server, researcher)

    found = {}
    for name in (*addresses, "answering"):
        if name == "answering":
            # Who answers sees no answer of others until then.
            own = start_answering(item_set=made, person=researcher, actor=researcher)
            addresses[name] = reverse("answering", args=[own.public_id])
        address = addresses[name]
        page.goto(f"{live_server.url}{address}")
        found[name] = look(page, f"error-types-{name}-{answers[:5]}")

    assert found == {name: [] for name in addresses}


def test_model_is_asked_in_two_stages_after_examples_and_its_page_shows_all(
    page: Page, live_server, researcher, filmed
):
    made = frozen_set(filmed, researcher, "error_types", division=ExampleRecordings(4))
    enter(page, live_server, researcher)
    page.goto(f"{live_server.url}{reverse('item-set-new', args=['error_types'])}")
    problems = look(page, "few-shot-new")
    with AnsweringServer(answers=first_choice) as server:
        model(server, researcher, supports_images=True)
        page.goto(f"{live_server.url}{reverse('item-set', args=[made.public_id])}")
        page.get_by_label("Way to ask").select_option("few-shot, two-stage, room to reason")
        page.get_by_label("Pictures per item").fill("2")
        page.get_by_label("Items to ask about (empty: all)").fill("6")
        page.get_by_role("button", name="What would it cost?").click()
        page.get_by_text("few-shot, two-stage, room to reason: 12 requests about 6").wait_for()
        problems += look(page, "few-shot-price")
        page.get_by_role("button", name="Ask it").click()
        page.get_by_role("heading", name="Asked, few-shot, two-stage, room to reason").wait_for()
        asked = Assessment.objects.get(kind="endpoint")
        in_worker(lambda: work_on_assessments(job_ids=[asked.job_id]))
    page.reload()
    page.get_by_text("Seconds per answer").wait_for()
    problems += look(page, "few-shot-assessment")
    page.goto(f"{live_server.url}{reverse('item-set', args=[made.public_id])}#figures")
    problems += look(page, "few-shot-set")
    answer = asked.answers.select_related("item").order_by("pk").first()
    page.goto(f"{live_server.url}{reverse('item', args=[made.public_id, answer.item.key])}")
    page.get_by_text("As it was asked").click()
    page.get_by_text("Request 2").wait_for()
    problems += look(page, "few-shot-item")

    assert len(answer.saw["examples"]) == 2
    assert problems == []


def first_choice(body):
    """That something is wrong, then the first class."""
    choices = schema_of(body)["answer"]["enum"]
    answer = MISTAKE if MISTAKE in choices else choices[0]
    return json.dumps({"reasoning": "The hand holds another thing.", "answer": answer})


def test_person_speaks_while_a_recording_plays_by_keyboard_alone(
    page: Page, live_server, researcher, filmed
):
    item_set = frozen_set(filmed, researcher, "guide_freely")
    own = start_answering(item_set=item_set, person=researcher, actor=researcher)
    item = item_set.items.order_by("position").first()
    enter(page, live_server, researcher)
    page.goto(live_server.url + reverse("answering", args=[own.public_id]) + f"?item={item.key}")
    problems = look(page, "speaking")
    clip, said, move_on = (
        page.locator("#speaking video"), page.locator("#id_said"),
        page.get_by_role("button", name="Next"),
    )  # fmt: skip

    # Nothing of the recording is shown before it comes, and what comes at the end is locked.
    assert page.locator(".pictures").count() == 0
    assert move_on.is_disabled()
    page.keyboard.press("Space")
    page.wait_for_function("() => document.querySelector('#speaking video').currentTime > 1")
    page.keyboard.press("/")
    page.keyboard.type("W")
    # Words of one moment stand in one line: on a busy machine it may take a while until the next.
    typed_s = clip.evaluate("clip => clip.currentTime")
    page.wait_for_function(
        "after => document.querySelector('#speaking video').currentTime > after", arg=typed_s + 0.3
    )
    page.keyboard.press("Escape")
    page.keyboard.press("Space")
    # A busy browser pauses later than the key was pressed.
    page.wait_for_function("() => document.querySelector('#speaking video').paused")
    began_s = clip.evaluate("clip => clip.currentTime")
    page.keyboard.press("/")
    page.keyboard.type("arm the pot, first.")
    page.keyboard.press("Enter")
    page.keyboard.type("Now.")
    page.keyboard.press("Enter")
    first, second = said.input_value().split("\n")
    time_s, _, words = first.partition(", ")
    assert words == "Warm the pot, first."
    # The words count from the first letter, before the pause in which the rest was typed.
    assert 1 < float(time_s) < began_s
    assert abs(float(second.partition(", ")[0]) - began_s) < 0.1
    # Who opens the page again goes on there, and finds what was said.
    page.reload()
    page.wait_for_function("() => document.querySelector('#speaking video').currentTime > 1")
    assert said.input_value() == f"{first}\n{second}"
    assert said.get_attribute("readonly") is not None
    clip.evaluate("clip => { clip.currentTime = clip.duration - 0.3; }")
    page.keyboard.press("Space")
    expect(move_on).to_be_enabled(timeout=20_000)
    expect(move_on).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_function(
        "key => !document.querySelector('#speaking')?.dataset.item.endsWith(key)", arg=item.key
    )

    answer = own.answers.get()
    assert answer.item_id == item.pk
    assert [one["text"] for one in answer.value["said"]] == ["Warm the pot, first.", "Now."]
    page.goto(live_server.url + reverse("answering", args=[own.public_id]) + f"?item={item.key}")
    expect(page.get_by_text("You have seen the recording, so it is final.")).to_be_visible()
    assert [*problems, *look(page, "speaking-final")] == []


def at_the_end_of_a_recording(page: Page, live_server, person, item_set):
    """Begin to say something just before the recording that a person answers to is over."""
    own = start_answering(item_set=item_set, person=person, actor=person)
    enter(page, live_server, person)
    page.goto(live_server.url + reverse("answering", args=[own.public_id]))
    page.wait_for_function("() => document.querySelector('#speaking video').readyState >= 2")
    clip = page.locator("#speaking video")
    clip.evaluate("clip => { clip.currentTime = clip.duration - 1; }")
    page.keyboard.press("/")
    page.keyboard.type("Put the")
    clip.evaluate("clip => clip.play()")
    page.wait_for_function("() => document.querySelector('#speaking video').ended")
    return own


def test_the_end_of_a_recording_cuts_nobody_short(page: Page, live_server, researcher, filmed):
    item_set = frozen_set(filmed, researcher, "guide_freely")
    own = at_the_end_of_a_recording(page, live_server, researcher, item_set)
    expect(page.locator("#state")).to_contain_text("The recording is over")

    page.keyboard.type(" cup down")
    page.keyboard.press("Enter")

    expect(page.get_by_role("button", name="Next")).to_be_focused()
    assert page.locator("#id_said").input_value().endswith(", Put the cup down")
    assert own.answers.count() == 0


def test_what_was_said_is_kept_until_the_server_has_it(page: Page, live_server, researcher, filmed):
    item_set = frozen_set(filmed, researcher, "guide_freely")
    own = at_the_end_of_a_recording(page, live_server, researcher, item_set)
    page.keyboard.press("Enter")
    said = page.locator("#id_said").input_value()
    address, move_on = page.url, page.get_by_role("button", name="Next")
    page.route("**/*", lambda route: route.fulfill(status=503, body="busy"))
    page.keyboard.press("Enter")
    expect(page.locator("body")).to_have_text("busy")

    page.unroute("**/*")
    page.goto(address)
    # It was heard to its end before.
    expect(move_on).to_be_enabled()
    expect(page.locator("#id_said")).to_have_value(said)
    move_on.click()
    expect(page.locator("body")).to_contain_text("1 of")

    assert [one["text"] for one in own.answers.get().value["said"]] == ["Put the"]


@pytest.mark.parametrize("is_there", [True, False], ids=["comes", "fails"])
def test_a_recording_that_is_faster_than_the_script_is_met_as_it_is(
    page: Page, live_server, researcher, filmed, is_there
):
    item_set = frozen_set(filmed, researcher, "guide_freely")
    own = start_answering(item_set=item_set, person=researcher, actor=researcher)
    enter(page, live_server, researcher)
    page.goto(live_server.url + reverse("answering", args=[own.public_id]))
    page.wait_for_function("() => document.querySelector('#speaking video').readyState >= 2")
    page.locator("#speaking video").evaluate("clip => { clip.currentTime = 2; }")
    page.wait_for_function(
        "() => Object.values(sessionStorage).some((kept) => JSON.parse(kept).positionS >= 2)"
    )
    held = []
    page.route("**/speaking.js", lambda route: held.append(route))
    if not is_there:
        page.route("**/recording/", lambda route: route.fulfill(status=404))

    page.goto(page.url, wait_until="commit")
    page.wait_for_function(
        "() => { const clip = document.querySelector('#speaking video');"
        " return clip && (clip.readyState >= 2 || clip.error); }"
    )
    while not held:
        page.wait_for_timeout(20)
    held[0].continue_()

    if is_there:
        page.wait_for_function("() => document.querySelector('#speaking video').currentTime >= 2")
    else:
        expect(page.locator("#state")).to_contain_text("cannot be played now")
        expect(page.get_by_role("button", name="Next")).to_be_enabled()


def test_a_browser_that_keeps_nothing_can_be_spoken_in(page: Page, live_server, researcher, filmed):
    item_set = frozen_set(filmed, researcher, "guide_freely")
    own = start_answering(item_set=item_set, person=researcher, actor=researcher)
    enter(page, live_server, researcher)
    page.add_init_script(
        "Object.defineProperty(window, 'sessionStorage', { get() { throw new DOMException(); } });"
    )
    page.goto(live_server.url + reverse("answering", args=[own.public_id]))

    page.keyboard.press("Space")
    page.wait_for_function("() => document.querySelector('#speaking video').currentTime > 0.5")
    page.keyboard.press("/")
    page.keyboard.type("Warm the pot")
    page.keyboard.press("Enter")

    expect(page.locator("#id_said")).to_have_value(re.compile(", Warm the pot$"))
