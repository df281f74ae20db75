"""Tables and pictures in a browser: drawn under the site's policy, reached by keyboard."""

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotation.models import Role
from tests.annotation.drawn import draw_all
from tests.annotation.two_rounds import make_two_rounds
from tests.e2e.site import enter
from tests.factories import UserFactory

pytestmark = pytest.mark.e2e

IS_DRAWN = "image => image.complete && image.naturalWidth > 100"


def test_pictures_are_drawn_under_the_policy_of_the_site(page: Page, live_server, tmp_path):
    researcher = UserFactory(username="researcher", role=Role.RESEARCHER)
    campaign = make_two_rounds(researcher)
    complaints = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    enter(page, live_server, researcher)

    page.goto(live_server.url + reverse("campaign-report", args=[campaign.public_id]))
    page.get_by_role("link", name="Tables and pictures").click()
    expect(page.get_by_text("The picture is being drawn.")).to_have_count(3)
    draw_all()

    for name in ("Forest plot of alpha", "Before and after", "Distribution of the answers"):
        image = page.get_by_role("region", name=name).first.get_by_role("img")
        image.scroll_into_view_if_needed()
        assert image.get_attribute("alt")
        page.wait_for_function(IS_DRAWN, arg=image.element_handle())
    with page.expect_download() as download:
        page.get_by_role("link", name="Table 5: agreement as LaTeX").click()
    download.value.save_as(tmp_path / "table.tex")
    assert "Tea (round 2)" in (tmp_path / "table.tex").read_text(encoding="utf-8")

    # Opened by itself the picture is a document under the same policy.
    page.goto(
        live_server.url
        + reverse("campaign-paper-picture", args=[campaign.public_id, "forest", "svg"])
    )
    line = page.locator("svg path[stroke='#2f5bd7']").first
    assert line.evaluate("path => getComputedStyle(path).stroke") == "rgb(47, 91, 215)"
    assert complaints == []
