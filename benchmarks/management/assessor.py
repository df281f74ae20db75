"""The site behind the assessor: who asks, what is queued, and how it stands."""

import uuid
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, TypeVar

from django.core.exceptions import ValidationError
from django.db import IntegrityError, connection, transaction
from django.http import Http404
from rest_framework.authentication import TokenAuthentication
from rest_framework.exceptions import AuthenticationFailed

from annotation.engine.exceptions import NotNowError
from annotation.models import User
from benchmarks import launch
from benchmarks.backends.a2a.assessor import RequestRefusedError, Standing
from benchmarks.models import AgentTask, ItemSet
from benchmarks.selectors.agents import agent_tasks_of, results_of, state_of_task, words_of_task
from benchmarks.selectors.item_sets import visible_item_sets
from benchmarks.services.agents import agent_at
from benchmarks.services.assessments import AskRequest, cancel_assessment

# Fields of `AskRequest` that a config may set. A temperature is not sent to agents.
CONFIG: dict[str, Any] = {
    "pictures": int,
    "picture_side": int,
    "repeats": int,
    "limit": int,
    "concurrency": int,
    "timeout_s": int,
    "budget_usd": int | float,
    "judges": list,
    "variant": str,
}
WORDS = {
    int: "a whole number",
    int | float: "a number",
    list: "a list of ids of text models",
    str: "a text",
}
ITEM_SET = "item_set"

Result = TypeVar("Result")


def _with_connection(method: Callable[..., Result]) -> Callable[..., Result]:
    """A method that runs in a thread of the server, which keeps no connection until the next."""

    @wraps(method)
    def connected(*arguments: Any) -> Result:
        try:
            return method(*arguments)
        finally:
            connection.close()

    return connected


class StoredSite:
    """What is stored, for the assessor; see `benchmarks.backends.a2a.assessor.Site`."""

    @_with_connection
    def user_of(self, token: str) -> User | None:
        try:
            user, _ = TokenAuthentication().authenticate_credentials(token)
        except AuthenticationFailed:
            return None
        return user if user.is_researcher else None

    @_with_connection
    def start(
        self, user: User, request: Mapping[str, Any], message_id: str, context_id: str
    ) -> str:
        earlier = AgentTask.objects.filter(owner=user, message_id=message_id[:200]).first()
        if earlier is not None:
            return earlier.task_id
        address, item_set, body = _read(user, request)
        try:
            # Before the transaction: it asks another server.
            agent = agent_at(address=address, actor=user)
            with transaction.atomic():
                asked = AskRequest(**body, endpoint=agent.public_id)
                assessment = launch.launch_assessment(item_set=item_set, request=asked, actor=user)
                task = AgentTask.objects.create(
                    task_id=str(uuid.uuid4()),
                    context_id=context_id[:200],
                    message_id=message_id[:200],
                    owner=user,
                    assessment=assessment,
                )
        except ValidationError as error:
            raise RequestRefusedError(_problems_in(error)) from error
        except NotNowError as error:
            raise RequestRefusedError([str(error)]) from error
        except IntegrityError:
            # The same message was sent twice at once; the other has started it.
            return AgentTask.objects.get(owner=user, message_id=message_id[:200]).task_id
        return task.task_id

    @_with_connection
    def standing(self, user: User, task_id: str) -> Standing | None:
        task = agent_tasks_of(user).filter(task_id=task_id[:64]).first()
        return None if task is None else _standing_of(user, task)

    @_with_connection
    def cancel(self, user: User, task_id: str) -> bool:
        task = agent_tasks_of(user).get(task_id=task_id[:64])
        return bool(cancel_assessment(assessment=task.assessment, actor=user))

    @_with_connection
    def latest(self, user: User, count: int) -> list[Standing]:
        return [_standing_of(user, task) for task in agent_tasks_of(user)[:count]]


def _standing_of(user: User, task: AgentTask) -> Standing:
    job, state = task.assessment.job, state_of_task(task)
    results: Mapping[str, Any] = {}
    words = words_of_task(task)
    if state == "COMPLETED":
        try:
            results = results_of(user, task.assessment)
        except (Http404, NotNowError):
            words = "It is done; you may not see the item set now."
    return Standing(
        task_id=task.task_id,
        context_id=task.context_id,
        state=state,
        done_count=0 if job is None else job.done_count,
        total_count=0 if job is None else job.total_count,
        words=words,
        results=results,
    )


def _read(user: User, request: Mapping[str, Any]) -> tuple[str, ItemSet, dict[str, Any]]:
    """The agent's address, the set and how to ask; RequestRefusedError names every problem."""
    problems = [
        f"{name!r} is not known; expected participants and config"
        for name in request
        if name not in {"participants", "config"}
    ]
    participants, config = request.get("participants"), request.get("config")
    address = ""
    if isinstance(participants, Mapping) and len(participants) == 1:
        address = next(iter(participants.values()))
    if not isinstance(address, str) or not address:
        problems.append("participants: expected one role with the address of an agent")
    if not isinstance(config, Mapping):
        raise RequestRefusedError([*problems, f"config: expected an object with {ITEM_SET}"])
    body = {name: value for name, value in config.items() if name != ITEM_SET}
    problems += [_problem(name, value) for name, value in body.items() if not _fits(name, value)]
    item_set = _item_set(user, config.get(ITEM_SET))
    if item_set is None:
        problems.append(f"config.{ITEM_SET}: you have no frozen set {config.get(ITEM_SET)!r}")
    if problems or item_set is None:
        raise RequestRefusedError(problems)
    return address, item_set, body


def _problems_in(error: ValidationError) -> list[str]:
    """What is wrong with values of the config, by their name, and with anything else."""
    if not hasattr(error, "error_dict"):
        return error.messages
    return [
        f"config.{field}: {words}" if field in CONFIG else words
        for field, messages in error.message_dict.items()
        for words in messages
    ]


def _fits(name: str, value: object) -> bool:
    """Whether a key of the config is known and its value of the right type; ranges come later."""
    if name == "judges":
        return isinstance(value, list) and all(isinstance(judge, str) for judge in value)
    return isinstance(value, CONFIG.get(name, ())) and not isinstance(value, bool)


def _problem(name: str, value: object) -> str:
    if name in CONFIG:
        return f"config.{name} is {value!r}; expected {WORDS[CONFIG[name]]}"
    return f"config.{name} is not known; expected {ITEM_SET}, {', '.join(CONFIG)}"


def _item_set(user: User, named: object) -> ItemSet | None:
    """A frozen set that the user may see, by its id or as "name@version"."""
    if not isinstance(named, str):
        return None
    sets = visible_item_sets(user).filter(frozen_at__isnull=False)
    name, _, version = named.rpartition("@")
    if version.isdecimal() and len(version) < 9:
        return sets.filter(name=name, version=int(version)).first()
    return sets.filter(public_id=named).first()
