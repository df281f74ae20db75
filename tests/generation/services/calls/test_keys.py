import pytest

from generation.services.calls.keys import UnreadableKeyError, decrypted, encrypted

KEY = "sk-very-secret-key"


def test_stored_key_does_not_show_the_key_and_reads_back():
    stored = encrypted(KEY)

    assert KEY not in stored
    assert decrypted(stored) == KEY


def test_no_key_is_stored_as_nothing():
    assert (encrypted(""), decrypted("")) == ("", "")


def test_key_of_the_former_secret_is_read_through_the_fallbacks(settings):
    stored = encrypted(KEY)

    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
    settings.SECRET_KEY = "another"

    assert decrypted(stored) == KEY


def test_key_of_another_secret_is_refused(settings):
    stored = encrypted(KEY)

    settings.SECRET_KEY = "another"

    with pytest.raises(UnreadableKeyError, match="type the key again"):
        decrypted(stored)
