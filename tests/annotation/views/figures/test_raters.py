"""Pages of a round's raters and of planning from it: shown, run, decided, and seen by few."""

import csv
from dataclasses import replace
from io import StringIO
from itertools import chain

import numpy as np
import pytest
from django.urls import reverse

from annotation import launch
from annotation.models import (
    Assignment,
    AuditEntry,
    Job,
    RatingRound,
    Round,
    RoundRater,
    ScreeningPlan,
    ScreeningResult,
)
from annotation.selectors.figures import audit_plans
from annotation.services.figures.raters import compute_queued_raters
from annotation.services.ratings import screening
from annotation.services.ratings.screening import (
    decide_on_rater,
    run_queued_screenings,
    run_screening,
)
from annotation.views.figures import raters as views
from bench.planted_raters import Kind
from tests.annotation.campaigns import make_campaign
from tests.annotation.drawn import get_drawn
from tests.annotation.planted_rounds import planted_round
from tests.factories import CampaignFactory, CampaignRaterFactory, UserFactory

PAGES = ("round-raters", "round-plan", "round-raters-csv")
POSTS = ("round-screening", "round-thresholds", "round-rater-decision")


@pytest.fixture
def made(owner):
    return planted_round([Kind.FAST, Kind.HONEST, Kind.HONEST, Kind.HONEST], owner=owner, traces=16)


def address(name, made):
    return reverse(name, args=[made.campaign.public_id, made.number])


def shown(answer):
    return " ".join(answer.content.decode().split())


def test_the_page_shows_every_rater_and_both_figures_after_the_rules(owner_client, made):
    before = shown(owner_client.get(address("round-raters", made)))
    assert "The rules have not been run yet" in before
    assert "Everybody is accepted as long as the rules have not been run" in before

    answer = owner_client.post(address("round-screening", made), follow=True)

    page = shown(answer)
    assert "1 of 4 raters flagged. Nobody is left out by that." in page
    assert "a took 2 s per event (median of 12 traces); at least 10 s is expected." in page
    assert "Not among the accepted: a." in page
    assert page.count("α, accepted") == 1
    assert page.count("<h2") == 6


def test_the_rules_of_many_ratings_are_run_by_a_worker(owner, owner_client, made, monkeypatch):
    owner_client.get(address("round-raters", made))
    monkeypatch.setattr(launch, "RATERS_AT_ONCE", 10)
    found = reverse("api-round-screening", args=[made.campaign.public_id, made.number])

    pages = [
        shown(owner_client.post(address("round-screening", made), follow=True)) for _ in range(2)
    ]
    asked = owner_client.get(found)
    [job_id] = Job.objects.filter(kind="annotation.screening").values_list("pk", flat=True)
    for _ in range(2):
        run_queued_screenings(job_ids=[job_id])
    polled = owner_client.get(
        address("round-raters", made), headers={"HX-Request": "true", "HX-Target": "rules-run"}
    )

    for page in pages:
        assert "The rules are being run; what they find appears here." in page
        assert "Run the rules</button>" not in page
    assert asked.status_code == 202
    assert "Show what they found" in shown(polled)
    assert "Show what they found" not in shown(owner_client.get(address("round-raters", made)))
    assert set(made.screening_results.values_list("made_by", flat=True)) == {owner.pk}
    [entry] = AuditEntry.objects.filter(action="screening.run")
    assert entry.actor == owner
    assert entry.detail["flagged"]


def test_the_page_says_that_the_rules_could_not_be_run(owner_client, made, monkeypatch):
    owner_client.get(address("round-raters", made))
    monkeypatch.setattr(launch, "RATERS_AT_ONCE", 10)
    owner_client.post(address("round-screening", made))

    with monkeypatch.context() as broken:
        broken.setattr(screening, "screen", None)
        run_queued_screenings(
            job_ids=Job.objects.filter(kind="annotation.screening").values_list("pk", flat=True)
        )
    page = shown(owner_client.get(address("round-raters", made)))

    assert "The rules could not be run:" in page
    assert "Run the rules</button>" in page
    assert not made.screening_results.exists()


