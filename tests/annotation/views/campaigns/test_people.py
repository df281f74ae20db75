"""The people of a campaign: leaving, new passwords by a link, invitations, tables of accounts."""

import re
from datetime import timedelta

import pytest
from django.contrib.auth.hashers import PBKDF2PasswordHasher
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpRequest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from rest_framework.authtoken.models import Token
from rest_framework.test import APIClient

from annotation.models import AuditEntry, CampaignRater, Invitation, Role, User
from annotation.services.campaigns.invitations import make_invitation
from annotation.services.records.accounts import create_rater_account
from tests.annotation.conftest import client_of
from tests.factories import (
    PASSWORD,
    AssignmentFactory,
    CampaignFactory,
    CampaignRaterFactory,
    DatasetFactory,
    TraceFactory,
    UserFactory,
)

pytestmark = pytest.mark.django_db
NEW_PASSWORD = "a new one, 17 letters"


@pytest.fixture
def campaign(owner):
    campaign = CampaignFactory(owner=owner, overlap=1)
    dataset = DatasetFactory(owner=owner)
    campaign.datasets.add(dataset)
    for _ in range(3):
        TraceFactory(dataset=dataset)
    return campaign


@pytest.fixture
def rater(campaign, owner):
    rater = UserFactory(username="noor", taken_in_by=owner)
    CampaignRaterFactory(campaign=campaign, rater=rater)
    return rater


def address(name, campaign):
    return reverse(name, args=[campaign.public_id])


def test_removing_says_first_what_happens_to_the_traces(campaign, rater, owner_client):
    traces = list(campaign.datasets.get().traces.all())
    AssignmentFactory(campaign=campaign, rater=rater, trace=traces[0], started_at=timezone.now())
    for trace in traces[1:]:
        AssignmentFactory(campaign=campaign, rater=rater, trace=trace)
    CampaignRaterFactory(campaign=campaign, rater=UserFactory(username="mika"))

    asked = owner_client.get(address("campaign-rater-removal", campaign), {"rater": "noor"})
    before = CampaignRater.objects.count()
    removed = owner_client.post(
        address("campaign-remove-rater", campaign), {"rater": "noor"}, follow=True
    )

    page = asked.content.decode()
    assert "2 traces not started go to the others." in page
    assert "1 trace started, 0 of them submitted: these ratings stay and count." in page
    assert before == 2
    assert "noor removed; 2 traces went to the others." in removed.content.decode()


def test_password_link_ends_what_the_old_password_gave_and_works_once(
    campaign, rater, owner_client
):
    session, place = client_of(rater), address("campaign-rater-password", campaign)
    Token.objects.create(user=rater)

    asked = owner_client.get(place, {"rater": "noor"}).content.decode()
    made = owner_client.post(place, {"rater": "noor"}).content.decode()
    link = re.search(r'value="(http://testserver/password/link/[^"]+)"', made)[1]

    assert "Create the link" in asked
    assert session.get(reverse("queue")).status_code == 302
    assert not Token.objects.exists()
    assert not Client().login(username="noor", password=PASSWORD)
    person = Client()
    form = person.get(link, follow=True)
    assert "Choose a password" in form.content.decode()
    chosen = {"new_password1": NEW_PASSWORD, "new_password2": NEW_PASSWORD}
    done = person.post(form.redirect_chain[-1][0], chosen, follow=True)
    assert "Your password is set." in done.content.decode()
    assert Client().login(username="noor", password=NEW_PASSWORD)
    assert "This link has been used" in Client().get(link, follow=True).content.decode()
    actions = AuditEntry.objects.filter(action__startswith="password").order_by("pk")
    assert list(actions.values_list("action", "actor__username")) == [
        ("password.link", "owner"),
        ("password.change", "noor"),
    ]


@pytest.mark.parametrize(
    "changes",
    [{"role": Role.RESEARCHER}, {"role": Role.ADMINISTRATOR}, {"is_superuser": True},
     {"is_staff": True}],
)  # fmt: skip
def test_no_researcher_resets_passwords_of_those_with_more_rights(
    campaign, rater, owner_client, changes
):
    User.objects.filter(pk=rater.pk).update(**changes)
    place = address("campaign-rater-password", campaign)

    assert owner_client.post(place, {"rater": "noor"}).status_code == 404
    assert rater.check_password(PASSWORD)


