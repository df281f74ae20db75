"""What happens whenever a password is changed, by whatever page, command or form."""

from annotation.models import User
from annotation.services.records.accounts import end_api_token


class EndsApiToken:
    """Ends the API token that the old password gave.

    Django tells its password validators of every new password that is stored, also of one that
    `manage.py changepassword` sets. It ends the account's sessions by itself.
    """

    def validate(self, password: str, user: User | None = None) -> None:
        """Find nothing wrong with a password."""

    def get_help_text(self) -> str:
        """Return nothing: what makes a good password is said by the others."""
        return ""

    def password_changed(self, password: str, user: User | None = None) -> None:
        """End the token of an account whose password was stored."""
        if user is not None:
            end_api_token(user=user)
