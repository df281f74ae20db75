"""Leaving guessed items out of a set before its freeze: page, API, command, job."""

import json
from itertools import chain

import pytest
from django.core.management import call_command

from annotation.models import AuditEntry, Job, Role
from benchmarks.models import Item, ItemSet
from benchmarks.services import batches, leaving_out, shortcut_audits
from benchmarks.services.item_set_work import work_on_item_sets
from benchmarks.services.item_sets import (
    ItemSetInUseError,
    cancel_item_set,
    resume_item_set,
    start_freezing,
)
from benchmarks.services.leaving_out import start_leaving_out
from benchmarks.services.shortcut_audits import parts_of, recording_counts
from tests.benchmarks.made import frozen, made_set, worked_on
from tests.benchmarks.test_shortcut_audits import page_of
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db


def leaking(item_set, answer="yes"):
    """The set with a word in four of five questions with this answer, and few others."""
    for place, item in enumerate(item_set.items.order_by("source_key")):
        if place % 5 if item.truth["answer"] == answer else place % 20 == 0:
            item.question += " Or something instead?"
            item.save()
    return item_set


def audited(dataset, owner, task="step_mistakes", *, leaks=True, **changes):
    """A set with words that tell the answers, whose audit is stored."""
    item_set = made_set(dataset, owner, task, **changes)
    if leaks:
        leaking(item_set)
    job_ids = start_freezing(item_set=item_set, actor=owner, only_audit=True)
    return worked_on(item_set, job_ids)


def choice_of(item_set, at_least):
    choices = item_set.shortcuts["choices"]
    return next(choice for choice in choices if choice["at_least"] == at_least)


def reported(item_set, job_ids, monkeypatch):
    """How far the job said that it is, in its order."""
    told = []
    monkeypatch.setattr("annotation.services.records.jobs.REPORT_PAUSE_S", 0)
    work_on_item_sets(job_ids=job_ids, watch=lambda *counts: told.append(counts))
    item_set.refresh_from_db()
    return told


@pytest.mark.parametrize("way", ["page", "api"])
@pytest.mark.parametrize("at_least", [1, None])
def test_owner_sees_what_would_go_and_leaves_it_out(sample, owner, owner_client, way, at_least):
    item_set = audited(sample, owner)
    page, api = page_of(item_set), f"/api/v1/item-sets/{item_set.public_id}/"
    before, choice = item_set.content_hash, choice_of(item_set, at_least)
    count, whole = choice["count"], item_set.items.count()
    assert 0 < count < whole == count + choice["left"]
    shown = owner_client.get(page).content.decode()
    assert f"<b>{count}</b> items would go and {choice['left']} stay" in shown

    if way == "page":
        owner_client.post(f"{page}leave-out/", {"at_least": at_least or "balance"})
    else:
        owner_client.post(f"{api}leave-out/", {"at_least": at_least}, "application/json")
    assert owner_client.get(api).json()["state"] == "leaving out"
    item_set.refresh_from_db()
    worked_on(item_set, [item_set.job_id])

    [(reason, left_out)] = [pair for pair in item_set.left_out.items() if "guesser" in pair[0]]
    words = f"Not asked about: {count} {reason}."
    assert (left_out, item_set.items.count()) == (count, choice["left"])
    assert item_set.item_count == choice["left"]
    assert item_set.content_hash != before
    assert (item_set.shortcuts["leak_count"], item_set.shortcuts["choices"]) == (0, [])
    assert "form of the question" in reason
    assert words in owner_client.get(page).content.decode()
    file = json.loads(b"".join(owner_client.get(f"{page}download/shortcuts/").streaming_content))
    assert file["left_out"] == item_set.left_out
    assert owner_client.get(api).json()["left_out"] == item_set.left_out
    assert AuditEntry.objects.filter(action="item_set.leave_out", actor=owner).count() == 1

    done = frozen(item_set, owner)
    assert done.is_frozen
    table = owner_client.get(f"{page}table/markdown/").content.decode()
    assert words in table


