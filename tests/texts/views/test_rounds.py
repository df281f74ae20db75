"""Pages of rounds of texts for researchers: a sample in two clicks, figures, CSV."""

import csv
from io import StringIO

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.engine.taxonomy import Mod
from annotation.models import Campaign, Round
from annotation.services.campaigns.campaigns import add_raters
from annotation.services.campaigns.guidelines import new_version
from generation.engine.stages import Stage
from generation.services.runs import create_run
from tests.annotation.conftest import client_of
from tests.factories import (
    DatasetFactory,
    EventFactory,
    StepFactory,
    TakeFactory,
    TraceFactory,
    TraceStepFactory,
    UserFactory,
)
from tests.generation.by_hand import work_on
from tests.generation.tea import add_take, request_for
from tests.texts.reading_rounds import give, give_both, places, text_round
from texts.models import TextItem, TextVerdict
from texts.page_links import sense_part
from texts.selectors.sampling import sense_rounds
from texts.services.rounds import open_text_round
from texts.services.sampling import NewSample, have_mistakes_read

pytestmark = pytest.mark.django_db


def address(made, name="text-round"):
    return reverse(name, args=[made.campaign.public_id, made.number])


def rows_of(answer):
    return list(csv.DictReader(StringIO(b"".join(answer.streaming_content).decode())))


@pytest.fixture
def mistakes(owner):
    """Return a data set of four traces with one told mistake each, and one that has no words."""
    take = TakeFactory(dataset__owner=owner, dataset__name="Made by a run")
    steps = [StepFactory(take=take, index=index, text=f"Do {index}") for index in range(2)]
    for place in range(4):
        trace = TraceFactory(dataset=take.dataset, take=take, uid=f"trace-{place}")
        event = EventFactory(trace=trace, index=0, proposed_type="wrong_execution")
        told = {"mod": Mod.ERROR, "text": f"Do it {place} times", "event": event}
        TraceStepFactory(trace=trace, index=0, reference_step=steps[1], **told)
        omission = EventFactory(trace=trace, index=1, proposed_type="omission")
        left_out = {
            "event": omission,
            "mod": Mod.DELETION,
            "text": "",
            "start_s": None,
            "end_s": None,
        }
        TraceStepFactory(trace=trace, index=1, reference_step=steps[0], **left_out)
    return take.dataset


def test_a_sample_of_mistakes_is_drawn_and_read_and_its_shares_stand_on_the_data_set(
    owner, owner_client, mistakes
):
    page = owner_client.get(reverse("dataset-detail", args=[mistakes.public_id])).content.decode()
    path = reverse("text-sample", args=[mistakes.public_id])
    assert path in page

    sent = {"name": "Sense", "count": 3, "overlap": 1, "seed": 7}
    answer = owner_client.post(path, sent)

    made = Round.objects.get(kind="texts")
    assert answer.url == reverse("campaign-detail", args=[made.campaign.public_id])
    assert TextItem.objects.count() == 3
    assert {item.group for item in TextItem.objects.all()} == {"wrong_execution"}
    ann = UserFactory(username="ann")
    planned = owner_client.get(address(made)).content.decode()
    assert "add people</a>: nobody would get its 3 texts." in planned
    add_raters(campaign=made.campaign, raters=[ann], actor=owner)
    planned = owner_client.get(address(made)).content.decode()
    assert "open the round: 3 texts, each for the one person in it." in planned
    owner_client.post(address(made, "text-round-open"))
    for own, verdict in zip(
        TextVerdict.objects.order_by("item"), ("natural", "natural", "impossible"), strict=True
    ):
        give(own, verdict)
    read = owner_client.get(address(made)).content.decode()
    assert "<b>Next:</b> close the round: everybody has finished." in read
    page = owner_client.get(reverse("dataset-detail", args=[mistakes.public_id])).content.decode()
    assert "Natural" in page
    assert "0.667" in page


def test_the_page_of_the_run_that_made_them_says_what_people_said(owner, owner_client, mistakes):
    tea = DatasetFactory(owner=owner)
    add_take(tea, "tea-a")
    run = create_run(request=request_for(tea, stages=list(Stage)), actor=owner).run
    run.published_dataset = mistakes
    run.save()
    path = reverse("run-detail", args=[run.public_id])
    assert (
        reverse("text-sample", args=[mistakes.public_id]) in owner_client.get(path).content.decode()
    )

    new = NewSample("Sense", count=4, overlap=1)
    made = have_mistakes_read(dataset=mistakes, new=new, actor=owner)
    add_raters(campaign=made.campaign, raters=[UserFactory()], actor=owner)
    open_text_round(planned=made, actor=owner)
    for own in TextVerdict.objects.all():
        give(own, "odd")
    page = owner_client.get(path).content.decode()

    assert "Read by a person" in page
    assert "4 of 4" in page


