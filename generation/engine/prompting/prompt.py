"""Prompt files: two parts under headings, with placeholders, and a version in the name.

A file is never edited once answers were recorded under it: another wording is another version.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from string import Template
from typing import Any

FOLDER = Path(__file__).resolve().parents[2] / "prompts"
SYSTEM_HEADING, PROMPT_HEADING = "# System\n", "\n# Prompt\n"


@dataclass(frozen=True, slots=True)
class Prompt:
    """A filled-in prompt: its two texts, the version of the file, and the schema of the answer."""

    system: str
    text: str
    version: str
    schema: Mapping[str, Any]


class PromptFileError(ValueError):
    """A prompt file does not have the two parts."""


def render(version: str, schema: Mapping[str, Any], **fields: str) -> Prompt:
    """The prompt of a file (`writer.v2`) with its placeholders filled in.

    Raises KeyError for a placeholder that `fields` lacks. Values are not substituted again, so a
    `$` in a step's text stays as it is.
    """
    system, body = _parts(version)
    text = Template(body).substitute(fields).strip()
    return Prompt(system=system, text=text, version=version, schema=schema)


@cache
def _parts(version: str) -> tuple[str, str]:
    content = (FOLDER / f"{version}.md").read_text(encoding="utf-8")
    head, heading, body = content.partition(PROMPT_HEADING)
    if not head.startswith(SYSTEM_HEADING) or not heading:
        raise PromptFileError(f"{version}.md: expected the headings '# System' and '# Prompt'")
    return head.removeprefix(SYSTEM_HEADING).strip(), body
