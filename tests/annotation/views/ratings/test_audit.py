"""The rater's pages: what they show, what they must never show, and what they cost."""

import json
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from annotation.engine.corpus.step_words import StepWords
from annotation.engine.taxonomy import EventKind, Mod
from annotation.models import Phase, RatingEvent, RatingRound
from annotation.selectors.ratings import queue
from annotation.services.campaigns.campaigns import NewCampaign, add_raters, create_campaign
from annotation.services.ratings.rounds import NewRound, open_round, plan_round
from annotation.views.ratings import audit
from tests.annotation.conftest import client_of
from tests.factories import (
    AssignmentFactory,
    CampaignFactory,
    CampaignRaterFactory,
    DatasetFactory,
    EventFactory,
    StepFactory,
    TakeFactory,
    TraceFactory,
    TraceStepFactory,
    UserFactory,
    VideoFactory,
    VideoIngestFactory,
)

PAGE_QUERIES = 12
QUEUE_QUERIES = 14
SECRETS = (
    "Secret-Generator-9",
    "take-of-secret",
    "trace-of-secret",
    "EV-77",
    "native-label",
    "stem-x",
)


def make_trace(step_count=4, *, has_video=False):
    """Return a trace with one mistake, one correction, a cascade edit and a missing step."""
    dataset = DatasetFactory(name=SECRETS[0])
    video = VideoFactory(dataset=dataset, stem=SECRETS[5]) if has_video else None
    take = TakeFactory(dataset=dataset, uid=SECRETS[1], name=SECRETS[1], video=video)
    steps = [StepFactory(take=take, index=index) for index in range(step_count)]
    trace = TraceFactory(
        dataset=dataset, take=take, uid=SECRETS[2], name=SECRETS[2], video=video,
        provenance={"model": SECRETS[0]},
    )  # fmt: skip
    mistake = EventFactory(trace=trace, index=0, event_id=SECRETS[3], proposed_type="WE")
    correction = EventFactory(
        trace=trace, index=1, event_id="C-1", kind=EventKind.CORRECTION, target=mistake
    )
    missing = EventFactory(trace=trace, index=2, event_id="EV-9", proposed_type="D")
    rows = [
        {"mod": Mod.ERROR, "text": "Do section 1", "reference_step": steps[0], "event": mistake},
        {"mod": Mod.CORRECTION, "text": "Put it right", "event": correction},
        {"mod": Mod.CASCADE, "text": "Do part two", "reference_step": steps[1], "event": mistake},
        {"mod": Mod.DELETION, "text": "", "reference_step": steps[2], "event": missing,
         "start_s": None, "end_s": None},
        *({"text": step.text, "reference_step": step} for step in steps[3:]),
    ]  # fmt: skip
    for index, row in enumerate(rows):
        labels = [{"name": SECRETS[4]}]
        TraceStepFactory(trace=trace, index=index, labels=labels, **row)
    return trace


def assign(rater, trace, **values):
    campaign = values.pop("campaign", None) or CampaignFactory(name="Bench audit")
    CampaignRaterFactory(campaign=campaign, rater=rater)
    return AssignmentFactory(campaign=campaign, rater=rater, trace=trace, **values)


def page_of(client, assignment):
    return client.get(reverse("audit", args=[assignment.public_id]))


def payload_of(response):
    start = response.content.index(b'<script id="audit-data"')
    text = response.content[start:].split(b">", 1)[1].split(b"</script>", 1)[0]
    return json.loads(text)


def test_audit_page_payload_has_the_media_of_both_sides(annotator_client, annotator):
    trace = make_trace(has_video=True)
    proxy = {"width": 320, "height": 180, "frame_rate": 25.0}
    VideoIngestFactory(video=trace.video, proxy=proxy)

    payload = payload_of(page_of(annotator_client, assign(annotator, trace)))

    assert payload["media"]["reference"] == payload["media"]["trace"]
    assert payload["media"]["trace"] == {
        "width": 320,
        "height": 180,
        "frame_rate": 25.0,
        "peaks": [0, 50, 100],
        "sprite": {
            "name": "sprite", "columns": 2, "tile_width": 160, "tile_height": 90,
            "times": [2.5, 7.5],
        },
        # The factory's picture shows seconds 0 to 2, which only the first row lasts.
        "pictures": ["step-0000", None, None, None, None],
    }  # fmt: skip
    assert payload["frame_rates"] == {"reference": 25.0, "trace": 25.0}
    assert set(payload["urls"]["pictures"]) == {"reference", "trace"}


