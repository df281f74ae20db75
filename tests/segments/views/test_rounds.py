"""Campaigns of segments and their rounds, as pages."""

import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from annotation.models import Campaign, Round
from segments.models import SEGMENTS, SegmentSource, Stage
from segments.services.segmentations import submit
from tests.annotation.conftest import client_of
from tests.factories import DatasetFactory, StepFactory, TakeFactory, UserFactory, VideoFactory
from tests.segments.campaigns import opened, segment_campaign
from tests.segments.segmenting import insert, save

pytestmark = pytest.mark.django_db
CAMPAIGN_QUERIES, ROUND_QUERIES, QUEUE_QUERIES = 12, 10, 12


@pytest.fixture
def dataset(owner):
    """Return a data set of three takes with untimed steps and a video each."""
    made = DatasetFactory(owner=owner)
    for place in range(3):
        take = TakeFactory(dataset=made, uid=f"take-{place}", video=VideoFactory(dataset=made))
        StepFactory(take=take, index=0, step_id="s0", start_s=None, end_s=None)
    return made


def plan(client, campaign, **values):
    data = {
        "stage": "label", "scheme": "egooops", "source": "none", "recordings": "both",
        "takes_become": "reference", "one_in": "1", "needs_video": "on", "overlap": "1",
        "phase": "main", "seed": "0", "hides_author": "on",
    } | values  # fmt: skip
    return client.post(reverse("segment-round-new", args=[campaign.public_id]), data)


def test_a_round_of_labels_is_planned_opened_and_closed_from_the_browser(owner_client, dataset):
    ann = UserFactory(username="ann")
    made = owner_client.post(
        reverse("segment-campaign"), {"name": "Labels", "datasets": [dataset.public_id]}
    )
    campaign = Campaign.objects.get()
    assert made.url == reverse("campaign-detail", args=[campaign.public_id])
    assert (campaign.kind, campaign.state) == (SEGMENTS, "draft")
    people = {"raters": ["ann"], "new_names": ""}
    owner_client.post(reverse("campaign-add-raters", args=[campaign.public_id]), people)

    planned = plan(owner_client, campaign)
    address = reverse("segment-round", args=[campaign.public_id, 1])
    assert planned.url == address
    shown = owner_client.get(address).content
    assert b"assigned when it opens" in shown
    assert b"<b>Next:</b> open the round: 3 recordings, each for the one person in it." in shown
    assert b"It has not started yet" in client_of(ann).get(reverse("queue")).content
    opened = owner_client.post(
        reverse("segment-round-open", args=[campaign.public_id, 1]), follow=True
    )
    assert b"Round 1 is open: 3 recordings are in the queues." in opened.content
    assert b"Closing is final" in opened.content
    assert b"<b>Next:</b> wait until everybody has finished (0 of 3 so far)" in opened.content

    queue = client_of(ann).get(reverse("queue")).content.decode()
    first = Round.objects.get().segmentations.order_by("position").first()
    assert "Label the recording" in queue
    assert "0 of 3 submitted" in queue
    assert f'href="/segments/{first.public_id}/"' in queue

    closed = owner_client.post(
        reverse("segment-round-close", args=[campaign.public_id, 1]), follow=True
    )
    assert b"it is never reopened" in closed.content
    assert f'<b>Next:</b> read <a href="{address}agreement/">its figures' in closed.content.decode()
    assert b"Nothing can be changed any more" in client_of(ann).get(reverse("queue")).content


RATINGS_ONLY = (
    "round-new", "gold", "qualifications", "desk", "campaign-report", "campaign-paper",
    "campaign-ratings-csv", "campaign-hours-csv", "campaign-remarks-csv",
)  # fmt: skip


def test_planning_says_of_which_data_sets_videos_are_missing(owner_client, owner, dataset):
    own = DatasetFactory(name="Own", owner=owner)
    theirs = DatasetFactory(name="Theirs", owner=UserFactory(username="thea"))
    for lacking in (own, theirs):
        TakeFactory(dataset=lacking, uid="take", video=None, video_stem="take")
    # Of a recording without a name no file can be its video.
    TakeFactory(dataset=dataset, uid="unnamed", video=None, video_stem="")
    campaign, _ = segment_campaign(owner)
    campaign.datasets.add(own, theirs, dataset)

    page = owner_client.get(
        reverse("segment-round-new", args=[campaign.public_id])
    ).content.decode()

    videos = f"{reverse('dataset-detail', args=[own.public_id])}#videos"
    assert page.count("have no video.") == 2
    assert f'recordings of Own have no video. <a href="{videos}">Upload them</a>' in page
    assert "Theirs have no video. Ask thea to upload or link them." in page


@pytest.mark.parametrize("name", RATINGS_ONLY)
def test_pages_of_ratings_are_not_there_for_segments(owner_client, owner, name):
    campaign, _ = segment_campaign(owner)

    assert owner_client.get(reverse(name, args=[campaign.public_id])).status_code == 404


