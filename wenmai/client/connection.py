"""The connection to a running server: requests as the user of a key, refusals as Wenmai's own errors."""

import inspect
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial, wraps
from http import HTTPStatus
from string import Formatter
from typing import Any, TypeVar
from urllib.parse import quote

import httpx
from pydantic import BaseModel, TypeAdapter

from tools.errors import InputError, StoreError, WenmaiError
from tools.messages import LANGUAGE, Message, Names
from tools.networks.records import Account
from wenmai.app.data_dir import KEY
from wenmai.application.paging import Page
from wenmai.inputs import error_of

TIMEOUT_S = 3_600.0
ModelT = TypeVar("ModelT", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Connection:
    """Asks the API of a server at `url`; without a key as the local user of it."""

    url: str
    key: str = ""
    http: httpx.AsyncClient = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        http = httpx.AsyncClient(base_url=f"{self.url}/api/v1", timeout=TIMEOUT_S, trust_env=False)
        object.__setattr__(self, "http", http)

    async def ask(self, method: str, path: str, **options: Any) -> Any:
        """Return what the API answers, as plain data; None for no content. Raises WenmaiError."""
        headers = self.headers() | options.pop("headers", {})
        try:
            reply = await self.http.request(method, path, headers=headers, **options)
        except httpx.TransportError as error:
            raise StoreError(Message("client.server_silent", url=self.url, error=error)) from error
        self.check(reply)
        return reply.json() if reply.content else None

    async def send(self, model: type[ModelT], method: str, path: str, **options: Any) -> ModelT:
        return model.model_validate(await self.ask(method, path, **options))

    async def content(self, path: str, **options: Any) -> bytes:
        """Return what the API answers as it is. Raises WenmaiError."""
        try:
            reply = await self.http.get(path, headers=self.headers(), **options)
        except httpx.TransportError as error:
            raise StoreError(Message("client.server_silent", url=self.url, error=error)) from error
        self.check(reply)
        return reply.content

    async def lines(self, path: str, method: str = "GET", **options: Any) -> AsyncGenerator[str]:
        headers = self.headers() | options.pop("headers", {})
        try:
            async with self.http.stream(method, path, headers=headers, **options) as reply:
                if not reply.is_success:
                    await reply.aread()
                self.check(reply)
                async for line in reply.aiter_lines():
                    yield line
        except httpx.TransportError as error:
            raise StoreError(Message("client.server_silent", url=self.url, error=error)) from error

    async def me(self) -> dict[str, Any]:
        found: dict[str, Any] = await self.ask("GET", "/me")
        return found

    async def require(self, user: str | None, permissions: Iterable[str] = (), account: Account | None = None) -> None:
        """Raise InputError for a user, permissions or an account other than the server knows by the key."""
        if account is not None:
            raise InputError(Message("client.account_by_key", url=self.url))
        me = await self.me()
        if user not in (None, me["user_id"]):
            raise InputError(Message("client.other_user", url=self.url, own=me["user_id"], user=user, key=KEY))
        if lacking := sorted(set(permissions).difference(me["permissions"])):
            raise InputError(Message("client.permissions_missing", url=self.url, key=KEY, names=Names(lacking)))

    def headers(self) -> dict[str, str]:
        """Return the headers that say who asks, and in which language refusals are read."""
        return {"accept-language": LANGUAGE.get(), **({"authorization": f"Bearer {self.key}"} if self.key else {})}

    def check(self, reply: httpx.Response) -> None:
        """Raise WenmaiError for a refusal, with its reason."""
        if reply.is_success:
            return
        if reply.status_code == HTTPStatus.UNAUTHORIZED:
            raise InputError(Message("client.key_unknown" if self.key else "client.key_needed", url=self.url, key=KEY))
        raise error_from(reply)

    async def close(self) -> None:
        await self.http.aclose()


def path_of(*parts: object) -> str:
    return "".join(f"/{quote(str(part), safe='')}" for part in parts)


def set_fields(query: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields that are set; a model such as the guard gives its own."""
    fields: dict[str, Any] = {}
    for name, value in query.items():
        fields |= value.model_dump() if isinstance(value, BaseModel) else {name: value}
    return {name: value for name, value in fields.items() if value is not None and value != []}


def body_of(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a JSON body; a model gives its own, those that are null too."""
    fields: dict[str, Any] = {}
    for name, value in arguments.items():
        fields |= value.model_dump(mode="json") if isinstance(value, BaseModel) else {name: value}
    return fields


def error_from(reply: httpx.Response) -> WenmaiError:
    """Return the error that a refusal names; of a proxy's page its status is told."""
    try:
        problem = reply.json()
        fields = [str(one["field"]).removeprefix("query.") for one in problem.get("errors") or ()]
        return error_of(str(problem.get("code")), str(problem["detail"]), reply.status_code, "".join(fields[:1]))
    except (ValueError, LookupError, TypeError, AttributeError):
        return error_of("", f"HTTP {reply.status_code}", reply.status_code)


T = TypeVar("T")
PAGE_ROWS = 200
IN_QUERY = ("GET", "DELETE")  # other methods have their arguments in a JSON body
SHORT_NAMES = {"query": "q"}
ROUTES: Mapping[str, str] = {
    "ConversationOperations.list": "GET /threads",
    "ConversationOperations.find": "GET /threads/search",
    "ConversationOperations.get": "GET /threads/{thread_id}",
    "ConversationOperations.turns": "GET /threads/{thread_id}/turns",
    "ConversationOperations.evidence": "GET /threads/{thread_id}/turns/{number}/evidence",
    "ConversationOperations.rename": "PATCH /threads/{thread_id}",
    "ConversationOperations.export": "GET /threads/{thread_id}/export",
    "ConversationOperations.delete": "DELETE /threads/{thread_id}",
    "DocumentOperations.list": "GET /documents",
    "DocumentOperations.search": "GET /documents/search",
    "DocumentOperations.place": "GET /documents/pieces/{piece}",
    "DocumentOperations.remove_all": "DELETE /documents",
    "EntityOperations.list": "GET /libraries/{library}/entities",
    "EntityOperations.get": "GET /libraries/{library}/entities/{name}",
    "EntityOperations.neighbours": "GET /libraries/{library}/neighbours",
    "EntityOperations.merge": "POST /libraries/{library}/merges",
    "EntityOperations.rename": "POST /libraries/{library}/renames",
    "EntityOperations.narrators": "GET /libraries/{library}/narrators",
    "EntityOperations.set_narrator": "POST /libraries/{library}/narrators",
    "EntityOperations.undo_narrators": "DELETE /libraries/{library}/narrators",
    "EntityOperations.split": "POST /libraries/{library}/splits",
    "EntityOperations.set_kind": "POST /libraries/{library}/kinds",
    "EntityOperations.changes": "GET /libraries/{library}/changes",
    "EntityOperations.undo": "DELETE /libraries/{library}/changes/{id}",
    "EventOperations.list": "GET /libraries/{library}/events",
    "LibraryOperations.list": "GET /libraries",
    "LibraryOperations.get": "GET /libraries/{library}",
    "LibraryOperations.rename": "PATCH /libraries/{library}",
    "LibraryOperations.delete": "DELETE /libraries/{library}",
    "LibraryOperations.delete_source": "DELETE /libraries/{library}/sources/{source}",
    "MemoryOperations.list": "GET /memories",
    "MemoryOperations.get": "GET /memories/{key}",
    "MemoryOperations.search": "GET /memories/search",
    "MemoryOperations.add": "POST /memories",
    "MemoryOperations.update": "PATCH /memories/{key}",
    "NetworkOperations.list": "GET /networks",
    "NetworkOperations.schema": "GET /networks/{network}",
    "NetworkOperations.find": "GET /networks/{network}/instances",
    "NetworkOperations.rows": "GET /networks/{network}/rows/{type}",
    "NetworkOperations.row": "GET /networks/{network}/row",
    "NetworkOperations.export": "GET /networks/{network}/export",
    "NetworkOperations.delete": "DELETE /networks/{network}",
    "PassageOperations.last_place": "GET /libraries/{library}/guard",
    "PassageOperations.chapters": "GET /libraries/{library}/chapters",
    "PassageOperations.chapter": "GET /libraries/{library}/chapters/text",
    "PassageOperations.notes": "GET /libraries/{library}/notes",
    "PassageOperations.list": "GET /libraries/{library}/passages",
    "PassageOperations.search": "GET /libraries/{library}/search",
    "PassageOperations.appearances": "GET /libraries/{library}/appearances",
    "PassageOperations.quote": "GET /libraries/{library}/quotes",
    "PassageOperations.evidence": "GET /libraries/{library}/evidence/{id}",
    "ReadingOperations.find": "GET /libraries/{library}/find",
    "ReadingOperations.nearest": "GET /libraries/{library}/nearest",
    "ReadingOperations.names": "GET /libraries/{library}/chapters/names",
    "ReadingOperations.place": "GET /libraries/{library}/place",
    "ReadingOperations.set_place": "PUT /libraries/{library}/place",
    "RelationOperations.list": "GET /libraries/{library}/relations",
    "SummaryOperations.list": "GET /libraries/{library}/summaries",
    "RelationOperations.types": "GET /libraries/{library}/relation-types",
    "SettingsOperations.public": "GET /settings",
    "SettingsOperations.health": "GET /health",
    "SettingsOperations.model": "GET /settings/model",
    "SettingsOperations.set_model": "PUT /settings/model",
    "SettingsOperations.unset_model": "DELETE /settings/model",
    "SettingsOperations.test_model": "POST /settings/test",
    "SettingsOperations.me": "GET /me",
    "SummaryOperations.recap": "GET /libraries/{library}/recap",
    "TraceOperations.list": "GET /traces",
    "TraceOperations.get": "GET /traces/{id}",
    "UserOperations.erase": "DELETE /users/{name}",
}


class Remote:
    """Operations of one subject, done by a server: those of `ROUTES` by their signatures, others by subclasses."""

    def __init__(self, operations: type, server: Connection) -> None:
        self.operations, self.server = operations, server
        self.__doc__ = operations.__doc__

    def __getattr__(self, name: str) -> Callable[..., Awaitable[Any]]:
        if (route := ROUTES.get(f"{self.operations.__name__}.{name}")) is None:
            raise AttributeError(f"{self.operations.__name__} of a running server has no {name}", name=name, obj=self)
        operation = getattr(self.operations, name)

        @wraps(operation)
        async def call(*positional: Any, **named: Any) -> Any:
            return await self._call(route, inspect.signature(operation), *positional, **named)

        return call

    def __dir__(self) -> Iterable[str]:
        routed = (route.partition(".") for route in ROUTES)
        return [*super().__dir__(), *(name for owner, _, name in routed if owner == self.operations.__name__)]

    async def _call(self, route: str, signature: inspect.Signature, *positional: Any, **named: Any) -> Any:
        method, _, path = route.partition(" ")
        bound = signature.bind(self, *positional, **named)
        bound.apply_defaults()
        arguments = {name: value for name, value in [*bound.arguments.items()][1:] if not callable(value)}
        for name, parameter in signature.parameters.items():
            if parameter.kind is parameter.VAR_KEYWORD:
                arguments |= arguments.pop(name)
        in_path = {name: quote(str(arguments.pop(name)), safe="") for _, name, *_ in Formatter().parse(path) if name}
        fields = {SHORT_NAMES.get(name, name): value for name, value in arguments.items()}
        request = partial(self.server.ask, method, path.format(**in_path))
        result: TypeAdapter[Any] = TypeAdapter(signature.return_annotation)
        if method not in IN_QUERY:
            return result.validate_python(await request(json=body_of(fields) or None))
        if "offset" not in fields:
            return result.validate_python(await request(params=set_fields(fields)))
        return await every_page(lambda **rows: request(params=set_fields(fields | rows)), result, **fields)


async def every_page(
    ask: Callable[..., Awaitable[Any]], result: TypeAdapter[Page[T]], *, limit: int, offset: int, **_: object
) -> Page[T]:
    """Return a part of a list of any length, asked for page by page."""
    items = list[T]()
    while True:
        rows = min(PAGE_ROWS, limit - len(items))
        found = result.validate_python(await ask(limit=rows, offset=offset + len(items)))
        items += found.items
        if found.next is None or len(items) >= limit:
            return found.model_copy(update={"items": items})
