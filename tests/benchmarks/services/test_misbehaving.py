"""Each task, asked of a server that misbehaves in every way that servers are known to."""

from collections import Counter
from dataclasses import replace

import pytest

from benchmarks.services.assessment_work import work_on_assessments
from benchmarks.services.assessments import reask_failed
from generation.services.calls import asker as paid_asker
from generation.services.texts import asker as text_asker
from tests.benchmarks.answering_server import ALL_FATES, ENDLESS, ENDLESS_S, AnsweringServer
from tests.benchmarks.asked import assessed, model, read_again, small_set
from tests.benchmarks.made import TASKS, figures_of
from tests.benchmarks.sample_answers import answer_of

pytestmark = pytest.mark.django_db(transaction=True)

STATUS_OF_FATE = {
    "prose": "malformed", "broken": "malformed", "truncate": "cut_off", "refuse": "refused",
    **dict.fromkeys(ENDLESS, "failed"),
}  # fmt: skip


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Three attempts without a pause between them; a time-out that only the endless outlast."""
    settings_of = text_asker.model_settings
    monkeypatch.setattr(
        text_asker, "model_settings",
        lambda endpoint: replace(settings_of(endpoint), timeout_s=ENDLESS_S / 2),
    )  # fmt: skip
    policy = paid_asker.DEFAULT_POLICY
    kept = policy.first_pause_s, policy.max_attempts
    object.__setattr__(policy, "first_pause_s", 0.001)
    object.__setattr__(policy, "max_attempts", 3)
    yield
    object.__setattr__(policy, "first_pause_s", kept[0])
    object.__setattr__(policy, "max_attempts", kept[1])


@pytest.mark.parametrize("task", TASKS)
def test_failures_are_no_wrong_answers_and_belong_to_their_item(sample, owner, task):
    made = small_set(sample, owner, task, item_count=len(ALL_FATES))
    # To who asks for free text prose is an answer.
    expected = STATUS_OF_FATE | ({"prose": "read"} if task == "describe_mistake" else {})
    with AnsweringServer(answers=answer_of, fates=ALL_FATES) as server:
        done = assessed(made, model(server, owner, concurrency=4), owner)
        rows = list(done.answers.select_related("call", "item"))
        fates, paid = dict(server.met), Counter(server.paid)
        # From now on it behaves.
        server.fates, server.met = ("answer",), dict.fromkeys(fates, "answer")
        work_on_assessments(job_ids=reask_failed(assessment=done, actor=owner))

    assert set(fates.values()) == set(ALL_FATES)
    assert done.job.status == "done"
    for row in rows:
        if row.call is None:
            assert (row.status, row.value, row.raw) == ("failed", None, "")
            assert "no answer within" in row.reason
            continue
        words = f"{row.call.system}\n{row.call.prompt}"
        assert row.status == expected.get(fates[words], "read")
        assert (row.value is None) == (row.status != "read") == bool(row.reason)
        # However answers overtook each other.
        assert row.raw == server.sent[words]
    assert {row.status for row in rows} == {"read", *expected.values()}
    assert {name: count for name, count in done.counts.items() if count} == Counter(
        row.status for row in rows
    )
    assert {paid[words] for words, fate in fates.items() if fate not in ENDLESS} == {1}
    assert figures_of(done)
    # Only what failed was asked again, and what follows on it in its sequence.
    after = {row.pk: row for row in done.answers.all()}
    assert {row.status for row in after.values()} <= {"read", *expected.values()} - {"failed"}
    kept = [row for row in rows if row.status != "failed" and not row.item.sequence]
    assert [after[row.pk].raw for row in kept] == [row.raw for row in kept]
    assert read_again(done).counts["failed"] == 0
