import json

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.engine.campaigns.protocol_file import protocol_hash, protocol_markdown
from annotation.engine.rubric.rubric import Metric
from annotation.models import Assignment, Consent, FilingMoment, Phase, ProtocolFile
from annotation.selectors.campaigns.protocol import filed_plans, protocol_of
from annotation.services.campaigns.campaigns import NewCampaign, add_raters, create_campaign
from annotation.services.campaigns.protocol import (
    InvalidPlanError,
    PlanIsFiledError,
    accept_consent,
    set_analysis_plan,
    set_consent_text,
)
from annotation.services.campaigns.rounds import close_round
from annotation.services.ratings.gold import NewChecks, NewGold, mark_gold, plan_checks
from annotation.services.ratings.rounds import (
    NewRound,
    freeze_protocol,
    open_round,
    plan_round,
    release_campaign,
)
from tests.annotation.campaigns import make_dataset
from tests.factories import EventFactory, UserFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign(owner, annotator):
    datasets = [make_dataset(3), make_dataset(2)]
    for dataset in datasets:
        dataset.owner = owner
        dataset.save()
    for trace in datasets[0].traces.all():
        EventFactory(trace=trace, index=0)
    made = create_campaign(
        new=NewCampaign("Spring <b>", phase=None), datasets=datasets, actor=owner
    )
    add_raters(campaign=made, raters=[annotator, *UserFactory.create_batch(2)], actor=owner)
    return made


def opened(campaign, phase):
    version = campaign.guideline_versions.latest("number")
    made = plan_round(campaign=campaign, new=NewRound(phase, version, seed=41), actor=None)
    open_round(planned=made, actor=None)
    campaign.refresh_from_db()
    return made


def page(name, campaign, *more):
    return reverse(name, args=[campaign.public_id, *more])


def save(client, assignment, **fields):
    change = {"sequence": 1, "event": None, "metric": "text_video_grounding", "value": "3"}
    if assignment.trace.events.exists():
        change |= {"event": 0, "metric": "confusability"}
    return client.post(
        f"/api/v1/assignments/{assignment.public_id}/changes/",
        {"client_id": "tab", "changes": [change | {"base_revision": 0,
         "rated_at": "2026-02-01T10:00:00Z"} | fields]},
        content_type="application/json",
    )  # fmt: skip


def test_nobody_answers_before_the_consent_text_is_accepted(
    annotator_client, annotator, owner, campaign
):
    set_consent_text(campaign=campaign, text="You may stop at any time.", actor=owner)
    made = opened(campaign, Phase.PILOT)
    assignment = Assignment.objects.filter(rater=annotator, trace__events__isnull=False).first()
    asked = annotator_client.get(reverse("audit", args=[assignment.public_id]))
    refused = save(annotator_client, assignment)

    shown = annotator_client.get(asked.url).content.decode()
    annotator_client.post(asked.url, {"number": "1"})

    assert asked.url == reverse("consent", args=[made.public_id])
    assert "You may stop at any time." in shown
    assert (refused.status_code, refused.json()["code"]) == (409, "consent")
    assert Consent.objects.get().text.content_hash == protocol_hash("You may stop at any time.")
    assert save(annotator_client, assignment).status_code == 200
    assert annotator_client.get(reverse("audit", args=[assignment.public_id])).status_code == 200


def test_a_remark_is_no_way_around_the_consent_text(annotator_client, annotator, owner, campaign):
    text = set_consent_text(campaign=campaign, text="You may stop at any time.", actor=owner)
    opened(campaign, Phase.PILOT)
    assignment = Assignment.objects.filter(rater=annotator).first()
    remark = {"sequence": 1, "event": None, "kind": "comment", "text": "Blurred"}
    body = {
        "client_id": "tab",
        "remarks": [remark | {"base_revision": 0, "written_at": "2026-02-01T10:00:00Z"}],
    }
    address = f"/api/v1/assignments/{assignment.public_id}/remarks/"

    refused = annotator_client.post(address, body, content_type="application/json")
    refused_answer = save(annotator_client, assignment)
    accept_consent(text=text, rater=annotator)
    taken = annotator_client.post(address, body, content_type="application/json")

    assert (refused.status_code, refused.json()["code"]) == (409, "consent")
    assert (refused_answer.status_code, refused_answer.json()["code"]) == (409, "consent")
    assert taken.status_code == 200


def test_a_new_text_is_asked_before_the_next_trace_and_not_in_one_that_was_begun(
    annotator_client, annotator, owner, campaign
):
    opened(campaign, Phase.PILOT)
    begun, fresh = Assignment.objects.filter(rater=annotator, trace__events__isnull=False)[:2]
    assert save(annotator_client, begun).status_code == 200
    set_consent_text(campaign=campaign, text="New.", actor=owner)

    again = save(annotator_client, begun, sequence=2, base_revision=1, value="4")
    first = save(annotator_client, fresh)

    assert (again.status_code, first.status_code) == (200, 409)
    assert list(begun.ratings.values_list("value", flat=True)) == ["4"]
    assert not fresh.ratings.exists()


