"""`manage.py benchmark`: from a data set to a table without a browser."""

import json
import os
import signal
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from benchmarks.engine.happenings import OWN_WORDS
from benchmarks.engine.shortcuts.audit import GUESSERS
from benchmarks.models import ItemSet
from benchmarks.services import batches
from generation.management.long_work import LongWork
from tests.benchmarks.answering_server import AnsweringServer, step_answer
from tests.benchmarks.asked import model, small_set
from tests.benchmarks.made import as_csv, baseline_values, made_set, uploaded, worked_on
from tests.benchmarks.sample_answers import answer_of

pytestmark = pytest.mark.django_db(transaction=True)


def run(capsys, *words):
    call_command("benchmark", *words)
    return capsys.readouterr().out


def test_a_model_is_scored_with_a_file_and_with_an_endpoint(sample, capsys, tmp_path):
    told = run(
        capsys, "make", "step_mistakes", "Everyday", "--name", "Steps", "--divide-by", "take"
    )
    made = ItemSet.objects.get()
    run(capsys, "freeze", made.public_id)
    path = run(capsys, "download", made.public_id, "items", "--to", str(tmp_path)).strip()
    items = [json.loads(line) for line in Path(path).read_text().splitlines()]
    answers = tmp_path / "answers.csv"
    answers.write_text(as_csv(made, baseline_values(made)))
    run(capsys, "upload", made.public_id, str(answers), "--name", "Mine 1")
    with AnsweringServer(answers=step_answer) as server:
        endpoint = model(server, None, concurrency=1)
        said = run(capsys, "assess", made.public_id, endpoint.name)
    table = run(capsys, "table", made.public_id, "--form", "csv")

    assert made.content_hash in told
    assert len(items) == made.item_count
    assert set(items[0]) == {
        "key", "recording", "question", "payload", "choices", "start_s", "moment_s", "sequence",
        "position", "part",
    }  # fmt: skip
    assert f'{{"read": {made.item_count}}}' in said
    labels = [line.split(",")[1] for line in table.splitlines()[1:]]
    assert {"Mine 1", "Asked"} <= set(labels)
    assert made.public_id in run(capsys, "list")
    with pytest.raises(CommandError, match=r"'phases'; expected one of .*phase"):
        run(capsys, "table", made.public_id, "--group", "phases", "--value", "first third")


def test_download_that_is_stopped_leaves_no_file(sample, owner, tmp_path, monkeypatch):
    made = small_set(sample, owner, item_count=2)

    def pieces(*words, **options):
        yield "half"
        os.kill(os.getpid(), signal.SIGTERM)

    monkeypatch.setattr("benchmarks.management.commands.benchmark.download_of", pieces)
    with pytest.raises(CommandError, match="stopped by SIGTERM: no file was left") as stopped:
        call_command("benchmark", "download", made.public_id, "items", "--to", tmp_path)

    assert stopped.value.returncode == 143
    assert list(tmp_path.iterdir()) == []


def test_command_prints_prices_of_judges_and_asks_them(sample, owner, capsys):
    made = small_set(sample, owner, "describe_mistake", item_count=3)
    file = uploaded(made, owner, as_csv(made, baseline_values(made)))
    with AnsweringServer(answers=answer_of) as server:
        model(server, owner, name="Judge", model_name="judge")
        price = run(capsys, "judge", file.public_id)
        said = run(capsys, "judge", file.public_id, "Judge", "--budget", "1")

    assert price.startswith("Judge (judge): 3 answers, at most $0.0")
    assert said.splitlines()[0] == price.strip()
    assert said.splitlines()[1].startswith(f"{file.public_id} Their model 2: done")
    assert file.answers.filter(judged={}).count() == 0
    with pytest.raises(CommandError, match="there is no assessment 'x'"):
        run(capsys, "judge", "x")


