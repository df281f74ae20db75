"""The pages of agents, as owner, outsider, annotator and administrator."""

import pytest
from django.urls import reverse

from benchmarks.models import AgentEndpoint
from tests.benchmarks.agents.served import AnsweringAgent, agent_at, yes
from tests.benchmarks.asked import small_set

pytestmark = pytest.mark.django_db(transaction=True)
PAGES = [("agent-detail", "get"), ("agent-test", "post"), ("agent-delete", "post")]

ASKED = {"pictures": "4", "picture_side": "768", "picture_detail": "low", "repeats": "1"}


def fields(url, **changes):
    usual = {
        "name": "Mine",
        "base_url": url,
        "api_key": "a-key",
        "concurrency": "2",
        "requests_per_minute": "",
        "timeout_s": "30",
        "price_per_question": "0.01",
    }
    return {**usual, **changes}


def test_researcher_adds_checks_edits_asks_and_deletes_an_agent(
    sample, administrator, administrator_client
):
    client = administrator_client
    item_set = small_set(sample, administrator, item_count=2)
    with AnsweringAgent(yes) as server:
        added = client.post(reverse("agent-create"), fields(server.url), follow=True)
        agent = AgentEndpoint.objects.get()
        of_agent = {name: reverse(f"agent-{name}", args=[agent.public_id])
                    for name in ("detail", "test", "delete")}  # fmt: skip
        tested = client.post(of_agent["test"])
        page = client.get(reverse("item-set", args=[item_set.public_id])).content.decode()
        form = {f"ask-{name}": value for name, value in ASKED.items()}
        form["ask-endpoint"] = agent.public_id
        asked = client.post(reverse("item-set-ask", args=[item_set.public_id]), form)

    changed = client.post(
        of_agent["detail"], fields(server.url, name="Renamed", api_key="", timeout_s="40")
    )
    agent.refresh_from_db()
    listed = client.get(reverse("agents")).content.decode()
    deleted = client.post(of_agent["delete"])

    assert "Mine is saved" in added.content.decode()
    assert "It is there: its card was read in" in tested.content.decode()
    assert f'<option value="{agent.public_id}">Mine</option>' in page
    assert reverse("agents") in page
    assert asked.status_code == 302
    assert item_set.assessments.filter(kind="agent").count() == 1
    assert changed.status_code == 302
    assert (agent.name, agent.model_name, agent.timeout_s, agent.has_key) == (
        "Renamed", "Stub 1.2", 40, True,
    )  # fmt: skip
    assert "a-key" not in listed
    assert "Renamed" in listed
    assert (deleted.url, AgentEndpoint.objects.count()) == (reverse("agents"), 0)


def test_agent_whose_card_cannot_be_read_is_kept_and_says_so(administrator_client):
    answer = administrator_client.post(
        reverse("agent-create"), fields("http://127.0.0.1:9"), follow=True
    )

    page = answer.content.decode()
    assert "Its card could not be read: no connection" in page
    assert "It cannot be asked before its card was read." in page


def test_section_is_closed_to_annotators(annotator_client):
    answers = [annotator_client.get(reverse(name)) for name in ("agents", "agent-create")]

    assert [answer.status_code for answer in answers] == [403, 403]


@pytest.mark.parametrize(("name", "method"), PAGES)
def test_agent_of_another_is_not_found(owner, outsider_client, name, method):
    with AnsweringAgent(yes) as server:
        agent = agent_at(server.url, owner)

    answer = getattr(outsider_client, method)(reverse(name, args=[agent.public_id]))

    assert answer.status_code == 404
    assert AgentEndpoint.objects.exists()


def test_shared_agent_is_shown_to_others_and_changed_by_none(owner, outsider_client):
    with AnsweringAgent(yes) as server:
        agent = agent_at(server.url, owner, is_shared=True)
    address = reverse("agent-detail", args=[agent.public_id])

    shown = outsider_client.get(address)
    changed = outsider_client.post(address, fields(server.url))

    assert (shown.status_code, changed.status_code) == (200, 404)
    assert "Save the settings" not in shown.content.decode()


@pytest.mark.parametrize("count", [1, 3])
def test_list_takes_the_same_queries_for_any_number(
    owner, owner_client, django_assert_num_queries, count
):
    for number in range(count):
        AgentEndpoint.objects.create(
            name=f"Agent {number}", owner=owner, base_url="http://127.0.0.1:9", model_name="-"
        )

    with django_assert_num_queries(3):
        owner_client.get(reverse("agents"))