def test_of_the_protocol_campaigns_of_segments_have_the_consent_alone(owner_client, owner):
    campaign, _ = segment_campaign(owner)

    page = owner_client.get(reverse("protocol", args=[campaign.public_id])).content.decode()

    assert reverse("protocol-consent", args=[campaign.public_id]) in page
    assert reverse("protocol-file", args=[campaign.public_id]) not in page
    for name in ("protocol-plan", "protocol-file"):
        assert owner_client.post(reverse(name, args=[campaign.public_id])).status_code == 404


@pytest.mark.parametrize("name", ["round-detail", "round-raters", "round-plan", "round-checks"])
def test_pages_of_rounds_of_ratings_are_not_there_for_segments(owner_client, owner, name):
    campaign, _ = segment_campaign(owner)
    opened(campaign, owner, stage=Stage.LABEL, scheme="egooops")

    assert owner_client.get(reverse(name, args=[campaign.public_id, 1])).status_code == 404


@pytest.mark.parametrize("name", ["round-open", "round-close"])
def test_rounds_of_segments_do_not_move_by_addresses_of_ratings(owner_client, owner, name):
    campaign, _ = segment_campaign(owner)
    made, _ = opened(campaign, owner, stage=Stage.LABEL, scheme="egooops")

    answer = owner_client.post(reverse(name, args=[campaign.public_id, 1]))

    made.refresh_from_db()
    assert (answer.status_code, made.is_open) == (404, True)


def test_pages_are_their_owners(owner, outsider_client, annotator_client):
    campaign, _ = segment_campaign(owner)
    opened(campaign, owner, stage=Stage.AUDIT, scheme="partition", source=SegmentSource.STEPS)
    pages = [
        ("campaign-detail", []), ("segment-round-new", []), ("segment-round", [1]),
        ("segment-proposals", [1]), ("guidelines", []), ("guideline-detail", [1]),
    ]  # fmt: skip
    for name, more in pages:
        address = reverse(name, args=[campaign.public_id, *more])
        assert outsider_client.get(address).status_code == 404
        assert annotator_client.get(address).status_code == 403
    for name in ("open", "again", "close"):
        address = reverse(f"segment-round-{name}", args=[campaign.public_id, 1])
        assert outsider_client.post(address).status_code == 404
        assert annotator_client.post(address).status_code == 403


@pytest.mark.parametrize("count", [1, 3])
def test_detail_and_round_cost_the_same_queries(
    owner_client, owner, count, django_assert_num_queries
):
    people = ("ann", "ben", "cem")[:count]
    campaign, _ = segment_campaign(owner, takes=count, people=people)
    for _ in range(count):
        opened(campaign, owner, stage=Stage.LABEL, scheme="egooops", overlap=count)
    owner_client.get(reverse("campaigns"))

    with django_assert_num_queries(CAMPAIGN_QUERIES):
        owner_client.get(reverse("campaign-detail", args=[campaign.public_id]))
    with django_assert_num_queries(ROUND_QUERIES):
        owner_client.get(reverse("segment-round", args=[campaign.public_id, 1]))


@pytest.mark.parametrize("count", [1, 3])
def test_queue_costs_the_same_queries(owner, count, django_assert_num_queries):
    campaign, people = segment_campaign(owner, takes=count, people=("ann",))
    for place in range(count):
        scheme = ("egooops", "captaincook4d", "partition")[place]
        opened(campaign, owner, stage=Stage.LABEL, scheme=scheme)
    client = client_of(people["ann"])

    with django_assert_num_queries(QUEUE_QUERIES):
        answer = client.get(reverse("queue"))

    assert answer.content.decode().count("Label the recording") == count


def test_the_guideline_of_a_scheme_is_edited_frozen_and_compared(owner_client, owner):
    campaign, _ = segment_campaign(owner)
    plan(owner_client, campaign, scheme="partition")
    first = campaign.guideline_versions.get()
    assert first.text == {
        "scheme": "partition",
        "scheme_version": 1,
        "text": "A step ends where the next one begins: no gap and no overlap.",
    }
    edit = reverse("guideline-edit", args=[campaign.public_id, 1])
    refused = owner_client.post(edit, {"text": " ", "changes": ""})
    assert b"This field is required" in refused.content
    owner_client.post(edit, {"text": "It ends at the cut.", "changes": "Shorter."})
    owner_client.post(reverse("segment-round-open", args=[campaign.public_id, 1]))
    first.refresh_from_db()
    assert (first.text["text"], first.is_frozen) == ("It ends at the cut.", True)
    assert owner_client.get(edit).url == reverse("guideline-detail", args=[campaign.public_id, 1])

    owner_client.post(reverse("guideline-new", args=[campaign.public_id, 1]))
    edit = reverse("guideline-edit", args=[campaign.public_id, 2])
    owner_client.post(edit, {"text": "It ends at the first cut.", "changes": "Which cut."})
    shown = owner_client.get(reverse("guideline-detail", args=[campaign.public_id, 2]))
    assert "<ins>first </ins>" in shown.content.decode()
    assert "Is nothing else in the segment?" in shown.content.decode()
    listed = owner_client.get(reverse("guidelines", args=[campaign.public_id])).content.decode()
    assert listed.count("partition 1") == 2


