"""Where a command works: on the stores of its settings, or through the server that holds them."""

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from tools.errors import StoreLocked
from tools.messages import Message

if TYPE_CHECKING:
    from tools.networks.records import Account
    from wenmai.application.operations import Application
    from wenmai.client.client import Client

    Operations = Application | Client

T = TypeVar("T")


def run(
    work: "Callable[[Operations], Awaitable[T]]",
    user: str | None = None,
    permissions: Iterable[str] = (),
    *,
    is_shared: bool = False,
) -> T:
    """Do something as a user of this machine, or through the server that runs on this data folder.

    The work is the same in both places. Beside a server the key in WENMAI_API_KEY says who asks, and what
    the caller may see. With `is_shared` it is done here beside a server too, for several processes may change what it
    touches.

    Raises:
        InputError: the server knows the caller as another user.
        StoreError: another process holds the stores.
    """

    async def begun() -> T:
        async with open_operations(user, permissions, is_shared=is_shared) as app:
            return await work(app)

    return asyncio.run(begun())


@asynccontextmanager
async def open_operations(
    user: str | None = None,
    permissions: Iterable[str] = (),
    granted: Iterable[str] = (),
    account: "Account | None" = None,
    *,
    is_shared: bool = False,
) -> "AsyncIterator[Operations]":
    """Open the operations where the stores are; see `run`. A server must have `granted` these permissions."""
    from wenmai.opening import CallerOptions, open_for, open_here
    from wenmai.settings.settings import load_settings

    person, settings = CallerOptions(user, tuple(permissions), account), load_settings()
    async with open_here(person, settings) if is_shared else open_for(person, settings, tuple(granted)) as app:
        yield app


def run_on_stores(work: "Callable[[Application], Awaitable[T]]") -> T:
    """Do something that no server does for a command, as a user of this machine. Raises StoreLocked."""

    async def begun() -> T:
        async with stores() as app:
            return await work(app)

    return run_local(begun())


@asynccontextmanager
async def stores() -> "AsyncIterator[Application]":
    """Open the operations on the stores of this machine, whether or not a server runs."""
    from wenmai.opening import CallerOptions, open_here
    from wenmai.settings.settings import load_settings

    async with open_here(CallerOptions(), load_settings()) as app:
        yield app


def run_local(work: Coroutine[Any, Any, T]) -> T:
    """Do something with the stores of this machine.

    Raises:
        StoreLocked: another process holds them; where it is a server it is named.
    """
    from wenmai.app.data_dir import running_server
    from wenmai.settings.settings import load_settings

    try:
        return asyncio.run(work)
    except StoreLocked as error:
        if (url := running_server(load_settings().data_dir)) is None:
            raise
        raise StoreLocked(Message("cli.server_holds_it", error=error, url=url)) from error


def named_user(name: str) -> str:
    """Return the user that a command names: where it is none that of the key beside a running server, else `local`."""
    from state.account import LOCAL
    from wenmai.app.data_dir import KEY
    from wenmai.opening import holding_server
    from wenmai.settings.settings import load_settings

    if name:
        return name
    if not (key := os.environ.get(KEY)) or (url := holding_server(load_settings())) is None:
        return LOCAL

    async def user_of_key() -> str:
        from wenmai.client.connection import Connection

        server = Connection(url, key)
        try:
            return str((await server.me())["user_id"])
        finally:
            await server.close()

    return asyncio.run(user_of_key())
