"""Publish the rewrite of a take as an ordinary trace, in the one data set of its run."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

from annotation.engine.corpus.procedure import ReadingWarning, Take, Trace
from annotation.models import Dataset
from annotation.selectors.corpus.corpus import procedure_of
from annotation.services.corpus.made_traces import MadeFile, link_made_video, put_trace
from annotation.services.records.audit_log import record
from annotation.services.videos.ingest import queue_ingest
from generation.engine.rewriting.rewrite_trace import trace_of_rewrite
from generation.engine.splicing.filmed_trace import filmed_trace
from generation.engine.stages import Stage
from generation.models import PublishedTrace, Run, RunTake
from generation.selectors.provenance import GENERATED
from generation.services.clips.videos import VideoProduct, files_of, finished_file, opaque_uid
from generation.services.stage import StageWork, TakeWork, store_row
from generation.services.stages.judge import JudgementProduct
from generation.services.stages.plan import plan_of
from generation.services.stages.write import RewriteProduct

NAME_CHARACTERS = 200


@dataclass(frozen=True, slots=True)
class TraceProduct:
    """The trace of one take; None if there is nothing to rate, or the judge left hard findings."""

    reference: Take
    trace: Trace | None
    warning_count: int = 0
    video: MadeFile | None = None

    @classmethod
    def load(cls, run_take: RunTake) -> Self:
        """No stage follows publishing, so the trace is never loaded."""
        raise NotImplementedError

    def prepare(self, run_take: RunTake) -> Callable[[], object]:
        def write() -> None:
            if self.trace is None:
                return
            dataset, take = published_dataset(run_take.run_id), run_take.take
            trace = put_trace(
                dataset=dataset, take=take, reference=self.reference, content=self.trace
            )
            if self.video is not None:
                video = link_made_video(trace=trace, file=self.video)
                # The task sends the message, once this is committed.
                queue_ingest(dataset=video.dataset, actor=None, videos=[video])
            store_row(PublishedTrace(run_take=run_take, trace=trace))

        return write

    def summary(self) -> dict[str, object]:
        return {"published": self.trace is not None, "trace_warnings": self.warning_count}


def published_dataset(run_id: int) -> Dataset:
    """The data set of a run, created by the first take that needs it.

    The run is locked meanwhile, so that one of several workers creates it and the others find it.
    """
    existing = Dataset.objects.filter(produced_by=run_id).first()
    if existing is not None:
        return existing
    # Lock first, then read: a PostgreSQL statement that waited for the lock would join rows as they
    # were when it started.
    Run.objects.select_for_update().order_by().only("pk").get(pk=run_id)
    run = Run.objects.select_related("published_dataset", "owner").get(pk=run_id)
    if run.published_dataset is not None:
        return run.published_dataset
    name = run.name[:NAME_CHARACTERS]
    if Dataset.objects.filter(name=name).exists():
        suffix = f" ({run.public_id})"
        name = f"{name[: NAME_CHARACTERS - len(suffix)]}{suffix}"
    dataset = Dataset(name=name, format=GENERATED, owner=run.owner, is_shared=run.is_shared)
    dataset.full_clean()
    dataset.save()
    Run.objects.filter(pk=run_id).update(published_dataset=dataset)
    record(
        actor=None,
        action="run.publish",
        subject=f"run:{run.public_id}",
        detail={"dataset": dataset.public_id, "name": dataset.name},
    )
    return dataset


def why_withheld(take: TakeWork) -> str:
    """Why a text must not be shown to raters; empty if it may be."""
    if Stage.JUDGE not in take.settings.stages or take.settings.options.publishes_hard_findings:
        return ""
    hard_left = take.get(JudgementProduct).hard_left
    if not hard_left:
        return ""
    return f"The judge left {hard_left} hard finding{'s' if hard_left > 1 else ''} in its text."


def work(take: TakeWork) -> None:
    """Turn the rewrite of a take, judged if the run judges, into a trace."""
    reference = procedure_of(take.run_take.take)
    if not plan_of(take).errors or why_withheld(take):
        take.hand_over(TraceProduct(reference, None))
        return
    trace, warnings = trace_content(take, reference)
    video = take.get(VideoProduct) if Stage.VIDEO in take.settings.stages else None
    if video is None or video.edits is None:
        take.hand_over(TraceProduct(reference, trace, len(warnings)))
        return
    files = files_of(take.run_take)
    filmed = filmed_trace(trace, video.edits, video_stem=files.stem, maker=video.maker)
    take.hand_over(TraceProduct(reference, filmed, len(warnings), finished_file(files)))


def trace_content(take: TakeWork, reference: Take) -> tuple[Trace, tuple[ReadingWarning, ...]]:
    """The trace of the latest rewrite, without times, and warnings about it."""
    run_take = take.run_take
    run = run_take.run
    written = take.get(RewriteProduct)
    rewrite = written.rewrite
    # How the trace was made: raters never see this.
    provenance = {
        "run": run.public_id,
        "profile": run.profile_name,
        "seed": str(run.seed),
        "writer": written.model,
        "answered_by": written.answered_by,
        "prompt_version": written.prompt_version,
    }
    if Stage.JUDGE in take.settings.stages:
        judged = take.get(JudgementProduct)
        rewrite = judged.rewrite
        provenance |= {"judge": judged.model, "status": str(judged.status)}
        if judged.hard_left:
            provenance["hard_findings"] = str(judged.hard_left)
        if judged.sense_left is not None:
            provenance["sense_findings"] = str(judged.sense_left)
    return trace_of_rewrite(
        reference,
        plan_of(take),
        rewrite,
        uid=opaque_uid(run.public_id, run_take.take.uid),
        provenance={name: value for name, value in provenance.items() if value},
    )


WORK = StageWork(Stage.PUBLISH, work)
