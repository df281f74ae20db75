"""Link recordings to their video files; the files stay where they are.

A data set names a folder or the prefix of an object storage, and a pattern such as "{stem}.mp4" or
"{scenario}/{stem}.MP4". Every recording whose file is found there is probed; faults are reported
file by file.
"""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from string import Formatter

from django.db import transaction
from django.db.models import Max, OuterRef, Subquery

from annotation.backends import made_files
from annotation.backends.media.probe import VideoProbe
from annotation.engine.videos.storage_prefix import is_storage_address
from annotation.models import Dataset, OpenedPlace, Take, Trace, User, Video
from annotation.services.records import audit_log
from annotation.services.videos.folder_videos import FolderVideos
from annotation.services.videos.links import (
    LinkedRecording,
    ProbedFile,
    VideoLinkError,
    VideoPlace,
    Watch,
)
from annotation.services.videos.object_videos import ObjectVideos

PATTERN_FIELDS = ("stem", "scenario")
# An annotation may end a little after the last frame; more than this is worth a warning.
OVERRUN_S = 0.5
PATTERN_CHARACTERS = 200


@dataclass(frozen=True, slots=True)
class FileNote:
    """One recording and what is to be said about its file."""

    stem: str
    path: str
    message: str


@dataclass(frozen=True, slots=True)
class LinkReport:
    """What linking found: recordings linked, without a file, with an unusable file, with doubts."""

    linked: tuple[str, ...]
    missing: tuple[FileNote, ...]
    refused: tuple[FileNote, ...]
    warnings: tuple[FileNote, ...]

    def to_dict(self) -> dict[str, object]:
        return {
            "linked": len(self.linked),
            "missing": [asdict(note) for note in self.missing],
            "refused": [asdict(note) for note in self.refused],
            "warnings": [asdict(note) for note in self.warnings],
        }


def link_videos(
    *,
    dataset: Dataset,
    folder: str,
    pattern: str,
    actor: User | None = None,
    watch: Watch = lambda done_count, total_count: None,
) -> LinkReport:
    """Probe the file of every recording of the data set and link those that can be used.

    The new folder, or prefix of a storage ("s3://bucket/prefix"), and pattern replace the old
    ones; recordings without a usable file there have no video afterwards. Raises `VideoLinkError`,
    writing nothing, when the folder or the pattern cannot be used or no recording has a file.
    `actor` None is the command line, which may name any folder. `watch` is told how many files are
    probed, and ends it by raising.
    """
    place: VideoPlace = (
        ObjectVideos.of(folder, actor)
        if is_storage_address(folder)
        else FolderVideos.of(folder, actor)
    )
    _check_pattern(pattern)
    recordings = recordings_of(dataset)
    if not recordings:
        raise VideoLinkError("No take or trace of this data set has a recording.")
    files = place.look_up(recordings, pattern, watch)
    report = _report(dataset, files)
    if not report.linked and not report.refused:
        raise VideoLinkError(
            f"None of the {len(recordings)} recordings has a file in {place.address}. "
            f"The first one looked for was {files[0].path}."
        )
    with transaction.atomic():
        _store(dataset, place, pattern, files)
        audit_log.record(
            actor=actor,
            action="dataset.link_videos",
            subject=f"dataset:{dataset.public_id}",
            detail={
                "folder": place.address,
                "pattern": pattern,
                "linked": len(report.linked),
                "missing": len(report.missing),
                "refused": len(report.refused),
            },
        )
    return report


def may_link_videos(user: User, opened: Sequence[str]) -> bool:
    """Whether the user may name a place: any for administrators, else below what is opened."""
    return user.is_administrator or (user.is_researcher and bool(opened))


def open_place(*, address: str, actor: User) -> OpenedPlace:
    """Let researchers link videos from below a folder or storage prefix."""
    with transaction.atomic():
        place = OpenedPlace(address=address)
        place.full_clean()
        place.save()
        audit_log.record(
            actor=actor, action="place.open", subject="site", detail={"address": place.address}
        )
    return place


def close_place(*, address: str, actor: User) -> None:
    """Take a place back; what is linked from it stays linked."""
    with transaction.atomic():
        OpenedPlace.objects.filter(address=address).delete()
        audit_log.record(
            actor=actor, action="place.close", subject="site", detail={"address": address}
        )


def _check_pattern(pattern: str) -> None:
    if len(pattern) > PATTERN_CHARACTERS or "\x00" in pattern:
        raise VideoLinkError(f"The pattern is longer than {PATTERN_CHARACTERS} characters.")
    try:
        parts = list(Formatter().parse(pattern))
    except ValueError as error:
        raise VideoLinkError(f"The pattern {pattern!r} cannot be read: {error}.") from error
    used = set()
    for _literal, name, specification, conversion in parts:
        if name is None:
            continue
        # Anything but a plain name could reach into Python objects.
        if name not in PATTERN_FIELDS or specification or conversion:
            raise VideoLinkError(
                f"The pattern {pattern!r} uses {{{name}}}; it may use {{stem}} and {{scenario}}."
            )
        used.add(name)
    if "stem" not in used:
        raise VideoLinkError(f"The pattern {pattern!r} lacks {{stem}}, the recording's name.")


