"""The prompt for semantic representations, and what is taken over from its answer."""

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
    """What an answer is good for: representations by id, and the reasons for what is left out."""

    by_id: Mapping[str, str]
    problems: tuple[str, ...]


def semrep_prompt(text_by_id: Mapping[str, str]) -> Prompt:
    """The prompt about step texts, each under an id that its answer must carry."""
    others = [str(role) for role in Role if role not in {Role.AGENT, Role.OBJECT}]
    items = [{"id": item_id, "text": text} for item_id, text in text_by_id.items()]
    lines = [json.dumps(item, ensure_ascii=False) for item in items]
    return render(VERSION, SEMREP_SCHEMA, roles=", ".join(others), items="\n".join(lines))


def read_semreps(text_by_id: Mapping[str, str], answer: Mapping[str, Any]) -> SemRepReading:
    """The representations of an answer that belong to their texts and can be read.

    A model that changes an id or a letter of a text may have represented another text, so that
    item is left out, as is one that the parser cannot read without repair.
    """
    by_id: dict[str, str] = {}
    problems: list[str] = []
    for row in answer["items"]:
        item_id, text, representation = row["id"], row["text"], row["representation"]
        problem = ""
        if item_id not in text_by_id:
            problem = "nobody asked for this id"
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
