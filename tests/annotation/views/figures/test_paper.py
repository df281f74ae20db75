"""The page of tables and pictures: for whom it opens, what it shows, its files."""

import csv
import io

import pytest
from django.db import connection
from django.db.models import F
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from annotation import launch
from annotation.analytics.pictures.paper_pictures import PaperPicture
from annotation.analytics.tables.paper_tables import PaperTable
from annotation.engine.ratings.adjudication import Cause
from annotation.engine.rubric.rubric import Metric
from annotation.models import (
    AgreementFigures,
    Assignment,
    Campaign,
    Case,
    DrawnPicture,
    Rating,
)
from annotation.services.figures import drawing
from annotation.services.ratings.desk import decide_case
from tests.annotation.disagreements import make_pilot
from tests.annotation.drawn import draw_all, get_drawn
from tests.annotation.two_rounds import make_two_rounds
from tests.factories import AssignmentFactory, DatasetFactory, EventFactory, TraceFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign(owner) -> Campaign:
    return make_two_rounds(owner)


def page_of(client, campaign, query=""):
    return client.get(reverse("campaign-paper", args=[campaign.public_id]) + query)


def text_of(response):
    return " ".join(response.content.decode().replace("\xa0", " ").split())


def csv_of(client, campaign, key, query=""):
    address = reverse("campaign-paper-table", args=[campaign.public_id, key, "csv"])
    lines = client.get(address + query).content.decode().splitlines()
    return {line["label"]: line for line in csv.DictReader(lines)}


def addresses(campaign):
    dataset = campaign.datasets.get()
    for kind, item in (("campaign", campaign), ("dataset", dataset)):
        yield reverse(f"{kind}-paper", args=[item.public_id])
        yield reverse(f"{kind}-paper-cases", args=[item.public_id])
        yield reverse(f"{kind}-paper-table", args=[item.public_id, "S3", "tex"])
        yield reverse(f"{kind}-paper-table", args=[item.public_id, "CASES", "tex"])
        yield reverse(f"{kind}-paper-picture", args=[item.public_id, "forest", "svg"])


def test_page_and_files_open_to_their_owner_only(
    client, owner_client, outsider_client, annotator_client, administrator_client, campaign
):
    for address in addresses(campaign):
        get_drawn(owner_client, address)
        statuses = [
            visitor.get(address).status_code
            for visitor in (
                owner_client,
                administrator_client,
                outsider_client,
                annotator_client,
                client,
            )
        ]

        assert statuses == [200, 200, 404, 403, 302], address


def test_page_shows_every_table_and_picture_with_its_files(owner_client, campaign):
    page_of(owner_client, campaign)
    draw_all()
    text = text_of(page_of(owner_client, campaign))

    assert reverse("campaign-paper-cases", args=[campaign.public_id]) in text
    for which in PaperTable:
        if which is PaperTable.EXAMPLES:
            continue
        for suffix in ("csv", "tex", "md"):
            key = which.value
            address = reverse("campaign-paper-table", args=[campaign.public_id, key, suffix])
            assert f'href="{address}"' in text
    for which in PaperPicture:
        for suffix in ("svg", "pdf"):
            key = which.value
            address = reverse("campaign-paper-picture", args=[campaign.public_id, key, suffix])
            assert f'href="{address}"' in text
            answer = owner_client.get(address)
            assert (answer.status_code, answer.content[:4]) == (
                200,
                b"<?xm" if suffix == "svg" else b"%PDF",
            )
    assert "Ego-Exo4D-GPT-5.2-PJ (PIE-V+GPT, judged)" in text
    assert "Tea (round 1)" in text
    assert "Tea (round 2)" in text
    assert "Audit, round 2 (main), guideline 2; 2 raters, 2.00 per event on average" in text


def test_row_of_ours_is_that_of_the_stored_figures(owner_client, owner):
    campaign = make_two_rounds(owner, times=5)
    address = reverse("campaign-report-csv", args=[campaign.public_id])
    stored = {
        (row["round"], row["metric"]): row
        for row in csv.DictReader(
            io.StringIO(b"".join(owner_client.get(address).streaming_content).decode())
        )
    }

    rows = csv_of(owner_client, campaign, "S3")

    for number in ("1", "2"):
        found = rows[f"Tea (round {number})"]
        alpha = stored[number, "confusability"]
        assert found["confusability"] == alpha["alpha"]
        assert found["confusability_low"] == alpha["alpha_low"]
        assert found["confusability_high"] == alpha["alpha_high"]
        assert found["error_validity"] == ""
        assert "Err.Valid: No ratings." in found["notes"]


