import pytest

from annotation.engine.formats.errors import FormatError
from annotation.engine.formats.registry import available_formats


def test_available_formats_are_named_in_alphabetical_order():
    names = list(available_formats())

    assert names == sorted(names)
    assert {"assembly101", "captaincook4d", "egoexo4d", "egooops", "egoper"} < set(names)


def test_only_egoper_is_unverified():
    unverified = [item.name for item in available_formats().values() if not item.is_verified]

    assert unverified == ["egoper"]


# What is expected, or which file is missing.
REFUSAL = r"expected|in these files|is not a workbook|is one JSON file"


@pytest.mark.parametrize("name", list(available_formats()))
def test_every_format_refuses_a_path_that_is_not_there(tmp_path, name):
    with pytest.raises(FormatError, match=REFUSAL):
        available_formats()[name].read(tmp_path / "nothing.json")


@pytest.mark.parametrize("name", list(available_formats()))
def test_every_format_refuses_an_empty_folder(tmp_path, name):
    with pytest.raises(FormatError, match=REFUSAL):
        available_formats()[name].read(tmp_path)


@pytest.mark.parametrize("name", list(available_formats()))
def test_every_format_refuses_what_is_no_annotation(tmp_path, name):
    for suffix in ("json", "csv", "xlsx"):
        (tmp_path / f"nothing.{suffix}").write_bytes(b"\xff\xfe\x00 not an annotation")
        with pytest.raises(FormatError, match=REFUSAL):
            available_formats()[name].read(tmp_path / f"nothing.{suffix}")
