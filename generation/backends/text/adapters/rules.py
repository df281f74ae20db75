"""The embedded default: the rule-based writer and analyser behind the interface of a text model.

It reads the material of a request instead of its prose, needs no key and no network, costs nothing
and gives the same answer every time. `material["task"]` says what is wanted:

  write    `plan` in the published form, `take_uid`, `seed`: a rewrite in the published form
  semrep   `items` with `id` and `text`: the same with a representation each
"""

import json
import time
from collections.abc import Callable, Mapping
from typing import Any

from generation.backends.text.answers import checked_answer
from generation.backends.text.exceptions import RejectedError
from generation.backends.text.model import (
    FinishReason,
    ModelSettings,
    TextAnswer,
    TextModel,
    TextRequest,
)
from generation.engine.english.analyser import analyse
from generation.engine.planner.plan_json import plan_from_dict
from generation.engine.planner.randomness import generator_for
from generation.engine.rewriting.exceptions import PlanConflictError
from generation.engine.rewriting.writer import write_rewrite
from generation.engine.semrep import SemRepError

NAME = "rules"
# The stage whose random generator the writer takes.
WRITE_STAGE = "write"


def build(settings: ModelSettings) -> TextModel:
    """Return the rules; they have no settings."""
    return RulesModel()


class RulesModel:
    """Answers what rules can answer, and rejects the rest."""

    def complete(
        self, request: TextRequest, *, hang_up: Callable[[], None] | None = None
    ) -> TextAnswer:
        """Carry out the task of the request's material."""
        material = request.material or {}
        task = _TASKS.get(str(material.get("task")))
        if task is None:
            raise RejectedError(
                f"rules cannot do {material.get('task')!r}; expected one of {', '.join(_TASKS)}"
            )
        started_at = time.monotonic()
        text = json.dumps(task(material))
        answer = TextAnswer(
            text=text,
            parsed=None,
            model=NAME,
            tokens_in=0,
            tokens_out=0,
            seconds=time.monotonic() - started_at,
            finish_reason=FinishReason.STOP,
        )
        return checked_answer(request, answer)


def _write(material: Mapping[str, Any]) -> dict[str, Any]:
    plan = plan_from_dict(material["take_uid"], material["plan"])
    rng = generator_for(material["seed"], plan.take_uid, WRITE_STAGE)
    try:
        written = write_rewrite(plan, rng=rng)
    except PlanConflictError as error:
        raise RejectedError(f"the plan cannot be written: {error}") from error
    document = written.rewrite.to_dict()
    return {"final_steps": document["final_steps"], "meta": document["meta"]}


def _represent(material: Mapping[str, Any]) -> dict[str, Any]:
    return {"items": [_represented(item) for item in material["items"]]}


def _represented(item: Mapping[str, str]) -> dict[str, str]:
    try:
        representation = str(analyse(item["text"]))
    except SemRepError as error:
        raise RejectedError(f"{item['id']}: {error}") from error
    return {"id": item["id"], "text": item["text"], "representation": representation}


_TASKS: dict[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = {
    "write": _write,
    "semrep": _represent,
}
