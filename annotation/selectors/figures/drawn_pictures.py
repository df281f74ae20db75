"""Pictures of figures as a worker has drawn them."""

import hashlib
from collections.abc import Iterable

from annotation.analytics.pictures.canvas import DRAWN_VERSION, Picture, PictureFormat
from annotation.models import Campaign, Dataset, DrawnPicture


def picture_key(picture: Picture, owner: Campaign | Dataset) -> str:
    """What no other picture has, nor the same of other figures, nor one that is drawn otherwise."""
    # Pictures are dataclasses of plain values, so that equal ones read the same.
    shown = f"{DRAWN_VERSION} {owner._meta.label_lower} {owner.pk} {picture!r}"
    return hashlib.sha256(shown.encode()).hexdigest()


def stored_pictures(
    keys: Iterable[str], form: PictureFormat | None = None
) -> dict[str, DrawnPicture]:
    """The rows of these keys, of what is large in them with the file of a form only (1 query)."""
    rows = DrawnPicture.objects.filter(key__in=keys).select_related("job")
    large = {"picture", *PictureFormat} - {form}
    return {row.key: row for row in rows.defer(*large)}


def drawn_file(picture: DrawnPicture, form: PictureFormat) -> bytes:
    """The file of a picture that was read with its form."""
    return bytes(getattr(picture, form))
