"""Descriptions that are built from slots: "Use {wrong} but should use {correct}".

Source: EgoOops, the table of description templates. A slot is a word in braces; what the person
fills in has no article and no subject.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

_SLOT = re.compile(r"\{([a-z_]+)\}")


class TemplateError(ValueError):
    """A slot is empty or unknown; names it and the slots that the template has."""


@dataclass(frozen=True, slots=True)
class Template:
    """One wording; of several for a label the first that fits a text is used."""

    pattern: str

    @property
    def slots(self) -> tuple[str, ...]:
        """The slots in their order, each once."""
        return tuple(dict.fromkeys(_SLOT.findall(self.pattern)))

    def text(self, values: Mapping[str, str]) -> str:
        """The description; raises `TemplateError` where a slot is empty or unknown.

        >>> Template("Use {wrong} but should use {correct}").text({"wrong": "tape",
        ...                                                        "correct": "glue"})
        'Use tape but should use glue'
        """
        slots = ", ".join(self.slots) or "no slots"
        for name in values:
            if name not in self.slots:
                raise TemplateError(f"slot {name!r} is not in {self.pattern!r}; expected {slots}")
        filled = {name: " ".join(values.get(name, "").split()) for name in self.slots}
        for name, value in filled.items():
            if not value:
                raise TemplateError(f"slot {name!r} of {self.pattern!r} is empty; expected words")
        return _SLOT.sub(lambda match: filled[match[1]], self.pattern)

    def values(self, text: str) -> dict[str, str] | None:
        """The slots of a text that was built with this template, or None where it was not.

        Upper and lower case count as the same, and so does any run of spaces. Where the words could
        be split in several ways, earlier slots get as little as possible.

        >>> Template("Use {wrong} but should use {correct}").values("use tape  but should use glue")
        {'wrong': 'tape', 'correct': 'glue'}
        """
        seen: set[str] = set()
        parts = []
        for place, part in enumerate(_SLOT.split(" ".join(self.pattern.split()))):
            if place % 2 == 0:
                parts.append(re.escape(part))
            elif part in seen:
                parts.append(f"(?P={part})")
            else:
                parts.append(rf"(?P<{part}>\S(?:.*?\S)?)")
                seen.add(part)
        match = re.fullmatch("".join(parts), " ".join(text.split()), re.IGNORECASE)
        return None if match is None else match.groupdict()
