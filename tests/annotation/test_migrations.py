"""What migrations do to the rows and tables of a site."""

import importlib

import pytest
from django.apps import apps
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from annotation.engine.corpus.step_words import StepWords, what_raters_saw
from annotation.models import AgreementFigures, User, VideoIngest
from annotation.selectors.campaigns.campaigns import get_invitation
from annotation.services.campaigns.campaigns import add_raters
from annotation.services.campaigns.invitations import join_with_new_account, make_invitation
from annotation.services.records.accounts import create_rater_account
from tests.factories import CampaignFactory, UserFactory, VideoFactory
from tests.migrated import copy_tables

pytestmark = pytest.mark.django_db

BEFORE = ("annotation", "0054_words_of_notes")
AFTER = ("annotation", "0055_large_columns_of_ingests_last")


@pytest.fixture
def fresh_tables_after(transactional_db):
    yield
    copy_tables()


def test_the_audit_log_tells_who_took_accounts_in():
    owner, administrator = UserFactory(role="researcher"), UserFactory(role="administrator")
    campaign, other = CampaignFactory(owner=owner), CampaignFactory(owner=administrator)
    made = create_rater_account(username="made", actor=administrator).user
    token = make_invitation(campaign=campaign, places=1, actor=owner)
    joined = join_with_new_account(
        invitation=get_invitation(token), username="joined", password="-"
    )
    # Neither of these is the maker of the account.
    plain = UserFactory()
    add_raters(campaign=other, raters=[joined, plain], actor=administrator)
    gone = create_rater_account(username="gone", actor=owner).user
    gone.delete()
    User.objects.update(taken_in_by=None)

    migration = importlib.import_module("annotation.migrations.0033_who_took_accounts_in")
    migration.fill_in(apps, None)

    people = {owner.pk, administrator.pk, made.pk, joined.pk, plain.pk}
    assert dict(User.objects.filter(pk__in=people).values_list("pk", "taken_in_by")) == {
        owner.pk: None,
        administrator.pk: None,
        made.pk: administrator.pk,
        joined.pk: owner.pk,
        plain.pk: None,
    }


@pytest.mark.parametrize("opening", ["Of changes, ", "Taxonomy Fit: "])
def test_stored_notes_say_what_raters_saw_in_new_words(opening):
    apart, low = "Left apart: 2 answers about recordings of placeholders.", "90% of the pairs agree"
    saw = f"{opening}raters saw changes as empty cells and arrows."
    figures = AgreementFigures.objects.create(
        key="0" * 64,
        campaign=CampaignFactory(),
        rows=[{"beside": {"note": note}, "seed": 3} for note in (f"{apart} {saw} {low}", low, "")],
    )

    migration = importlib.import_module("annotation.migrations.0054_words_of_notes")
    migration.renew_notes(apps, None)

    figures.refresh_from_db()
    now = what_raters_saw([StepWords.ARROWS], has_name=False)
    assert [row["beside"]["note"] for row in figures.rows] == [f"{apart} {now} {low}", low, ""]
    assert {row["seed"] for row in figures.rows} == {3}


def test_stored_notes_of_all_ways_of_showing_are_as_new_ones():
    migration = importlib.import_module("annotation.migrations.0054_words_of_notes")
    before = "; ".join(old for old, _ in migration.WORDS)

    assert migration.in_new_words(f"Of changes, {before}.") == what_raters_saw(
        StepWords, has_name=False
    )


def test_pictures_and_peaks_of_recordings_move_to_the_end_of_the_table_and_back(
    fresh_tables_after,
):
    pictures, peaks = [{"name": "step-0000", "time_s": 0.5}], [0, 100]
    video = VideoFactory()
    VideoIngest.objects.create(video=video, digest="0", thumbnails=pictures, peaks=peaks)
    VideoIngest.objects.create(video=VideoFactory(dataset=video.dataset), digest="1")
    executor = MigrationExecutor(connection)

    executor.migrate([BEFORE])
    old = executor.loader.project_state([BEFORE]).apps.get_model("annotation", "VideoIngest")
    kept = old.objects.order_by("digest").values_list("thumbnails", "peaks")
    assert list(kept) == [(pictures, peaks), ([], [])]
    MigrationExecutor(connection).migrate([AFTER])

    kept = VideoIngest.objects.order_by("digest").values_list("thumbnails", "peaks")
    assert list(kept) == [(pictures, peaks), ([], [])]


def test_what_lists_read_of_ingests_stands_before_what_is_large():
    with connection.cursor() as cursor:
        columns = connection.introspection.get_table_description(cursor, VideoIngest._meta.db_table)

    assert [column.name for column in columns][-2:] == ["thumbnails", "peaks"]
