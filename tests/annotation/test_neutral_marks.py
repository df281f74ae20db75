"""Nothing that a rater reaches says what kind of change an event is: Taxonomy Fit asks that.

The same recording is changed in five ways. Whatever address, page or export a rater can open has as
many of the words that would tell as it has of any other of the five.
"""

import re
from collections import Counter

import pytest
from django.utils import timezone

from annotation.engine.corpus.step_words import StepWords
from annotation.engine.rubric.rubric import Metric
from annotation.engine.taxonomy import EventKind, Mod
from annotation.models import Assignment, Campaign, Phase, RatingRound, Role
from annotation.services.campaigns.campaigns import NewCampaign, add_raters, create_campaign
from annotation.services.campaigns.rounds import close_round
from annotation.services.ratings.rounds import NewRound, open_round, plan_round
from tests.annotation.stored_ratings import rate
from tests.annotation.test_what_raters_reach import filled
from tests.factories import (
    DatasetFactory,
    EventFactory,
    StepFactory,
    TakeFactory,
    TraceFactory,
    TraceStepFactory,
    UserFactory,
    VideoFactory,
)
from tests.routes import own_routes

pytestmark = pytest.mark.django_db

TEXTS = ("Boil water", "Grind the beans", "Add the salt", "Stir", "Pour")
# The names of types, native tags, and what all but says them; `Add`, `Stir` are texts of steps.
TELLING = re.compile(
    r"delet|insert|substitut|transpos|wrong.?execution|(?-i:\"(?:D|I|S|T|WE)\")|improper"
    r"|missing|left out|omit|moved|swap|reorder|out of order|added|extra|not in the reference"
    r"|done as|here it is|once more|instead|replac|gone\b",
    re.IGNORECASE,
)


def unchanged(*numbers):
    return [(Mod.UNCHANGED, TEXTS[number], number, None) for number in numbers]


# Rows as (mod, text, step of the reference, event).
CHANGES = {
    "D": [*unchanged(0, 1), (Mod.DELETION, "", 2, 0), *unchanged(3, 4)],
    "I": [*unchanged(0, 1, 2), (Mod.INSERTION, "Taste it", None, 0), *unchanged(3, 4)],
    "S": [*unchanged(0, 1), (Mod.ERROR, "Wash all cups", 2, 0), *unchanged(3, 4)],
    "T": [*unchanged(0, 1), (Mod.MOVED_SOURCE, TEXTS[3], 3, 0),
          (Mod.MOVED_TARGET, TEXTS[2], 2, 0), *unchanged(4)],
    "WE": [*unchanged(0, 1), (Mod.ERROR, "Add the pepper", 2, 0), *unchanged(3, 4)],
}  # fmt: skip


@pytest.fixture
def raters():
    return [UserFactory(), UserFactory()]


def changed_recording(kind: str, owner, **of_dataset):
    """A data set with one recording that is changed in this way."""
    dataset = DatasetFactory(owner=owner, **of_dataset)
    video = VideoFactory(dataset=dataset)
    take = TakeFactory(dataset=dataset, scenario="Make coffee", video=video)
    steps = [
        StepFactory(take=take, index=at, text=text, start_s=2.0 * at, end_s=2.0 * at + 2)
        for at, text in enumerate(TEXTS)
    ]
    trace = TraceFactory(dataset=dataset, take=take, video=VideoFactory(dataset=dataset))
    mistake = EventFactory(trace=trace, index=0, proposed_type=kind)
    repair = EventFactory(trace=trace, index=1, kind=EventKind.CORRECTION, target=mistake)
    events = {0: mistake, 1: repair, None: None}
    rows = [*CHANGES[kind], (Mod.CORRECTION, "Put it right", None, 1)]
    for index, (mod, text, step, event) in enumerate(rows):
        is_done = mod != Mod.DELETION
        TraceStepFactory(
            trace=trace, index=index, mod=mod, text=text, event=events[event],
            reference_step=None if step is None else steps[step],
            start_s=2.0 * index if is_done else None,
            end_s=2.0 * index + 2 if is_done else None,
        )  # fmt: skip
    return dataset


