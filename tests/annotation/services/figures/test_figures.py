"""Stored figures: computed when ratings changed, and never shown older than they say."""

import threading
from datetime import timedelta

import pytest
from django.db import connection, connections
from django.urls import reverse
from django.utils import timezone

from annotation import launch
from annotation.analytics.agreement import report
from annotation.engine.rubric.rubric import Metric
from annotation.models import (
    AgreementFigures,
    Assignment,
    Campaign,
    Dataset,
    Event,
    Job,
    JobStatus,
    Rating,
    Trace,
    Viewing,
)
from annotation.selectors.figures.figures import (
    FiguresScope,
    rating_state,
    scope_of_campaign,
    scope_of_dataset,
    stored_figures,
)
from annotation.services.figures import figures as service
from annotation.services.figures.figures import (
    compute_figures,
    compute_queued_figures,
    queue_figures,
)
from annotation.services.ratings.saving import save_changes
from tests.annotation.rating_changes import change
from tests.annotation.stored_ratings import AT
from tests.annotation.two_rounds import make_two_rounds
from tests.factories import (
    AssignmentFactory,
    CampaignFactory,
    DatasetFactory,
    EventFactory,
    TraceFactory,
    VideoFactory,
)

CONFUSABILITY = ("1", "2", "4", "5")


@pytest.fixture
def campaign(owner) -> Campaign:
    """Four traces with an event each, which two raters have rated."""
    dataset = DatasetFactory(name="Tea", owner=owner)
    campaign = CampaignFactory(name="Main", owner=owner, seed=7)
    campaign.datasets.add(dataset)
    for number, value in enumerate(CONFUSABILITY):
        trace = TraceFactory(dataset=dataset, uid=f"t{number}")
        EventFactory(trace=trace, index=0, event_id="e0")
        for shift in (0, number % 2):
            rate(AssignmentFactory(campaign=campaign, trace=trace), str(max(1, int(value) - shift)))
    return campaign


def rate(assignment: Assignment, value: str, *, sequence: int = 0, base: int = 0) -> None:
    save_changes(
        public_id=assignment.public_id,
        client_id="tab",
        changes=[change(sequence, Metric.CONFUSABILITY, value, base=base)],
        actor=assignment.rater,
    )


@pytest.fixture
def many_ratings(monkeypatch) -> None:
    """Let these few count as many, so that their figures are computed in a job."""
    monkeypatch.setattr(launch, "RATINGS_AT_ONCE", 3)


@pytest.fixture
def sent(monkeypatch) -> list[int]:
    """Return what is sent to the queue, whose worker the test plays."""
    found: list[int] = []
    monkeypatch.setattr(launch, "send_jobs", lambda *, kind, job_ids: found.extend(job_ids))
    return found


def alpha_of(figures) -> float | None:
    return {row.metric: row.alpha for row in figures.rows}[Metric.CONFUSABILITY]


def fresh_alpha(campaign: Campaign) -> float | None:
    scope = scope_of_campaign(campaign)
    rows = service._compute(scope, earlier=None)["rows"]
    return {row["metric"]: row["alpha"] for row in rows}[Metric.CONFUSABILITY]


def test_few_ratings_are_computed_at_once_and_read_from_then_on(
    campaign, owner, django_assert_max_num_queries
):
    scope = scope_of_campaign(campaign)

    first = launch.figures_to_show(scope=scope, actor=owner)

    assert first.is_final
    assert alpha_of(first) == fresh_alpha(campaign) is not None
    assert Job.objects.count() == 0
    with django_assert_max_num_queries(8):
        assert launch.figures_to_show(scope=scope, actor=owner) == first


def test_many_ratings_are_computed_in_a_job_which_the_page_waits_for(
    campaign, owner, owner_client, many_ratings, sent
):
    page, began = reverse("campaign-report", args=[campaign.public_id]), timezone.now()

    waiting = owner_client.get(page).content.decode()
    assert owner_client.get(page).status_code == 200

    assert "The figures are being computed" in waiting
    assert 'data-hx-trigger="every 2s"' in waiting
    assert len(sent) == 1
    compute_queued_figures(job_ids=sent)
    done = owner_client.get(page)
    assert done.context["figures"].is_final
    assert alpha_of(done.context["figures"]) == fresh_alpha(campaign)
    assert "data-hx-trigger" not in done.content.decode()
    days = {f"Computed {moment:%-d %B %Y}" for moment in (began, timezone.now())}
    assert any(day in done.content.decode() for day in days)


