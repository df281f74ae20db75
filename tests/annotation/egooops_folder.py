"""A smallest folder in the form of EgoOops."""

import json
from pathlib import Path


def write_egooops(folder: Path, caption: object = "grasps a cup") -> Path:
    """Write a smallest EgoOops: one recording without and one with a mistake."""
    good = [
        {"startTime": 0.0, "endTime": 1.0, "instruction": 0, "labels": [], "caption": ""},
        {"startTime": 1.0, "endTime": 2.0, "instruction": 1, "labels": [], "caption": ""},
    ]
    bad = [*good, {**good[1], "startTime": 2.0, "endTime": 3.0, "labels": [1], "caption": caption}]
    videos = [
        {"task_id": "tea", "video_id": "S1", "segments": good},
        {"task_id": "tea", "video_id": "S2", "segments": bad},
    ]
    content = {"videos": videos, "instructions": {"tea": ["Boil water", "Pour it"]}}
    meta = folder / "meta"
    meta.mkdir()
    (meta / "metadata.json").write_text(json.dumps(content))
    classes = ["wrong object", "grasping wrong objects"]
    (meta / "mistake_classes.json").write_text(json.dumps(classes))
    return folder
