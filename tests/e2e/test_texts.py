"""Texts read in a browser: by keyboard alone, by two accounts and a third, without a loss."""

from collections import Counter
from fractions import Fraction

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotation.services.campaigns.campaigns import add_raters
from tests.e2e.looks import dark_problems_of, problems_of, sideways_px
from tests.e2e.segments_page import STEPS
from tests.e2e.site import enter, in_worker
from tests.factories import (
    DatasetFactory,
    Role,
    StepFactory,
    TakeFactory,
    UserFactory,
    VideoFactory,
    watchable,
)
from tests.recordings import write_recording
from tests.texts.reading_rounds import give, places
from texts.models import TextVerdict
from texts.selectors.figures import figures_now
from texts.selectors.rounds import decided_texts
from texts.services.rounds import NewTextRound, TextDraft, begin_reading, open_text_round

pytestmark = pytest.mark.e2e

TEXTS, RATE, DURATION_S = 20, 25, 12.0
# Margins of two seconds on both sides of the stretch.
FROM_S, TO_S = 3.0, 8.0
# What the two say of the texts by their numbers; of the others both say "accept".
ANN = {1: "reject", 2: "edit", 3: "edit", 4: "reject", 5: "edit"}
BEN = {1: "reject", 2: "edit", 3: "accept", 6: "reject"}
DISPUTED = {3, 4, 5, 6}


@pytest.fixture
def problems(page: Page) -> list[str]:
    """Collect what the browser complains of."""
    found: list[str] = []
    page.on("pageerror", lambda error: found.append(str(error)))
    page.on("console", lambda line: found.append(line.text) if line.type == "error" else None)
    return found


@pytest.fixture
def made(transactional_db, tmp_path):
    return make_round(tmp_path)


def make_round(folder, *, people=("ann", "ben"), **new):
    """Return an open round of questions on one recording, which two people read."""
    owner = UserFactory(username="owner", role=Role.RESEARCHER)
    dataset = DatasetFactory(video_folder=str(folder), owner=owner)
    frames = round(DURATION_S * RATE)
    write_recording(
        folder / "recording.mp4", rate=Fraction(RATE), frame_count=frames, size=(320, 180),
        group=RATE, sound=None, is_faststart=True,
    )  # fmt: skip
    video = VideoFactory(
        dataset=dataset, path="recording.mp4", stem="recording", duration_s=DURATION_S,
        frame_rate=RATE, frame_count=frames, width=320, height=180,
    )  # fmt: skip
    watchable(video)
    take = TakeFactory(dataset=dataset, uid="recording", video=video)
    for index, text in enumerate(STEPS):
        StepFactory(take=take, index=index, step_id=str(index), text=text, start_s=None, end_s=None)
    drafts = [
        TextDraft(
            f"q{number}", take.pk, f"Did I use the cup in round {number}?", start_s=5.0, end_s=6.0,
            step_index=1, answer=f"No, a bowl, in round {number}.", label="Wrong object",
            group="detect",
        )
        for number in range(TEXTS)
    ]  # fmt: skip
    planned = begin_reading(
        name="Questions", datasets=[dataset], new=NewTextRound("maker:1", **new), drafts=drafts,
        actor=owner,
    )  # fmt: skip
    users = [UserFactory(username=username) for username in people]
    add_raters(campaign=planned.campaign, raters=users, actor=owner)
    open_text_round(planned=planned, actor=owner)
    planned.refresh_from_db()
    return planned


def person_called(made, username):
    return made.raters.get(rater__username=username).rater


def open_queue(page: Page, live_server, person) -> None:
    page.context.clear_cookies()
    enter(page, live_server, person)
    page.goto(live_server.url + reverse("queue"))


def open_text(page: Page, live_server, own) -> None:
    """Open one text; its script listens then."""
    if not page.context.cookies():
        enter(page, live_server, own.person)
    page.goto(live_server.url + reverse("text", args=[own.public_id]))


def others_of(own):
    """Return the other texts of the same person."""
    return TextVerdict.objects.filter(person=own.person).exclude(pk=own.pk)


def number_of(page: Page) -> int:
    """Return the number that the text on the page has."""
    return int(page.locator(".said").first.inner_text().removesuffix("?").split()[-1])


