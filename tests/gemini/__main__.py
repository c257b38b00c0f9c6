"""The service as a program: `python -m tests.gemini --port 0 --script FILE`; its first line is its address."""

import argparse
import json
import signal
import sys
import threading
from pathlib import Path
from typing import Protocol

from tests.gemini.folder import Folder
from tests.gemini.notation import steps_of
from tests.gemini.recording import Recorder, Replay
from tests.gemini.server import Server
from tests.gemini.space import Space


class Running(Protocol):
    """A server in a thread of its own."""

    @property
    def url(self) -> str:
        """Its address."""
        ...

    def start(self) -> object:
        """Listen."""
        ...

    def stop(self) -> None:
        """Stop."""
        ...


def options(module: str, about: str) -> argparse.ArgumentParser:
    """Return the command line of a loopback service."""
    parser = argparse.ArgumentParser(prog=f"python -m {module}", description=about)
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--key", default="loopback", help="the only key that is valid")
    parser.add_argument("--model", action="append", default=[], help="a model id to know, may be given again")
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--script", type=Path, help="JSON: a list of steps, or an object of lists by model id")
    source.add_argument("--folder", type=Path, help="requests and answers as files")
    source.add_argument("--replay", type=Path, help="a recording")
    parser.add_argument("--loose", action="store_true", help="replay by method and model alone")
    parser.add_argument("--record", type=Path, help="append every exchange to this file")
    return parser


def prepare(space: Space, chosen: argparse.Namespace) -> None:
    """Give the space its answers."""
    space.know(*chosen.model)
    if chosen.record:
        space.recorder = Recorder(chosen.record)
    if chosen.folder:
        space.answer(Folder(chosen.folder))
    if chosen.replay:
        space.answer(Replay.of(chosen.replay, exact=not chosen.loose))
    if chosen.script:
        for model, steps in steps_of(json.loads(chosen.script.read_text(encoding="utf-8"))).items():
            space.play(*steps, model=model)


def main() -> None:
    """Serve until a signal comes."""
    chosen = options("tests.gemini", "A loopback Gemini service").parse_args()
    server = Server(chosen.port)
    prepare(server.open(chosen.key), chosen)
    served(server)


def served(server: Running) -> None:
    """Print the address and answer until a signal comes."""
    ended = threading.Event()
    for kind in (signal.SIGINT, signal.SIGTERM):
        signal.signal(kind, lambda *_: ended.set())
    server.start()
    sys.stdout.write(f"{server.url}\n")
    sys.stdout.flush()
    ended.wait()
    server.stop()


if __name__ == "__main__":
    main()
