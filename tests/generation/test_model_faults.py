"""Workers are killed while a model writes: every text arrives, and no answer is paid for twice."""

import json

import pytest

from tests.fakes.openai_server import OpenAiServer
from tests.generation.served_site import kill_whole_worker, served_site
from tests.generation.tea import TEA_STEPS

TAKE_COUNT = 40
DONE_BEFORE_KILL = 8
LATENCY_S = 0.1
CONCURRENCY = 4

TEXTS = """
    select take.uid, rewrite.document from generation_takerewrite rewrite
    join generation_runtake run_take on run_take.id = rewrite.run_take_id
    join generation_run run on run.id = run_take.run_id
    join annotation_take take on take.id = run_take.take_id
    where run.public_id = ?
"""
CALLS = """
    select call.id, call.status, call.text from generation_textcall call
    where call.payer = 'run:' || ?
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    with served_site(tmp_path_factory.mktemp("models"), has_redis=False) as served:
        yield served


def unchanged_text():
    """Return an answer that can be read for any of the takes: what is wrong is for the judge."""
    texts = list(TEA_STEPS * 2)
    row = {"mod": "u", "etype": None, "eid": None, "cid": None}
    rows = [{**row, "old": index, "new": index} for index in range(len(texts))]
    return json.dumps({"final_steps": texts, "meta": rows})


def test_killed_workers_lose_no_answer_and_pay_none_twice(site):
    act = {"do": "answer", "text": unchanged_text()}
    with OpenAiServer([act], latency_s=LATENCY_S) as server:
        run = site.ask(f"write {server.url} {TAKE_COUNT}")
        site.wait_until(lambda counts: counts.get("done", 0) >= DONE_BEFORE_KILL, run)

        kill_whole_worker(site)
        recorded = len([row for row in site.rows(CALLS, run) if row[1] == "answered"])
        site.wait_until(lambda counts: counts.get("done", 0) == TAKE_COUNT, run)

        asked_count = len(server.asked)

    calls = site.rows(CALLS, run)
    assert recorded < TAKE_COUNT
    assert len(site.rows(TEXTS, run)) == TAKE_COUNT
    assert {status for _, status, _ in calls} == {"answered"}
    # One request per question; only those that were on their way at the kill were sent again.
    assert len(calls) <= asked_count <= len(calls) + CONCURRENCY
