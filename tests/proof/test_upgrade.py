"""A site is upgraded as the docs say, from a wheel of November 2026, while people are at work.

A run is in the middle of its questions to a text model, and a rater's pages are open.
"""

import io
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tarfile
import zipfile
from collections import Counter
from contextlib import closing, contextmanager

import pytest
from django.conf import settings
from playwright.sync_api import expect

from sample.management.commands.demo import RUN_NAME
from sample.site import ADMINISTRATOR, ANNOTATOR, PASSWORD
from tests.e2e.audit_page import expect_saved, save_state, wait_until_ready
from tests.e2e.conftest import (  # noqa: F401
    base_url,
    browser_context_args,
    browser_type_launch_args,
)
from tests.fakes.openai_server import OpenAiServer
from tests.generation.tea import TEA_STEPS, answer_that_keeps_the_steps
from tests.site.installing import FOREIGN_VARIABLES, build_wheel
from tests.site.serving import STOP_LIMIT_S, free_port, logged_in, wait_for_page, wait_until

# The last commit whose wheels were all called 0.1.0.
OLD = "ff62211232e1f90ac82c115c5244792c929ae193"
OLD_WHEEL = "piev-0.1.0-py3-none-any.whl"
TAKES, ANSWERED_BEFORE = 24, 8
RATINGS = """
    select metric, value, revision from annotation_rating rating
    join annotation_assignment assignment on assignment.id = rating.assignment_id
    where assignment.public_id = ? order by rating.id
"""
SEGMENTS = """
    select count(*) from annotation_segment segment
    join annotation_segmentation segmentation on segmentation.id = segment.segmentation_id
    where segmentation.public_id = ? and not segment.is_deleted
"""


def old_wheel(folder):
    git = ["git", "-C", str(settings.BASE_DIR)]
    known = subprocess.run([*git, "cat-file", "-e", f"{OLD}^{{commit}}"], check=False)
    if known.returncode:
        pytest.skip(f"this checkout's history lacks {OLD[:8]}, whose wheel is to be upgraded")
    done = subprocess.run([*git, "archive", OLD], capture_output=True, check=True)
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
        archive.extractall(folder / "source", filter="data")
    return build_wheel(folder, folder / "source"), folder / "source" / "constraints.txt"


def new_wheel(folder):
    """The wheel of this checkout, and its constraints, unpacked as the docs say."""
    wheel = build_wheel(folder)
    with zipfile.ZipFile(wheel) as archive:
        return wheel, archive.extract("piev_site/constraints.txt", folder)


