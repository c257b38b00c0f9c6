"""The servers of this repository: which there are, which run, and where."""

import json
import os
import signal
from dataclasses import asdict
from pathlib import Path

from devservers.neo4j_server import Neo4jServer
from devservers.postgres_server import PostgresServer
from devservers.processes import becomes_free, end, free_port, runs
from devservers.service import HOME, Service, ServiceError, Started

SERVERS: tuple[Service, ...] = (Neo4jServer(), PostgresServer())
SERVICES = {one.name: one for one in SERVERS}
STATE_FILE = "running.json"


def home_of(name: str) -> Path:
    """Return the folder of a server."""
    return HOME / name


def found(name: str) -> Started | None:
    """Return a server that runs."""
    started = noted(name)
    return started if started is not None and runs(started) else None


def noted(name: str) -> Started | None:
    """Return what was kept of a server when it was last started."""
    try:
        return Started(**json.loads((home_of(name) / STATE_FILE).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def start(name: str) -> Started:
    """Return a server that answers, installed and started unless it runs. Raises ServiceError."""
    service, home = known(name), home_of(name)
    try:
        started = found(name) or launched(name)
        service.until_ready(home, started)  # one that was found, too: its start may be under way, or was interrupted
    except ServiceError as error:
        raise ServiceError(f"{name}: {error}") from error
    return started


def launched(name: str) -> Started:
    """Install a server and start its process; its port stays the same. Raises ServiceError."""
    service, home, before = known(name), home_of(name), noted(name)
    home.mkdir(parents=True, exist_ok=True)
    service.install(home)
    port = before.port if before is not None and becomes_free(before.port) else free_port()
    started = service.launch(home, port)
    keep(home / STATE_FILE, started)  # before it is ready: who is interrupted here can still stop it
    return started


def stop(name: str) -> bool:
    """Stop a server in good order and return whether it ran."""
    started = found(name)
    if started is None:
        return False
    known(name).stop(started)
    return True


def crash(name: str) -> None:
    """Kill a server as a power cut would: it writes nothing any more."""
    started = found(name)
    if started is not None:
        end(started.pid, signal.SIGKILL)


def known(name: str) -> Service:
    """Return a server by name. Raises ServiceError."""
    if name not in SERVICES:
        raise ServiceError(f"there is no service {name}: choose from {', '.join(SERVICES)}")
    return SERVICES[name]


def keep(path: Path, started: Started) -> None:
    """Write the state of a server for nobody else to read: it holds a password."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
        json.dump(asdict(started), file)
