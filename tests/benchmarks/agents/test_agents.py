"""An agent answers an item set as a model does: asked once, stored, scored."""

import pytest

from benchmarks.models import AgentCall
from tests.benchmarks.agents.served import AnsweringAgent, agent_at, yes
from tests.benchmarks.asked import answers_by_key, assessed, small_set

pytestmark = pytest.mark.django_db(transaction=True)


def test_agent_answers_an_item_set_and_nothing_is_asked_twice(sample, owner):
    item_set = small_set(sample, owner, item_count=6)
    with AnsweringAgent(yes) as server:
        endpoint = agent_at(server.url, owner)
        first = assessed(item_set, endpoint, owner)
        second = assessed(item_set, endpoint, owner)

    assert (first.kind, first.job.status, first.name) == ("agent", "done", "An agent")
    assert second.name == "An agent (run 2)"
    assert [row[2:] for row in answers_by_key(first)] == [
        ("read", {"answer": "yes", "score": 0.75})
    ] * item_set.item_count
    assert answers_by_key(second) == answers_by_key(first)
    assert len(server.asked) == AgentCall.objects.count() == item_set.item_count
    assert list(first.figures.values_list("measure", "value")) == list(
        second.figures.values_list("measure", "value")
    )
