"""Put single traces that the site itself made into the corpus, and their videos beside them."""

from dataclasses import asdict, dataclass

from django.db import transaction

from annotation.backends.media.probe import VideoProbe
from annotation.engine.corpus import procedure
from annotation.engine.corpus.content_hash import hash_trace
from annotation.engine.corpus.formats.errors import FormatError
from annotation.engine.corpus.integrity import find_faults
from annotation.engine.corpus.procedure import Reading
from annotation.models import Dataset, Take, Trace, Video
from annotation.selectors.corpus.corpus import has_ratings
from annotation.services.corpus.import_plan import refusal
from annotation.services.corpus.rows import TraceWrite, write_traces


@transaction.atomic
def put_trace(
    *, dataset: Dataset, take: Take, reference: procedure.Take, content: procedure.Trace
) -> Trace:
    """Write or update the trace of that uid in the data set; the same content changes nothing.

    The reference `take`, with its content in `reference`, may be of another data set. Raises
    `FormatError` where the trace breaks a rule of the tables, `ImportRefusedError` where it would
    change what has ratings.
    """
    faults = find_faults(Reading(takes=(reference,), traces=(content,)))
    if faults:
        raise FormatError(faults)
    content_hash = hash_trace(content, take.content_hash)
    row = (
        Trace.objects.select_for_update(of=("self",))
        .filter(dataset=dataset, uid=content.uid)
        .first()
    )
    if row is not None and row.content_hash == content_hash:
        return row
    if row is not None and has_ratings(row):
        raise refusal("trace", content.uid, "the trace as it was rated")
    written = row or Trace(dataset=dataset, uid=content.uid)
    write_traces(dataset, [TraceWrite(content, content_hash, written)], {take.uid: take})
    return written


@dataclass(frozen=True, slots=True)
class MadeFile:
    """A video that the site made: `folder` is relative to the media folder, `path` to `folder`.

    In an object storage it has an `etag`.
    """

    folder: str
    path: str
    probe: VideoProbe
    etag: str = ""


@transaction.atomic
def link_made_video(*, trace: Trace, file: MadeFile) -> Video:
    """Write or update the video of the trace, under the trace's own stem.

    All traces of the data set have their videos in that one folder. Who calls this has the video
    ingested.
    """
    facts = {
        **asdict(file.probe),
        "warnings": list(file.probe.warnings),
        "path": file.path,
        "folder": "",
    }
    facts["etag"] = file.etag
    video, _ = Video.objects.update_or_create(
        dataset_id=trace.dataset_id, stem=trace.video_stem, defaults=facts
    )
    Dataset.objects.filter(pk=trace.dataset_id).update(video_folder=file.folder)
    Trace.objects.filter(pk=trace.pk).update(video=video)
    return video
