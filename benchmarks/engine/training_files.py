"""Files to train other people's models on, made of the items of train and val.

A task offers `training_files`; what the files have in common is here: the shape of a line, weights
of several sources, and what tells trainers how to read them.
Source: Plan, Watch, Recover (arXiv 2606.04970v1), sections 2.6 and 2.7, Training Recipe.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

# How many milliseconds a clip may seem to end after its moment, which items have in floats.
TOLERANCE_MS = 1


@dataclass(frozen=True, slots=True)
class TrainingOptions:
    """What a request for training files says.

    `has_noisy` adds copies whose plan is wrong. `is_doubled` writes the lines that weigh 2 twice
    instead of giving them a weight. `leaves_out_shared` leaves out what the part test shares.
    """

    has_noisy: bool = False
    is_doubled: bool = False
    leaves_out_shared: bool = False


PLAIN_FILES = TrainingOptions()


@dataclass(frozen=True, slots=True)
class TrainingExample:
    """One example: `messages` of (role, text), of which the last is learned, and its clips.

    `clips_s` are (start, end) in seconds; none ends after `moment_s`. `noise` says what of the plan
    is wrong in a copy, "" where nothing is.
    """

    key: str
    messages: tuple[tuple[str, str], ...]
    moment_s: float
    clips_s: tuple[tuple[float, float], ...]
    label: str
    reasons: tuple[str, ...]
    prompt_version: str
    loss_weight: float
    noise: str = ""

    def __post_init__(self) -> None:
        late = [end_s for _, end_s in self.clips_s if end_s > self.moment_s + TOLERANCE_MS / 1000]
        if late:
            raise ValueError(
                f"{self.key}: a clip ends at {max(late)} s; expected {self.moment_s} s, its moment,"
                " at the latest"
            )


@dataclass(frozen=True, slots=True)
class TrainingFile:
    """A file that a task offers: `name` begins its file names, `describes` what it teaches.

    Items of versions of the task before `since` lack what it needs.
    """

    name: str
    describes: str
    since: int = 1


def clip_name(recording: str, clip_s: tuple[float, float]) -> str:
    """The name of a clip's file, in whole milliseconds."""
    start_ms, end_ms = (round(1000 * time_s) for time_s in clip_s)
    return f"clips/{recording}/{start_ms}-{end_ms}.mp4"


def messages_with_videos(
    messages: Sequence[tuple[str, str]], clip_count: int
) -> list[dict[str, str]]:
    """Messages as trainers read them: the place of each clip is marked before the question."""
    marks = "<video>" * clip_count
    return [
        {"role": role, "content": marks + text if role == "user" else text}
        for role, text in messages
    ]


def mixture_weights(row_counts: Mapping[str, int]) -> dict[str, float]:
    """The share of each source in what is drawn: in proportion to the root of its rows."""
    roots = {source: count**0.5 for source, count in sorted(row_counts.items()) if count}
    whole = sum(roots.values())
    return {source: root / whole for source, root in roots.items()}


def drawn_ids(ids_of: Mapping[str, Sequence[str]], seed: int, name: str) -> list[str]:
    """As many ids as there are, drawn by the weights of their sources.

    The ids of a source come in another order each time all of them were drawn.
    """
    weights = mixture_weights({source: len(ids) for source, ids in ids_of.items()})
    count = sum(map(len, ids_of.values()))
    digest = hashlib.sha256(name.encode()).digest()
    rng = np.random.default_rng([seed, int.from_bytes(digest[:8])])
    if not weights:
        return []
    places = rng.choice(len(weights), size=count, p=list(weights.values()))
    left: dict[str, list[str]] = {source: [] for source in weights}
    sources, drawn = list(weights), []
    for place in places:
        source = sources[place]
        if not left[source]:
            ids = ids_of[source]
            left[source] = [ids[other] for other in rng.permutation(len(ids))]
        drawn.append(left[source].pop())
    return drawn


def dataset_info(names: Sequence[str], prefix: str) -> dict[str, Any]:
    """What LLaMA-Factory reads to find the columns of files."""
    return {
        f"{prefix}_{name.removesuffix('.jsonl').replace('-', '_')}": {
            "file_name": name,
            "formatting": "sharegpt",
            "columns": {"messages": "messages", "videos": "videos"},
            "tags": {
                "role_tag": "role",
                "content_tag": "content",
                "user_tag": "user",
                "assistant_tag": "assistant",
                "system_tag": "system",
            },
        }
        for name in names
    }
