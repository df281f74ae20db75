"""The shortcut audit of an item set: stored at the freeze, shown, and who may read what of it."""

import json

import pytest

from annotation.models import Role
from benchmarks.models import ItemSet
from benchmarks.services import shortcut_audits
from benchmarks.services.item_set_work import work_on_item_sets
from benchmarks.services.item_sets import cancel_item_set, start_freezing
from benchmarks.services.shortcut_audits import sampled
from tests.benchmarks.made import frozen, made_set, worked_on
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db

BEATS = "beats chance by"


@pytest.fixture
def other_client(client):
    client.force_login(UserFactory(role=Role.RESEARCHER))
    return client


def leaking(item_set):
    """The set with a word in every question whose answer is yes."""
    for item in item_set.items.all():
        if item.truth["answer"] == "yes":
            item.question += " Or something instead?"
            item.save()
    return item_set


def line_of(text, title):
    """The row of a guesser in the table of the page."""
    return text.partition(f'<th scope="row">{title}</th>')[2].partition("</tr>")[0]


def test_frozen_set_carries_its_audit_beside_the_hash_of_its_items(sample, owner, owner_client):
    made = made_set(sample, owner)
    before = made.content_hash
    item_set = frozen(made, owner)
    again = frozen(made_set(sample, owner), owner)
    told = owner_client.get(f"/api/v1/item-sets/{item_set.public_id}/").json()

    assert item_set.content_hash == before
    assert len(item_set.shortcuts_hash) == 64
    assert item_set.shortcuts_hash not in {"", before}
    assert (again.shortcuts, again.shortcuts_hash) == (
        item_set.shortcuts,
        item_set.shortcuts_hash,
    )
    assert told["shortcuts"] == item_set.shortcuts
    assert told["shortcuts_hash"] == item_set.shortcuts_hash
    assert item_set.shortcuts["item_count"] == item_set.items.count()
    assert item_set.shortcuts_hash in owner_client.get(page_of(item_set)).content.decode()


def page_of(item_set):
    return f"/benchmarks/sets/{item_set.public_id}/"


def test_planted_words_are_named_on_the_page_and_honest_items_are_not(sample, owner, owner_client):
    title = "Words of the question"
    honest = frozen(made_set(sample, owner), owner)
    leaks = frozen(leaking(made_set(sample, owner)), owner)

    shown = owner_client.get(page_of(leaks)).content.decode()
    assert BEATS in line_of(shown, title)
    assert "guessers beat" in shown
    assert BEATS not in line_of(owner_client.get(page_of(honest)).content.decode(), title)
    assert leaks.shortcuts_hash != honest.shortcuts_hash


def test_only_who_may_see_the_truth_reads_how_many_guess_an_item(
    sample, owner, owner_client, other_client
):
    item_set = frozen(leaking(made_set(sample, owner, is_shared=True)), owner)
    sample.is_shared = False
    sample.save()
    item, count = item_set.items.first(), item_set.shortcuts["guesser_count"]
    page, api = page_of(item_set), f"/api/v1/item-sets/{item_set.public_id}/"
    words = f"by {item.guessed} of {count} guessers"
    assert item.guessed is not None

    def read(client):
        shown = client.get(f"{page}items/{item.key}/").content.decode()
        file = client.get(f"{page}download/shortcuts/")
        return (
            words in shown,
            client.get(f"{api}items/{item.key}/").json()["guessed"],
            "Guessed by" in client.get(page).content.decode(),
            json.loads(b"".join(file.streaming_content)),
        )

    in_words, over_api, in_table, file = read(owner_client)
    assert (in_words, over_api, in_table) == (True, item.guessed, True)
    assert file["guessed"] == dict(item_set.items.values_list("key", "guessed"))
    in_words, over_api, in_table, summary = read(other_client)
    assert (in_words, over_api, in_table) == (False, None, False)
    assert summary == {name: value for name, value in file.items() if name != "guessed"}
    assert BEATS in other_client.get(page).content.decode()


def test_participants_cannot_sort_items_by_their_guessers(sample, owner, other_client):
    item_set = frozen(leaking(made_set(sample, owner, is_shared=True)), owner)
    sample.is_shared = False
    sample.save()
    page = page_of(item_set)

    orders = [
        [item.key for item in other_client.get(f"{page}{sort}").context["items"].page]
        for sort in ("", "?items-sort=guessed", "?items-sort=-guessed")
    ]
    assert orders[0] == orders[1] == orders[2]