def press_for(page: Page, verdict: str) -> None:
    """Give a verdict on the page by keys alone."""
    if verdict == "accept":
        page.keyboard.press("a")
    elif verdict == "reject":
        page.keyboard.press("r")
        page.keyboard.press("5")
        page.keyboard.press("6")
        page.keyboard.press("Enter")
    else:
        page.keyboard.press("e")
        expect(page.locator("#edit-text")).to_be_focused()
        page.keyboard.press("ControlOrMeta+a")
        page.keyboard.type("Did I use the right cup?")
        for _ in ("answer", "note", "button"):
            page.keyboard.press("Tab")
        page.keyboard.press("Enter")


def read_all(page: Page, live_server, person, verdicts, count: int) -> None:
    open_queue(page, live_server, person)
    page.get_by_role("link", name="Start").focus()
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Start").focus()
    page.keyboard.press("Enter")
    for number in range(1, count + 1):
        expect(page).to_have_title(f"Text {number} of {count} · PIE-V")
        # By then its script listens.
        page.wait_for_load_state("domcontentloaded")
        press_for(page, verdicts.get(number_of(page), "accept"))
    page.wait_for_url("**" + reverse("queue"))


def test_two_accounts_read_twenty_texts_by_keys_and_a_third_decides(
    page: Page, live_server, made, problems
):
    read_all(page, live_server, person_called(made, "ann"), ANN, TEXTS)
    read_all(page, live_server, person_called(made, "ben"), BEN, TEXTS)

    assert Counter(own.place for own in TextVerdict.objects.all()) == {1: TEXTS, 2: TEXTS}
    cem = UserFactory(username="cem")
    in_worker(lambda: add_raters(campaign=made.campaign, raters=[cem], actor=made.campaign.owner))
    numbers = {
        int(own.item.source_key[1:])
        for own in TextVerdict.objects.filter(person=cem).select_related("item")
    }
    assert numbers == DISPUTED
    read_all(page, live_server, cem, dict.fromkeys((4, 6), "reject"), len(DISPUTED))

    decided = {int(text.source_key[1:]): text for text in decided_texts(made)}
    verdicts = Counter(text.verdict for text in decided.values())
    assert verdicts == {"accept": 16, "edit": 1, "reject": 3}
    assert decided[2].text == "Did I use the right cup?"
    assert {number for number, text in decided.items() if not text.is_kept} == {1, 4, 6}
    figures = figures_now(made)
    assert (figures.equal.hits, figures.equal.count) == (TEXTS - len(DISPUTED), TEXTS)
    assert TextVerdict.objects.filter(verdict="", place=3).count() == 0
    assert problems == []


def test_only_what_a_verdict_asks_for_is_in_sight_before_the_script_comes(
    page: Page, live_server, made
):
    own = places(made, key="q0")[1]
    enter(page, live_server, own.person)
    page.route("**/reading.js", lambda route: None)
    page.goto(live_server.url + reverse("text", args=[own.public_id]), wait_until="commit")
    reasons, edits = page.locator("#reasons"), page.locator("#edit-text")

    expect(page.get_by_role("button", name="Save and go on")).to_be_visible()
    expect(reasons).to_be_hidden()
    expect(edits).to_be_hidden()
    page.get_by_label("Reject").check()
    expect(reasons).to_be_visible()
    page.get_by_label("Edit").check()

    expect(reasons).to_be_hidden()
    expect(edits).to_be_visible()


def test_a_key_that_stays_down_judges_no_text_that_comes_next(page: Page, live_server, made):
    first = places(made, key="q0")[1]
    open_text(page, live_server, first)

    page.keyboard.down("a")
    page.wait_for_function("(was) => !location.pathname.includes(was)", arg=first.public_id)
    second = page.url
    page.wait_for_load_state("domcontentloaded")
    for _ in range(3):
        page.keyboard.down("a")
    page.keyboard.up("a")

    given = TextVerdict.objects.exclude(verdict="").values_list("pk", flat=True)
    assert (list(given), page.url) == ([first.pk], second)
    page.keyboard.press("a")
    page.wait_for_url(lambda url: url != second)


def test_the_clip_loops_around_its_stretch_and_plays_again_by_key(
    page: Page, live_server, made, problems
):
    open_text(page, live_server, places(made, key="q0")[1])
    at = "(at) => document.querySelector('#clip').currentTime {} at"
    page.wait_for_function(at.format(">="), arg=FROM_S)

    page.evaluate("(at) => { document.querySelector('#clip').currentTime = at; }", TO_S - 0.1)
    page.wait_for_function("(at) => document.querySelector('#clip').currentTime < at", arg=TO_S - 1)
    page.keyboard.press("Space")
    page.wait_for_function("() => document.querySelector('#clip').paused")
    page.keyboard.press("p")
    page.wait_for_function("() => !document.querySelector('#clip').paused")

    assert problems == []


