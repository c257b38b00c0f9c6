"""The keys of a server: those of the file and those of the environment, looked at again every few seconds."""

import asyncio
import json
import logging
import os
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from filelock import FileLock
from pydantic import TypeAdapter, ValidationError

from tools.errors import ConfigError, InputError
from tools.messages import Message
from wenmai.access.keys import ApiKey, parts_of

FILE = "keys.json"
MARK = "keys.made"
LOCK_SECONDS = 10.0
USES_FILE = "keys.used"
KEYS = TypeAdapter(list[ApiKey])
USES = TypeAdapter(dict[str, datetime])


@dataclass(frozen=True, slots=True)
class KeyFile:
    """Adds, lists and revokes keys; several processes may do so at once.

    Attributes:
        mark: an empty file elsewhere that stays when the keys are lost: there were some.
        uses: where a server notes when each key was last used.
    """

    path: Path
    mark: Path | None = None
    uses: Path | None = None

    def last_uses(self) -> dict[str, datetime]:
        """Return when keys were used, as far as a server has noted it."""
        try:
            return USES.validate_json(self.uses.read_bytes()) if self.uses else {}
        except (OSError, ValidationError):
            return {}

    @property
    def was_made(self) -> bool:
        """Return True if there was a file of keys once."""
        return self.mark is not None and self.mark.exists()

    def forget(self) -> None:
        """Forget that there were keys, whose file is lost. Raises InputError where it is there."""
        with self.alone():
            if self.path.exists():
                raise InputError(Message("key.file_is_there", path=self.path))
            if self.mark is not None:
                self.mark.unlink(missing_ok=True)

    def read(self) -> list[ApiKey] | None:
        """Return every key, None where there is no file. Raises ConfigError for one that cannot be read."""
        try:
            return KEYS.validate_json(self.path.read_bytes())
        except FileNotFoundError:
            return None
        except (OSError, ValidationError) as exc:
            raise ConfigError(Message("key.file_unreadable", path=self.path, reason=reason_of(exc))) from exc

    def add(self, key: ApiKey) -> None:
        with self.alone():
            self.write([*(self.read() or []), key])

    def revoke(self, id: str, now: datetime) -> ApiKey:
        """End a key for good; its record stays. Raises InputError for an id that is none, or a key that has ended."""
        with self.alone():
            keys = self.read() or []
            old = next((key for key in keys if key.id == id), None)
            if old is None:
                raise InputError(Message("key.unknown", id=id))
            if old.revoked_at is not None:
                raise InputError(Message("key.already_revoked", id=id, at=old.revoked_at))
            gone = old.model_copy(update={"revoked_at": now})
            self.write([gone if key.id == id else key for key in keys])
            return gone

    def end_user(self, user: str, now: datetime) -> int:
        """End every key of a user that holds; return how many there were. Raises ConfigError."""
        with self.alone():
            keys = self.read() or []
            own = {key.id for key in keys if key.user == user and key.revoked_at is None}
            if own:
                ended = {"revoked_at": now}
                self.write([key.model_copy(update=ended) if key.id in own else key for key in keys])
            return len(own)

    def alone(self) -> FileLock:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        return FileLock(f"{self.path}.lock", timeout=LOCK_SECONDS)

    def write(self, keys: Sequence[ApiKey]) -> None:
        rows = [key.model_dump(mode="json", exclude={"used_at"}) for key in keys]
        replace_file(self.path, json.dumps(rows, ensure_ascii=False, indent=1).encode())
        self.note()

    def note(self) -> None:
        """Note that there are keys; where DATA_DIR takes no file they hold all the same."""
        if self.mark is not None and not self.mark.exists():
            with suppress(OSError):
                self.mark.parent.mkdir(parents=True, exist_ok=True)
                self.mark.touch(mode=0o600)


