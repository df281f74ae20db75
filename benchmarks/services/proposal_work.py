"""The work behind step proposals: stage after stage of each recording, each stored under the claim.

A worker that goes on after another begins with the first stage that is not stored. The tree is
computed again then, which takes less than a second and gives the same one; calls are recorded, so
that nothing is paid twice.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from threading import Event
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
from django.db import transaction
from django.http import Http404
from django.utils import timezone

from annotation.backends.media.exceptions import SourceError
from annotation.backends.media.stills import still
from annotation.engine.corpus.procedure import TraceStep
from annotation.models import AT_WORK, Job, JobStatus, JobStop, Video
from annotation.selectors.corpus.blinding import HiddenWhileRatingError
from annotation.services.records.jobs import (
    Claim,
    LostClaimError,
    Progress,
    beating,
    extend_lease,
    fail_job,
    finish_job,
    progress_reporter,
    work_on_jobs,
)
from annotation.services.videos.local_videos import VideoFileError, local_file
from benchmarks.engine.guiding import step_prompts
from benchmarks.engine.guiding.proposals import (
    WardTree,
    parse_alignment,
    target_segments,
    ward_tree,
)
from benchmarks.engine.guiding.proposing import (
    ProposedStep,
    Stage,
    edge_errors,
    evenly,
    feature_strip,
    given_in_order,
    span_s,
    top_merges,
)
from benchmarks.engine.material import Recording
from benchmarks.engine.task import AnswerStatus, Prompt
from benchmarks.models import FeatureSet, ProposedRecording, StepProposals
from benchmarks.selectors.features import arrays_of
from benchmarks.selectors.material import Source, dataset_source
from benchmarks.selectors.proposals import stages_of
from benchmarks.services.askable import usable_endpoints
from benchmarks.services.asking import send
from benchmarks.services.feature_work import make_features
from benchmarks.services.proposals import cancel_proposals, record_proposals
from generation.backends.exceptions import BudgetSpentError, CancelledError, StoppedError
from generation.backends.text.model import Image, TextRequest
from generation.models import Endpoint, TextEndpoint
from generation.services.calls.payer import Payer
from generation.services.texts.asker import TextAsker

PICTURE_SIDE = 512
# How often somebody looks whether features are finished that another worker computes, in seconds.
LOOK_S = 1.0
# No piece is split into parts shorter than this.
LEAST_PART_S = 1.0
Result = TypeVar("Result")


class NoProposalsError(Exception):
    """Nothing can be proposed; the message says why."""


class RecordingFaultError(Exception):
    """A recording has no proposals; the message says why, and the others go on."""


def propose_steps(*, job_ids: Sequence[int], watch: Progress | None = None) -> None:
    """Work on the proposals behind these jobs; safe to call twice with the same ids.

    `watch` is told of the progress too; it raises CancelledError to have the work stopped.
    """
    work_on_jobs(job_ids=job_ids, handler=partial(_work, watch=watch))


def _work(claim: Claim, watch: Progress | None) -> None:
    related = ("dataset", "features", "describer", "owner")
    rows = StepProposals.objects.select_related(*related).filter(job_id=claim.job_id)
    proposals = rows.first()
    if proposals is None:
        finish_job(claim=claim, result={"skipped": "the proposals were deleted"})
        return
    try:
        with beating(claim) as is_lost:
            report = progress_reporter(claim, is_lost, watch)
            _propose(claim, proposals, is_lost, report)
    except NoProposalsError as error:
        fail_job(claim=claim, error=str(error))
    except CancelledError as error:
        # Where the claim is held still, a command was stopped: what is cancelled can go on.
        if not is_lost.is_set():
            cancel_proposals(proposals=proposals, actor=None)
        raise LostClaimError(str(error)) from error
    except StoppedError as error:
        is_spent = isinstance(error, BudgetSpentError)
        stop_reason = JobStop.BUDGET_SPENT if is_spent else ""
        fail_job(claim=claim, error=f"It was stopped: {error}", stop_reason=stop_reason)


def _propose(claim: Claim, proposals: StepProposals, is_lost: Event, report: Progress) -> None:
    rows, stages = list(proposals.recordings.all()), stages_of(proposals)
    stage_count = len(rows) * len(stages)
    features = _computed(proposals, is_lost, lambda: report(0, stage_count))
    try:
        source = dataset_source(proposals.owner, proposals.dataset.public_id)
    except (Http404, HiddenWhileRatingError) as error:
        raise NoProposalsError(f"{proposals.dataset.name} is no longer there for you.") from error
    recordings = {one.key: one for one in source.material.recordings}
    arrays = arrays_of(features)
    for place, row in enumerate(rows):
        if row.fault or row.steps:
            continue
        try:
            if row.key not in recordings:
                raise RecordingFaultError("Its steps are no longer there.")
            if row.uid not in arrays:
                notes = " ".join(note for note in features.notes if note.startswith(row.uid))
                raise RecordingFaultError(f"It has no features. {notes}".strip())
            work = RecordingWork(
                claim,
                proposals,
                row,
                features,
                recordings[row.key],
                arrays[row.uid],
                source,
                is_lost,
            )
            for number, stage in enumerate(stages):
                report(place * len(stages) + number, stage_count)
                work.do(stage)
            work.finish()
        except (RecordingFaultError, VideoFileError, SourceError, OSError) as error:
            row.fault = str(error) or type(error).__name__
            _store(claim, row)
    with transaction.atomic():
        # First the job: a worker that lost the claim writes nothing.
        finish_job(claim=claim, result={"recordings": len(rows)})
        proposals.finished_at = timezone.now()
        proposals.save(update_fields=["finished_at"])
        record_proposals(proposals, None, "finish", {"attempt": claim.attempt})


def _computed(proposals: StepProposals, is_lost: Event, report: Callable[[], None]) -> FeatureSet:
    """The finished features of the proposals, computed here where that is left to do.

    They have a job of their own, which resumes where it was stopped, and which another worker may
    have: then this waits for it.
    """

    def watch(_done_count: int, _total_count: int) -> None:
        try:
            report()
        except CancelledError as error:
            raise LostClaimError(str(error)) from error

    while True:
        rows = FeatureSet.objects.filter(pk__in=[proposals.features_id])
        features = rows.select_related("job").first()
        if features is None:
            raise NoProposalsError(f"The features {proposals.features_name} were deleted.")
        if features.finished_at is not None:
            return features
        job = features.job
        if job is None or job.status not in AT_WORK:
            reason = (job.error if job else "") or "that was cancelled"
            raise NoProposalsError(f"The features {features.name} were not computed: {reason}")
        make_features(job_ids=[job.pk], watch=watch)
        report()
        if job.status == JobStatus.RUNNING and is_lost.wait(LOOK_S):
            raise CancelledError("the work was cancelled, or another worker has it")


def _store(claim: Claim, row: ProposedRecording) -> None:
    with transaction.atomic():
        extend_lease(claim=claim)
        row.save(update_fields=["stages", "fault"])


@dataclass
class RecordingWork:
    """The stages of one recording. `array` has a row of features per some seconds."""

    claim: Claim
    proposals: StepProposals
    row: ProposedRecording
    features: FeatureSet
    recording: Recording
    array: npt.NDArray[np.float32]
    source: Source
    is_lost: Event

    def do(self, stage: Stage) -> None:
        """Compute a stage that is not stored yet, and store it."""
        self._check()
        if stage not in self.row.stages:
            self.row.stages[stage.value] = self._made(stage)
            _store(self.claim, self.row)

    def finish(self) -> None:
        """Store the proposed steps, and how far they are from the steps of the data set."""
        steps, truth = self._steps(), self._truth()
        stages = self.row.stages
        stages["steps"] = [_stored(step) for step in steps]
        if truth:
            stages["truth"] = [_stored(step) for step in truth]
            stages["errors"] = edge_errors(truth, steps)
            stages["even"] = edge_errors(truth, evenly(self.length_s, len(self.texts)))
        _store(self.claim, self.row)

    def _made(self, stage: Stage) -> Any:
        make: dict[Stage, Callable[[], Any]] = {
            Stage.FEATURES: self._features,
            Stage.TREE: lambda: {"merges": top_merges(self.tree, self.features.seconds_per_row)},
            Stage.CUT: self._cut,
            Stage.CAPTIONS: self._captions,
            Stage.GROUPS: self._groups,
            Stage.ALIGNMENT: self._alignment,
            Stage.SCORES: self._scores,
        }
        return make[stage]()

    @cached_property
    def length_s(self) -> float:
        covered_s = len(self.array) * self.features.seconds_per_row
        return round(self.recording.duration_s or covered_s, 3)

    @cached_property
    def texts(self) -> list[str]:
        return [step.text for step in self.recording.take.steps]

    @cached_property
    def tree(self) -> WardTree:
        return ward_tree(self.array)

    def _span(self, node: int) -> tuple[float, float]:
        return span_s(
            self.tree.span(node), self.tree.row_count, self.features.seconds_per_row, self.length_s
        )

    def _features(self) -> dict[str, Any]:
        rows, width = self.array.shape
        strip = feature_strip(self.array)
        return {"rows": rows, "width": width, "length_s": self.length_s, "strip": strip}

    def _cut(self) -> dict[str, Any]:
        steps, pieces = target_segments(self.length_s, len(self.texts))
        # Pieces that nobody joins are one for each step.
        count = pieces if self.proposals.describer_name else steps
        nodes = self.tree.nodes(count)
        return {"nodes": nodes, "pieces": [self._span(node) for node in nodes]}

    def _captions(self) -> dict[str, Any]:
        """A caption of each piece; one with several actions is split, as long as it can be."""
        left = list(reversed(self.row.stages[Stage.CUT]["nodes"]))
        prompt = step_prompts.caption_prompt(self.recording.take.scenario)
        captions, short_count = [], 0
        with local_file(self._video()) as path:
            while left:
                node = left.pop()
                start_s, end_s = self._span(node)
                lines = self._asked(
                    prompt, step_prompts.read_captions, _pictures(path, start_s, end_s)
                )
                parts = self.tree.parts_of(node)
                spans = [self._span(part) for part in parts]
                is_splittable = bool(parts) and all(
                    end - start >= LEAST_PART_S for start, end in spans
                )
                if len(lines) > 1 and is_splittable:
                    left += reversed(parts)
                    continue
                short_count += len(lines) > 1
                captions.append({"start_s": start_s, "end_s": end_s, "lines": lines})
        return {"captions": captions, "not_split": short_count}

    def _groups(self) -> list[dict[str, Any]]:
        pieces = self.row.stages[Stage.CAPTIONS]["captions"]
        captions = ["; ".join(piece["lines"]) for piece in pieces]
        times = [(piece["start_s"], piece["end_s"]) for piece in pieces]
        prompt = step_prompts.group_prompt(
            self.recording.take.scenario, self.texts, captions, times
        )
        groups = self._asked(prompt, lambda text: step_prompts.read_groups(text, len(pieces)))
        return [
            {"start_s": times[one.first][0], "end_s": times[one.last][1], "caption": one.caption}
            for one in groups
        ]

    def _alignment(self) -> dict[str, Any]:
        groups = self.row.stages[Stage.GROUPS]
        prompt = step_prompts.align_prompt(
            self.recording.take.scenario,
            self.texts,
            [one["caption"] for one in groups],
            [(one["start_s"] + one["end_s"]) / 2 / self.length_s for one in groups],
        )
        found = self._asked(
            prompt, lambda text: parse_alignment(text, len(groups), len(self.texts))
        )
        return {
            "steps": list(found.steps),
            "unmatched": found.unmatched_segments,
            "without": list(found.steps_without_segment),
            "inversions": found.order_inversions,
        }

    def _scores(self) -> dict[str, Any]:
        captions = [one["caption"] for one in self.row.stages[Stage.GROUPS]]
        prompt = step_prompts.score_prompt(self.recording.take.scenario, self.texts, captions)
        return self._asked(prompt, step_prompts.read_scores)

    def _steps(self) -> list[ProposedStep]:
        stages = self.row.stages
        if Stage.GROUPS not in stages:
            return given_in_order([(one[0], one[1]) for one in stages[Stage.CUT]["pieces"]],
                                  len(self.texts))  # fmt: skip
        aligned = stages[Stage.ALIGNMENT]["steps"]
        return [
            ProposedStep(one["start_s"], one["end_s"], step - 1 if step else None, one["caption"])
            for one, step in zip(stages[Stage.GROUPS], aligned, strict=True)
        ]

    def _truth(self) -> list[ProposedStep]:
        rows = self.recording.rows
        truth = []
        for place, row in enumerate(rows):
            if row in self.recording.timed_rows and row.end_s is not None:
                own = row.reference_index if isinstance(row, TraceStep) else place
                truth.append(ProposedStep(float(row.start_s or 0.0), float(row.end_s), own))
        return sorted(truth, key=lambda step: step.start_s)

    def _video(self) -> Video:
        pk = self.source.video_ids.get(self.row.key)
        if pk is None:
            raise RecordingFaultError("Its video is not linked, so there are no pictures to show.")
        return Video.objects.select_related("dataset").get(pk=pk)

    def _asked(
        self,
        prompt: Prompt,
        read: Callable[[str], Result],
        pictures: Sequence[tuple[float, bytes]] = (),
    ) -> Result:
        """A reply, read; one that is wrong is asked for once more, with what is wrong."""
        text = self._reply(prompt, pictures)
        try:
            return read(text)
        except ValueError as error:
            fault = str(error)
        again = self._reply(step_prompts.repair(prompt, text, fault), pictures)
        try:
            return read(again)
        except ValueError as error:
            raise RecordingFaultError(
                f"{prompt.version}: a reply and its repair could not be read: {error}."
            ) from error

    def _reply(self, prompt: Prompt, pictures: Sequence[tuple[float, bytes]]) -> str:
        self._check()
        cancelled = Job.objects.filter(pk=self.claim.job_id, status=JobStatus.CANCELLED)
        payer = Payer(
            key=self.proposals.payer_key,
            part=self.row.position,
            name=f"the step proposals {self.proposals.name!r}",
            budget=self.proposals.budget_usd,
            check=self._check,
            may_ask=self._may_ask,
            is_cancelled=cancelled.exists,
        )
        text = f"{prompt.text}\n\n{prompt.picture_note}" if pictures else prompt.text
        request = TextRequest(
            system=prompt.system,
            prompt=text,
            prompt_version=prompt.version,
            schema=prompt.schema,
            images=tuple(
                Image(jpeg, f"Picture {number} of {len(pictures)}, at {time_s:.1f} s")
                for number, (time_s, jpeg) in enumerate(pictures, start=1)
            ),
            temperature=0.0,
            max_tokens=prompt.max_tokens,
            repeat=0,
        )
        reply = send(TextAsker(self.describer, payer), request)
        if reply.status is AnswerStatus.FAILED:
            raise RecordingFaultError(f"The model did not answer: {reply.reason}")
        return reply.text

    @property
    def describer(self) -> TextEndpoint:
        if self.proposals.describer is None:
            raise NoProposalsError(f"The text model {self.proposals.describer_name} was deleted.")
        return self.proposals.describer

    def _check(self) -> None:
        if self.is_lost.is_set():
            raise CancelledError("the work was cancelled, or another worker has it")

    def _may_ask(self, endpoint: Endpoint) -> bool:
        return usable_endpoints(self.proposals.owner).filter(pk=endpoint.pk).exists()


def _stored(step: ProposedStep) -> dict[str, Any]:
    return {
        "start_s": step.start_s, "end_s": step.end_s, "place": step.place, "caption": step.caption,
    }  # fmt: skip


def _pictures(path: Path, start_s: float, end_s: float) -> list[tuple[float, bytes]]:
    """Pictures of a piece, evenly over it, each from the middle of its part."""
    count = min(step_prompts.MOST_PICTURES, max(1, round(2 * (end_s - start_s))))
    width_s = (end_s - start_s) / count
    times = [start_s + (place + 0.5) * width_s for place in range(count)]
    return [(time_s, still(path, time_s, PICTURE_SIDE)) for time_s in times]
