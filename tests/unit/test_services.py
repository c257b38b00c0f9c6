"""Servers are started beside the tests, found by them, killed, and started again."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from devservers import running
from devservers.packages import require
from devservers.processes import LOOPBACK, alive, becomes_free, born, end, launched, until_ready
from devservers.running import STATE_FILE, crash, found, start, stop
from devservers.service import ServiceError, Started

SERVER = "import http.server, sys; http.server.test(port=int(sys.argv[1]), bind='127.0.0.1')"


@dataclass
class Pages:
    """A server that every Python brings."""

    name: str = "pages"
    program: str = SERVER
    installs: int = 0
    interrupted: bool = False
    begins: Path | None = None  # the file that its program waits for

    def install(self, home: Path) -> None:
        self.installs += 1

    def launch(self, home: Path, port: int) -> Started:
        command = [sys.executable, "-c", self.program, str(port)]
        return launched(command, home, port, {"PAGES_URL": f"http://{LOOPBACK}:{port}"})

    def until_ready(self, home: Path, started: Started) -> None:
        if self.interrupted:
            raise KeyboardInterrupt
        if self.begins is not None:
            self.begins.touch()
        until_ready(started.pid, home, lambda: listens(started.port))

    def stop(self, started: Started) -> None:
        end(started.pid, signal.SIGTERM)


def listens(port: int) -> bool:
    with socket.socket() as one:
        return one.connect_ex((LOOPBACK, port)) == 0


@pytest.fixture
def pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Pages]:
    service = Pages()
    monkeypatch.setattr(running, "HOME", tmp_path)
    monkeypatch.setitem(running.SERVICES, "pages", service)
    yield service
    crash("pages")


def test_a_server_is_found_killed_and_started_again(pages: Pages, tmp_path: Path) -> None:
    """A server keeps its port over a kill, so that who waits for it finds it again."""
    assert found("pages") is None
    first = start("pages")
    assert start("pages") == found("pages") == first
    assert first.settings["PAGES_URL"].endswith(str(first.port))
    assert (tmp_path / "pages" / STATE_FILE).stat().st_mode & 0o077 == 0
    crash("pages")
    assert (found("pages"), becomes_free(first.port), stop("pages")) == (None, True, False)
    second = start("pages")
    assert (second.port, second.pid != first.pid) == (first.port, True)
    assert stop("pages")
    assert not alive(second.pid)


def test_a_start_that_is_interrupted_leaves_no_orphan(pages: Pages) -> None:
    """What was spawned is known before it is ready, so that `down` stops it."""
    pages.interrupted = True
    with pytest.raises(KeyboardInterrupt):
        start("pages")
    started = found("pages")
    assert started is not None and alive(started.pid)
    assert stop("pages") and not alive(started.pid)


def test_a_second_start_waits_too(pages: Pages, tmp_path: Path) -> None:
    """A server that is not ready yet is not handed out: not behind an interrupted start, not beside another one."""
    pages.begins = tmp_path / "begins"
    pages.program = (
        f"import pathlib, time\nwhile not pathlib.Path({str(pages.begins)!r}).exists(): time.sleep(0.01)\n{SERVER}"
    )
    pages.interrupted = True
    with pytest.raises(KeyboardInterrupt):
        start("pages")
    pages.interrupted = False
    first = found("pages")
    assert first is not None and not listens(first.port)
    assert start("pages") == first and listens(first.port)
    assert pages.installs == 1


def test_another_process_with_the_id_is_left_alone(pages: Pages, tmp_path: Path) -> None:
    """A state file whose process is gone names, after a while, a process of somebody else: it is not ours to end."""
    ours = start("pages")
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as stranger:
        at = born(stranger.pid)
        assert at is not None and ours.born is not None
        running.keep(tmp_path / "pages" / STATE_FILE, replace(ours, pid=stranger.pid, born=at - 60))
        assert (found("pages"), stop("pages")) == (None, False)
        crash("pages")
        assert alive(stranger.pid)
        running.keep(tmp_path / "pages" / STATE_FILE, replace(ours, pid=stranger.pid, born=None))
        assert (found("pages"), stop("pages")) == (None, False)
        running.keep(tmp_path / "pages" / STATE_FILE, replace(ours, pid=stranger.pid, born=at))
        assert found("pages") is not None
        stranger.terminate()
    running.keep(tmp_path / "pages" / STATE_FILE, ours)


def test_a_server_that_does_not_start_is_one_line(pages: Pages) -> None:
    """What a server said before it ended is told, with the place of its log."""
    pages.program = "import sys; sys.exit('no room\\nfor me')"
    with pytest.raises(ServiceError, match=r"pages: the server ended: no room for me \(.*server.log\)"):
        start("pages")
    assert found("pages") is None


def test_a_missing_program_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nothing may be installed, the line names the program and Debian's package."""
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    require({sys.executable: ("python3",)})
    with pytest.raises(ServiceError, match="no-such-program not found: install some-package"):
        require({"no-such-program": ("some-package",)})


def test_an_unknown_server_on_the_command_line(pages: Pages) -> None:
    """The command line names what there is; nothing is started."""
    done = subprocess.run(
        [sys.executable, "-m", "devservers", "up", "oracle"], capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("there is no service oracle: choose from neo4j")
