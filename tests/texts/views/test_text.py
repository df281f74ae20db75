"""The page of one text: what it shows, what it hides, what it stores."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.models import GuidelineVersion, Round
from annotation.services.campaigns.campaigns import remove_rater
from annotation.services.campaigns.guidelines import confirm_reading
from annotation.services.campaigns.protocol import accept_consent, set_consent_text
from annotation.services.campaigns.rounds import close_round
from tests.annotation.conftest import client_of
from tests.factories import Role, UserFactory, VideoFactory, watchable
from tests.texts.reading_rounds import ORIGIN, give, places, text_round
from texts.models import TextVerdict
from texts.selectors.verdicts import next_verdict_id

pytestmark = pytest.mark.django_db
MOST_QUERIES = 12


def address(own, name="text"):
    return reverse(name, args=[own.public_id])


def test_the_page_shows_the_text_its_step_and_the_words_of_the_round(owner):
    made, _ = text_round(owner)
    own = places(made, key="q0")[1]

    page = client_of(own.person).get(address(own)).content.decode()

    for words in (
        own.item.text, own.item.answer, "Wrong object", "Can this text be used?", "Reject",
        "It is wrong about the recording", "Boil the water",
    ):  # fmt: skip
        assert words in page
    assert page.count('aria-current="step"') == 1
    assert TextVerdict.objects.get(pk=own.pk).started_at is not None


def test_nobody_learns_where_a_text_comes_from_or_what_others_said(owner):
    made, _ = text_round(owner)
    first, second = places(made, key="q0").values()
    give(first, "edit", text="A secret edit?", answer="Hidden.", note="A secret note")
    client = client_of(second.person)

    for path in (address(second), address(second, "api-text"), reverse("queue")):
        page = client.get(path).content.decode()
        for told in (
            ORIGIN, "A secret edit?", "A secret note", first.person.username, "explain",
            second.item.take.dataset.name, owner.username,
        ):  # fmt: skip
            assert told not in page, (path, told)


def test_a_verdict_is_stored_and_the_next_text_follows(owner):
    made, people = text_round(owner)
    client = client_of(people["ann"])
    own = TextVerdict.objects.get(public_id=next_verdict_id(people["ann"], made.public_id))

    answer = client.post(address(own), {"verdict": "accept", "revision": 0, "seconds": 0.1})

    assert answer.url == reverse("text-next", args=[made.public_id])
    following = client.get(answer.url).url
    assert following != address(own)
    own.refresh_from_db()
    assert (own.verdict, own.revision) == ("accept", 1)


def test_after_the_last_text_comes_the_queue(owner):
    made, people = text_round(owner)
    for own in TextVerdict.objects.filter(person=people["ann"]):
        give(own, "accept")

    answer = client_of(people["ann"]).get(reverse("text-next", args=[made.public_id]))

    assert answer.url == reverse("queue")


def test_a_text_can_be_left_for_later_and_the_next_without_a_verdict_follows(owner):
    made, people = text_round(owner)
    own = list(TextVerdict.objects.filter(person=people["ann"]).order_by("position"))
    client = client_of(people["ann"])
    given, *left, last = own
    give(given, "accept")

    def after(one):
        path = reverse("text-next", args=[made.public_id])
        return client.get(path, {"after": one}).url

    page = client.get(address(given)).content.decode()
    assert f"?after={given.public_id}" in page
    assert "Next without a verdict" in page
    order = [*left, last]
    follows = [after(one.public_id) for one in [given, *order]]
    assert follows == [address(one) for one in [*order, order[0]]]
    assert after("a\x00b") == after("unknown") == address(order[0])
    for one in left:
        give(one, "accept")
    page = client.get(address(last)).content.decode()
    assert "?after=" not in page
    assert after(last.public_id) == reverse("queue")


def test_a_refused_verdict_comes_back_with_all_that_was_typed(owner):
    made, _ = text_round(owner)
    own = places(made, key="q0")[1]
    sent = {"verdict": "edit", "text": "", "answer": "My own answer", "note": "Mine", "revision": 0}

    answer = client_of(own.person).post(address(own), sent)

    page = answer.content.decode()
    assert answer.status_code == 400
    assert "the words that you would have instead" in page
    assert "My own answer" in page
    assert "Mine" in page


def test_a_stale_save_shows_both_and_the_next_save_goes_through(owner):
    made, _ = text_round(owner)
    own = places(made, key="q0")[1]
    give(own, "reject", reasons=("unclear",))
    client = client_of(own.person)
    sent = {"verdict": "edit", "text": "Typed here?", "answer": "Typed too", "revision": 0}

    answer = client.post(address(own), sent)

    page = answer.content.decode()
    assert answer.status_code == 409
    for words in ("Reject: it is unclear", "Typed here?", "Typed too", 'name="revision" value="1"'):
        assert words in page
    assert client.post(address(own), {**sent, "revision": 1}).status_code == 302
    own.refresh_from_db()
    assert (own.verdict, own.text) == ("edit", "Typed here?")


def test_several_reasons_are_ticked_and_stay_ticked(owner):
    made, _ = text_round(owner, margin_s=1.5)
    own = places(made, key="q0")[1]
    client = client_of(own.person)
    sent = {"verdict": "reject", "reasons": ["wrong", "language"], "revision": 0}

    answer = client.post(address(own), sent)

    assert answer.status_code == 302
    page = client.get(address(own)).content.decode()
    ticked = [line for line in page.split("<label>") if "checked" in line.split(">")[0]]
    assert len(ticked) == 3
    own.refresh_from_db()
    assert own.reasons == ["wrong", "language"]


def test_the_clip_loops_with_the_margin_of_the_round(owner, tmp_path):
    made, _ = text_round(owner, margin_s=1.5)
    own = places(made, key="q0")[1]
    own.item.start_s, own.item.end_s = 4.0, 6.5
    own.item.save()
    dataset = own.item.take.dataset
    dataset.video_folder = str(tmp_path)
    dataset.save()
    video = VideoFactory(dataset=dataset)
    watchable(video)
    own.item.take.video = video
    own.item.take.save()
    client = client_of(own.person)

    page = client.get(address(own)).content.decode()
    api = client.get(address(own, "api-text")).json()

    assert 'data-from="4.0" data-to="6.5" data-margin="1.5"' in page
    assert (api["start_s"], api["end_s"], api["margin_s"]) == (4.0, 6.5, 1.5)


def test_the_api_answers_a_stale_save_with_what_is_stored(owner):
    made, _ = text_round(owner)
    own = places(made, key="q0")[1]
    give(own, "reject", reasons=("unclear",))

    answer = client_of(own.person).post(
        address(own, "api-text-verdict"), {"verdict": "accept", "revision": 0}, "application/json"
    )

    assert answer.status_code == 409
    assert (answer.json()["theirs"]["verdict"], answer.json()["theirs"]["revision"]) == (
        "reject", 1,
    )  # fmt: skip


def test_the_answer_stays_hidden_until_the_person_has_given_one(owner):
    made, _ = text_round(owner, is_blind_first=True)
    own = places(made, key="q0")[1]
    client = client_of(own.person)

    for path in (address(own), address(own, "api-text")):
        page = client.get(path).content.decode()
        assert own.item.text in page
        assert own.item.answer not in page
        assert "Wrong object" not in page
    client.post(address(own, "text-answer"), {"blind_answer": "It stayed cold."})

    page = client.get(address(own)).content.decode()
    assert own.item.answer in page
    assert "It stayed cold." in page


def test_consent_comes_before_the_first_text(owner):
    made, _ = text_round(owner)
    own = places(made, key="q0")[1]
    consent = set_consent_text(campaign=made.campaign, text="Do you agree?", actor=owner)
    client = client_of(own.person)

    asked = client.get(address(own))

    assert asked.url == reverse("consent", args=[made.public_id])
    assert "Do you agree?" in client.get(asked.url).content.decode()
    sent = client.post(address(own), {"verdict": "accept", "revision": 0})
    assert sent.url == asked.url
    client.get(address(own, "api-text"))
    own.refresh_from_db()
    assert (own.started_at, own.verdict) == (None, "")
    accept_consent(text=consent, rater=own.person)
    assert client.get(address(own)).status_code == 200


def test_a_closed_round_can_be_looked_at_and_not_changed(owner):
    made, _ = text_round(owner)
    own = places(made, key="q0")[1]
    give(own, "accept")
    close_round(closing=made, actor=owner)
    client = client_of(own.person)

    page = client.get(address(own)).content.decode()
    answer = client.post(address(own), {"verdict": "accept", "note": "Typed here", "revision": 1})
    refusal = answer.content.decode()

    assert "nothing can be changed any more" in page
    assert "Save and go on" not in page
    assert answer.status_code == 409
    assert "so it was not stored" in refusal
    assert "Typed here" in refusal
    assert "Closed on" in client.get(reverse("queue")).content.decode()


@pytest.mark.parametrize("name", ["text", "api-text", "text-answer", "api-text-verdict"])
def test_outsiders_find_nothing(owner, outsider, name):
    made, _ = text_round(owner)
    first, second = places(made, key="q0").values()
    strangers = [second.person, outsider, owner, UserFactory(role=Role.ADMINISTRATOR)]
    sent = {"verdict": "accept", "revision": 0}
    if name == "text-answer":
        sent = {"blind_answer": "x"}

    def status_for(user):
        client, path = client_of(user), address(first, name)
        if name in ("text", "api-text"):
            return client.get(path).status_code
        kind = {"content_type": "application/json"} if name == "api-text-verdict" else {}
        return client.post(path, sent, **kind).status_code

    assert {status_for(user) for user in strangers} == {404}
    first.refresh_from_db()
    assert (first.verdict, first.blind_answer) == ("", "")


def test_over_the_api_the_time_of_a_verdict_begins_with_the_text(owner):
    made, _ = text_round(owner)
    own = places(made, key="q0")[1]

    client_of(own.person).get(address(own, "api-text"))

    own.refresh_from_db()
    assert own.started_at is not None


def test_who_left_the_campaign_finds_nothing_more(owner):
    made, people = text_round(owner)
    own = TextVerdict.objects.filter(person=people["ann"]).first()
    give(own, "accept")
    remove_rater(campaign=made.campaign, rater=people["ann"], actor=owner)

    assert client_of(people["ann"]).get(address(own)).status_code == 404


@pytest.mark.parametrize("count", [10, 300])
def test_page_and_save_take_as_many_queries_whatever_the_size_of_the_round(owner, count):
    _, people = text_round(owner, texts=count)
    client = client_of(people["ann"])
    own = TextVerdict.objects.filter(person=people["ann"]).order_by("position")[0]
    sent = {"verdict": "accept", "revision": 0, "seconds": 3}

    with CaptureQueriesContext(connection) as first:
        assert client.get(address(own)).status_code == 200
    with CaptureQueriesContext(connection) as save:
        assert client.post(address(own), sent).status_code == 302
    with CaptureQueriesContext(connection) as queue:
        assert client.get(reverse("queue")).status_code == 200

    for captured in (first, save):
        assert len(captured) <= MOST_QUERIES, [query["sql"] for query in captured]
    counts = (len(first), len(save), len(queue))
    assert QUERIES.setdefault("pages", counts) == counts


# What the first size took; the second takes the same.
QUERIES: dict[str, tuple[int, int, int]] = {}


def test_a_changed_guideline_is_read_before_the_next_text(owner):
    made, _ = text_round(owner)
    own = places(made, key="q0")[1]
    client, old = client_of(own.person), made.guideline
    confirm_reading(version=old, rater=own.person)
    new = GuidelineVersion.objects.create(
        campaign=made.campaign, kind=made.kind, number=2, name="2",
        text={**old.text, "text": f"{old.text['text']} Be strict."},
    )  # fmt: skip
    Round.objects.filter(pk=made.pk).update(guideline=new)

    before = client.get(address(own))
    news = client.get(before.url).content.decode()
    client.post(before.url, {"version": new.public_id})

    assert before.url == reverse("welcome", args=[made.public_id])
    assert "Be strict.</ins>" in news
    assert client.get(address(own)).status_code == 200


def test_the_welcome_says_how_long_a_text_takes(owner):
    made, people = text_round(owner)
    welcome = reverse("welcome", args=[made.public_id])
    client = client_of(people["ann"])

    first = client.get(welcome).content.decode()
    give(places(made, key="q0")[1], "accept", seconds=22.0)
    TextVerdict.objects.exclude(verdict="").update(seconds=22.0)
    later = client.get(welcome).content.decode()

    assert "Nobody has read a text here yet" in first
    assert "Can this text be used?" in first
    assert "A text takes about 20 seconds" in later
