"""API keys: made, kept as a hash, found, expired, revoked."""

import asyncio
import json
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tools.errors import ConfigError, InputError
from wenmai.access.keyring import REFRESH_S, KeyFile, KeyRing
from wenmai.access.keys import NewKey, new_key, parts_of
from wenmai.app.container import Services
from wenmai.settings.settings import load_settings

NOON = datetime(2026, 11, 22, 12, tzinfo=UTC)


class Ticks:
    """A clock that is moved by hand."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def ring_of(path: Path, *given: NewKey, now: datetime = NOON) -> tuple[KeyRing, Ticks]:
    ticks = Ticks()
    return KeyRing(KeyFile(path), [one.key for one in given], lambda: now, ticks), ticks


async def test_a_key_opens_its_user_and_only_its_hash_is_kept(tmp_path: Path) -> None:
    """PLA-01: the token is in no file; the file is its owner's alone."""
    made = new_key("alice", NOON, permissions=["sensitive_memory"])
    file = KeyFile(tmp_path / "keys.json")
    file.add(made.key)
    ring, _ = ring_of(file.path)
    found = await ring.find(made.token)
    assert found is not None and (found.user, found.permissions) == ("alice", ("sensitive_memory",))
    kept = file.path.read_text(encoding="utf-8")
    assert made.token.split("_", 2)[2] not in kept and made.key.digest in kept
    assert stat.S_IMODE(file.path.stat().st_mode) == 0o600
    assert made.key.digest not in repr(found)


@pytest.mark.parametrize(
    ("limits", "opened"),
    [
        ({"libraries": ["a"]}, (("a",), ())),
        ({"networks": ["n"]}, ((), ("n",))),
        ({"libraries": ["a"], "networks": ["n"]}, (("a",), ("n",))),
        ({}, (None, None)),
    ],
)
async def test_a_limit_of_one_kind_holds_for_the_other(tmp_path: Path, limits: Any, opened: Any) -> None:
    """PLA-34: also of a key whose record is of an older version."""
    made = new_key("alice", NOON, is_admin=True)
    file = tmp_path / "keys.json"
    file.write_text(json.dumps([made.key.model_dump(mode="json") | limits]), encoding="utf-8")
    found = await ring_of(file)[0].find(made.token)
    assert found is not None and (found.libraries, found.networks) == opened
    assert found.administers_everything == (not limits)