def test_audit_page_payload_before_anything_is_ingested(annotator_client, annotator):
    trace = make_trace(has_video=True)

    payload = payload_of(page_of(annotator_client, assign(annotator, trace)))

    assert payload["media"]["trace"] == {
        "width": 640, "height": 360, "frame_rate": 30.0, "peaks": [], "sprite": None,
        "pictures": [None] * 5,
    }  # fmt: skip


def in_words(assignment):
    RatingRound.objects.update(step_words=StepWords.WORDS)
    return assignment


def test_audit_page_shows_both_columns_with_marks_and_differing_words(annotator_client, annotator):
    response = page_of(annotator_client, in_words(assign(annotator, make_trace())))

    html = response.content.decode()
    assert "Do <del>part</del> 1" in html
    assert "Do <ins>section</ins> 1" in html
    assert '<span class="tag mistake">Mistake 1</span>' in html
    assert '<span class="tag correction">Correction 1</span>' in html
    assert '<span class="tag cascade">follows mistake 1</span>' in html
    assert '<span class="tag mistake">Mistake 2</span>' in html
    assert '<span class="gone">step missing</span>' in html
    assert '<span class="note">not in the reference</span>' in html


@pytest.mark.parametrize("has_video", [False, True])
def test_audit_page_gives_no_hint_of_origin_or_type(annotator_client, annotator, has_video):
    trace = make_trace(has_video=has_video)

    html = page_of(annotator_client, assign(annotator, trace)).content.decode()

    assert [secret for secret in SECRETS if secret in html] == []
    assert "proposed" not in html
    assert trace.public_id not in html


def test_audit_page_payload_keys_events_by_index(annotator_client, annotator):
    payload = payload_of(page_of(annotator_client, assign(annotator, make_trace())))

    assert payload["events"] == [
        {
            "index": 0, "kind": "mistake", "name": "Mistake 1", "corrects": None,
            "text": "1 part → section",
        },
        {
            "index": 1, "kind": "correction", "name": "Correction 1", "corrects": "Mistake 1",
            "text": "Corrects mistake 1: – → Put it right",
        },
        {
            "index": 2, "kind": "mistake", "name": "Mistake 2", "corrects": None,
            "text": "3 Do part 3 → –",
        },
    ]  # fmt: skip
    assert payload["rows"][0] == {
        "event": 0, "mark": "mistake", "reference": [0.0, 2.0], "trace": [0.0, 2.0],
    }  # fmt: skip
    assert payload["has_video"] is False
    assert payload["ratings"] == []
    assert payload["rubric"]["metrics"][0]["name"] == "error_validity"


def test_audit_page_without_video_says_so_and_asks_no_video_metric(annotator_client, annotator):
    html = page_of(annotator_client, assign(annotator, make_trace())).content.decode()

    assert "<video" not in html
    assert "This trace has no video" in html
    assert '<fieldset class="question" data-metric="video_plausibility"' not in html
    assert "<b>Video Plausibility</b> not available: this trace has no video." in html


def test_audit_page_with_video_has_two_players_with_addresses_of_this_rater(
    annotator_client, annotator
):
    html = page_of(annotator_client, assign(annotator, make_trace(has_video=True))).content.decode()

    assert html.count("<video") == 2
    assert html.count('src="/video/') == 2
    assert '<fieldset class="question" data-metric="video_plausibility"' in html


@pytest.mark.parametrize("step_count", [4, 24])
def test_audit_page_takes_the_same_queries_for_every_length(
    annotator_client, annotator, django_assert_num_queries, step_count
):
    assignment = assign(annotator, make_trace(step_count, has_video=True))
    VideoIngestFactory(video=assignment.trace.video)

    with django_assert_num_queries(PAGE_QUERIES):
        response = page_of(annotator_client, assignment)

    assert response.content.count(b"data-row=") == 2 * (step_count + 1) + step_count


