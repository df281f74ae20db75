"""Figures of texts are stored: few verdicts are counted at once, many in a job."""

import pytest

from annotation.models import Job
from tests.texts.reading_rounds import give_both, text_round
from tests.texts.views.test_rounds import address, rows_of
from texts import launch
from texts.engine import figures as engine
from texts.models import TextRoundFigures
from texts.selectors import figures as selectors
from texts.selectors.figures import figures_now
from texts.services import figures as service

pytestmark = pytest.mark.django_db


@pytest.fixture
def many_verdicts(monkeypatch):
    """Let these few count as many, so that their figures are computed in a job."""
    monkeypatch.setattr(launch, "VERDICTS_AT_ONCE", 1)


@pytest.fixture
def sent(monkeypatch):
    """Return what is sent to the queue, whose worker the test plays."""
    found = []
    monkeypatch.setattr(launch, "send_jobs", lambda *, kind, job_ids: found.extend(job_ids))
    return found


def shown(made, owner):
    [stored] = launch.figures_to_show(rounds=[made], actor=owner)
    return stored


def test_few_verdicts_are_counted_at_once_and_read_from_then_on(owner, django_assert_num_queries):
    made, users = text_round(owner)
    give_both(made, "q0", "accept", "accept")
    give_both(made, "q1", "accept", "reject")

    first = shown(made, owner)

    assert (first.newer_count, first.is_outdated, first.is_being_computed) == (0, False, False)
    assert first.figures.equal == figures_now(made).equal
    assert {reader.name for reader in first.figures.by_person} <= set(users)
    assert Job.objects.count() == 0
    with django_assert_num_queries(3):
        assert shown(made, owner) == first


def test_many_verdicts_are_counted_in_a_job_which_the_page_waits_for(
    owner, owner_client, many_verdicts, sent
):
    made, _ = text_round(owner)
    give_both(made, "q0", "accept", "accept")

    waiting = owner_client.get(address(made)).content.decode()
    api = owner_client.get(address(made, "api-text-round"))
    table = rows_of(owner_client.get(address(made, "text-round-figures-csv")))

    assert "The figures are being computed" in waiting
    assert 'data-hx-trigger="every 2s"' in waiting
    assert (api.status_code, api["Retry-After"], table) == (202, "2", [])
    assert len(sent) == 1, "three readers ask, and one job computes"
    service.compute_queued_text_figures(job_ids=sent)
    page = owner_client.get(address(made)).content.decode()
    assert "1 of 4 texts are decided" in page
    assert "data-hx-trigger" not in page
    answer = owner_client.get(address(made, "api-text-round")).json()
    assert (answer["decided"], answer["newer_verdicts"]) == (1, 0)


def test_old_figures_are_shown_with_how_many_verdicts_they_lack(
    owner, owner_client, many_verdicts, sent
):
    made, _ = text_round(owner)
    give_both(made, "q0", "accept", "accept")
    shown(made, owner)
    service.compute_queued_text_figures(job_ids=sent)
    give_both(made, "q1", "accept", "accept")

    page = owner_client.get(address(made)).content.decode()
    answer = owner_client.get(address(made, "api-text-round")).json()
    rows = rows_of(owner_client.get(address(made, "text-round-figures-csv")))

    assert "2 newer verdicts" in page
    assert "1 of 4 texts are decided" in page
    assert (answer["decided"], answer["newer_verdicts"]) == (1, 2)
    assert {(row["newer_verdicts"], bool(row["computed_at"])) for row in rows} == {("2", True)}


def test_another_way_of_counting_makes_stored_figures_old(owner, monkeypatch):
    made, _ = text_round(owner)
    give_both(made, "q0", "accept", "accept")
    shown(made, owner)
    raised = engine.FIGURES_VERSION + 1
    monkeypatch.setattr(selectors.ReadingState.__init__, "__defaults__", (0, 0, raised))

    [stored] = selectors.stored_text_figures([made])

    assert (stored.is_outdated, stored.newer_count) == (True, 0)
    assert not shown(made, owner).is_outdated
    assert TextRoundFigures.objects.get().state["version"] == raised


def test_figures_of_another_form_are_computed_anew_and_never_read(owner):
    made, _ = text_round(owner)
    give_both(made, "q0", "reject", "reject")
    shown(made, owner)
    old = TextRoundFigures.objects.get()
    old.figures["reasons"] = [["It is unclear", 2]]
    old.state["version"] = 1
    old.save()

    [stored] = selectors.stored_text_figures([made])

    assert (stored.figures, stored.is_outdated) == (None, True)
    assert shown(made, owner).figures.reasons[0].hits == 2


def test_people_have_the_names_of_today_and_a_deleted_round_takes_its_job_along(
    owner, owner_client, many_verdicts, sent
):
    made, users = text_round(owner, people=("ann", "ben"))
    give_both(made, "q0", "accept", "accept")
    shown(made, owner)
    service.compute_queued_text_figures(job_ids=sent)
    users["ann"].username = "zoe"
    users["ann"].save()

    assert [reader.name for reader in shown(made, owner).figures.by_person] == ["ben", "zoe"]
    TextRoundFigures.objects.all().delete()
    job = Job.objects.get()
    job.status = "queued"
    job.save()
    service.compute_queued_text_figures(job_ids=[job.pk])
    job.refresh_from_db()
    assert (job.status, TextRoundFigures.objects.count()) == ("done", 0)