def test_same_items_are_left_out_of_equal_sets_and_the_hash_is_of_what_stays(sample, owner):
    sets = [audited(sample, owner) for _ in range(2)]
    for item_set in sets:
        worked_on(item_set, start_leaving_out(item_set=item_set, at_least=1, actor=owner))

    one, other = sets
    assert [*one.items.values_list("key", flat=True)] == [
        *other.items.values_list("key", flat=True)
    ]
    assert (one.content_hash, one.shortcuts_hash) == (other.content_hash, other.shortcuts_hash)
    third = audited(sample, owner)
    worked_on(third, start_leaving_out(item_set=third, at_least=None, actor=owner))
    assert third.content_hash != one.content_hash


def test_set_that_tells_nothing_offers_nothing(sample, owner, owner_client):
    item_set = audited(sample, owner, leaks=False)

    assert "Leave out what is guessed" not in owner_client.get(page_of(item_set)).content.decode()
    with pytest.raises(ItemSetInUseError, match="nothing would go"):
        start_leaving_out(item_set=item_set, at_least=1, actor=owner)
    assert item_set.items.count() == item_set.shortcuts["whole_count"]


def test_of_a_large_set_every_item_is_guessed_before_any_goes(
    sample, owner, owner_client, monkeypatch, capsys
):
    whole = audited(sample, owner)
    expected = choice_of(whole, 1)["count"]
    monkeypatch.setattr(shortcut_audits, "MOST_AUDITED", 150)
    item_set = audited(sample, owner)
    guessed, count = item_set.shortcuts["item_count"], item_set.items.count()
    parts = parts_of(recording_counts(item_set), item_set.seed)
    choice = choice_of(item_set, 1)
    assert guessed < count
    assert len(parts) == -(-count // 150)
    assert sorted(chain.from_iterable(parts)) == sorted(recording_counts(item_set))
    # Scaled from the sample to the whole set.
    assert choice["count"] + choice["left"] == count
    assert choice["count"] > guessed / count * expected
    shown = owner_client.get(page_of(item_set)).content.decode()
    words = "The numbers are what the sample tells about the whole set"
    assert words in shown
    assert f"about <b>{choice['count']}</b> items would go and {choice['left']} stay" in shown
    call_command("benchmark", "audit", item_set.public_id)
    assert f"about {choice['count']} items go, about {choice['left']} stay" in (
        capsys.readouterr().out
    )

    told = reported(
        item_set, start_leaving_out(item_set=item_set, at_least=1, actor=owner), monkeypatch
    )

    [left_out] = [number for words, number in item_set.left_out.items() if "guesser" in words]
    assert item_set.items.count() == count - left_out
    # As many as in one go, give or take what parts round.
    assert abs(left_out - expected) < 0.2 * expected
    shares = [done / total for done, total in told]
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    monkeypatch.undo()
    again = worked_on(item_set, start_freezing(item_set=item_set, actor=owner, only_audit=True))
    words = {one["name"]: one for one in again.shortcuts["guessers"]}["words"]
    assert not words["beats_chance"]


def test_whole_recordings_go_where_items_are_asked_in_order(sample, owner, owner_client, capsys):
    item_set = made_set(sample, owner, "speak_or_stay_silent")
    names = sorted(recording_counts(item_set))
    # Two of three recordings tell their answers.
    telling = [name for place, name in enumerate(names) if place % 3]
    for item in item_set.items.filter(recording__in=telling):
        item.question += " Or something instead?" * (item.truth["answer"] == "speak")
        item.save()
    job_ids = start_freezing(item_set=item_set, actor=owner, only_audit=True)
    item_set = worked_on(item_set, job_ids)
    [choice] = item_set.shortcuts["choices"]
    before = recording_counts(item_set)
    assert choice["at_least"] is None
    assert 0 < choice["count"] < sum(before.values())
    assert (
        "So whole recordings go, as few as" in owner_client.get(page_of(item_set)).content.decode()
    )
    call_command("benchmark", "audit", item_set.public_id)
    assert f"{choice['count']} items of whole recordings go" in capsys.readouterr().out
    with pytest.raises(ItemSetInUseError, match="nothing would go"):
        start_leaving_out(item_set=item_set, at_least=1, actor=owner)

    worked_on(item_set, start_leaving_out(item_set=item_set, at_least=None, actor=owner))

    after = recording_counts(item_set)
    assert after == {name: before[name] for name in after}
    assert sum(before.values()) - sum(after.values()) == choice["count"]
    assert any("items of whole recordings that" in reason for reason in item_set.left_out)
    assert frozen(item_set, owner).is_frozen


def test_what_cannot_be_left_out_is_refused_with_the_reason(sample, owner):
    def refused(item_set):
        with pytest.raises(ItemSetInUseError) as error:
            start_leaving_out(item_set=item_set, at_least=1, actor=owner)
        return str(error.value)

    assert "audit it for shortcuts first" in refused(leaking(made_set(sample, owner)))
    assert "its items are final" in refused(frozen(audited(sample, owner), owner))


def test_only_who_may_change_the_set_leaves_items_out(sample, owner, owner_client, client):
    item_set = audited(sample, owner, is_shared=True)
    page, api = page_of(item_set), f"/api/v1/item-sets/{item_set.public_id}/"
    client.force_login(UserFactory(role=Role.RESEARCHER))

    for address, body in ((f"{page}leave-out/", {"at_least": "1"}), (f"{api}leave-out/", {})):
        assert client.post(address, body).status_code == 404
    assert owner_client.post(f"{page}leave-out/", {"at_least": "0"}).status_code == 302
    assert "Choose what to leave out." in owner_client.get(page).content.decode()
    for body in ({}, {"at_least": 0}, {"at_least": 9}):
        answer = owner_client.post(f"{api}leave-out/", body, "application/json")
        assert answer.status_code == (409 if body == {"at_least": 9} else 400)
    item_set.refresh_from_db()
    assert item_set.job.status == "done"


def test_worker_that_goes_on_leaves_nothing_out_twice(sample, owner, monkeypatch):
    item_set = audited(sample, owner)
    left = choice_of(item_set, 1)["left"]
    job_ids = start_leaving_out(item_set=item_set, at_least=1, actor=owner)

    def lost(*args):
        cancel_item_set(item_set=item_set, actor=owner)
        return store(*args)

    with monkeypatch.context() as patched:
        store = leaving_out.store_audit
        patched.setattr(leaving_out, "store_audit", lost)
        work_on_item_sets(job_ids=job_ids)
    item_set.refresh_from_db()
    assert (item_set.job.status, item_set.items.count(), item_set.shortcuts) == (
        "cancelled", left, {},
    )  # fmt: skip

    worked_on(item_set, resume_item_set(item_set=item_set, actor=owner))
    assert (item_set.items.count(), sum(item_set.left_out.values())) == (
        left,
        sum(ItemSet.objects.get(pk=item_set.pk).left_out.values()),
    )
    assert item_set.shortcuts["item_count"] == left


@pytest.mark.parametrize("next_step", ["resume", "audit"])
def test_worker_killed_between_two_batches_leaves_the_rest_to_the_next(
    sample, owner, monkeypatch, next_step
):
    item_set = audited(sample, owner)
    whole, choice = item_set.items.count(), choice_of(item_set, 1)
    job_ids = start_leaving_out(item_set=item_set, at_least=1, actor=owner)
    with monkeypatch.context() as patched:
        patched.setattr(batches, "ROWS_AT_ONCE", 10)
        delete = leaving_out.in_batches

        def killed(rows):
            # The first batches are counts; then those that are deleted.
            for number, batch in enumerate(delete(rows)):
                if number == 2 and "doomed" in Job.objects.get().payload:
                    cancel_item_set(item_set=item_set, actor=owner)
                yield batch

        patched.setattr(leaving_out, "in_batches", killed)
        work_on_item_sets(job_ids=job_ids)
    item_set.refresh_from_db()
    assert (item_set.job.status, item_set.items.count()) == ("cancelled", whole - 20)
    assert (item_set.item_count, item_set.shortcuts) == (choice["left"], {})

    if next_step == "resume":
        job_ids = resume_item_set(item_set=item_set, actor=owner)
    else:
        job_ids = start_freezing(item_set=item_set, actor=owner, only_audit=True)
    worked_on(item_set, job_ids)

    assert item_set.items.count() == choice["left"] == item_set.shortcuts["item_count"]
    assert "doomed" not in Job.objects.get().payload
    assert frozen(item_set, owner).content_hash == item_set.content_hash


def test_cancelled_while_guessing_nothing_is_left_out(sample, owner, owner_client, monkeypatch):
    item_set = audited(sample, owner)
    before = (item_set.content_hash, item_set.items.count(), item_set.shortcuts)
    job_ids = start_leaving_out(item_set=item_set, at_least=1, actor=owner)
    reports = []

    def watch(done_count, total_count):
        reports.append((done_count, total_count))
        if len(reports) == 3:
            cancel_item_set(item_set=item_set, actor=owner)

    monkeypatch.setattr("annotation.services.records.jobs.REPORT_PAUSE_S", 0)
    work_on_item_sets(job_ids=job_ids, watch=watch)

    item_set.refresh_from_db()
    # The next guesser did not begin.
    assert len(reports) == 3
    assert item_set.job.status == "cancelled"
    assert (item_set.content_hash, item_set.items.count(), item_set.shortcuts) == before
    assert "Leave these out</button>" in owner_client.get(page_of(item_set)).content.decode()


def test_progress_counts_guesses_and_says_what_is_done(sample, owner, owner_client, monkeypatch):
    item_set = audited(sample, owner)
    count = item_set.items.count()
    address = f"{page_of(item_set)}progress/"
    shown = []

    def watched(job_ids):
        def watch(done_count, total_count):
            shown.append(owner_client.get(address).content.decode())

        monkeypatch.setattr("annotation.services.records.jobs.REPORT_PAUSE_S", 0)
        work_on_item_sets(job_ids=job_ids, watch=watch)
        told, shown[:] = shown[:], []
        return told

    told = watched(start_freezing(item_set=item_set, actor=owner, only_audit=True))
    assert f"Guesses without pictures: {3 * count:,} of {7 * count:,}" in told[3]
    told = watched(start_leaving_out(item_set=item_set, at_least=1, actor=owner))
    assert f"Guesses without pictures: {3 * count:,} of {7 * count:,}" in told[3]
    left = Item.objects.filter(item_set=item_set).count()
    told = watched(start_freezing(item_set=item_set, actor=owner))
    assert f"Guesses without pictures: {5 * left:,} of {7 * left:,}" in told[5]
    assert "Answers of baselines scored" in told[8]
    assert "Answers of baselines stored" in told[-1]


def test_command_leaves_out_and_audits_as_the_page_does(sample, owner, capsys, monkeypatch):
    # A sample: the command guesses the same items as the job.
    monkeypatch.setattr(shortcut_audits, "MOST_AUDITED", 200)
    item_set = audited(sample, owner)
    assert item_set.shortcuts["item_count"] < item_set.shortcuts["whole_count"]
    call_command("benchmark", "audit", item_set.public_id)
    said = capsys.readouterr().out
    assert f"SHA-256 {item_set.shortcuts_hash}" in said
    assert "a sample of" in said
    monkeypatch.undo()

    call_command("benchmark", "audit", item_set.public_id)
    item_set.refresh_from_db()
    choice = choice_of(item_set, 1)
    line = f"leave_out --guessed-by 1: {choice['count']} items go, {choice['left']} stay"
    assert line in capsys.readouterr().out
    call_command("benchmark", "leave_out", item_set.public_id, "--guessed-by", "1")
    item_set.refresh_from_db()
    assert item_set.items.count() == choice["left"]
    assert f"{choice['left']} items, {item_set.content_hash}" in capsys.readouterr().out

    done = frozen(item_set, owner)
    call_command("benchmark", "audit", item_set.public_id)
    assert f"SHA-256 {done.shortcuts_hash}" in capsys.readouterr().out