def test_one_round_is_shown_alone_and_named_after_the_data_set(owner_client, campaign):
    rows = csv_of(owner_client, campaign, "S3", "?round=2")

    assert {"Tea", "EgoPER"} <= set(rows)
    assert "Tea (round 2)" not in rows


def test_table_of_the_sample_counts_mistake_steps_and_events(owner_client, campaign):
    row = csv_of(owner_client, campaign, "S2")["Tea (round 2)"]

    # Six traces of five steps, each with a swap: two marked steps, one event.
    assert (row["videos"], row["total_steps"]) == ("6", "30")
    assert (row["mistake_steps"], row["mistakes"], row["corrections"]) == ("12", "6", "0")
    assert (row["mistake_rate"], row["mistakes_per_video"]) == ("40.0", "2.0")


@pytest.fixture
def barely_begun(campaign) -> Campaign:
    """The campaign, whose second round has one answer of one person to one of six events."""
    answers = Rating.objects.filter(assignment__round__number=2).order_by("pk")
    answers.exclude(pk=answers.filter(value="5").first().pk).delete()
    return campaign


@pytest.mark.parametrize("suffix", ["csv", "tex", "md"])
@pytest.mark.parametrize("key", ["3", "5", "S2"])
def test_row_of_one_answer_leaves_only_when_asked_for(owner_client, barely_begun, key, suffix):
    address = reverse("campaign-paper-table", args=[barely_begun.public_id, key, suffix])

    content = owner_client.get(address).content.decode()
    asked_for = owner_client.get(address, {"incomplete": "yes"}).content.decode()

    rows = [
        [line for line in text.splitlines() if "Tea (round 2)" in line and "Left out" not in line]
        for text in (content, asked_for)
    ]
    assert (len(rows[0]), len(rows[1])) == (0, 1)
    assert "of too few answers to compare" in asked_for
    assert "textbf{5.00}" not in asked_for
    assert "**5.00**" not in asked_for
    assert ("Left out: Tea" in content) is (suffix != "csv")


def test_page_shows_a_row_of_one_answer_apart_and_never_bold(owner_client, barely_begun):
    text = text_of(page_of(owner_client, barely_begun))

    assert "Ours, of too few answers to compare" in text
    assert "<b>5.00</b>" not in text
    assert "1 of 12 planned answers to a metric, 1 rater: too few to compare." in text
    report = owner_client.get(reverse("campaign-report", args=[barely_begun.public_id]))
    assert "too few answers</span>" in report.content.decode()


def test_picture_has_a_round_of_one_answer_only_when_asked_for(owner_client, barely_begun):
    address = reverse("campaign-paper-picture", args=[barely_begun.public_id, "forest", "svg"])

    content = get_drawn(owner_client, address).content.decode()
    asked_for = get_drawn(owner_client, address, {"incomplete": "yes"}).content.decode()

    assert ("(round 1)" in content, "(round 2)" in content) == (True, False)
    assert "(round 2)" in asked_for


@pytest.mark.parametrize("round", ["7", "x", "٣", "-1", "1" * 400])
def test_round_that_there_is_not_is_not_found(owner_client, campaign, round):
    for address in addresses(campaign):
        assert owner_client.get(address, {"round": round}).status_code == 404


@pytest.mark.parametrize(
    ("name", "key", "suffix"),
    [
        ("campaign-paper-table", "9", "csv"),
        ("campaign-paper-table", "3", "json"),
        ("campaign-paper-picture", "pie", "svg"),
        ("campaign-paper-picture", "forest", "png"),
    ],
)
def test_file_that_there_is_not_is_not_found(owner_client, campaign, name, key, suffix):
    address = reverse(name, args=[campaign.public_id, key, suffix])

    assert owner_client.get(address).status_code == 404


def test_picture_that_the_browser_has_is_not_sent_again(owner_client, campaign):
    address = reverse("campaign-paper-picture", args=[campaign.public_id, "forest", "svg"])
    first = get_drawn(owner_client, address)

    again = owner_client.get(address, headers={"If-None-Match": first.headers["ETag"]})
    other = get_drawn(
        owner_client,
        address,
        {"published": "yes"},
        headers={"If-None-Match": first.headers["ETag"]},
    )

    assert first.headers["Cache-Control"] == "private, no-cache"
    assert (again.status_code, again.content) == (304, b"")
    assert other.status_code == 200
    assert b">EgoPER*<" in other.content