def test_a_text_that_changed_while_it_was_read_is_asked_again(annotator_client, owner, campaign):
    set_consent_text(campaign=campaign, text="First.", actor=owner)
    made = opened(campaign, Phase.PILOT)
    address = reverse("consent", args=[made.public_id])
    set_consent_text(campaign=campaign, text="Second.", actor=owner)

    answer = annotator_client.post(address, {"number": "1"})

    assert "The text has changed meanwhile" in answer.content.decode()
    assert not Consent.objects.exists()


def test_the_protocol_is_filed_before_the_main_round_and_at_release(owner_client, owner, campaign):
    names = sorted(campaign.datasets.values_list("name", flat=True))
    set_analysis_plan(
        campaign=campaign, actor=owner, metrics=["error_validity"], comparisons=[tuple(names)],
        hypotheses="Alpha above .6", exclusions="Nobody",
    )  # fmt: skip
    freeze_protocol(campaign=campaign, guideline=campaign.guideline_versions.get(), actor=owner)
    main = opened(campaign, Phase.MAIN)
    close_round(closing=main, actor=owner)
    release_campaign(campaign=campaign, actor=owner)

    first, last = ProtocolFile.objects.order_by("pk")
    sent = owner_client.get(page("protocol-filed-json", campaign, first.public_id)).content
    told = json.loads(sent)
    assert protocol_hash(sent.decode()) == first.content_hash
    assert (told["analysis"]["metrics"], told["analysis"]["comparisons"]) == (
        ["error_validity"], [names],
    )  # fmt: skip
    [made] = told["rounds"]
    assert (made["seed"], made["overlap"], len(made["traces"]), len(made["raters"])) == (
        41,
        3,
        5,
        3,
    )
    assert told["guidelines"][0]["hash"] == campaign.guideline_versions.get().content_hash
    assert told["software"]
    assert (first.moment, last.moment) == ("before_main", "release")
    assert json.loads(last.content)["rounds"][0]["closed_at"]
    shown = owner_client.get(page("protocol-filed-md", campaign, last.public_id)).content.decode()
    assert last.content_hash in shown
    assert "Spring \\<b\\>" in shown
    assert shown == protocol_markdown(json.loads(last.content), last.content_hash)


def test_the_file_costs_the_same_queries_however_many_rounds_it_tells_of(campaign):
    opened(campaign, Phase.PILOT)
    with CaptureQueriesContext(connection) as of_one:
        [first] = protocol_of(campaign, moment=FilingMoment.RELEASE)["rounds"]
    close_round(closing=campaign.rounds.get(), actor=None)
    opened(campaign, Phase.PILOT)
    with CaptureQueriesContext(connection) as of_two:
        rounds = protocol_of(campaign, moment=FilingMoment.RELEASE)["rounds"]

    assert len(of_two) == len(of_one)
    assert [made["number"] for made in rounds] == [1, 2]
    told = [(len(made["traces"]), made["raters"], made["assignments"]) for made in rounds]
    assert told == [(5, ["rater 1", "rater 2", "rater 3"], first["assignments"])] * 2


def test_no_name_of_a_rater_is_in_the_file(campaign, owner, annotator):
    set_consent_text(campaign=campaign, text="Fine", actor=owner)
    opened(campaign, Phase.MAIN)

    content = ProtocolFile.objects.get().content
    assert annotator.username not in content
    assert '"rater 3"' in content


def test_a_training_is_named_by_its_number_in_the_file(owner_client, owner, campaign):
    version = campaign.guideline_versions.get()
    taught = campaign.datasets.first().traces.first()
    gold = NewGold(0, Metric.PROCEDURE_LOGIC, ["yes"], reason="Nothing can be brewed later.")
    mark_gold(campaign=campaign, trace=taught, new=gold, actor=owner)
    training, main = (
        plan_round(campaign=campaign, new=NewRound(phase, version), actor=owner)
        for phase in (Phase.TRAINING, Phase.MAIN)
    )
    plan_checks(round_=main, new=NewChecks(repeat_gap=4, qualified_by=training), actor=owner)

    told = json.loads(owner_client.get(page("protocol-draft-json", campaign)).content)

    checks = told["rounds"][1]["checks"]["gold, traps and repeats"]
    assert (told["rounds"][0]["number"], checks["qualified_by"]) == (1, 1)
    assert {name: checks[name] for name in ("gold_count", "repeat_gap", "pass_overall")} == {
        "gold_count": 0,
        "repeat_gap": 4,
        "pass_overall": 0.8,
    }
    assert not any(name.endswith("_id") for name in checks)


