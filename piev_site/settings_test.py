"""Settings of the test suite: the site's own, with a cheap password hash and a private folder.

Tests run on the database that DATABASE_URL names, else on SQLite in the same mode as the site.
"""

import os
import tempfile
from pathlib import Path

_STATE = tempfile.TemporaryDirectory(prefix="piev-tests-")
os.environ["PIEV_STATE"] = _STATE.name
os.environ.setdefault("SECRET_KEY", "only-for-tests")
os.environ["DEBUG"] = "0"
os.environ.setdefault("LOG_LEVEL", "WARNING")

from piev_site.settings import *  # noqa: E402, F403
from piev_site.settings import BASE_DIR, DATABASES, MIDDLEWARE  # noqa: E402

if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    # No power cut is waited for here. Tests of what is on the disk run a site of its own.
    DATABASES["default"]["OPTIONS"]["init_command"] += " PRAGMA synchronous=OFF;"
else:
    # A test may have a thread for each of many people.
    DATABASES["default"]["OPTIONS"]["pool"]["max_size"] = 50
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
WHITENOISE_AUTOREFRESH = True
AXES_ENABLED = False
PIEV_SHARED_DATA = Path(os.environ.get("PIEV_SHARED_DATA", BASE_DIR.parent / "shared" / "data"))
# Every answer of the API is held to the schema that the site serves.
# Inside what compresses, so that it reads what was said.
_inside = MIDDLEWARE.index("piev_site.middleware.CompressedPagesMiddleware") + 1
MIDDLEWARE = [
    *MIDDLEWARE[:_inside],
    "tests.api_contract.AnswersAsDescribed",
    *MIDDLEWARE[_inside:],
]
