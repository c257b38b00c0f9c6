"""Everything that Wenmai does, from Python: `open` for programs with `await`, `connect` for scripts and notebooks."""

import asyncio
import inspect
import os
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Collection, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from functools import wraps
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar, cast

from state.account import LOCAL
from tools.networks.records import Account
from wenmai.app.data_dir import KEY, running_server
from wenmai.application.caller import Caller
from wenmai.application.subjects import SubjectOperations
from wenmai.background import Loop, close_at_exit
from wenmai.settings.settings import Settings, validate_config

if TYPE_CHECKING:
    from langchain_neo4j import Neo4jGraph
    from typing_extensions import Unpack

    from state.context import ContextFields
    from wenmai.answer import Answer
    from wenmai.application.operations import Application
    from wenmai.client.client import Client

T = TypeVar("T")


@asynccontextmanager
async def open(
    settings: Settings | None = None,
    *,
    user: str | None = None,
    permissions: Iterable[str] = (),
    account: Account | None = None,
    url: str | None = None,
    key: str | None = None,
    story_graph: "Neo4jGraph | None" = None,
    **overrides: object,
) -> "AsyncIterator[Application | Client]":
    """Open all operations: on the stores of this process's settings, or where a server holds them, through it.

        async with wenmai.open() as app:
            answer = await app.conversations.ask("主角是谁？", library="novel")

    Args:
        settings: default: environment and `.env`.
        user: whose memories and conversations these are; default `local`, on a server the user of the key.
        permissions: what the user may see, such as `sensitive_memory`.
        account: who asks networks; default: the user.
        url: a server anywhere, as `http://127.0.0.1:2024`; default: the one that runs on DATA_DIR, if one does.
        key: for the server; default: WENMAI_API_KEY.
        story_graph: a Neo4j that is open already keeps story graphs and networks, as with NEO4J_URI; it stays open.
            Then the stores are opened here.
        **overrides: single settings, as `data_dir="…"`.

    Raises:
        ConfigError: a setting is wrong.
        InputError: the server knows the caller as another user.
        StoreError: the Neo4j does not answer.
        TypeError: a keyword is no setting.
    """
    if story_graph is not None and url is not None:
        raise TypeError("open() takes a story graph or the address of a server, not both")
    if settings is not None and overrides:
        raise TypeError(f"open() takes settings or single ones, not both: {', '.join(overrides)}")
    known, who = settings or validate_config(**overrides), CallerOptions(user, tuple(permissions), account)
    opened = (
        open_for(who, known, who.permissions, url, key) if story_graph is None else open_here(who, known, story_graph)
    )
    async with opened as app:
        yield app


@dataclass(frozen=True, slots=True)
class CallerOptions:
    user: str | None = None
    permissions: Collection[str] = ()
    account: Account | None = None


@asynccontextmanager
async def open_for(
    person: CallerOptions,
    settings: Settings,
    granted: Collection[str] = (),
    url: str | None = None,
    key: str | None = None,
) -> "AsyncIterator[Application | Client]":
    """Open all operations, see `open`; a server must have `granted` these permissions to the key."""
    place = url or holding_server(settings)
    if place is None:
        async with open_here(person, settings) as app:
            yield app
        return
    from wenmai.client.client import Client
    from wenmai.client.connection import Connection

    server = Connection(place.rstrip("/"), os.environ.get(KEY, "") if key is None else key)
    try:
        await server.require(person.user, granted, person.account)
        yield Client(server)
    finally:
        await server.close()


def holding_server(settings: Settings) -> str | None:
    """Return the address of the server that holds the stores of these settings, None where none does."""
    return None if settings.shares_libraries else running_server(settings.data_dir)


@asynccontextmanager
async def open_here(
    person: CallerOptions, settings: Settings, story_graph: "Neo4jGraph | None" = None
) -> "AsyncIterator[Application]":
    from wenmai.application.operations import open_application

    caller = Caller.local(person.user or LOCAL, person.permissions)
    caller = replace(caller, account=person.account or caller.account)
    async with open_application(settings, caller, story_graph) as app:
        yield app