def replace_file(path: Path, content: bytes) -> None:
    """Write a file that its owner alone reads, in the place of an older one. Raises OSError."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    finally:
        Path(name).unlink(missing_ok=True)


def write_uses(path: Path, used: dict[str, datetime]) -> None:
    """Write down when keys were used, beside what other processes have noted; without room nothing."""
    with suppress(OSError):
        replace_file(path, USES.dump_json(KeyFile(path, uses=path).last_uses() | used))


def reason_of(error: OSError | ValidationError) -> str:
    """Say what is wrong with a file, without showing what is in it."""
    if isinstance(error, OSError):
        return error.strerror or type(error).__name__
    first = error.errors(include_input=False)[0]
    return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"


NOTE_S = 60.0  # the last use of a key is known to a minute
REFRESH_S = 5.0  # a key that is revoked opens nothing after that

log = logging.getLogger("wenmai.access")
Keys = Mapping[str, ApiKey]


@dataclass(slots=True)
class KeyRing:
    """Finds the key of a token.

    Attributes:
        file: the keys that `wenmai keys` writes.
        given: the keys of the environment.
        clock: the time of day, by which keys expire.
        ticks: seconds that only go forward, by which the file is read again.
        required: whether a key is asked for though none was ever made.
        at_work: how many requests of each user are under way.
    """

    file: KeyFile
    given: Sequence[ApiKey]
    clock: Callable[[], datetime]
    ticks: Callable[[], float]
    required: bool = False
    at_work: Counter[str] = field(default_factory=Counter, init=False)
    _keys: Keys | None = field(default=None, init=False)
    _read_at: float | None = field(default=None, init=False)
    _used: dict[str, datetime] = field(default_factory=dict, init=False)
    _noted_at: dict[str, float] = field(default_factory=dict, init=False)

    async def is_on(self) -> bool:
        """Return True if keys are asked for: there is or was a file, though without any, or the settings say so."""
        return await self.keys() is not None

    async def find(self, token: str) -> ApiKey | None:
        """Return the key of a token, None where it opens nothing."""
        keys, parts = await self.keys(), parts_of(token)
        key = keys.get(parts[0]) if keys and parts else None
        if key is None or parts is None or not key.opens(parts[1], self.clock()):
            return None
        await self._note_use(key.id)
        return key

    async def _note_use(self, id: str) -> None:
        """Note when a key was used, and write that down, for each key once a minute."""
        self._used[id] = self.clock()
        now = self.ticks()
        if self.file.uses is not None and now - self._noted_at.get(id, -NOTE_S) >= NOTE_S:
            self._noted_at[id] = now
            await asyncio.to_thread(write_uses, self.file.uses, dict(self._used))

    async def keys(self) -> Keys | None:
        """Return the keys by id, None where none were ever made. A file that is lost or unreadable lets nobody in."""
        now = self.ticks()
        if self._read_at is None or now - self._read_at >= REFRESH_S:
            self._keys, self._read_at = await asyncio.to_thread(self.read), now
        return self._keys

    @contextmanager
    def working(self, user: str) -> Iterator[None]:
        """Count a request of a user as long as the block runs."""
        self.at_work[user] += 1
        try:
            yield
        finally:
            self.at_work[user] -= 1
            if not self.at_work[user]:
                del self.at_work[user]

    async def end_user(self, user: str) -> int:
        """End every key of a user's in the file, for this process at once; return how many there were."""
        count = await asyncio.to_thread(self.file.end_user, user, self.clock())
        self._read_at = None
        return count

    def read(self) -> Keys | None:
        try:
            kept = self.file.read()
        except ConfigError as error:
            log.error("%s", error)
            return {}
        was_made = self.file.was_made
        if kept is None and self._keys is None and not (self.given or self.required or was_made):
            return None
        if kept is not None:
            self.file.note()  # also of a file that an older version made
        elif not self.given and (self._keys or (self._keys is None and was_made)):
            log.error("%s", Message("key.file_lost", path=self.file.path))
        return {key.id: key for key in (*(kept or ()), *self.given)}
