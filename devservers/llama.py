"""llama.cpp as an OpenAI-compatible server on loopback: `python -m devservers.llama MODEL.gguf --port 8080`.

Its first line is its address. It needs the package `xllamacpp`, which `python -m devservers up llama` installs.
"""

import argparse
import os
import signal
import sys
import threading
from importlib import import_module
from pathlib import Path

CONTEXT = 32_768  # tokens of a prompt and its answer


def main() -> None:
    """Serve until a signal comes."""
    parser = argparse.ArgumentParser(prog="python -m devservers.llama", description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("model", type=Path, help="a GGUF file; its name without the ending is the model's id")
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--most", type=int, default=-1, help="tokens of an answer at most; -1: up to the context")
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="of the processor; they wait busily")
    chosen = parser.parse_args()
    ended = threading.Event()
    for kind in (signal.SIGINT, signal.SIGTERM):
        signal.signal(kind, lambda *_: ended.set())
    llama = import_module("xllamacpp")
    parameters = llama.CommonParams()
    parameters.model.path, parameters.model_alias = str(chosen.model), [chosen.model.stem]
    parameters.n_ctx, parameters.n_predict, parameters.n_parallel = CONTEXT, chosen.most, 1
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = chosen.threads
    parameters.hostnames, parameters.port = ["127.0.0.1"], chosen.port
    parameters.use_jinja = True  # tools need the model's own template
    server = llama.Server(parameters)
    sys.stdout.write(f"{server.listening_address}/v1\n")
    sys.stdout.flush()
    ended.wait()


if __name__ == "__main__":
    main()
