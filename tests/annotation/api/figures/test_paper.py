"""Tables and pictures over the API: the same files as on the page, and JSON."""

import pytest
from rest_framework.test import APIClient

from annotation import launch
from annotation.models import Rating
from tests.annotation.drawn import draw_all
from tests.annotation.two_rounds import make_two_rounds

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign(owner):
    return make_two_rounds(owner)


@pytest.fixture
def api(owner):
    client = APIClient()
    client.force_authenticate(owner)
    return client


def address_of(item, end):
    kind = type(item).__name__.lower()
    return f"/api/v1/{kind}s/{item.public_id}/{end}/"


def test_table_is_json_unless_a_file_is_asked_for(api, owner):
    campaign = make_two_rounds(owner, times=5)
    address = address_of(campaign, "tables/S3")

    data = api.get(address).json()
    files = {form: api.get(address, {"form": form}) for form in ("csv", "latex", "markdown")}

    ours = data["groups"][-1]
    assert (data["key"], ours["title"]) == ("S3", "Ours")
    assert [row["label"] for row in ours["rows"]] == ["Tea (round 1)", "Tea (round 2)"]
    cell = ours["rows"][1]["cells"]["confusability"]
    assert cell["low"] <= cell["value"] <= cell["high"]
    assert {form: answer.headers["Content-Type"] for form, answer in files.items()} == {
        "csv": "text/csv; charset=utf-8",
        "latex": "application/x-tex; charset=utf-8",
        "markdown": "text/markdown; charset=utf-8",
    }
    assert files["csv"].content.startswith(b"group,label,error_validity,")
    assert b"\\begin{tabular}" in files["latex"].content


def test_row_of_too_few_answers_is_left_out_unless_it_is_asked_for(api, campaign):
    Rating.objects.filter(assignment__round__number=2).exclude(value="5").delete()
    address = address_of(campaign, "tables/3")

    left_out, asked_for = (api.get(address, query).json() for query in ({}, {"incomplete": "yes"}))

    groups = [
        {group["title"]: group["rows"] for group in told["groups"]}
        for told in (left_out, asked_for)
    ]
    assert [row["label"] for row in groups[0]["Ours"]] == ["Tea (round 1)"]
    assert "Left out: Tea (round 2)" in " ".join(left_out["notes"])
    [row] = groups[1]["Ours, of too few answers to compare"]
    assert (row["label"], row["is_compared"]) == ("Tea (round 2)", False)


def test_table_of_a_data_set_has_the_rounds_of_its_campaigns(api, campaign):
    address = address_of(campaign.datasets.get(), "tables/5")

    rows = api.get(address).json()["groups"][-1]["rows"]

    assert [row["label"] for row in rows] == ["Tea (round 1)", "Tea (round 2)"]


def test_picture_is_the_one_of_the_page(api, owner_client, campaign):
    early = api.get(address_of(campaign, "pictures/before-after"))
    draw_all()
    svg = api.get(address_of(campaign, "pictures/before-after"))
    pdf = api.get(address_of(campaign, "pictures/before-after"), {"form": "pdf"})

    assert (early.status_code, early.headers["Retry-After"]) == (202, "2")
    assert early.json() == {"detail": "The picture is being drawn; ask again later."}
    assert svg.headers["Content-Type"] == "image/svg+xml"
    page = owner_client.get(f"/campaigns/{campaign.public_id}/paper/before-after.svg")
    assert svg.content == page.content
    assert pdf.content.startswith(b"%PDF-")


@pytest.mark.parametrize(
    ("end", "query", "status"),
    [
        ("tables/9", {}, 404),
        ("tables/3", {"form": "xlsx"}, 400),
        ("tables/3", {"round": "0"}, 400),
        ("tables/3", {"round": "7"}, 404),
        ("tables/3", {"informed": "maybe"}, 400),
        ("pictures/pie", {}, 404),
        ("pictures/forest", {"form": "png"}, 400),
    ],
)
def test_what_there_is_not_is_refused(api, campaign, end, query, status):
    assert api.get(address_of(campaign, end), query).status_code == status


@pytest.mark.parametrize("end", ["tables/3", "pictures/forest"])
def test_before_there_are_figures_the_answer_says_when_to_ask_again(
    api, campaign, monkeypatch, end
):
    monkeypatch.setattr(launch, "RATINGS_AT_ONCE", 3)
    monkeypatch.setattr(launch, "send_jobs", lambda **sent: None)

    answer = api.get(address_of(campaign, end))

    assert (answer.status_code, answer.headers["Retry-After"]) == (202, "2")