def changed_in(kind: str, raters) -> dict[str, list[str]]:
    """The ids of an open campaign about one recording that is changed in this way."""
    owner = UserFactory(role=Role.RESEARCHER)
    dataset = changed_recording(kind, owner)
    campaign = create_campaign(
        new=NewCampaign(f"Audit {dataset.pk}", phase=None), datasets=[dataset], actor=owner
    )
    add_raters(campaign=campaign, raters=raters, actor=owner)
    version = campaign.guideline_versions.get()
    asked = NewRound(Phase.PILOT, version, overlap=2)
    pilot = plan_round(campaign=campaign, new=asked, actor=owner)
    open_round(planned=pilot, actor=owner)
    held = Assignment.objects.filter(round=pilot)
    return {
        "campaigns": [campaign.public_id],
        "rounds": [pilot.public_id],
        "assignments": list(held.filter(rater=raters[0]).values_list("public_id", flat=True)),
        "filed": [],
        "cases": [],
    }


def close(ids) -> None:
    """Close the round after its raters differed about one answer: a case comes to the desk."""
    (campaign,) = Campaign.objects.filter(public_id__in=ids["campaigns"])
    pilot = campaign.rounds.get()
    for place, held in enumerate(Assignment.objects.filter(round=pilot).order_by("pk")):
        event = held.trace.events.get(index=0)
        rate(held, event, Metric.CONFUSABILITY, "15"[place], guideline=pilot.guideline)
    Assignment.objects.filter(round=pilot).update(status="submitted", submitted_at=timezone.now())
    close_round(closing=pilot, actor=campaign.owner)
    ids["cases"] = list(pilot.cases.values_list("public_id", flat=True))


def reached(client, ids):
    """The address and text of all that a rater is let into and that is about this campaign."""
    for route in own_routes():
        for address in filled(route, ids) if "<" in route else []:
            answer = client.get(f"/{address}", follow=False)
            if answer.status_code == 200:
                body = b"".join(answer) if answer.streaming else answer.content
                yield address, body.decode(errors="replace")


def telling_words(client, ids) -> dict[str, Counter[str]]:
    """How often each telling word stands at the addresses, the ids in which are left out."""
    found = {}
    for address, text in reached(client, ids):
        for values in ids.values():
            for value in values:
                address, text = address.replace(value, "…"), text.replace(value, "…")
        # What guards a form is drawn at random, and so are marks of videos.
        text = re.sub(r'csrfmiddlewaretoken" value="\w+"|/videos/\S+?"', "", text)
        found[address] = Counter(word.lower() for word in TELLING.findall(text))
    return found


def differences(worlds):
    """Where what is told of a change differs from what is told of a step that is done wrongly."""
    assert {frozenset(found) for found in worlds.values()} == {frozenset(worlds["WE"])}
    return [
        (kind, address, words - worlds["WE"][address], worlds["WE"][address] - words)
        for kind, found in worlds.items()
        for address, words in found.items()
        if words != worlds["WE"][address]
    ]


def test_no_address_tells_one_kind_of_change_from_another(client, raters):
    worlds = {kind: changed_in(kind, raters) for kind in CHANGES}
    client.force_login(raters[0])

    opened = {kind: telling_words(client, ids) for kind, ids in worlds.items()}
    for ids in worlds.values():
        close(ids)
    closed = {kind: telling_words(client, ids) for kind, ids in worlds.items()}

    assert differences(opened) == []
    assert differences(closed) == []
    assert "audit/…/" in opened["WE"]
    assert {"audit/…/", "cases/…/"} <= set(closed["WE"])


def test_words_that_a_campaign_chose_are_seen_by_this_walk(client, raters):
    worlds = {kind: changed_in(kind, raters) for kind in ("D", "WE")}
    RatingRound.objects.update(step_words=StepWords.WORDS)
    client.force_login(raters[0])

    missing, other = (telling_words(client, ids) for ids in worlds.values())

    assert missing["audit/…/"]["missing"] > other["audit/…/"]["missing"]
