"""Rounds of texts: handed over, given out, given back."""

from collections import Counter
from dataclasses import replace

import pytest
from django.core.exceptions import ValidationError

from annotation.models import Campaign, Phase
from annotation.services.campaigns.campaigns import add_raters, remove_rater
from annotation.services.campaigns.rounds import ProtocolError, close_round
from tests.factories import UserFactory
from tests.texts.reading_rounds import (
    EDITED,
    ORIGIN,
    dataset_to_read,
    drafts_of,
    give,
    give_both,
    places,
    text_round,
)
from texts.engine.vocabulary import REVIEW, SENSE
from texts.models import TextItem, TextVerdict
from texts.selectors.figures import figures_now
from texts.selectors.rounds import (
    blind_answers,
    decided_texts,
    rounds_of_origin,
    vocabulary_of,
)
from texts.services.rounds import (
    NewTextRound,
    begin_reading,
    change_text_round,
    open_text_round,
    plan_text_round,
)
from texts.services.verdicts import answer_blind, begin

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"text": " "}, "text 2, text is empty"),
        ({"source_key": "q0"}, "source_key is 'q0' more than once"),
        ({"take": 0}, "text 2, take is of no data set"),
        ({"trace": 0}, "text 2, trace is none of this take"),
        ({"start_s": 5.0, "end_s": 4.0}, "text 2, start_s and end_s are 5.0 and 4.0"),
        ({"start_s": -1.0, "end_s": 4.0}, "text 2, start_s and end_s are -1.0 and 4.0"),
        ({"start_s": 1.0}, "text 2, start_s and end_s are 1.0 and None"),
        ({"start_s": float("nan"), "end_s": 4.0}, "text 2, start_s and end_s are nan and 4.0"),
        ({"label": "x" * 201}, "text 2, label has"),
        ({"source_key": "k" * 101}, "text 2, source_key has"),
        ({"group": "g" * 101}, "text 2, group has"),
    ],
)
def test_a_text_that_cannot_be_is_named_and_nothing_is_stored(owner, change, words):
    dataset = dataset_to_read(owner)
    drafts = drafts_of(dataset)
    drafts[1] = replace(drafts[1], **change)

    with pytest.raises(ValidationError, match=words):
        begin_reading(
            name="X", datasets=[dataset], new=NewTextRound(ORIGIN), drafts=drafts, actor=owner
        )

    assert not Campaign.objects.exists()
    assert not TextItem.objects.exists()


@pytest.mark.parametrize(
    ("new", "words"),
    [
        ({"vocabulary": replace(REVIEW, reasons=())}, "reasons are none; expected some"),
        ({"margin_s": -1.0}, "margin_s is -1.0; expected 0 to 60"),
        ({"margin_s": float("nan")}, "margin_s is nan; expected 0 to 60"),
    ],
)
def test_a_round_that_nobody_could_read_is_not_planned(owner, new, words):
    with pytest.raises(ValidationError, match=words):
        text_round(owner, **new)

    assert not Campaign.objects.exists()


def test_margin_and_reasons_can_be_changed_until_the_round_opens(owner):
    made, _ = text_round(owner, is_open=False, margin_s=1.0)

    change_text_round(
        planned=made,
        margin_s=0.5,
        reasons=["Dull", "It is unclear"],
        phase=Phase.MAIN,
        actor=owner,
    )
    open_text_round(planned=made, actor=owner)

    made.texts.refresh_from_db()
    names = [reason.name for reason in vocabulary_of(made).reasons]
    assert (made.texts.margin_s, names) == (0.5, ["dull", "unclear"])
    made.refresh_from_db()
    assert made.phase == Phase.MAIN
    own = places(made, key="q0")[1]
    assert give(own, "reject", reasons=("dull",)).reasons == ["dull"]
    with pytest.raises(ProtocolError, match="was opened"):
        change_text_round(
            planned=made, margin_s=9.0, reasons=["Dull"], phase=Phase.PILOT, actor=owner
        )


def test_a_round_is_opened_once(owner):
    made, _ = text_round(owner)

    with pytest.raises(ProtocolError, match="opened before"):
        open_text_round(planned=made, actor=owner)


