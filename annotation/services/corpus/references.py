"""Give a trace another reference, which a person chose."""

from django.db import transaction
from django.shortcuts import get_object_or_404

from annotation.engine.corpus.integrity import REASON_CHARACTERS
from annotation.engine.corpus.remapping import RemapError, remap_trace
from annotation.engine.exceptions import NotNowError
from annotation.models import Take, Trace, User
from annotation.selectors.corpus import corpus
from annotation.services.corpus.rows import replace_contents_of, write_events, write_trace_steps
from annotation.services.records import audit_log
from annotation.services.records.locks import lock_ratings_of


class ReferenceRefusedError(NotNowError):
    """The reference cannot be changed; the message says why."""


def change_reference(*, trace: Trace, take: Take, actor: User) -> Trace:
    """Make `take` the reference of the trace and align the trace's rows with it.

    The choice is kept by later imports. Raises `ReferenceRefusedError` when the trace has ratings
    (they were made against the old reference), when the take is of another procedure, or when it
    lacks a step that the trace leaves out.
    """
    with transaction.atomic():
        # Somebody may have deleted its data set just now.
        trace = get_object_or_404(Trace.objects.select_for_update(), pk=trace.pk)
        if trace.take_id == take.pk:
            return trace
        lock_ratings_of([trace.pk])
        if corpus.has_ratings(trace):
            raise ReferenceRefusedError(
                "This trace has been rated with its present reference, so the reference"
                " cannot be changed."
            )
        if not corpus.reference_candidates(trace).filter(pk=take.pk).exists():
            raise ReferenceRefusedError(
                f"{take.name} is not a take of {trace.take.scenario} in the same data set."
            )
        old_take = trace.take
        reason = f"Chosen by {actor.get_username()}."[:REASON_CHARACTERS]
        try:
            content = remap_trace(
                corpus.trace_of(trace),
                corpus.procedure_of(trace.take),
                corpus.procedure_of(take),
                reason=reason,
            )
        except RemapError as error:
            raise ReferenceRefusedError(f"{take.name} cannot be the reference: {error}.") from error
        trace.take = take
        trace.reference_reason = content.reference_reason
        trace.is_reference_manual = True
        trace.save(update_fields=["take", "reference_reason", "is_reference_manual"])
        replace_contents_of([trace])
        write_trace_steps([trace], [content], write_events([trace], [content]))
        audit_log.record(
            actor=actor,
            action="trace.change_reference",
            subject=f"trace:{trace.public_id}",
            detail={"from": old_take.uid, "to": take.uid},
        )
    return trace