def test_audit_page_is_open_to_its_own_rater_only(
    annotator_client, owner_client, client, annotator
):
    own = assign(annotator, make_trace())
    foreign = assign(UserFactory(), own.trace, campaign=CampaignFactory())

    assert page_of(annotator_client, own).status_code == 200
    assert page_of(annotator_client, foreign).status_code == 404
    assert page_of(client_of(foreign.rater), own).status_code == 404
    assert page_of(client, own).status_code == 302


def test_audit_page_has_nothing_that_the_content_policy_forbids(annotator_client, annotator):
    response = page_of(annotator_client, assign(annotator, make_trace(has_video=True)))

    html = response.content.decode()
    assert "script-src 'self'" in response.headers["Content-Security-Policy"]
    assert " style=" not in html
    assert "<style" not in html
    assert " onclick=" not in html
    assert html.count("<script") == html.count('<script type="module" src=') + 1  # the data


def test_queue_shows_own_campaigns_with_progress_and_the_next_trace(annotator_client, annotator):
    campaign = CampaignFactory(name="Bench audit")
    CampaignRaterFactory(campaign=campaign, rater=annotator)
    trace = make_trace()
    done = AssignmentFactory(
        campaign=campaign, rater=annotator, trace=trace, position=0, status="submitted",
        submitted_at=timezone.now(),
    )  # fmt: skip
    following = AssignmentFactory(
        campaign=campaign, rater=annotator, trace=TraceFactory(), position=1
    )
    AssignmentFactory(campaign=campaign, rater=UserFactory(), trace=trace, position=0)
    others = AssignmentFactory(
        campaign=campaign, rater=UserFactory(), trace=trace, position=0, status="submitted",
        submitted_at=timezone.now(),
    )  # fmt: skip
    CampaignFactory(name="Somebody else's")

    html = annotator_client.get(reverse("queue")).content.decode()

    assert "1 of 2 submitted" in html
    assert reverse("audit", args=[done.public_id]) in html
    assert reverse("audit", args=[others.public_id]) not in html
    assert reverse("audit", args=[following.public_id]) in html
    assert "Somebody else" not in html
    assert SECRETS[0] not in html


def test_queue_says_what_comes_next_and_how_long_traces_take(annotator_client, annotator):
    campaign = CampaignFactory(name="Bench audit")
    CampaignRaterFactory(campaign=campaign, rater=annotator)
    began = timezone.now() - timedelta(days=1)
    done = AssignmentFactory(
        campaign=campaign, rater=annotator, trace=make_trace(), position=0,
        status="submitted", submitted_at=began,
    )  # fmt: skip
    # Three events and the trace: four minutes, the night between two answers cut to five.
    for sequence, minutes in enumerate((0, 2, 3, 4, 604), start=1):
        RatingEvent.objects.create(
            assignment=done, metric="confusability", value="3", revision=sequence,
            client_id="tab", client_sequence=sequence,
            rated_at=began + timedelta(minutes=minutes),
        )  # fmt: skip
    open_trace = TraceFactory()
    for index in range(3):
        EventFactory(trace=open_trace, index=index)
    following = AssignmentFactory(campaign=campaign, rater=annotator, trace=open_trace, position=1)
    skipped = AssignmentFactory(
        campaign=campaign, rater=annotator, trace=TraceFactory(), position=2,
        skipped_at=timezone.now(),
    )  # fmt: skip

    html = " ".join(annotator_client.get(reverse("queue")).content.decode().split())

    assert f"<b>Next:</b> {following.trace.take.scenario}" in html
    assert "· 3 events" in html
    # 9 minutes for 4 units; 5 units are left.
    assert "A trace takes you about 9 minutes; the 2 that are left, about 11 minutes." in html
    assert "Skipped traces: they come back after the others" in html
    assert reverse("audit", args=[skipped.public_id]) in html


