"""Rounds of texts for tests: their texts, and people who read them."""

from annotation.services.campaigns.campaigns import add_raters
from tests.factories import DatasetFactory, StepFactory, TakeFactory, UserFactory
from texts.models import TextVerdict
from texts.services.rounds import NewTextRound, TextDraft, begin_reading, open_text_round
from texts.services.verdicts import SentVerdict, begin, give_verdict


def text_round(owner, *, texts=4, people=("ann", "ben", "cid"), is_open=True, **new):
    """Return a round of texts about takes of two steps, and its people by name."""
    dataset = DatasetFactory(owner=owner)
    takes = [TakeFactory(dataset=dataset, uid=f"take-{place}") for place in range(min(texts, 5))]
    for take in takes:
        StepFactory(take=take, index=0, text="Boil the water")
        StepFactory(take=take, index=1, text="Pour it on the leaves")
    drafts = [
        TextDraft(
            source_key=f"q{place}",
            take=takes[place % len(takes)].pk,
            text=f"Did I pour tea number {place}?",
            answer=f"No, number {place} is milk.",
            step_index=1,
            group=("confirm", "decoy")[place % 2],
        )
        for place in range(texts)
    ]
    new = {"origin": "questions:secret", **new}
    planned = begin_reading(
        name="Reading", datasets=[dataset], new=NewTextRound(**new), drafts=drafts, actor=owner
    )
    users = {name: UserFactory(username=name) for name in people}
    add_raters(campaign=planned.campaign, raters=users.values(), actor=owner)
    if is_open:
        open_text_round(planned=planned, actor=owner)
    planned.refresh_from_db()
    return planned, users


def places(round_, *, key):
    """Return the places at a text, by number."""
    rows = TextVerdict.objects.filter(round=round_, item__source_key=key)
    return {row.place: row for row in rows.select_related("person", "item")}


def give(own, verdict, **fields):
    begin(public_id=own.public_id, actor=own.person)
    sent = SentVerdict(verdict, **{"revision": own.revision, **fields})
    return give_verdict(public_id=own.public_id, sent=sent, actor=own.person)
