"""A file, a model that misbehaves and a trained participant on one item set of each task."""

import json

import pytest

from annotation.models import JobStatus
from benchmarks.engine.frame_values import unpack_frames
from benchmarks.engine.registry import tasks
from benchmarks.engine.task import AnswerShape
from benchmarks.models import Answer
from benchmarks.selectors.tables import table_of
from generation.services.calls import asker as paid_asker
from tests.benchmarks.answering_server import AnsweringServer, coin, step_answer
from tests.benchmarks.asked import assessed, model, small_set
from tests.benchmarks.made import as_lines, baseline_values, figures_of, uploaded
from tests.benchmarks.services.test_misbehaving import STATUS_OF_FATE
from tests.benchmarks.training.planted import divided_set, planted, trained

pytestmark = pytest.mark.django_db(transaction=True)


def some_interval(**labelled):
    return json.dumps({"intervals": [{"start_s": 0.5, "end_s": 2.0, **labelled}]})


# What a model says of each task; a label of intervals is one that all items have.
SAYS = {
    "anomaly": lambda body, label: some_interval(number=1),
    "error_recognition": lambda body, label: step_answer(body),
    "mistake_classes": lambda body, label: json.dumps({"answer": coin(body, "correct", "mistake")}),
    "mistake_detection": lambda body, label: some_interval(label=label, score=0.5),
    "mistake_intervals": lambda body, label: some_interval(label=label, score=0.5),
    "procedure_learning": lambda body, label: some_interval(number=1),
    "step_alignment": lambda body, label: some_interval(number=1),
    "step_localisation": lambda body, label: some_interval(label=label, score=0.5),
    "step_mistakes": lambda body, label: step_answer(body),
    "zero_shot_errors": lambda body, label: json.dumps(
        {"answer": coin(body, "yes", "no", "unclear"), "reason": "It was seen."}
    ),
}


@pytest.fixture(autouse=True)
def quick_retries():
    """Pauses between attempts take no time."""
    object.__setattr__(paid_asker.DEFAULT_POLICY, "first_pause_s", 0.001)
    yield
    object.__setattr__(paid_asker.DEFAULT_POLICY, "first_pause_s", 1.0)


@pytest.mark.parametrize("name", SAYS)
def test_all_kinds_of_participants_are_assessed_on_one_set_of_each_task(sample, owner, name):
    task = tasks()[name]
    everything = {"procedure_learning": {"recordings": "all recordings"}}
    settings = everything.get(name, {})
    # Classes of segments are learnt fold by fold, in a test of their own.
    learns = name == "error_recognition"
    if learns:
        made = divided_set(sample, owner)
    else:
        made = small_set(sample, owner, name, 8, settings=settings)
    chance = made.assessments.filter(kind="baseline").order_by("pk").last()
    values = baseline_values(made, made.assessments.filter(kind="baseline").count() - 1)
    choices = made.test_items.first().choices
    label = choices[-1] if name == "mistake_detection" else next(iter(choices), "")

    if task.shape is AnswerShape.FRAMES:
        values = {key: {"values": unpack_frames(value).tolist()} for key, value in values.items()}

    said = uploaded(made, owner, as_lines(values), "theirs.jsonl")
    fates = ("answer", "refuse", "answer", "broken", "answer", "hang_up")
    with AnsweringServer(answers=lambda body: SAYS[name](body, label), fates=fates) as server:
        asked = assessed(made, model(server, owner), owner)
    learnt = [trained(made, [planted(made, owner)], owner, seeds=1)] if learns else []

    assert figures_of(said) == figures_of(chance)
    assert (asked.job.status, asked.job.error) == (JobStatus.DONE, "")
    for answer in Answer.objects.filter(assessment=asked).select_related("call"):
        fate = server.fate_of(f"{answer.call.system}\n{answer.call.prompt}")
        assert answer.status == STATUS_OF_FATE.get(fate, "read"), answer.reason
        assert (answer.value is None) == (answer.status != "read")
    assert asked.counts["read"] < sum(asked.counts.values()) == made.test_items.count()
    for row in learnt:
        assert row.counts["read"] == made.test_items.count()
        assert figures_of(row)["auc"][0] > 0.7
    shown = {row.label.value for group in table_of(made).groups for row in group.rows}
    assert {row.name for row in (said, asked, chance, *learnt)} <= shown
