"""Every page that links lead to is checked by axe-core, light and dark, and at narrow widths.

Automatic rules find perhaps half of what stands in somebody's way (missing names, wrong roles,
faint text, headings out of order); the keyboard and what is read aloud have tests of their own.
"""

import re
from collections import deque
from typing import Any
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.urls import reverse
from playwright.sync_api import Page

from annotation.models import Phase, User
from annotation.services.sample_site import (
    ADMINISTRATOR,
    ANNOTATOR,
    PASSWORD,
    make_sample_site,
)
from generation.management.commands.demo import demo_request
from generation.services.run_work import work_on_takes
from generation.services.runs import create_run
from tests.e2e.benchmark_site import make_benchmark_site
from tests.e2e.protocol_site import make_protocol_site
from tests.e2e.site import in_worker, log_in
from tests.sample_videos import give_sample_videos

pytestmark = pytest.mark.e2e

RULES = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")
# The administration and the page to try the API come with their frameworks; the rest are no pages.
NOT_OURS = re.compile(
    r"^/(admin|api/try|api/v1|static|logout)/|\.(csv|json|vtt|eaf|png|mp4|svg|pdf|tex|md)$"
    r"|^/benchmarks/.*/(table|tables/\w+|download)/[\w-]+/$"
)
# Pages that differ by an id or a place in a list alone have the same elements.
VARYING = re.compile(r"/(?:[\w-]{12}|[0-9a-f]{16}|\d+)(?=/)")
# An administrator sees all that a researcher sees, and more.
FEWEST_PAGES = {ANNOTATOR: 7, ADMINISTRATOR: 35}
WORKED_OFF = 2
WIDE = {"width": 1280, "height": 800}
# A phone, and 1280 pixels at a zoom of 200%; the pages of benchmarks are looked at on desks too.
NARROW, WIDTHS = (390, 640), (390, 640, 1280, 1920)


@pytest.fixture
def filled_site(transactional_db, settings, tmp_path):
    """The site of `make demo`, its run begun, a campaign amid its protocol, item sets answered.

    Every kind of page has something to show. Returns the pages that only redirects lead to, and
    those that are other pages than their address tells.
    """
    settings.MEDIA_ROOT = tmp_path
    give_sample_videos(tmp_path)
    dataset = make_sample_site(say=lambda line: None)
    request = demo_request(dataset)
    assert request is not None
    job_ids = create_run(request=request, actor=dataset.owner).job_ids
    in_worker(lambda: work_on_takes(job_ids=job_ids[:WORKED_OFF]))
    training = make_protocol_site(dataset).rounds.get(phase=Phase.TRAINING)
    annotator = User.objects.get(username=ANNOTATOR)
    researchers, own = make_benchmark_site(dataset, annotator)
    return {
        ANNOTATOR: [reverse("consent", args=[training.public_id]), *own],
        ADMINISTRATOR: researchers,
    }


def linked_pages(page: Page) -> list[str]:
    addresses = page.eval_on_selector_all("a[href]", "links => links.map((link) => link.href)")
    host = urlsplit(page.url).netloc
    return [urlsplit(item).path for item in addresses if urlsplit(item).netloc == host]


def violations(page: Page, rules: tuple[str, ...]) -> list[dict[str, Any]]:
    if not page.evaluate("'axe' in window"):
        page.evaluate(Axe().axe_script)
    options = {"runOnly": rules, "resultTypes": ["violations"]}
    return page.evaluate("options => axe.run(options)", options)["violations"]


def problems_of(page: Page) -> list[str]:
    return [
        f"{urlsplit(page.url).path}: {item['help']}: {item['nodes'][0]['html'][:120]}"
        for item in violations(page, RULES)
    ]


def sideways_px(page: Page) -> list[str]:
    """Return the widths at which the whole page scrolls sideways."""
    found = []
    for width in WIDTHS if "/benchmarks/" in page.url else NARROW:
        page.set_viewport_size({"width": width, "height": 800})
        over_px = page.evaluate(
            "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )
        if over_px > 0:
            found.append(f"{urlsplit(page.url).path}: {over_px} px too wide at {width}")
    page.set_viewport_size(WIDE)
    return found


def dark_problems_of(page: Page) -> list[str]:
    """Return what is too faint on a dark screen."""
    page.emulate_media(color_scheme="dark")
    found = violations(page, ("color-contrast",))
    page.emulate_media(color_scheme="light")
    return [
        f"{urlsplit(page.url).path}, dark: {node['html'][:120]} {node['any'][0]['message']}"
        for item in found
        for node in item["nodes"]
    ]


def visit_all(page: Page, url: str, more: list[str]) -> dict[str, list[str]]:
    """Return what is wrong with each kind of page that links lead to from the start page.

    The pages of `more` are all looked at.
    """
    found: dict[str, list[str]] = {}
    waiting = deque(["/", *more])
    while waiting:
        path = waiting.popleft()
        kind = path if path in more else VARYING.sub("/…", path)
        if kind in found or NOT_OURS.search(path):
            continue
        page.goto(url + path)
        page.wait_for_load_state("networkidle")
        found[kind] = [*problems_of(page), *dark_problems_of(page), *sideways_px(page)]
        waiting += linked_pages(page)
    return found


def test_axe_finds_nothing_and_no_page_scrolls_sideways(page: Page, live_server, filled_site):
    page.goto(live_server.url + reverse("login"))
    assert problems_of(page) == []

    for account, fewest_pages in FEWEST_PAGES.items():
        log_in(page, live_server, account, password=PASSWORD)
        found = visit_all(page, live_server.url, filled_site[account])
        page.context.clear_cookies()

        assert [problem for problems in found.values() for problem in problems] == []
        assert len(found) >= fewest_pages, found.keys()
