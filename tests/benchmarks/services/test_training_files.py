"""The training files of a set: what they hold, and what they must never hold."""

import io
import json
import zipfile

import pytest

from benchmarks.engine.division import Division
from benchmarks.engine.guiding.plan_state import parse_plan
from benchmarks.engine.tasks.guide import EVERY
from benchmarks.engine.training_files import (
    PLAIN_FILES,
    TrainingExample,
    TrainingOptions,
    drawn_ids,
    mixture_weights,
)
from benchmarks.models import Item
from benchmarks.selectors.training_files import TrainingRefusedError, training_archive
from tests.benchmarks.made import made_set
from tests.factories import VideoFactory

pytestmark = pytest.mark.django_db

SHARED_TOO = TrainingOptions(leaves_out_shared=True)
PARTS = Division("procedure", (0.6, 0.2, 0.2))
NOT_KNOWN = "not known to this site; ask the makers of the data set"
MARKED = {"source_recording": "recording", "procedure": "goal", "person": "person",
          "source_key": "item"}  # fmt: skip


@pytest.fixture
def item_set(sample, owner):
    return made_set(sample, owner, "guide", division=PARTS, settings={"points": EVERY})


def files_of(item_set, options=PLAIN_FILES, **more):
    content = b"".join(training_archive(item_set, options, **more))
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name).decode() for name in archive.namelist()}


def lines(text):
    return [json.loads(line) for line in text.splitlines()]


def test_files_have_one_shape_and_say_where_each_example_is_from(item_set):
    files = files_of(item_set)

    names = [f"{kind}-{part}.jsonl" for kind in ("duplex", "monolithic", "planner")
             for part in ("train", "val")]  # fmt: skip
    assert [name for name in files if name.endswith(("-train.jsonl", "-val.jsonl"))] == names
    info = json.loads(files["dataset_info.json"])
    assert sorted(entry["file_name"] for entry in info.values()) == sorted(names)
    for name in names:
        for line in lines(files[name]):
            assert list(line) == ["id", "messages", "videos", "meta"]
            roles = [message["role"] for message in line["messages"]]
            assert roles == ["system", "user", "assistant"]
            text = "".join(message["content"] for message in line["messages"])
            assert text.count("<video>") == len(line["videos"]) == len(line["meta"]["clips"])
            assert (
                line["meta"]["licence"] == "not known to this site; ask the makers of the data set"
            )
            assert line["meta"]["split"] == name.split("-")[1].split(".")[0]
            assert all(end_s <= line["meta"]["t_s"] for _, end_s in line["meta"]["clips"])
            assert {type(value) for value in line["meta"].values()} <= {str, int, float, list}


def test_files_load_with_the_datasets_library(item_set, tmp_path):
    datasets = pytest.importorskip("datasets")
    for name, text in files_of(item_set, TrainingOptions(has_noisy=True)).items():
        (tmp_path / name).write_text(text)

    for entry in json.loads((tmp_path / "dataset_info.json").read_text()).values():
        file = tmp_path / entry["file_name"]
        loaded = datasets.load_dataset(
            "json", data_files=str(file), split="train", cache_dir=str(tmp_path / "cache")
        )

        written = lines(file.read_text())
        assert loaded.column_names == ["id", "messages", "videos", "meta"]
        assert loaded["id"][:] == [line["id"] for line in written]
        assert loaded["messages"][:] == [line["messages"] for line in written]


def test_only_train_and_val_leave_and_nothing_of_test(item_set):
    files = files_of(item_set)
    tests = item_set.test_items

    written = [text for name, text in files.items() if name.endswith(("train.jsonl", "val.jsonl"))]
    exported = {line["id"].split("/")[0] for text in written for line in lines(text)}

    assert exported <= set(item_set.examples.values_list("key", flat=True))
    assert not exported & set(tests.values_list("key", flat=True))
    everything = "\n".join(files.values())
    for goal in set(tests.values_list("procedure", flat=True)):
        assert goal not in everything


def test_duplex_and_monolithic_are_the_same_points_with_and_without_the_plan(item_set):
    files = files_of(item_set)
    duplex, monolithic = (lines(files[f"{name}-train.jsonl"]) for name in ("duplex", "monolithic"))

    assert [line["id"] for line in duplex] == [line["id"] for line in monolithic]
    assert any("The current step is done when" in line["messages"][1]["content"] for line in duplex)
    assert not any("Completed:" in line["messages"][1]["content"] for line in monolithic)
    labels = [line["meta"]["label"] for line in duplex]
    weights = {line["meta"]["label"]: line["meta"]["loss_weight"] for line in duplex}
    assert weights == {"interrupt": 2.0, "silent": 1.0}
    assert labels.count("silent") <= labels.count("interrupt")
    for line in duplex:
        target = line["messages"][2]["content"]
        assert target.startswith(f"${line['meta']['label']}$")


