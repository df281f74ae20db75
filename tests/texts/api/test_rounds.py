"""Rounds of texts and verdicts over the API, from a planned round to everybody's verdicts."""

import csv
from io import StringIO

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.services.campaigns.campaigns import add_raters
from tests.annotation.conftest import client_of
from tests.texts.reading_rounds import give, give_both, places, text_round
from texts.services.verdicts import answer_blind

pytestmark = pytest.mark.django_db


def address(made, name):
    ids = [made.campaign.public_id]
    return reverse(f"api-text-{name}", args=ids if name == "rounds" else [*ids, made.number])


def queries_of(client, path):
    with CaptureQueriesContext(connection) as captured:
        assert client.get(path).status_code == 200
    return len(captured)


def test_a_planned_round_is_set_opened_and_closed(owner, owner_client):
    made, _ = text_round(owner, is_open=False)
    settings = address(made, "round-settings")

    changed = owner_client.patch(settings, {"margin_s": 0.5}, "application/json").json()
    reasons = owner_client.patch(settings, {"reasons": ["Dull"]}, "application/json").json()
    refused = owner_client.patch(settings, {"margin_s": 61}, "application/json")
    opened = owner_client.post(address(made, "round-open")).json()
    late = owner_client.patch(settings, {"margin_s": 3}, "application/json")
    closed = owner_client.post(address(made, "round-close")).json()

    assert (changed["margin_s"], len(changed["reasons"])) == (0.5, 8)
    assert (reasons["margin_s"], reasons["reasons"]) == (0.5, [{"name": "dull", "title": "Dull"}])
    assert (refused.status_code, late.status_code) == (400, 409)
    assert opened["added_count"] == 8
    assert closed["closed_at"]
    [listed] = owner_client.get(address(made, "rounds")).json()
    assert (listed["text_count"], listed["assigned_count"], listed["given_count"]) == (4, 8, 0)
    assert [choice["name"] for choice in listed["verdicts"]] == ["accept", "edit", "reject"]


def test_every_verdict_is_listed_and_in_the_table(owner, owner_client):
    made, _ = text_round(owner, is_blind_first=True)
    for own in places(made, key="q0").values():
        answer_blind(public_id=own.public_id, answer=f"Tea {own.place}", actor=own.person)
    give_both(made, "q0", "accept", "reject")
    own = places(made, key="q0")

    listed = owner_client.get(address(made, "round-verdicts")).json()["results"]
    table = owner_client.get(
        reverse("text-verdicts-csv", args=[made.campaign.public_id, made.number])
    )
    rows = list(csv.DictReader(StringIO(b"".join(table.streaming_content).decode())))

    expected = [
        ("q0", own[1].person.username, "accept", [], "Tea 1"),
        ("q0", own[2].person.username, "reject", ["wrong"], "Tea 2"),
    ]
    assert [
        (row["source_key"], row["username"], row["verdict"], row["reasons"], row["blind_answer"])
        for row in listed
    ] == expected
    assert [
        (row["text"], row["person"], row["verdict"], row["reasons"].split(), row["blind_answer"])
        for row in rows
    ] == expected


def test_who_reads_lists_their_own_texts_and_nobody_elses(owner, outsider):
    made, people = text_round(owner)
    first, second = places(made, key="q0")[1], places(made, key="q0")[2]
    give(first, "reject", reasons=("unclear",), note="A secret note")
    path = reverse("api-texts")

    mine = client_of(first.person).get(path).json()["results"]
    left = client_of(first.person).get(path, {"left": "true"}).json()["results"]
    theirs = client_of(second.person).get(path)

    assert [row["id"] for row in mine if row["verdict"]] == [first.public_id]
    assert len(left) == len(mine) - 1
    assert "A secret note" not in theirs.content.decode()
    assert client_of(outsider).get(path).json()["results"] == []
    sizes = {len(client_of(person).get(path).json()["results"]) for person in people.values()}
    assert sum(sizes) > 0


@pytest.mark.parametrize("name", ["rounds", "round-settings", "round-verdicts"])
def test_strangers_find_nothing_and_readers_no_verdicts(owner, outsider, name):
    made, people = text_round(owner)
    path = address(made, name)

    assert client_of(outsider).get(path).status_code == 404
    assert client_of(people["ann"]).get(path).status_code == 403
    made.campaign.is_shared = True
    made.campaign.save()
    add_raters(campaign=made.campaign, raters=[outsider], actor=owner)
    status = client_of(outsider).get(path).status_code
    assert status == (403 if name == "round-verdicts" else 200)


def test_lists_take_as_many_queries_with_three_rows_as_with_one(owner, owner_client):
    made, _ = text_round(owner)
    give_both(made, "q0", "accept", "accept")
    reader = client_of(places(made, key="q0")[1].person)
    paths = [(owner_client, address(made, "round-verdicts")), (reader, reverse("api-texts"))]
    one = [queries_of(client, path) for client, path in paths]

    for key in ("q1", "q2"):
        give_both(made, key, "accept", "accept")

    assert [queries_of(client, path) for client, path in paths] == one
