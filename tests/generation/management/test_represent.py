"""The command that lets a model represent step texts, against a server on this machine."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Step
from tests.fakes.openai_server import OpenAiServer
from tests.generation.tea import TEA_STEPS
from tests.generation.text_endpoints import make_endpoint

pytestmark = pytest.mark.django_db(transaction=True)


def answer_to(prompt):
    """Represent every item that the prompt names."""
    lines = [json.loads(line) for line in prompt.splitlines() if line.startswith('{"id"')]
    items = [{**line, "representation": "DO(Agent: you)"} for line in lines]
    return {"do": "answer", "text": json.dumps({"items": items})}


class RepresentingServer(OpenAiServer):
    """Answers each question by its own items."""

    def next_act(self):
        return answer_to(self.asked[-1].body["messages"][1]["content"])


def represent(path, *, dataset="Tea", endpoint="Local", budget=None):
    out, problems = StringIO(), StringIO()
    options = ["--endpoint", endpoint, "--out", str(path)]
    options += [] if budget is None else ["--budget", budget]
    call_command("represent", dataset, *options, stdout=out, stderr=problems)
    return out.getvalue(), problems.getvalue()


def test_distinct_texts_are_represented_and_the_steps_stay_as_they_are(tea_dataset, tmp_path):
    path = tmp_path / "semreps.json"
    with RepresentingServer() as server:
        make_endpoint(server.url)
        told = represent(path)
        represent(path)

    written = json.loads(path.read_text())
    assert told == (f"{path}: representations of 10 of 10 texts.\n", "")
    assert [entry["step_description"] for entry in written.values()] == list(TEA_STEPS)
    assert written["1"] == {
        "step_description": TEA_STEPS[0],
        "semantic_representation": "DO(Agent: you)",
    }
    assert set(Step.objects.values_list("semrep", flat=True)) == {""}
    assert len(server.asked) == 1


def test_failing_endpoint_is_a_reason_and_writes_nothing(tea_dataset, tmp_path):
    with OpenAiServer([{"do": "reject"}]) as server:
        make_endpoint(server.url)
        with pytest.raises(CommandError, match="HTTP 400"):
            represent(tmp_path / "semreps.json")

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("names", "words"),
    [
        ({"dataset": "Soup"}, "There is no data set 'Soup'"),
        ({"endpoint": "Far"}, "There is no endpoint 'Far'; this site has: Local"),
    ],
)
def test_unknown_names_are_reported(tea_dataset, tmp_path, names, words):
    make_endpoint()

    with pytest.raises(CommandError, match=words):
        represent(tmp_path / "semreps.json", **names)


def test_budget_stops_before_anything_is_sent_and_a_larger_one_goes_on(tea_dataset, tmp_path):
    path = tmp_path / "semreps.json"
    with RepresentingServer() as server:
        make_endpoint(server.url)

        with pytest.raises(
            CommandError, match=r"the budget is \$0.01.*same command again to continue"
        ):
            represent(path, budget="0.01")
        asked_before = len(server.asked)
        told = represent(path, budget="5")

    assert (asked_before, path.exists()) == (0, True)
    assert told == (f"{path}: representations of 10 of 10 texts.\n", "")