def test_password_link_works_once_also_for_two_at_the_same_moment(
    campaign, rater, owner_client, monkeypatch
):
    place = address("campaign-rater-password", campaign)
    page = owner_client.post(place, {"rater": "noor"}).content.decode()
    link = re.search(r'value="http://testserver(/password/link/[^"]+)"', page)[1]
    clients = Client(), Client()
    [form] = {client.get(link, follow=True).redirect_chain[-1][0] for client in clients}
    answers = {}

    def choose(client, password):
        chosen = {"new_password1": password, "new_password2": password}
        answers[password] = client.post(form, chosen).status_code

    meanwhile(monkeypatch, lambda: choose(clients[1], "quicker-than-them"))
    choose(clients[0], NEW_PASSWORD)

    assert answers == {"quicker-than-them": 302, NEW_PASSWORD: 404}
    assert not Client().login(username="noor", password=NEW_PASSWORD)
    assert Client().login(username="noor", password="quicker-than-them")


def test_who_changes_a_password_keeps_nothing_that_is_taken_away_meanwhile(
    campaign, rater, monkeypatch
):
    client, user = client_of(rater), User.objects.filter(pk=rater.pk)
    less = {"is_active": False, "role": Role.ANNOTATOR}
    user.update(role=Role.ADMINISTRATOR)
    chosen = {
        "old_password": PASSWORD, "new_password1": NEW_PASSWORD, "new_password2": NEW_PASSWORD,
    }  # fmt: skip

    meanwhile(monkeypatch, lambda: user.update(**less))
    answer = client.post(reverse("password_change"), chosen)

    assert user.values(*less).get() == less
    assert "changed at the same moment" in answer.content.decode()
    assert user.get().check_password(PASSWORD)


def test_a_name_that_is_taken_at_the_same_moment_is_said_beside_it(campaign, owner, monkeypatch):
    token = make_invitation(campaign=campaign, places=1, actor=owner)
    chosen = {"username": "twin", "password1": NEW_PASSWORD, "password2": NEW_PASSWORD}

    meanwhile(monkeypatch, lambda: UserFactory(username="twin"))
    answer = Client().post(reverse("join", args=[token]), chosen)

    assert answer.status_code == 200
    assert "A user with that username already exists." in answer.content.decode()
    assert Invitation.objects.get().used_count == 0


def meanwhile(monkeypatch, act):
    """Have something happen while a new password is hashed, which takes a quarter of a second."""
    hashing, left = User.set_password, [act]

    def slowly(user, password):
        if left:
            left.pop()()
        hashing(user, password)

    monkeypatch.setattr(User, "set_password", slowly)


@pytest.mark.parametrize("changes", [{"role": Role.RESEARCHER}, {"is_superuser": True}])
def test_password_link_ends_when_its_account_gets_more_rights(
    campaign, rater, owner_client, changes
):
    """Otherwise who made the link could keep it and take those rights."""
    place = address("campaign-rater-password", campaign)
    page = owner_client.post(place, {"rater": "noor"}).content.decode()
    link = re.search(r'value="http://testserver(/password/link/[^"]+)"', page)[1]
    assert b"new_password1" in Client().get(link, follow=True).content

    User.objects.filter(pk=rater.pk).update(**changes)

    assert b"new_password1" not in Client().get(link, follow=True).content


def test_password_of_a_rater_of_somebody_else_is_not_reset(
    campaign, rater, owner_client, outsider_client, administrator_client
):
    place = address("campaign-rater-password", campaign)
    outsider = outsider_client.get(place, {"rater": "noor"})
    stranger = owner_client.get(place, {"rater": UserFactory(username="x").username})
    CampaignRaterFactory(campaign=CampaignFactory(owner=UserFactory()), rater=rater)

    page = owner_client.get(address("campaign-detail", campaign)).content.decode()

    assert owner_client.post(place, {"rater": "noor"}).status_code == 404
    assert (outsider.status_code, stranger.status_code) == (404, 404)
    assert "New password for noor" not in page
    assert administrator_client.get(place, {"rater": "noor"}).status_code == 200


def test_an_idle_account_is_not_taken_over_by_adding_it_to_a_campaign(
    campaign, owner_client, outsider
):
    """Its owner is in no campaign, so nothing else tells that it is somebody else's."""
    idle = [
        create_rater_account(username="made.by.another", actor=outsider).user,
        UserFactory(username="made.by.nobody"),
    ]
    added = owner_client.post(
        address("campaign-add-raters", campaign), {"raters": [person.username for person in idle]}
    )
    place = address("campaign-rater-password", campaign)

    answers = [
        ask(place, {"rater": person.username}).status_code
        for person in idle
        for ask in (owner_client.get, owner_client.post)
    ]

    page = owner_client.get(address("campaign-detail", campaign)).content.decode()
    assert added.status_code == 302
    assert set(campaign.raters.values_list("rater", flat=True)) == {item.pk for item in idle}
    assert answers == [404] * 4
    assert "New password for" not in page
    kept = [User.objects.get(pk=person.pk).password for person in idle]
    assert kept == [person.password for person in idle]


