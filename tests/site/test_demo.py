"""What README promises: the demo's site, and the commands from data to agreement figures."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys

import pytest
from django.conf import settings

from annotation.sample import load_corpus
from generation.management.commands.demo import RUN_NAME
from tests.site.serving import free_port, wait_for_traces

README = settings.BASE_DIR / "README.md"
SAMPLE = "Everyday procedures (sample)"


class Site:
    """A site of its own in a fresh state folder, driven through manage.py as a person would."""

    def __init__(self, folder):
        self.folder = folder
        self.environment = {**os.environ, "PIEV_STATE": str(folder / "state")}
        self.environment |= {"DJANGO_SETTINGS_MODULE": "piev_site.settings"}
        self.environment.pop("DATABASE_URL", None)
        self.environment.pop("REDIS_URL", None)

    def manage(self, *arguments, status=0):
        done = subprocess.run(
            [sys.executable, settings.BASE_DIR / "manage.py", *arguments],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == status, done.stderr
        return done.stdout if status == 0 else done.stderr


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    site = Site(tmp_path_factory.mktemp("demo"))
    site.said = site.manage("demo")
    return site


def test_demo_prints_accounts_of_every_role(demo):
    assert "password of all: piev-demo" in demo.said
    for line in ("researcher", "administrator", "annotator", "rater-01"):
        assert line in demo.said
    assert "Videos: 24, drawn, linked and ingested." in demo.said


def test_demo_again_changes_nothing(demo):
    said = demo.manage("demo")

    assert "Ratings: 0 answers by 3 raters." in said
    assert "queued" not in said


def test_demo_queues_a_run_that_publishes_a_trace_of_every_take_once_it_is_served(demo):
    assert f"Run '{RUN_NAME}': queued; it makes traces once the site serves." in demo.said
    environment = {**demo.environment, "JOB_LEASE_SECONDS": "2", "LOG_LEVEL": "ERROR"}
    serve = [sys.executable, settings.BASE_DIR / "manage.py", "serve", "--port", str(free_port())]
    with subprocess.Popen(
        serve, cwd=demo.folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT
    ) as server:
        try:
            names = wait_for_traces(demo.folder / "state" / "piev.sqlite3")
        finally:
            server.send_signal(signal.SIGTERM)

    assert names == {RUN_NAME: len(load_corpus().takes)}


def test_demo_refuses_a_database_that_others_may_use(demo):
    demo.environment["DATABASE_URL"] = "postgresql://nobody@nowhere/none"
    try:
        said = demo.manage("demo", status=1)
    finally:
        del demo.environment["DATABASE_URL"]

    assert "add --force to create them" in said


def test_sample_ratings_give_every_metric_an_alpha(demo):
    rows = json.loads(demo.manage("agreement", "--dataset", SAMPLE, "--json"))

    assert len(rows) == 9
    assert all(-1 < row["alpha"] < 1 for row in rows)
    assert {row["raters"] for row in rows} == {3}


def test_exported_ratings_come_back_the_same_in_another_site(demo, tmp_path):
    demo.manage("export_ratings", "--dataset", SAMPLE, "--out", str(tmp_path / "first.csv"))
    other = Site(tmp_path)
    corpus = settings.BASE_DIR / "annotation" / "sample" / "corpus.json"
    other.manage("migrate", "--verbosity", "0")
    other.manage("import_dataset", "native", str(corpus), "--name", SAMPLE)

    other.manage("import_ratings", str(tmp_path / "first.csv"))
    other.manage("export_ratings", "--dataset", SAMPLE, "--out", str(tmp_path / "second.csv"))

    first = (tmp_path / "first.csv").read_bytes()
    assert first.count(b"\n") == 874
    assert (tmp_path / "second.csv").read_bytes() == first


def readme_commands():
    """Return the manage.py command lines of the README's shell blocks."""
    blocks = re.findall(r"```sh\n(.*?)```", README.read_text(), re.DOTALL)
    lines = [line.split("#")[0] for block in blocks for line in block.splitlines()]
    return [shlex.split(line)[2:] for line in lines if "manage.py" in line]


@pytest.mark.shared_data
def test_commands_of_the_readme_run_as_printed(shared_data, tmp_path):
    """The paths and the account are the reader's own; what links and serves is tested elsewhere."""
    site = Site(tmp_path)
    (tmp_path / "path" / "to").mkdir(parents=True)
    (tmp_path / "path" / "to" / "egooops").symlink_to(shared_data / "egooops")
    site.environment["DJANGO_SUPERUSER_PASSWORD"] = "of-nobody-else"
    typed = {"createsuperuser": ["--noinput", "--username", "ada", "--email", "ada@example.org"]}

    said = {
        name: site.manage(name, *arguments, *typed.get(name, []))
        for name, *arguments in readme_commands()
        if name not in {"serve", "link_videos"}
    }

    assert list(said) == [
        "migrate",
        "createsuperuser",
        "import_dataset",
        "agreement",
        "export_ratings",
        "launch",
    ]
    assert "Error Validity" in said["agreement"]
    assert "EgoOops, seed 1: 20 takes queued." in said["launch"]
    assert (tmp_path / "ratings.csv").read_text().startswith("dataset,take,trace,event,rater")