def test_picture_is_served_under_the_policy_of_the_site(owner_client, campaign):
    address = reverse("campaign-paper-picture", args=[campaign.public_id, "forest", "svg"])

    answer = get_drawn(owner_client, address)

    assert answer.headers["Content-Type"] == "image/svg+xml"
    assert "style-src 'self'" in answer.headers["Content-Security-Policy"]
    assert b" style=" not in answer.content
    assert b"<style" not in answer.content
    assert b"<script" not in answer.content


@pytest.mark.parametrize(("kind", "count"), [("campaign", 14), ("dataset", 13)])
def test_picture_is_read_with_its_file_in_one_query(
    owner_client, campaign, django_assert_num_queries, kind, count
):
    item = campaign if kind == "campaign" else campaign.datasets.get()
    address = reverse(f"{kind}-paper-picture", args=[item.public_id, "forest", "pdf"])
    first = get_drawn(owner_client, address).content

    with django_assert_num_queries(count):
        again = owner_client.get(address).content

    assert first == again
    assert again.startswith(b"%PDF")


def test_before_there_are_figures_the_page_says_so_and_files_wait(
    owner_client, campaign, monkeypatch
):
    monkeypatch.setattr(launch, "RATINGS_AT_ONCE", 3)
    monkeypatch.setattr(launch, "send_jobs", lambda **sent: None)
    table = reverse("campaign-paper-table", args=[campaign.public_id, "3", "csv"])
    picture = reverse("campaign-paper-picture", args=[campaign.public_id, "forest", "svg"])

    text = text_of(page_of(owner_client, campaign))

    assert "The figures are being computed" in text
    assert "<table" not in text
    assert owner_client.get(table).url == reverse("campaign-paper", args=[campaign.public_id])
    assert owner_client.get(picture).status_code == 404


def test_picture_waits_for_a_worker_and_is_drawn_once(owner_client, campaign, monkeypatch):
    address = reverse("campaign-paper-picture", args=[campaign.public_id, "forest", "pdf"])

    waiting = text_of(page_of(owner_client, campaign))
    early = owner_client.get(address)
    jobs = DrawnPicture.objects.exclude(job=None).count()
    draw_all()
    monkeypatch.setattr(drawing, "draw_picture", pytest.fail)
    shown = text_of(page_of(owner_client, campaign))

    assert waiting.count("The picture is being drawn.") == 3
    assert 'data-hx-trigger="every 2s"' in waiting
    assert f'href="{address}"' not in waiting
    assert (early.status_code, early.url) == (
        302,
        reverse("campaign-paper", args=[campaign.public_id]),
    )
    assert jobs == 3
    assert "is being drawn" not in shown.replace("being drawn; try the download again", "")
    assert 'data-hx-trigger="every' not in shown
    assert owner_client.get(address).content[:4] == b"%PDF"
    assert DrawnPicture.objects.count() == 3


def test_picture_of_other_figures_is_drawn_anew(owner_client, campaign):
    address = reverse("campaign-paper-picture", args=[campaign.public_id, "distribution", "svg"])
    before = get_drawn(owner_client, address).content
    Rating.objects.filter(assignment__round__number=2, value="5").update(value="1")
    Assignment.objects.update(change_count=F("change_count") + 1)

    early = owner_client.get(address)
    draw_all()

    assert early.status_code == 302
    assert owner_client.get(address).content != before


def test_picture_that_cannot_be_drawn_says_why(owner_client, campaign, monkeypatch):
    def fail(picture, form):
        raise ValueError("no ink")

    monkeypatch.setattr(drawing, "draw_picture", fail)
    page_of(owner_client, campaign)
    draw_all()

    text = text_of(page_of(owner_client, campaign))

    assert text.count("The picture could not be drawn and will be tried again: ") == 3
    assert "no ink" in text


def test_old_pictures_go_when_another_is_drawn(owner_client, campaign):
    address = reverse("campaign-paper-picture", args=[campaign.public_id, "forest", "svg"])
    get_drawn(owner_client, address)
    DrawnPicture.objects.update(queued_at=timezone.now() - drawing.KEPT_FOR * 2)

    get_drawn(owner_client, address, {"published": "yes"})

    [kept] = DrawnPicture.objects.all()
    assert kept.queued_at > timezone.now() - drawing.KEPT_FOR


def test_picture_of_nothing_is_said_in_words(owner_client, owner):
    dataset = DatasetFactory(name="Silent", owner=owner)
    EventFactory(trace=TraceFactory(dataset=dataset), index=0)
    address = reverse("dataset-paper", args=[dataset.public_id])

    text = text_of(owner_client.get(address))

    assert "no round yet; nobody has rated yet." in text
    assert text.count("There is nothing to draw yet.") == 3
    assert text.count("This picture takes two rounds on one data set.") == 1
    picture = reverse("dataset-paper-picture", args=[dataset.public_id, "distribution", "svg"])
    assert owner_client.get(picture).status_code == 404


