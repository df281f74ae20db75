"""Items and answers in words for pages; the JSON is each task's own."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from benchmarks.engine.frame_values import frames_in_words

# Fields that the page shows in another place, or not at all.
SHOWN_ELSEWHERE = frozenset({"question", "is_scale", "shown", "metric"})
# Fields that only programs use.
FOR_PROGRAMS = frozenset({"graph", "recording_id", "has_video", "place"})


@dataclass(frozen=True, slots=True)
class Part:
    """A field of a payload: one text, or lines, or rows of cells."""

    title: str
    text: str = ""
    lines: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()

    @property
    def is_empty_list(self) -> bool:
        return not self.text and not self.lines and not self.rows


def parts_of(payload: Mapping[str, Any]) -> list[Part]:
    """The fields of a payload, in its order.

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
        return Part(title, rows=tuple((str(key), _words(entry)) for key, entry in value.items()))
    seconds = " s" if name.endswith("_s") else ""
    return Part(title, _words(value) + seconds)


def _words(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, Mapping):
        return ", ".join(f"{key}: {_words(entry)}" for key, entry in value.items())
    if isinstance(value, list):
        return ", ".join(map(_words, value))
    return str(value)


def value_in_words(value: Mapping[str, Any] | None) -> str:
    """An answer, a truth or a judgement as one line.

    >>> value_in_words({"answer": "yes", "score": 0.25})
    'yes (score 0.25)'
    >>> value_in_words({"intervals": [{"start_s": 1, "end_s": 2.5, "label": "mistake"}]})
    'mistake 1–2.5 s'
    >>> value_in_words({"said": [{"time_s": 4.0, "text": "Stir."}]})
    '4 s: Stir.'
    >>> value_in_words({"relevance": 3.5, "grades": [{"time_s": 4.0, "relevance": 3.5}]})
    'relevance 3.5; at 4 s: relevance 3.5'
    """
    if value is None:
        return ""
    if "grades" in value:
        means = {key: entry for key, entry in value.items() if key != "grades"}
        each = [
            f"at {_words(one['time_s'])} s: "
            + value_in_words({key: entry for key, entry in one.items() if key != "time_s"})
            for one in value["grades"]
        ]
        return "; ".join([value_in_words(means), *each])
    if "frames" in value:
        return frames_in_words(value)
    if "intervals" in value:
        intervals = [
            f"{row.get('label', '')} {_words(row['start_s'])}–{_words(row['end_s'])} s".strip()
            for row in value["intervals"]
        ]
        return "; ".join(intervals) or "nothing"
    if "said" in value:
        said = [f"{_words(one['time_s'])} s: {one['text']}" for one in value["said"]]
        return "; ".join(said) or "nothing"
    head = value.get("answer") or value.get("text") or ""
    rest = {
        key: entry
        for key, entry in value.items()
        if key != "answer" and entry not in (None, "", [], head)
    }
    if "text" in rest and value.get("answer"):
        head = f"{head}: {rest.pop('text')}"
    words = ", ".join(f"{key.replace('_', ' ')} {_words(entry)}" for key, entry in rest.items())
    return f"{head} ({words})" if head and words else head or words
