import pytest

from annotation.engine.corpus.formats.errors import FormatError
from annotation.engine.corpus.formats.registry import available_formats


def test_available_formats_are_named_in_alphabetical_order():
    names = list(available_formats())

    assert names == sorted(names)
    assert {"assembly101", "captaincook4d", "egoexo4d", "egooops", "egoper"} < set(names)


def assert_refused(name, path):
    """Assert that a format refuses the path and says what it expected there."""
    with pytest.raises(FormatError) as caught:
        available_formats()[name].read(path)

    assert [item for item in caught.value.problems if not item.expected] == []


@pytest.mark.parametrize("name", list(available_formats()))
def test_every_format_refuses_a_path_that_is_not_there(tmp_path, name):
    assert_refused(name, tmp_path / "nothing.json")


@pytest.mark.parametrize("name", list(available_formats()))
def test_every_format_refuses_an_empty_folder(tmp_path, name):
    assert_refused(name, tmp_path)


@pytest.mark.parametrize("name", list(available_formats()))
def test_every_format_refuses_what_is_no_annotation(tmp_path, name):
    for suffix in ("json", "csv", "xlsx"):
        (tmp_path / f"nothing.{suffix}").write_bytes(b"\xff\xfe\x00 not an annotation")
        assert_refused(name, tmp_path / f"nothing.{suffix}")
