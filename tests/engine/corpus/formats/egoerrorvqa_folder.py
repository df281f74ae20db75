"""Files of the shapes of EgoErrorVQA's nine, with invented rows."""

import json
from itertools import cycle, islice

PROCEDURES = {
    "Tea": "Boil water, then add tea. Pour the water last.",
    "ion": "Pour a drop. Wipe the table.",
    "toy car assembly": "Put the toy together.",
    "tent assembly": "Unfold the tent and place its pegs.",
}


def cook(n, error=None, **changes):
    is_timed = error != "Missing Step"
    answers = {None: "correct", "Missing Step": "Omission", "Order Error": "Wrong order"}
    return {
        "recording_id": f"9_{n // 5}", "activity_id": 9, "step_id": 70 + n % 5,
        "original_description": f"Stir-Stir pot {n % 5}", "modified_description": "Stir fast",
        "start_time": 10.5 + 20 * (n % 5) if is_timed else -1,
        "end_time": 20.0 + 20 * (n % 5) if is_timed else -1, "is_error": error is not None,
        "errors": [] if error is None else [{"tag": error, "description": "Stirred"}],
        "activity_name": "Tea", "close_end_answer": [answers[error]], "video_id": f"9_{n // 5}",
        "action_annotation": f"Stir-Stir pot {n % 5}", "task_id": "Tea", **changes,
    }  # fmt: skip


def oops(n, is_error=False, **changes):
    return {
        "task_id": "ion", "video_id": f"S17{n // 5:05}", "start_time": 1.5 + 8 * (n % 5),
        "end_time": 9.0 + 8 * (n % 5), "instruction": n % 3, "instruction_label": None,
        "is_error": is_error, "error_labels": ["others"] if is_error else [],
        "error_caption": "spills it" if is_error else None,
        "close_end_answer": "Others" if is_error else "correct",
        "action_annotation": None if is_error else f"Pour drop {n % 3}", **changes,
    }  # fmt: skip


def tent(n, error="", **changes):
    more = {"error_label_main": error, "error_annotation_main": "why"} if error else {}
    answers = {"": "correct", "0": "Wrong action", "6": "Correct wrong action"}
    return {
        "subject_id": "2", "action_label": "9", "str_GoPro_ts": f"00:{n % 60:02}:02:30",
        "end_GoPro_ts": f"00:{n % 60:02}:05:00", "action_annotation": "place guyline",
        "is_error": bool(error), **more, "close_end_answer": answers[error],
        "start_time": 60.0 * (n % 60) + 3.0, "end_time": 60.0 * (n % 60) + 5.0, "video_id": "2",
        "task_id": "tent assembly", **changes,
    }  # fmt: skip


def assembly(n, remark=None, **changes):
    answers = {None: "correct", "worng order": "Wrong order", "wrong position": "Wrong action"}
    return {
        "video_id": f"nusar-{n // 5}", "start_time": 276.433 + 30 * (n % 5),
        "end_time": 294.133 + 30 * (n % 5), "verb": "attach", "first_object": f"part {n % 5}",
        "second_object": "b", "error_label": "correct" if remark is None else "mistake",
        "error_annotation": remark, "close_end_answer": answers[remark],
        "action_annotation": f"attach the part {n % 5} to the b", "task_id": "toy car assembly",
        **changes,
    }  # fmt: skip


def write_folder(folder, *, count=10, **rows):
    """The nine files with `count` rows of each source, or with the given `rows` of one."""
    made = {
        "captaincook4d": [
            cook(n, error)
            for n, error in enumerate(islice(cycle([None, "Order Error", None]), count))
        ],
        "egooops": [oops(n, n % 5 == 4) for n in range(count)],
        "epic_tent": [tent(n, "0" if n % 4 == 3 else "") for n in range(count)],
        "assembly101": [
            assembly(n, remark)
            for n, remark in enumerate(islice(cycle([None, "worng order", None, None]), count))
        ],
        **rows,
    }
    names = {
        "captaincook4d": ("captaincook4d_answer", "captaincook4d_qa_pairs_updated"),
        "egooops": ("egooops_answer", "egooops_qa_pair"),
        "epic_tent": ("epic_tent_answer_sec", "epic_tent_qa_pair"),
        "assembly101": ("assembly101_answers", "assembly101_qa_pairs_updated"),
    }
    (folder / "json").mkdir(parents=True, exist_ok=True)
    for source, (choice, pairs) in names.items():
        asked = [
            {**row, "qa_pairs": [{"question": "Did I stir?", "answer": "Yes, I did."}] * 2}
            for row in made[source]
        ]
        (folder / "json" / f"{choice}.json").write_text(json.dumps(made[source]))
        (folder / "json" / f"{pairs}.json").write_text(json.dumps(asked))
    (folder / "json" / "procedure.json").write_text(json.dumps(PROCEDURES))
    return folder
