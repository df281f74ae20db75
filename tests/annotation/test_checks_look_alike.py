"""Gold, traps and repeats look like any other trace: page, API, addresses, queries and keys."""

import json
import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from rest_framework.test import APIClient

from annotation.engine.taxonomy import Mod
from annotation.models import Assignment, GoldSource, Purpose
from annotation.services.ratings.gold import NewGold, mark_gold
from annotation.services.ratings.rounds import open_round
from tests.annotation.conftest import client_of
from tests.annotation.rating_changes import LOGIC
from tests.annotation.services.ratings.test_gold import draft, main_round
from tests.factories import EventFactory, StepFactory, TraceFactory, TraceStepFactory

CHANGE = {
    "sequence": 1, "event": 0, "metric": "taxonomy_fit", "value": "D", "base_revision": 0,
    "rated_at": "2026-01-01T00:00:00Z",
}  # fmt: skip
CHECKS = {"gold_count": 2, "trap_count": 1, "repeat_count": 1}


@pytest.fixture
def queue(owner):
    """Return one rater's queue in which every trace has the same shape: ids apart, all is alike."""
    campaign, people = draft(owner, traces=0)
    dataset = campaign.datasets.get()
    take = None
    for number in range(46):
        trace = TraceFactory(dataset=dataset, **({"take": take} if take else {}))
        take = trace.take
        event = EventFactory(trace=trace, index=0)
        step = take.steps.first() or StepFactory(take=take, index=0)
        TraceStepFactory(
            trace=trace, index=0, mod=Mod.ERROR, event=event, reference_step=step, text="Spill it"
        )
        if number < 6:
            source = GoldSource.TRAP if number > 3 else GoldSource.EXPERT
            new = NewGold(0, LOGIC, ["yes"], reason="The cup stays empty.", source=source)
            mark_gold(campaign=campaign, trace=trace, new=new, actor=owner)
    made = main_round(campaign, checks=CHECKS)
    open_round(planned=made, actor=owner)
    rows = Assignment.objects.filter(round=made, rater=people[0]).order_by("position")
    return list(rows.select_related("trace", "rater"))


def by_kind(queue):
    """Return an assignment of each kind, an ordinary one first."""
    kinds = {}
    for row in queue[1:]:
        trap = row.trace.gold.filter(source=GoldSource.TRAP).exists()
        kinds.setdefault("trap" if trap else row.purpose, row)
    assert set(kinds) == {"ordinary", "gold", "trap", "repeat"}
    return {"ordinary": kinds.pop("ordinary"), **kinds}


def without_ids(text, row):
    """Leave out what differs between any two traces: ids, tokens, times, the place in the queue."""
    ids = re.compile(r"\b[A-Za-z0-9_-]{12}\b(?=[/\"'&])")
    text = text.replace(row.public_id, "ID")
    text = re.sub(r"(\"opened\": \")[^\"]+", r"\1TOKEN", text)
    text = re.sub(r"(\"content\": \")[^\"]+", r"\1CONTENT", text)
    text = re.sub(r"(\"now\": \")[^\"]+", r"\1NOW", text)
    text = re.sub(r"csrf[^>]+value=\"[^\"]+\"", "CSRF", text)
    text = re.sub(r"nonce=\"[^\"]+\"", "NONCE", text)
    text = re.sub(r"Trace \d+ of", "Trace N of", text)
    text = re.sub(r", trace \d+", ", trace N", text)
    return ids.sub("ID", text)


def statements(seen):
    """Return the queries without the values in them."""
    return [
        re.sub(r"'[^']*'|\b\d+\b|\bs\d+_x\d+\b", "?", query["sql"])
        for query in seen.captured_queries
    ]


def test_every_kind_of_trace_gives_the_same_page_and_the_same_queries(queue):
    client = client_of(queue[0].rater)
    shown, asked = {}, {}
    for kind, row in by_kind(queue).items():
        with CaptureQueriesContext(connection) as seen:
            answer = client.get(reverse("audit", args=[row.public_id]))
        shown[kind] = without_ids(answer.content.decode(), row)
        asked[kind] = statements(seen)
        assert "gold" not in shown[kind].lower()
        data = re.search(r'id="audit-data"[^>]*>(.*?)</script>', answer.content.decode())
        shown[kind, "keys"] = list(json.loads(data.group(1)))

    for kind in ("gold", "trap", "repeat"):
        assert shown[kind].splitlines() == shown["ordinary"].splitlines(), kind
        assert shown[kind, "keys"] == shown["ordinary", "keys"]
        assert asked[kind] == asked["ordinary"], kind


def test_every_kind_of_trace_answers_the_api_alike(queue):
    client = APIClient()
    client.force_authenticate(queue[0].rater)
    listed = {item["id"]: item for item in client.get("/api/v1/assignments/").json()["results"]}
    rows = by_kind(queue)

    assert [item["position"] for item in listed.values()] == list(range(len(listed)))
    answers = {}
    for kind, row in rows.items():
        base = f"/api/v1/assignments/{row.public_id}"
        calls = [
            ("get", f"{base}/ratings/", None),
            ("post", f"{base}/changes/", {"client_id": "tab", "changes": [CHANGE]}),
            ("post", f"{base}/submit/", None),
            ("post", f"{base}/skip/", None),
            ("get", f"{base}/feedback/", None),
        ]
        given = [list(listed[row.public_id].items())[3:]]
        given = [[item for item in given[0] if item[0] != "position"]]
        asked = []
        for method, address, body in calls:
            with CaptureQueriesContext(connection) as seen:
                answer = getattr(client, method)(address, body, format="json")
            given.append((answer.status_code, json.dumps(answer.json()).replace(row.public_id, "")))
            asked.append(statements(seen))
        answers[kind] = (given, asked)

    for kind in ("gold", "trap", "repeat"):
        given, asked = answers[kind]
        assert given == answers["ordinary"][0], kind
        for mine, ordinary in zip(asked, answers["ordinary"][1], strict=True):
            assert mine == ordinary, kind


def test_the_queue_page_lists_every_kind_alike(queue):
    client = client_of(queue[0].rater)
    for row in queue:
        Assignment.objects.filter(pk=row.pk).update(
            status="submitted", submitted_at=row.round.opened_at
        )

    shown = client.get(reverse("queue")).content.decode()
    lines = {
        row.purpose: re.search(rf"<li>[^<]*<a href=\"[^\"]*{row.public_id}.*?</li>", shown).group()
        for row in queue
    }

    plain = {purpose: re.sub(r"/audit/[^/]+/", "", line) for purpose, line in lines.items()}
    assert set(plain) == set(Purpose.values)
    assert len(set(plain.values())) == 1