def test_set_belongs_to_the_named_owner_else_it_is_shared(sample, owner, capsys):
    run(capsys, "make", "step_mistakes", "Everyday", "--name", "Mine", "--owner", owner.username)
    run(capsys, "make", "step_mistakes", "Everyday", "--name", "Ours")

    made = dict(ItemSet.objects.values_list("name", "is_shared"))
    assert made == {"Mine": False, "Ours": True}
    assert ItemSet.objects.get(name="Mine").owner == owner
    with pytest.raises(CommandError, match="There is no account 'nobody'"):
        call_command(
            "benchmark", "make", "step_mistakes", "Everyday", "--name", "X", "--owner", "nobody"
        )


def test_faults_are_reported_as_messages(sample, capsys, tmp_path):
    answers = tmp_path / "answers.csv"
    answers.write_text("key,answer\nalien,yes\n")
    run(capsys, "make", "step_mistakes", "Everyday", "--name", "Steps")
    made = ItemSet.objects.get()

    with pytest.raises(CommandError, match="not frozen"):
        call_command("benchmark", "upload", made.public_id, str(answers), "--name", "Mine")
    call_command("benchmark", "freeze", made.public_id)
    with pytest.raises(CommandError, match="line 2: key is 'alien'"):
        call_command("benchmark", "upload", made.public_id, str(answers), "--name", "Mine")
    with pytest.raises(CommandError, match="no item set"):
        call_command("benchmark", "table", "none")
    with pytest.raises(CommandError, match="There is no task"):
        call_command("benchmark", "make", "guessing", "Everyday", "--name", "Steps")


def test_stopped_work_goes_on_with_resume(sample, owner, capsys, monkeypatch):
    class Stopped(LongWork):
        """Ctrl+C, while the third batch is stored."""

        def count_done(self, count=1):
            super().count_done(count)
            self.signal = signal.SIGINT if self.done_count > self.total_count // 2 + 40 else None

    monkeypatch.setattr(batches, "ROWS_AT_ONCE", 20)
    whole = made_set(sample, owner)
    with monkeypatch.context() as patched:
        patched.setattr("benchmarks.management.commands.benchmark.LongWork", Stopped)
        with pytest.raises(CommandError, match="stopped by Ctrl") as caught:
            run(capsys, "make", "step_mistakes", "Everyday", "--name", "Steps")
    made = ItemSet.objects.get(name="Steps")
    assert caught.value.returncode == 130
    assert f"`benchmark resume {made.public_id}` goes on with it." in str(caught.value)
    assert "0 items of Everyday, cancelled, " in run(capsys, "list")
    assert (made.made_at, made.items.count()) == (None, 80)

    assert f"{whole.item_count} items" in run(capsys, "resume", made.public_id)
    with monkeypatch.context() as patched:
        patched.setattr("benchmarks.management.commands.benchmark.LongWork", Stopped)
        with pytest.raises(CommandError, match="goes on with it"):
            run(capsys, "freeze", made.public_id)
    assert "is frozen" in run(capsys, "resume", made.public_id)
    assert ItemSet.objects.get(name="Steps").content_hash == whole.content_hash


def test_work_can_be_left_to_the_workers(sample, capsys):
    said = run(capsys, "make", "step_mistakes", "Everyday", "--name", "Steps", "--queue")
    made = ItemSet.objects.get()
    assert said == f"{made.public_id} {made}: being made\n"
    worked_on(made, [made.job_id])
    assert run(capsys, "freeze", made.public_id, "--queue") == f"{made}: being frozen\n"


def test_audit_says_what_can_be_guessed_without_pictures(sample, owner, capsys):
    plain = made_set(sample, owner)
    telling = made_set(sample, owner, settings={"shown": OWN_WORDS})

    said, of_own_words = (
        run(capsys, "audit", made.public_id).splitlines() for made in (plain, telling)
    )

    assert [line.partition(":")[0] for line in said[:7]] == [
        title for title, _ in GUESSERS.values()
    ]
    assert not any("BEATS CHANCE" in line for line in said)
    assert said[0] != of_own_words[0]
    assert said[7].startswith("Guessed: ")
    assert len(said[8]) == len("SHA-256 ") + 64