def test_the_target_of_the_planner_is_a_plan_that_can_be_read(item_set):
    states = [parse_plan(line["messages"][2]["content"])
              for line in lines(files_of(item_set)["planner-train.jsonl"])]  # fmt: skip

    assert {state.mode for state in states} <= {
        "start_proactive", "update_proactive", "end_proactive",
    }  # fmt: skip
    for state in states:
        assert not {*state.completed} & {*state.next, state.current}


def test_noisy_and_doubled_lines_come_on_request_alone(item_set):
    plain = lines(files_of(item_set)["duplex-train.jsonl"])
    noisy = lines(files_of(item_set, TrainingOptions(has_noisy=True))["duplex-train.jsonl"])
    doubled = lines(files_of(item_set, TrainingOptions(is_doubled=True))["duplex-train.jsonl"])

    copies = [line for line in noisy if line["meta"]["noise"]]
    assert [line for line in noisy if not line["meta"]["noise"]] == plain
    assert {line["meta"]["noise"] for line in copies} == {
        "wrong step", "late update", "stale cues",
    }  # fmt: skip
    right = {line["id"]: line["messages"] for line in plain}
    for line in copies:
        own = right[line["id"].split("/")[0]]
        assert (line["messages"][1] != own[1], line["messages"][2]) == (True, own[2])
    spoken = sum(line["meta"]["label"] == "interrupt" for line in plain)
    assert len(doubled) == len(plain) + spoken
    assert {line["meta"]["loss_weight"] for line in doubled} == {1.0}


def test_bytes_are_equal_for_the_same_set_and_drawn_lists_follow_the_seed(item_set):
    first, again = (b"".join(training_archive(item_set, TrainingOptions())) for _ in range(2))

    assert first == again
    ids = {"a": [f"a{n}" for n in range(400)], "b": [f"b{n}" for n in range(100)]}
    drawn = drawn_ids(ids, 7, "duplex")
    assert mixture_weights({"a": 400, "b": 100}) == {"a": 2 / 3, "b": 1 / 3}
    assert (len(drawn), drawn == drawn_ids(ids, 7, "duplex")) == (500, True)
    assert drawn != drawn_ids(ids, 8, "duplex")
    assert {one for one in drawn if one[0] == "b"} == {*ids["b"]}


@pytest.mark.parametrize("field", MARKED)
@pytest.mark.parametrize("is_written_otherwise", [False, True])
def test_what_test_shares_is_refused_by_name_and_left_out_on_request(
    item_set, field, is_written_otherwise
):
    own, test = item_set.examples.first(), item_set.test_items.first()
    value = getattr(test, field) or "P7"
    Item.objects.filter(pk=test.pk).update(**{field: value})
    planted = f" {value.upper()} " if is_written_otherwise else value
    Item.objects.filter(pk=own.pk).update(**{field: planted})

    with pytest.raises(TrainingRefusedError, match=f"share 1 {MARKED[field]} "):
        training_archive(item_set, TrainingOptions())
    files = files_of(item_set, SHARED_TOO)

    assert "1 items of train and val are left out" in files["README.md"]
    assert not any(own.key in text for text in files.values())


def test_a_recording_in_both_train_and_val_is_refused(item_set):
    train, val = (item_set.items.filter(part=part).first() for part in ("train", "val"))
    Item.objects.filter(pk=val.pk).update(source_recording=train.source_recording)

    with pytest.raises(TrainingRefusedError, match="train and val share recordings"):
        training_archive(item_set, SHARED_TOO)


def test_a_clip_beyond_the_video_and_one_after_its_moment_are_refused(item_set):
    row = item_set.examples.order_by("-moment_s").first()
    video = VideoFactory(dataset=item_set.dataset, duration_s=row.moment_s - 1)
    Item.objects.filter(pk=row.pk).update(video=video)

    with pytest.raises(TrainingRefusedError, match="expected clips that lie within the video"):
        training_archive(item_set, TrainingOptions())
    with pytest.raises(ValueError, match=r"a clip ends at 9\.0 s; expected 8\.0 s"):
        TrainingExample("k", (), 8.0, ((0.0, 9.0),), "silent", (), "v", 1.0)


def test_names_of_recordings_are_for_those_who_may_read_them(item_set):
    hidden, shown = (files_of(item_set, sees_truth=sees)["duplex-train.jsonl"]
                     for sees in (False, True))  # fmt: skip
    uids = {name.partition(":")[2] for name in
            item_set.examples.values_list("source_recording", flat=True)}  # fmt: skip

    assert not any(f'"{uid}"' in hidden for uid in uids)
    assert {line["meta"]["video_uid"] for line in lines(shown)} <= uids


def test_a_set_without_parts_has_none(sample, owner):
    whole = made_set(sample, owner, "guide")

    with pytest.raises(TrainingRefusedError, match="Divide a set into train, val and test"):
        training_archive(whole, TrainingOptions())
