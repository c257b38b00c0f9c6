"""API keys of the server: made, listed, revoked, on the machine that has the file of keys or through its server."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from http import HTTPStatus
from typing import TYPE_CHECKING

from pydantic import BaseModel, Field, ValidationError

from state.account import AccountType
from tools.errors import InputError, StoreError
from tools.memory.records import SENSITIVE_PERMISSION
from tools.messages import Message, Names
from wenmai.access.keys import ApiKey, KeyView, new_key
from wenmai.app.clock import now
from wenmai.app.container import Services
from wenmai.app.data_dir import unfinished_removals
from wenmai.application.caller import Caller
from wenmai.inputs import FieldError
from wenmai.stores.files.folder import check_name

if TYPE_CHECKING:
    from wenmai.access.keyring import KeyFile


class MadeKey(BaseModel):
    """A new key."""

    key: KeyView
    token: str = Field(description="What its user sends; it is kept nowhere", repr=False)
    record: str = Field(description="The key as WENMAI_API_KEYS takes it, with the hash of its secret", repr=False)
    unknown: list[str] = Field(description="Libraries and networks that it names and that are not there now")


class KeyList(BaseModel):
    """The keys of the file."""

    items: list[KeyView]
    of_environment: int = Field(description="Keys that WENMAI_API_KEYS adds")
    is_open: bool = Field(description="No key was ever made: requests of this machine need none")


PERMISSIONS = (SENSITIVE_PERMISSION,)


@dataclass(frozen=True, slots=True)
class KeyOperations:
    """What can be done with the file of keys; raises ConfigError for a broken one.

    Needs a key with the right to administer that opens every library: a new key may open all that its maker does.
    """

    services: Services
    caller: Caller

    async def add(
        self,
        user: str,
        *,
        name: str = "",
        permissions: Sequence[str] = (),
        account: str | None = None,
        account_type: AccountType = "user",
        libraries: Sequence[str] | None = None,
        networks: Sequence[str] | None = None,
        is_admin: bool = False,
        days: int | None = None,
        is_kept: bool = True,
    ) -> MadeKey:
        """Make a key.

        Args:
            user: whose conversations, memories and documents it opens.
            name: what it is for.
            permissions: those of its runs; `sensitive_memory` shows sensitive memories.
            account: who asks knowledge networks; default: the user.
            libraries, networks: the only ones that it opens; None: all, none where the others are named.
            is_admin: whether it may change what everybody sees.
            days: how long it is valid; None: for good.
            is_kept: False writes no file; the record is for WENMAI_API_KEYS.

        Raises:
            FieldError: a permission that is none, a name that is empty, too long or has control characters; a user
                whose removal is not finished.
        """
        self.caller.require_everything()
        if unknown := sorted({*permissions} - {*PERMISSIONS}):
            raise FieldError("permission", Message("key.unknown_permission", name=unknown[0], known=Names(PERMISSIONS)))
        for library in libraries or ():
            check_name(library)
        made = now()
        try:
            new = new_key(
                user,
                made,
                name=name,
                permissions=permissions,
                libraries=libraries,
                networks=networks,
                is_admin=is_admin,
                account=account,
                account_type=account_type,
                expires_at=None if days is None else made + timedelta(days=days),
            )
        except ValidationError as error:
            raise FieldError(str(error.errors()[0]["loc"][0]), Message("key.bad_name")) from error
        if user in await asyncio.to_thread(unfinished_removals, self.services.settings.data_dir):
            raise FieldError("user", Message("user.removal_unfinished", user=user), HTTPStatus.CONFLICT)
        if is_kept:
            await asyncio.to_thread(self._file.add, new.key)
            self.services.keys.refresh()
        return MadeKey(
            key=view_of(new.key),
            token=new.token,
            record=new.key.model_dump_json(exclude_defaults=True),
            unknown=await unknown_names(self.services, new.key),
        )

    async def list(self) -> KeyList:
        """Return the keys of the file, also those that have ended."""
        self.caller.require_everything()
        settings, found = self.services.settings, await asyncio.to_thread(self._file.read)
        given = len(settings.wenmai_api_keys)
        was_made, uses = await asyncio.to_thread(lambda: (self._file.was_made, self._file.last_uses()))
        is_open = found is None and not given and not settings.wenmai_require_keys and not was_made
        items = [view_of(one).model_copy(update={"used_at": uses.get(one.id)}) for one in found or ()]
        return KeyList(items=items, of_environment=given, is_open=is_open)

    async def revoke(self, id: str) -> KeyView:
        """End a key for good: at once in this process, in a server that runs beside it within REFRESH_S.

        Raises InputError for an id that is none, for a key that has ended, and for the caller's own.
        """
        self.caller.require_everything()
        if id == self.caller.key:
            raise InputError(Message("key.own", id=id))
        gone = await asyncio.to_thread(self._file.revoke, id, now())
        self.services.keys.refresh()
        return view_of(gone)

    @property
    def _file(self) -> "KeyFile":
        return self.services.keys.file


def view_of(key: ApiKey) -> KeyView:
    return KeyView.model_validate(key.model_dump(exclude={"digest"}))


async def unknown_names(services: Services, key: ApiKey) -> list[str]:
    """Return what a key names that is not there, nothing where that cannot be known now."""
    libraries, networks = {*(key.libraries or ())}, {*(key.networks or ())}
    try:
        if libraries:
            libraries -= {one.name for one in await services.catalog.libraries()}
        if networks:
            networks -= {one.spec.id for one in await services.local_knowledge.networks()}
    except StoreError:
        return []
    return sorted(libraries if services.settings.has_knowledge_service else libraries | networks)