def names_of(answer):
    return [rater.name for rater in answer.context["raters"]]


def test_many_raters_come_in_pages_with_the_flagged_and_the_furthest_first(
    owner, owner_client, monkeypatch
):
    kinds = [Kind.HONEST, Kind.HONEST, Kind.STRICT, Kind.HONEST, Kind.FAST]
    made = planted_round(kinds, owner=owner, traces=30)
    run_screening(round_=made, actor=None)
    flags = ScreeningResult.objects.filter(state="flagged")
    flags.exclude(rater__username="e").update(state="accepted")
    where = address("round-raters", made) + "?metric=human_plausibility"
    by_name = owner_client.get(where)
    monkeypatch.setattr(views, "RATERS", replace(views.RATERS, rows_per_page=2))

    pages = [owner_client.get(f"{where}&raters={number}") for number in (1, 2, 3)]

    assert names_of(by_name) == list("abcde")
    assert "Search" not in shown(by_name)
    shown_names = [names_of(page) for page in pages]
    assert shown_names[0] == ["e", "c"]
    assert sorted(chain(*shown_names)) == list("abcde")
    for page, names in zip(pages, shown_names, strict=True):
        context = page.context
        rows = (context["metric_rows"], context["pairs"])
        assert [[row.name for row in table] for table in rows] == [names, names]
        assert [row.figures.name for row in context["work_rows"]] == names
        assert list(dict.fromkeys(name for name, _, _ in context["results"])) == sorted(names)
    whole = {row.name: row.cells for row in by_name.context["pairs"]}
    assert pages[0].context["pairs"][0].cells[1] == whole["e"][2]
    assert "5 raters, 2 on a page" in shown(pages[0])
    assert 'aria-label="Pages of raters"' in shown(pages[0])


def test_a_rater_is_found_by_name_and_a_decision_comes_back_there(owner_client, made, monkeypatch):
    monkeypatch.setattr(views, "RATERS", replace(views.RATERS, rows_per_page=2))
    found = owner_client.get(address("round-raters", made), {"raters-q": "D"})
    nobody = owner_client.get(address("round-raters", made), {"raters-q": "x"})

    decided = owner_client.post(
        address("round-rater-decision", made) + "?raters-q=D",
        {"rater": "d", "decision": "excluded", "why": "No."},
    )

    assert (names_of(found), names_of(nobody), nobody.status_code) == (["d"], [], 200)
    assert f'{address("round-rater-decision", made)}?raters-q=D"' in shown(found)
    assert decided.url == address("round-raters", made) + "?raters-q=D#rules"


def test_a_decision_stands_with_its_reason(owner_client, made):
    run_screening(round_=made, actor=None)

    answer = owner_client.post(
        address("round-rater-decision", made),
        {"rater": "a", "decision": "accepted", "why": "Did the task for years."},
        follow=True,
    )

    assert "Accepted by owner" in shown(answer)
    assert "Did the task for years." in shown(answer)
    assert "Everybody is accepted, so both are the same." in shown(answer)


def test_a_decision_without_a_reason_or_about_a_stranger_is_refused(owner_client, made):
    UserFactory(username="stranger")
    owner_client.get(address("round-raters", made))
    asked = {"rater": "a", "decision": "excluded", "why": ""}

    answer = owner_client.post(address("round-rater-decision", made), asked)
    unknown = owner_client.post(
        address("round-rater-decision", made), asked | {"rater": "stranger", "why": "No."}
    )

    assert (answer.status_code, unknown.status_code) == (400, 404)
    assert "This field is required." in shown(answer)
    assert not ScreeningResult.objects.exists()


