"""What is sent where: addresses, keys, redirects and sizes."""

import socket

import pytest

from generation.backends.addresses import leads_inside
from generation.backends.exceptions import RejectedError
from generation.backends.video.providers.exceptions import (
    DownloadError,
    DownloadTooLargeError,
    JobFailedError,
    MalformedAnswerError,
    SettingsError,
    UnclearSubmissionError,
)
from generation.backends.video.providers.provider import VideoSettings
from generation.backends.video.providers.registry import provider
from generation.backends.video.providers.transport import Transport, checked_base_url
from tests.fakes.video_provider_server import API_KEY, FILE_PATH, JOB, SECRET_KEY

DROPS = 2000


def make(stage, folder, **changes):
    return stage.backend(**changes).make_clip(stage.request(), folder / "clip.mp4")


def keys_in(asked):
    text = str(asked.headers)
    return API_KEY in text or "authorization" in asked.headers


def test_base_address_is_taken_with_and_without_its_last_slash(seedance, tmp_path):
    make(seedance, tmp_path, base_url=f" {seedance.server.url}/ ")

    assert checked_base_url("https://provider.example/v1/") == "https://provider.example/v1"


@pytest.mark.parametrize(
    "base_url",
    [
        "",
        "provider.example",
        "ftp://provider.example",
        "https://",
        "https://a:b@provider.example",
        "https://provider.example/?a=1",
        "https://provider.example/#a",
        "http://[bad",
    ],
)
def test_address_that_is_none_is_refused_before_anything_is_sent(base_url):
    settings = VideoSettings(base_url=base_url, api_key=API_KEY)

    with pytest.raises(SettingsError, match="the base address"):
        Transport(provider("seedance"), settings)


@pytest.mark.parametrize(
    ("name", "keys", "message"),
    [
        ("runway", {"secret_key": SECRET_KEY}, "runway needs a key; none is set"),
        ("kling", {"secret_key": SECRET_KEY}, "kling needs a key; none is set"),
        (
            "runway",
            {"api_key": "k\r\nX-Evil: 1"},
            "the key of runway has a character that cannot be sent",
        ),
        ("runway", {"api_key": "k\xe9"}, "the key of runway has a character that cannot be sent"),
    ],
)
def test_missing_key_is_reported_before_a_request(name, keys, message):
    with pytest.raises(SettingsError, match=message):
        Transport(provider(name), VideoSettings(base_url="http://localhost", **keys))


def test_wrong_key_is_reported_without_the_key(stage, tmp_path):
    wrong = "another-secret"
    stage.server.submissions = [{"do": "echo_headers"}]

    with pytest.raises(RejectedError, match="HTTP 401: ") as caught:
        make(stage, tmp_path, api_key=wrong)

    assert wrong not in str(caught.value)
    assert "eyJ" not in str(caught.value)
    assert wrong not in repr(VideoSettings(base_url="", api_key=wrong, secret_key=wrong))


def test_page_instead_of_a_document_asks_for_the_address(seedance, tmp_path):
    seedance.server.submissions = [{"do": "page"}]

    with pytest.raises(MalformedAnswerError, match=r"Log in.*is the base address right"):
        make(seedance, tmp_path)


@pytest.mark.parametrize(
    ("of", "error"),
    # A poll is tried again, and then says that the job has failed.
    [("submissions", UnclearSubmissionError), ("polls", JobFailedError)],
)
def test_answer_that_drips_is_not_waited_for(seedance, of, error, tmp_path):
    setattr(seedance.server, of, [{"do": "drip", "count": DROPS}, {"do": "failed"}])

    with pytest.raises(error):
        make(seedance, tmp_path, answer_timeout_s=1)

    # It would have been sent to its end to whoever waits.
    assert seedance.server.drop_count < DROPS


def test_redirect_of_a_submission_is_not_followed(seedance, tmp_path):
    seedance.server.submissions = [
        {"do": "redirect", "to": f"{seedance.server.url}/files/clip.mp4"}
    ]

    with pytest.raises(RejectedError, match=r"HTTP 307.*a redirect"):
        make(seedance, tmp_path)

    assert len(seedance.server.asked) == 1


def test_key_is_sent_only_to_the_address_of_the_provider(stage, stage_of, tmp_path):
    other = stage_of("runway")
    stage.server.downloads = [{"do": "redirect", "to": f"{other.server.url}/files/moved.mp4"}]

    make(stage, tmp_path)

    assert all(keys_in(asked) for asked in stage.server.asked)
    assert [(asked.path, keys_in(asked)) for asked in other.server.asked] == [
        ("/files/moved.mp4", False)
    ]


