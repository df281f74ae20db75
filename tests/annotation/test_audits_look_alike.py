"""Who audits the second time cannot tell what was corrected from what nobody touched.

Pages, answers of the API, addresses and queries are the same but for the segments themselves; no
name, source or earlier round is anywhere within reach.
"""

import json
import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from rest_framework.test import APIClient

from annotation.services.campaigns.campaigns import add_raters
from segments.models import SegmentRecording, SegmentSource, Stage
from tests.annotation.conftest import client_of
from tests.routes import routes_of_the_site
from tests.segments.campaigns import audit_and_correction, corrected, opened

pytestmark = pytest.mark.django_db
SOURCE = "hidden-source-of-proposals"
# What `newKey` of static/segments/js/book.js gives: the end of a random UUID.
KEY_OF_THE_PAGE = r"[0-9a-f]{12}"


@pytest.fixture
def second_audit(owner):
    """Return campaign, the third person, and their work: two corrected recordings, two controls."""
    campaign, people, _, correction = audit_and_correction(owner)
    dataset = campaign.datasets.get()
    dataset.name = "hidden-dataset"
    dataset.save()
    for own in correction.segmentations.all():
        corrected(own)
    SegmentRecording.objects.update(proposal_source=SOURCE)
    made, _ = opened(
        campaign, owner, stage=Stage.AUDIT, scheme="partition", source=SegmentSource.ROUND,
        source_round=correction, people=[people["dora"]],
    )  # fmt: skip
    return campaign, people["dora"], list(made.segmentations.select_related("recording"))


def neutral(text, own):
    """Leave out what differs between any two recordings: ids, tokens, times, places, segments."""
    text = text.replace(own.public_id, "ID")
    text = re.sub(r"/video/[^/\"]+/", "/video/TOKEN/", text)
    text = re.sub(r'"(opened|content|now)": "[^"]*"', r'"\1": ""', text)
    text = re.sub(r"csrf[^>]+value=\"[^\"]+\"", "CSRF", text)
    text = re.sub(r"nonce=\"[^\"]+\"", "NONCE", text)
    text = re.sub(r"Recording \d+ of", "Recording N of", text)
    text = re.sub(r"recording \d+", "recording N", text)
    return re.sub(r'"rows": \[.*?\]\]', '"rows": []', text, flags=re.DOTALL)


def shapes(value):
    """Return the structure of an answer without its values."""
    if isinstance(value, dict):
        return {key: shapes(item) for key, item in value.items()}
    if isinstance(value, list):
        return [shapes(item) for item in value[:1]]
    return type(value).__name__


def statements(seen):
    return [
        re.sub(r"'[^']*'|\b\d+\b|\bs\d+_x\d+\b", "?", query["sql"])
        for query in seen.captured_queries
        # One row per segment, in one statement.
        if not query["sql"].startswith("INSERT")
    ]


def test_corrected_recordings_and_controls_give_the_same_page_and_queries(second_audit):
    _, person, work = second_audit
    client, shown, asked = client_of(person), {}, {}
    for own in sorted(work, key=lambda own: own.recording.is_control):
        address = reverse("segments", args=[own.public_id])
        for visit in ("first", "later"):
            with CaptureQueriesContext(connection) as seen:
                answer = client.get(address)
            kind = own.recording.is_control, visit
            page = neutral(answer.content.decode(), own)
            assert shown.setdefault(kind, page) == page
            asked.setdefault(kind, statements(seen))

    for visit in ("first", "later"):
        assert shown[True, visit].splitlines() == shown[False, visit].splitlines()
        assert asked[True, visit] == asked[False, visit]


