"""Every page that links lead to is checked by axe-core, light and dark, and at narrow widths."""

from urllib.parse import urlsplit

import pytest
from django.urls import reverse
from playwright.sync_api import Page

from annotation.models import User
from sample.site import ADMINISTRATOR, ANNOTATOR
from tests.e2e.crawled_site import NOT_OURS, kind_of, pages  # noqa: F401
from tests.e2e.looks import KEPT_OF_A_KIND, dark_problems_of, problems_of, sideways_px, thin_out
from tests.e2e.site import enter

pytestmark = pytest.mark.e2e

# An administrator sees all that a researcher sees, and more.
FEWEST_PAGES = {ANNOTATOR: 7, ADMINISTRATOR: 35}
# It greets nobody, and is by far the longest: looked at with the pages of the other account.
SAME_FOR_ALL = (ANNOTATOR, "/api/docs/")
# So that the test processes can share them.
PART_COUNT = 6


def linked_paths(page: Page) -> list[str]:
    addresses = page.eval_on_selector_all("a[href]", "links => links.map((link) => link.href)")
    host = urlsplit(page.url).netloc
    return [urlsplit(item).path for item in addresses if urlsplit(item).netloc == host]


@pytest.mark.parametrize("part", range(PART_COUNT))
def test_axe_finds_nothing_and_no_page_scrolls_sideways(page: Page, live_server, pages, part):  # noqa: F811
    problems, unknown = [], []
    for account, found in pages.items():
        enter(page, live_server, User.objects.get(username=account))
        for path in list(found.values())[part::PART_COUNT]:
            if (account, path) == SAME_FOR_ALL:
                continue
            page.goto(live_server.url + path)
            page.wait_for_load_state("networkidle")
            paths = linked_paths(page)
            unknown += [
                linked
                for linked in paths
                if not {linked, kind_of(linked)} & found.keys() and not NOT_OURS.search(linked)
            ]
            problems += sideways_px(page)
            thin_out(page)
            problems += problems_of(page) + dark_problems_of(page)
        assert len(found) >= FEWEST_PAGES[account], found.keys()

    # Links that only scripts write would lead to pages that nobody looks at.
    assert unknown == []
    assert problems == []


def test_axe_finds_nothing_on_the_page_of_logins(page: Page, live_server):
    page.goto(live_server.url + reverse("login"))

    assert problems_of(page) == []


def test_of_alike_rows_some_stay_and_one_that_differs_stays_too(page: Page):
    rows = [f"<tr><td>{number}</td></tr>" for number in range(30)]
    rows[20] = '<tr><td><span style="color: #eee">faint</span></td></tr>'
    page.set_content(f"<main><h1>Rows</h1><table>{''.join(rows)}</table></main>")

    thin_out(page)

    assert page.locator("tr").count() == KEPT_OF_A_KIND + 1
    assert ["contrast" in problem for problem in problems_of(page)].count(True) == 1
