"""Accounts, the audit log and opened places: pages of administrators, in the site's own look."""

import re

import pytest
from django.urls import reverse

from annotation.models import AuditEntry, OpenedPlace, Role, User
from tests.factories import PASSWORD, UserFactory

pytestmark = pytest.mark.django_db

PAGES = ("accounts", "audit-log")


def text_of(answer):
    return answer.content.decode().replace("\xa0", " ")


def first_password_in(answer):
    return re.search(r'id="first-password">([^<]+)<', text_of(answer))[1]


def change(client, person, **changes):
    form = {"username": person.username, "role": person.role, "is_active": "on"} | changes
    return client.post(reverse("account-detail", args=[person.pk]), form, follow=True)


@pytest.mark.parametrize("name", PAGES)
def test_accounts_and_audit_log_are_for_administrators(
    owner_client, annotator_client, administrator_client, client, name
):
    everybody = (client, annotator_client, owner_client, administrator_client)

    codes = [each.get(reverse(name)).status_code for each in everybody]

    assert codes == [302, 403, 403, 200]


def test_an_added_account_logs_in_with_the_password_shown_once(administrator_client, client):
    form = {"username": "rosa", "role": Role.RESEARCHER}

    answer = administrator_client.post(reverse("accounts"), form)

    made = User.objects.get(username="rosa")
    assert (made.role, made.must_change_password) == (Role.RESEARCHER, True)
    assert client.login(username="rosa", password=first_password_in(answer))
    assert "first-password" not in text_of(administrator_client.get(reverse("accounts")))


@pytest.mark.parametrize("name", ["taken", "administratоr", "=1+1"])
def test_a_name_that_cannot_be_is_refused_beside_its_field(administrator_client, name):
    UserFactory(username="taken")
    count = User.objects.count()

    answer = administrator_client.post(reverse("accounts"), {"username": name, "role": "annotator"})

    assert list(answer.context["form"].errors) == ["username"]
    assert User.objects.count() == count


def test_an_account_gets_a_role_and_another_name_and_the_log_does_not_tell_the_old_one(
    administrator_client,
):
    person = UserFactory(username="old.name", first_name="Rosa", email="rosa@example.org")

    change(administrator_client, person, username="person-7", role=Role.RESEARCHER)

    person.refresh_from_db()
    assert (person.username, person.role) == ("person-7", Role.RESEARCHER)
    assert (person.first_name, person.email) == ("", "")
    entry = AuditEntry.objects.get(action="user.change")
    assert entry.detail == {"role": "researcher", "renamed": True}
    assert "old.name" not in text_of(administrator_client.get(reverse("audit-log")))


def test_who_may_not_log_in_is_out_at_the_next_request(administrator_client, client):
    person = UserFactory()
    client.login(username=person.username, password=PASSWORD)

    change(administrator_client, person, is_active="")

    assert client.get(reverse("queue")).status_code == 302


def test_nobody_changes_their_own_rights_or_those_of_the_command_line(
    administrator_client, administrator
):
    technician = UserFactory(is_superuser=True, is_staff=True)
    before = list(User.objects.order_by("pk").values())

    for person in (administrator, technician):
        answer = change(administrator_client, person, role=Role.ANNOTATOR)
        administrator_client.post(reverse("account-password", args=[person.pk]))
        assert "account" in text_of(answer)

    after = list(User.objects.order_by("pk").values())
    assert after == before
    assert not AuditEntry.objects.filter(action__in=["user.change", "password.change"]).exists()


def test_a_new_password_ends_the_old_one_and_the_sessions(administrator_client, client):
    person = UserFactory()
    client.login(username=person.username, password=PASSWORD)

    answer = administrator_client.post(reverse("account-password", args=[person.pk]))

    assert client.get(reverse("queue")).status_code == 302
    assert not client.login(username=person.username, password=PASSWORD)
    assert client.login(username=person.username, password=first_password_in(answer))
    person.refresh_from_db()
    assert person.must_change_password


def test_a_locked_account_is_unlocked_at_once(administrator_client, client, settings):
    settings.AXES_ENABLED = True
    person = UserFactory()
    address = reverse("account-detail", args=[person.pk])
    wrong = {"username": person.username, "password": "guessed"}
    for _ in range(settings.AXES_FAILURE_LIMIT):
        client.post("/login/", wrong)
    assert "Unlock" in text_of(administrator_client.get(address))

    administrator_client.post(reverse("account-unlock", args=[person.pk]))

    assert "Unlock" not in text_of(administrator_client.get(address))
    answer = client.post("/login/", wrong | {"password": PASSWORD})
    assert answer.status_code == 302


def test_the_audit_log_is_searched(administrator_client, owner):
    AuditEntry.objects.create(action="campaign.close", subject="campaign:a", actor=owner)
    AuditEntry.objects.create(action="item_set.make", subject="item_set:b", detail={"items": 3})

    answer = administrator_client.get(reverse("audit-log"), {"log-q": f"{owner.username} close"})

    assert [entry.action for entry in answer.context["table"].page] == ["campaign.close"]
    assert "items: 3" in text_of(administrator_client.get(reverse("audit-log")))


@pytest.mark.parametrize("count", [1, 3])
def test_lists_ask_as_much_for_many_rows(
    administrator_client, django_assert_num_queries, count, owner
):
    for number in range(count):
        AuditEntry.objects.create(action="x.y", subject=f"a:{number}", actor=owner)
        UserFactory()

    # Session, account, count, rows.
    for name in PAGES:
        with django_assert_num_queries(4):
            administrator_client.get(reverse(name))


def test_places_of_videos_are_opened_and_closed_on_the_status_page(administrator_client):
    opened = administrator_client.post(
        reverse("place-open"), {"address": "/videos/kitchen"}, follow=True
    )
    refused = administrator_client.post(reverse("place-open"), {"address": "kitchen"}, follow=True)

    assert "/videos/kitchen" in text_of(opened)
    assert "absolute path" in text_of(refused)
    assert [place.address for place in OpenedPlace.objects.all()] == ["/videos/kitchen"]

    administrator_client.post(reverse("place-close"), {"address": "/videos/kitchen"})

    assert not OpenedPlace.objects.exists()


def test_no_page_of_the_site_leads_to_the_framework_s_administration(client):
    client.force_login(UserFactory(role=Role.ADMINISTRATOR, is_staff=True, is_superuser=True))

    pages = [text_of(client.get(reverse(name))) for name in ("account", "status", *PAGES)]

    assert not any('href="/admin' in page for page in pages)
