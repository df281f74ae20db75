"""What is told of an assessment that was asked for over A2A."""

import json
from typing import Any

from django.db.models import QuerySet

from annotation.analytics.tables.table_writers import table_json
from annotation.models import JobStatus, User
from benchmarks.models import AgentTask, Assessment
from benchmarks.selectors.item_sets import get_item_set_for_user
from benchmarks.selectors.tables import participant_note, table_of

STATES = {
    JobStatus.QUEUED: "SUBMITTED",
    JobStatus.RUNNING: "WORKING",
    JobStatus.DONE: "COMPLETED",
    JobStatus.CANCELLED: "CANCELED",
    JobStatus.FAILED: "FAILED",
}
# Errors that were written for people begin with it; others may hold names of files.
TOLD = "It was stopped: "
FIGURE_FIELDS = (
    "measure", "group", "group_value", "value", "low", "high", "reason", "method", "item_count",
    "recording_count",
)  # fmt: skip


def agent_tasks_of(user: User) -> QuerySet[AgentTask]:
    """The user's tasks, the latest first."""
    related = ("assessment__job", "assessment__item_set", "assessment__agent")
    return AgentTask.objects.filter(owner=user).select_related(*related).order_by("-pk")


def state_of_task(task: AgentTask) -> str:
    """The state of a task in the protocol's word."""
    job = task.assessment.job
    return "FAILED" if job is None else STATES[JobStatus(job.status)]


def words_of_task(task: AgentTask) -> str:
    """Why a task failed, for whoever asked for it."""
    if state_of_task(task) != "FAILED" or task.assessment.job is None:
        return ""
    error = task.assessment.job.error
    return error if error.startswith(TOLD) else "It failed; its page on the site says why."


def results_of(user: User, assessment: Assessment) -> dict[str, Any]:
    """The figures of a finished assessment, and the table that page and files show.

    Empty where the user may no longer see the set.
    """
    item_set = get_item_set_for_user(user, assessment.item_set.public_id)
    return {
        "assessment": assessment.public_id,
        "participant": assessment.name,
        "made": participant_note(assessment),
        "settings": assessment.settings,
        "item_set": {
            "id": item_set.public_id,
            "name": item_set.name,
            "version": item_set.version,
            "task": item_set.task,
            "task_version": item_set.task_version,
            "seed": item_set.seed,
            "item_count": item_set.item_count,
            "content_hash": item_set.content_hash,
        },
        "counts": assessment.counts,
        "usage": assessment.usage,
        "figures": list(assessment.figures.values(*FIGURE_FIELDS)),
        "table": json.loads(table_json(table_of(item_set))),
    }
