"""From the keyboard of a rater to the figure in the researcher's file."""

import csv
from datetime import UTC, datetime

import krippendorff
import pytest
from playwright.sync_api import BrowserContext, Page, expect

from annotation.engine.ratings.changes import Answer, RatingChange, RatingKey
from annotation.engine.rubric.rubric import Metric
from annotation.models import Role
from annotation.services.ratings.saving import save_changes
from tests.e2e.audit_page import (
    BROKEN_EVENT,
    CALM_EVENT,
    expect_saved,
    open_audit,
    rate_event,
    type_login,
)
from tests.factories import AssignmentFactory, CampaignRaterFactory, UserFactory

pytestmark = pytest.mark.e2e

# By event: what the rater types here (see CALM_EVENT and BROKEN_EVENT), and what a second one said.
TYPED_CONFUSABILITY = [2, 1, 2]
OTHER_CONFUSABILITY = [2, 2, 4]


def rate_as_second_rater(audit) -> None:
    second = UserFactory(username="second")
    campaign = audit.assignment.round.campaign
    CampaignRaterFactory(campaign=campaign, rater=second)
    assignment = AssignmentFactory(campaign=campaign, rater=second, trace=audit.assignment.trace)
    changes = [
        RatingChange(
            sequence=index,
            key=RatingKey(index, Metric.CONFUSABILITY),
            answer=Answer(str(value)),
            base_revision=0,
            rated_at=datetime(2026, 3, 1, tzinfo=UTC),
        )
        for index, value in enumerate(OTHER_CONFUSABILITY)
    ]
    save_changes(
        public_id=assignment.public_id, client_id="other-tab", changes=changes, actor=second
    )


def test_the_researcher_downloads_the_alpha_of_what_was_typed(
    page: Page, context: BrowserContext, live_server, audit, tmp_path
):
    rate_as_second_rater(audit)
    researcher = UserFactory(username="researcher", role=Role.RESEARCHER)
    campaign = audit.assignment.round.campaign
    campaign.owner = researcher
    campaign.save()
    campaign.datasets.add(audit.assignment.trace.dataset)
    open_audit(page, live_server, audit)
    rate_event(page, CALM_EVENT)
    context.set_offline(True)
    rate_event(page, BROKEN_EVENT)
    context.set_offline(False)
    rate_event(page, CALM_EVENT)
    page.keyboard.press("4")
    expect_saved(page)
    page.keyboard.press("s")
    expect(page.locator("#notices")).to_contain_text("Submitted")

    context.clear_cookies()
    page.goto(live_server.url + "/login/")
    type_login(page, "researcher")
    page.get_by_role("link", name="Agreement").first.click()
    with page.expect_download() as download:
        page.get_by_role("link", name="Agreement as CSV").click()

    path = tmp_path / "agreement.csv"
    download.value.save_as(path)
    lines = path.read_text(encoding="utf-8").splitlines()
    rows = {row["metric"]: row for row in csv.DictReader(lines)}
    expected = krippendorff.alpha(
        reliability_data=[TYPED_CONFUSABILITY, OTHER_CONFUSABILITY],
        level_of_measurement="ordinal",
    )
    assert float(rows["confusability"]["alpha"]) == pytest.approx(expected, abs=1e-12)
    assert (rows["confusability"]["units"], rows["confusability"]["ratings"]) == ("3", "6")
    assert rows["error_validity"]["alpha"] == ""
    assert "two" in rows["error_validity"]["reason"]
