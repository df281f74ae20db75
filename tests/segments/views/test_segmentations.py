"""The page of a person's segments: for whom it opens, what it holds, and what it costs."""

import json
import re

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.models import Campaign, GuidelineVersion, Video
from annotation.selectors.videos.access import watchable_videos
from annotation.services.campaigns.guidelines import confirm_reading
from annotation.services.campaigns.protocol import accept_consent, set_consent_text
from segments.engine.model import without_defaults
from segments.models import Segmentation, SegmentRecording
from segments.selectors.saving import stored_segments
from segments.services.segmentations import begin
from tests.factories import (
    SegmentationFactory,
    SegmentRoundFactory,
    UserFactory,
    VideoIngestFactory,
)
from tests.segments.segmenting import answer, make_segmentation, piece

pytestmark = pytest.mark.django_db
MOST_QUERIES = 13


def page_of(client, own):
    client.force_login(own.person)
    return client.get(reverse("segments", args=[own.public_id]))


def payload_of(page):
    found = re.search(
        r'<script id="segments-data" type="application/json">(.*?)</script>',
        page.content.decode(),
        re.DOTALL,
    )
    return json.loads(found[1])


def test_the_page_holds_what_the_api_answers(client):
    own = make_segmentation(proposals=[piece("a", 0, 2)])

    held = payload_of(page_of(client, own))
    read = client.get(reverse("api-segmentation", args=[own.public_id])).json()

    # The page leaves out what `fromTable` puts back.
    shown = json.loads(json.dumps(without_defaults(read["segments"])))
    assert held["segments"] == shown
    read["segments"] = shown
    changing = {"now", "opened", "media"}
    assert {name: value for name, value in held.items() if name not in changing} == {
        name: value for name, value in read.items() if name not in changing
    }
    assert set(held) == set(read)


def test_nobody_else_opens_it(client):
    own = make_segmentation()
    client.force_login(UserFactory())

    assert client.get(reverse("segments", args=[own.public_id])).status_code == 404
    client.logout()
    assert client.get(reverse("segments", args=[own.public_id])).status_code == 302


def test_the_consent_text_comes_first_and_nothing_begins_before(client):
    own = make_segmentation(proposals=[piece("a", 0, 2)])
    campaign = own.round.campaign
    researcher = UserFactory(role="researcher")
    Campaign.objects.update(owner=researcher)
    client.force_login(researcher)
    page = reverse("protocol", args=[campaign.public_id])
    client.post(reverse("protocol-consent", args=[campaign.public_id]), {"text": "Agreed?"})
    assert "not yet" in client.get(page).content.decode()

    asked = page_of(client, own)

    assert asked.url == reverse("consent", args=[own.round.public_id])
    assert "before your first segment" in client.get(asked.url).content.decode()
    own.refresh_from_db()
    assert own.started_at is None
    accepted = client.post(asked.url, {"number": 1}, follow=True)
    assert accepted.request["PATH_INFO"] == reverse("segments", args=[own.public_id])
    assert payload_of(accepted)["head"] == 1
    client.force_login(researcher)
    assert "not yet" not in client.get(page).content.decode()
    client.force_login(UserFactory(role="researcher"))
    assert client.get(page).status_code == 404


def test_the_consent_text_is_written_and_accepted_over_the_api(client):
    own = make_segmentation()
    researcher = UserFactory(role="researcher")
    Campaign.objects.update(owner=researcher)
    address = reverse("api-consent", args=[own.round.campaign.public_id])
    client.force_login(researcher)
    assert client.get(address).status_code == 404

    client.put(address, {"text": "Agreed?"}, "application/json")
    client.force_login(own.person)
    read = client.get(address).json()
    accepting = reverse("api-consent-accept", args=[own.round.campaign.public_id])
    accepted = client.post(accepting, {"number": read["number"]}, "application/json").json()

    assert (read["text"], read["is_accepted"], accepted["is_accepted"]) == ("Agreed?", False, True)


def test_who_segments_a_recording_may_watch_it_and_no_other_one():
    own, other = make_segmentation(), make_segmentation()

    assert set(watchable_videos(own.person)) == {own.recording.take.video}
    assert set(watchable_videos(other.person)) == {other.recording.take.video}


def audit_of(pieces):
    own = make_segmentation(stage="audit", scheme="partition", proposals=pieces)
    answer(own, *((item.key, 1, "accurate", False) for item in pieces))
    return own


def later(bases, stage, proposals):
    """Return a segmentation that goes on from others, in a round of its own."""
    made = SegmentRoundFactory(campaign=bases[0].round.campaign, scheme="partition", stage=stage)
    recording = SegmentRecording.objects.create(
        round=made.round,
        take=bases[0].recording.take,
        source_segmentation=bases[0],
        proposals=[item.to_dict() for item in proposals],
    )
    own = SegmentationFactory(recording=recording)
    own.based_on.set(bases)
    begin(public_id=own.public_id, actor=own.person)
    return own


