"""A command of `wenmai` run inside this process, as a new process without a terminal would run it.

A process costs seconds of imports, and most tests are about what a command does and prints. Tests of the process
itself (signals, locks, what is imported) start one: see `tests/integration/cli_story.py`.
"""

import asyncio
import io
import logging
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from subprocess import CompletedProcess
from threading import Lock

from tests.logs import restored
from wenmai.cli.app import run
from wenmai.embedders.e5.model import user_cache

ROOT = Path(__file__).parents[1]
INHERITED = ("PATH", "TMPDIR")
ONE_AT_A_TIME = Lock()  # environment, folder and streams belong to the whole process
FACTORIES = (
    ("wenmai.app.container", "process_services"),
    ("langsmith.utils", "get_env_var"),
)
"""Functions that keep for the process what they read from the environment."""


def run_command(
    arguments: Sequence[str], *, folder: Path, environment: Mapping[str, str], stdin: str = ""
) -> "CompletedProcess[str]":
    """Run a command in a folder, with this environment alone, and return its exit code and what it printed.

    An exception that a process would print as an internal error is raised.
    """
    with ONE_AT_A_TIME:
        if not is_in_event_loop():
            return captured(arguments, folder, environment, stdin)
        with ThreadPoolExecutor(1) as pool:  # commands run event loops of their own
            return pool.submit(captured, arguments, folder, environment, stdin).result()


def inherited() -> dict[str, str]:
    """Return what a command or a server of a test has of this process's environment.

    Models that were made on this machine are shared, so that a process with an empty home does not make them again.
    """
    kept = {name: os.environ[name] for name in INHERITED if name in os.environ}
    measured = {name: value for name, value in os.environ.items() if name.startswith("COVERAGE_")}
    return {**kept, **measured, "XDG_CACHE_HOME": str(user_cache().parent), "PYTHONPATH": str(ROOT), "LANG": "C.UTF-8"}


def is_in_event_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def captured(
    arguments: Sequence[str], folder: Path, environment: Mapping[str, str], stdin: str
) -> "CompletedProcess[str]":
    out, err = text_stream(), text_stream()
    with (
        chdir(folder),
        only(environment),
        forgetting(),
        own_log(),
        read_from(text_stream(stdin)),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        code = run(arguments)
    return CompletedProcess(["wenmai", *arguments], code, written(out), written(err))


def text_stream(text: str = "") -> io.TextIOWrapper:
    """Return a stream of bytes behind a stream of text, as the streams of a process are."""
    return io.TextIOWrapper(io.BytesIO(text.encode()), encoding="utf-8", errors="replace")


def written(stream: io.TextIOWrapper) -> str:
    stream.seek(0)
    return stream.read()


@contextmanager
def only(environment: Mapping[str, str]) -> Iterator[None]:
    before = dict(os.environ)
    os.environ.clear()
    os.environ.update(environment)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


@contextmanager
def forgetting() -> Iterator[None]:
    """Let nothing be known from earlier commands, nor later from this one."""
    forget()
    try:
        yield
    finally:
        forget()


def forget() -> None:
    for module, name in FACTORIES:
        if module in sys.modules:
            getattr(sys.modules[module], name).cache_clear()


@contextmanager
def own_log() -> Iterator[None]:
    """Start without handlers, as a process does."""
    root = logging.getLogger()
    with restored():
        root.handlers[:] = []
        root.setLevel(logging.WARNING)
        yield


@contextmanager
def read_from(stream: io.TextIOWrapper) -> Iterator[None]:
    before, sys.stdin = sys.stdin, stream
    try:
        yield
    finally:
        sys.stdin = before