def test_the_api_answers_alike_and_segments_have_no_past(second_audit):
    _, person, work = second_audit
    client = APIClient()
    client.force_authenticate(person)
    given = {}
    for own in work:
        base = f"/api/v1/segmentations/{own.public_id}"
        read = client.get(f"{base}/").json()
        columns = read["segments"]["columns"]
        rows = [dict(zip(columns, row, strict=True)) for row in read["segments"]["rows"]]
        assert {row["revision"] for row in rows} == {1}
        assert not any(row["is_proposal"] or row["is_flagged"] or row["note"] for row in rows)
        assert all(re.fullmatch(KEY_OF_THE_PAGE, row["key"]) for row in rows)
        assert (read["lanes"], read["asked"], read["checks"], read["reference"]) == ([], [], [], [])
        history = client.get(f"{base}/history/").json()
        assert [item["name"] for item in history] == ["begin"]
        refused = client.post(f"{base}/submit/")
        given.setdefault(own.recording.is_control, []).append(
            (shapes(read), shapes(history), refused.status_code, shapes(refused.json()))
        )

    assert given[True][0] == given[False][0]
    assert all(item == given[True][0] for kind in given.values() for item in kind)


def test_the_queue_names_all_alike(second_audit):
    _, person, _ = second_audit
    shown = client_of(person).get(reverse("queue")).content.decode()

    lines = re.findall(r"<li><a href=\"/segments/[^/]+/\">(.*?)</li>", shown)
    assert len(lines) == 4
    assert len({re.sub(r"recording \d+", "recording N", line) for line in lines}) == 1
    assert "Answer questions about each segment" in shown
    assert "control" not in shown.lower()


def test_no_address_tells_the_third_person_what_is_hidden(second_audit):
    """Every route of the site with every id that there is."""
    campaign, person, _ = second_audit
    ids = {
        "campaigns": [campaign.public_id],
        "datasets": [campaign.datasets.get().public_id],
        "queue": [made.public_id for made in campaign.rounds.all()],
        "segments": [
            own.public_id for made in campaign.rounds.all() for own in made.segmentations.all()
        ],
    }
    ids["segmentations"] = ids["segments"]
    client = client_of(person)
    hidden = ("ann", "ben", "cem", "hidden-dataset", SOURCE, "take-", "is_control")
    reached, leaks = [], []
    for route in routes_of_the_site():
        kind = route.removeprefix("api/v1/").split("/")[0]
        if kind not in ids or re.search(r"<str:|<path:", route):
            continue
        for public_id in ids[kind]:
            for number in "123":
                address = re.sub(r"<slug:\w+>", public_id, route)
                address = re.sub(r"<int:\w+>", number, address)
                answer = client.get(f"/{address}")
                if answer.status_code == 200:
                    body = b"".join(answer) if answer.streaming else answer.content
                    text = re.sub(r"[A-Za-z0-9_-]{12,}", "", body.decode(errors="replace"))
                    reached.append(address)
                    leaks += [(address, word) for word in hidden if re.search(rf"\b{word}\b", text)]
                if "<int" not in route:
                    break

    assert len(reached) > 8
    assert leaks == []


def test_a_researcher_who_works_in_the_campaign_finds_neither_source_nor_controls(second_audit):
    campaign, _, _ = second_audit
    add_raters(campaign=campaign, raters=[campaign.owner], actor=campaign.owner)
    client = client_of(campaign.owner)
    api = APIClient()
    api.force_authenticate(campaign.owner)

    for number in (1, 2, 3):
        page = client.get(reverse("segment-round", args=[campaign.public_id, number]))
        assert "Hidden while you" in page.content.decode()
        text = page.content.decode()
        assert not [word for word in (SOURCE, "control", "take-", "round 2</a>") if word in text]
        read = api.get(f"/api/v1/campaigns/{campaign.public_id}/segment-rounds/{number}/").json()
        hidden = ("source", "source_round", "control_count", "recordings")
        assert {name: read[name] for name in hidden} == dict.fromkeys(hidden)
    listed = json.dumps(api.get(f"/api/v1/campaigns/{campaign.public_id}/segment-rounds/").json())
    assert '"source": null' in listed
    assert '"control_count": 2' not in listed