@pytest.mark.parametrize("stage", ["label", "audit", "correct", "review", "adjudicate"])
def test_the_page_costs_thirteen_queries_at_most_however_many_segments(
    client, stage, django_assert_max_num_queries
):
    pieces = [piece(f"p{i:04}", i / 250, (i + 1) / 250, step_id="1") for i in range(2000)]
    own = make_segmentation(proposals=pieces, scheme="partition")
    begin(public_id=own.public_id, actor=own.person)
    Segmentation.objects.update(status="submitted")
    if stage == "label":
        Segmentation.objects.update(status="open")
    elif stage == "audit":
        own = audit_of(pieces[:300])
    else:
        bases = [audit_of(pieces[:300])] if stage == "correct" else [own]
        own = later(bases, stage, pieces)
    set_consent_text(campaign=own.round.campaign, text="Agreed?", actor=UserFactory())
    accept_consent(text=own.round.campaign.consent_texts.get(), rater=own.person)
    for video in Video.objects.filter(ingest__isnull=True):
        VideoIngestFactory(video=video)
    page_of(client, own)

    with django_assert_max_num_queries(MOST_QUERIES):
        page = client.get(reverse("segments", args=[own.public_id]))

    assert len(payload_of(page)["segments"]["rows"]) == len(stored_segments(own.pk))


def test_what_was_said_no_to_is_asked_of_who_corrects_and_nobody_is_named(client):
    audit = audit_of([piece("a", 0, 5, step_id="1"), piece("b", 5, 10, step_id="2")])
    answer(audit, ("b", 1, "accurate", True), first=10)
    own = later([audit], "correct", [piece("a", 0, 5), piece("b", 5, 10)])

    page = page_of(client, own)

    assert payload_of(page)["asked"] == [{"key": "a", "question": "accurate", "note": ""}]
    for hidden in (audit.person.username, audit.public_id):
        assert hidden not in page.content.decode()


def test_who_decides_between_two_sees_both_and_no_name(client):
    first = make_segmentation(proposals=[piece("a", 0, 5)], scheme="partition")
    begin(public_id=first.public_id, actor=first.person)
    second = SegmentationFactory(recording=first.recording)
    begin(public_id=second.public_id, actor=second.person)
    own = later([first, second], "adjudicate", ())

    page = page_of(client, own)

    lanes = payload_of(page)["lanes"]
    assert [(lane["title"], len(lane["segments"]["rows"])) for lane in lanes] == [
        ("A", 1),
        ("B", 1),
    ]
    for base in (first, second):
        assert base.person.username not in page.content.decode()


def test_a_changed_guideline_is_read_before_the_first_recording(client):
    first = make_segmentation()
    Segmentation.objects.filter(pk=first.pk).update(started_at=timezone.now())
    second = make_segmentation(campaign=first.round.campaign, person=first.person)
    guideline = second.round.guideline
    GuidelineVersion.objects.filter(pk=guideline.pk).update(
        text={**guideline.text, "text": "Listen."}
    )

    before = page_of(client, second)
    news = client.get(before.url).content.decode()
    confirmed = client.post(before.url, {"version": guideline.public_id})

    assert before.url == reverse("welcome", args=[second.round.public_id])
    assert "New in the guideline" in news
    assert "<del>Look. </del><ins>Listen.</ins>" in news
    assert "before you open the first recording" in news
    assert confirmed.url == reverse("segments-next", args=[second.round.public_id])
    assert page_of(client, second).status_code == 200


def test_another_scheme_is_no_news(client):
    first = make_segmentation()
    Segmentation.objects.filter(pk=first.pk).update(started_at=timezone.now())
    second = make_segmentation(campaign=first.round.campaign, person=first.person, scheme="onset")

    assert page_of(client, second).status_code == 200


@pytest.mark.parametrize(
    ("of_round", "is_new"),
    [
        ({}, False),
        ({"scheme": "onset"}, True),
        ({"scheme": "partition", "stage": "audit"}, True),
    ],
)
def test_who_has_read_what_labelling_is_begins_other_work_with_what_that_is(
    client, of_round, is_new
):
    first = make_segmentation()
    confirm_reading(version=first.round.guideline, rater=first.person)
    second = make_segmentation(campaign=first.round.campaign, person=first.person, **of_round)
    client.force_login(first.person)

    queue = client.get(reverse("queue")).content.decode()

    welcome = reverse("welcome", args=[second.round.public_id])
    address = welcome if is_new else reverse("segments", args=[second.public_id])
    assert f'<a class="button primary" href="{address}">Start</a>' in queue


def test_who_labels_reads_what_it_is_and_the_guideline_as_a_page(client):
    own = make_segmentation()
    client.force_login(own.person)
    pages = [reverse(name, args=[own.round.public_id]) for name in ("welcome", "round-guideline")]

    queue = client.get(reverse("queue")).content.decode()
    welcome, guideline = (client.get(page).content.decode() for page in pages)

    assert [page in queue for page in pages] == [True, True]
    assert "mark when its steps begin and end" in welcome
    assert "<p>Look.</p>" in welcome
    assert "<p>Look.</p>" in guideline
    client.force_login(UserFactory())
    assert [client.get(page).status_code for page in pages] == [404, 404]
