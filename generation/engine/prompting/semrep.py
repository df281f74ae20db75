"""The prompt for semantic representations, and how its answer is read."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from generation.engine.prompting.prompt import Prompt, render
from generation.engine.prompting.schemas import SEMREP_SCHEMA
from generation.engine.semrep import Role, SemRepError, parse

VERSION = "semrep.v1"
BATCH_SIZE = 15


@dataclass(frozen=True, slots=True)
class SemRepReading:
    """The usable part of an answer: representations by id, and why others are left out."""

    by_id: Mapping[str, str]
    problems: tuple[str, ...]


def semrep_prompt(text_by_id: Mapping[str, str]) -> Prompt:
    """The prompt about step texts, each with an id that the answer must repeat."""
    others = [str(role) for role in Role if role not in {Role.AGENT, Role.OBJECT}]
    items = [{"id": item_id, "text": text} for item_id, text in text_by_id.items()]
    lines = [json.dumps(item, ensure_ascii=False) for item in items]
    return render(VERSION, SEMREP_SCHEMA, roles=", ".join(others), items="\n".join(lines))


def read_semreps(text_by_id: Mapping[str, str], answer: Mapping[str, Any]) -> SemRepReading:
    """The representations in an answer that belong to their texts and can be read.

    If a model changes an id or a letter of a text, it may have represented another text, so that
    item is left out, as is one that the parser cannot read without repair.
    """
    by_id: dict[str, str] = {}
    problems: list[str] = []
    for row in answer["items"]:
        item_id, text, representation = row["id"], row["text"], row["representation"]
        problem = ""
        if item_id not in text_by_id:
            problem = "this id was not in the question"
        elif item_id in by_id:
            problem = "answered twice"
        elif text != text_by_id[item_id]:
            problem = f"the text is {text!r}; expected {text_by_id[item_id]!r}"
        else:
            try:
                warnings = parse(representation).warnings
                problem = f"{warnings[0]}, in {representation!r}" if warnings else ""
            except SemRepError as error:
                problem = str(error)
        if problem:
            problems.append(f"{item_id}: {problem}")
        else:
            by_id[item_id] = representation.strip()
    problems += [f"{item}: not answered" for item in text_by_id if item not in by_id]
    return SemRepReading(by_id=by_id, problems=tuple(problems))