def ask(question: str, *, thread_id: str | None = None, **fields: "Unpack[ContextFields]") -> "Answer":
    """Answer a question; stores are open only as long as it takes. Where a server holds them, it is asked.

    A notebook runs a loop of its own, so the question is asked in another thread.

    Args:
        question: one message of the user.
        thread_id: of an earlier answer, to ask on.
        **fields: any field of `state.context.Context`. A server knows who asks by the key in WENMAI_API_KEY.

    Raises:
        ValueError: a blank question, an unknown or wrong field, an unknown library, a foreign thread; another user,
            an account or permissions than the server knows.
        StoreError: the library is locked, corrupt, or built with another embedder.
    """
    with ThreadPoolExecutor(1, thread_name_prefix="wenmai-ask") as pool:
        return pool.submit(asyncio.run, answer_to(question, thread_id, fields)).result()


async def answer_to(question: str, thread_id: str | None, fields: "ContextFields") -> "Answer":
    settings = validate_config()
    if holding_server(settings) is None:
        from wenmai.agent import open_agent

        async with open_agent(settings) as agent:
            return await agent.ask(question, thread_id=thread_id, **fields)
    run: dict[str, Any] = {**fields}
    user, permissions = run.pop("user_id", None), tuple(run.pop("permissions", ()))
    account, kind = run.pop("account", None), run.pop("account_type", "user")
    person = CallerOptions(user, permissions, account and Account(account, kind))
    async with open_for(person, settings, permissions) as app:
        return await app.conversations.ask(question, thread_id=thread_id, **run)


def connect(settings: Settings | None = None, **options: Any) -> "Connected":
    """Open all operations without `await`, for scripts and notebooks; arguments are those of `open`.

        app = wenmai.connect()
        app.conversations.ask("主角是谁？", library="novel")
        app.close()                     # or: with wenmai.connect() as app: …

    It is closed at the end of the process by itself. Until then it holds the stores.
    """
    return Connected(lambda: open(settings, **options))


class Waiting(Generic[T]):
    """An object whose methods are waited for: their attributes, signatures and docstrings are its own."""

    def __init__(self, inner: T, loop: Loop) -> None:
        self._inner, self._loop = inner, loop
        self.__doc__ = inner.__doc__

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        value = getattr(self._inner, name)
        if isinstance(getattr(type(self._inner), name, None), SubjectOperations):
            return Waiting(value, self._loop)
        return self._sync_method(value) if callable(value) else value

    def __dir__(self) -> Iterable[str]:
        return [name for name in dir(self._inner) if not name.startswith("_")]

    def __repr__(self) -> str:
        return repr(self._inner)

    def _sync_method(self, method: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(method)
        def called(*arguments: Any, **named: Any) -> Any:
            return self._sync_value(method(*arguments, **named))

        return called

    def _sync_value(self, value: Any) -> Any:
        """Return what a method gives as a caller without `await` has it; of `for_user` it is more operations."""
        if inspect.isasyncgen(value):
            return self._loop.iterate(cast("AsyncGenerator[Any]", value))
        if inspect.iscoroutine(value):
            value = self._loop.run(value)
        return Waiting(value, self._loop) if type(value) is type(self._inner) else value


class Connected(Waiting["Application | Client"]):
    """All operations, without `await`. Made by `connect`."""

    def __init__(self, opened: "Callable[[], Any]") -> None:
        loop, self._stack = Loop(), AsyncExitStack()
        try:
            super().__init__(loop.run(self._stack.enter_async_context(opened())), loop)
        except BaseException:
            loop.stop()
            raise
        close_at_exit(close_all)
        OPEN.add(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the stores, or the connection to the server; what is closed already stays so."""
        if self in OPEN:
            OPEN.remove(self)
            try:
                self._loop.run(self._stack.aclose())
            finally:
                self._loop.stop()


OPEN = set[Connected]()


def close_all() -> None:
    for one in [*OPEN]:
        one.close()