def test_thresholds_are_kept_and_wrong_ones_named(owner_client, made):
    form = owner_client.get(address("round-raters", made)).context["thresholds_form"]
    typed = {form.add_prefix(name): field.initial for name, field in form.fields.items()}

    wrong = owner_client.post(
        address("round-thresholds", made), typed | {"threshold-gold_share": "2"}
    )
    kept = owner_client.post(
        address("round-thresholds", made), typed | {"threshold-gold_share": "0.5"}, follow=True
    )

    assert wrong.status_code == 400
    assert "Ensure this value is less than or equal to 1." in shown(wrong)
    assert ScreeningPlan.objects.get().thresholds["gold_share"] == 0.5
    assert "they were changed after this round had started" in shown(kept)


def test_metric_pair_and_confusion_follow_the_address(owner_client, made):
    answer = owner_client.get(
        address("round-raters", made),
        {"metric": "taxonomy_fit", "first": "b", "second": "c"},
    )

    assert answer.context["metric"].metric == "taxonomy_fit"
    assert (answer.context["confusion"]["first"], answer.context["confusion"]["second"]) == (
        "b",
        "c",
    )
    counts = [count for _, cells in answer.context["confusion"]["rows"] for count, _ in cells]
    cell = answer.context["pairs"][1].cells[2]
    assert sum(counts) == cell.units > 0
    odd = owner_client.get(address("round-raters", made), {"metric": "no", "first": "b"})
    assert odd.status_code == 200


@pytest.mark.parametrize("kind", ["pairs", "shared", "confusion", "drift"])
def test_pictures_come_as_svg_and_pdf(owner_client, made, kind):
    where = [made.campaign.public_id, made.number, kind]
    asked = {"metric": "confusability", "first": "b", "second": "d"}

    early = owner_client.get(reverse("round-raters-picture", args=[*where, "svg"]), asked)
    svg = get_drawn(owner_client, reverse("round-raters-picture", args=[*where, "svg"]), asked)
    pdf = owner_client.get(reverse("round-raters-picture", args=[*where, "pdf"]), asked)

    assert early.url == address("round-raters", made)
    assert (svg["Content-Type"], pdf["Content-Type"]) == ("image/svg+xml", "application/pdf")
    assert pdf.content.startswith(b"%PDF")
    assert "Confusability" in svg.content.decode()
    assert svg["Content-Disposition"].endswith(f'{kind}-confusability-round-1.svg"')


@pytest.mark.parametrize("end", ["pairs.png", "faces.svg"])
def test_other_pictures_are_not_there(owner_client, made, end):
    where = address("round-raters", made)

    assert owner_client.get(f"{where}{end}").status_code == 404


def test_tables_hold_every_rater(owner_client, made):
    answer = owner_client.get(address("round-raters-csv", made))
    rows = list(csv.DictReader(StringIO(b"".join(answer.streaming_content).decode())))
    hours = owner_client.get(reverse("campaign-hours-csv", args=[made.campaign.public_id]))
    worked = list(csv.DictReader(StringIO(b"".join(hours.streaming_content).decode())))

    assert {row["rater"] for row in rows} == set("abcd")
    assert len(rows) == 4 * 9
    assert [(row["rater"], row["traces"]) for row in worked] == [(name, "12") for name in "abcd"]


def test_the_plan_counts_hours_and_shows_who_meets_whom(owner_client, made):
    asked = {
        "traces": 50,
        "events_per_trace": 4,
        "overlap": 3,
        "raters": 5,
        "minutes": 2,
        "hours_per_week": 4,
        "starts_on": "2026-04-06",
        "alpha": 0.8,
    }

    answer = owner_client.get(address("round-plan", made), asked)

    work = answer.context["work"]
    assert (work.hours, work.hours_per_rater, work.ends_on.isoformat()) == (20.0, 4.0, "2026-04-13")
    assert answer.context["meeting"].pairs == [8] * 6
    rows = answer.context["widths"]
    assert [(overlap, reason) for overlap, reason, _ in rows] == [
        (2, ""),
        (3, ""),
        (4, "the pilot has 0 traces with 4 raters or more"),
        (5, "the pilot has 0 traces with 5 raters or more"),
    ]
    assert rows[0][2][0].width > rows[0][2][3].width
    assert "The pilot has 0 traces with 4 raters or more" in shown(answer)
    wrong = owner_client.get(address("round-plan", made), asked | {"traces": "many"})
    assert "Enter a whole number." in shown(wrong)
    assert wrong.context["work"] is None


