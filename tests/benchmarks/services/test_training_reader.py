"""The training files read by somebody else's rules, and each kind of leak planted into them."""

import json

import pytest

from benchmarks.engine.training_files import TrainingOptions
from tests.benchmarks.services.test_training_files import files_of, item_set  # noqa: F401
from tests.benchmarks.training_reader import UnreadableError, read_training_files
from tests.factories import VideoFactory

pytestmark = pytest.mark.django_db


OPTIONS = (
    TrainingOptions(),
    TrainingOptions(has_noisy=True),
    TrainingOptions(is_doubled=True),
)


@pytest.fixture
def filmed(item_set):  # noqa: F811
    video = VideoFactory(dataset=item_set.dataset, duration_s=10_000)
    item_set.examples.update(video=video)
    return item_set


@pytest.fixture
def files(filmed):
    return files_of(filmed)


@pytest.mark.parametrize("options", OPTIONS)
def test_a_reader_of_its_own_loads_the_files_and_finds_nothing_wrong(filmed, options):
    examples = read_training_files(files_of(filmed, options))

    assert {one.file.partition("-")[0] for one in examples} == {"duplex", "monolithic", "planner"}
    assert {one.meta["split"] for one in examples} == {"train", "val"}
    assert all(one.system and len(one.turns) == 2 for one in examples)
    assert any(one.videos for one in examples)


def first(files, name, is_meant=lambda line: True):
    rows = [json.loads(line) for line in files[name].splitlines()]
    return rows, next(row for row in rows if is_meant(row))


def late_clip(files):
    rows, row = first(files, "duplex-train.jsonl", lambda row: row["meta"]["clips"])
    row["meta"]["clips"][-1][1] = row["meta"]["t_s"] + 0.5
    return "duplex-train.jsonl", rows


def of_test(files):
    rows, row = first(files, "duplex-train.jsonl")
    row["meta"]["split"] = "test"
    return "duplex-train.jsonl", rows


def in_two_parts(files):
    rows, row = first(files, "duplex-val.jsonl")
    row["meta"]["video_uid"] = first(files, "duplex-train.jsonl")[1]["meta"]["video_uid"]
    return "duplex-val.jsonl", rows


def told_answer(files):
    rows, row = first(files, "duplex-train.jsonl", lambda row: row["meta"]["label"] == "interrupt")
    words = row["messages"][-1]["content"].removeprefix("$interrupt$")
    row["messages"][1]["content"] += f"\n{words}"
    return "duplex-train.jsonl", rows


def known_plan(files):
    rows, row = first(
        files, "planner-train.jsonl", lambda row: "(Current)" in row["messages"][-1]["content"]
    )
    text = row["messages"][-1]["content"]
    step = text.partition("(Current) ")[2].partition("\n")[0]
    mark = "<|steps_completed_so_far|>"
    row["messages"][-1]["content"] = text.replace(mark, f"{mark}\n - {step}", 1)
    return "planner-train.jsonl", rows


def no_licence(files):
    rows, row = first(files, "planner-val.jsonl")
    row["meta"]["licence"] = ""
    return "planner-val.jsonl", rows


def other_type(files):
    rows, row = first(files, "monolithic-train.jsonl")
    row["meta"]["loss_weight"] = None
    return "monolithic-train.jsonl", rows


def lost_video(files):
    rows, row = first(files, "duplex-train.jsonl", lambda row: row["videos"])
    row["videos"].pop()
    return "duplex-train.jsonl", rows


LEAKS = {
    late_clip: "a clip to",
    of_test: "of the part 'test'",
    in_two_parts: "is in two parts",
    told_answer: "has the words of the answer",
    known_plan: "are completed and in the plan",
    no_licence: "no licence",
    other_type: "loss_weight is",
    lost_video: "marks for",
}


@pytest.mark.parametrize("leak", LEAKS)
def test_each_kind_of_leak_is_refused(files, leak):
    name, rows = leak(files)
    files[name] = "\n".join(map(json.dumps, rows))

    with pytest.raises(UnreadableError, match=LEAKS[leak]):
        read_training_files(files)
