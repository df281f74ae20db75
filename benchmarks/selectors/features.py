"""Read features: who may use which, and their arrays."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from django.db.models import Max, Q, QuerySet
from django.http import Http404

from annotation.backends import made_files
from annotation.models import Dataset, Take, Trace, User
from annotation.selectors.corpus.blinding import get_unhidden, openable_datasets
from annotation.selectors.corpus.corpus import visible_datasets
from benchmarks.models import FeatureArray, FeatureSet

Array = npt.NDArray[np.float32]
# How far rows may end from the end of their recording without a warning.
DOUBTFUL_S, DOUBTFUL_SHARE = 10.0, 0.1


def _of_user(user: User) -> QuerySet[FeatureSet]:
    if user.is_administrator:
        return FeatureSet.objects.all()
    return FeatureSet.objects.filter(Q(owner=user) | Q(is_shared=True))


def visible_feature_sets(user: User) -> QuerySet[FeatureSet]:
    """The user's own and shared sets, of data sets that the user may see now."""
    return _of_user(user).filter(dataset__in=visible_datasets(user).values("pk"))


def feature_sets_for_user(user: User, dataset: Dataset) -> QuerySet[FeatureSet]:
    """The finished sets of a data set that the user may train on."""
    return visible_feature_sets(user).filter(dataset=dataset, finished_at__isnull=False)


def get_feature_set_for_user(user: User, public_id: str) -> FeatureSet:
    """A visible set; raises Http404, or that it is hidden."""
    sets = visible_feature_sets(user).select_related("dataset", "owner", "job")
    openable = _of_user(user).filter(dataset__in=openable_datasets(user).values("pk"))
    return get_unhidden(user, sets, openable, public_id)


def may_change_feature_set(user: User, feature_set: FeatureSet) -> bool:
    return user.is_administrator or (user.is_researcher and feature_set.owner_id == user.pk)


def get_changeable_feature_set(user: User, public_id: str) -> FeatureSet:
    feature_set = get_feature_set_for_user(user, public_id)
    if not may_change_feature_set(user, feature_set):
        raise Http404
    return feature_set


def state_of(feature_set: FeatureSet) -> str:
    if feature_set.job is not None and not feature_set.is_finished:
        return str(feature_set.job.status)
    return "done"


class _Arrays(Mapping[str, Array]):
    """Arrays by the uid of their recording; each file is opened on access."""

    def __init__(self, files: dict[str, str]) -> None:
        self._files = files

    def __getitem__(self, uid: str) -> Array:
        # What is mapped into memory stays readable, even if its file is removed to make room.
        with made_files.local(self._files[uid]) as path:
            array: Array = np.load(path, mmap_mode="r", allow_pickle=False)
        return array

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)


def arrays_of(feature_set: FeatureSet) -> Mapping[str, Array]:
    """The arrays (T, d) of a set by the uid of their recording, memory-mapped (one query).

    Access raises FileNotFoundError where the file is gone.
    """
    rows = feature_set.arrays.values_list("recording", "file")
    return _Arrays(dict(rows))


@dataclass(slots=True)
class DatasetRecording:
    """A recording of a data set: names of its videos, ids of linked videos, and its length.

    `length_s` is that of the video, else the end of the last step, None if unknown.
    """

    stems: set[str] = field(default_factory=set)
    videos: set[int] = field(default_factory=set)
    length_s: float | None = None


def recordings_of(dataset: Dataset) -> dict[str, DatasetRecording]:
    """The recordings of a data set by their uid; a take and a trace may share one (two queries)."""
    recordings: dict[str, DatasetRecording] = {}
    for rows in (Take.objects.filter(dataset=dataset), Trace.objects.filter(dataset=dataset)):
        timed = rows.annotate(end_s=Max("steps__end_s")).order_by("uid")
        for uid, stem, video, duration_s, end_s in timed.values_list(
            "uid", "video_stem", "video", "video__duration_s", "end_s"
        ):
            recording = recordings.setdefault(uid, DatasetRecording())
            recording.stems |= {stem} - {""}
            recording.videos |= {video} - {None}
            recording.length_s = duration_s or recording.length_s or end_s
    return recordings


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of a recording the rows of an array cover; lengths in seconds."""

    array: FeatureArray
    covered_s: float
    length_s: float | None

    @property
    def is_doubtful(self) -> bool:
        """Whether the rows end far from the recording's end, as with wrong seconds per row."""
        if self.length_s is None:
            return False
        return abs(self.covered_s - self.length_s) > max(DOUBTFUL_S, DOUBTFUL_SHARE * self.length_s)


def coverage_of(feature_set: FeatureSet) -> dict[str, Coverage]:
    """Every array of a set beside the length of its recording, by uid (three queries)."""
    recordings = recordings_of(feature_set.dataset)
    coverage = {}
    for array in feature_set.arrays.order_by("recording"):
        recording = recordings.get(array.recording, DatasetRecording())
        covered_s = array.rows * feature_set.seconds_per_row
        coverage[array.recording] = Coverage(array, covered_s, recording.length_s)
    return coverage
