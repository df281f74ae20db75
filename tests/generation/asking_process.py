"""The inside of the fault test of text calls: a process that asks many questions in threads.

`python -m tests.generation.asking_process URL COUNT` asks the questions 0 to COUNT - 1.
"""

import sys
from concurrent.futures import ThreadPoolExecutor

import django

django.setup()

from django.db import connection  # noqa: E402

from generation.models import TextEndpoint  # noqa: E402
from generation.services.text_calls import Caller, ask  # noqa: E402
from tests.generation.text_endpoints import make_endpoint, question  # noqa: E402

THREADS = 4


def ask_all(url, count):
    endpoint = TextEndpoint.objects.filter(base_url=url).first()
    endpoint = endpoint or make_endpoint(url, timeout_s=1, concurrency=THREADS)

    def ask_one(number):
        try:
            ask(request=question(prompt=f"Question {number}"), caller=Caller(endpoint))
        finally:
            connection.close()

    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(ask_one, range(count)))


if __name__ == "__main__":
    ask_all(sys.argv[1], int(sys.argv[2]))