def test_predictions_are_looked_at_before_they_come_in(owner_client, owner, settings, tmp_path):
    settings.STATE_FOLDER = tmp_path
    campaign, _ = segment_campaign(owner)
    plan(owner_client, campaign, stage="audit", scheme="partition", source="file")
    upload = reverse("segment-proposals", args=[campaign.public_id, 1])
    round_page = reverse("segment-round", args=[campaign.public_id, 1])
    asks = "upload the predictions</a>: nobody gets"
    assert asks in owner_client.get(round_page).content.decode()

    def send(*rows):
        text = "\n".join(["recording,track,key,start_s,end_s,step_id", *rows])
        file = SimpleUploadedFile("model.csv", text.encode())
        asked = {"uploads": file, "format": "table", "source": "Model 7", "first_frame": "1"}
        return owner_client.post(upload, asked, follow=True)

    wrong = send("take-0,steps,a,0,4,s9", "take-0,steps,b,9,4,s0").content.decode()
    assert "line 3: end_s is &#x27;4&#x27;" in wrong
    assert ">Import<" not in wrong
    good = send("take-0,steps,a,0,4,s0", "take-1,steps,a,0,5,s0", "other,steps,a,0,1,s0")
    text = good.content.decode()
    assert "1 recording of the round is in none of the files." in text
    assert "1 recording of the files is not in the round and left out: other" in text
    assert campaign.rounds.get().recordings.exclude(proposals=[]).count() == 0

    done = owner_client.post(good.redirect_chain[-1][0], follow=True).content.decode()
    assert "2 segments of 2 recordings are in." in done
    assert campaign.rounds.get().recordings.exclude(proposals=[]).count() == 2
    assert asks not in owner_client.get(round_page).content.decode()


def test_what_does_not_fit_is_said_at_the_field(owner_client, owner):
    campaign, _ = segment_campaign(owner)

    shown = plan(owner_client, campaign, stage="audit").content.decode()

    assert "asks no questions" in shown
    assert "An audit needs segments to ask about: steps, a file or a round." in shown


def test_lists_tell_campaigns_of_segments_apart(owner_client, owner):
    segment_campaign(owner)

    listed = owner_client.get(reverse("campaigns")).content.decode()

    assert '<span class="tag">Segments</span>' in listed
    assert "<td>Open</td>" in listed


def test_a_data_set_tells_the_rounds_its_recordings_are_in(owner_client, owner, outsider):
    campaign, _ = segment_campaign(owner)
    opened(campaign, owner, stage=Stage.LABEL, scheme="egooops")
    made = campaign.datasets.get()
    made.is_shared = True
    made.save()
    address = reverse("dataset-detail", args=[made.public_id])

    shown = owner_client.get(address).content.decode()
    assert reverse("segment-round", args=[campaign.public_id, 1]) in shown
    assert f"{reverse('segment-campaign')}?dataset={made.public_id}" in shown
    others = client_of(outsider).get(address).content.decode()
    assert campaign.public_id not in others


@pytest.mark.parametrize(("hides", "title"), [(True, "Author"), (False, "Author: ann")])
def test_a_reviewer_sees_whose_work_it_is_only_where_the_round_says_so(owner, hides, title):
    campaign, people = segment_campaign(owner, takes=1, has_times=False)
    of_label = {"stage": Stage.LABEL, "scheme": "egooops"}
    labels, _ = opened(campaign, owner, **of_label, people=[people["ann"]])
    own = labels.segmentations.get()
    save(own, insert(1, "a", 0, 4, step_id="s0"), insert(2, "b", 5, 9, step_id="s1"))
    submit(public_id=own.public_id, actor=own.person)

    review, _ = opened(
        campaign, owner, stage=Stage.REVIEW, scheme="egooops", source=SegmentSource.ROUND,
        source_round=labels, hides_author=hides,
    )  # fmt: skip

    work = review.segmentations.get()
    assert work.person == people["ben"]
    read = client_of(work.person).get(f"/api/v1/segmentations/{work.public_id}/").json()
    assert [lane["title"] for lane in read["lanes"]] == [title]
    page = client_of(work.person).get(reverse("segments", args=[work.public_id]))
    assert bool(re.search(r"\bann\b", page.content.decode())) is not hides


def test_what_can_follow_a_round_is_one_click_away(owner_client, owner):
    campaign, _ = segment_campaign(owner)
    of_audit = {"stage": Stage.AUDIT, "scheme": "partition", "source": SegmentSource.STEPS}
    opened(campaign, owner, **of_audit)

    page = owner_client.get(reverse("segment-round", args=[campaign.public_id, 1]))

    [(words, query)] = page.context["next_rounds"]
    assert words == "Correct what got a “no”"
    form = owner_client.get(f"{reverse('segment-round-new', args=[campaign.public_id])}?{query}")
    shown = form.content.decode()
    assert '<option value="correct" selected>' in shown
    assert '<option value="partition" selected>' in shown
    assert '<option value="round-1" selected>' in shown
