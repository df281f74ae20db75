"""Items, and the requests about them: what a task makes of its material and of each item.

Tasks import these from `benchmarks.engine.task`, which has the rest of the protocol.
"""

from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from typing import Any

# A read answer as JSON; `AnswerShape` lists its keys.
Value = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Stretch:
    """A piece of a recording, in seconds, of which `pictures` are shown.

    None: as many as the participant gets of each piece.
    """

    start_s: float
    end_s: float
    pictures: int | None = None


@dataclass(frozen=True, slots=True)
class Item:
    """One question with its truth. Participants never get `truth` and `groups`.

    `key` is unique in the set and stable: the same material, settings and seed give it again.
    Participants get an opaque key instead, so it may name the event.
    `payload` is what a participant reads, as JSON; `question` the same as one text, for the page.
    `choices` are the answers to choose from (for INTERVALS the labels), empty for free answers.
    The recording may be seen from `start_s` to `moment_s`; both are None for no pictures. With
    `stretches` models get pictures of these pieces, which end by the moment, instead. `told` is
    said only when the item is asked, and neither it nor the stretches are ever downloaded: what
    was right at earlier items may be in them.
    Items with the same `sequence` are asked by rising `position`, the others in any order.
    `groups` are breakdowns by name: {"mistake type": "WE", "phase": "during"}.
    `take`, `procedure`, `person` are compared between parts, for leakage; intervals draw takes.
    `part` is "" or the part of the division that the item belongs to.
    """

    key: str
    recording: str
    payload: Mapping[str, Any]
    truth: Mapping[str, Any]
    question: str = ""
    choices: tuple[str, ...] = ()
    start_s: float | None = None
    moment_s: float | None = None
    sequence: str = ""
    position: int = 0
    groups: Mapping[str, str] = field(default_factory=dict)
    part: str = ""
    take: str = ""
    procedure: str = ""
    person: str = ""
    stretches: tuple[Stretch, ...] = ()
    told: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Example:
    """An item that is shown with its answer before a question; `text` has both in words.

    The frame adds the pictures of the item.
    """

    item: Item
    text: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """A request to a text model; `version` changes whenever a word of it does.

    `schema` is a JSON schema that strict mode accepts, None for plain text. `picture_note` precedes
    the pictures, if any. `examples` stand before the text, with pictures of their own.
    """

    version: str
    system: str
    text: str
    schema: Mapping[str, Any] | None = None
    max_tokens: int = 400
    picture_note: str = ""
    examples: tuple[Example, ...] = ()


@dataclass(frozen=True, slots=True)
class Variant:
    """A way to ask a model, which is part of the participant's name.

    `request_count` is the most requests about one item, `has_examples` whether it shows any.
    """

    name: str
    title: str
    request_count: int = 1
    has_examples: bool = False


@dataclass(frozen=True, slots=True)
class Turn:
    """What a request about an item depends on besides the item.

    `variant` is the name of the task's variant, `examples` are items with their truth to show, and
    `replies` the texts that earlier requests about the same item got.
    """

    variant: str = ""
    examples: tuple[Item, ...] = ()
    replies: tuple[str, ...] = ()


# The first request of a task's first variant, without examples.
PLAIN = Turn()


@dataclass(frozen=True, slots=True)
class Earlier:
    """An earlier item of the sequence with the participant's answer, None where there is none."""

    item: Item
    value: Value | None


@dataclass(frozen=True, slots=True)
class Request:
    """What a task asks one of its `roles`, "" for the participant itself, about an item.

    Pictures are of the `stretches`, and none is later than `until_s`, the item's moment if None.
    """

    role: str
    prompt: Prompt
    stretches: tuple[Stretch, ...] = ()
    until_s: float | None = None


@dataclass(frozen=True, slots=True)
class Response:
    """What came of a request: a text, or None and the `reason` for none.

    `arrived_s` is when it came, on the clock of the recording; None where that clock stands still
    while somebody is asked. `has_failed`: nobody answered, and may do when asked again.
    """

    text: str | None
    reason: str = ""
    arrived_s: float | None = None
    has_failed: bool = False


@dataclass(frozen=True, slots=True)
class Conversed:
    """How a conversation about an item ended.

    `value` is None where the item got no answer, for the `reason`. `state` is what the next item of
    the sequence begins with, as JSON.
    """

    value: Value | None
    reason: str
    state: Mapping[str, Any]


# Asks by what it yields, is sent what came of it, and returns how it ended.
Conversation = Generator[Request, Response, Conversed]
