"""The disagreement desk by keyboard: queue, case, comment with a time mark, decision, guideline."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from annotation.engine.rubric.rubric import Metric
from annotation.models import Case, CaseComment, GuidelineVersion, Role
from tests.annotation.disagreements import make_pilot
from tests.e2e.site import enter
from tests.factories import UserFactory


@pytest.fixture
def pilot(audit):
    """A closed pilot of the trace with two recordings, whose raters differ on two questions."""
    owner = UserFactory(username="owner", role=Role.RESEARCHER)
    trace = audit.assignment.trace
    trace.dataset.owner = owner
    trace.dataset.save()
    made = make_pilot(owner, trace=trace)
    made.answer(Metric.ERROR_VALIDITY, "yes", "no", "no")
    made.answer(Metric.HUMAN_PLAUSIBILITY, "2", "5", "4", event=2)
    made.remark(0, "Is spilling a mistake at all?")
    made.close()
    return made


def violations(page):
    page.wait_for_load_state()
    found = Axe().run(page).response["violations"]
    return [(item["id"], [node["target"] for node in item["nodes"]]) for item in found]


def opened(page, live_server, address):
    page.goto(f"{live_server.url}{address}")
    page.wait_for_selector("html[data-ready]")


def times(page):
    return page.eval_on_selector_all("video", "videos => videos.map((video) => video.currentTime)")


def at(page, side, low, high):
    """Wait until a recording stands between two seconds."""
    page.wait_for_function(
        "([side, low, high]) => { const at = document.querySelector(`[data-side=${side}] video`)"
        ".currentTime; return low <= at && at < high; }",
        arg=[side, low, high],
    )


def test_a_rater_comes_from_the_queue_and_comments_on_a_moment(pilot, live_server, page):
    enter(page, live_server, pilot.raters[0])
    page.goto(live_server.url + "/queue/")
    page.get_by_role("link", name="Discuss: 3 cases").click()
    assert violations(page) == []
    page.get_by_role("link", name="Error Validity").click()
    page.wait_for_selector("html[data-ready]")
    # Both videos stand at the event: row 1, from second 2 on.
    at(page, "trace", 2, 2.5)
    at(page, "reference", 2, 2.5)
    assert violations(page) == []

    page.keyboard.press("j")
    at(page, "trace", 0, 0.5)
    page.keyboard.press(".")
    page.keyboard.press("t")
    expect(page.locator("#mark")).to_contain_text("Trace at 0:00.1")
    page.keyboard.type("The cup is still standing here")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#comments li")).to_have_count(1)
    expect(page.locator("#desk h2")).to_have_text("Error Validity Discussed")
    page.keyboard.press("Escape")
    page.keyboard.press("l")
    at(page, "trace", 1, 60)
    page.keyboard.press("k")
    page.get_by_role("button", name="Trace at 0:00.1").click()
    at(page, "trace", 0.05, 0.3)
    at(page, "reference", 0.05, 0.3)

    comment = CaseComment.objects.get()
    assert (comment.text, comment.side) == ("The cup is still standing here", "trace")
    assert 0.05 <= comment.time_s <= 0.25


def test_the_owner_decides_and_changes_the_guideline_from_a_case(pilot, live_server, page):
    case = Case.objects.get(metric="error_validity")
    enter(page, live_server, pilot.campaign.owner)
    page.goto(f"{live_server.url}/campaigns/{pilot.campaign.public_id}/")
    page.get_by_role("link", name="Disagreement desk").click()
    page.get_by_role("link", name="Error Validity").click()
    page.wait_for_selector("html[data-ready]")
    assert "ben" not in page.locator("#desk").inner_text()
    page.keyboard.press("1")
    expect(page.get_by_label("Guideline gap")).to_be_checked()
    page.get_by_label("Value").select_option("no")
    page.get_by_label("Why, in words").fill("Drops are not a spill")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#decision")).to_contain_text("Error Validity is No")
    page.wait_for_selector("html[data-ready]")

    expect(page.locator("#desk")).to_contain_text("ben")
    assert violations(page) == []
    page.keyboard.press("g")
    page.wait_for_url(f"**/edit/?case={case.public_id}")
    draft = GuidelineVersion.objects.get(campaign=pilot.campaign, frozen_at=None)
    assert [(item["metric"], item["note"]) for item in draft.examples] == [
        ("error_validity", "Drops are not a spill")
    ]
    assert "Drops are not a spill" in page.content()


def test_what_was_typed_survives_an_expired_login_and_a_reload(pilot, live_server, page):
    case = Case.objects.get(metric="error_validity")
    enter(page, live_server, pilot.campaign.owner)
    opened(page, live_server, f"/cases/{case.public_id}/")
    page.keyboard.press("c")
    page.keyboard.type("<b>Look</b> at the towel")
    page.keyboard.press("Escape")
    page.keyboard.press("3")
    page.get_by_label("Why, in words").fill("Misread the scale")
    page.context.clear_cookies(name="sessionid")

    page.keyboard.press("Control+Enter")
    expect(page.locator("#notices")).to_contain_text("Your login has expired")
    enter(page, live_server, pilot.campaign.owner)
    opened(page, live_server, f"/cases/{case.public_id}/")

    expect(page.locator("#comment")).to_have_value("<b>Look</b> at the towel")
    expect(page.get_by_label("Slip")).to_be_checked()
    expect(page.get_by_label("Why, in words")).to_have_value("Misread the scale")
    page.get_by_role("button", name="Send").click()
    expect(page.locator("#comments p")).to_have_text("<b>Look</b> at the towel")
    page.get_by_role("button", name="Decide").click()
    expect(page.locator("#decision")).to_contain_text("Misread the scale")
    page.wait_for_selector("html[data-ready]")
    expect(page.locator("#comment")).to_have_value("")
    case.refresh_from_db()
    assert (case.state, case.cause, case.comments.count()) == ("decided", "slip", 1)


def test_nothing_is_typed_into_a_comment_that_is_on_its_way(pilot, live_server, page):
    held = []
    enter(page, live_server, pilot.raters[0])
    opened(page, live_server, f"/cases/{Case.objects.get(metric='error_validity').public_id}/")
    page.route("**/comments/", lambda route: held.append(route))
    page.keyboard.press("c")
    page.keyboard.type("The cup")

    page.keyboard.press("Control+Enter")
    page.keyboard.type(" and the saucer")
    expect(page.locator("#comment")).to_have_value("The cup")
    while not held:
        page.wait_for_timeout(20)
    held[0].continue_()
    expect(page.locator("#comments p")).to_have_text("The cup")
    page.keyboard.type("The saucer")

    expect(page.locator("#comment")).to_have_value("The saucer")
    assert len(held) == 1


def test_nothing_is_typed_into_a_page_whose_script_is_on_its_way(pilot, live_server, page):
    case = Case.objects.get(metric="error_validity")
    enter(page, live_server, pilot.campaign.owner)
    page.route("**/desk_case.js", lambda route: None)
    page.goto(f"{live_server.url}/cases/{case.public_id}/", wait_until="commit")

    for field in (page.locator("#comment"), page.get_by_label("Why, in words")):
        field.focus()
        page.keyboard.type("Too early")
        expect(field).to_have_value("")


def test_a_decision_that_is_sent_twice_counts_once(pilot, live_server, page):
    held = []
    case = Case.objects.get(metric="error_validity")
    enter(page, live_server, pilot.campaign.owner)
    opened(page, live_server, f"/cases/{case.public_id}/")
    page.route("**/decision/", lambda route: held.append(route))
    page.keyboard.press("3")

    with page.expect_request("**/decision/"):
        page.keyboard.press("Control+Enter")
    page.keyboard.press("Control+Enter")
    page.get_by_label("Why, in words").fill("Misread the scale")
    with page.expect_navigation():
        held[0].continue_()
    page.wait_for_selector("html[data-ready]")

    expect(page.get_by_label("Why, in words")).to_have_value("Misread the scale")
    case.refresh_from_db()
    assert (len(held), case.cause, case.reason) == (1, "slip", "")


def test_cases_follow_each_other_by_key_and_opinions_offer_no_value(pilot, live_server, page):
    enter(page, live_server, pilot.campaign.owner)
    page.goto(f"{live_server.url}/campaigns/{pilot.campaign.public_id}/desk/?cases-state=open")
    page.locator("#cases tbody a").first.click()
    page.wait_for_selector("html[data-ready]")
    seen = []
    for number in (1, 2, 3):
        expect(page.locator(".crumb b")).to_have_text(f"Case {number} of 3")
        page.wait_for_selector("html[data-ready]")
        seen.append((page.locator("#desk h2").inner_text(), page.locator("#value").count()))
        page.keyboard.press("n")
    page.keyboard.press("p")
    expect(page.locator(".crumb b")).to_have_text("Case 2 of 3")

    assert sorted(seen) == [
        ("Error Validity Open", 1),
        ("Human Plausibility Open", 0),
        ("What raters said Open", 0),
    ]


@pytest.mark.parametrize("width", [1280, 640, 390])
def test_pages_of_the_desk_never_scroll_sideways(pilot, live_server, page, width):
    page.set_viewport_size({"width": width, "height": 800})
    enter(page, live_server, pilot.campaign.owner)
    case = Case.objects.get(metric="error_validity")

    opened(page, live_server, f"/cases/{case.public_id}/")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.goto(f"{live_server.url}/campaigns/{pilot.campaign.public_id}/desk/")
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_comment_that_is_sent_twice_takes_nothing_of_the_next(pilot, live_server, page):
    case = Case.objects.get(metric="error_validity")
    enter(page, live_server, pilot.raters[0])
    opened(page, live_server, f"/cases/{case.public_id}/")
    sent = []
    page.route("**/comments/", lambda route: sent.append(route))
    page.keyboard.press("c")
    page.keyboard.type("A slip")
    page.keyboard.press("Control+Enter")
    page.keyboard.press("Control+Enter")
    page.wait_for_timeout(500)
    first, *again = sent
    first.continue_()
    expect(page.locator("#comments li")).to_have_count(1)
    page.keyboard.type("and a second thought")

    for route in again:
        with page.expect_response("**/comments/"):
            route.continue_()
    page.wait_for_timeout(200)

    expect(page.locator("#comment")).to_have_value("and a second thought")
    assert [comment.text for comment in CaseComment.objects.all()] == ["A slip"]
