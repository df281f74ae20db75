"""Who may watch which recording, asked again for every part that is sent of it."""

from collections.abc import Callable

from django.db.models import Exists, OuterRef, Q, QuerySet

from annotation.models import User, Video
from annotation.selectors.corpus.corpus import visible_datasets, visible_traces

# Which videos a user watches at work, as a condition on rows of videos: what gives people
# recordings to work at registers it.
WATCHED_AT_WORK: set[Callable[[User], Q]] = set()


def may_see_source(user: User, video: Video) -> bool:
    """Whether the user may know where a recording comes from, and so have its own file."""
    return user.is_researcher and visible_datasets(user).filter(pk=video.dataset_id).exists()


def not_watchable(video: str) -> Q:
    """Whether the video of that name is there, and nothing of it yet that raters may be sent."""
    ingest = f"{video}__ingest"
    is_nothing = Q(**{f"{ingest}__isnull": True}) | Q(**{f"{ingest}__folder": ""})
    is_older = Q(**{f"{ingest}__proxy": {}, f"{ingest}__copy": {}})
    return Q(**{f"{video}__isnull": False}) & (is_nothing | is_older)


def watchable_videos(user: User) -> QuerySet[Video]:
    """The videos that the user may watch, with data set and ingestion.

    People watch what they have been given to work at. Researchers watch those of the data sets that
    they may look into, and the references that traces of these are read against, which can lie in
    another data set.
    """
    may_watch = Q(pk__in=[])
    for find in WATCHED_AT_WORK:
        may_watch |= find(user)
    if user.is_researcher:
        read_against = visible_traces(user).filter(take__video=OuterRef("pk"))
        may_watch |= Q(dataset__in=visible_datasets(user)) | Q(Exists(read_against))
    return Video.objects.select_related("dataset", "ingest").filter(may_watch)
