"""A model's answers sort people's queues and change nothing else, and raters do not see it."""

from io import StringIO

import pytest
from django.core.exceptions import ValidationError
from django.core.management import call_command

from annotation.engine.rubric.rubric import Metric
from annotation.models import (
    Assignment,
    Campaign,
    Dataset,
    Phase,
    Purpose,
    Rating,
    Role,
    Round,
)
from annotation.services.corpus.imports import ImportTarget, import_reading
from benchmarks.engine.tasks.model_as_rater import verdicts
from benchmarks.engine.tasks.model_as_rater.screening import SortingRule, first_to_look_at
from benchmarks.models import ItemSet, ParticipantKind, QueueSorting
from benchmarks.selectors.assessments import answers_of
from benchmarks.selectors.queues import screeners_of
from benchmarks.services.queue_sorting import sort_queues
from sample import site
from sample.corpus import load_corpus
from sample.ratings import RATERS
from tests.benchmarks.made import as_lines, frozen_set, uploaded
from tests.factories import CampaignRaterFactory, UserFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner():
    return UserFactory(role=Role.RESEARCHER)


@pytest.fixture
def campaign(owner, monkeypatch):
    """A campaign in its main round, its pilot closed; its events are enough for a verdict."""
    target = ImportTarget(name="Sample", format="native", owner=owner)
    import_reading(load_corpus(), target=target, actor=owner)
    people = [UserFactory(username=name) for name in RATERS]
    site.walk_protocol(Dataset.objects.get(), owner, people)
    campaign = Campaign.objects.get()
    monkeypatch.setattr(verdicts, "LEAST_UNITS", 8)
    # Of one question too little is known.
    sparse = Rating.objects.filter(metric=Metric.SEQUENCE_CONSISTENCY)
    events = list(sparse.order_by("event").values_list("event", flat=True).distinct()[:5])
    sparse.exclude(event__in=events).delete()
    return campaign


def model_answers(owner, round_, value_of, **changes):
    """A model's answers to the questions of a round, as if its endpoint had been asked."""
    source = f"{round_.public_id}:{Dataset.objects.get().public_id}"
    item_set = frozen_set(None, owner, "model_as_rater", source=source, **changes)
    values = {row.key: value_of(row) for row in item_set.test_items}
    found = uploaded(item_set, owner, as_lines(values), file_name="a.jsonl", name="Screener")
    found.kind = ParticipantKind.ENDPOINT
    found.settings = {"model": "m-1", "server": "here", "temperature": 0}
    found.save()
    return found


def commonest(row):
    given = list(row.truth["people"].values())
    return {"answer": max(sorted(set(given)), key=given.count)}


def by_its_take(row):
    """Finds everything broken in takes from the middle of the alphabet on, and is quite sure."""
    is_bad = row.take > "sample-m"
    if not row.payload["is_scale"]:
        return {"answer": row.choices[-1 if is_bad else 0]}
    return {"answer": row.choices[0 if is_bad else -1]}


def queues_of(round_):
    """The traces of every rater's queue in order, by the rater's name."""
    found = {}
    rows = round_.assignments.order_by("rater", "position")
    for name, uid in rows.values_list("rater__username", "trace__uid"):
        found.setdefault(name, []).append(uid)
    return found


def human_figures(campaign):
    """The figures of people's answers, as the command prints them, and the answers."""
    said = StringIO()
    call_command("agreement", campaign=campaign.name, dataset="Sample", json=True, stdout=said)
    return said.getvalue(), list(Rating.objects.order_by("pk").values_list())


