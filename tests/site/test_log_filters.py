import logging

import httpx2

from piev_site.log_filters import WithoutBrokerDefaults
from piev_site.settings import LOGGING


def test_signature_of_a_file_is_in_no_line_of_the_client(caplog):
    name = LOGGING["filters"]["without_queries"]["()"]
    assert (name, LOGGING["loggers"]["httpx2"]["filters"]) == (
        "piev_site.log_filters.WithoutQueries",
        ["without_queries"],
    )
    caplog.set_level(logging.INFO)
    answers = httpx2.MockTransport(lambda request: httpx2.Response(200))

    with httpx2.Client(transport=answers) as client:
        client.get("https://files.example/clip.mp4?signature=secret")

    [line] = [record.getMessage() for record in caplog.records if record.name == "httpx2"]
    assert line == 'HTTP Request: GET https://files.example/clip.mp4 "HTTP/1.1 200 OK"'


def test_nothing_is_said_of_a_broker_that_needs_no_host_name():
    """A queue in a folder, as the demo has it; kombu warns of it at every connection."""
    assert LOGGING["loggers"]["kombu.connection"] == {"filters": ["without_broker_defaults"]}
    lines = [
        logging.makeLogRecord({"msg": "No hostname was supplied. Reverting to default 'None'"}),
        logging.makeLogRecord({"msg": "Secure redis scheme specified (rediss) with no ssl"}),
    ]

    assert [WithoutBrokerDefaults().filter(line) for line in lines] == [False, True]