def test_what_is_typed_outlives_a_reload_and_a_lost_connection(page: Page, live_server, made):
    own = places(made, key="q0")[1]
    open_text(page, live_server, own)
    page.keyboard.press("e")
    page.locator("#edit-text").fill("Was it a cup?")
    page.locator("#note").fill("I could not see the hand.")

    page.reload()
    expect(page.locator("#edit-text")).to_have_value("Was it a cup?")
    expect(page.locator("#note")).to_have_value("I could not see the hand.")
    page.context.set_offline(True)
    page.get_by_role("button", name="Save and go on").click()
    page.context.set_offline(False)
    open_text(page, live_server, own)

    expect(page.locator("#edit-text")).to_have_value("Was it a cup?")
    expect(page.get_by_label("Edit")).to_be_checked()
    page.get_by_role("button", name="Save and go on").click()
    page.wait_for_function("(was) => !location.pathname.includes(was)", arg=own.public_id)
    own.refresh_from_db()
    assert (own.verdict, own.text, own.note) == (
        "edit", "Was it a cup?", "I could not see the hand.",
    )  # fmt: skip


@pytest.mark.parametrize("goes_on", [True, False], ids=["goes on", "is told of a fault"])
def test_what_never_arrived_is_kept_though_another_text_is_read_next(
    page: Page, live_server, made, goes_on
):
    own = places(made, key="q0")[1]
    address = reverse("text", args=[own.public_id])
    open_text(page, live_server, own)
    page.keyboard.press("e")
    page.locator("#edit-text").fill("Was it a cup?")
    held = []
    page.route(
        f"**{address}",
        lambda route: held.append(route) if goes_on else route.fulfill(status=503, body="busy"),
    )
    with page.expect_request(f"**{address}"):
        page.get_by_role("button", name="Save and go on").click(no_wait_after=True)

    if goes_on:
        page.keyboard.press(".")
        page.wait_for_function("(was) => !location.pathname.includes(was)", arg=own.public_id)
        page.wait_for_load_state("domcontentloaded")
    else:
        expect(page.locator("body")).to_have_text("busy")
        open_text(page, live_server, others_of(own)[0])
    page.unroute(f"**{address}")
    open_text(page, live_server, own)

    expect(page.locator("#edit-text")).to_have_value("Was it a cup?")
    expect(page.get_by_label("Edit")).to_be_checked()


def test_what_was_sent_last_and_changed_elsewhere_is_shown_as_it_is_saved(
    page: Page, live_server, made
):
    own = places(made, key="q0")[1]
    others_of(own).delete()
    open_text(page, live_server, own)
    page.keyboard.press("a")
    page.wait_for_url("**" + reverse("queue"))
    own.refresh_from_db()
    in_worker(lambda: give(own, "reject", reasons=("unclear",)))

    open_text(page, live_server, own)

    expect(page.get_by_label("Reject")).to_be_checked()


def test_a_text_is_left_for_later_by_a_key_and_keeps_what_was_typed(
    page: Page, live_server, made, problems
):
    own = places(made, key="q0")[1]
    # Nobody is asked whether to leave what is kept.
    asked = []
    page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.accept()))
    open_text(page, live_server, own)
    page.locator("#note").fill("Look again.")
    page.keyboard.press(".")
    expect(page.locator("#note")).to_have_value("Look again..")
    page.locator("#note").fill("Look again.")
    page.locator("h1").first.evaluate("() => document.activeElement.blur()")

    page.keyboard.press(".")
    page.wait_for_function("(was) => !location.pathname.includes(was)", arg=own.public_id)

    open_text(page, live_server, own)
    expect(page.locator("#note")).to_have_value("Look again.")
    own.refresh_from_db()
    assert own.verdict == ""
    assert (asked, problems) == ([], [])


