import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.models import GuidelineVersion, Phase, RoundRater
from annotation.selectors.videos.access import watchable_videos
from annotation.services.campaigns.campaigns import (
    NewCampaign,
    add_raters,
    create_campaign,
    remove_rater,
)
from annotation.services.campaigns.guidelines import edit_version
from annotation.services.campaigns.rounds import close_round
from annotation.services.ratings.rounds import NewRound, open_round, plan_round
from tests.annotation.campaigns import make_dataset
from tests.factories import EventFactory, UserFactory, VideoFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign(owner):
    dataset = make_dataset(4)
    dataset.owner = owner
    dataset.save()
    return create_campaign(new=NewCampaign("Spring", phase=None), datasets=[dataset], actor=owner)


def page(name, campaign, *more):
    return reverse(name, args=[campaign.public_id, *more])


PLAN = {"phase": "pilot", "guideline": 1, "overlap": 2, "per_dataset": 2, "seed": 7}


def test_a_round_is_planned_looked_at_and_opened(owner_client, campaign):
    add_raters(campaign=campaign, raters=UserFactory.create_batch(2), actor=None)

    planned = owner_client.post(page("round-new", campaign), PLAN)
    shown = owner_client.get(planned.url).content.decode()
    opened = owner_client.post(page("round-open", campaign, 1), follow=True).content.decode()
    closed = owner_client.post(page("round-close", campaign, 1), follow=True).content.decode()

    assert "Planned: raters see nothing of it yet" in shown
    assert "Round 1 is open: 4 traces put into the queues." in opened
    assert "Closing is final" in opened
    assert "Round 1 is closed" in closed
    again = owner_client.post(page("round-open", campaign, 1), follow=True).content.decode()
    assert "Round 1 was opened before." in again


def test_the_guideline_is_edited_as_a_draft_and_its_change_is_shown(owner_client, campaign):
    first = campaign.guideline_versions.get()
    owner_client.post(page("campaign-freeze", campaign), {"guideline": 1})
    made = owner_client.post(page("guideline-new", campaign, 1))
    form = owner_client.get(made.url).context["form"]
    typed = {name: field.initial or "" for name, field in form.fields.items()}
    typed["error_validity.mistake.question"] = "Does it spoil anything?"
    typed["changes"] = "Shorter after the pilot"

    saved = owner_client.post(made.url, typed, follow=True).content.decode()

    assert "<ins>" in saved
    assert "Shorter after the pilot" in saved
    second = campaign.guideline_versions.get(number=2)
    assert second.text["error_validity"]["mistake"]["question"] == "Does it spoil anything?"
    first.refresh_from_db()
    assert (first.is_frozen, second.is_frozen) == (True, False)
    refused = owner_client.get(page("guideline-edit", campaign, 1), follow=True).content.decode()
    assert "Version 1 is frozen. Make a new version of it." in refused


def test_an_empty_entry_is_refused_and_what_was_typed_stays(owner_client, campaign):
    address = page("guideline-edit", campaign, 1)
    form = owner_client.get(address).context["form"]
    typed = {name: field.initial or "" for name, field in form.fields.items()}
    typed |= {"error_validity.mistake.question": "", "changes": "Much thought"}

    answer = owner_client.post(address, typed)

    assert "This field is required" in answer.content.decode()
    assert "Much thought" in answer.content.decode()


def test_what_was_typed_into_a_version_that_was_frozen_meanwhile_is_given_back(
    owner_client, campaign
):
    address = page("guideline-edit", campaign, 1)
    form = owner_client.get(address).context["form"]
    typed = {name: field.initial or "" for name, field in form.fields.items()}
    campaign.guideline_versions.update(frozen_at=timezone.now())

    answer = owner_client.post(address, typed | {"changes": "Much thought"}).content.decode()

    assert "Version 1 is frozen since" in answer
    assert "Much thought" in answer


