"""Start queued work: write the rows, then send the messages once they are committed."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from math import ceil

from celery import current_app
from django.db import transaction
from kombu.exceptions import OperationalError as BrokerError

from annotation.analytics.pictures.canvas import Picture, PictureFormat
from annotation.models import (
    Campaign,
    Dataset,
    DrawnPicture,
    Job,
    Rating,
    Round,
    ScreeningResult,
    User,
    Video,
)
from annotation.selectors.figures.drawn_pictures import picture_key, stored_pictures
from annotation.selectors.figures.figures import (
    Figures,
    FiguresScope,
    InterimFigures,
    has_more_ratings_than,
    stored_figures,
)
from annotation.selectors.figures.stored_raters import StoredRaters, stored_raters
from annotation.selectors.figures.who_is_right import ShownWhoIsRight, stored_who_is_right
from annotation.selectors.videos.media import is_watchable
from annotation.services.figures.drawing import JOB_KIND as PICTURES_KIND
from annotation.services.figures.drawing import queue_pictures
from annotation.services.figures.figures import JOB_KIND as FIGURES_KIND
from annotation.services.figures.figures import compute_figures, queue_figures
from annotation.services.figures.interim_looks import note_interim_looks
from annotation.services.figures.raters import JOB_KIND as RATERS_KIND
from annotation.services.figures.raters import compute_raters, queue_raters
from annotation.services.figures.who_is_right import JOB_KIND as LIKELY_KIND
from annotation.services.figures.who_is_right import queue_who_is_right
from annotation.services.ratings.screening import JOB_KIND as SCREENING_KIND
from annotation.services.ratings.screening import queue_screening, run_screening
from annotation.services.records.audit_log import record
from annotation.services.records.jobs import due_jobs, lost_job_ids, note_sent, requeue_jobs
from annotation.services.videos import ingest

# The figures of so many ratings take about a third of a second.
RATINGS_AT_ONCE = 20_000
# Each has queries of its own, and every two of them are compared.
ROUNDS_AT_ONCE = 20
# The figures of the raters of so many ratings, with plans and intervals, take about a second.
RATERS_AT_ONCE = 5_000
# More messages than a site has worker processes, and few enough to carry at once.
RESENT_MESSAGES = 100
QUEUE_PATIENCE_S = 2.0


@transaction.atomic
def launch_ingest(
    *, dataset: Dataset, actor: User | None, videos: Sequence[Video] | None = None
) -> int:
    """Queue the recordings of a data set that are not ingested as they are; return how many.

    All of them, unless `videos` names some.
    """
    job_ids = ingest.queue_ingest(dataset=dataset, actor=actor, videos=videos)
    send_jobs(kind=ingest.JOB_KIND, job_ids=job_ids)
    return len(job_ids)


def launch_for_raters(videos: Iterable[Video]) -> None:
    """Queue what has to be made of recordings before people can watch them at work."""
    waiting = [video for video in videos if not is_watchable(video)]
    if waiting:
        with transaction.atomic():
            job_ids = ingest.queue_for_raters(videos=waiting)
            send_jobs(kind=ingest.JOB_KIND, job_ids=job_ids)


@transaction.atomic
def launch_detail(video: Video) -> None:
    """Queue what a recording lacks for labelling, as it was ingested before that was made."""
    send_jobs(kind=ingest.JOB_KIND, job_ids=ingest.queue_detail(video=video))


@transaction.atomic
def launch_lacking_copies() -> int:
    """Queue the copies for raters that an earlier version did not make; return how many."""
    job_ids = ingest.queue_lacking_copies()
    send_jobs(kind=ingest.JOB_KIND, job_ids=job_ids)
    return len(job_ids)


def figures_to_show(*, scope: FiguresScope, actor: User | None) -> Figures:
    """Return the figures of a scope as they are stored, and see to it that they become current.

    Those of few ratings in few rounds are computed here, in less time than a page takes to ask
    again: a small audit needs no worker to have its figures. Others are queued, and what is
    returned says how old it is. A look at a main round that is open is stored.
    """
    figures = _current_figures(scope, actor)
    _note_looks(figures.interim, actor)
    return figures


def _note_looks(looks: Iterable[InterimFigures], actor: User | None) -> None:
    new = [look for look in looks if not look.is_noted]
    if new and actor is not None:
        note_interim_looks(looks=new, person=actor)


def _current_figures(scope: FiguresScope, actor: User | None) -> Figures:
    figures = stored_figures(scope, actor)
    if not figures.is_outdated:
        return figures
    if len(scope.rounds) > ROUNDS_AT_ONCE or has_more_ratings_than(scope, RATINGS_AT_ONCE):
        job_ids = queue_figures(scope=scope, actor=actor)
        send_jobs(kind=FIGURES_KIND, job_ids=job_ids)
    else:
        compute_figures(scope=scope)
    return stored_figures(scope, actor)


def raters_to_show(*, round_: Round, actor: User | None) -> StoredRaters:
    """As `figures_to_show`, of the raters of a round."""
    figures = stored_raters(round_, actor)
    if figures.is_outdated:
        if _has_many_ratings(round_):
            send_jobs(kind=RATERS_KIND, job_ids=queue_raters(round_=round_, actor=actor))
        else:
            compute_raters(round_=round_)
        figures = stored_raters(round_, actor)
    _note_looks(figures.interim, actor)
    return figures


def launch_screening(*, round_: Round, actor: User) -> list[ScreeningResult] | None:
    """Run the rules of a round; what they found, None where a worker runs them."""
    if _has_many_ratings(round_):
        send_jobs(kind=SCREENING_KIND, job_ids=queue_screening(round_=round_, actor=actor))
        return None
    return run_screening(round_=round_, actor=actor)


def _has_many_ratings(round_: Round) -> bool:
    rated = Rating.objects.filter(assignment__round=round_).order_by().values("pk")
    return rated[: RATERS_AT_ONCE + 1].count() > RATERS_AT_ONCE


def who_is_right_to_show(*, campaign: Campaign, actor: User | None) -> ShownWhoIsRight:
    """Who is right in a campaign as it is stored; always computed by a worker.

    A look at a main round that is open is stored.
    """
    figures = stored_who_is_right(campaign, actor)
    if figures.is_outdated and not figures.is_being_computed:
        send_jobs(kind=LIKELY_KIND, job_ids=queue_who_is_right(campaign=campaign, actor=actor))
        figures = stored_who_is_right(campaign, actor)
    _note_looks(figures.interim, actor)
    return figures


def pictures_to_show(
    *,
    pictures: Sequence[Picture],
    owner: Campaign | Dataset,
    actor: User | None,
    form: PictureFormat | None = None,
) -> list[DrawnPicture]:
    """The rows of pictures, in their order; those that are not drawn yet are queued.

    A picture is drawn by a worker, also a small one, and once for the same figures. `form` is that
    of the files which are read with the rows.
    """
    keys = [picture_key(picture, owner) for picture in pictures]
    rows = stored_pictures(keys, form)
    missing = {
        key: picture
        for key, picture in zip(keys, pictures, strict=True)
        if key not in rows or (rows[key].computed_at is None and not rows[key].is_being_computed)
    }
    if missing:
        job_ids = queue_pictures(pictures=missing, owner=owner, actor=actor)
        send_jobs(kind=PICTURES_KIND, job_ids=job_ids)
        rows = stored_pictures(keys, form)
    return [rows[key] for key in keys]


def queue_answers() -> bool:
    """Whether messages can be sent now; a queue that is silent is waited for no longer than 2 s."""
    with current_app.connection_for_write(connect_timeout=QUEUE_PATIENCE_S) as queue:
        try:
            queue.ensure_connection(max_retries=1, timeout=QUEUE_PATIENCE_S)
        except BrokerError:
            return False
    return True


def send_jobs(*, kind: str, job_ids: Sequence[int], batch_size: int = 1) -> None:
    """Send one message per batch of jobs when the current transaction commits.

    `kind` is the name of the Celery task that works on such jobs. Larger batches save messages for
    jobs of milliseconds; every job of a batch is still claimed by itself. A queue that is away
    does not undo what was asked for: the rows are there, and the sweeper sends their messages.
    """
    ids = list(job_ids)

    def send() -> None:
        _send_now(kind, ids, batch_size)

    transaction.on_commit(send, robust=True)


def _send_now(kind: str, job_ids: list[int], batch_size: int) -> None:
    for start in range(0, len(job_ids), batch_size):
        current_app.send_task(kind, args=[job_ids[start : start + batch_size]])


@transaction.atomic
def retry_jobs(*, job_ids: Iterable[int], actor: User) -> int:
    """Put failed jobs back on the queue and return how many."""
    queued = requeue_jobs(job_ids=job_ids)
    by_kind: dict[str, list[int]] = defaultdict(list)
    for pk, kind in Job.objects.filter(pk__in=queued).values_list("pk", "kind"):
        by_kind[kind].append(pk)
    for kind, ids in by_kind.items():
        send_jobs(kind=kind, job_ids=ids)
    record(actor=actor, action="jobs.retry", subject="site", detail={"jobs": len(queued)})
    return len(queued)


def send_due_jobs() -> None:
    """Send the messages of jobs that were put back on the queue and whose pause is over."""
    for (kind, batch_size), job_ids in due_jobs().items():
        note_sent(job_ids=job_ids)
        _send_now(kind, job_ids, batch_size)


def resend_lost_jobs() -> int:
    """Send new messages for jobs that no worker holds any more; return how many."""
    ids_by_kind: dict[str, list[int]] = defaultdict(list)
    for pk, kind in Job.objects.filter(pk__in=lost_job_ids()).values_list("pk", "kind"):
        ids_by_kind[kind].append(pk)
    note_sent(job_ids=(pk for job_ids in ids_by_kind.values() for pk in job_ids))
    for kind, job_ids in ids_by_kind.items():
        _send_now(kind, job_ids, batch_size=ceil(len(job_ids) / RESENT_MESSAGES))
    return sum(map(len, ids_by_kind.values()))
