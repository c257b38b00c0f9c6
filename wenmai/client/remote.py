"""Operations of `Application` as requests to a running server: a table of routes, and what calls them."""

import inspect
from collections.abc import Awaitable, Callable, Iterable, Mapping
from functools import partial, wraps
from string import Formatter
from typing import Any, TypeVar
from urllib.parse import quote

from pydantic import TypeAdapter

from wenmai.application.paging import Page
from wenmai.client.connection import Connection, set_fields

T = TypeVar("T")
PAGE_ROWS = 200
IN_QUERY = ("GET", "DELETE")  # other methods have their arguments in a JSON body
SHORT_NAMES = {"query": "q"}
ROUTES: Mapping[str, str] = {
    "ConversationOperations.list": "GET /threads",
    "ConversationOperations.get": "GET /threads/{thread_id}",
    "ConversationOperations.turns": "GET /threads/{thread_id}/turns",
    "ConversationOperations.evidence": "GET /threads/{thread_id}/turns/{number}/evidence",
    "ConversationOperations.rename": "PATCH /threads/{thread_id}",
    "ConversationOperations.export": "GET /threads/{thread_id}/export",
    "ConversationOperations.delete": "DELETE /threads/{thread_id}",
    "DocumentOperations.list": "GET /documents",
    "DocumentOperations.remove_all": "DELETE /documents",
    "EntityOperations.list": "GET /libraries/{library}/entities",
    "EntityOperations.get": "GET /libraries/{library}/entities/{name}",
    "EntityOperations.neighbours": "GET /libraries/{library}/neighbours",
    "EntityOperations.merge": "POST /libraries/{library}/merges",
    "EntityOperations.rename": "POST /libraries/{library}/renames",
    "EntityOperations.split": "POST /libraries/{library}/splits",
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
    "NetworkOperations.export": "GET /networks/{network}/export",
    "NetworkOperations.delete": "DELETE /networks/{network}",
    "PassageOperations.last_place": "GET /libraries/{library}/guard",
    "PassageOperations.chapters": "GET /libraries/{library}/chapters",
    "PassageOperations.chapter": "GET /libraries/{library}/chapters/text",
    "PassageOperations.notes": "GET /libraries/{library}/notes",
    "PassageOperations.list": "GET /libraries/{library}/passages",
    "PassageOperations.appearances": "GET /libraries/{library}/appearances",
    "PassageOperations.quote": "GET /libraries/{library}/quotes",
    "PassageOperations.evidence": "GET /libraries/{library}/evidence/{id}",
    "RelationOperations.list": "GET /libraries/{library}/relations",
    "RelationOperations.types": "GET /libraries/{library}/relation-types",
    "SettingsOperations.public": "GET /settings",
    "SettingsOperations.health": "GET /health",
    "SettingsOperations.test_model": "POST /settings/test",
    "SettingsOperations.me": "GET /me",
    "TraceOperations.list": "GET /traces",
    "TraceOperations.get": "GET /traces/{id}",
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
            return result.validate_python(await request(json=fields or None))
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
