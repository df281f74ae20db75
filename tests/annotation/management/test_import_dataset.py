import json
import os
import signal
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.core.management.base import OutputWrapper

from annotation.management.shown_work import ShownWork
from annotation.models import Dataset, Take, User
from annotation.services.corpus import imports, rows
from tests.annotation.egooops_folder import write_egooops

pytestmark = pytest.mark.django_db


def run(*arguments: str) -> str:
    output = StringIO()
    call_command("import_dataset", *arguments, stdout=output)
    return output.getvalue()


def test_import_dataset_json_is_one_object(tmp_path: Path) -> None:
    folder = write_egooops(tmp_path)

    answer = json.loads(run("egooops", str(folder), "--name", "Tea", "--json"))

    assert set(answer) == {
        "takes",
        "steps",
        "traces",
        "trace_steps",
        "events",
        "native_labels",
        "derived",
        "created",
        "updated",
        "unchanged",
        "warnings",
    }
    assert (answer["takes"], answer["traces"], answer["created"]) == (1, 1, 2)
    assert answer["native_labels"]["grasping wrong objects"] == 1


def test_import_dataset_without_owner_is_shared(tmp_path: Path) -> None:
    run("egooops", str(write_egooops(tmp_path)), "--name", "Tea")

    dataset = Dataset.objects.get()
    assert (dataset.owner, dataset.is_shared) == (None, True)


def test_import_dataset_with_owner_is_private(tmp_path: Path, owner: User) -> None:
    run("egooops", str(write_egooops(tmp_path)), "--name", "Tea", "--owner", "owner")

    dataset = Dataset.objects.get()
    assert (dataset.owner, dataset.is_shared) == (owner, False)


def test_import_dataset_says_when_nothing_changed(tmp_path: Path) -> None:
    folder = write_egooops(tmp_path)
    run("egooops", str(folder), "--name", "Tea")

    assert "Nothing changed: all of this is already there." in run(
        "egooops", str(folder), "--name", "Tea"
    )


def test_import_dataset_dry_run_writes_nothing(tmp_path: Path) -> None:
    output = run("egooops", str(write_egooops(tmp_path)), "--name", "Tea", "--dry-run")

    assert output.startswith("Tea: dry run, nothing written")
    assert not Dataset.objects.exists()


def test_import_dataset_unknown_format_names_those_that_exist(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"no format 'egopos'.*captaincook4d, .*egooops"):
        run("egopos", str(tmp_path), "--name", "Tea")


def test_import_dataset_refuses_an_unknown_owner(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="There is no account 'nobody'"):
        run("egooops", str(write_egooops(tmp_path)), "--name", "Tea", "--owner", "nobody")


def test_import_dataset_names_every_problem_of_a_bad_file(tmp_path: Path) -> None:
    folder = write_egooops(tmp_path, caption=7)
    output = StringIO()

    with pytest.raises(CommandError, match=r"nothing was written(.|\n)*caption"):
        call_command("import_dataset", "egooops", str(folder), name="Tea", json=True, stdout=output)

    answer = json.loads(output.getvalue())
    assert answer["error"] == "The import was refused; nothing was written."
    assert [item["field"] for item in answer["problems"]] == ["caption"]
    assert not Dataset.objects.exists()


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b'{"videos": [', "é".encode("latin-1"), b"\x00\x01\x02", b"[" * 100_000, b"[]"],
)
def test_import_dataset_refuses_a_damaged_file(tmp_path: Path, content: bytes) -> None:
    folder = write_egooops(tmp_path)
    (folder / "meta" / "metadata.json").write_bytes(content)

    with pytest.raises(CommandError, match=r"nothing was written(.|\n)*metadata.json"):
        run("egooops", str(folder), "--name", "Tea")

    assert not Dataset.objects.exists()


@pytest.mark.parametrize("name", ["auto", "egooops"])
def test_import_dataset_refuses_a_missing_path(tmp_path: Path, name: str) -> None:
    with pytest.raises(CommandError, match=r"nothing was written(.|\n)*nowhere: 'No such file"):
        run(name, str(tmp_path / "nowhere"), "--name", "Tea")


@pytest.mark.shared_data
def test_import_dataset_egooops_has_the_published_counts(shared_data: Path) -> None:
    expected = json.loads((shared_data / "EXPECTED.json").read_text())["egooops"]

    answer = json.loads(run("egooops", str(shared_data / "egooops"), "--name", "EgoOops", "--json"))

    derived = {name: counts["total"] for name, counts in expected["order_mistakes_derived"].items()}
    assert answer["takes"] + answer["traces"] == expected["videos"]
    assert answer["native_labels"] == expected["mistakes_per_class"]
    assert answer["derived"] == derived


