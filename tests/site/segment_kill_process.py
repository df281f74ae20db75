"""A request that moves the edge of two segments, in a process killed after each of its statements.

    python -m tests.site.segment_kill_process

Prints for each kill what the database holds afterwards, as JSON: first killed after one statement,
then after two, until one request is answered, and that one sent again.
"""

import itertools
import json
import os
import signal
import sys
from io import BytesIO

from bench.saving import gesture_body
from bench.segments_site import check, count, prepare

# isort: split
# The line above has set up Django.
from django.db import connection

from piev_site.wsgi import application


def answer_to(who, number):
    """Return the status of what the site answers to somebody's gesture of that number."""
    body = gesture_body(number, "tab").encode()
    headers = dict(line.split(": ", 1) for line in who["headers"].splitlines())
    environment = {
        "REQUEST_METHOD": "POST", "PATH_INFO": who["path"], "SERVER_NAME": "127.0.0.1",
        "SERVER_PORT": "80", "HTTP_HOST": "127.0.0.1", "CONTENT_TYPE": "application/json",
        "CONTENT_LENGTH": str(len(body)), "wsgi.input": BytesIO(body), "wsgi.url_scheme": "http",
        "wsgi.errors": sys.stderr, "HTTP_COOKIE": headers["Cookie"],
        "HTTP_X_CSRFTOKEN": headers["X-CSRFToken"],
    }  # fmt: skip
    statuses = []
    b"".join(application(environment, lambda status, _: statuses.append(status)))
    return statuses[0]


def is_killed(who, statement_count):
    """Answer in a process of its own that is killed after so many statements; was it?"""
    connection.close()
    child = os.fork()
    if child == 0:
        numbers = itertools.count(1)

        def kill(execute, sql, parameters, many, context):
            result = execute(sql, parameters, many, context)
            if next(numbers) == statement_count:
                os.kill(os.getpid(), signal.SIGKILL)
            return result

        with connection.execute_wrapper(kill):
            status = answer_to(who, 1)
        os._exit(0 if status.startswith("200") else 1)
    _, ended = os.waitpid(child, 0)
    if not os.WIFSIGNALED(ended) and os.WEXITSTATUS(ended):
        sys.exit("the gesture was refused")
    return os.WIFSIGNALED(ended)


def main():
    [who] = prepare(1)["people"]
    found = []
    for statement_count in itertools.count(1):
        was_killed = is_killed(who, statement_count)
        found.append({"killed": was_killed, **count(), **check()})
        if not was_killed:
            break
    again = answer_to(who, 1)
    json.dump({"found": found, "again": again, "count": count()}, sys.stdout)


if __name__ == "__main__":
    main()