def test_export_and_api_of_a_run_have_what_people_said_of_its_mistakes(owner, owner_client):
    tea = DatasetFactory(owner=owner)
    for uid in ("tea-a", "tea-b", "tea-c"):
        add_take(tea, uid)
    stages = [Stage.PLAN, Stage.WRITE, Stage.JUDGE, Stage.PUBLISH]
    run = create_run(request=request_for(tea, stages=stages), actor=owner).run
    work_on(run)
    run.refresh_from_db()
    readings = reverse("api-run-readings", args=[run.public_id])
    assert owner_client.get(readings).json() == []
    for seed, verdict in enumerate(("odd", "natural")):
        new = NewSample(f"Sense {seed}", overlap=1, seed=seed)
        made = have_mistakes_read(dataset=run.published_dataset, new=new, actor=owner)
        add_raters(campaign=made.campaign, raters=[UserFactory()], actor=owner)
        open_text_round(planned=made, actor=owner)
        for own in TextVerdict.objects.filter(round=made):
            give(own, verdict)

    newest, oldest = owner_client.get(readings).json()
    rows = rows_of(owner_client.get(reverse("run-plans-csv", args=[run.public_id])))

    count = TextItem.objects.filter(round=made).count()
    assert count > 0
    assert (newest["texts"], newest["decided"], newest["seed"]) == (count, count, 1)
    hits = {share["name"]: share["hits"] for share in oldest["shares"]}
    assert hits == {"natural": 0, "odd": count, "no_mistake": 0, "impossible": 0}
    said = [row for row in rows if row["read_by_people"]]
    assert {(row["kind"], row["read_by_people"]) for row in said} == {("error", "natural")}
    assert len(said) == count


def test_three_samples_of_a_data_set_take_as_many_queries_as_one(owner, mistakes):
    counted = []
    for number in range(3):
        new = NewSample(f"Sense {number}", overlap=1, seed=number)
        made = have_mistakes_read(dataset=mistakes, new=new, actor=owner)
        add_raters(campaign=made.campaign, raters=[UserFactory()], actor=owner)
        open_text_round(planned=made, actor=owner)
        give(TextVerdict.objects.filter(round=made)[0], "odd")
        sense_part(owner, mistakes)
        with CaptureQueriesContext(connection) as captured:
            part = sense_part(owner, mistakes)
        counted.append((len(part.shown["readings"]), len(captured)))

    assert counted == [(1, 5), (2, 5), (3, 5)]


def test_who_reads_a_sample_sees_no_share_of_it(owner, outsider, mistakes):
    made = have_mistakes_read(dataset=mistakes, new=NewSample("Sense", overlap=1), actor=owner)
    made.campaign.is_shared = True
    made.campaign.save()
    open_text_round(planned=made, actor=owner)
    assert len(sense_rounds(outsider, mistakes)) == 1

    add_raters(campaign=made.campaign, raters=[outsider], actor=owner)

    assert sense_rounds(outsider, mistakes) == []
    assert len(sense_rounds(owner, mistakes)) == 1


def test_the_same_seed_draws_the_same_mistakes(owner, owner_client, mistakes):
    drawn = []
    for name in ("One", "Two"):
        sent = {"name": name, "count": 2, "overlap": 2, "seed": 5}
        owner_client.post(reverse("text-sample", args=[mistakes.public_id]), sent)
        items = TextItem.objects.filter(round__campaign__name=name)
        drawn.append(set(items.values_list("source_key", flat=True)))

    assert drawn[0] == drawn[1]
    assert len(drawn[0]) == 2


def test_page_api_and_csv_say_the_same(owner, owner_client):
    made, _ = text_round(owner)
    give_both(made, "q0", "accept", "accept")
    give_both(made, "q1", "accept", "reject")

    page = owner_client.get(address(made))
    api = owner_client.get(address(made, "api-text-round")).json()
    texts = rows_of(owner_client.get(address(made, "text-round-csv")))
    figures = rows_of(owner_client.get(address(made, "text-round-figures-csv")))
    listed = owner_client.get(address(made, "api-text-round-texts")).json()

    assert page.status_code == 200
    assert (api["texts"], api["read_twice"], api["decided"]) == (4, 2, 1)
    assert api["equal"]["value"] == 0.5
    told = {row["name"]: row["value"] for row in figures if row["part"] != "kinds"}
    assert (told["equal"], told["accept"]) == ("0.5", "1.0")
    assert told["kappa"] == "" if api["kappas"][0]["value"] is None else told["kappa"]
    assert [(row["text"], row["verdict"], row["kept"]) for row in texts] == [
        ("q0", "accept", "yes"), ("q1", "", ""), ("q2", "", ""), ("q3", "", ""),
    ]  # fmt: skip
    assert [item["source_key"] for item in listed] == ["q0", "q1", "q2", "q3"]


