"""Who may watch which recording, asked again for every part that is sent of it."""

from django.db.models import Exists, OuterRef, Q, QuerySet

from annotation.models import GuidelineVersion, Trace, User, Video
from annotation.selectors.corpus import visible_datasets, visible_traces
from annotation.selectors.ratings import assignments_of
from annotation.selectors.segmentations import segmentations_of


def watchable_videos(user: User) -> QuerySet[Video]:
    """The videos that the user may watch, with data set and ingestion.

    Raters watch both recordings of their assignments while they belong to the campaign, and those
    of the examples in their rounds' guidelines; who segments a recording watches that one.
    Researchers watch those of the data sets that they may look into, and the references that
    traces of these are read against, which can lie in another data set.
    """
    shown = Q(trace__video=OuterRef("pk")) | Q(trace__take__video=OuterRef("pk"))
    exemplary = Trace.objects.filter(
        Q(video=OuterRef("pk")) | Q(take__video=OuterRef("pk")),
        pk__in=GuidelineVersion.objects.filter(
            campaign__raters__rater=user,
            rounds__raters__rater=user,
            rounds__opened_at__isnull=False,
        ).values("example_traces"),
    )
    segmented = segmentations_of(user).filter(
        Q(recording__trace__video=OuterRef("pk"))
        | Q(recording__trace__isnull=True, recording__take__video=OuterRef("pk")),
    )
    rated = assignments_of(user).filter(shown)
    may_watch = Q(Exists(rated)) | Q(Exists(segmented)) | Q(Exists(exemplary))
    if user.is_researcher:
        read_against = visible_traces(user).filter(take__video=OuterRef("pk"))
        may_watch = may_watch | Q(dataset__in=visible_datasets(user)) | Q(Exists(read_against))
    return Video.objects.select_related("dataset", "ingest").filter(may_watch)
