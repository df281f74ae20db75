"""What `manage.py check`, and every command before it begins, finds wrong with the installation."""

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Warning

OTHERS = 0o077
SQLITE = "django.db.backends.sqlite3"


def private_state(**kwargs: Any) -> list[CheckMessage]:
    """Warn where other accounts of the machine may look into what the site keeps."""
    database = settings.DATABASES["default"]
    places = [Path(settings.STATE_FOLDER)]
    if database["ENGINE"] == SQLITE:
        places.append(Path(database["NAME"]))
    return [
        Warning(
            f"{place} is open to other accounts of this machine.",
            hint=f"Close it: chmod go= {place}",
            id="annotation.W001",
        )
        for place in places
        if place.exists() and place.stat().st_mode & OTHERS
    ]
