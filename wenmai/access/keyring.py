"""The keys of a server: those of the file and those of the environment, looked at again every few seconds."""

import asyncio
import json
import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from filelock import FileLock
from pydantic import TypeAdapter, ValidationError

from tools.errors import ConfigError, InputError
from tools.files import replace_file
from tools.messages import Message
from tools.reasons import file_reason
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
            raise ConfigError(Message("key.file_unreadable", path=self.path, reason=file_reason(exc))) from exc

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

    def forget_user(self, user: str) -> tuple[int, list[str]]:
        """Remove every key of a user; return how many were not revoked, and the ids of all. Raises ConfigError."""
        with self.alone():
            keys = self.read() or []
            own = [key for key in keys if key.user == user]
            if own:
                self.write([key for key in keys if key.user != user])
                gone = {key.id for key in own}
                if self.uses is not None and self.uses.exists():
                    replace_file(
                        self.uses, USES.dump_json({id: at for id, at in self.last_uses().items() if id not in gone})
                    )
            return sum(key.revoked_at is None for key in own), [key.id for key in own]

    def alone(self) -> FileLock:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        return FileLock(f"{self.path}.lock", timeout=LOCK_SECONDS)

    def write(self, keys: Sequence[ApiKey]) -> None:
        rows = [key.model_dump(mode="json", exclude={"used_at"}) for key in keys]
        replace_file(self.path, json.dumps(rows, ensure_ascii=False, indent=1))
        self.note()

    def note(self) -> None:
        """Note that there are keys; where DATA_DIR takes no file they hold all the same."""
        if self.mark is not None and not self.mark.exists():
            with suppress(OSError):
                self.mark.parent.mkdir(parents=True, exist_ok=True)
                self.mark.touch(mode=0o600)


def write_uses(path: Path, used: dict[str, datetime]) -> None:
    """Write down when keys were used, beside what other processes have noted; without room nothing."""
    with suppress(OSError):
        replace_file(path, USES.dump_json(KeyFile(path, uses=path).last_uses() | used))


NOTE_S = 60.0  # the last use of a key is known to a minute
REFRESH_S = 1.0  # a key that another process revokes opens nothing after that

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
    """

    file: KeyFile
    given: Sequence[ApiKey]
    clock: Callable[[], datetime]
    ticks: Callable[[], float]
    required: bool = False
    _keys: Keys | None = field(default=None, init=False)
    _read_at: float | None = field(default=None, init=False)
    _changes: int = field(default=0, init=False)
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

    def refresh(self) -> None:
        """Read the file again for the next request: this process has changed it."""
        self._changes += 1
        self._read_at = None

    def forget_user(self, user: str) -> int:
        """Remove the keys of a user from the file, also those that have ended; return how many still held."""
        count, ids = self.file.forget_user(user)
        for id in ids:
            self._used.pop(id, None)
        self.refresh()
        return count

    async def keys(self) -> Keys | None:
        """Return the keys by id, None where none were ever made. A file that is lost or unreadable lets nobody in."""
        now = self.ticks()
        if self._read_at is None or now - self._read_at >= REFRESH_S:
            before = self._changes
            self._keys = await asyncio.to_thread(self.read)
            self._read_at = now if before == self._changes else None  # else it was changed while it was read
        return self._keys

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
