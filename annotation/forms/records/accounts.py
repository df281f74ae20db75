"""What an administrator decides about accounts."""

from django import forms

from annotation.models import Role, User

NAME_CHARACTERS = 150
ROLE_WORDS = {
    Role.ANNOTATOR: "Annotator: works in their own queue",
    Role.RESEARCHER: "Researcher: also data sets, campaigns and runs",
    Role.ADMINISTRATOR: "Administrator: sees and changes everything",
}


class NewAccountForm(forms.Form):
    """A person who is taken in."""

    username = forms.CharField(
        max_length=NAME_CHARACTERS,
        label="User name",
        help_text="Shown in campaigns and exports. Letters of one alphabet, digits and . _ - @ +",
    )
    role = forms.ChoiceField(choices=ROLE_WORDS.items(), initial=Role.RESEARCHER, label="Role")


class AccountForm(NewAccountForm):
    """An account as it stands, to be changed."""

    is_active = forms.BooleanField(
        required=False,
        label="May log in",
        help_text="Take it away when somebody leaves. What they did stays.",
    )

    @classmethod
    def of(cls, user: User) -> "AccountForm":
        names = ("username", "role", "is_active")
        return cls(initial={name: getattr(user, name) for name in names})


class PlaceForm(forms.Form):
    """A place from which researchers may link videos."""

    address = forms.CharField(
        max_length=500,
        label="Folder or storage prefix",
        help_text="For example /videos/kitchen or s3://bucket/kitchen/",
    )
