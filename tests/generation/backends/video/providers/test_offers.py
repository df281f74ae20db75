import pytest

from generation.backends.video.providers.offers import read_lengths, read_sizes


@pytest.mark.parametrize(
    ("text", "lengths_s"),
    [("", ()), ("4, 8,12", (4, 8, 12)), ("3 - 5; 8", (3, 4, 5, 8)), ("8 , 8, 2", (2, 8))],
)
def test_lengths_are_numbers_and_ranges(text, lengths_s):
    assert read_lengths(text) == lengths_s


@pytest.mark.parametrize("text", ["0", "61", "4.5", "-3", "5-3", "four", "1-9999"])
def test_text_that_is_no_length_is_named(text):
    with pytest.raises(ValueError, match=f"'{text}' is not a length; expected whole seconds"):
        read_lengths(text)


def test_sizes_are_kept_in_their_order():
    assert read_sizes("1280X720, 720 x 1280, 1280x720") == ("1280x720", "720x1280")


@pytest.mark.parametrize("text", ["1280", "1280:720", "0x720", "9999x720", "axb"])
def test_size_that_is_none_is_named(text):
    with pytest.raises(ValueError, match=f"'{text}' is not a size; expected width x height"):
        read_sizes(text)


def test_too_many_sizes_are_refused():
    with pytest.raises(ValueError, match="21 sizes; expected at most 20"):
        read_sizes(", ".join(f"{100 + number}x100" for number in range(21)))
