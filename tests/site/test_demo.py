"""What README promises: the demo's site, and the commands from data to agreement figures."""

import json
import re
import shlex
import signal
import socket
import subprocess
import sys

import pytest
from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandError

from sample.corpus import load_corpus
from sample.management.commands.demo import RUN_NAME
from tests.demo_site import DemoSite, Site, folder_of_the_run
from tests.migrated import give_tables
from tests.site.serving import free_port, wait_for_page, wait_for_traces

README = settings.BASE_DIR / "README.md"
SAMPLE = "Everyday procedures (sample)"


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    return DemoSite(folder_of_the_run(tmp_path_factory, "demo"))


def test_demo_prints_accounts_of_every_role(demo):
    assert "password of all: piev-demo" in demo.said
    for line in ("researcher", "administrator", "annotator", "rater-01"):
        assert line in demo.said
    assert "Videos: 24, drawn, linked and ingested." in demo.said


def test_readme_shows_what_the_demo_prints(demo):
    [shown] = re.findall(r"```text\n(.*?)```", README.read_text(), re.DOTALL)
    made_by_make = ["Making a Python environment", "Installing PIE-V", "PIE-V answers at"]

    lines = [line for line in shown.splitlines() if not line.startswith(tuple(made_by_make))]

    assert lines == demo.said.splitlines()


def test_demo_that_shall_serve_says_at_once_that_the_port_is_in_use():
    """At once: this test may not touch a database, and would fail if the command did."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        expected = f"^port {port} of 127.0.0.1 is in use; choose another one with --port$"
        with pytest.raises(CommandError, match=expected):
            call_command("demo", serve=port)


def test_demo_again_changes_nothing_and_ends_with_address_and_accounts(demo):
    """On a machine without Redis, which is where a newcomer starts."""
    assert f"Run '{RUN_NAME}': queued; it starts once the site is served." in demo.said
    environment = {**demo.environment, "JOB_LEASE_SECONDS": "2", "PATH": str(demo.folder)}
    port, log = free_port(), demo.folder / "log"
    serve = [sys.executable, settings.BASE_DIR / "manage.py", "demo", "--serve", str(port)]
    with (
        log.open("w") as file,
        subprocess.Popen(
            serve, cwd=demo.folder, env=environment, stdout=file, stderr=subprocess.STDOUT
        ) as server,
    ):
        try:
            wait_for_page(f"http://127.0.0.1:{port}/login/", server, log)
            names = wait_for_traces(demo.folder / "state" / "piev.sqlite3")
        finally:
            server.send_signal(signal.SIGTERM)

    assert names == {RUN_NAME: len(load_corpus().takes)}
    said = log.read_text()
    made, last_lines, *_ = said.split("\n\n")
    assert "Ratings: 0 answers by 3 raters." in made
    assert "queued" not in made
    assert last_lines.splitlines() == [
        "No redis-server on this machine: the queue uses files.",
        f"PIE-V answers at http://127.0.0.1:{port}/ (Ctrl+C stops)",
        "'Sample audit' is rated and closed, 'Try it yourself' waits for annotator.",
        "'From pilot to paper' is in its main round, which waits for the raters.",
        "'Mark the steps' has recordings to label for annotator.",
        "'Mistakes of every day' is a reviewed question set; Benchmarks has its table.",
        "Accounts (password of all: piev-demo)",
        "  researcher      Researcher",
        "  administrator   Administrator",
        "  annotator       Annotator",
        "  rater-01        Annotator",
        "  rater-02        Annotator",
        "  rater-03        Annotator",
    ]
    for noise in ("hostname", "privileges", "queued again", "Warning"):
        assert noise not in said


def test_demo_refuses_a_database_that_others_may_use(settings):
    settings.DATABASE_URL = "postgresql://nobody@nowhere/none"

    with pytest.raises(CommandError, match="add --force to create them"):
        call_command("demo")


def test_sample_ratings_give_every_metric_an_alpha(demo):
    rows = json.loads(demo.manage("agreement", "--dataset", SAMPLE, "--json"))

    assert len(rows) == 9
    assert all(-1 < row["alpha"] < 1 for row in rows)
    assert {row["raters"] for row in rows} == {3}
    # Of every planned answer, so that tables and pictures have them all.
    assert not any(row["is_incomplete"] for row in rows)
    assert {row["missing"] for row in rows} == {0}


def test_exported_ratings_come_back_the_same_in_another_site(demo, tmp_path):
    demo.manage("export_ratings", "--dataset", SAMPLE, "--out", str(tmp_path / "first.csv"))
    other = Site(tmp_path)
    corpus = settings.BASE_DIR / "sample" / "corpus.json"
    give_tables(tmp_path / "state")

    other.manage_in_turn(
        ["import_dataset", "native", str(corpus), "--name", SAMPLE],
        ["import_ratings", str(tmp_path / "first.csv")],
        ["export_ratings", "--dataset", SAMPLE, "--out", str(tmp_path / "second.csv")],
    )

    first = (tmp_path / "first.csv").read_bytes()
    assert first.count(b"\n") == 1171
    assert (tmp_path / "second.csv").read_bytes() == first


def readme_commands():
    """Return the manage.py command lines of the README's shell blocks."""
    blocks = re.findall(r"```sh\n(.*?)```", README.read_text(), re.DOTALL)
    lines = [line.split("#")[0] for block in blocks for line in block.splitlines()]
    return [shlex.split(line)[2:] for line in lines if "manage.py" in line]


@pytest.mark.shared_data
def test_commands_of_the_readme_run_as_printed(shared_data, tmp_path):
    """The paths and the account are the reader's own; what links and serves is tested elsewhere.

    `migrate` finds all done: `tests/migrated.py` runs it on an empty database.
    """
    site = Site(tmp_path)
    give_tables(site.state)
    (tmp_path / "path" / "to").mkdir(parents=True)
    (tmp_path / "path" / "to" / "egooops").symlink_to(shared_data / "egooops")
    site.environment["DJANGO_SUPERUSER_PASSWORD"] = "of-nobody-else"
    typed = {"createsuperuser": ["--noinput", "--username", "ada", "--email", "ada@example.org"]}

    commands = [
        [*words, *typed.get(words[0], [])]
        for words in readme_commands()
        if words[0] not in {"serve", "link_videos"}
    ]
    names = [" ".join(words[:2]) if words[0] == "benchmark" else words[0] for words in commands]
    first = names.index("benchmark make") + 1
    printed = site.manage_in_turn(*commands[:first])
    item_set = printed[-1].split()[0]
    printed += site.manage_in_turn(
        *([item_set if word == "SET" else word for word in words] for words in commands[first:])
    )
    said = dict(zip(names, printed, strict=True))

    assert names == [
        "migrate",
        "createsuperuser",
        "import_dataset",
        "agreement",
        "export_ratings",
        "launch",
        "benchmark make",
        "benchmark freeze",
        "benchmark download",
        "benchmark table",
    ]
    assert "Error Validity" in said["agreement"]
    assert "EgoOops, seed 1: 20 takes queued." in said["launch"]
    assert (tmp_path / "ratings.csv").read_text().startswith("dataset,take,trace,event,rater")
