"""PIE-V built as a wheel, and installed where a test may look at it."""

import subprocess
import sys

from django.conf import settings

# What would lead back to the checkout or to another site.
FOREIGN_VARIABLES = (
    "PYTHONPATH",
    "DJANGO_SETTINGS_MODULE",
    "PIEV_STATE",
    "SECRET_KEY",
    "DATABASE_URL",
    "REDIS_URL",
    "XDG_DATA_HOME",
)


def build_wheel(folder, source=settings.BASE_DIR):
    """Return the wheel of the checkout, built into the folder with what is installed here."""
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*pip, "--wheel-dir", folder, source], check=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


def install_without_dependencies(wheel, folder):
    """Put the wheel into the folder; the packages that it needs stay those of the tests."""
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index"]
    subprocess.run([*pip, "--target", folder, wheel], check=True)
