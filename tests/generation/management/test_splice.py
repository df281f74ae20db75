import json
import os
import signal

import pytest
from django.core.management import CommandError, call_command

from tests.recordings import CLIP, shown_numbers, write_recording


@pytest.fixture
def source(tmp_path):
    write_recording(tmp_path / "clip.mp4", CLIP)
    return write_recording(tmp_path / "source.mp4")


def test_splice_prints_path_frames_and_checks(source, tmp_path, capsys) -> None:
    out, clip = tmp_path / "out.mp4", tmp_path / "clip.mp4"

    call_command(
        "splice", source, "--replace", "1", "2", clip, "--replace", "2.5", "3", "-", "--out", out
    )

    printed = capsys.readouterr().out
    assert printed.startswith("packets: 75 frames (2.500 s) in ")
    assert "untouched frames: 43 of 43 identical" in printed
    assert shown_numbers(out)[60:] == list(range(60, 75))


def test_splice_as_json_says_why_it_encoded_everything(source, tmp_path, capsys) -> None:
    webm = write_recording(tmp_path / "source.webm", codec="libvpx", sound=None)

    call_command("splice", webm, "--replace", "1", "2", "-", "--out", tmp_path / "o.mp4", "--json")

    document = json.loads(capsys.readouterr().out)
    assert document["path"] == "reencoded"
    assert "the picture is vp8, not H.264" in document["reasons"]
    assert document["frame_count"] == 60
    assert document["verification"]["is_passed"] is True


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["one", "2", "-"], "one 2: expected two times in seconds"),
        (["1", "9", "-"], "9.0 s is outside the recording"),
        (["1", "2", "missing.mp4"], "missing.mp4 is not a file"),
    ],
)
def test_splice_refuses_with_a_message(words, message, source, tmp_path, capsys) -> None:
    out = tmp_path / "out.mp4"

    with pytest.raises(CommandError, match=message):
        call_command("splice", source, "--replace", *words, "--out", out, "--json")

    assert message in json.loads(capsys.readouterr().out)["error"]
    assert not out.exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_splice_that_is_stopped_leaves_no_file(number, source, tmp_path, monkeypatch) -> None:
    before = sorted(tmp_path.iterdir())
    monkeypatch.setattr(
        "generation.backends.video.splicing.splice.verify",
        lambda *words: os.kill(os.getpid(), number),
    )

    with pytest.raises(CommandError, match=r"stopped by .*: no file was left") as stopped:
        call_command("splice", source, "--replace", "1", "2", "-", "--out", tmp_path / "out.mp4")

    assert stopped.value.returncode == 128 + number
    assert sorted(tmp_path.iterdir()) == before


def test_splice_has_an_option_to_decode_everything(source, tmp_path, capsys) -> None:
    call_command(
        "splice",
        source,
        "--replace",
        "1",
        "2",
        "-",
        "--out",
        tmp_path / "o.mp4",
        "--verify",
        "full",
    )

    assert "decoded copies: 60 of 60 have the same pixels" in capsys.readouterr().out