def test_a_second_round_has_the_same_people_and_its_own_words(owner):
    made, people = text_round(owner)
    dataset = made.campaign.datasets.get()

    second = plan_text_round(
        campaign=made.campaign,
        new=NewTextRound("another", vocabulary=SENSE, overlap=1),
        drafts=drafts_of(dataset, 2),
        actor=owner,
    )
    open_text_round(planned=second, actor=owner)

    assert second.number == 2
    assert second.raters.count() == len(people)
    names = [choice["name"] for choice in second.texts.vocabulary["verdicts"]]
    assert names == ["natural", "odd", "no_mistake", "impossible"]


def test_who_leaves_gives_back_what_has_no_verdict_and_keeps_what_was_said(owner):
    made, people = text_round(owner, people=("ann", "ben", "cid"), texts=6)
    said, seen = TextVerdict.objects.filter(person=people["ann"])[:2]
    give(said, "accept")
    begin(public_id=seen.public_id, actor=seen.person)

    remove_rater(campaign=made.campaign, rater=people["ann"], actor=owner)

    assert list(TextVerdict.objects.filter(person=people["ann"])) == [said]
    places = Counter(TextVerdict.objects.values_list("item__source_key", flat=True))
    assert set(places.values()) == {2}


def test_what_is_decided_is_read_back_with_the_words_that_count(owner):
    made, _ = text_round(owner)
    give_both(made, "q0", "accept", "accept")
    give_both(made, "q1", "edit", "edit")
    give_both(made, "q2", "accept", "reject")
    give_both(made, "q3", "reject", "reject")

    [found] = rounds_of_origin(owner, ORIGIN)
    texts = {text.source_key: text for text in decided_texts(found)}

    assert {key: (text.verdict, text.is_kept) for key, text in texts.items()} == {
        "q0": ("accept", True),
        "q1": ("edit", True),
        "q2": ("", False),
        "q3": ("reject", False),
    }
    assert {"text": texts["q1"].text, "answer": texts["q1"].answer} == EDITED
    assert (texts["q0"].text, texts["q3"].reasons) == ("Did I pour tea number 0?", ("wrong",))
    give(places(made, key="q2")[3], "accept")
    assert {text.source_key for text in decided_texts(found) if text.is_kept} == {"q0", "q1", "q2"}


def test_a_stranger_reads_no_round_of_an_origin(owner, outsider):
    text_round(owner)

    assert rounds_of_origin(outsider, ORIGIN) == []


def test_a_closed_round_stays_as_it_is_when_people_come(owner):
    made, _ = text_round(owner, people=("ann", "ben"))
    close_round(closing=made, actor=owner)

    add_raters(campaign=made.campaign, raters=[UserFactory()], actor=owner)

    assert TextVerdict.objects.count() == 8


def test_figures_of_a_round_count_what_was_said(owner):
    made, _ = text_round(owner)
    give_both(made, "q0", "accept", "accept")
    give_both(made, "q1", "accept", "reject")

    figures = figures_now(made)

    assert (figures.texts, figures.read_twice, figures.decided) == (4, 2, 1)
    assert figures.equal.value == 0.5
    assert [(share.title, share.hits, share.count) for share in figures.reasons] == [
        ("It is wrong about the recording", 1, 1)
    ]
    groups = [(group.name, group.before.hits, group.kept.hits) for group in figures.by_group]
    assert groups == [("confirm", 2, 1), ("decoy", 2, 0)]
    assert sum(reader.given for reader in figures.by_person) == 4


def test_what_people_answered_first_is_read_by_text_and_person(owner):
    made, _ = text_round(owner, is_blind_first=True)
    own = places(made, key="q1")
    for place, answer in ((2, "No, milk."), (1, "Yes.")):
        answer_blind(public_id=own[place].public_id, answer=answer, actor=own[place].person)

    told = [
        (item.source_key, item.text, item.place, item.person, item.answer)
        for item in blind_answers(made)
    ]

    asked = "Did I pour tea number 1?"
    assert told == [
        ("q1", asked, 1, own[1].person_id, "Yes."),
        ("q1", asked, 2, own[2].person_id, "No, milk."),
    ]
