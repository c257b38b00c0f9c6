"""The keys of a server: those of the file and those of the environment, looked at again every few seconds."""

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from tools.errors import ConfigError
from wenmai.access.key_file import KeyFile
from wenmai.access.keys import ApiKey, parts_of

REFRESH_S = 5.0  # a key that is revoked opens nothing after that

LOST = "密钥文件 %s 不见了：在它恢复之前不接受任何请求，请从备份恢复，或用 wenmai keys add 创建密钥"

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

    async def is_on(self) -> bool:
        """Return True if keys are asked for: there is or was a file, though without any, or the settings say so."""
        return await self.keys() is not None

    async def find(self, token: str) -> ApiKey | None:
        """Return the key of a token, None where it opens nothing."""
        keys, parts = await self.keys(), parts_of(token)
        key = keys.get(parts[0]) if keys and parts else None
        return key if key and parts and key.opens(parts[1], self.clock()) else None

    async def keys(self) -> Keys | None:
        """Return the keys by id, None where none were ever made. A file that is lost or unreadable lets nobody in."""
        now = self.ticks()
        if self._read_at is None or now - self._read_at >= REFRESH_S:
            self._keys, self._read_at = await asyncio.to_thread(self.read), now
        return self._keys

    def read(self) -> Keys | None:
        """Read the file."""
        try:
            kept = self.file.read()
        except ConfigError as error:
            log.error("%s", error)
            return {}
        if kept is None and self._keys is None and not (self.given or self.required):
            return None
        if kept is None and self._keys and not self.given:
            log.error(LOST, self.file.path)
        return {key.id: key for key in (*(kept or ()), *self.given)}