def test_queue_of_many_rounds_comes_in_pages(annotator_client, annotator, monkeypatch):
    def join(number):
        campaign = CampaignFactory(name=f"Audit {number}")
        CampaignRaterFactory(campaign=campaign, rater=annotator)
        for place in range(2):
            AssignmentFactory(
                campaign=campaign, rater=annotator, trace=TraceFactory(), position=place
            )

    monkeypatch.setattr(audit, "CARDS_PER_PAGE", 2)
    counts = []
    for number in range(5):
        join(number)
        if number in (0, 4):
            with CaptureQueriesContext(connection) as queries:
                first = annotator_client.get(reverse("queue"))
            counts.append(len(queries))
    last = annotator_client.get(reverse("queue"), {"cards": 3})

    assert counts[0] == counts[1] <= 15
    assert [len(answer.context["cards"]) for answer in (first, last)] == [2, 1]
    assert "Page 1 of 3" in first.content.decode()
    assert first.content.count(b"0 of 2 submitted") == 2
    assert '<a class="button" rel="next" href="?cards=2#cards">' in first.content.decode()


def test_queue_lists_the_latest_submitted_traces_and_counts_all(annotator, monkeypatch):
    monkeypatch.setattr(queue, "SHOWN_SUBMITTED", 2)
    campaign = CampaignFactory()
    CampaignRaterFactory(campaign=campaign, rater=annotator)
    at = timezone.now()
    rows = [
        AssignmentFactory(
            campaign=campaign, rater=annotator, trace=TraceFactory(), position=place,
            status="submitted", submitted_at=at + timedelta(minutes=place),
        )
        for place in range(5)
    ]  # fmt: skip
    AssignmentFactory(campaign=campaign, rater=annotator, trace=TraceFactory(), position=5)

    [card] = queue.queue_of(annotator)

    assert [item.public_id for item in card.submitted_traces] == [
        rows[4].public_id, rows[3].public_id,
    ]  # fmt: skip
    assert (card.total, card.submitted, card.following.event_count) == (6, 5, 0)


def test_queue_without_a_campaign_says_what_to_do(annotator_client):
    html = annotator_client.get(reverse("queue")).content.decode()

    assert "Nothing to do yet" in html
    assert "annotator" in html


def test_queue_names_a_campaign_that_has_not_started(annotator_client, annotator, owner):
    dataset = DatasetFactory(owner=owner)
    TraceFactory(dataset=dataset)
    campaign = create_campaign(
        new=NewCampaign("Spring audit", phase=None), datasets=[dataset], actor=owner
    )
    add_raters(campaign=campaign, raters=[annotator], actor=owner)

    before = annotator_client.get(reverse("queue")).content.decode()
    version = campaign.guideline_versions.get()
    planned = plan_round(campaign=campaign, new=NewRound(Phase.PILOT, version), actor=owner)
    open_round(planned=planned, actor=owner)
    after = annotator_client.get(reverse("queue")).content.decode()

    assert "Spring audit" in before
    assert "You are in this campaign. It has not started yet" in before
    assert "You are not in a campaign" not in before
    assert "It has not started yet" not in after
    assert "Spring audit" in after


@pytest.mark.parametrize("campaign_count", [1, 3])
def test_queue_takes_the_same_queries_for_every_length(
    annotator_client, annotator, django_assert_num_queries, campaign_count
):
    for _ in range(campaign_count):
        campaign = CampaignFactory()
        assign(annotator, TraceFactory(), campaign=campaign)
        AssignmentFactory(
            campaign=campaign, rater=annotator, position=1, status="submitted",
            submitted_at=timezone.now(),
        )  # fmt: skip

    with django_assert_num_queries(QUEUE_QUERIES):
        annotator_client.get(reverse("queue"))


def test_next_trace_goes_to_the_first_open_one_and_back_to_the_queue(annotator_client, annotator):
    campaign = CampaignFactory()
    assignment = assign(annotator, TraceFactory(), campaign=campaign)
    url = reverse("next-trace", args=[assignment.round.public_id])

    first = annotator_client.get(url).url
    assignment.status = "submitted"
    assignment.submitted_at = timezone.now()
    assignment.save()
    second = annotator_client.get(url).url

    assert first == reverse("audit", args=[assignment.public_id])
    assert second == reverse("queue")