def test_freeze_that_is_cancelled_during_the_audit_leaves_the_set_unfrozen(
    sample, owner, owner_client, monkeypatch
):
    item_set = made_set(sample, owner)
    job_ids = start_freezing(item_set=item_set, actor=owner)
    monkeypatch.setattr("annotation.services.records.jobs.REPORT_PAUSE_S", 0)
    passes, stored = [], shortcut_audits.StoredItems

    def cancelled(*args):
        cancel_item_set(item_set=item_set, actor=owner)
        return stored(*args)

    monkeypatch.setattr(shortcut_audits, "StoredItems", cancelled)
    with monkeypatch.context() as patched:
        patched.setattr(shortcut_audits, "store_audit", lambda *args: passes.append(args))
        work_on_item_sets(job_ids=job_ids)

    item_set.refresh_from_db()
    assert (passes, item_set.is_frozen, item_set.job.status) == ([], False, "cancelled")
    assert (item_set.shortcuts, item_set.assessments.count()) == ({}, 0)
    assert not item_set.items.filter(guessed__isnull=False).exists()
    assert "Freeze it after all" in owner_client.get(page_of(item_set)).content.decode()


def test_large_set_is_audited_by_a_sample_of_its_recordings(
    sample, owner, owner_client, monkeypatch
):
    monkeypatch.setattr(shortcut_audits, "MOST_AUDITED", 60)
    item_set = frozen(made_set(sample, owner), owner)
    shortcuts = item_set.shortcuts

    assert 0 < shortcuts["item_count"] <= 60 < shortcuts["whole_count"]
    assert shortcuts["whole_count"] == item_set.items.count()
    words = f"{shortcuts['item_count']} of the {shortcuts['whole_count']} items"
    assert words in owner_client.get(page_of(item_set)).content.decode()


def test_sample_has_whole_recordings_and_comes_from_the_seed(monkeypatch):
    monkeypatch.setattr(shortcut_audits, "MOST_AUDITED", 100)
    counts = {f"r{number}": number % 7 + 1 for number in range(60)}

    chosen = sampled(counts, 3)
    assert sum(counts[name] for name in chosen) <= 100
    assert len(set(chosen)) == len(chosen) > 10
    assert sampled(counts, 3) == chosen
    assert set(sampled(counts, 4)) != set(chosen)
    assert sampled({"r": 500, "s": 500}, 0) in (["r"], ["s"])
    assert sampled({"b": 50, "a": 50}, 0) == ["a", "b"]


def test_set_of_before_says_that_it_has_no_audit(step_set, owner_client):
    ItemSet.objects.update(shortcuts={}, shortcuts_hash="")
    step_set.items.update(guessed=None)

    shown = owner_client.get(page_of(step_set)).content.decode()
    assert "This set has no shortcut audit" in shown
    assert "Guessers without pictures" not in shown
    assert "download/shortcuts/" not in shown
    told = owner_client.get(f"/api/v1/item-sets/{step_set.public_id}/").json()
    assert (told["shortcuts"], told["shortcuts_hash"]) == ({}, "")


@pytest.mark.parametrize("way", ["page", "api"])
def test_owner_has_a_set_audited_before_the_freeze(sample, owner, owner_client, way):
    item_set = leaking(made_set(sample, owner))
    page, api = page_of(item_set), f"/api/v1/item-sets/{item_set.public_id}/"
    if way == "page":
        owner_client.post(f"{page}freeze/", {"only_audit": "yes"})
    else:
        owner_client.post(f"{api}freeze/", {"only_audit": True}, "application/json")
    item_set.refresh_from_db()
    assert owner_client.get(api).json()["state"] == "being audited"
    worked_on(item_set, [item_set.job_id])

    shown = owner_client.get(page).content.decode()
    assert BEATS in line_of(shown, "Words of the question")
    assert (item_set.is_frozen, item_set.assessments.count()) == (False, 0)
    assert owner_client.get(api).json()["state"] == "not frozen"
    before = item_set.shortcuts_hash
    assert frozen(item_set, owner).shortcuts_hash == before


def test_cancelled_audit_leaves_the_set_to_be_frozen(sample, owner, owner_client):
    item_set = made_set(sample, owner)
    page = page_of(item_set)
    owner_client.post(f"{page}freeze/", {"only_audit": "yes"})
    owner_client.post(f"{page}cancel/")

    assert "Freeze</button>" in owner_client.get(page).content.decode()
    item_set.refresh_from_db()
    assert frozen(item_set, owner).is_frozen
