"""Half a character (a lone surrogate) in a form of a page: refused, never an error of the server.

Browsers send UTF-8, which cannot spell one. A form that names another character set can.
"""

import pytest

from annotation.models import Campaign, Role
from tests.factories import UserFactory

BOUNDARY = "part"


def multipart(fields):
    return (
        "".join(
            f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
            for name, value in fields.items()
        )
        + f"--{BOUNDARY}--\r\n"
    )


@pytest.mark.parametrize(("charset", "half"), [("unicode_escape", "\\ud83d"), ("utf-7", "+2D0-")])
@pytest.mark.parametrize("address", ["/campaigns/new/", "/login/"])
def test_a_form_in_another_character_set_is_refused(db, client, address, charset, half):
    client.force_login(UserFactory(role=Role.RESEARCHER))
    body = multipart({"name": half, "username": half, "password": half, "overlap": "1"})

    # Not `post`, which would write the body in that character set again.
    answer = client.generic(
        "POST",
        address,
        body.encode("ascii"),
        content_type=f"multipart/form-data; boundary={BOUNDARY}; charset={charset}",
    )

    assert (answer.status_code, Campaign.objects.count()) == (400, 0)
    assert "UTF-8" in answer.content.decode()
