"""Verdicts: two are independent, a third decides where they differ, and nothing is overwritten."""

import threading

import pytest
from django.core.exceptions import ValidationError
from django.db import connection, transaction
from django.db.utils import IntegrityError

from annotation.services.campaigns.campaigns import add_raters
from annotation.services.campaigns.rounds import close_round
from tests.factories import TakeFactory, UserFactory
from tests.texts.reading_rounds import give, places, text_round
from texts.models import TextVerdict
from texts.selectors.rounds import decided_texts
from texts.services.rounds import NewTextRound, TextDraft, plan_text_round
from texts.services.verdicts import (
    InvalidVerdictError,
    SentVerdict,
    StaleVerdictError,
    VerdictClosedError,
    answer_blind,
    begin,
    give_verdict,
)

pytestmark = pytest.mark.django_db


def test_each_text_goes_to_two_people_with_even_loads(owner):
    round_, users = text_round(owner, texts=6)
    loads = [TextVerdict.objects.filter(person=user).count() for user in users.values()]
    assert loads == [4, 4, 4]
    assert {tuple(places(round_, key=f"q{k}")) for k in range(6)} == {(1, 2)}


def test_two_equal_verdicts_decide_and_no_third_is_asked(owner):
    round_, _ = text_round(owner)
    for own in places(round_, key="q0").values():
        give(own, "accept")
    assert set(places(round_, key="q0")) == {1, 2}
    first, *others = decided_texts(round_)
    assert (first.verdict, first.is_kept, first.text) == (
        "accept", True, "Did I pour tea number 0?",
    )  # fmt: skip
    assert {item.verdict for item in others} == {""}


def test_where_two_differ_a_third_person_decides(owner):
    round_, users = text_round(owner)
    both = places(round_, key="q1")
    give(both[1], "accept")
    give(both[2], "reject", reasons=("unclear",))
    third = places(round_, key="q1")[3]
    assert third.person not in (both[1].person, both[2].person)
    assert third.person in users.values()
    assert list(decided_texts(round_))[1].verdict == ""
    give(third, "edit", text="Did I pour milk?", answer="Yes, milk.")
    decided = list(decided_texts(round_))[1]
    assert (decided.verdict, decided.text, decided.answer) == (
        "edit", "Did I pour milk?", "Yes, milk.",
    )  # fmt: skip


def test_two_edits_that_differ_are_a_dispute_and_equal_ones_are_not(owner):
    round_, _ = text_round(owner)
    both = places(round_, key="q0")
    give(both[1], "edit", text="Did I pour milk?", answer="Yes.")
    give(both[2], "edit", text="Is it milk that I poured?", answer="Yes.")
    assert 3 in places(round_, key="q0")
    give(places(round_, key="q0")[2], "edit", text="Did I pour milk?", answer="Yes.")
    assert 3 not in places(round_, key="q0"), "nobody had opened it, and nothing is left to decide"


def test_a_third_joins_later_where_nobody_was_left(owner):
    round_, _ = text_round(owner, people=("ann", "ben"))
    both = places(round_, key="q0")
    give(both[1], "accept")
    give(both[2], "reject", reasons=("wrong",))
    assert 3 not in places(round_, key="q0")
    late = UserFactory(username="dan")
    add_raters(campaign=round_.campaign, raters=[late], actor=owner)
    assert places(round_, key="q0")[3].person == late


def test_the_same_verdict_twice_counts_once_and_another_from_an_old_page_is_refused(owner):
    round_, _ = text_round(owner)
    own = places(round_, key="q0")[1]
    give(own, "accept", note="fine")
    assert give(own, "accept", note="fine").revision == 1
    with pytest.raises(StaleVerdictError) as refused:
        give(own, "reject", reasons=("wrong",))
    assert refused.value.theirs.verdict == "accept"
    assert refused.value.differs == ("verdict", "reasons", "note")
    assert places(round_, key="q0")[1].verdict == "accept"


@pytest.mark.parametrize(
    ("verdict", "fields", "field"),
    [
        ("maybe", {}, "verdict"),
        ("reject", {}, "reasons"),
        ("reject", {"reasons": ("mood",)}, "reasons"),
        ("reject", {"reasons": ("wrong", "mood")}, "reasons"),
        ("edit", {"text": " "}, "text"),
        ("edit", {"text": "Did I pour tea number 0?", "answer": "No, number 0 is milk."}, "text"),
        ("edit", {"text": "Did I?", "answer": ""}, "answer"),
        ("accept", {"note": "x" * 2001}, "note"),
    ],
)
def test_what_the_round_does_not_take_is_named_and_not_stored(owner, verdict, fields, field):
    round_, _ = text_round(owner)
    own = places(round_, key="q0")[1]
    with pytest.raises(InvalidVerdictError) as refused:
        give(own, verdict, **fields)
    assert refused.value.field == field
    assert "expected" in str(refused.value)
    assert places(round_, key="q0")[1].verdict == ""


