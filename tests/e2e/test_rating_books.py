"""Five raters' workbooks come in through the browser, and their agreement is shown."""

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotation.engine.corpus.formats.registry import available_formats
from annotation.models import Rating, Role
from annotation.services.corpus.imports import ImportTarget, import_reading, read_files
from tests.e2e.looks import dark_problems_of, problems_of, sideways_px
from tests.e2e.site import enter
from tests.factories import UserFactory
from tests.rating_books import EVENT_LINES, VIDEO_LINES, write_book

pytestmark = pytest.mark.e2e

RATERS = ("anna", "ben", "chen", "dora", "emil")


def filled_in(place: int) -> dict[int, dict[str, object]]:
    cells = {line: {"O": 4 - place % 2} for line in VIDEO_LINES.values()}
    for line in EVENT_LINES.values():
        cells[line] = {
            "F": "Yes", "G": 1 + (place + line) % 5, "H": 2, "I": "Yes" if place else "No",
            "J": 3, "K": 4, "L": "No", "M": "WE", "N": 3,
        }  # fmt: skip
    return cells


def wrongs_of(page: Page) -> list[str]:
    return [*problems_of(page), *dark_problems_of(page), *sideways_px(page)]


def test_workbooks_are_mended_previewed_and_imported(
    page: Page, live_server, transactional_db, tmp_path
):
    researcher = UserFactory(username="researcher", role=Role.RESEARCHER)
    corpus = write_book(tmp_path / "tea.xlsx", {})
    import_reading(
        read_files(available_formats()["template"], corpus),
        target=ImportTarget("Tea", "template", researcher),
        actor=researcher,
    )
    names = [*(f"{rater}.xlsx" for rater in RATERS[:-1]), "Copy of the template.xlsx"]
    books = [write_book(tmp_path / name, filled_in(place)) for place, name in enumerate(names)]
    enter(page, live_server, researcher)
    page.goto(live_server.url + reverse("campaigns"))
    page.get_by_role("link", name="Import ratings").click()
    page.wait_for_url("**/ratings/import/")
    assert wrongs_of(page) == []
    page.get_by_label("Files").set_input_files(books)
    page.get_by_label("Guideline version").fill("1")
    page.get_by_role("button", name="Preview").click()

    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("rater is 'Copy of the template'; expected a user name")
    assert wrongs_of(page) == []
    page.get_by_label("Who filled in the workbooks").fill("Copy of the template.xlsx=emil")
    page.get_by_role("button", name="Preview again").click()
    expect(alert).to_have_count(0)
    expect(page.get_by_role("row", name="Copy of the template.xlsx")).to_contain_text("emil")
    expect(page.locator(".stat").first).to_contain_text("170")
    assert wrongs_of(page) == []
    assert not Rating.objects.exists()

    page.get_by_role("button", name="Import", exact=True).click()

    expect(page.get_by_text("Imported: 170 new ratings")).to_be_visible()
    page.get_by_role("link", name="Agreement", exact=True).click()
    expect(page.get_by_role("row", name="Text-Video Grounding")).to_be_visible()
    assert Rating.objects.count() == len(RATERS) * (8 * len(EVENT_LINES) + len(VIDEO_LINES))
