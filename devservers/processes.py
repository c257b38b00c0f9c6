"""Processes of servers: started beside this one, waited for, ended by their id alone."""

import os
import random
import signal
import socket
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import psutil  # type: ignore[import-untyped]  # it ships no types

from devservers.service import ServiceError, Started

LOG_FILE = "server.log"
READY_S = 180.0  # Neo4j takes 7 s on an idle machine
STOP_S = 60.0
POLL_S = 0.2
CLOCK_S = 2.0  # what a clock that is set may move the time at which a process was started
SHOWN = 300  # characters of a log that an error shows
LOOPBACK = "127.0.0.1"
PORTS = range(20_000, 32_000)  # Linux takes outgoing ones from 32768 on


def spawn(command: Sequence[str], home: Path, environment: Mapping[str, str] | None = None) -> int:
    """Start a process of its own session, so that it outlives this one, and return its id; it writes to LOG_FILE."""
    log = os.open(home / LOG_FILE, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    nothing = os.open(os.devnull, os.O_RDONLY)
    streams = [(os.POSIX_SPAWN_DUP2, nothing, 0), (os.POSIX_SPAWN_DUP2, log, 1), (os.POSIX_SPAWN_DUP2, log, 2)]
    try:
        variables = {**os.environ, **(environment or {})}
        return os.posix_spawnp(command[0], list(command), variables, file_actions=streams, setsid=True)
    finally:
        os.close(log)
        os.close(nothing)


def until_ready(pid: int, home: Path, answers: Callable[[], bool]) -> None:
    """Wait until a server answers. Raises ServiceError where it ends, or takes too long."""
    deadline = time.monotonic() + READY_S
    while not answers():
        if not alive(pid):
            raise ServiceError(f"the server ended: {last_words(home)}")
        if time.monotonic() > deadline:
            os.kill(pid, signal.SIGKILL)
            raise ServiceError(f"the server did not answer within {READY_S:g} s: {last_words(home)}")
        time.sleep(POLL_S)


def last_words(home: Path) -> str:
    """Return the end of a server's log on one line."""
    text = (home / LOG_FILE).read_text(encoding="utf-8", errors="replace")
    return f"{' '.join(text.split())[-SHOWN:]} ({home / LOG_FILE})"


def born(pid: int) -> float | None:
    """Return when a process that runs was started; one that has ended and was not waited for does not run."""
    with suppress(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)  # where it is this process's child
    try:
        process = psutil.Process(pid)
        return None if process.status() == psutil.STATUS_ZOMBIE else float(process.create_time())
    except psutil.NoSuchProcess:
        return None


def alive(pid: int) -> bool:
    """Return True if a process of this id runs."""
    return born(pid) is not None


def runs(started: Started) -> bool:
    """Return True if the very process runs that was started, not another one with its id; in doubt it is another."""
    now = born(started.pid)
    return now is not None and started.born is not None and abs(now - started.born) <= CLOCK_S


def launched(command: Sequence[str], home: Path, port: int, settings: dict[str, str]) -> Started:
    """Start a server's process and return what is known of it at once."""
    pid = spawn(command, home)
    return Started(pid, port, settings, born(pid))


def end(pid: int, number: signal.Signals) -> None:
    """Send a signal and return when the process has ended. Raises ServiceError where it does not end."""
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return
    deadline = time.monotonic() + STOP_S
    while alive(pid):
        if time.monotonic() > deadline:
            raise ServiceError(f"process {pid} did not end within {STOP_S:g} s")
        time.sleep(POLL_S)


def free_port() -> int:
    """Return a loopback port that nobody listens on, and that the system gives to no outgoing connection.

    A port of those may be taken while its server is away: even a client that tries to reach it can be given it.
    """
    while not is_free(port := random.choice(PORTS)):
        pass
    return port


def becomes_free(port: int) -> bool:
    """Return True if a port is free soon: the threads of a process that was killed let it go one after the other."""
    deadline = time.monotonic() + STOP_S
    while not is_free(port):
        if time.monotonic() > deadline:
            return False
        time.sleep(POLL_S)
    return True


def is_free(port: int) -> bool:
    """Return True if nobody listens on a loopback port."""
    with socket.socket() as one:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            one.bind((LOOPBACK, port))
        except OSError:
            return False
        return True
