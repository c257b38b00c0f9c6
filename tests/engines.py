"""The engines that the contract suites run on: the embedded ones always, servers where `make test-services` says so."""

import os

import pytest

from devservers.running import found

NAMED = "WENMAI_SERVICES"  # names of the servers whose suites run, with commas; set by tests.matrix
DECLARED: dict[str, tuple[str, ...]] = {}  # engines of each suite, by its module, servers that do not run among them


def engines(module: str, *embedded: str, servers: tuple[str, ...] = ()) -> list[str]:
    """Return the engines that a suite runs on now; `module` is its `__name__`."""
    DECLARED[module] = (*embedded, *servers)
    return [*embedded, *(name for name in servers if asked_for(name))]


def asked_for(server: str) -> bool:
    """Return True if the suites of a server are to run; then one that is missing is a failure."""
    return server in os.environ.get(NAMED, "").split(",")


def settings_of(server: str) -> dict[str, str]:
    """Return the environment variables that lead to a server of `make services`."""
    running = found(server)
    if running is None:
        pytest.fail(f"{server} is not running: make services starts it", pytrace=False)
    return running.settings
