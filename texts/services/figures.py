"""Compute the figures of rounds of texts, in a job where there are many verdicts; store them.

Verdicts come in while figures are computed, and nothing waits for that: how far they were is noted
before they are read, so that whatever came later counts as newer.
"""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

from annotation.models import Round, User
from annotation.services.figures.figures import queue_stored
from annotation.services.records.jobs import Claim, beating, finish_job, work_on_jobs
from texts.models import TextRoundFigures
from texts.selectors.figures import ReadingState, figures_now, reading_states

# Also the name of the Celery task.
JOB_KIND = "texts.figures"


@transaction.atomic
def queue_text_figures(
    *, round_: Round, actor: User | None, now: datetime | None = None
) -> list[int]:
    """Queue the figures of a round and return the job; none while one is at it or in the pause."""
    TextRoundFigures.objects.get_or_create(round=round_)
    return queue_stored(TextRoundFigures, round_.pk, kind=JOB_KIND, actor=actor, now=now)


def compute_queued_text_figures(*, job_ids: Sequence[int]) -> None:
    """Compute the figures behind these jobs; safe to call twice with the same ids."""
    work_on_jobs(job_ids=job_ids, handler=_work)


def _work(claim: Claim) -> None:
    round_ = Round.objects.select_related("texts").filter(text_figures__job=claim.job_id).first()
    if round_ is None:
        finish_job(claim=claim, result={"skipped": "these figures are no longer needed"})
        return
    with beating(claim):
        computed = _computed(round_)
    with transaction.atomic():
        finish_job(claim=claim, result=computed["state"])
        TextRoundFigures.objects.filter(round=round_).update(**computed)


def compute_text_figures(*, round_: Round) -> None:
    """Compute the figures of a round here and now, and store them."""
    TextRoundFigures.objects.update_or_create(round=round_, defaults=_computed(round_))


def _computed(round_: Round) -> dict[str, Any]:
    """The columns of the figures."""
    state = reading_states([round_.pk]).get(round_.pk, ReadingState())
    return {
        "state": state.to_dict(),
        "figures": asdict(figures_now(round_)),
        "computed_at": timezone.now(),
    }