def test_of_many_raters_the_plan_says_how_many_others_each_meets(owner_client, made, monkeypatch):
    monkeypatch.setattr(audit_plans, "MOST_IN_TABLE", 3)

    answer = owner_client.get(address("round-plan", made))

    rows = '<tr><th scope="row">a</th><td class="number">3</td><td class="number">8</td>'
    assert rows in shown(answer)
    assert "same person" not in shown(answer)


def test_who_meets_the_fewest_others_comes_first():
    counts = np.array([[0, 2, 3], [2, 0, 0], [3, 0, 0]])

    table = audit_plans.MeetingTable(("a", "b", "c"), counts, is_planned=False)

    assert table.meeters == [
        audit_plans.Meeter("b", others=1, fewest=2, most=2),
        audit_plans.Meeter("c", others=1, fewest=3, most=3),
        audit_plans.Meeter("a", others=2, fewest=2, most=3),
    ]


def test_the_plan_of_a_round_that_was_not_given_out_says_who_would_meet(owner_client, made):
    fresh = planned_copy(made)

    answer = owner_client.get(address("round-plan", fresh))

    meeting = answer.context["meeting"]
    assert meeting.is_planned
    assert meeting.pairs == [8] * 6
    assert "Who meets whom, as planned" in shown(answer)
    page = shown(owner_client.get(address("round-detail", fresh)))
    assert "Traces that every two raters share: 8 each." in page


def planned_copy(made):
    fresh = Round.objects.create(
        campaign=made.campaign, number=2, guideline=made.guideline, overlap=3, seed=4
    )
    ratings = RatingRound.objects.create(round=fresh, rubric_version="2", has_all_traces=False)
    ratings.traces.set(made.ratings.traces.all())
    for member in made.raters.all():
        RoundRater.objects.create(round=fresh, rater=member.rater)
    return fresh


def test_an_empty_round_says_what_is_missing(owner_client, owner):
    campaign = CampaignFactory(owner=owner)
    found = campaign.rounds.get()

    assert "Nobody has a trace of this round yet" in shown(
        owner_client.get(address("round-raters", found))
    )
    assert "Nobody meets anybody yet" in shown(owner_client.get(address("round-plan", found)))
    assert "Nobody meets anybody" not in shown(owner_client.get(address("round-raters", found)))


def test_a_round_that_nobody_has_begun_says_so_everywhere(owner_client, owner):
    campaign, _ = make_campaign(traces=4, raters=3, overlap=2)
    campaign.owner = owner
    campaign.save()
    found = campaign.rounds.get()

    ran = owner_client.post(address("round-screening", found), follow=True)
    plan = owner_client.get(address("round-plan", found))
    picture = get_drawn(
        owner_client, reverse("round-raters-picture", args=[campaign.public_id, 1, "pairs", "svg"])
    )

    assert "0 of 3 raters flagged" in shown(ran)
    assert set(found.screening_results.values_list("state", flat=True)) == {"not_tested"}
    assert "nobody's times are known yet" in plan.content.decode()
    assert "Nobody has rated in this round yet" in shown(plan)
    assert picture.status_code == 200


@pytest.mark.parametrize("name", PAGES)
def test_pages_are_for_those_who_may_see_the_campaign(
    name, made, outsider_client, annotator_client, administrator_client
):
    statuses = [
        visitor.get(address(name, made)).status_code
        for visitor in (annotator_client, outsider_client, administrator_client)
    ]

    assert statuses == [403, 404, 200]


