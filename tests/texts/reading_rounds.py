"""Rounds of texts for tests: their texts, and people who read them."""

from annotation.services.campaigns.campaigns import add_raters
from tests.factories import DatasetFactory, StepFactory, TakeFactory, UserFactory
from texts.models import TextVerdict
from texts.services.rounds import NewTextRound, TextDraft, begin_reading, open_text_round
from texts.services.verdicts import SentVerdict, begin, give_verdict

ORIGIN = "questions:secret"
EDITED = {"text": "Did I pour milk?", "answer": "Yes, milk."}


def drafts_of(dataset, count=4):
    """Return so many questions, in turn on the takes of a data set, in two groups."""
    takes = list(dataset.takes.order_by("uid"))
    return [
        TextDraft(
            source_key=f"q{place}",
            take=takes[place % len(takes)].pk,
            text=f"Did I pour tea number {place}?",
            answer=f"No, number {place} is milk.",
            step_index=1,
            label="Wrong object",
            group=("confirm", "decoy")[place % 2],
        )
        for place in range(count)
    ]


def dataset_to_read(owner, *, takes=5, **fields):
    """Return a data set of takes of two steps."""
    dataset = DatasetFactory(owner=owner, **fields)
    for place in range(takes):
        take = TakeFactory(dataset=dataset, uid=f"take-{place}")
        StepFactory(take=take, index=0, text="Boil the water")
        StepFactory(take=take, index=1, text="Pour it on the leaves")
    return dataset


def text_round(
    owner, *, texts=4, people=("ann", "ben", "cid"), is_open=True, name="Reading", **new
):
    """Return a round of texts about takes of two steps, and its people by name."""
    dataset = dataset_to_read(owner, takes=min(texts, 5))
    planned = begin_reading(
        name=name,
        datasets=[dataset],
        new=NewTextRound(**{"origin": ORIGIN, **new}),
        drafts=drafts_of(dataset, texts),
        actor=owner,
    )
    users = {username: UserFactory(username=username) for username in people}
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


def give_both(round_, key, *verdicts):
    """Have both people of a text give a verdict; both edits have the same words."""
    own = places(round_, key=key)
    for place, verdict in enumerate(verdicts, start=1):
        fields = {"reject": {"reasons": ("wrong",)}, "edit": EDITED}.get(verdict, {})
        give(own[place], verdict, **fields)
