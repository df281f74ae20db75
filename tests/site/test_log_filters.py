import logging

import httpx2

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
