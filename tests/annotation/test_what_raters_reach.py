"""Every address of the site, opened by raters who know every id: nothing tells what is hidden."""

import re

import pytest
from django.utils import timezone

from annotation.engine.rubric.rubric import Metric
from annotation.models import Assignment, Event, FilingMoment, Phase, Role
from annotation.services.campaigns.campaigns import NewCampaign, add_raters, create_campaign
from annotation.services.campaigns.protocol import file_protocol
from annotation.services.campaigns.rounds import close_round
from annotation.services.ratings.gold import NewGold, mark_gold
from annotation.services.ratings.rounds import NewRound, freeze_protocol, open_round, plan_round
from tests.annotation.stored_ratings import rate
from tests.factories import DatasetFactory, EventFactory, TakeFactory, TraceFactory, UserFactory
from tests.routes import routes_of_the_site

pytestmark = pytest.mark.django_db

DATASET, TRACE, TAKE = "hidden-source-set", "hidden-trace-uid", "hidden-take-uid"
GOLD_REASON = "hidden-reason-of-gold"
OTHER = "hidden-colleague"
# What a rater must not find anywhere before a round closes.
HIDDEN = (DATASET, TRACE, TAKE, GOLD_REASON, OTHER, "hidden-type")


@pytest.fixture
def world():
    """A closed pilot and an open main round of one campaign, with gold, of two raters."""
    owner = UserFactory(role=Role.RESEARCHER)
    dataset = DatasetFactory(name=DATASET, owner=owner)
    traces = [
        TraceFactory(
            dataset=dataset, uid=f"{TRACE}-{n}", name=f"{TRACE}-{n}",
            take=TakeFactory(dataset=dataset, uid=f"{TAKE}-{n}"),
        )
        for n in range(3)
    ]  # fmt: skip
    events = [EventFactory(trace=trace, index=0, proposed_type="hidden-type") for trace in traces]
    campaign = create_campaign(
        new=NewCampaign("Spring", phase=None), datasets=[dataset], actor=owner
    )
    rater, other = UserFactory(username="rater"), UserFactory(username=OTHER)
    add_raters(campaign=campaign, raters=[rater, other], actor=owner)
    version = campaign.guideline_versions.get()
    gold = mark_gold(
        campaign=campaign, trace=traces[0],
        new=NewGold(0, Metric.PROCEDURE_LOGIC, ["yes"], reason=GOLD_REASON), actor=owner,
    )  # fmt: skip
    asked = NewRound(Phase.PILOT, version, overlap=2, per_dataset=1)
    pilot = plan_round(campaign=campaign, new=asked, actor=owner)
    open_round(planned=pilot, actor=owner)
    for place, held in enumerate(Assignment.objects.filter(round=pilot).order_by("pk")):
        event = held.trace.events.get()
        rate(held, event, Metric.CONFUSABILITY, "15"[place], guideline=version)
    Assignment.objects.filter(round=pilot).update(status="submitted", submitted_at=timezone.now())
    close_round(closing=pilot, actor=owner)
    freeze_protocol(campaign=campaign, guideline=version, actor=owner)
    main = plan_round(
        campaign=campaign,
        new=NewRound(Phase.MAIN, version, overlap=2, rates_pilot_again=True),
        actor=owner,
    )
    open_round(planned=main, actor=owner)
    secret = Assignment.objects.filter(round=main, rater=other).latest("pk")
    rate(secret, secret.trace.events.get(), Metric.CONFUSABILITY, "3", guideline=version)
    filed = file_protocol(campaign=campaign, moment=FilingMoment.BEFORE_MAIN, actor=owner)
    return {
        "owner": owner,
        "rater": rater,
        "campaign": campaign,
        "events": events,
        "ids": {
            "campaigns": [campaign.public_id],
            "datasets": [dataset.public_id],
            "takes": [trace.take.public_id for trace in traces],
            "traces": [trace.public_id for trace in traces],
            "gold": [gold.public_id],
            "cases": list(pilot.cases.values_list("public_id", flat=True)),
            "filed": [filed.public_id],
            "rounds": [pilot.public_id, main.public_id],
            "assignments": list(
                Assignment.objects.filter(round__campaign=campaign).values_list(
                    "public_id", flat=True
                )
            ),
        },
    }


def filled(route, ids):
    """The addresses that a route makes with the ids of what its first word names."""
    if re.search(r"<str:|<path:", route):
        return []
    words = route.removeprefix("api/v1/").split("/")
    kind = {"audit": "assignments", "queue": "rounds", "desk": "cases"}.get(words[0], words[0])
    if kind == "campaigns" and "/gold/" in route and "<slug" in route.split("/gold/")[1]:
        return []
    chosen = {"filed_id": ids["filed"], "table": ["3"], "picture": ["distribution"]}
    shown = [re.sub(r"<int:number>", "{number}", route)]
    shown = [re.sub(r"<int:\w+>", "0", text) for text in shown]
    for name in re.findall(r"<slug:(\w+)>", route):
        values = chosen.get(name) or ids.get(kind, [])
        shown = [text.replace(f"<slug:{name}>", value) for text in shown for value in values]
    return [
        text.replace("{number}", number)
        for text in shown
        for number in (("1", "2") if "{number}" in text else ("",))
    ]


def told(client, ids):
    """The address and text of every page and answer that a person is let into."""
    for route in routes_of_the_site():
        for address in filled(route, ids):
            answer = client.get(f"/{address}", follow=False)
            if answer.status_code == 200:
                body = b"".join(answer) if answer.streaming else answer.content
                yield address, body.decode(errors="replace")


def test_a_rater_with_every_id_finds_nothing_that_is_hidden(client, world):
    client.force_login(world["rater"])

    reached = list(told(client, world["ids"]))

    leaks = [(address, word) for address, text in reached for word in HIDDEN if word in text]
    assert len(reached) > 10
    assert leaks == []


def test_a_researcher_who_rates_finds_no_source_and_no_answer(client, world):
    add_raters(campaign=world["campaign"], raters=[world["owner"]], actor=world["owner"])
    client.force_login(world["owner"])

    reached = list(told(client, world["ids"]))

    sources = (DATASET, TRACE, TAKE, GOLD_REASON, "hidden-type")
    leaks = [(address, word) for address, text in reached for word in sources if word in text]
    assert len(reached) > 10
    assert leaks == []


def test_an_owner_who_does_not_rate_finds_every_word_of_it(client, world):
    """The words would be seen if they were there, and the walk passes where they are."""
    client.force_login(world["owner"])
    # No answer of the API may hold a type that nothing knows, so its owner sees a known one.
    Event.objects.update(proposed_type="WE")

    reached = list(told(client, world["ids"]))

    words = {word for _, text in reached for word in HIDDEN if word in text}
    assert words == {*HIDDEN} - {"hidden-type"}