def test_the_plan_stands_once_the_protocol_is_frozen(campaign, owner):
    plan = {"metrics": [], "comparisons": [], "hypotheses": "", "exclusions": ""}
    with pytest.raises(InvalidPlanError, match="metric 'speed': expected one of"):
        set_analysis_plan(campaign=campaign, actor=owner, **(plan | {"metrics": ["speed"]}))
    with pytest.raises(InvalidPlanError, match="data set 'Moon'"):
        set_analysis_plan(
            campaign=campaign, actor=owner, **(plan | {"comparisons": [("Moon", "Sun")]})
        )
    opened(campaign, Phase.MAIN)

    with pytest.raises(PlanIsFiledError, match="state main"):
        set_analysis_plan(campaign=campaign, actor=owner, **plan)


def test_pages_are_their_owners(client, owner_client, annotator_client, campaign):
    assert owner_client.get(page("protocol", campaign)).status_code == 200
    assert owner_client.get(page("protocol-draft-md", campaign)).status_code == 200
    client.force_login(UserFactory(role="researcher"))
    for name in ("protocol", "protocol-draft-md", "protocol-draft-json"):
        assert client.get(page(name, campaign)).status_code == 404
        assert annotator_client.get(page(name, campaign)).status_code == 403
    opened(campaign, Phase.PILOT)
    made = campaign.rounds.get()
    assert client.get(reverse("consent", args=[made.public_id])).status_code == 404


def test_plan_consent_and_file_are_made_in_the_browser(owner_client, campaign):
    names = sorted(campaign.datasets.values_list("name", flat=True))
    owner_client.post(
        page("protocol-plan", campaign),
        {
            "metrics": ["confusability"],
            "comparisons": [" | ".join(names)],
            "hypotheses": "H1",
            "least_coverage": "75",
            "least_raters": "3",
        },
    )
    owner_client.post(page("protocol-consent", campaign), {"text": "Agreed?"})
    answer = owner_client.post(page("protocol-file", campaign), follow=True).content.decode()

    assert ProtocolFile.objects.get().content_hash in answer
    assert "H1" in answer
    filed = json.loads(ProtocolFile.objects.get().content)
    assert filed["consent"]["text"] == "Agreed?"
    assert (filed["analysis"]["least_coverage"], filed["analysis"]["least_raters"]) == (75, 3)
    address = page("protocol-filed-md", campaign, ProtocolFile.objects.get().public_id)
    words = "Compared are figures of at least 75% of the planned answers and 3 raters"
    assert words in owner_client.get(address).content.decode()
    found = filed_plans([opened(campaign, Phase.PILOT).pk])[campaign.name]
    assert (found.least_coverage, found.least_raters) == (0.75, 3)


def test_a_refused_plan_or_consent_text_is_given_back_as_it_was_typed(
    owner_client, owner, campaign
):
    # A browser counts a line's end as one character, the server as two.
    long_text = "A line that somebody thought about\r\n" * 600
    plan = {"metrics": ["confusability"], "hypotheses": long_text, "exclusions": "Nobody"}
    refused = owner_client.post(page("protocol-plan", campaign), plan)
    consent = owner_client.post(page("protocol-consent", campaign), {"text": long_text})
    opened(campaign, Phase.MAIN)
    late = owner_client.post(
        page("protocol-plan", campaign), plan | {"hypotheses": "Typed too late"}
    )

    words = "Ensure this value has at most 20000 characters (it has 21598)."
    assert (refused.status_code, consent.status_code, late.status_code) == (400, 400, 400)
    for answer in (refused, consent):
        text = answer.content.decode()
        assert text.count("A line that somebody thought about") == 600
        assert words in text
    assert ">\nNobody</textarea>" in refused.content.decode().replace("\r", "")
    assert "Typed too late" in late.content.decode()
    assert "what was planned stands" in late.content.decode()


def test_what_the_filed_plan_does_not_name_is_exploratory(owner_client, owner, campaign):
    names = sorted(campaign.datasets.values_list("name", flat=True))
    set_analysis_plan(
        campaign=campaign, actor=owner, metrics=["confusability"], comparisons=[],
        hypotheses="", exclusions="",
    )  # fmt: skip
    opened(campaign, Phase.MAIN)

    address = f"/api/v1/campaigns/{campaign.public_id}/"
    rows = owner_client.get(f"{address}agreement/").json()
    pairs = owner_client.get(f"{address}comparisons/").json()

    assert {row["metric"] for row in rows if not row["is_exploratory"]} == {"confusability"}
    assert [(item["first"], item["second"]) for item in pairs] == [tuple(names)] * len(Metric)
    assert all(item["is_exploratory"] for item in pairs)
    page_text = owner_client.get(page("campaign-report", campaign)).content.decode()
    assert page_text.count(">exploratory</span>") >= 8