def test_an_account_is_not_taken_over_by_an_invitation(campaign, owner_client, outsider):
    """A link that somebody follows with an account of their own does not give that away."""
    idle = UserFactory(username="idle", taken_in_by=outsider)
    client_of(idle).post(invite(owner_client, campaign, 1))
    place = address("campaign-rater-password", campaign)

    assert campaign.raters.filter(rater=idle).exists()
    assert owner_client.post(place, {"rater": "idle"}).status_code == 404


def test_passwords_are_renewed_of_accounts_that_the_owner_made_or_invited(
    campaign, owner_client, owner
):
    owner_client.post(address("campaign-add-raters", campaign), {"new_names": "ada"})
    new = {"username": "zoe", "password1": NEW_PASSWORD, "password2": NEW_PASSWORD}
    Client().post(invite(owner_client, campaign, 1), new)
    place = address("campaign-rater-password", campaign)

    page = owner_client.get(address("campaign-detail", campaign)).content.decode()

    for name in ("ada", "zoe"):
        assert f"New password for {name}" in page
        assert "/password/link/" in owner_client.post(place, {"rater": name}).content.decode()


@pytest.fixture
def superuser_client(db):
    return client_of(UserFactory(is_superuser=True, is_staff=True))


STRANGE_NAMES = {
    "administrat\u043er": "It mixes Latin letters with the Cyrillic “о”",
    "\u0430nna": "It mixes Latin letters with the Cyrillic “а”",
    "\u03bfwner": "It mixes Latin letters with the Greek “ο”",
    "-1+cmd": "It starts with “-” as formulas do",
    "+1": "It starts with “+” as formulas do",
    "@SUM.1": "It starts with “@” as formulas do",
    "\uff0b1": "It starts with “+” as formulas do",
}


@pytest.mark.parametrize(("name", "words"), STRANGE_NAMES.items())
def test_no_way_in_takes_a_name_that_passes_for_another_or_for_a_formula(
    campaign, owner, owner_client, superuser_client, name, words
):
    api = APIClient()
    api.force_authenticate(owner)
    link = invite(owner_client, campaign, 1)
    new = {"username": name, "password1": NEW_PASSWORD, "password2": NEW_PASSWORD}
    table = SimpleUploadedFile("people.csv", f"username\n{name}\n".encode())
    adding = address("campaign-add-raters", campaign)

    pages = [
        Client().post(link, new),
        owner_client.post(adding, {"new_names": name}),
        owner_client.post(adding, {"accounts_file": table}),
        api.post(
            address("api-campaign-raters", campaign), {"new_usernames": [name]}, format="json"
        ),
        superuser_client.post(reverse("admin:annotation_user_add"), new | {"role": "annotator"}),
    ]

    assert [words in page.content.decode() for page in pages] == [True] * len(pages)
    assert not User.objects.filter(username__contains=name[-3:]).exclude(username="owner").exists()


def test_who_has_such_a_name_already_keeps_it(campaign, owner, superuser_client):
    person = UserFactory(username="administrat\u043er", taken_in_by=owner)
    change = reverse("admin:annotation_user_change", args=[person.pk])
    fields = {
        "username": person.username, "role": "annotator", "is_active": "on", "last_name": "Okafor",
        "date_joined_0": "2026-01-01", "date_joined_1": "00:00:00",
    }  # fmt: skip

    saved = superuser_client.post(change, fields)
    renamed = superuser_client.post(change, fields | {"username": "\u0430nna"})

    person.refresh_from_db()
    assert Client().login(username=person.username, password=PASSWORD)
    assert (saved.status_code, person.last_name) == (302, "Okafor")
    assert "It mixes Latin letters" in renamed.content.decode()


def test_password_of_who_has_rated_for_somebody_else_is_not_reset(campaign, rater, owner_client):
    """Whoever was taken out of a campaign left answers there that still are theirs."""
    theirs = CampaignFactory(owner=UserFactory())
    AssignmentFactory(campaign=theirs, rater=rater)
    CampaignRater.objects.filter(campaign=theirs).delete()
    place = address("campaign-rater-password", campaign)

    assert owner_client.post(place, {"rater": "noor"}).status_code == 404
    assert User.objects.get(pk=rater.pk).check_password(PASSWORD)


def invite(client, campaign, places):
    page = client.post(address("campaign-invite", campaign), {"places": places}).content.decode()
    return re.search(r'value="http://testserver(/join/[^"]+)"', page)[1]


