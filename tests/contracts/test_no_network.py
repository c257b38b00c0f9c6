"""The guard of tests/conftest.py."""

import os
import socket

import pytest


@pytest.mark.parametrize("host", ["192.0.2.1", "2001:db8::1", "api.example.com"])
def test_foreign_hosts_are_refused(host: str) -> None:
    """PLA-29: no test reaches a network by accident."""
    with pytest.raises(pytest.fail.Exception, match="only loopback"):
        socket.create_connection((host, 443), timeout=1)


def test_this_machine_is_allowed() -> None:
    """PLA-29: loopback services stay reachable."""
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()) as client:
        assert client.getpeername() == server.getsockname()


def test_keys_are_hidden() -> None:
    """PLA-29: no test sees a key of the machine."""
    assert not [name for name in os.environ if name.endswith("API_KEY")]
