"""No test reaches a network or a paid model by accident."""

import ipaddress
import os
import socket
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import settings

pytest_plugins = [
    "tests.garbage",
    "tests.logs",
    "tests.readings",
    "tests.sharing",
    "tests.temporary",
    "tests.vectors.plugin",
]

# A busy machine is no slow program: whether an example takes long says nothing.
settings.register_profile("tests", deadline=None, max_examples=30)
settings.load_profile("tests")

KEY_WORDS = (
    "API_KEY",
    "_TOKEN",
    "OPENAI_",
    "MODEL_PROVIDER",
    "NEO4J_",
    "QDRANT_",
    "POSTGRES_URI",
    "VECTORS",
    "GEMINI_",
    "GOOGLE_",
    "LANGSMITH_",
    "LANGCHAIN_",
)
real_connect = socket.socket.connect
real_connect_ex = socket.socket.connect_ex
real_getaddrinfo = socket.getaddrinfo


def is_local(host: object) -> bool:
    """Return True if a host is this machine."""
    name = host.decode() if isinstance(host, bytes) else str(host)
    if name in {"", "localhost", "None"}:
        return True
    try:
        return ipaddress.ip_address(name.split("%")[0]).is_loopback
    except ValueError:
        return False


def refuse(host: object) -> None:
    """Fail the test. pytest.fail raises a BaseException, so that no `except` of a library hides it."""
    if not is_local(host):
        pytest.fail(f"a test tried to reach {host}: only loopback addresses are allowed", pytrace=True)


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Refuse every connection and name look-up that leaves this machine."""

    def connect(self: socket.socket, address: Any) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6):
            refuse(address[0])
        real_connect(self, address)

    def connect_ex(self: socket.socket, address: Any) -> int:
        if self.family in (socket.AF_INET, socket.AF_INET6):
            refuse(address[0])
        return real_connect_ex(self, address)

    def getaddrinfo(host: Any, *args: Any, **options: Any) -> Any:
        refuse(host)
        return real_getaddrinfo(host, *args, **options)

    monkeypatch.setattr(socket.socket, "connect", connect)
    monkeypatch.setattr(socket.socket, "connect_ex", connect_ex)
    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    yield


@pytest.fixture(autouse=True)
def plain_locale(monkeypatch: pytest.MonkeyPatch) -> None:
    """Name no language of a terminal, whatever this machine's is."""
    for name in ("LC_ALL", "LC_MESSAGES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", "C.UTF-8")


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide keys and server addresses of the machine from every test."""
    for name in [name for name in os.environ if any(word in name.upper() for word in KEY_WORDS)]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("LANGSMITH_TRACING", "false")