def test_a_draft_that_somebody_else_saved_meanwhile_is_not_written_over_unseen(
    owner_client, campaign, owner
):
    address = page("guideline-edit", campaign, 1)
    form = owner_client.get(address).context["form"]
    typed = {name: field.initial or "" for name, field in form.fields.items()}
    typed |= {"changes": "Much thought", "seen": form.seen}
    version = campaign.guideline_versions.get()
    edit_version(version=version, actor=owner, text=version.text, examples=[], changes="Theirs")

    refused = owner_client.post(address, typed)
    kept = campaign.guideline_versions.get().changes
    again = owner_client.post(address, typed | {"seen": refused.context["form"].seen})

    assert "Somebody saved this draft meanwhile" in refused.content.decode()
    assert f'value="{refused.context["form"].seen}"' in refused.content.decode()
    assert "Much thought" in refused.content.decode()
    assert kept == "Theirs"
    assert again.status_code == 302
    assert campaign.guideline_versions.get().changes == "Much thought"


@pytest.fixture
def exemplified(campaign, owner, annotator):
    """A pilot that the annotator rates in, whose guideline shows an event of a recording."""
    trace = campaign.datasets.get().traces.first()
    EventFactory(trace=trace, index=0)
    trace.video = VideoFactory(dataset=trace.dataset)
    trace.save()
    version = campaign.guideline_versions.get()
    example = {"metric": "confusability", "trace": trace.public_id, "event": 0, "note": "Easy"}
    edit_version(version=version, actor=owner, text=version.text, examples=[example], changes="")
    add_raters(campaign=campaign, raters=[annotator], actor=owner)
    made = plan_round(
        campaign=campaign, new=NewRound(Phase.PILOT, version, per_dataset=2), actor=owner
    )
    open_round(planned=made, actor=owner)
    return made


def test_raters_open_the_examples_of_their_round(annotator_client, client, exemplified):
    address = reverse("guideline-example", args=[exemplified.public_id, 0])
    [page] = annotator_client.get(reverse("queue")).context["cards"]
    following = page.context["card"].following
    audit = annotator_client.get(reverse("audit", args=[following.public_id]))

    assert address in audit.content.decode()
    shown = annotator_client.get(address)
    assert shown.status_code == 200
    assert "Preview: nothing is saved" in shown.content.decode()
    client.force_login(UserFactory())
    assert client.get(address).status_code == 404
    RoundRater.objects.all().delete()
    assert annotator_client.get(address).status_code == 404


def test_who_left_the_campaign_sees_no_example_any_more(
    annotator_client, annotator, owner, exemplified
):
    address = reverse("guideline-example", args=[exemplified.public_id, 0])
    watched = watchable_videos(annotator)
    assert (annotator_client.get(address).status_code, watched.count()) == (200, 1)

    close_round(closing=exemplified, actor=owner)
    remove_rater(campaign=exemplified.campaign, rater=annotator, actor=owner)

    assert (annotator_client.get(address).status_code, watched.all().count()) == (404, 0)


@pytest.mark.parametrize(
    ("name", "more"),
    [("round-detail", [1]), ("guidelines", []), ("guideline-detail", [1]), ("round-new", [])],
)
def test_pages_are_their_owners(client, owner_client, annotator, exemplified, name, more):
    address = page(name, exemplified.campaign, *more)

    assert owner_client.get(address).status_code == 200
    client.force_login(UserFactory(role="researcher"))
    assert client.get(address).status_code == 404
    client.force_login(annotator)
    assert client.get(address).status_code == 403


@pytest.mark.parametrize("count", [1, 4])
def test_list_of_versions_costs_the_same_queries(
    owner_client, campaign, django_assert_num_queries, count
):
    for number in range(2, count + 2):
        GuidelineVersion.objects.create(campaign=campaign, number=number, name=str(number))
    with django_assert_num_queries(6):
        owner_client.get(page("guidelines", campaign))