def test_the_page_of_a_round_says_verdicts_in_words_the_deciding_one_last(owner, owner_client):
    made, _ = text_round(owner)
    give_both(made, "q0", "accept", "reject")
    third = places(made, key="q0")[3]
    give(third, "reject", reasons=("wrong",))

    page = owner_client.get(address(made)).content.decode()

    own = places(made, key="q0")
    wrong = "Reject: it is wrong about the recording"
    told = [
        f"<b>{own[1].person.username}</b>: Accept",
        f"<b>{own[2].person.username}</b>: {wrong}",
        f"<b>{own[3].person.username}</b> (decides): {wrong}",
    ]
    found = [page.index(words) for words in told]
    assert found == sorted(found)
    assert "not given yet" in page


def test_settings_are_changed_on_a_page_until_the_round_opens(owner, owner_client):
    made, _ = text_round(owner, is_open=False)
    path = address(made, "text-round-edit")

    assert "It is unclear" in owner_client.get(path).content.decode()
    many = owner_client.post(
        path, {"phase": "main", "margin_s": 1, "reasons": "\n".join("abcdefghi")}
    )
    long = owner_client.post(path, {"phase": "main", "margin_s": 99, "reasons": "Dull"})
    answer = owner_client.post(
        path, {"phase": "main", "margin_s": "0.5", "reasons": " Dull \n\nWrong place"}
    )

    assert "reasons are 9; expected at most 8" in many.content.decode()
    assert "less than or equal to 60" in long.content.decode()
    assert answer.url == address(made)
    page = owner_client.get(address(made)).content.decode()
    assert "one or several of 2 reasons" in page
    assert "0.5 s before and after" in page
    made.refresh_from_db()
    assert made.phase == "main"
    open_text_round(planned=made, actor=owner)
    late = owner_client.post(path, {"phase": "main", "margin_s": 1, "reasons": "Dull"})
    assert "was opened" in late.content.decode()


def test_settings_of_a_round_without_reasons_ask_for_none(owner, owner_client, mistakes):
    made = have_mistakes_read(dataset=mistakes, new=NewSample("Sense"), actor=owner)
    path = address(made, "text-round-edit")

    assert 'name="reasons"' not in owner_client.get(path).content.decode()
    assert owner_client.post(path, {"phase": "main", "margin_s": 7}).url == address(made)
    made.texts.refresh_from_db()
    assert made.texts.margin_s == 7


@pytest.mark.parametrize(
    "name",
    ["text-round", "text-round-edit", "text-round-csv", "text-round-figures-csv", "api-text-round"],
)
def test_strangers_find_no_round_and_readers_no_figures(owner, outsider, name):
    made, people = text_round(owner)

    assert client_of(outsider).get(address(made, name)).status_code == 404
    assert client_of(people["ann"]).get(address(made, name)).status_code in (302, 403)


def test_a_researcher_who_reads_in_a_round_sees_no_verdicts_of_it(owner, outsider):
    made, _ = text_round(owner)
    made.campaign.is_shared = True
    made.campaign.save()
    add_raters(campaign=made.campaign, raters=[outsider], actor=owner)
    give_both(made, "q0", "accept", "reject")
    client = client_of(outsider)

    page = client.get(address(made)).content.decode()

    assert "It is wrong about the recording" not in page
    assert client.get(address(made, "text-round-csv")).status_code in (403, 409)
    assert client.get(address(made, "api-text-round")).status_code in (403, 409)


def test_a_campaign_is_made_and_its_guideline_written_on_pages(owner, owner_client):
    dataset = DatasetFactory(owner=owner)
    sent = {"name": "Reading", "datasets": [dataset.public_id]}

    made = owner_client.post(reverse("text-campaign"), sent)

    campaign = Campaign.objects.get(kind="texts")
    assert made.url == reverse("campaign-detail", args=[campaign.public_id])
    page = owner_client.get(made.url, follow=True).content.decode()
    assert "Reading" in page


def test_the_guideline_of_a_round_is_shown_and_its_next_version_written(owner, owner_client):
    made, people = text_round(owner)
    version = new_version(campaign=made.campaign, actor=owner, parent=made.guideline)
    ids = [made.campaign.public_id, version.number]
    edit = reverse("guideline-edit", args=ids)

    assert owner_client.get(edit).status_code == 200
    owner_client.post(edit, {"name": "2", "text": "Read it twice."})

    version.refresh_from_db()
    assert version.text == {"text": "Read it twice."}
    assert "twice" in owner_client.get(reverse("guideline-detail", args=ids)).content.decode()
    assert owner_client.get(reverse("guideline-detail", args=[ids[0], 1])).status_code == 200
    assert client_of(people["ann"]).get(edit).status_code in (302, 403)
