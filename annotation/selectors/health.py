"""Whether the site can work at all."""

from django.db import DatabaseError, connection


def database_answers() -> bool:
    """Return whether the database answers the smallest question there is."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return False
    return True
