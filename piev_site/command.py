"""PIE-V's command line: `piev` where PIE-V is installed, `manage.py` in a checkout."""

import os
import sys
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line
from django.db import OperationalError, ProgrammingError

from annotation.backends.build_version import build_version
from annotation.backends.full_disk import is_disk_full

# How SQLite and PostgreSQL say that a table or a column is not there.
MISSING_TABLE_WORDS = ("no such table", "no such column", "does not exist")
# How they say that there is no database to ask; PostgreSQL's message can hold the words above too.
NO_DATABASE_WORDS = (
    "connection failed",
    "connection is bad",
    "connection timeout",
    # Of the pool, which has logged at every try what was wrong.
    "couldn't get a connection",
    "failed to resolve host",
    "unable to open database file",
)


def main() -> None:
    """Run the command; what an administrator can put right is said without a traceback."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "piev_site.settings")
    # Django would tell its own.
    if sys.argv[1:] in (["version"], ["--version"]):
        sys.stdout.write(f"{build_version()}\n")
        return
    try:
        execute_from_command_line(sys.argv)
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever read the output, as `head`, has enough. What is left goes nowhere, or Python would
        # complain about it at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except ImproperlyConfigured as error:
        sys.exit(str(error))
    except (OperationalError, ProgrammingError) as error:
        if is_disk_full(error):
            sys.exit(f"The disk of the database is full, so this was not finished ({error}).")
        if any(words in str(error) for words in NO_DATABASE_WORDS):
            sys.exit(f"The database cannot be reached; look at DATABASE_URL.\n{error}")
        if not any(words in str(error) for words in MISSING_TABLE_WORDS):
            raise
        sys.exit(
            f"The database is not set up for this version ({error}).\n"
            f"Run this first: {Path(sys.argv[0]).name} migrate"
        )
    except OSError as error:
        if not is_disk_full(error):
            raise
        place = f"{error.filename}: {error.strerror}" if error.filename else error.strerror
        sys.exit(f"The disk is full, so this was not finished: {place}")


if __name__ == "__main__":
    main()