def test_invitation_lets_people_make_an_account_and_rate(campaign, owner_client):
    link = invite(owner_client, campaign, 1)
    person, late = Client(), Client()
    new = {"username": "zoe", "password1": NEW_PASSWORD, "password2": NEW_PASSWORD}

    page = person.get(link).content.decode()
    taken = person.post(link, {**new, "username": "owner"}).content.decode()
    joined = person.post(link, new)

    assert campaign.name in page
    assert "already exists" in taken
    assert joined.url == reverse("welcome", args=[campaign.rounds.get().public_id])
    assert campaign.name in person.get(reverse("queue")).content.decode()
    made = User.objects.get(username="zoe")
    assert (made.role, made.must_change_password) == (Role.ANNOTATOR, False)
    assert made.assignments.count() == 3
    assert late.get(link).status_code == late.post(link, new).status_code == 404
    assert link.split("/")[2] not in Invitation.objects.get().token_digest


def test_invitation_is_for_annotators_with_an_account_too(campaign, owner_client, rater):
    link = invite(owner_client, campaign, 2)
    other = UserFactory(username="mika")

    refused = owner_client.get(link)
    client_of(other).post(link)
    client_of(rater).post(link)

    assert refused.status_code == 403
    assert "it takes no accounts of researchers" in refused.content.decode()
    assert CampaignRater.objects.filter(campaign=campaign).count() == 2
    assert Invitation.objects.get().used_count == 1  # noor was in it already


def test_invitations_end(campaign, owner_client, outsider_client):
    first, second = invite(owner_client, campaign, 1), invite(owner_client, campaign, 1)
    Invitation.objects.filter(pk=Invitation.objects.first().pk).update(
        expires_at=timezone.now() - timedelta(minutes=1)
    )
    assert [Client().get(link).status_code for link in (first, second)] == [200, 404]
    assert outsider_client.post(address("campaign-end-invitations", campaign)).status_code == 404

    owner_client.post(address("campaign-end-invitations", campaign))

    assert Client().get(first).status_code == 404
    assert outsider_client.post(address("campaign-invite", campaign)).status_code == 404


def test_table_of_accounts_makes_all_or_none(campaign, owner_client):
    def add(content):
        file = SimpleUploadedFile("people.csv", content)
        return owner_client.post(address("campaign-add-raters", campaign), {"accounts_file": file})

    UserFactory(username="noor")
    refused = add(b"username,email\nzoe,\nnoor,\na b,\nmika,what\n").content.decode()
    count = User.objects.filter(username__in=["zoe", "mika"]).count()
    made = add(b"username,first_name\nzoe,Zoe\nmika,\n").content.decode()

    assert count == 0
    assert "noor: A user with that username already exists." in refused
    assert "a b: Enter a valid username." in refused
    assert "mika: Enter a valid email address." in refused
    assert ("zoe" in made, "mika" in made, "First password" in made) == (True, True, True)
    assert User.objects.get(username="zoe").first_name == "Zoe"
    assert CampaignRater.objects.filter(campaign=campaign).count() == 2


def test_first_passwords_of_many_accounts_are_made_quickly(settings):
    """They are made while nobody else can save; the first login hashes them as any other."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.PBKDF2PasswordHasher"]
    made = create_rater_account(username="zoe", actor=UserFactory())
    iterations = int(made.user.password.split("$")[1])
    usual = PBKDF2PasswordHasher.iterations

    assert Client().login(username="zoe", password="guessed") is False
    assert Client().login(request=HttpRequest(), username="zoe", password=made.password)

    after = User.objects.get(username="zoe")
    assert 500 * iterations < 2 * usual
    assert int(after.password.split("$")[1]) == usual
    assert after.must_change_password is True


def test_api_makes_so_many_accounts_at_most(campaign, owner):
    api = APIClient()
    api.force_authenticate(owner)
    names = [f"rater-{number}" for number in range(501)]

    answer = api.post(
        f"/api/v1/campaigns/{campaign.public_id}/raters/", {"new_usernames": names}, format="json"
    )

    assert answer.status_code == 400
    assert "500" in str(answer.json()["new_usernames"])
    assert not User.objects.filter(username="rater-0").exists()


def test_name_with_a_blank_is_one_name_and_named(campaign, owner_client):
    place = address("campaign-add-raters", campaign)

    page = owner_client.post(place, {"new_names": "jun\nmara b, zoe"}).content.decode()

    assert "mara b: Enter a valid username." in page
    assert not CampaignRater.objects.exists()