def test_figures_of_many_rounds_are_computed_in_a_job(campaign, owner, sent, monkeypatch):
    monkeypatch.setattr(launch, "ROUNDS_AT_ONCE", 0)

    figures = launch.figures_to_show(scope=scope_of_campaign(campaign), actor=owner)

    assert figures.computed_at is None
    assert sent == list(Job.objects.values_list("pk", flat=True)) != []


def test_rounds_in_which_nobody_has_rated_are_not_compared(owner):
    campaign = make_two_rounds(owner)
    compute_figures(scope=scope_of_campaign(campaign))
    compared = stored_figures(scope_of_campaign(campaign)).comparisons
    assert {row.metric for row in compared} == {Metric.CONFUSABILITY}
    Rating.objects.filter(assignment__round=campaign.rounds.first()).delete()

    compute_figures(scope=scope_of_campaign(campaign))

    assert stored_figures(scope_of_campaign(campaign)).comparisons == ()


def test_figures_say_how_many_ratings_are_newer(campaign, owner, owner_client, many_ratings, sent):
    page = reverse("campaign-report", args=[campaign.public_id])
    owner_client.get(page)
    compute_queued_figures(job_ids=sent)
    old = owner_client.get(page).context["figures"]
    assignments = list(Assignment.objects.order_by("pk")[:2])
    rate(assignments[0], "3", sequence=1, base=1)
    rate(assignments[0], "4", sequence=2, base=2)
    rate(assignments[1], "5", sequence=1, base=1)

    shown = owner_client.get(page)

    assert "3 newer ratings" in shown.content.decode()
    assert shown.context["figures"].rows == old.rows
    assert shown.context["figures"].computed_at == old.computed_at
    # Within a minute of the last time nothing is queued.
    assert len(sent) == 1


def test_figures_are_computed_again_after_a_minute(campaign, owner, many_ratings):
    scope = scope_of_campaign(campaign)
    now = timezone.now()
    [first] = queue_figures(scope=scope, actor=owner, now=now)

    assert queue_figures(scope=scope, actor=owner, now=now + timedelta(minutes=2)) == []
    compute_queued_figures(job_ids=[first])
    rate(Assignment.objects.earliest("pk"), "3", sequence=1, base=1)
    assert queue_figures(scope=scope, actor=owner, now=now + timedelta(seconds=59)) == []
    [second] = queue_figures(scope=scope, actor=owner, now=now + timedelta(seconds=61))

    compute_queued_figures(job_ids=[second])
    found = stored_figures(scope)
    assert (found.newer_count, found.is_final) == (0, True)
    assert alpha_of(found) == fresh_alpha(campaign)
    assert [job.pk for job in Job.objects.all()] == [second]


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_save_during_the_computing_counts_as_newer(campaign, owner, monkeypatch, when):
    """However the save falls, figures that do not know of it never pass as current."""
    scope = scope_of_campaign(campaign)
    inputs = service.report_inputs

    def inputs_with_a_save(found):
        if when == "before":
            rate(Assignment.objects.earliest("pk"), "5", sequence=1, base=1)
        result = inputs(found)
        if when == "after":
            rate(Assignment.objects.earliest("pk"), "5", sequence=1, base=1)
        return result

    monkeypatch.setattr(service, "report_inputs", inputs_with_a_save)
    compute_figures(scope=scope)

    found = stored_figures(scope)
    assert (found.newer_count, found.is_outdated) == (1, True)
    monkeypatch.setattr(service, "report_inputs", inputs)
    assert launch.figures_to_show(scope=scope, actor=owner).is_final


def test_figures_of_the_same_ratings_are_not_drawn_again(campaign, owner, monkeypatch):
    scope = scope_of_campaign(campaign)
    compute_figures(scope=scope)
    before = stored_figures(scope)
    assignment = Assignment.objects.earliest("pk")
    rate(assignment, "5", sequence=1, base=1)
    rate(assignment, CONFUSABILITY[0], sequence=2, base=2)
    assert stored_figures(scope).newer_count == 2
    monkeypatch.setattr(report, "_report_row", None)

    compute_figures(scope=scope)

    after = stored_figures(scope)
    assert (after.rows, after.ratings_hash, after.is_final) == (
        before.rows, before.ratings_hash, True,
    )  # fmt: skip


