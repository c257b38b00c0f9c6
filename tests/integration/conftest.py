"""Servers for the whole session: they take longer to start than most tests take.

With several workers, the files that share a server run on one of them: tests/sharing.py.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from benchmarks.server_house import Tokens
from benchmarks.server_isolation import keys_in, said
from tests.integration.live_server import LiveServer, prepare, running
from tests.integration.own_server import serving
from tests.temporary import copied, own_disk

RATE = 400  # requests of a key a minute, on the server with keys


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A working copy with a small library, for servers to be started on copies of it."""
    folder = tmp_path_factory.mktemp("prepared")
    prepare(folder)
    return folder


@pytest.fixture(scope="session")
def server(prepared: Path) -> Iterator[LiveServer]:
    """A running server on a copy."""
    with running(copied(prepared, prepared.parent / "served")) as live:
        yield live


@pytest.fixture(scope="session")
def own(prepared: Path) -> Iterator[LiveServer]:
    """A running `wenmai serve` on a copy, for tests that leave no other library and no thread behind."""
    with serving(copied(prepared, prepared.parent / "shared")) as live:
        yield live


@pytest.fixture
def small_disk(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    """A disk of its own, which can be filled: of the size that a test names, else of 600 MB."""
    with own_disk(tmp_path / "disk", getattr(request, "param", "600m")) as place:
        yield place


@dataclass(frozen=True, slots=True)
class Guarded:
    """A server that asks for keys: those of two users, and of one who asks too often."""

    server: LiveServer
    tokens: Tokens
    busy: str


@pytest.fixture(scope="session")
def guarded(prepared: Path) -> Iterator[Guarded]:
    """A running LangGraph server with keys, on a copy."""
    folder = copied(prepared, prepared.parent / "guarded")
    tokens, busy = with_keys(folder)
    with running(folder) as live:
        yield Guarded(live, tokens, busy)


@pytest.fixture(scope="session")
def keyed(prepared: Path) -> Iterator[Guarded]:
    """A running `wenmai serve` with keys, on a copy."""
    folder = copied(prepared, prepared.parent / "keyed")
    tokens, busy = with_keys(folder)
    with serving(folder) as live:
        yield Guarded(live, tokens, busy)


@pytest.fixture(params=["keyed", pytest.param("guarded", marks=pytest.mark.costly)])
def either(request: pytest.FixtureRequest) -> Guarded:
    """Return `wenmai serve` or LangGraph's server, with keys."""
    server: Guarded = request.getfixturevalue(request.param)
    return server


def with_keys(folder: Path) -> tuple[Tokens, str]:
    """Make the keys of a server in its folder, and bound the requests of each."""
    (folder / ".env").write_text(f"RATE_LIMIT={RATE}/minute\n", encoding="utf-8")
    return keys_in(folder), said(folder, "keys", "add", "--user", "carol")