def recordings_of(dataset: Dataset) -> list[LinkedRecording]:
    takes = (
        Take.objects.filter(dataset=dataset)
        .exclude(video_stem="")
        .values_list("video_stem", "scenario")
        .annotate(last_end_s=Max("steps__end_s"))
        .order_by("uid")
    )
    traces = (
        Trace.objects.filter(dataset=dataset)
        .exclude(video_stem="")
        .values_list("video_stem", "take__scenario")
        .annotate(last_end_s=Max("steps__end_s"))
        .order_by("uid")
    )
    recordings: dict[str, LinkedRecording] = {}
    for stem, scenario, last_end_s in [*takes, *traces]:
        known_end_s = recordings[stem].last_end_s if stem in recordings else None
        ends = [end_s for end_s in (last_end_s, known_end_s) if end_s is not None]
        recordings[stem] = LinkedRecording(stem, scenario, max(ends, default=None))
    return list(recordings.values())


def warnings_of(file: ProbedFile) -> list[str]:
    if file.probe is None:
        return []
    warnings = list(file.probe.warnings)
    last_end_s = file.recording.last_end_s
    if last_end_s is not None and last_end_s > file.probe.duration_s + OVERRUN_S:
        warnings.append(
            f"the video lasts {file.probe.duration_s:.1f} s, but the last step ends at "
            f"{last_end_s:.1f} s"
        )
    return warnings


def _report(dataset: Dataset, files: Iterable[ProbedFile]) -> LinkReport:
    former = dict(Video.objects.filter(dataset=dataset).values_list("stem", "folder"))
    linked, missing, refused, warnings = [], [], [], []
    for item in files:
        stem = item.recording.stem
        if item.probe is not None:
            linked.append(stem)
            warnings += [FileNote(stem, item.path, message) for message in warnings_of(item)]
        elif item.refusal:
            refused.append(FileNote(stem, item.path, item.refusal))
        elif former.get(stem):
            warnings.append(FileNote(stem, item.path, "no such file; its upload stays"))
        else:
            message = "no such file; it is no longer linked" if stem in former else "no such file"
            missing.append(FileNote(stem, item.path, message))
    return LinkReport(tuple(linked), tuple(missing), tuple(refused), tuple(warnings))


def _store(dataset: Dataset, place: VideoPlace, pattern: str, files: Iterable[ProbedFile]) -> None:
    """Replace the data set's videos by those found; a recording keeps its video's public id.

    An upload stays where there is no file in the folder.
    """
    probed = [field.name for field in fields(VideoProbe) if field.name != "warnings"]
    rows = [
        Video(
            dataset=dataset,
            stem=item.recording.stem,
            path=item.path,
            etag=item.etag,
            warnings=warnings_of(item),
            **{name: getattr(item.probe, name) for name in probed},
        )
        for item in files
        if item.probe is not None
    ]
    stems = [row.stem for row in rows]
    former = Video.objects.filter(dataset=dataset)
    former.filter(folder="").exclude(stem__in=stems).delete()
    replaced = former.exclude(folder="").filter(stem__in=stems)
    forget_later([upload_name(video) for video in replaced])
    Video.objects.bulk_create(
        rows,
        update_conflicts=True,
        unique_fields=["dataset", "stem"],
        update_fields=[*probed, "folder", "path", "etag", "warnings", "linked_at"],
    )
    dataset.video_folder = place.address
    dataset.video_pattern = pattern
    dataset.save(update_fields=["video_folder", "video_pattern"])
    show_videos(dataset)


def upload_name(video: Video) -> str:
    """The name of an upload for `made_files`."""
    return f"{video.folder}/{video.path}"


def forget_later(names: Sequence[str]) -> None:
    """Remove these uploads once the transaction is through, unless a row still names them."""

    def forget() -> None:
        for name in names:
            folder, _, path = name.rpartition("/")
            if not Video.objects.filter(folder=folder, path=path).exists():
                made_files.forget(name)

    transaction.on_commit(forget, robust=True)


def show_videos(dataset: Dataset) -> None:
    """Have takes and traces name the videos of their recordings."""
    same_stem = Video.objects.filter(dataset=dataset, stem=OuterRef("video_stem")).values("pk")
    for model in (Take, Trace):
        model.objects.filter(dataset=dataset).update(video=Subquery(same_stem[:1]))
