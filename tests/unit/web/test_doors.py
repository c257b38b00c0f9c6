"""Who is let in, with keys and without."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from langgraph_sdk import Auth

from wenmai.access.keyring import KeyFile, KeyRing
from wenmai.access.keys import NewKey, new_key
from wenmai.web.authentication import user_of_request

NOON = datetime(2026, 11, 22, 12, tzinfo=UTC)
HERE = ("127.0.0.1", 2024)


def ring_of(path: Path, *keys: NewKey) -> KeyRing:
    return KeyRing(KeyFile(path / "keys.json"), [one.key for one in keys], lambda: NOON, lambda: 0.0)


def scope(path: str = "/threads", client: Any = HERE, server: Any = HERE, **headers: str) -> dict[str, Any]:
    pairs = {"host": "127.0.0.1:2024", **{name.replace("_", "-"): value for name, value in headers.items()}}
    raw = [(name.encode(), value.encode()) for name, value in pairs.items()]
    return {"type": "http", "path": path, "client": client, "server": server, "headers": raw}


async def test_a_key_in_either_header(tmp_path: Path) -> None:
    """PLA-01: the user, permissions and account of a run are those of its key."""
    made = new_key("alice", NOON, permissions=["sensitive_memory"], account="acme", account_type="app")
    ring = ring_of(tmp_path, made)
    for headers in ({"authorization": f"Bearer {made.token}"}, {"x_api_key": made.token}):
        user: Any = await user_of_request(scope(client=("203.0.113.7", 1), **headers), ring)
        assert (user["identity"], user["permissions"]) == ("alice", ["sensitive_memory"])
        assert (user["account"], user["account_type"], user["key"]) == ("acme", "app", made.key.id)


@pytest.mark.parametrize(
    "headers", [{}, {"authorization": "Bearer x"}, {"x_auth_scheme": "langsmith"}, {"x_api_key": ""}]
)
async def test_nobody_without_a_key(tmp_path: Path, headers: dict[str, str]) -> None:
    """PLA-01: where there are keys, this machine needs one too; Studio's header opens nothing."""
    with pytest.raises(Auth.exceptions.HTTPException) as caught:
        await user_of_request(scope(**headers), ring_of(tmp_path, new_key("alice", NOON)))
    assert caught.value.status_code == 401 and "wenmai keys add" in str(caught.value.detail)


async def test_without_keys_only_this_machine(tmp_path: Path) -> None:
    """PLA-01: another machine, a proxy, a tunnel and a website with a name of its own for this machine are refused."""
    ring = ring_of(tmp_path)
    for home in (scope(), scope(client=("::1", 1), server=("::1", 2), host="[::1]:2"), scope(host="localhost:8123")):
        user: Any = await user_of_request(home, ring)
        assert (user["identity"], user["is_authenticated"]) == ("", False)
    strangers = (
        scope(client=("192.168.1.7", 1)),
        scope(server=("192.168.1.2", 1)),
        scope(client=None),
        scope(host="evil.example:2024"),
        scope(host="abc.trycloudflare.com"),
        scope(host="localhost:1@evil.example"),
        scope(host="[::1].evil.example"),
        scope(host="localhost:evil.example"),
        scope(Host="evil.example"),
        scope(x_forwarded_for="203.0.113.7"),
        scope(forwarded="for=203.0.113.7"),
    )
    for stranger in strangers:
        with pytest.raises(Auth.exceptions.HTTPException) as caught:
            await user_of_request(stranger, ring)
        assert caught.value.status_code == 401


async def test_a_load_balancer_needs_no_key(tmp_path: Path) -> None:
    """PLA-01: health and readiness are open, and nothing whose path only begins like them."""
    ring = ring_of(tmp_path, new_key("alice", NOON))
    far = ("10.0.0.9", 1)
    for path in ("/health", "/ready"):
        assert (await user_of_request(scope(path, client=far), ring))["identity"] == ""
    for path in ("/health/", "/ready/x", "/healthy", "//health"):
        with pytest.raises(Auth.exceptions.HTTPException):
            await user_of_request(scope(path, client=far), ring)