def test_several_reasons_are_stored_in_the_order_of_the_round_and_sent_again_count_once(owner):
    round_, _ = text_round(owner)
    own = places(round_, key="q0")[1]

    given = give(own, "reject", reasons=("language", "wrong", "language"))
    again = give(own, "reject", reasons=("wrong", "language"))

    assert given.reasons == ["wrong", "language"]
    assert again.revision == 1
    changed = give(own, "accept", reasons=("wrong",), revision=1)
    assert (changed.verdict, changed.reasons) == ("accept", [])


def test_an_answer_is_given_blind_before_the_verdict_and_stays(owner):
    round_, _ = text_round(owner, is_blind_first=True)
    own = places(round_, key="q0")[1]
    with pytest.raises(VerdictClosedError, match="answer the question"):
        give(own, "accept")
    answer_blind(public_id=own.public_id, answer="Milk", actor=own.person)
    answer_blind(public_id=own.public_id, answer="Tea after all", actor=own.person)
    assert give(own, "accept").blind_answer == "Milk"


def test_nobody_gives_anothers_verdict_or_one_in_a_closed_round(owner, outsider):
    round_, _ = text_round(owner)
    own = places(round_, key="q0")[1]
    with pytest.raises(TextVerdict.DoesNotExist):
        give_verdict(public_id=own.public_id, sent=SentVerdict("accept"), actor=outsider)
    close_round(closing=round_, actor=owner)
    with pytest.raises(VerdictClosedError, match="closed"):
        give(own, "accept")


def test_the_database_has_no_fourth_place_and_each_place_once(owner):
    round_, _ = text_round(owner)
    own = places(round_, key="q0")[1]
    for changes in ({"place": 4}, {"place": 2}, {"person": places(round_, key="q0")[2].person}):
        row = TextVerdict(
            round=round_, item=own.item, position=9,
            **{"place": 3, "person": owner, **changes},
        )  # fmt: skip
        with pytest.raises(IntegrityError), transaction.atomic():
            row.save()


def test_a_text_that_does_not_fit_is_named(owner):
    round_, _ = text_round(owner)
    foreign = TextDraft(source_key="x", take=TakeFactory().pk, text="Did I?")
    with pytest.raises(ValidationError, match="text 1, take is of no data set"):
        plan_text_round(
            campaign=round_.campaign, new=NewTextRound("o"), drafts=[foreign], actor=owner
        )


@pytest.mark.django_db(transaction=True)
def test_six_saves_at_the_same_moment_give_two_verdicts_and_one_third(owner):
    round_, _ = text_round(owner, people=("ann", "ben", "cid", "dan"))
    both = places(round_, key="q0")
    barrier = threading.Barrier(6)
    refused = []

    def save(own, verdict, fields):
        barrier.wait()
        try:
            give_verdict(
                public_id=own.public_id, sent=SentVerdict(verdict, **fields), actor=own.person
            )
        except StaleVerdictError as error:
            refused.append(error)
        finally:
            connection.close()

    works = [(both[1], "accept", {})] * 3 + [(both[2], "reject", {"reasons": ("wrong",)})] * 3
    threads = [threading.Thread(target=save, args=work) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    now = places(round_, key="q0")
    assert sorted(now) == [1, 2, 3]
    assert [now[place].verdict for place in (1, 2, 3)] == ["accept", "reject", ""]
    assert {now[1].revision, now[2].revision} == {1}
    assert refused == []


def test_a_third_who_has_begun_keeps_the_text_when_two_come_to_agree(owner):
    round_, _ = text_round(owner)
    both = places(round_, key="q0")
    give(both[1], "accept")
    give(both[2], "reject", reasons=("wrong",))
    third = places(round_, key="q0")[3]
    begin(public_id=third.public_id, actor=third.person)
    give(places(round_, key="q0")[2], "accept")
    assert set(places(round_, key="q0")) == {1, 2, 3}


@pytest.mark.django_db(transaction=True)
def test_of_two_tabs_with_different_verdicts_at_one_moment_one_hears_of_it(owner):
    round_, _ = text_round(owner)
    own = places(round_, key="q0")[1]
    barrier = threading.Barrier(2)
    outcomes = []

    def save(verdict):
        barrier.wait()
        try:
            sent = SentVerdict(verdict, reasons=("wrong",))
            give_verdict(public_id=own.public_id, sent=sent, actor=own.person)
            outcomes.append("saved")
        except StaleVerdictError:
            outcomes.append("stale")
        finally:
            connection.close()

    threads = [threading.Thread(target=save, args=[verdict]) for verdict in ("accept", "reject")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["saved", "stale"]