@pytest.mark.shared_data
def test_import_dataset_captaincook4d_has_the_published_counts(shared_data: Path) -> None:
    expected = json.loads((shared_data / "EXPECTED.json").read_text())["captaincook4d"]
    arguments = ("captaincook4d", str(shared_data / "captaincook4d"), "--name", "CC", "--json")

    answer = json.loads(run(*arguments))
    again = json.loads(run(*arguments))

    recordings = Take.objects.exclude(video_stem="").count() + answer["traces"]
    assert recordings == expected["recordings"]
    assert answer["steps"] + answer["trace_steps"] == expected["step_rows"]
    assert answer["events"] == expected["steps_with_errors"]
    assert answer["native_labels"] == expected["error_records_per_tag"]
    assert answer["derived"]["untimed_steps"] == expected["untimed_steps_minus1"]
    assert (again["created"], again["updated"]) == (0, 0)


@pytest.mark.shared_data
def test_import_dataset_assembly101_has_the_published_counts(shared_data: Path) -> None:
    published = json.loads((shared_data / "EXPECTED.json").read_text())
    expected = published["assembly101_mistake_detection"]

    answer = json.loads(
        run("assembly101", str(shared_data / "assembly101"), "--name", "A101", "--json")
    )

    recordings = Take.objects.exclude(video_stem="").count() + answer["traces"]
    assert recordings == expected["sequences"]
    assert answer["traces"] == expected["sequences_with_a_mistake"]
    assert answer["native_labels"] == expected["labels"]
    assert answer["derived"] == expected["remarks_canonical"]


@pytest.mark.shared_data
def test_import_dataset_piev_has_the_published_counts(shared_data: Path) -> None:
    arguments = ("piev", str(shared_data / "piev"), "--name", "PIE-V", "--json")

    answer = json.loads(run(*arguments))
    again = json.loads(run(*arguments))

    assert (answer["takes"], answer["steps"]) == (50, 1259)
    assert answer["derived"] == {"errors": 102, "corrections": 27}
    assert (again["created"], again["updated"]) == (0, 0)
    assert again["unchanged"] == answer["created"]


def test_import_dataset_recognises_the_format(tmp_path: Path) -> None:
    run("auto", str(write_egooops(tmp_path)), "--name", "Tea")

    assert Dataset.objects.get().format == "egooops"


def test_import_dataset_says_what_else_the_files_look_like(tmp_path: Path) -> None:
    with pytest.raises(CommandError) as refused:
        run("captaincook4d", str(write_egooops(tmp_path)), "--name", "Tea")

    assert "No error_annotations.json in these files." in str(refused.value)
    assert "They can be read as egooops: import_dataset egooops …" in str(refused.value)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("stopped_at", [1, 3])
def test_import_that_is_stopped_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, stopped_at: int
) -> None:
    monkeypatch.setattr(rows, "BATCH_ROWS", 1)
    folder = write_egooops(tmp_path)
    told = []

    class Stopped(ShownWork):
        def watch(self, done_count: int, total_count: int) -> None:
            told.append((done_count, total_count))
            if done_count == stopped_at:
                os.kill(os.getpid(), number)
            super().watch(done_count, total_count)

    with monkeypatch.context() as patched:
        patched.setattr("annotation.management.shown_work.ShownWork", Stopped)
        with pytest.raises(CommandError, match=r"stopped by .*: nothing was written") as caught:
            run("egooops", str(folder), "--name", "Tea")

    assert caught.value.returncode == 128 + number
    assert told[-1][0] == stopped_at
    assert (Dataset.objects.count(), Take.objects.count()) == (0, 0)
    assert "takes and traces" in run("egooops", str(folder), "--name", "Tea")


def test_import_is_stopped_at_once_while_files_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(imports, "find_faults", lambda reading: os.kill(os.getpid(), signal.SIGINT))

    with pytest.raises(CommandError, match=r"stopped by Ctrl\+C: nothing was written"):
        run("egooops", str(write_egooops(tmp_path)), "--name", "Tea")

    assert Dataset.objects.count() == 0


def test_import_says_on_a_terminal_how_far_it_is() -> None:
    work = ShownWork("steps", OutputWrapper(StringIO()), preparing="Reading the files")

    lines = [work.line(7.0)]
    work.watch(0, 6000)
    lines.append(work.line(1.0))
    work.watch(2000, 6000)
    lines.append(work.line(2.0))

    assert lines == [
        "Reading the files, 7 s so far",
        "0 of 6,000 steps, 1 s so far",
        "2,000 of 6,000 steps, 6e+04 a minute, 4 s left",
    ]
