"""The page of one's own account."""

import pytest
from django.urls import reverse

from annotation.models import Role
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db


def test_account_page_leads_staff_and_nobody_else_to_the_administration(client):
    address, door = reverse("account"), reverse("admin:index")
    client.force_login(UserFactory(role=Role.ADMINISTRATOR, is_staff=True))
    of_staff = client.get(address).content.decode()
    client.force_login(UserFactory(role=Role.RESEARCHER))
    of_researcher = client.get(address).content.decode()

    assert (f'href="{door}"' in of_staff, f'href="{door}"' in of_researcher) == (True, False)
