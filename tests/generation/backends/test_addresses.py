"""Whichever way an address of our own network is written, requests are not led to it."""

import pytest

from generation.backends.addresses import leads_inside, stays_inside

METADATA = (
    "169.254.169.254", "2852039166", "0xa9fea9fe", "0251.0376.0251.0376", "::ffff:169.254.169.254",
    "[::ffff:a9fe:a9fe]", "::169.254.169.254", "64:ff9b::a9fe:a9fe", "64:ff9b:1::a9fe:a9fe",
    "2002:a9fe:a9fe::1", "fe80::1%lo",
)  # fmt: skip
INSIDE = (
    "127.0.0.1", "127.1", "0", "::1", "[::]", "10.0.0.8", "fd00::1", "localhost",
    "::ffff:10.0.0.8", "::10.0.0.8", "64:ff9b::7f00:1", "64:ff9b:1:2::a00:8", "2002:a00:8::",
    "2002:7f00:1::1", "2001:0:808:808::1",
)  # fmt: skip
OUTSIDE = (
    "8.8.8.8",
    "2001:4860:4860::8888",
    "64:ff9b::808:808",
    "::ffff:8.8.8.8",
    "2002:808:808::",
)


@pytest.mark.parametrize("host", METADATA)
def test_nobody_leads_us_to_the_keys_of_our_own_machine(host):
    assert leads_inside(host, "8.8.8.8")
    assert leads_inside(host, "10.0.0.1")


@pytest.mark.parametrize("host", INSIDE)
def test_a_server_on_the_internet_does_not_lead_us_inside(host):
    assert leads_inside(host, "8.8.8.8")
    assert stays_inside(host)


@pytest.mark.parametrize("host", OUTSIDE)
def test_other_servers_on_the_internet_are_followed(host):
    assert not leads_inside(host, "8.8.8.8")
    assert not stays_inside(host)


def test_a_name_counts_as_every_address_that_it_has(monkeypatch):
    answers = {"both.example": ["8.8.8.8", "127.0.0.1"], "api.example": ["8.8.8.8"]}
    monkeypatch.setattr(
        "socket.getaddrinfo",
        lambda host, *_, **__: [(0, 0, 0, "", (it, 0)) for it in answers[host]],
    )

    assert leads_inside("both.example", "api.example")
    assert not leads_inside("api.example", "api.example")
