"""Collect the style sheets, scripts and pictures of the pages where they are served from."""

import hashlib
import inspect
from importlib.metadata import version
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.contrib.staticfiles.storage import staticfiles_storage
from django.core.management import call_command


def collect_if_changed() -> None:
    """Collect them, which takes seconds, unless those there are of the same sources."""
    root = Path(settings.STATIC_ROOT)
    # Beside the folder, all of which is public.
    mark = root.with_name(f"{root.name}-collected")
    # What stands for the files that are collected, and for how they are stored.
    paths = {
        Path(storage.path(name)) for finder in get_finders() for name, storage in finder.list([])
    }
    paths.add(Path(inspect.getfile(staticfiles_storage.__class__)))
    digest = hashlib.sha256(" ".join(map(version, ("django", "whitenoise"))).encode())
    for path in sorted(paths):
        facts = path.stat()
        digest.update(f"{path} {facts.st_size} {facts.st_mtime_ns}\n".encode())
    sources = digest.hexdigest()
    if root.is_dir() and mark.is_file() and mark.read_text(encoding="ascii") == sources:
        return
    mark.unlink(missing_ok=True)
    call_command("collectstatic", verbosity=0, interactive=False)
    mark.write_text(sources, encoding="ascii")
