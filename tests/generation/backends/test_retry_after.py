import pytest

from generation.backends.retry_after import retry_after_s


@pytest.mark.parametrize(
    ("header", "expected_s"),
    [
        ("7", 7.0),
        ("0.5", 0.5),
        ("-3", 0.0),
        ("Thu, 01 Jan 1970 00:02:00 GMT", 20.0),
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0.0),
        ("soon", None),
        ("", None),
    ],
)
def test_retry_after_is_seconds_or_a_date(header, expected_s):
    assert retry_after_s({"retry-after": header}, now_s=100.0) == expected_s


def test_milliseconds_come_before_seconds():
    headers = {"retry-after-ms": "1500", "retry-after": "9"}

    assert retry_after_s(headers) == 1.5
    assert retry_after_s({**headers, "retry-after-ms": "soon"}) == 9.0
    assert retry_after_s({"retry-after": "inf"}) is None