def test_a_second_page_that_comes_too_late_shows_both_and_loses_nothing(
    page: Page, live_server, made
):
    own = places(made, key="q0")[1]
    open_text(page, live_server, own)
    page.keyboard.press("e")
    page.locator("#edit-text").fill("Was it a cup?")
    in_worker(lambda: give(own, "reject", reasons=("unclear",)))

    page.get_by_role("button", name="Save and go on").click()
    told = page.get_by_role("alert")
    expect(told).to_contain_text("Another of your pages")
    expect(told).to_contain_text("unclear")
    expect(page.locator("#edit-text")).to_have_value("Was it a cup?")
    page.get_by_role("button", name="Save and go on").click()
    page.wait_for_function("(was) => !location.pathname.includes(was)", arg=own.public_id)

    own.refresh_from_db()
    assert (own.verdict, own.text, own.revision) == ("edit", "Was it a cup?", 2)


def test_what_is_typed_before_a_reload_is_not_lost_to_a_second_page(page: Page, live_server, made):
    own = places(made, key="q0")[1]
    open_text(page, live_server, own)
    page.keyboard.press("e")
    page.locator("#edit-text").fill("Was it a cup?")
    in_worker(lambda: give(own, "reject", reasons=("unclear",)))

    page.reload()
    expect(page.locator("#edit-text")).to_have_value("Was it a cup?")
    page.get_by_role("button", name="Save and go on").click()
    expect(page.get_by_role("alert")).to_contain_text("unclear")
    # By then its script has kept what the server showed.
    page.wait_for_load_state("domcontentloaded")
    open_text(page, live_server, own)
    expect(page.locator("#edit-text")).to_have_value("Was it a cup?")
    page.get_by_role("button", name="Save and go on").click()
    page.wait_for_function("(was) => !location.pathname.includes(was)", arg=own.public_id)
    own.refresh_from_db()
    assert (own.verdict, own.text) == ("edit", "Was it a cup?")


def test_taking_the_other_verdict_forgets_what_was_typed(page: Page, live_server, made):
    own = places(made, key="q0")[1]
    open_text(page, live_server, own)
    page.keyboard.press("e")
    page.locator("#edit-text").fill("Was it a cup?")
    in_worker(lambda: give(own, "reject", reasons=("unclear",)))
    page.get_by_role("button", name="Save and go on").click()

    page.get_by_role("link", name="take the other").click()

    expect(page.get_by_label("Reject")).to_be_checked()
    expect(page.locator("#edit-text")).to_have_value(own.item.text)
    own.refresh_from_db()
    assert own.verdict == "reject"


def test_who_answers_first_sees_the_answer_after(
    page: Page, live_server, transactional_db, tmp_path
):
    made = make_round(tmp_path, is_blind_first=True)
    own = places(made, key="q0")[1]
    open_text(page, live_server, own)
    expect(page.get_by_text(own.item.answer)).to_have_count(0)
    page.get_by_label("Your own answer").fill("A bowl")

    page.reload()
    expect(page.get_by_label("Your own answer")).to_have_value("A bowl")
    page.get_by_role("button", name="Show the answer").click()
    expect(page.get_by_text(own.item.answer).first).to_be_visible()
    # By then its script listens.
    page.wait_for_load_state("domcontentloaded")
    page.keyboard.press("a")
    page.wait_for_function("(was) => !location.pathname.includes(was)", arg=own.public_id)

    own.refresh_from_db()
    assert (own.blind_answer, own.verdict) == ("A bowl", "accept")


def test_axe_finds_nothing_and_no_width_scrolls_sideways(page: Page, live_server, made, problems):
    own = places(made, key="q0")[1]
    open_text(page, live_server, own)
    page.keyboard.press("e")

    found = problems_of(page) + dark_problems_of(page) + sideways_px(page)
    page.get_by_label("Reject").check()
    found += problems_of(page)
    in_worker(lambda: give(own, "reject", reasons=("unclear",)))
    page.get_by_role("checkbox", name="It is unclear").check()
    page.locator("#note").fill("x")
    page.get_by_role("button", name="Save and go on").click()
    expect(page.get_by_role("alert")).to_be_visible()
    found += problems_of(page)

    enter(page, live_server, made.campaign.owner)
    for name in ("text-round", "campaign-detail", "text-sample"):
        ids = {
            "text-round": [made.campaign.public_id, made.number],
            "campaign-detail": [made.campaign.public_id],
            "text-sample": [made.campaign.datasets.get().public_id],
        }[name]
        page.goto(live_server.url + reverse(name, args=ids))
        found += problems_of(page) + sideways_px(page)

    assert found == []
