"""What raters report as watched: kept as far as it can be true, and read with their ratings."""

import csv
import io
import re
from datetime import UTC, datetime, timedelta

import pytest
from django.core import signing
from django.urls import reverse
from django.utils import timezone

from annotation.engine.ratings.changes import Answer, RatingChange, RatingKey
from annotation.engine.ratings.viewing import ViewingCounts
from annotation.engine.rubric.rubric import Metric
from annotation.models import Assignment, Rating, Role, Trace, User, Viewing
from annotation.selectors.figures.rating_export import export_lines
from annotation.selectors.ratings.audit import get_audit_page
from annotation.selectors.ratings.viewing import viewing_counts
from annotation.services.ratings.saving import save_changes
from annotation.services.ratings.viewing import SALT, ViewingReport, opened_token, store_viewing
from tests.annotation.conftest import client_of
from tests.clocks import stop_clock
from tests.factories import (
    AssignmentFactory,
    EventFactory,
    StepFactory,
    TraceFactory,
    TraceStepFactory,
    UserFactory,
    VideoFactory,
)

pytestmark = pytest.mark.django_db


def make_assignment(**fields) -> Assignment:
    """Two events: in the trace from 2 to 4 and from 4 to 6, of 10 seconds; a reference of 8."""
    trace = TraceFactory(video=VideoFactory(duration_s=10.0))
    trace.take.video = VideoFactory(duration_s=8.0)
    trace.take.save()
    for index in range(2):
        TraceStepFactory(
            trace=trace,
            index=index,
            mod="e",
            event=EventFactory(trace=trace, index=index),
            reference_step=StepFactory(take=trace.take, index=index),
            start_s=2.0 * index + 2,
            end_s=2.0 * index + 4,
        )
    return AssignmentFactory(trace=trace, **fields)


def content_of(assignment: Assignment) -> str:
    return get_audit_page(user=assignment.rater, public_id=assignment.public_id).content


def opened_before(assignment: Assignment, seconds: float) -> str:
    """Return the proof of a page that was opened so many seconds ago."""
    signer = signing.TimestampSigner(salt=SALT)
    moment = int((timezone.now() - timedelta(seconds=seconds)).timestamp())
    signer.timestamp = lambda: signing.b62_encode(moment)
    return signer.sign(f"{assignment.public_id}.{assignment.rater_id}")


def report(assignment: Assignment, trace=(), reference=(), **changes) -> ViewingReport:
    values = {
        "opened": opened_before(assignment, 600),
        "content": content_of(assignment),
        "at": timezone.now(),
        "reference": reference,
        "trace": trace,
    }
    return ViewingReport(**{**values, **changes})


def store(assignment: Assignment, *reports: ViewingReport) -> None:
    store_viewing(public_id=assignment.public_id, reports=reports, actor=assignment.rater)


def watched(assignment: Assignment) -> dict[str, list]:
    page = get_audit_page(user=assignment.rater, public_id=assignment.public_id)
    return page.to_dict()["watched"]


def test_reports_add_up_and_the_same_report_twice_changes_nothing():
    assignment = make_assignment()
    first = report(assignment, trace=[(0, 3)], reference=[(0, 2.5)])

    store(assignment, first)
    store(assignment, first, report(assignment, trace=[(2, 5), (9, 30)]))

    assert watched(assignment) == {"reference": [[0, 2.5]], "trace": [[0, 5], [9, 10]]}
    assert Viewing.objects.get().refused_s == 0


def test_more_than_the_page_was_open_for_is_refused(monkeypatch):
    assignment = make_assignment()
    stop_clock(monkeypatch)
    opened = opened_token(assignment.public_id, assignment.rater)

    store(assignment, report(assignment, trace=[(0, 2), (2, 10)], opened=opened))

    assert watched(assignment)["trace"] == [[0, 2]]
    assert Viewing.objects.get().refused_s == 8


@pytest.mark.parametrize("claim", ["forged", "of another page", "too old", "other content"])
def test_reports_without_proof_or_of_other_content_are_left_out(claim):
    assignment, other = make_assignment(), make_assignment()
    changes = {
        "forged": {"opened": "a.b:c:d"},
        "of another page": {"opened": opened_before(other, 600)},
        "too old": {"opened": opened_before(assignment, 40 * 86_400)},
        "other content": {"content": "0" * 16},
    }[claim]

    store(assignment, report(assignment, trace=[(0, 3)], **changes))

    assert not Viewing.objects.exists()


