"""What an assignment knows of its ratings is what counting them all would say."""

from datetime import timedelta
from importlib import import_module

import pytest
from django.apps import apps
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.engine.rubric.rubric import Metric
from annotation.models import Assignment
from annotation.selectors.campaigns.campaigns import rater_progress
from annotation.selectors.figures.rater_figures import worked_hours
from annotation.selectors.ratings.remarks import shown_notes
from annotation.services.ratings.counts import recount_work
from bench.planted_raters import Kind
from tests.annotation.planted_rounds import planted_round
from tests.annotation.rating_changes import (
    AT,
    LOGIC,
    SEQUENCE,
    all_answers,
    change,
    make_assignment,
    save,
)

pytestmark = pytest.mark.django_db


def work_of(assignment):
    row = Assignment.objects.get(pk=assignment.pk)
    return row.rated_count, row.answered_event_count, row.last_answer_at, row.worked_s


def answers_in_order(assignment):
    """A skip rule, its undoing, a cleared value, the trace itself, a break and a second event."""
    save(assignment, change(1, LOGIC, "no", 3))
    save(assignment, change(2, LOGIC, "yes", 3, base=1), change(9, SEQUENCE, "4", base=1))
    save(assignment, change(12, Metric.CONFUSABILITY, "3"))
    save(assignment, change(13, Metric.CONFUSABILITY, "", base=1))
    save(assignment, change(4000, Metric.TEXT_VIDEO_GROUNDING, "4", event=None))
    save(assignment, *(change(5000 + place, metric, answer.value, answer.confidence, event=1)
                       for place, (metric, answer) in enumerate(all_answers())))  # fmt: skip


def test_saves_keep_the_work_of_an_assignment():
    assignment = make_assignment(event_count=3, has_video=True)

    answers_in_order(assignment)
    kept = work_of(assignment)
    recount_work([assignment.pk])

    assert kept == work_of(assignment)
    # Two long breaks count as five minutes each.
    assert kept[1:] == (2, AT + timedelta(seconds=5006), 12.0 + 2 * 300 + 6)


def test_answers_that_come_late_count_where_they_belong():
    assignment = make_assignment(event_count=3, has_video=True)
    answers_in_order(assignment)

    save(assignment, change(100, Metric.ERROR_VALIDITY, "yes", event=2), client="other tab")
    kept = work_of(assignment)
    recount_work([assignment.pk])

    assert kept == work_of(assignment)
    assert kept[1:] == (3, AT + timedelta(seconds=5006), 12.0 + 87 + 2 * 300 + 6)


def test_a_site_of_an_earlier_version_is_counted_once(owner):
    planted_round([Kind.HONEST, Kind.FAST], owner=owner, traces=6, events=3)
    names = ["rated_count", "answered_event_count", "last_answer_at", "worked_s"]
    rows = Assignment.objects.order_by("pk").values_list(*names)
    counted = list(rows)
    Assignment.objects.update(
        rated_count=0, answered_event_count=0, last_answer_at=None, worked_s=0.0
    )

    import_module("annotation.migrations.0043_count_work_of_assignments").count_work(apps, None)

    assert list(rows) == counted
    assert min(row[0] for row in counted) > 0


@pytest.mark.parametrize("read", [rater_progress, lambda item: list(worked_hours(item))])
def test_who_has_done_how_much_is_told_without_reading_ratings(owner, read):
    made = planted_round([Kind.HONEST, Kind.FAST, Kind.HONEST], owner=owner, traces=8, events=4)

    with CaptureQueriesContext(connection) as queries:
        read(made.campaign)

    read_from = " ".join(query["sql"] for query in queries)
    assert "annotation_assignment" in read_from
    assert "annotation_rating" not in read_from


@pytest.mark.parametrize("people", [2, 6])
def test_the_page_of_a_campaign_takes_few_queries(owner, owner_client, people):
    made = planted_round([Kind.HONEST] * people, owner=owner, traces=6, events=2)
    address = reverse("campaign-detail", args=[made.campaign.public_id])
    owner_client.get(address)

    with CaptureQueriesContext(connection) as queries:
        html = owner_client.get(address).content.decode()

    assert len(queries) <= 15
    assert all(f">{name}<" in html for name in "abcdef"[:people])


@pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL reads small tables whole")
def test_answers_that_cannot_be_given_are_found_by_their_index(owner):
    made = planted_round([Kind.HONEST] * 2, owner=owner, traces=6, events=2)

    with CaptureQueriesContext(connection) as queries:
        shown_notes(made.campaign, 50)
    [unjudged] = [item["sql"] for item in queries if 'FROM "annotation_rating"' in item["sql"]]
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN {unjudged}")
        plan = " ".join(str(row) for row in cursor.fetchall())

    assert "rating_unjudged" in plan
