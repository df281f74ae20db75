"""Whether something failed because a disk is full, however that was reported."""

import errno

NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT})
# SQLite's own word, and what it says where a journal beside the database cannot grow.
SQLITE_NAMES = frozenset({"SQLITE_FULL", "SQLITE_IOERR_SHMSIZE", "SQLITE_IOERR_SHMMAP"})
POSTGRESQL_CODE = "53100"


def is_disk_full(error: BaseException | None) -> bool:
    """Whether the error, or what it was raised from, is that a disk has no room."""
    while error is not None:
        if (
            getattr(error, "errno", None) in NO_ROOM
            or getattr(error, "sqlite_errorname", None) in SQLITE_NAMES
            or getattr(error, "sqlstate", None) == POSTGRESQL_CODE
        ):
            return True
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return False
