"""Figures of rounds of segments as page, CSV, API and command."""

import csv
import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse
from django.utils import timezone

from annotation.models import CampaignRater, InterimLook, Phase, Role, Round
from tests.annotation.conftest import client_of
from tests.annotation.drawn import draw_all
from tests.factories import SegmentRoundFactory, UserFactory
from tests.segments.segmented_rounds import finish, make_take, steps_of

FIRST = steps_of(("a", 0, 4), ("b", 5, 9), ("-1", 9, 10), ("c", 10, 16))
SECOND = steps_of(("a", 0, 5), ("b", 5, 8), ("c", 11, 16), ("d", 17, 19))


@pytest.fixture
def made(owner):
    """A round in which two people have labelled three recordings of two scenarios."""
    made = SegmentRoundFactory().round
    made.campaign.owner = owner
    made.campaign.name = "=Tea & soup"
    made.campaign.save()
    ada, ben = UserFactory(username="ada"), UserFactory(username="ben")
    for scenario in ("Tea", "Tea", "Soup"):
        take = make_take(scenario=scenario)
        finish(made, take, ada, FIRST)
        finish(made, take, ben, SECOND)
    return made


def address(name, made):
    return reverse(name, args=[made.campaign.public_id, made.number])


def page(client, made, **query):
    answer = client.get(address("segment-round-agreement", made), query)
    return answer.status_code, " ".join(answer.content.decode().split())


def test_the_page_shows_the_numbers_computed_by_hand(owner_client, made):
    status, text = page(owner_client, made)

    assert status == 200
    for title, value in (
        ("tIoU, a label that one side lacks counts 0", "0.596"),
        ("F1@.50", "0.857"),
        ("Edit score, 0 to 100", "75.0"),
        # .7 the same; by chance (100 + 60 + 150 + 225) / 60², the steps of both scenarios apart.
        ("κ over time", "0.648"),
        ("Ends within 0.5 s", "33.3%"),
    ):
        assert f'<th scope="row">{title}</th> <td class="number nowrap"><b>{value}</b></td>' in text
    assert "ada, ben" in text
    assert "jackknife-t, 3 recordings" in text
    assert '<th scope="row">Soup</th>' in text
    assert "BERTScore is not computed" in text


def test_csv_api_and_command_say_the_same(owner_client, made):
    sheet = owner_client.get(address("segment-round-agreement-csv", made))
    api = owner_client.get(address("api-segment-round-agreement", made)).json()
    printed, text, table = StringIO(), StringIO(), StringIO()
    call_command("segment_agreement", campaign="=Tea & soup", json=True, stdout=printed)
    call_command("segment_agreement", campaign="=Tea & soup", round=1, stdout=text)
    call_command("segment_agreement", campaign="=Tea & soup", csv=True, stdout=table)

    rows = list(csv.DictReader(StringIO(b"".join(sheet.streaming_content).decode())))
    assert list(csv.DictReader(StringIO(table.getvalue()))) == rows
    # A name that a spreadsheet would take for a formula.
    assert {row["campaign"] for row in rows} == {"'=Tea & soup"}
    [told] = json.loads(printed.getvalue())
    assert told["figures"] == api["figures"]
    assert len(api["figures"]) == len(rows)
    [strict] = [row for row in rows if row["measure"] == "tiou_strict" and row["split"] == "all"]
    expected = (0.8 + 0.75 + 5 / 6) / 4
    assert float(strict["value"]) == pytest.approx(expected)
    assert (strict["scheme"], strict["guideline"], strict["recordings"]) == ("egooops", "1", "3")
    assert (api["compared"], api["people"], api["undefined"]) == (3, ["ada", "ben"], 3)
    assert strict["reason"].endswith(("so there is no interval", "so none is shown"))
    assert f"tiou_strict                   {expected:.4f} ({strict['reason']})" in text.getvalue()


def test_what_to_do_next_is_said_where_there_is_nothing_to_compare(owner_client, made):
    empty = SegmentRoundFactory(campaign=made.campaign).round
    single = SegmentRoundFactory(campaign=made.campaign).round
    finish(single, made.recordings.first().take, UserFactory(), FIRST)

    assert "Nothing is finished in this round yet" in page(owner_client, empty)[1]
    text = page(owner_client, single)[1]
    assert "No recording has two people to compare" in text
    assert "Choose above which earlier round" in text
    beside = page(owner_client, single, against=1)[1]
    assert "Figures of round 3 beside round 1" in beside
    assert "ada and " in beside