def test_a_replaced_trace_has_not_been_watched():
    assignment = make_assignment()
    store(assignment, report(assignment, trace=[(0, 3)]))

    Trace.objects.filter(pk=assignment.trace_id).update(content_hash="another")

    assert watched(assignment) is None
    store(assignment, report(assignment, trace=[(5, 6)]))
    assert watched(assignment)["trace"] == [[5, 6]]


def test_nothing_is_kept_after_the_campaign_closed():
    assignment = make_assignment()
    assignment.round.closed_at = timezone.now()
    assignment.round.save()

    store(assignment, report(assignment, trace=[(0, 3)]))

    assert not Viewing.objects.exists()


def test_somebody_elses_assignment_is_not_there():
    assignment = make_assignment()

    with pytest.raises(Assignment.DoesNotExist):
        store_viewing(
            public_id=assignment.public_id,
            reports=[report(assignment, trace=[(0, 3)])],
            actor=UserFactory(),
        )


def rate(assignment: Assignment, event: int, at: datetime, sequence: int) -> None:
    change = RatingChange(
        sequence=sequence,
        key=RatingKey(event, Metric.CONFUSABILITY),
        answer=Answer("3"),
        base_revision=0,
        rated_at=at,
    )
    save_changes(
        public_id=assignment.public_id, client_id="tab", changes=[change], actor=assignment.rater
    )


def make_rated_assignment() -> Assignment:
    """Event 0 is watched for half a second before its answer; event 1 only after its own."""
    assignment = make_assignment()
    now = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    store(assignment, report(assignment, trace=[(0, 2.5)], reference=[(0, 1)], at=now))
    rate(assignment, 0, now, 1)
    rate(assignment, 1, now + timedelta(seconds=1), 2)
    late = now + timedelta(seconds=9)
    store(assignment, report(assignment, trace=[(2, 10)], at=late))
    return assignment


def counts_of(campaign) -> dict[str, ViewingCounts]:
    found = viewing_counts(Assignment.objects.filter(round__campaign=campaign))
    return {User.objects.get(pk=rater).username: counts for rater, counts in found.items()}


def test_campaign_counts_answers_given_without_having_watched():
    assignment = make_rated_assignment()

    assert counts_of(assignment.round.campaign) == {
        assignment.rater.username: ViewingCounts(answers=2, known=2, unseen=1, half_seen=2)
    }


def test_a_page_that_reports_nothing_watched_is_evidence_and_no_report_is_none():
    silent = make_assignment()
    reporting = make_assignment(campaign=silent.round.campaign)
    store(reporting, report(reporting))
    for assignment in (silent, reporting):
        rate(assignment, 0, timezone.now(), 1)

    found = {name: counts[1:3] for name, counts in counts_of(silent.round.campaign).items()}

    assert found == {silent.rater.username: (0, 0), reporting.rater.username: (1, 1)}


def test_campaign_knows_nothing_of_imported_answers_and_of_traces_without_video():
    assignment = make_rated_assignment()
    Rating.objects.filter(event__index=0).update(client_id="import")

    [before] = counts_of(assignment.round.campaign).values()
    assert before.known == 1
    Trace.objects.update(video=None)
    [after] = counts_of(assignment.round.campaign).values()
    assert after.known == 0


@pytest.mark.parametrize("event_count", [1, 3])
def test_campaign_viewing_takes_the_same_queries_for_every_length(
    django_assert_num_queries, event_count
):
    assignment = make_rated_assignment()
    for _ in range(event_count):
        make_assignment(campaign=assignment.round.campaign)

    with django_assert_num_queries(5):
        viewing_counts(Assignment.objects.filter(round__campaign=assignment.round.campaign))


