"""What a site made is sent to its storage while the site goes on working."""

import shutil

import pytest

from annotation.backends import made_files
from annotation.services.videos.sending import send_made_files
from tests.vanishing import done_before_listing, removed_once_seen

pytestmark = pytest.mark.django_db


def test_what_goes_meanwhile_is_neither_sent_nor_missed(site_storage, settings, monkeypatch):
    server = site_storage.server
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", server.writer.access_key)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", server.writer.secret_key)
    settings.VIDEO_STORAGE_URL = server.endpoint_url
    settings.MADE_FILES = f"s3://{site_storage.bucket}/site"
    for name in ("a/gone.jpg", "b/gone.jpg", "c/stays.jpg"):
        path = made_files.path_here(name)
        path.parent.mkdir(parents=True)
        path.write_bytes(b"picture")
    doomed = made_files.path_here("a")

    with (
        done_before_listing(doomed, lambda: shutil.rmtree(doomed)),
        removed_once_seen(made_files.path_here("b/gone.jpg")),
    ):
        counts = send_made_files(watch=lambda done, total: None)

    assert counts == (1, 1)
    assert [name for name in ("a", "b", "c") if made_files.is_kept(f"{name}/stays.jpg")] == ["c"]


def test_names_below_a_folder_that_goes_are_none(media):
    folder = media / "ingest"
    folder.mkdir(parents=True)

    with done_before_listing(folder, folder.rmdir):
        assert made_files.names_below("ingest") == []
