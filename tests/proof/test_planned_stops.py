"""A site is stopped while a slow model answers: what is under way is kept, and not asked again."""

import json
import sqlite3
import subprocess
import sys
from collections import Counter
from contextlib import closing

import pytest
from django.conf import settings

from tests.fakes.openai_server import OpenAiServer
from tests.generation.tea import answer_that_keeps_the_steps
from tests.proof.test_upgrade import TAKES, launch, progress_of_runs, tea
from tests.site.serving import logged_in, serving, site_environment, wait_until

# Longer than other parts of a stopped `serve` may take to end.
LATENCY_S = 13
AT_ONCE = 4
ACCOUNT, PASSWORD = "ada", "only-for-tests-7"
OUTCOMES = "select outcome, count(*) from generation_textattempt group by outcome"
JOBS = "select status, count(*) from annotation_job group by status"
LOSSES = "select sum(losses) from annotation_job"


def rows(folder, statement):
    database = folder / "state" / "piev.sqlite3"
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True, timeout=30)) as connection:
        return connection.execute(statement).fetchall()


@pytest.mark.redis
@pytest.mark.parametrize("has_redis", [True, False])
def test_what_is_under_way_at_a_stop_is_stored_and_nothing_is_asked_twice(tmp_path, has_redis):
    environment = site_environment(tmp_path, has_redis=has_redis)
    environment |= {
        "DJANGO_SUPERUSER_USERNAME": ACCOUNT,
        "DJANGO_SUPERUSER_PASSWORD": PASSWORD,
        "DJANGO_SUPERUSER_EMAIL": "ada@example.org",
    }
    for words in (
        ["createsuperuser", "--noinput"],
        ["import_dataset", "native", str(tea(tmp_path)), "--name", "Tea"],
    ):
        command = [sys.executable, "manage.py", *words]
        subprocess.run(command, cwd=settings.BASE_DIR, env=environment, check=True)
    answer = {"do": "answer", "text": answer_that_keeps_the_steps()}
    with OpenAiServer([answer], latency_s=LATENCY_S) as model:
        with (
            serving(environment, log=tmp_path / "first.log") as server,
            closing(logged_in(server.url, ACCOUNT, PASSWORD)) as administrator,
        ):
            launch(administrator, model)
            wait_until(lambda: len(model.asked) >= AT_ONCE)
        asked_at_stop = len(model.asked)
        at_stop = rows(tmp_path, OUTCOMES), dict(rows(tmp_path, JOBS))
        model.latency_s = 0
        with (
            serving(environment, log=tmp_path / "second.log") as server,
            closing(logged_in(server.url, ACCOUNT, PASSWORD)) as administrator,
        ):
            [progress] = wait_until(
                lambda: [
                    one for one in progress_of_runs(administrator).values() if one["is_finished"]
                ]
            )
        questions = Counter(json.dumps(request.body["messages"]) for request in model.asked)

    assert asked_at_stop == AT_ONCE
    assert at_stop[0] == [("answered", AT_ONCE)]
    assert set(at_stop[1]) == {"done", "queued"}
    assert "ends what it has under way, for 90 s at most" in (tmp_path / "first.log").read_text()
    assert progress["done_count"] == TAKES
    assert set(questions.values()) == {1}
    assert rows(tmp_path, OUTCOMES) == [("answered", len(questions))]
    assert rows(tmp_path, LOSSES) == [(0,)]
