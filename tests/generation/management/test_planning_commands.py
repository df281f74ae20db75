import json
import os
import signal
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from annotation.management.shown_work import ShownWork


@pytest.fixture
def split_path(tmp_path):
    texts = [
        *("Get a cup from the shelf", "Open the jar", "Add tea to the cup", "Pour water into it"),
        *("Stir the tea with a spoon", "Close the jar", "Wash the spoon", "Drink the tea"),
    ]
    segments = [
        {
            "start_time": 5.0 * index,
            "end_time": 5.0 * index + 4.0,
            "step_id": index,
            "step_description": text,
            "is_essential": True,
        }
        for index, text in enumerate(texts)
    ]
    takes = [
        {"take_uid": f"u-{number}", "take_name": f"tea_{number}", "scenario": "Tea",
         "segments": segments[: 3 + number]}
        for number in range(6)
    ]  # fmt: skip
    path = tmp_path / "split.json"
    path.write_text(json.dumps({"annotations": takes}))
    return path


def run(*arguments):
    out, err = StringIO(), StringIO()
    call_command(*map(str, arguments), stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def test_plan_and_correct_write_plan_files_and_say_what_is_in_them(split_path, tmp_path):
    plan_path, corrected_path = tmp_path / "out" / "plan.json", tmp_path / "corrected.json"

    planned, warnings = run("plan", split_path, "--seed", 5, "--out", plan_path)
    corrected, _ = run("correct", plan_path, "--seed", 5, "--out", corrected_path)

    plan, after = json.loads(plan_path.read_text()), json.loads(corrected_path.read_text())
    mistakes = sum(len(take["errors"]) for take in plan["takes"].values())
    corrections = sum(len(take["corrections"]) for take in after["takes"].values())
    assert planned.startswith(f"{plan_path}: 6 takes, {mistakes} mistakes")
    assert f"{mistakes} mistakes, {corrections} corrections, " in corrected
    assert (plan["meta"]["seed"], plan["meta"]["profile"]["name"]) == (5, "piev")
    assert warnings.startswith("12 warnings")
    assert "take u-0: semantic_representation of 3 steps: none given, made by" in warnings


def test_plan_without_out_is_printed_and_repeats_with_the_seed(split_path):
    takes = [
        json.loads(run("plan", split_path, "--seed", 5, "--profile", "published")[0])["takes"]
        for _ in range(2)
    ]

    assert takes[0] == takes[1]
    assert list(takes[0]) == [f"u-{number}" for number in range(6)]


def test_plan_stats_of_seeds_and_of_a_plan_file_have_the_same_keys(split_path, tmp_path):
    plan_path = tmp_path / "plan.json"
    run("plan", split_path, "--seed", 5, "--out", plan_path)

    many = json.loads(run("plan_stats", split_path, "--seeds", 3, "--json")[0])
    one = json.loads(run("plan_stats", plan_path, "--json")[0])

    assert (many["runs"], one["runs"], many["takes_per_run"]) == (3, 1, 6)
    assert many.keys() == one.keys()


def test_plan_stats_prints_a_table_beside_other_distributions(split_path, tmp_path):
    other = tmp_path / "other.json"
    other.write_text(run("plan_stats", split_path, "--seeds", 3, "--json")[0])

    out, _ = run("plan_stats", split_path, "--seeds", 3, "--beside", other)
    listed, _ = run("plan_stats", split_path, "--seeds", 3)

    assert {line.split()[-1] for line in out.splitlines()[1:]} <= {"0", "0.0000", "-"}
    assert listed.splitlines()[0].split() == ["runs", "3"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["plan", "{split}", "--seed", "1", "--profile", "nobody"], "name is 'nobody'; expected"),
        (["plan", "{split}.gone", "--seed", "1"], "expected a file that can be read"),
        (["correct", "{split}", "--seed", "1"], "takes is None; expected an object"),
        (["plan_stats", "{split}", "--seeds", "0"], "--seeds is 0; expected 1 or more"),
    ],
)
def test_wrong_input_is_refused_in_words(split_path, arguments, message):
    with pytest.raises(CommandError, match=message):
        run(*(argument.format(split=split_path) for argument in arguments))


def test_every_fault_of_the_input_is_listed(split_path):
    data = json.loads(split_path.read_text())
    data["annotations"][1]["segments"][0]["start_time"] = -1
    data["annotations"][2]["segments"][1]["step_description"] = ""
    split_path.write_text(json.dumps(data))

    with pytest.raises(CommandError) as caught:
        run("plan", split_path, "--seed", 1)

    assert str(caught.value).splitlines() == [
        "The input was refused.",
        "  split.json, take u-1, step 0: start_time is -1; "
        "expected seconds: a finite number, 0 or more",
        "  split.json, take u-2, step 1: step_description is ''; expected a text that is not empty",
    ]


@pytest.mark.parametrize(
    ("words", "total_count"),
    [
        (("plan", "split.json", "--seed", 5, "--out", "out.json"), 6),
        (("correct", "plan.json", "--seed", 5, "--out", "out.json"), 6),
        (("plan_stats", "split.json", "--seeds", 4), 4),
    ],
)
def test_planning_counts_what_is_done_and_stops_without_a_file(
    words, total_count, split_path, tmp_path, monkeypatch
):
    run("plan", split_path, "--seed", 5, "--out", tmp_path / "plan.json")
    words = [tmp_path / word if str(word).endswith(".json") else word for word in words]
    told = []

    class Stopped(ShownWork):
        def watch(self, done_count, total_count):
            told.append((done_count, total_count))
            if done_count == 3:
                os.kill(os.getpid(), signal.SIGTERM)
            super().watch(done_count, total_count)

    monkeypatch.setattr("annotation.management.shown_work.ShownWork", Stopped)
    with pytest.raises(CommandError, match="stopped by SIGTERM: nothing was written") as stopped:
        run(*words)

    assert stopped.value.returncode == 143
    assert told == [(done_count, total_count) for done_count in range(4)]
    assert not (tmp_path / "out.json").exists()
