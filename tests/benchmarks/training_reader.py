"""A reader of training files that knows nothing of how they are written.

It reads as LLaMA-Factory does: `dataset_info.json` names files and columns (`formatting` sharegpt),
a table has one type in each column, the system's message comes first and is taken off, the rest are
turns of user and assistant, and a mark stands for each video. Then it holds the rules of the
reference, section 8: what must not be together, and what must not be known.
"""

import json
from dataclasses import dataclass

MARK = "<video>"
WEIGHTS = {"interrupt": 2.0, "silent": 1.0}


class UnreadableError(ValueError):
    """The files break a rule; the message says which and where."""


@dataclass(frozen=True)
class Example:
    """An example as a trainer has it."""

    file: str
    id: str
    system: str
    turns: tuple
    videos: tuple
    meta: dict


def read_training_files(files):
    """All examples of `files`, texts by name; raises UnreadableError."""
    examples = []
    for entry in json.loads(files["dataset_info.json"]).values():
        name = entry["file_name"]
        if entry["formatting"] != "sharegpt" or name not in files:
            raise UnreadableError(f"{name}: no file in the form of sharegpt")
        rows = [json.loads(line) for line in files[name].splitlines()]
        hold_one_schema(name, rows)
        examples += [example_of(name, row, entry["columns"], entry["tags"]) for row in rows]
    hold_rules(examples)
    return examples


def hold_one_schema(name, rows):
    """A table of Arrow has one type in each column, also inside of objects and lists."""
    known = {}
    for number, row in enumerate(rows, start=1):
        for path, kind in kinds_of(row):
            if known.setdefault(path, kind) != kind:
                raise UnreadableError(
                    f"{name} line {number}: {path} is {kind}; expected {known[path]}"
                )
    for number, row in enumerate(rows, start=1):
        if missing := {path for path in known if "[]" not in path} - dict(kinds_of(row)).keys():
            raise UnreadableError(f"{name} line {number}: no {', '.join(sorted(missing))}")


def kinds_of(value, path=""):
    if isinstance(value, dict):
        yield path, "an object"
        for key, part in value.items():
            yield from kinds_of(part, f"{path}.{key}")
    elif isinstance(value, list):
        yield path, "a list"
        for part in value:
            yield from kinds_of(part, f"{path}[]")
    else:
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        yield path, "a number" if is_number else type(value).__name__


def example_of(name, row, columns, tags):
    where = f"{name} {row['id']}"
    messages = [
        (one[tags["role_tag"]], one[tags["content_tag"]]) for one in row[columns["messages"]]
    ]
    system = ""
    if messages and messages[0][0] == tags["system_tag"]:
        system, messages = messages[0][1], messages[1:]
    expected = (tags["user_tag"], tags["assistant_tag"])
    if len(messages) % 2 or not messages:
        raise UnreadableError(f"{where}: {len(messages)} turns; expected pairs")
    for place, (role, text) in enumerate(messages):
        if role != expected[place % 2] or not text:
            raise UnreadableError(f"{where}: turn {place} is {role!r}: {text!r}")
    videos = tuple(row[columns["videos"]])
    marks = sum(text.count(MARK) for _, text in messages)
    if marks != len(videos):
        raise UnreadableError(f"{where}: {marks} marks for {len(videos)} videos")
    turns = tuple(text.replace(MARK, "") for _, text in messages)
    return Example(name, row["id"], system, turns, videos, row["meta"])


def hold_rules(examples):
    """Nothing of test, no recording in two parts, no clip after its time, no plan that knows."""
    part_of = {}
    for one in examples:
        meta, where = one.meta, f"{one.file} {one.id}"
        part = one.file.removesuffix(".jsonl").rpartition("-")[2]
        if part not in {"train", "val"} or meta["split"] != part:
            raise UnreadableError(f"{where}: it is of the part {meta['split']!r}")
        if part_of.setdefault(meta["video_uid"], part) != part:
            raise UnreadableError(f"{where}: {meta['video_uid']} is in two parts")
        if not meta["licence"] or not meta["source"]:
            raise UnreadableError(f"{where}: no licence or source")
        if len(meta["clips"]) != len(one.videos):
            raise UnreadableError(f"{where}: {len(meta['clips'])} clips, other videos")
        for start_s, end_s in meta["clips"]:
            if not 0 <= start_s <= end_s <= meta["t_s"] + 0.001:
                raise UnreadableError(f"{where}: a clip to {end_s} s, its time is {meta['t_s']} s")
        if one.file.startswith("planner"):
            hold_plan(where, one.turns[-1])
        else:
            hold_decision(where, one)


def hold_decision(where, one):
    label, target = one.meta["label"], one.turns[-1]
    words = target.removeprefix(f"${label}$")
    if words == target or bool(words.strip()) != (label == "interrupt"):
        raise UnreadableError(f"{where}: {target!r} for {label}")
    if one.meta["loss_weight"] not in {WEIGHTS[label], 1.0}:
        raise UnreadableError(f"{where}: loss_weight {one.meta['loss_weight']}")
    # What was said before stands there with its time, and the same may be right once more.
    lines = [line for line in one.turns[0].splitlines() if not line.startswith("At ")]
    if words.strip() and words.strip() in "\n".join(lines):
        raise UnreadableError(f"{where}: the question has the words of the answer")


def hold_plan(where, target):
    """No step is completed and still to be done."""
    fields = dict(part.split("|>", 1) for part in target.split("<|")[1:])
    done, left = (
        {
            line.strip().lstrip("-0123456789. ").removeprefix("(Current) ")
            for line in text.splitlines()
        }
        - {""}
        for text in (fields["steps_completed_so_far"], fields["plan"])
    )
    if both := done & left:
        raise UnreadableError(f"{where}: {sorted(both)} are completed and in the plan")
