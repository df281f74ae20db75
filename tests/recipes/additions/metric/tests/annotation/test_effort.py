"""The new metric is asked, saved, required, exported, read back and counted."""

import csv
import io
import json

import pytest
from django.core.management import call_command
from django.urls import reverse
from rest_framework.test import APIClient

from annotation.engine.rubric.rubric import Metric, current_rubric
from annotation.models import Assignment, Phase, Rating
from annotation.services.campaigns.campaigns import (
    NewCampaign,
    add_raters,
    close_campaign,
    create_campaign,
)
from annotation.services.ratings.assignments import submit_assignment
from annotation.services.ratings.errors import IncompleteError
from tests.annotation.conftest import client_of
from tests.factories import DatasetFactory, EventFactory, TraceFactory, UserFactory


@pytest.fixture
def campaign(owner):
    dataset = DatasetFactory(owner=owner, name="Bikes")
    EventFactory(trace=TraceFactory(dataset=dataset), index=0)
    made = create_campaign(
        new=NewCampaign("Spring", overlap=2, phase=Phase.MAIN), datasets=[dataset], actor=owner
    )
    add_raters(campaign=made, raters=[UserFactory(), UserFactory()], actor=owner)
    return made


def rate(assignment, value):
    api = APIClient()
    api.force_authenticate(assignment.rater)
    change = {"sequence": 1, "event": 0, "metric": "effort", "value": value, "base_revision": 0,
              "rated_at": "2026-02-01T10:00:00Z"}  # fmt: skip
    return api.post(
        f"/api/v1/assignments/{assignment.public_id}/changes/",
        {"client_id": "tab", "changes": [change]},
        format="json",
    )


def test_new_campaigns_ask_it(campaign):
    assignment = Assignment.objects.first()

    page = client_of(assignment.rater).get(reverse("audit", args=[assignment.public_id]))

    assert campaign.rounds.get().ratings.rubric_version == current_rubric().version
    assert current_rubric().metrics[-1].metric is Metric.EFFORT
    assert "How tiring is it to put right?" in page.content.decode()
    assert '"effort"' in page.content.decode()


def test_answers_are_saved_required_counted_and_exported(campaign, owner, tmp_path, capsys):
    first, second = Assignment.objects.order_by("pk")
    assert [rate(item, value).status_code for item, value in ((first, "2"), (second, "4"))] == [
        200, 200,
    ]  # fmt: skip
    assert rate(first, "6").status_code == 400
    with pytest.raises(IncompleteError):
        submit_assignment(assignment=first, actor=first.rater)
    close_campaign(campaign=campaign, actor=owner)

    path = tmp_path / "ratings.csv"
    call_command("export_ratings", "--out", str(path))
    call_command("import_ratings", str(path))
    rows = list(csv.DictReader(io.StringIO(path.read_text())))
    assert [(row["metric"], row["value"], row["rubric_version"]) for row in rows] == [
        ("effort", value, current_rubric().version) for value in ("2", "4")
    ]  # fmt: skip
    assert "Nothing changed" in capsys.readouterr().out

    call_command("agreement", "--dataset", "Bikes", "--campaign", "Spring", "--json")
    [row] = [item for item in json.loads(capsys.readouterr().out) if item["metric"] == "effort"]
    assert row["ratings"] == 2
    page = client_of(owner).get(reverse("campaign-report", args=[campaign.public_id]))
    assert "Effort" in page.content.decode()
    assert Rating.objects.filter(metric=Metric.EFFORT).count() == 2
