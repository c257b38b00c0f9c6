"""An endpoint: a function whose annotations say what a request holds and what comes back.

`async def listed(call: Call[Paging, None]) -> Page[Library]` takes a query and no body; requests are checked by these
models, and the document of the API is made from them.
"""

import json
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, Protocol, TypeVar, get_args, get_type_hints

from pydantic import BaseModel, ValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from tools.wording import Words
from wenmai.errors import WenmaiError
from wenmai.inputs import FieldError
from wenmai.web.callers import viewer_of
from wenmai.web.rest.problems import invalid, problem_of, refused

NOT_JSON = Words("必须是 JSON", "must be JSON")
NO_OBJECT = Words("必须是一个 JSON 对象", "must be a JSON object")
ONCE = Words("这个参数只能给一次", "this parameter can be given once")
NO_PARAMETER = Words("没有这个参数", "there is no such parameter")
Method = Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
QueryT = TypeVar("QueryT")
BodyT = TypeVar("BodyT")
NO_CONTENT = 204
NONE = type(None)


@dataclass(frozen=True, slots=True)
class Call(Generic[QueryT, BodyT]):
    """A checked request; what the handler enters into `stack` is left when it is done."""

    request: Request
    query: QueryT
    body: BodyT
    stack: AsyncExitStack

    def part(self, name: str) -> str:
        """Return a part of the path."""
        return str(self.request.path_params[name])

    def accepts(self, media_type: str) -> bool:
        """Return True if the client asks for a media type by name."""
        return media_type in self.request.headers.get("accept", "")


Handler = Callable[[Call[Any, Any]], Awaitable[Any]]


@dataclass(frozen=True, slots=True)
class StreamEvent:
    """An event of a stream: the type of its data, which the docstring describes, and an example of it."""

    data: Any
    example: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """A route with what its document says of it.

    Attributes:
        form: the schema of a form that the handler reads itself.
        events: what a stream of it sends, by name.
        media: the type of what comes back where that is no JSON.
        is_for_admins: whether a key without the right is refused, before anything of the request is looked at.
    """

    method: Method
    path: str
    handler: Handler
    summary: str
    tag: str
    status: int = 200
    form: dict[str, Any] | None = None
    events: Mapping[str, StreamEvent] = field(default_factory=dict)
    media: str | None = None
    is_open: bool = False
    is_for_admins: bool = False

    @property
    def models(self) -> tuple[type[BaseModel] | None, type[BaseModel] | None]:
        """The models of query and body."""
        query, body = (one if one is not NONE else None for one in get_args(get_type_hints(self.handler)["call"]))
        return query, body

    @property
    def result(self) -> type[BaseModel] | None:
        """The model of what comes back, None where that is no JSON."""
        found = get_type_hints(self.handler)["return"]
        found = next((one for one in get_args(found) if is_model(one)), found) if not is_model(found) else found
        return found if is_model(found) else None

    async def __call__(self, request: Request) -> Response:
        """Check a request, answer it; whatever is wrong is a problem."""
        query, body = self.models
        try:
            if self.is_for_admins:
                viewer_of(request.scope).require_admin()
            async with AsyncExitStack() as stack:
                call = Call(request, query_of(request, query), await body_of(request, body), stack)
                return self._response(await self.handler(call))
        except WrongPart as error:
            return refused(invalid(error.error, error.part))
        except WenmaiError as error:
            return refused(problem_of(error))

    def _response(self, given: Any) -> Response:
        if isinstance(given, Response):
            return given
        if given is None:
            return Response(status_code=NO_CONTENT)
        return Response(given.model_dump_json(), self.status, media_type=JSONResponse.media_type)


class WrongPart(Exception):
    """A part of a request that its model refuses."""

    def __init__(self, part: str, error: ValidationError) -> None:
        super().__init__(part)
        self.part = part
        self.error = error


def checked(model: type[BaseModel], given: object, part: str) -> BaseModel:
    """Return a checked part of a request. Raises WrongPart."""
    try:
        return model.model_validate(given)
    except ValidationError as error:
        raise WrongPart(part, error) from error


def is_model(kind: Any) -> bool:
    """Return True for a pydantic model."""
    return isinstance(kind, type) and issubclass(kind, BaseModel)


def query_of(request: Request, model: type[BaseModel] | None) -> BaseModel | None:
    """Return the checked query. Raises WrongPart; FieldError for one where none is taken."""
    given = request.query_params
    if model is None:
        if given:
            raise FieldError(f"query.{next(iter(given))}", NO_PARAMETER)
        return None
    lists = {name for name, one in model.model_fields.items() if "list" in str(one.annotation)}
    if doubled := [name for name in given if name not in lists and len(given.getlist(name)) > 1]:
        raise FieldError(f"query.{doubled[0]}", ONCE)
    named = {name: given.getlist(name) if name in lists else given[name] for name in given}
    return checked(model, named, "query")


async def body_of(request: Request, model: type[BaseModel] | None) -> BaseModel | None:
    """Return the checked body. Raises WrongPart, FieldError."""
    return None if model is None else checked(model, await json_of(request), "")


async def json_of(request: Request) -> object:
    """Return the body, {} for an empty one. Raises FieldError for what is no JSON."""
    try:
        given: object = json.loads(await request.body() or b"{}")
    except (ValueError, RecursionError) as error:
        raise FieldError("body", NOT_JSON) from error
    return given


class Adding(Protocol):
    """What makes a function an endpoint."""

    def __call__(self, handler: Handler) -> Handler:
        """Add it and return it."""
        ...


@dataclass(slots=True)
class Resource:
    """The endpoints of one kind of thing."""

    tag: str
    endpoints: list[Endpoint] = field(default_factory=list)

    def add(self, method: Method, path: str, summary: str, **more: Any) -> Adding:
        """Return a decorator that adds a function as an endpoint."""

        def added(handler: Handler) -> Handler:
            self.endpoints.append(
                Endpoint(method=method, path=path, handler=handler, summary=summary, tag=self.tag, **more)
            )
            return handler

        return added

    def get(self, path: str, summary: str, **more: Any) -> Adding:
        """Add an endpoint that reads."""
        return self.add("GET", path, summary, **more)

    def post(self, path: str, summary: str, **more: Any) -> Adding:
        """Add an endpoint that does or makes something."""
        return self.add("POST", path, summary, **more)

    def patch(self, path: str, summary: str, **more: Any) -> Adding:
        """Add an endpoint that changes something."""
        return self.add("PATCH", path, summary, **more)

    def delete(self, path: str, summary: str, **more: Any) -> Adding:
        """Add an endpoint that deletes something."""
        return self.add("DELETE", path, summary, **more)