def test_rounds_of_other_schemes_are_refused_with_words(owner_client, made):
    other = SegmentRoundFactory(campaign=made.campaign, scheme="partition").round

    status, text = page(owner_client, made, against=other.number)
    api = owner_client.get(address("api-segment-round-agreement", made), {"against": other.number})

    assert status == 409
    assert "what a segment is differs, so they cannot be compared" in text
    assert (api.status_code, "cannot be compared" in api.json()["detail"]) == (409, True)
    with pytest.raises(CommandError, match="cannot be compared"):
        call_command("segment_agreement", campaign="=Tea & soup", round=1, against=2)
    with pytest.raises(CommandError, match="has no round 9 of segments that was opened"):
        call_command("segment_agreement", campaign="=Tea & soup", round=9)


@pytest.mark.parametrize("against", ["x", "99", "1", "-1", pytest.param("9" * 5000, id="long")])
def test_rounds_that_are_not_there_are_not_found(owner_client, made, against):
    api = owner_client.get(address("api-segment-round-agreement", made), {"against": against})
    assert (page(owner_client, made, against=against)[0], api.status_code) == (404, 404)


def test_who_works_in_the_open_campaign_sees_no_figures(owner, owner_client, made):
    CampaignRater.objects.create(campaign=made.campaign, rater=owner)

    for name in (
        "segment-round-agreement",
        "segment-round-agreement-csv",
        "api-segment-round-agreement",
    ):
        assert owner_client.get(address(name, made)).status_code == 403

    made.campaign.state = "closed"
    made.campaign.save()
    assert page(owner_client, made)[0] == 200


def test_outsiders_find_no_figures(outsider_client, annotator_client, made):
    for name in ("segment-round-agreement", "segment-round-agreement-csv"):
        assert outsider_client.get(address(name, made)).status_code == 404
        assert annotator_client.get(address(name, made)).status_code == 403


def test_the_page_costs_the_same_queries_however_much_was_done(django_assert_max_num_queries, made):
    client = client_of(UserFactory(role=Role.ADMINISTRATOR))
    # A look at figures of a round that is open is stored when it shows something new.
    page(client, made)
    with django_assert_max_num_queries(60) as few:
        page(client, made)
    people = [segmentation.person for segmentation in made.segmentations.all()[:2]]
    for _ in range(4):
        take = make_take()
        for person in {*people, UserFactory()}:
            finish(made, take, person, FIRST)
    page(client, made)

    with django_assert_max_num_queries(60) as many:
        page(client, made)

    assert len(many) == len(few)


def test_agreement_of_edges_is_a_curve_over_tolerances(owner_client, outsider_client, made):
    where = [
        reverse("segment-round-edges", args=[made.campaign.public_id, made.number, suffix])
        for suffix in ("svg", "pdf", "png")
    ]
    waiting = page(owner_client, made)[1]
    early = owner_client.get(where[0])
    draw_all()
    _, text = page(owner_client, made)

    assert "The picture is being drawn." in waiting
    assert early.status_code == 302
    svg, pdf, other = (owner_client.get(address_) for address_ in where)
    assert [answer.status_code for answer in (svg, pdf, other)] == [200, 200, 404]
    assert outsider_client.get(where[0]).status_code == 404
    assert pdf.content[:4] == b"%PDF"
    # Starts are 0, 0 and 1 s apart, ends 1, -1 and 0.
    assert "starts: 67% within 0.1 s, 100% within 2 s" in text
    assert "ends: 33% within 0.1 s, 100% within 2 s" in text
    assert "ends: 33% within 0.1 s" in svg.content.decode()
    assert "Tolerance in seconds" in svg.content.decode()
    assert f'<img src="{where[0]}"' in text


def test_round_of_nobody_has_no_curve(owner_client, owner):
    empty = SegmentRoundFactory().round
    empty.campaign.owner = owner
    empty.campaign.save()
    where = reverse("segment-round-edges", args=[empty.campaign.public_id, empty.number, "svg"])

    assert owner_client.get(where).status_code == 404
    assert "Edges over tolerances" not in page(owner_client, empty)[1]


def test_a_look_at_a_main_round_that_is_open_is_stored_and_shown(owner, owner_client, made):
    csv_address = address("segment-round-agreement-csv", made)
    for phase, count in ((Phase.PILOT, 0), (Phase.MAIN, 1)):
        Round.objects.filter(pk=made.pk).update(phase=phase)
        page(owner_client, made)
        owner_client.get(csv_address)
        assert InterimLook.objects.count() == count
    call_command("segment_agreement", campaign=made.campaign.name, stdout=StringIO())

    by_page, by_command = InterimLook.objects.order_by("pk")
    assert (by_page.person, by_command.person) == (owner, None)
    assert ["steps", "agreement"] in by_page.figures
    assert by_page.figures == by_command.figures
    text = owner_client.get(address("segment-round", made)).content.decode()
    assert "Looks at its figures while it was open" in text
    assert "by a command, or an account that is gone" in text
    Round.objects.filter(pk=made.pk).update(closed_at=timezone.now())
    InterimLook.objects.all().delete()
    page(owner_client, made)
    assert not InterimLook.objects.exists()
