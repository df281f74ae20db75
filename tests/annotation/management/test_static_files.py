"""Static files are collected where they changed."""

import os

import pytest

from annotation.management.static_files import collect_if_changed


@pytest.fixture
def folders(tmp_path, settings):
    """Return where the static files come from, one of them there, and where they go."""
    source, root = tmp_path / "source", tmp_path / "static"
    source.mkdir()
    (source / "site.css").write_text("p {}")
    settings.STATICFILES_DIRS, settings.STATIC_ROOT = [source], root
    return source, root


def test_files_that_did_not_change_are_not_collected_again(folders):
    _, root = folders
    collect_if_changed()
    assert (root / "site.css").read_text() == "p {}"
    (root / "site.css").unlink()

    collect_if_changed()

    assert not (root / "site.css").exists()


def test_a_changed_file_a_new_one_and_a_lost_folder_are(folders):
    source, root = folders
    collect_if_changed()
    (source / "site.css").write_text("q {}")
    later = (source / "site.css").stat().st_mtime + 5
    os.utime(source / "site.css", (later, later))

    collect_if_changed()
    assert (root / "site.css").read_text() == "q {}"

    (source / "new.css").write_text("a {}")
    collect_if_changed()
    assert (root / "new.css").is_file()

    root.rename(root.with_name("lost"))
    collect_if_changed()
    assert (root / "site.css").is_file()


def test_what_broke_off_is_collected_again(folders, monkeypatch):
    _, root = folders

    def break_off(*args, **options):
        root.mkdir()
        raise OSError("no space left")

    with monkeypatch.context() as broken:
        broken.setattr("annotation.management.static_files.call_command", break_off)
        with pytest.raises(OSError, match="no space left"):
            collect_if_changed()

    collect_if_changed()

    assert (root / "site.css").is_file()
