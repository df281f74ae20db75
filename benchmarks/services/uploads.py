"""Upload answers that were made elsewhere; a file is stored and scored as a whole, or refused."""

import hashlib
import io
from dataclasses import dataclass
from typing import Any, cast

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction

from annotation.engine.corpus.formats.errors import fault_of_file
from annotation.models import Job, User
from annotation.selectors.records.status import installed_version
from annotation.services.corpus.uploads import UploadRefusedError, check_directory
from annotation.services.records.jobs import Claim, claim_job
from benchmarks.engine.answers.files import read_answers
from benchmarks.models import Assessment, ItemSet, ParticipantKind
from benchmarks.selectors.assessments import AnswerSheet
from benchmarks.selectors.item_sets import refuse_while_answering, task_of, tells_when_asked
from benchmarks.selectors.stored_items import StoredItems
from benchmarks.services.assessments import queue_assessment, record_assessment
from benchmarks.services.batches import short_transaction
from benchmarks.services.figures import (
    answered,
    delete_answers,
    figures_of_answers,
    store_figures,
    write_answers,
)
from benchmarks.services.item_sets import lock_item_set, require_frozen


@dataclass(frozen=True, slots=True)
class AnswerUpload:
    """A file of answers; `name` is the participant's, the ending of `file_name` its format.

    With `counts_missing`, items without an answer count as wrong in every figure.
    """

    name: str
    file_name: str
    content: bytes
    counts_missing: bool = False

    @classmethod
    def of(cls, file: "UploadedFile[Any]", **details: Any) -> "AnswerUpload":
        """The upload of a file, with the other fields; raises FormatError for one too large."""
        name, size_bytes = file.name or "", file.size or 0
        if size_bytes > settings.UPLOAD_LIMIT_MB << 20:
            expected = f"at most {settings.UPLOAD_LIMIT_MB} MB"
            raise fault_of_file(name, f"{size_bytes >> 20} MB", expected, field="size")
        content = file.read()
        if name.lower().endswith(".npz"):
            try:
                check_directory(io.BytesIO(content), name)
            except UploadRefusedError as error:
                raise fault_of_file(
                    name, str(error), "an array for each item", field="file"
                ) from error
        return cls(file_name=name, content=content, **details)


def upload_answers(*, item_set: ItemSet, request: AnswerUpload, actor: User | None) -> Assessment:
    """Store the answers of a file as a participant and score them.

    Raises FormatError with every fault of the file, ValidationError for a set that is not frozen
    or a participant without a name; nothing is written then.
    """
    require_frozen(item_set)
    refuse_while_answering(actor, item_set)
    if not request.name.strip():
        raise ValidationError({"name": "Give the participant's exact name."})
    task = task_of(item_set)
    items = StoredItems(item_set.test_items)
    keys = list(item_set.test_items.order_by("position").values_list("key", flat=True))
    by_key, counts_missing = dict(zip(keys, items, strict=True)), request.counts_missing
    read = read_answers(
        task, by_key, request.file_name, request.content, counts_missing=counts_missing
    )
    by_id = zip(items.row_ids, keys, strict=True)
    values = {pk: read.values[key] for pk, key in by_id if key in read.values}
    assessment = Assessment(
        item_set=item_set,
        kind=ParticipantKind.FILE,
        name=request.name.strip(),
        owner=actor,
        settings={
            **({"counts_missing": True} if counts_missing else {}),
            **({"own_history": True} if tells_when_asked(item_set) else {}),
        },
        file_hash=hashlib.sha256(request.content).hexdigest(),
        code_version=installed_version(),
    )
    # Figures are computed before the transaction, in which other writers have to wait.
    sheet = AnswerSheet(items, [answered(values.get(pk)) for pk in items.row_ids])
    figures = figures_of_answers(assessment, sheet)
    with transaction.atomic():
        lock_item_set(item_set)
        # Again under the lock: while the file was read the actor may have begun to answer.
        refuse_while_answering(actor, item_set)
        [job_id] = queue_assessment(assessment, actor, is_upload=True)
        # Nobody else has seen the job yet.
        claim = cast(Claim, claim_job(job_id=job_id))
    # Nobody compares an assessment that has no figures yet. Where this process is killed, the claim
    # runs out, and a worker takes the assessment away.
    try:
        write_answers(claim, assessment, values)
        with short_transaction(claim):
            store_figures(assessment, figures)
            detail = {"answers": len(values), "missing": len(read.missing)}
            record_assessment(assessment, actor, "upload", detail)
            _forget_job(claim, assessment)
    except BaseException:
        take_away_upload(claim, assessment)
        raise
    return assessment


def take_away_upload(claim: Claim, assessment: Assessment) -> None:
    """Delete what was stored of an upload that was not finished, with its job."""
    delete_answers(assessment, claim)
    with short_transaction(claim):
        _forget_job(claim, assessment)
        Assessment.objects.filter(pk=assessment.pk).delete()


def _forget_job(claim: Claim, assessment: Assessment) -> None:
    assessment.job_id = None
    Assessment.objects.filter(pk=assessment.pk).update(job=None)
    Job.objects.filter(pk=claim.job_id).delete()