def test_file_of_another_host_is_fetched_without_a_key(seedance, stage_of, tmp_path):
    other = stage_of("runway")
    seedance.server.other_host = other.server.url

    make(seedance, tmp_path)

    assert [(asked.path, keys_in(asked)) for asked in other.server.asked] == [(FILE_PATH, False)]


def test_redirects_in_a_circle_are_refused(seedance, tmp_path):
    seedance.server.downloads = [{"do": "redirect", "to": FILE_PATH}]

    with pytest.raises(DownloadError, match="redirects more than 4 times"):
        make(seedance, tmp_path)


@pytest.mark.parametrize(
    "address", ["file:///etc/passwd", "ftp://a/clip.mp4", "clip.mp4", "http://"]
)
def test_file_address_of_another_kind_is_refused(seedance, address, tmp_path):
    document = {"id": JOB, "status": "succeeded", "content": {"video_url": address}}
    seedance.server.polls = [{"do": "say", "document": document}]

    with pytest.raises(MalformedAnswerError, match="expected one with"):
        make(seedance, tmp_path)


LINK_LOCAL = ["169.254.169.254", "2852039166", "0xa9.254.169.254", "[::ffff:169.254.169.254]"]


@pytest.mark.parametrize("host", [*LINK_LOCAL, "[fe80::1]", "0"])
@pytest.mark.parametrize("way", ["answer", "redirect"])
def test_downloads_from_link_local_addresses_are_refused(seedance, host, way, tmp_path):
    address = f"http://{host}:1/latest"
    document = {"id": JOB, "status": "succeeded", "content": {"video_url": address}}
    if way == "answer":
        seedance.server.polls = [{"do": "say", "document": document}]
    else:
        seedance.server.downloads = [{"do": "redirect", "to": address}]

    with pytest.raises(MalformedAnswerError, match=r"leads to .*outside of this server's network"):
        make(seedance, tmp_path)


@pytest.mark.parametrize(
    ("base", "target", "is_refused"),
    [
        ("provider.example", "files.example", False),
        ("provider.example", "inside.example", True),
        ("provider.example", "both.example", True),
        ("provider.example", "nowhere.example", False),
        ("inside.example", "inside.example", False),
        ("inside.example", "files.example", False),
        ("nowhere.example", "inside.example", False),
    ],
)
def test_provider_outside_cannot_send_downloads_into_the_network(
    monkeypatch, base, target, is_refused
):
    known = {
        "provider.example": ["93.184.216.34"],
        "files.example": ["93.184.216.35", "2606:2800:220:1::1"],
        "inside.example": ["10.0.0.7"],
        "both.example": ["93.184.216.36", "127.0.0.1"],
    }

    def look_up(host, *_, **__):
        if host not in known:
            raise socket.gaierror(host)
        return [(0, 0, 0, "", (address, 0)) for address in known[host]]

    monkeypatch.setattr("socket.getaddrinfo", look_up)

    assert leads_inside(target, base) == is_refused


@pytest.mark.parametrize(
    "act", [{"do": "file", "content": bytes(300_000)}, {"do": "endless", "count": 9}]
)
def test_file_with_more_bytes_than_allowed_is_refused(seedance, act, tmp_path):
    seedance.server.downloads = [act]

    with pytest.raises(DownloadTooLargeError, match="allowed are 200000"):
        make(seedance, tmp_path, most_clip_bytes=200_000)

    assert list(tmp_path.iterdir()) == []


def test_file_that_says_no_size_is_left_when_it_becomes_too_large(seedance, tmp_path):
    seedance.server.downloads = [{"do": "endless", "count": 1000}]

    with pytest.raises(DownloadTooLargeError):
        make(seedance, tmp_path, most_clip_bytes=200_000)

    assert seedance.server.chunk_count < 1000


def test_download_that_takes_too_long_is_ended(seedance, tmp_path):
    with pytest.raises(DownloadError, match="took more than 0 s"):
        make(seedance, tmp_path, download_limit_s=0)


def test_answer_without_an_end_is_refused(seedance, tmp_path):
    document = {"id": JOB, "padding": "x" * 5_000_000}
    seedance.server.submissions = [{"do": "say", "document": document}]

    with pytest.raises(MalformedAnswerError, match="more than 4000000 bytes"):
        make(seedance, tmp_path)


@pytest.mark.parametrize("job_id", ["../../keys", "a b", "a?b=c", "", 7, None, "a#b", "/etc"])
def test_job_id_that_could_lead_elsewhere_is_refused(seedance, job_id, tmp_path):
    seedance.server.submissions = [{"do": "say", "document": {"id": job_id}}]

    with pytest.raises(MalformedAnswerError, match="expected"):
        make(seedance, tmp_path)

    assert len(seedance.server.asked) == 1
