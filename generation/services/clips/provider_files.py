"""Where the providers' own files lie: one per clip that was ordered, kept for good."""

from pathlib import Path

from django.conf import settings

from generation.models import ClipCall

FOLDER = "clips"


def place_of(key: str) -> str:
    """Where the file of a clip goes, relative to the media folder."""
    return f"{FOLDER}/{key[:2]}/{key}.mp4"


def file_at(place: str) -> Path:
    return Path(settings.MEDIA_ROOT) / place


def has_file(call: ClipCall) -> bool:
    return bool(call.path) and file_at(call.path).is_file()