@pytest.mark.parametrize("count", [1, 3])
def test_page_costs_the_same_queries(owner_client, campaign, django_assert_num_queries, count):
    for number in range(count):
        dataset = DatasetFactory(name=f"Coffee {number}", owner=campaign.owner)
        campaign.datasets.add(dataset)
        for _ in range(count):
            trace = TraceFactory(dataset=dataset)
            EventFactory(trace=trace, index=0)
            AssignmentFactory(campaign=campaign, trace=trace)
    page_of(owner_client, campaign)

    with django_assert_num_queries(14):
        assert page_of(owner_client, campaign).status_code == 200


@pytest.mark.parametrize("kind", ["campaign", "dataset"])
def test_tables_are_made_of_what_is_stored(owner_client, campaign, kind):
    item = campaign if kind == "campaign" else campaign.datasets.get()

    def tables():
        addresses = (
            reverse(f"{kind}-paper-table", args=[item.public_id, key.value, "csv"])
            for key in PaperTable
        )
        return [owner_client.get(address).content for address in addresses]

    first = tables()

    with CaptureQueriesContext(connection) as queries:
        again = tables()
    AgreementFigures.objects.update(scales=[])
    of_earlier_version = tables()

    assert again == of_earlier_version == first
    assert not any("annotation_tracestep" in query["sql"] for query in queries)


@pytest.fixture
def pilot(owner):
    """A closed pilot with a decided case and one that was left open."""
    pilot = make_pilot(owner)
    pilot.answer(Metric.ERROR_VALIDITY, "yes", "no", "no")
    pilot.answer(Metric.CONFUSABILITY, "1", "5", "5", event=1)
    pilot.answer(Metric.TAXONOMY_FIT, "D", "S", "S")
    pilot.remark(0, "Said to researchers only")
    pilot.close()
    case = Case.objects.select_related("round__ratings", "round__campaign").get(
        metric=Metric.ERROR_VALIDITY
    )
    decide_case(
        case=case, actor=owner, cause=Cause.GUIDELINE_GAP, value="no", reason="=Nothing is lost"
    )
    return pilot


def test_example_cases_tell_what_was_answered_and_decided_without_a_name(owner_client, pilot):
    campaign = pilot.campaign
    rows = csv_of(owner_client, campaign, "CASES")

    assert list(rows) == ["Error Validity", "Confusability", "Taxonomy Fit"]
    found = rows["Error Validity"]
    assert found["event"].endswith(" → Spill it")
    assert found["answers"] == "No × 2, Yes × 1"
    assert (found["decision"], found["cause"]) == ("No", "Guideline gap")
    assert found["reason"] == "'=Nothing is lost"
    assert rows["Confusability"]["event"] == "Corrects mistake 1: – → Wipe it"
    assert rows["Taxonomy Fit"]["decision"] == ""
    page = text_of(owner_client.get(reverse("campaign-paper-cases", args=[campaign.public_id])))
    assert "No × 2, Yes × 1" in page
    assert "indiana_bike_03_1" in page
    for name in ("ana", "ben", "cleo", "Said to researchers only"):
        assert f">{name}" not in page
        assert f" {name} " not in page


def test_example_cases_of_an_open_round_are_not_told(owner_client, owner):
    pilot = make_pilot(owner)
    pilot.answer(Metric.ERROR_VALIDITY, "yes", "no", "no")
    before = csv_of(owner_client, pilot.campaign, "CASES")
    pilot.close()
    after = csv_of(owner_client, pilot.campaign, "CASES")
    alone = csv_of(owner_client, pilot.campaign, "CASES", "?round=1")

    assert [rows["Error Validity"]["group"] for rows in (before, after, alone)] == [
        "Published", "Ours", "Ours",
    ]  # fmt: skip


@pytest.mark.parametrize("count", [1, 3])
def test_page_of_cases_costs_the_same_queries(
    owner_client, pilot, django_assert_num_queries, count
):
    for number in range(count):
        Case.objects.create(
            round=pilot.round,
            trace=pilot.trace,
            metric=("video_plausibility", "human_plausibility", "procedure_logic")[number],
        )
    address = reverse("campaign-paper-cases", args=[pilot.campaign.public_id])
    owner_client.get(address)

    with django_assert_num_queries(11):
        assert owner_client.get(address).status_code == 200
