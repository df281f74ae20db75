"""Figures of a round of segments in a browser: read, downloaded, and a data set made of them."""

import csv
import json
import os
from dataclasses import replace

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotation.models import Dataset, Role
from tests.e2e.site import enter
from tests.factories import DatasetFactory, SegmentRoundFactory, UserFactory
from tests.segments.segmented_rounds import finish, make_take, steps_of

pytestmark = pytest.mark.e2e

FIRST = steps_of(("a", 0, 4), ("b", 5, 9), ("-1", 9, 10), ("c", 10, 16))
SECOND = steps_of(("a", 0, 5), ("b", 5, 8), ("c", 11, 16), ("d", 17, 19))


def show(page, name):
    """Keep a picture where the variable names a folder."""
    if folder := os.environ.get("PIEV_SHOTS"):
        page.screenshot(path=f"{folder}/{name}.png", full_page=True)


def test_figures_are_read_and_a_data_set_is_made_of_the_round(page: Page, live_server, tmp_path):
    owner = UserFactory(username="researcher", role=Role.RESEARCHER)
    made = SegmentRoundFactory().round
    made.campaign.owner = owner
    made.campaign.name = "Kitchen"
    made.campaign.save()
    ada, ben = UserFactory(username="ada"), UserFactory(username="ben")
    dataset = DatasetFactory(owner=owner)
    for place in range(4):
        take = make_take(scenario="Tea" if place < 3 else "Soup", uid=f"V{place}", dataset=dataset)
        whole = [replace(item, text="grasp a pen" if item.key == "k2" else "") for item in FIRST]
        finish(made, take, ada, whole, status="accepted")
        finish(made, take, ben, SECOND)
    complaints = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    enter(page, live_server, owner)

    page.goto(
        live_server.url + reverse("segment-round", args=[made.campaign.public_id, made.number])
    )
    page.get_by_role("link", name="Figures").click()
    expect(page.get_by_role("heading", name="Figures of round 1")).to_be_visible()
    row = page.get_by_role("row", name="F1@.50").first
    expect(row.get_by_role("cell").first).to_have_text("0.857")
    expect(row.get_by_role("img")).to_have_attribute("aria-label", "0.857")
    expect(row).to_contain_text("nearly every resample gives this figure, so there is no interval")
    show(page, "segment-figures")
    assert Axe().run(page).violations_count == 0
    with page.expect_download() as download:
        page.get_by_role("link", name="Figures as CSV").click()
    download.value.save_as(tmp_path / "figures.csv")
    with (tmp_path / "figures.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["campaign"] for row in rows} == {"Kitchen"}

    page.set_viewport_size({"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    show(page, "segment-figures-390")
    page.set_viewport_size({"width": 1280, "height": 800})
    page.get_by_role("link", name="Files and data set").click()
    show(page, "segment-results")
    assert Axe().run(page).violations_count == 0
    page.get_by_label("Format").select_option("piev")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download").click()
    download.value.save_as(tmp_path / "segments.json")
    assert len(json.loads((tmp_path / "segments.json").read_text())["recordings"]) == 8
    page.get_by_label("Name of the new data set").fill("Kitchen, whole")
    page.get_by_role("button", name="Make the data set").click()
    expect(page.get_by_role("heading", name="Kitchen, whole")).to_be_visible()
    expect(page.get_by_role("link", name="Round 1 of Kitchen")).to_be_visible()
    show(page, "segment-data-set")
    assert Axe().run(page).violations_count == 0
    assert Dataset.objects.get(name="Kitchen, whole").takes.count() == 4
    assert complaints == []