async def test_a_file_that_is_lost_opens_nothing(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """PLA-01: once there was a key, a key is needed, though the file is gone; it counts again when it is back."""
    made, file = new_key("alice", NOON), KeyFile(tmp_path / "keys.json")
    file.add(made.key)
    ring, ticks = ring_of(file.path)
    assert await ring.find(made.token) is not None
    kept = file.path.read_bytes()
    file.path.unlink()
    for _ in range(2):
        ticks.now += REFRESH_S
        assert await ring.is_on() and await ring.find(made.token) is None
    assert caplog.text.count("不见了") == 1
    file.path.write_bytes(kept)
    ticks.now += REFRESH_S
    assert await ring.find(made.token) is not None


async def test_keys_that_the_settings_require(tmp_path: Path) -> None:
    """PLA-01: WENMAI_REQUIRE_KEYS asks for a key before the first one is made."""
    for required in (True, False):
        services = Services(load_settings(_env_file=None, data_dir=tmp_path, wenmai_require_keys=required))
        assert await services.keys.is_on() is required


async def test_what_opens_nothing(tmp_path: Path) -> None:
    """PLA-01: a wrong secret, the id of another, no token of ours, an expired key."""
    alice, bob = new_key("alice", NOON), new_key("bob", NOON, expires_at=NOON + timedelta(hours=1))
    ring, _ = ring_of(tmp_path / "keys.json", alice, bob)
    mixed = f"wm_{alice.key.id}_{bob.token.split('_', 2)[2]}"
    for token in ("", "x", "wm_", mixed, alice.token + "x", alice.token[:-1], f"wm_{alice.key.id}_", "sk_a_b", "口令"):
        assert await ring.find(token) is None
    assert await ring.find(bob.token) is not None
    later, _ = ring_of(tmp_path / "keys.json", alice, bob, now=NOON + timedelta(hours=1))
    assert await later.find(bob.token) is None and await later.find(alice.token) is not None


async def test_a_process_that_starts_without_the_file_stays_closed(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """PLA-60: until there is a key again, or the operator says that there is to be none."""
    made, path, mark = new_key("alice", NOON), tmp_path / "keys.json", tmp_path / "data" / "keys.made"
    file = KeyFile(path, mark)
    file.add(made.key)
    with pytest.raises(InputError, match="--no-keys"):
        file.forget()
    path.unlink()
    ring = KeyRing(file, (), lambda: NOON, Ticks())
    assert await ring.is_on() and await ring.find(made.token) is None
    assert "--no-keys" in caplog.text
    file.add(made.key)
    again = KeyRing(file, (), lambda: NOON, Ticks())
    assert await again.find(made.token) is not None
    path.unlink()
    file.forget()
    assert not await KeyRing(file, (), lambda: NOON, Ticks()).is_on()


async def test_a_file_of_an_older_version_is_noted(tmp_path: Path) -> None:
    made, path, mark = new_key("alice", NOON), tmp_path / "keys.json", tmp_path / "keys.made"
    KeyFile(path).add(made.key)
    assert await KeyRing(KeyFile(path, mark), (), lambda: NOON, Ticks()).is_on()
    path.unlink()
    assert await KeyRing(KeyFile(path, mark), (), lambda: NOON, Ticks()).is_on()


async def test_a_key_opens_also_where_nothing_can_be_noted(tmp_path: Path) -> None:
    """The mark and the last uses are beside the point: neither stops a request, and nothing half is left."""
    (tmp_path / "full").write_bytes(b"")
    made, here = new_key("alice", NOON), tmp_path / "full"
    file = KeyFile(tmp_path / "keys.json", here / "keys.made", here / "keys.used")
    file.add(made.key)
    ring = KeyRing(file, (), lambda: NOON, Ticks())
    assert await ring.find(made.token) == made.key and file.last_uses() == {}
    assert {one.name for one in tmp_path.iterdir()} == {"full", "keys.json", "keys.json.lock"}


async def test_a_revoked_key_opens_nothing_soon_after(tmp_path: Path) -> None:
    """PLA-01: a running server sees new and revoked keys within REFRESH_S; without any key left it stays closed."""
    file = KeyFile(tmp_path / "keys.json")
    ring, ticks = ring_of(file.path)
    assert not await ring.is_on()
    made = new_key("alice", NOON)
    file.add(made.key)
    ticks.now += REFRESH_S
    assert await ring.is_on() and await ring.find(made.token) is not None
    file.revoke(made.key.id, NOON)
    ticks.now += REFRESH_S
    assert await ring.find(made.token) is None and await ring.is_on()
    with pytest.raises(InputError, match="已在"):
        file.revoke(made.key.id, NOON)
    with pytest.raises(InputError, match="没有编号"):
        file.revoke("0" * 12, NOON)


@pytest.mark.parametrize("text", ["", "{}", '[{"id": "x"}]', '[{"user": "秘密"}]'])
async def test_a_file_that_cannot_be_read_lets_nobody_in(tmp_path: Path, text: str) -> None:
    """PLA-01: it is a clear error to the command line, and a closed door on the server."""
    path = tmp_path / "keys.json"
    path.write_text(text, encoding="utf-8")
    made = new_key("alice", NOON)
    ring, _ = ring_of(path, made)
    assert await ring.is_on() and await ring.find(made.token) is None
    with pytest.raises(ConfigError) as caught:
        KeyFile(path).read()
    assert str(path) in str(caught.value) and "秘密" not in str(caught.value)
    with pytest.raises(ConfigError):
        KeyFile(path).add(made.key)
    assert path.read_text(encoding="utf-8") == text


def test_keys_of_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """PLA-08: WENMAI_API_KEYS takes records; a wrong one is named without being shown."""
    monkeypatch.chdir(tmp_path)
    made = new_key("alice", NOON)
    row = json.loads(made.key.model_dump_json(exclude_defaults=True))
    monkeypatch.setenv("WENMAI_API_KEYS", json.dumps([row]))
    assert load_settings().wenmai_api_keys == [made.key]
    monkeypatch.setenv("WENMAI_API_KEYS", json.dumps([{**row, "digest": "hunter2"}]))
    with pytest.raises(ConfigError, match="WENMAI_API_KEYS") as caught:
        load_settings()
    assert "hunter2" not in str(caught.value)


def test_parts_of_a_token() -> None:
    """PLA-01: the secret may itself hold the sign between the parts."""
    assert parts_of("wm_0123_a_b-c") == ("0123", "a_b-c")
    assert parts_of("wm_0123") is None


async def test_a_key_ends_at_once_in_the_process_that_ends_it(tmp_path: Path) -> None:
    """PLA-67: also where the file is read meanwhile; of a user who is removed no file keeps the name."""
    made, other = (new_key(user, NOON) for user in ("alice", "bob"))
    file = KeyFile(tmp_path / "keys.json", uses=tmp_path / "keys.used")
    for one in (made, other):
        file.add(one.key)
    ring = KeyRing(file, (), lambda: NOON, Ticks())
    assert await ring.find(made.token) and await ring.find(other.token)
    assert ring.forget_user("alice") == 1 and ring.forget_user("alice") == 0
    assert await ring.find(made.token) is None and await ring.find(other.token) is not None
    assert "alice" not in file.path.read_text(encoding="utf-8") and set(file.last_uses()) == {other.key.id}
    reading = asyncio.create_task(ring.keys())
    ring.refresh()
    await asyncio.sleep(0)
    file.revoke(other.key.id, NOON)
    ring.refresh()
    await reading
    assert await ring.find(other.token) is None