def test_report_and_api_show_the_researcher_what_was_not_watched():
    assignment = make_rated_assignment()
    campaign, name = assignment.round.campaign, assignment.rater.username
    client = client_of(UserFactory(role=Role.ADMINISTRATOR))

    page = client.get(reverse("campaign-report", args=[campaign.public_id])).content.decode()
    answer = client.get(f"/api/v1/campaigns/{campaign.public_id}/viewing/")

    row = page.split(f'<th scope="row">{name}</th>')[1].split("</tr>")[0]
    assert re.findall(r">(\d+)<", row) == ["2", "2", "1", "2"]
    [found] = answer.json()
    assert datetime.fromisoformat(found.pop("computed_at")) <= timezone.now()
    assert found == {
        "rater": name, "answers": 2, "known": 2, "unseen": 1, "half_seen": 2, "newer_ratings": 0,
    }  # fmt: skip


def test_report_says_nothing_of_viewing_where_nothing_is_known():
    assignment = make_assignment()
    rate(assignment, 0, timezone.now(), 1)
    client = client_of(UserFactory(role=Role.ADMINISTRATOR))

    page = client.get(reverse("campaign-report", args=[assignment.round.campaign.public_id]))

    assert "Watched before answering" not in page.content.decode()


def test_exported_table_says_what_was_watched_until_the_answer():
    make_rated_assignment()

    table = "".join(export_lines(Rating.objects.all()))

    rows = list(csv.DictReader(io.StringIO(table, newline="")))
    assert [(row["reference_watched_s"], row["trace_watched_s"]) for row in rows] == [
        ("1.0", "0.5"),
        ("0.0", "0.0"),
    ]


def test_a_save_stores_what_was_watched_and_survives_whatever_is_wrong_with_it():
    assignment = make_assignment()
    client = client_of(assignment.rater)
    address = f"/api/v1/assignments/{assignment.public_id}/changes/"
    good = {
        "opened": opened_before(assignment, 600),
        "content": content_of(assignment),
        "at": "2026-01-02T03:04:05Z",
        "reference": [],
        "trace": [[0, 3.5]],
    }

    def save(sequence, viewing):
        change = {
            "sequence": sequence, "event": 0, "metric": "confusability", "value": "3",
            "base_revision": 0, "rated_at": "2026-01-02T03:04:05Z",
        }  # fmt: skip
        body = {"client_id": "tab", "changes": [change], "viewing": viewing}
        return client.post(address, body, content_type="application/json").status_code

    broken = [{"reports": [{**good, "trace": [[1, 2, 3]]}]}, {"reports": 7}, "none", [], None, 5]

    assert [save(number, viewing) for number, viewing in enumerate(broken)] == [200] * len(broken)
    assert not Viewing.objects.exists()
    assert save(99, {"reports": [good]}) == 200
    assert watched(assignment)["trace"] == [[0, 3.5]]


def test_the_endpoint_refuses_what_it_cannot_read():
    assignment = make_assignment()
    address = f"/api/v1/assignments/{assignment.public_id}/viewing/"

    answer = client_of(assignment.rater).post(
        address, {"reports": [{"trace": "all of it"}]}, content_type="application/json"
    )

    assert (answer.status_code, Viewing.objects.exists()) == (400, False)


def test_more_stretches_than_a_page_can_mean_are_refused_and_keep_no_answer_back():
    assignment = make_assignment()
    client = client_of(assignment.rater)
    address = f"/api/v1/assignments/{assignment.public_id}/"
    flood = {
        "opened": opened_before(assignment, 600),
        "content": content_of(assignment),
        "at": "2026-01-02T03:04:05Z",
        "reference": [[0, 1]] * 500,
        "trace": [[0, 1]] * 500,
    }
    viewing = {"reports": [flood] * 6}
    change = {
        "sequence": 1, "event": 0, "metric": "confusability", "value": "3",
        "base_revision": 0, "rated_at": "2026-01-02T03:04:05Z",
    }  # fmt: skip
    changes = {"client_id": "tab", "changes": [change], "viewing": viewing}

    alone = client.post(f"{address}viewing/", viewing, content_type="application/json")
    saved = client.post(f"{address}changes/", changes, content_type="application/json")

    assert alone.json() == {"reports": ["6000 stretches; expected at most 5000."]}
    assert (alone.status_code, saved.status_code) == (400, 200)
    assert (Rating.objects.count(), Viewing.objects.exists()) == (1, False)


def test_raters_never_see_what_others_watched():
    assignment = make_assignment()
    store(assignment, report(assignment, trace=[(0, 3)]))
    other = AssignmentFactory(campaign=assignment.round.campaign, trace=assignment.trace)

    assert watched(other) is None
