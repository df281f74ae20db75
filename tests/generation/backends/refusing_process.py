"""The inside of a memory test: ask for one text and tell what came and what it took.

`python -m tests.generation.backends.refusing_process URL`
"""

import json
import resource
import sys

from generation.backends.exceptions import ModelError
from generation.backends.text.adapters.openai import build
from generation.backends.text.model import ModelSettings, TextRequest
from tests.fakes.openai_server import OpenAiServer

REQUEST = TextRequest(system="", prompt="Name a step.", prompt_version="t1", max_tokens=50)


def peak_bytes():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def outcome_of(url):
    try:
        build(ModelSettings(base_url=url, model="m", timeout_s=30.0)).complete(REQUEST)
    except ModelError as error:
        return type(error).__name__
    return ""


if __name__ == "__main__":
    # What a client takes for any answer is not counted.
    with OpenAiServer() as server:
        outcome_of(server.url)
    before = peak_bytes()
    error = outcome_of(sys.argv[1])
    sys.stdout.write(json.dumps({"error": error, "extra_bytes": peak_bytes() - before}))