@pytest.mark.parametrize("name", POSTS)
def test_changes_are_for_the_owner(name, made, outsider_client, annotator_client):
    made.campaign.is_shared = True
    made.campaign.save()

    assert annotator_client.post(address(name, made)).status_code == 403
    assert outsider_client.post(address(name, made)).status_code == 404
    assert "Run the rules</button>" not in shown(outsider_client.get(address("round-raters", made)))


def test_who_rates_in_the_open_campaign_sees_nothing_of_it(owner_client, owner, annotator_client):
    campaign = CampaignFactory(owner=owner)
    CampaignRaterFactory(campaign=campaign, rater=owner)

    answers = [
        owner_client.get(address("round-raters", campaign.rounds.get())),
        owner_client.post(address("round-screening", campaign.rounds.get())),
    ]

    assert [answer.status_code for answer in answers] == [403, 403]


@pytest.mark.parametrize("name", ["round-raters", "round-plan"])
@pytest.mark.parametrize("rater_count", [3, 5])
def test_pages_cost_the_same_whatever_the_number_of_raters(
    name, rater_count, owner, owner_client, django_assert_num_queries
):
    made = planted_round([Kind.HONEST] * rater_count, owner=owner, traces=rater_count * 3)
    run_screening(round_=made, actor=owner)
    owner_client.get(address(name, made))

    with django_assert_num_queries({"round-raters": 15, "round-plan": 11}[name]):
        owner_client.get(address(name, made))


def test_a_reason_that_is_too_long_is_given_back(owner_client, made):
    why = "She said so. " * 200
    owner_client.get(address("round-raters", made))

    answer = owner_client.post(
        address("round-rater-decision", made), {"rater": "a", "decision": "excluded", "why": why}
    )

    assert answer.status_code == 400
    assert answer.content.decode().count("She said so.") == 200


def test_figures_of_many_ratings_are_queued_and_shown_when_a_worker_has_computed_them(
    owner_client, made, monkeypatch
):
    monkeypatch.setattr(launch, "RATERS_AT_ONCE", 10)

    pages = {name: owner_client.get(address(name, made)) for name in PAGES}
    [job_id] = Job.objects.filter(kind="annotation.raters").values_list("pk", flat=True)
    compute_queued_raters(job_ids=[job_id])
    after = shown(owner_client.get(address("round-raters", made)))

    for name in ("round-raters", "round-plan"):
        assert "The figures are being computed." in shown(pages[name])
    assert pages["round-raters-csv"].url == address("round-raters", made)
    assert "Computed" in after
    assert "The rules have not been run yet" in after
    assert list(csv.reader(StringIO(text_of(owner_client, made))))[1][0] == "a"


def test_figures_say_how_many_ratings_and_decisions_came_after_them(
    owner_client, made, monkeypatch
):
    owner_client.get(address("round-raters", made))
    monkeypatch.setattr(launch, "RATERS_AT_ONCE", 0)

    first = Assignment.objects.filter(round=made).earliest("pk")
    Assignment.objects.filter(pk=first.pk).update(change_count=first.change_count + 2)
    newer = shown(owner_client.get(address("round-raters", made)))
    Assignment.objects.filter(pk=first.pk).update(change_count=first.change_count)
    same = shown(owner_client.get(address("round-raters", made)))
    decide_on_rater(
        round_=made, rater=first.rater, is_excluded=True, why="No.", actor=made.campaign.owner
    )
    decided = shown(owner_client.get(address("round-raters", made)))

    assert "<b>2 newer ratings</b>" in newer
    assert "newer rating" not in same
    assert "what they come from has changed since" in decided


def text_of(client, made):
    answer = client.get(address("round-raters-csv", made))
    return b"".join(answer.streaming_content).decode()