class Installation:
    """PIE-V as a package in an environment of its own, with its state in a home folder."""

    def __init__(self, folder):
        self.folder = folder
        subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
        kept = {name: text for name, text in os.environ.items() if name not in FOREIGN_VARIABLES}
        self.environment = {**kept, "HOME": str(folder)}
        self.database = folder / ".local" / "share" / "piev" / "piev.sqlite3"
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}/"

    def install(self, wheel, constraints):
        pip = [self.folder / "venv" / "bin" / "pip", "install", "--quiet"]
        subprocess.run([*pip, "--constraint", constraints, wheel], check=True)

    def piev(self, *words):
        command = [self.folder / "venv" / "bin" / "piev", *words]
        done = subprocess.run(
            command, cwd=self.folder, env=self.environment, capture_output=True, text=True,
            check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr

    @contextmanager
    def served(self, log):
        command = [self.folder / "venv" / "bin" / "piev", "serve", "--port", str(self.port)]
        with log.open("w") as file:
            server = subprocess.Popen(
                command, cwd=self.folder, env=self.environment, stdout=file, stderr=file
            )
        with server:
            try:
                wait_for_page(f"{self.url}health/", server, log)
                yield server
            finally:
                server.terminate()
                server.wait(STOP_LIMIT_S)

    def rows(self, statement, parameter):
        address = f"file:{self.database}?mode=ro"
        with closing(sqlite3.connect(address, uri=True, timeout=30)) as connection:
            return connection.execute(statement, [parameter]).fetchall()


def tea(folder):
    steps = [{"text": text} for text in TEA_STEPS]
    takes = [
        {"uid": f"tea-{number}", "name": f"Tea {number}", "scenario": "Tea", "steps": steps}
        for number in range(TAKES)
    ]
    file = folder / "tea.json"
    file.write_text(json.dumps({"format": "piev-corpus", "version": 1, "takes": takes}))
    return file


def post(client, path, **body):
    answer = client.post(path, json=body)
    assert answer.status_code == 201, answer.text
    return answer.json()["id"]


def launch(client, model):
    [dataset] = [
        item["id"] for item in client.get("api/v1/datasets/").json()["results"]
        if item["name"] == "Tea"
    ]  # fmt: skip
    writer = post(
        client, "api/v1/text-endpoints/", name="Slow", base_url=model.url, model_name="m",
        concurrency=4, timeout_s=600, api_key="sk-only-for-tests", price_in=1, price_out=1,
    )  # fmt: skip
    return post(
        client, "api/v1/runs/", name="Tea", dataset=dataset, seed=5, writer=writer,
        stages=["plan", "correct", "write"],
    )  # fmt: skip


def progress_of_runs(client):
    runs = client.get("api/v1/runs/").json()["results"]
    found = {run["name"]: client.get(f"api/v1/runs/{run['id']}/").json() for run in runs}
    return {name: run["progress"] for name, run in found.items()}


def open_first(page, url, place):
    """Open what the queue offers first or last; return its public id."""
    page.goto(f"{url}queue/")
    getattr(page.get_by_role("link", name="Start", exact=True), place).click()
    wait_until_ready(page)
    return page.url.rstrip("/").rpartition("/")[2]


@pytest.mark.redis
def test_a_run_and_open_pages_go_on_after_an_upgrade(tmp_path, page, context):
    if shutil.which("redis-server") is None:
        pytest.fail("redis-server is missing; on Debian: apt-get install redis-server")
    before, after = old_wheel(tmp_path / "old"), new_wheel(tmp_path / "new")
    assert before[0].name == OLD_WHEEL
    site = Installation(tmp_path)
    site.install(*before)
    site.piev("demo")
    site.piev("import_dataset", "native", str(tea(tmp_path)), "--name", "Tea")
    answer = {"do": "answer", "text": answer_that_keeps_the_steps()}
    with OpenAiServer([answer], most_answered=ANSWERED_BEFORE) as model:
        with site.served(tmp_path / "old.log") as server:
            administrator = logged_in(site.url, ADMINISTRATOR, PASSWORD)
            launch(administrator, model)
            page.goto(f"{site.url}login/")
            page.get_by_label("Username").fill(ANNOTATOR)
            page.get_by_label("Password").fill(PASSWORD)
            page.get_by_role("button", name="Log in").click()
            trace = open_first(page, site.url, "first")
            page.keyboard.press("2")
            expect_saved(page)
            recording = context.new_page()
            segmentation = open_first(recording, site.url, "last")
            wait_until(lambda: len(model.asked) > ANSWERED_BEFORE)
            # What was asked is answered while the site stops.
            server.terminate()
            model.most_answered = TAKES
            # Told to stop again, the old version leaves its web server to answer for a while.
            server.wait(STOP_LIMIT_S)
        asked_before = len(model.asked)
        for key in ("a", "Shift+ArrowRight", "Shift+ArrowRight", "Shift+A", "Escape"):
            recording.keyboard.press(key)
        page.bring_to_front()
        for key in ("4", "2"):
            page.keyboard.press(key)
        expect(save_state(page)).to_contain_text("Offline: 2 changes kept here")

        site.install(*after)
        with site.served(tmp_path / "new.log"):
            for each in (page, recording):
                each.bring_to_front()
                expect_saved(each)
            wait_until(
                lambda: all(
                    progress["is_finished"] for progress in progress_of_runs(administrator).values()
                )
            )
            runs = progress_of_runs(administrator)
            status = administrator.get("status.json").json()
            shown = administrator.get("status/").text
            administrator.close()
    questions = Counter(json.dumps(request.body["messages"]) for request in model.asked)

    counts = {name: (run["done_count"], run["take_count"]) for name, run in runs.items()}
    demo_takes = runs[RUN_NAME]["take_count"]
    assert counts == {"Tea": (TAKES, TAKES), RUN_NAME: (demo_takes, demo_takes)}
    assert ANSWERED_BEFORE < asked_before < len(model.asked)
    assert set(questions.values()) == {1}
    assert site.rows(RATINGS, trace) == [
        ("error_validity", "yes", 1), ("human_plausibility", "4", 1), ("confusability", "2", 1)
    ]  # fmt: skip
    assert site.rows(SEGMENTS, segmentation) == [(1,)]
    version = re.search(r"piev-(.+)-py3", after[0].name).group(1)
    assert {process["version"] for process in status["processes"]} == {version}
    assert (status["version"], status["advice"], version in shown) == (version, [], True)
    # Nothing went wrong that only the log tells.
    assert "Traceback" not in (tmp_path / "new.log").read_text()