def new_trace() -> None:
    TraceFactory(dataset=Dataset.objects.get())


def new_event() -> None:
    EventFactory(trace=Trace.objects.first(), index=1, event_id="e1")


def gone_event() -> None:
    trace = TraceFactory(dataset=Dataset.objects.get())
    EventFactory(trace=trace, index=0, event_id="gone")
    launch.compute_figures(scope=scope_of_campaign(Campaign.objects.get()))
    Event.objects.filter(event_id="gone").delete()


def linked_video() -> None:
    Trace.objects.filter(uid="t0").update(video=VideoFactory())


def new_assignment() -> None:
    AssignmentFactory(campaign=Campaign.objects.get(), trace=Trace.objects.first())


def new_name() -> None:
    Dataset.objects.update(name="Coffee")


def watched() -> None:
    Viewing.objects.create(assignment=Assignment.objects.first(), content="c", opened_at=AT)


@pytest.mark.parametrize(
    "change_rest",
    [new_trace, new_event, gone_event, linked_video, new_assignment, new_name, watched],
)
def test_figures_notice_whatever_else_they_come_from(campaign, owner, change_rest):
    scope = scope_of_campaign(campaign)
    compute_figures(scope=scope)

    change_rest()

    found = stored_figures(scope)
    assert (found.newer_count, found.is_outdated) == (0, True)


def test_a_job_that_failed_says_so_and_is_tried_again(
    campaign, owner, owner_client, many_ratings, sent, monkeypatch
):
    page = reverse("campaign-report", args=[campaign.public_id])
    owner_client.get(page)

    def broken(scope):
        raise MemoryError("no room")

    monkeypatch.setattr(service, "report_inputs", broken)
    compute_queued_figures(job_ids=sent)

    shown = owner_client.get(page).content.decode()
    assert "They could not be computed" in shown
    assert "MemoryError: no room" in shown
    answer = owner_client.get(f"/api/v1/campaigns/{campaign.public_id}/agreement/")
    assert answer.status_code == 202
    assert "no room" in answer.json()["detail"]


def test_job_whose_figures_are_gone_ends(campaign, owner):
    [job_id] = queue_figures(scope=scope_of_campaign(campaign), actor=owner)
    AgreementFigures.objects.all().delete()

    compute_queued_figures(job_ids=[job_id])

    assert Job.objects.get(pk=job_id).status == JobStatus.DONE


def test_api_answers_202_until_there_are_figures_and_then_their_age(
    campaign, owner_client, many_ratings, sent
):
    address = f"/api/v1/campaigns/{campaign.public_id}/"

    first = owner_client.get(f"{address}agreement/")

    assert (first.status_code, first["Retry-After"]) == (202, "2")
    assert "being computed" in first.json()["detail"]
    assert owner_client.get(f"{address}viewing/").status_code == 202
    compute_queued_figures(job_ids=sent)
    rate(Assignment.objects.earliest("pk"), "3", sequence=1, base=1)
    rows = owner_client.get(f"{address}agreement/").json()
    at = AgreementFigures.objects.get().computed_at.isoformat(timespec="seconds")
    assert {(row["computed_at"], row["newer_ratings"]) for row in rows} == {(at, 1)}


def test_csv_has_the_age_of_the_figures_and_waits_for_the_first(
    campaign, owner_client, many_ratings, sent
):
    table = reverse("campaign-report-csv", args=[campaign.public_id])

    early = owner_client.get(table)

    assert early.status_code == 302
    assert early["Location"] == reverse("campaign-report", args=[campaign.public_id])
    compute_queued_figures(job_ids=sent)
    lines = b"".join(owner_client.get(table).streaming_content).decode().splitlines()
    assert lines[0] == ",".join([*report.COLUMNS, "computed_at", "newer_ratings"])
    assert all(line.endswith("+00:00,0") for line in lines[1:])


