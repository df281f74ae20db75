"""The task `guide` through the frame: a set, its audit, files, an endpoint, judges, its pages."""

import json

import pytest
from django.urls import reverse

from benchmarks.engine.tasks.guide.items import EVERY
from tests.benchmarks.answering_server import AnsweringServer
from tests.benchmarks.asked import assessed, model, small_set
from tests.benchmarks.made import (
    as_csv,
    as_lines,
    baseline_values,
    figures_of,
    frozen_set,
    uploaded,
)

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("points", ["at events, silent ones 3 s away", EVERY])
def test_files_score_as_the_baseline_and_the_audit_works(sample, owner, owner_client, points):
    made = frozen_set(sample, owner, "guide", settings={"points": points})

    for place, baseline in enumerate(made.assessments.order_by("pk")):
        values = baseline_values(made, place)
        from_csv = uploaded(made, owner, as_csv(made, values), name=f"csv {place}")
        from_lines = uploaded(made, owner, as_lines(values), "a.jsonl", name=f"lines {place}")
        assert figures_of(from_csv) == figures_of(from_lines) == figures_of(baseline)
    assert made.shortcuts["item_count"] == made.item_count
    page = owner_client.get(reverse("item-set", args=[made.public_id]))
    assert "own history" in page.content.decode()


def test_a_model_that_thinks_aloud_is_malformed_and_never_silent(sample, owner, owner_client):
    made = small_set(sample, owner, "guide", item_count=6)
    replies = iter(
        ["$interrupt$ Go on.", "I think all is well.", "$silent$", "Hm: $interrupt$ Stop."]
    )

    with AnsweringServer(answers=lambda body: next(replies, "$silent$")) as server:
        done = assessed(made, model(server, owner), owner)

    rows = list(done.answers.order_by("pk"))
    assert [row.status for row in rows[:4]] == ["read", "malformed", "read", "read"]
    assert rows[1].value is None
    assert rows[3].value == {
        "answer": "interrupt", "text": "Stop.", "literal": "silent", "malformed": True,
    }  # fmt: skip
    figures = figures_of(done)
    assert figures["malformed_share"][0] == pytest.approx(2 / len(rows))
    asked = [json.dumps(one.body) for one in server.asked]
    assert "Go on." in asked[1]
    page = owner_client.get(reverse("assessment", args=[done.public_id]))
    assert page.status_code == 200
    assert "as the released scorer reads" in page.content.decode()
