"""What a command that was cut off in the middle finds again, line by line."""

import json
from io import StringIO

import pytest
from django.core.management.base import OutputWrapper

from generation.management.long_work import LongWork
from generation.management.outputs import Checkpoint

HEADER = {"model": "rules"}
# Ends of lines to Python, and none to JSON.
TEXTS = {"a": "tea\u2028and milk", "b": "tea\x85", "c": "tea", "d": "water"}


@pytest.fixture
def out(tmp_path):
    return tmp_path / "out.json"


def finish(out, uids):
    """Work on the takes as a command does that starts anew; return those it found finished."""
    checkpoint, worked_on = Checkpoint(out, HEADER), []

    def work(uid):
        worked_on.append(uid)
        return {"text": TEXTS[uid]}

    at_work = LongWork("write", "takes", OutputWrapper(StringIO()))
    entries = checkpoint.work({uid: uid for uid in uids}, work, at_work=at_work)
    assert entries == {uid: {"text": TEXTS[uid]} for uid in uids}
    return [uid for uid in uids if uid not in worked_on]


def test_finished_takes_are_found_again_whatever_their_texts_hold(out):
    finish(out, "ab")

    assert finish(out, "abc") == ["a", "b"]


def test_half_a_line_costs_its_own_take_and_none_that_comes_after(out):
    """As kill -9 in the middle of a write leaves it, or a disk that is full."""
    finish(out, "ab")
    partial = out.with_name("out.json.partial.jsonl")
    partial.write_bytes(partial.read_bytes()[:-9])

    assert finish(out, "abc") == ["a"]
    assert finish(out, "abcd") == ["a", "b", "c"]
    assert [json.loads(line) for line in partial.read_bytes().splitlines()][1:] == [
        {"uid": uid, "entry": {"text": TEXTS[uid]}} for uid in "abcd"
    ]