def test_dataset_figures_are_of_the_campaigns_that_the_reader_may_see(
    campaign, owner, outsider, administrator, owner_client
):
    dataset = Dataset.objects.get()
    other = CampaignFactory(name="Private", owner=outsider)
    for trace in dataset.traces.all():
        for value in ("1", "5"):
            rate(AssignmentFactory(campaign=other, trace=trace), value)
    scopes = {user: scope_of_dataset(user, dataset) for user in (owner, outsider, administrator)}

    ratings = {
        user: [
            (row.basis.campaign, row.ratings)
            for row in launch.figures_to_show(scope=scope, actor=user).rows
            if row.metric == Metric.CONFUSABILITY
        ]
        for user, scope in scopes.items()
    }

    # One row for each round: rounds are not pooled.
    assert ratings == {
        owner: [("Main", 8)],
        outsider: [("Private", 8)],
        administrator: [("Main", 8), ("Private", 8)],
    }
    assert scopes[owner].rounds == (campaign.rounds.get().pk,)
    assert scopes[outsider].rounds == (other.rounds.get().pk,)
    page = owner_client.get(reverse("dataset-report", args=[dataset.public_id]))
    assert page.context["figures"].rows == stored_figures(scopes[owner]).rows


@pytest.mark.django_db(transaction=True)
def test_an_unfinished_save_is_counted_when_it_is_committed(campaign, owner):
    """On PostgreSQL a save may be under way while figures are computed; its count is not lost."""
    if not connection.features.has_select_for_update:
        pytest.skip("SQLite lets nobody read between a save's statements and its commit")
    scope = scope_of_campaign(campaign)
    assignment = Assignment.objects.earliest("pk")
    other = connections.create_connection("default")
    try:
        with other.cursor() as cursor:
            cursor.execute("BEGIN")
            cursor.execute(
                "UPDATE annotation_assignment SET change_count = change_count + 1 WHERE id = %s",
                [assignment.pk],
            )
            cursor.execute(
                "UPDATE annotation_rating SET value = '5' WHERE assignment_id = %s",
                [assignment.pk],
            )
            compute_figures(scope=scope)
            assert stored_figures(scope).is_final
            cursor.execute("COMMIT")
        assert stored_figures(scope).newer_count == 1
    finally:
        other.close()


def test_scope_survives_its_way_through_json_and_names_every_option(campaign):
    scope = scope_of_campaign(campaign)
    others = [
        FiguresScope.from_dict(scope.to_dict() | change)
        for change in ({"seed": 8}, {"is_submitted_only": True}, {"resamples": 5})
    ]

    assert FiguresScope.from_dict(scope.to_dict()) == scope
    assert len({item.key for item in (scope, *others)}) == 4
    assert rating_state(scope).change_count == Rating.objects.count()


@pytest.mark.django_db(transaction=True)
def test_figures_that_pass_as_current_are_current_while_raters_save(campaign, owner):
    """Somebody saves all the time; whenever figures say that nothing is newer, that is true."""
    scope = scope_of_campaign(campaign)
    assignment = Assignment.objects.earliest("pk")
    is_over = threading.Event()
    saved: list[int] = []

    def save_on_and_on() -> None:
        try:
            while not is_over.is_set():
                rate(
                    assignment,
                    "12345"[len(saved) % 5],
                    sequence=len(saved) + 1,
                    base=len(saved) + 1,
                )
                saved.append(1)
                is_over.wait(0.02)
        finally:
            connection.close()

    thread = threading.Thread(target=save_on_and_on)
    thread.start()
    try:
        for _ in range(8):
            compute_figures(scope=scope)
            found = stored_figures(scope)
            value = Rating.objects.get(assignment=assignment).value
            state = AgreementFigures.objects.get().state
            # Nothing was saved between the figures and this look at the ratings.
            if not found.is_outdated and rating_state(scope).to_dict() == state:
                assert mean_of(found) == pytest.approx(mean_with(value))
    finally:
        is_over.set()
        thread.join()
    assert saved
    compute_figures(scope=scope)
    found = stored_figures(scope)
    assert found.is_final
    assert mean_of(found) == pytest.approx(
        mean_with(Rating.objects.get(assignment=assignment).value)
    )


def mean_of(figures) -> float:
    return {row.metric: row.aggregate for row in figures.rows}[Metric.CONFUSABILITY]


def mean_with(value: str) -> float:
    """Return the mean of all ratings of Confusability, the first of them being `value`."""
    others = Rating.objects.order_by("assignment").values_list("value", flat=True)[1:]
    values = [int(value), *map(int, others)]
    return sum(values) / len(values)
