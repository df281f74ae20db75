"""Whose request it is: session and account, which are read anew for every request.

In plain SQL, because every save of every person begins with them: through the ORM they took a sixth
of a save. A logout or a closed account holds from the next request on, as ever.
"""

from typing import Any

from django.contrib.auth.backends import ModelBackend
from django.contrib.sessions.backends.db import SessionStore as DatabaseSessionStore
from django.db import connection
from django.utils import timezone

from annotation.models import User

SESSION_SQL = """
SELECT session_data FROM django_session WHERE session_key = %s AND expire_date > %s
"""
ACCOUNT_SQL = "SELECT * FROM annotation_user WHERE id = %s"


class SessionStore(DatabaseSessionStore):
    """The framework's sessions, table and all; `SESSION_ENGINE` wants the class by this name."""

    def load(self) -> dict[str, Any]:
        now = connection.ops.adapt_datetimefield_value(timezone.now())
        with connection.cursor() as cursor:
            cursor.execute(SESSION_SQL, [self.session_key, now])
            row = cursor.fetchone()
        if row is None:
            # It has ended; what is stored next begins another.
            self._session_key = None
            return {}
        return self.decode(row[0])


class AccountBackend(ModelBackend):
    """The framework's passwords and accounts; a closed account is nobody."""

    def get_user(self, user_id: int) -> User | None:
        for user in User.objects.raw(ACCOUNT_SQL, [user_id]):
            return user if self.user_can_authenticate(user) else None
        return None
