"""What pages show of items and answers, whose JSON is each task's own."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from benchmarks.engine.frame_values import frames_in_words

# What the page shows in its own way, or not at all.
SHOWN_ELSEWHERE = frozenset({"question", "is_scale", "shown", "metric"})
# What only programs make use of.
FOR_PROGRAMS = frozenset({"graph", "recording_id", "has_video", "place"})


@dataclass(frozen=True, slots=True)
class Part:
    """A part of what a participant reads: one text, or lines, or rows of cells."""

    title: str
    text: str = ""
    lines: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()

    @property
    def is_empty_list(self) -> bool:
        return not self.text and not self.lines and not self.rows


def parts_of(payload: Mapping[str, Any]) -> list[Part]:
    """A payload part by part, in its own order.

    >>> parts_of({"goal": "Make tea", "before": []})[1].is_empty_list
    True
    """
    return [
        _part(name, value)
        for name, value in payload.items()
        if name not in SHOWN_ELSEWHERE | FOR_PROGRAMS and value not in ("", None)
    ]


def _part(name: str, value: Any) -> Part:
    title = name.removesuffix("_s").replace("_", " ").capitalize()
    if isinstance(value, list):
        if any(isinstance(line, list) for line in value):
            return Part(title, rows=tuple(tuple(map(_words, row)) for row in value))
        return Part(title, lines=tuple(map(_words, value)))
    if isinstance(value, Mapping):
        return Part(title, rows=tuple((str(key), _words(one)) for key, one in value.items()))
    seconds = " s" if name.endswith("_s") else ""
    return Part(title, _words(value) + seconds)


def _words(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, Mapping):
        return ", ".join(f"{key}: {_words(one)}" for key, one in value.items())
    if isinstance(value, list):
        return ", ".join(map(_words, value))
    return str(value)


def value_in_words(value: Mapping[str, Any] | None) -> str:
    """An answer, a truth or a judgement as one line.

    >>> value_in_words({"answer": "yes", "score": 0.25})
    'yes (score 0.25)'
    >>> value_in_words({"intervals": [{"start_s": 1, "end_s": 2.5, "label": "mistake"}]})
    'mistake 1–2.5 s'
    """
    if value is None:
        return ""
    if "frames" in value:
        return frames_in_words(value)
    if "intervals" in value:
        found = [
            f"{one.get('label', '')} {_words(one['start_s'])}–{_words(one['end_s'])} s".strip()
            for one in value["intervals"]
        ]
        return "; ".join(found) or "nothing"
    head = value.get("answer") or value.get("text") or ""
    rest = {
        key: one
        for key, one in value.items()
        if key != "answer" and one not in (None, "", [], head)
    }
    if "text" in rest and value.get("answer"):
        head = f"{head}: {rest.pop('text')}"
    words = ", ".join(f"{key.replace('_', ' ')} {_words(one)}" for key, one in rest.items())
    return f"{head} ({words})" if head and words else head or words
