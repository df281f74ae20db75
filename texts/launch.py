"""See to it that stored figures of rounds of texts become current."""

from collections.abc import Sequence

from annotation.launch import send_jobs
from annotation.models import Round, User
from texts.selectors.figures import StoredTextFigures, stored_text_figures
from texts.services.figures import JOB_KIND, compute_text_figures, queue_text_figures

# The figures of so many verdicts take about a tenth of a second.
VERDICTS_AT_ONCE = 1000


def figures_to_show(*, rounds: Sequence[Round], actor: User | None) -> list[StoredTextFigures]:
    """The figures of rounds as they are stored, in their order.

    Outdated ones of few verdicts are computed here, so that a small round needs no worker; others
    are queued, and what is returned says how old it is.
    """
    stored = stored_text_figures(rounds)
    outdated = [item for item in stored if item.is_outdated]
    for item in outdated:
        if item.state.given > VERDICTS_AT_ONCE:
            job_ids = queue_text_figures(round_=item.round, actor=actor)
            send_jobs(kind=JOB_KIND, job_ids=job_ids)
        else:
            compute_text_figures(round_=item.round)
    return stored_text_figures(rounds) if outdated else stored
