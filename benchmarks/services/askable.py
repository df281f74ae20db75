"""Who can be asked: the text models and agents that a user may use, and for how many dollars."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from django.core.exceptions import ValidationError
from django.db.models import QuerySet

from annotation.models import User
from benchmarks.engine.model_families import family_of
from benchmarks.engine.task import AnswerShape
from benchmarks.models import AgentEndpoint, Assessment, ItemSet
from benchmarks.selectors.item_sets import (
    may_see_truth,
    named_judges,
    task_of,
    tells_when_asked,
)
from generation.models import TextEndpoint
from generation.selectors.calls.endpoints import endpoints_for_user

MOST_USD = 1_000_000
# What an agent can say in one reply, whatever was asked before.
AGENT_SHAPES = {AnswerShape.ONE, AnswerShape.TEXT}


def usable_endpoints(user: User | None) -> QuerySet[TextEndpoint]:
    """The text models that a user may use; None is the command line, which may use all."""
    return TextEndpoint.objects.all() if user is None else endpoints_for_user(user, TextEndpoint)


def usable_agents(user: User | None) -> QuerySet[AgentEndpoint]:
    """The agents that a user may use, likewise."""
    return AgentEndpoint.objects.all() if user is None else endpoints_for_user(user, AgentEndpoint)


def agents_for(user: User | None, item_set: ItemSet) -> QuerySet[AgentEndpoint]:
    """The agents that a user may have asked about a set."""
    agents = usable_agents(user).exclude(card={})
    return agents if task_of(item_set).shape in AGENT_SHAPES else agents.none()


def askable_endpoint(user: User | None, public_id: str) -> TextEndpoint | AgentEndpoint:
    """The model or agent to ask; the ValidationError does not reveal whether others exist."""
    model = usable_endpoints(user).filter(public_id=public_id).first()
    agent = usable_agents(user).filter(public_id=public_id).first()
    endpoint = model or agent
    if endpoint is None:
        raise ValidationError({"endpoint": f"You have no text model or agent {public_id!r}."})
    return endpoint


def refuse_agent(item_set: ItemSet, agent: AgentEndpoint) -> None:
    """Raise ValidationError where an agent cannot be asked about a set."""
    shape = task_of(item_set).shape
    if shape not in AGENT_SHAPES:
        words = f"Agents answer tasks with one answer or a text for each item, not {shape}."
        raise ValidationError({"endpoint": words})
    if not agent.card:
        words = f"The card of {agent.name} was not read yet; test the agent first."
        raise ValidationError({"endpoint": words})


def refuse_telling(user: User | None, item_set: ItemSet) -> None:
    """Raise ValidationError where a model would be told what its owner may not see.

    Whoever runs a server reads what is sent there, such as the right history of later items.
    """
    if user is not None and tells_when_asked(item_set) and not may_see_truth(user, item_set):
        words = (
            "Models are told what was right before, which you may not see: upload answers instead."
        )
        raise ValidationError({"endpoint": words})


def usable_endpoint(
    usable: QuerySet[TextEndpoint], public_id: str, field: str = "judges"
) -> TextEndpoint:
    """One of the usable endpoints; the ValidationError does not reveal whether others exist."""
    endpoint = usable.filter(public_id=public_id).first()
    if endpoint is None:
        raise ValidationError({field: f"You have no text model {public_id!r}."})
    return endpoint


def judges_open_to(
    user: User | None, item_set: ItemSet, *, sees_truth: bool | None = None
) -> QuerySet[TextEndpoint]:
    """The text models that the user may let grade answers to a set.

    A judge's server is sent the truth: who may not see that has only the judges that its owner
    named. A page that knows whether the user `sees_truth` says so. No user is the command line.
    """
    usable = usable_endpoints(user)
    if user is None:
        return usable
    if may_see_truth(user, item_set) if sees_truth is None else sees_truth:
        return usable
    return usable.filter(pk__in=[judge.pk for judge in named_judges(item_set)])


def refuse_judges(user: User | None, item_set: ItemSet, judges: Sequence[str]) -> None:
    """Raise ValidationError where a user who may not see the truth names judges of their own."""
    if user is None or not judges or may_see_truth(user, item_set):
        return
    named = judges_open_to(user, item_set).order_by("name")
    if set(judges) - {endpoint.public_id for endpoint in named}:
        words = "Judges read the truth, which you may not see; the owner of the set can name some."
        listed = ", ".join(f"{endpoint.name} ({endpoint.public_id})" for endpoint in named)
        raise ValidationError({"judges": f"{words} Open to you: {listed or 'none'}."})


def untrusted_judges(assessment: Assessment, judges: Sequence[TextEndpoint]) -> list[TextEndpoint]:
    """Those of its judges whose servers may not be sent the truth, or not any more.

    Where the assessment's owner may not see it, a judge is named by the set's owner, at the server
    that it had then, or belongs to somebody who sees the truth.
    """
    owner, item_set = assessment.owner, assessment.item_set
    if owner is None or may_see_truth(owner, item_set):
        return []
    named = named_judges(item_set)
    return [
        judge for judge in judges
        if judge not in named and not (judge.owner and may_see_truth(judge.owner, item_set))
    ]  # fmt: skip


def role_settings(
    usable: QuerySet[TextEndpoint],
    item_set: ItemSet,
    endpoint: TextEndpoint | AgentEndpoint,
    roles: Mapping[str, str],
) -> dict[str, Any]:
    """The settings that name who has the other roles of a set; ValidationError by field.

    A role without a name is the participant's own model's.
    """
    wanted = task_of(item_set).roles(item_set.settings)
    if unknown := sorted(set(roles) - set(wanted)):
        known = ", ".join(wanted) or "none"
        words = f"{', '.join(unknown)}: this set has no such role; expected {known}."
        raise ValidationError({"roles": words})
    if not wanted:
        return {}
    named = {
        role: usable_endpoint(usable, roles.get(role) or endpoint.public_id, "roles")
        for role in wanted
    }
    return {
        "roles": {role: one.public_id for role, one in named.items()},
        "role_names": [
            f"{wanted[role].lower()} {one.name} ({one.model_name})" for role, one in named.items()
        ],
    }


def judge_settings(
    usable: QuerySet[TextEndpoint], judges: Sequence[str], model_name: str
) -> dict[str, Any]:
    """The settings that name the judges; ValidationError for one that is not usable.

    `kin_judges` are those of the participant's own family of models.
    """
    endpoints = [usable_endpoint(usable, public_id) for public_id in dict.fromkeys(judges)]
    if not endpoints:
        return {}
    return {
        "judges": [endpoint.public_id for endpoint in endpoints],
        "judge_names": [
            f"{endpoint.name} ({endpoint.model_name}{_kinship(endpoint.model_name, model_name)})"
            for endpoint in endpoints
        ],
        "kin_judges": [
            endpoint.name for endpoint in endpoints if _kinship(endpoint.model_name, model_name)
        ],
    }


def _kinship(judge: str, participant: str) -> str:
    """What is said of a judge whose model is the participant's, or of its family."""
    if participant and judge == participant:
        return ", the participant's own model"
    family = family_of(participant)
    return ", of the participant's own family" if family and family == family_of(judge) else ""


def checked_budget(budget_usd: float | None) -> Decimal | None:
    """Dollars as they are stored; raises ValidationError."""
    if budget_usd is None:
        return None
    if not 0 < budget_usd < MOST_USD:
        raise ValidationError({"budget_usd": f"It is {budget_usd}; expected dollars above 0."})
    return Decimal(str(budget_usd))