def test_queues_are_sorted_by_verdict_and_restored_and_raters_see_nothing(owner, campaign, client):
    pilot, main = campaign.rounds.order_by("number")
    model_answers(owner, pilot, commonest, settings={"calibration_share": 0.0})
    asked = model_answers(owner, main, by_its_take, name="Main")
    rater = main.raters.first().rater
    # What is begun, skipped, a check or has its repeat to come stays where it is.
    rows = list(Assignment.objects.filter(round=main, rater=rater).order_by("position"))
    began, check, first, again = rows[0], rows[4], rows[6], rows[8]
    began.started_at = main.opened_at
    check.purpose = Purpose.GOLD
    again.purpose, again.trace = Purpose.REPEAT, first.trace
    for row in (began, check, again):
        row.save()
    kept = {row.pk: row.position for row in (began, check, first, again)}
    before, figures = queues_of(main), human_figures(campaign)
    page = f"/benchmarks/rounds/{main.public_id}/queues/"
    api = f"/api/v1/rounds/{main.public_id}/queues/"
    client.force_login(owner)
    shown = client.get(page).content.decode()

    client.post(page, {"assessment": asked.public_id, "rule": SortingRule.PROBLEM})

    assert "Human Plausibility <b>passes</b>" in shown
    after = queues_of(main)
    assert dict(Assignment.objects.filter(pk__in=kept).values_list("pk", "position")) == kept
    for name in before:
        assert sorted(after[name]) == sorted(before[name]) != after[name]
    for name in before.keys() - {rater.username}:
        # The bad ones first, each half in the order in which it was.
        bad = [uid for uid in before[name] if uid > "sample-m"]
        assert after[name] == bad + [uid for uid in before[name] if uid not in bad]
    sorting = QueueSorting.objects.get()
    assert Metric.SEQUENCE_CONSISTENCY.value not in sorting.metrics
    assert client.get(api).json() == {
        "name": "Screener", "rule": "expected problem", "metrics": sorting.metrics,
    }  # fmt: skip
    round_page = client.get(f"/campaigns/{campaign.public_id}/rounds/{main.number}/")
    assert "sorted by expected problem of Screener" in round_page.content.decode()
    assert human_figures(campaign) == figures

    # Who rates sees the traces, and neither a model nor an order of its own.
    client.force_login(rater)
    seen = [client.get(one).content.decode() for one in ("/queue/", "/api/v1/assignments/")]
    assert [word for word in ("Screener", "sorted", "expected problem", "m-1", "uncertainty")
            if word in "".join(seen)] == []  # fmt: skip
    assert [client.get(one).status_code for one in (page, api)] == [403, 403]

    client.force_login(owner)
    # Sorted once more by something else, they still go back to where they were at first.
    # A NUL in what is sent is as if it were not there: PostgreSQL cannot even be asked about one.
    client.post(page, {"assessment": f"{asked.public_id}\x00", "rule": SortingRule.UNCERTAINTY})
    assert QueueSorting.objects.get().rule == SortingRule.UNCERTAINTY
    assert client.post(api, {}, content_type="application/json").json()["rule"] is None
    assert queues_of(main) == before
    assert human_figures(campaign) == figures

    # Only final answers in one's own sets screen, by the verdict on the same model.
    def judged():
        return [one.judged for one in screeners_of(owner, main) if one.assessment == asked]

    [screener] = [one for one in screeners_of(owner, main) if one.assessment == asked]
    for made, rule, words in (
        (main, "best", "It is 'best'"),
        (pilot, SortingRule.PROBLEM, "not open"),
    ):
        with pytest.raises(ValidationError, match=words):
            sort_queues(round_=made, screener=screener, rule=rule, actor=owner)
    Round.objects.filter(pk=main.pk).update(phase=Phase.TRAINING)
    assert [client.get(one).status_code for one in (page, api)] == [404, 404]
    Round.objects.filter(pk=main.pk).update(phase=main.phase)
    other = UserFactory(role=Role.RESEARCHER)
    assert None not in judged()
    asked.settings["model"] = "m-2"
    asked.save()
    assert judged() == [None]
    ItemSet.objects.filter(pk=asked.item_set_id).update(owner=other, is_shared=True)
    assert judged() == []
    ItemSet.objects.filter(pk=asked.item_set_id).update(owner=owner)
    asked.frozen_at = None
    asked.save()
    assert judged() == []
    # A researcher who rates in the campaign reads no model's answers about it.
    CampaignRaterFactory(campaign=campaign, rater=owner)
    assert [client.get(one).status_code for one in (page, api)] == [403, 403]
    client.force_login(UserFactory(role=Role.RESEARCHER))
    assert [client.get(one).status_code for one in (page, api)] == [404, 404]


def test_open_round_has_no_answers_and_a_model_without_verdict_sorts_nothing(
    owner, campaign, client
):
    main = campaign.rounds.get(number=2)
    answered = main.assignments.first()
    Rating.objects.create(
        assignment=answered, event=answered.trace.events.first(), metric=Metric.ERROR_VALIDITY,
        value="yes", revision=1, client_id="test", rated_at=main.opened_at,
    )  # fmt: skip
    asked = model_answers(owner, main, by_its_take)

    rows = list(asked.item_set.items.all())
    assert [row for row in rows if row.truth["people"] or row.truth["accepted"]] == []
    assert {row.part for row in rows} == {"test"}
    assert not asked.item_set.assessments.filter(kind=ParticipantKind.BASELINE).exists()
    assert not asked.figures.exists()
    client.force_login(owner)
    assert client.get(f"/benchmarks/assessments/{asked.public_id}/").status_code == 200
    [screener] = screeners_of(owner, main)
    assert (screener.judged, screener.metrics) == (None, [])
    page = f"/benchmarks/rounds/{main.public_id}/queues/"
    sent = {"assessment": asked.public_id, "rule": SortingRule.PROBLEM}
    said = client.post(page, sent, follow=True).content.decode()
    assert "No verdict says that Screener may screen" in said
    assert not QueueSorting.objects.exists()
    whole = answers_of(asked)
    sure = first_to_look_at(whole.items, whole.answers, list(Metric), SortingRule.UNCERTAINTY)
    assert set(sure.values()) == {0.0}
