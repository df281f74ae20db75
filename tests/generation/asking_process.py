"""The inside of the fault tests of text calls: a process that asks many questions in threads.

`python -m tests.generation.asking_process URL COUNT STYLE TIMEOUT_S` asks the questions 0 to
COUNT - 1.
What a model does wrong is in the record, so it is passed over here.
"""

import sys
from concurrent.futures import ThreadPoolExecutor

import django

django.setup()

from django.db import connection

from generation.backends.exceptions import ModelError
from generation.backends.retrying import RetryPolicy
from generation.models import TextEndpoint
from generation.services.calls.payer import Payer
from generation.services.texts.asker import TextAsker
from tests.generation.text_endpoints import make_endpoint, question

THREADS = 4
PAYER = Payer(key="command:faults")
# One more attempt after a failure that may pass.
POLICY = RetryPolicy(max_attempts=2, first_pause_s=0.01, max_pause_s=1.0)


def ask_all(url, count, style, timeout_s):
    endpoint = TextEndpoint.objects.filter(base_url=url).first() or make_endpoint(
        url, timeout_s=timeout_s, concurrency=THREADS, api_style=style
    )

    def ask_one(number):
        asked = question(prompt=f"Question {number}")
        try:
            TextAsker(endpoint, PAYER, POLICY).ask(asked)
        except ModelError:
            return
        finally:
            connection.close()

    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(ask_one, range(count)))


if __name__ == "__main__":
    ask_all(sys.argv[1], int(sys.argv[2]), sys.argv[3], int(sys.argv[4]))
