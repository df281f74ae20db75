"""The command that checks an installation by worked cases, as a program of its own."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

REPOSITORY = Path(__file__).resolve().parents[3]
CASES = REPOSITORY / "tests" / "analytics" / "agreement_cases.json"


def check(path, capsys):
    try:
        call_command("check_measures", "agreement", str(path))
        error = ""
    except CommandError as refusal:
        error = str(refusal)
    return capsys.readouterr().out.splitlines(), error


def test_cases_that_come_out_are_counted_without_a_database(tmp_path):
    environment = {
        **os.environ,
        "DATABASE_URL": "postgresql://nobody@127.0.0.1:1/nothing",
        "PIEV_STATE": str(tmp_path),
        "DEBUG": "1",
    }

    done = subprocess.run(
        [sys.executable, "manage.py", "check_measures", "agreement", str(CASES)],
        cwd=REPOSITORY, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert (done.returncode, done.stdout, done.stderr) == (0, "5 of 5\n", "")


def test_reader_that_has_enough_ends_a_command_quietly(tmp_path):
    """As with `| head -1`: what is printed after that goes nowhere."""
    with subprocess.Popen(
        [sys.executable, "manage.py", "check_measures", "agreement", str(CASES)],
        cwd=REPOSITORY, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env={**os.environ, "PIEV_STATE": str(tmp_path), "DEBUG": "1"},
    ) as process:  # fmt: skip
        process.stdout.close()
        said = process.stderr.read()

    assert (said, process.returncode) == (b"", 0)


def test_figure_that_differs_is_named_and_the_command_fails(tmp_path, capsys):
    wrong = json.loads(CASES.read_text())
    wrong["cases"][0]["expected"]["alpha_nominal"] = 0.5
    path = tmp_path / "wrong.json"
    path.write_text(json.dumps(wrong))

    lines, error = check(path, capsys)

    assert lines == ["opposite alpha_nominal: -0.5; expected 0.5", "4 of 5"]
    assert error == "Not every figure came out as expected."


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("no JSON", "is not JSON of the form"),
        ('{"cases": 3}', "cases is no list"),
        ('{"cases": [{"id": "x", "kind": "table"}]}', "case 1: without expected, input"),
        (
            '{"cases": [{"id": "x", "kind": "tables", "input": {}, "expected": {}}]}',
            "case x: kind 'tables'; expected one of alt_test, bootstrap",
        ),
        (
            '{"cases": [{"id": "x", "kind": "table", "input": {"scale": [1]}, "expected": {}}]}',
            "case x: the input of a table needs 'ratings'",
        ),
        (
            '{"cases": [{"id": "x", "kind": "table", "expected": {}, "input": {"scale": [1, 2],'
            ' "levels": [], "ratings": [[1, 3]]}}]}',
            "case x: 3 is not on the scale [1, 2]",
        ),
    ],
)
def test_file_that_holds_no_cases_is_refused(tmp_path, capsys, text, message):
    path = tmp_path / "cases.json"
    path.write_text(text)

    _, error = check(path, capsys)

    assert message in error


def test_file_that_is_not_there_is_named(tmp_path, capsys):
    _, error = check(tmp_path / "none.json", capsys)

    assert error == f"{tmp_path / 'none.json'} cannot be read: No such file or directory"


def test_cases_of_segments_come_out(capsys):
    path = REPOSITORY / "tests" / "segments" / "measures" / "cases.json"

    call_command("check_measures", "segments", str(path))

    assert capsys.readouterr().out == "7 of 7\n"
