"""The connection to a running server: requests as the user of a key, refusals as Wenmai's own errors."""

from collections.abc import AsyncGenerator, Iterable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, TypeVar
from urllib.parse import quote

import httpx
from pydantic import BaseModel

from tools.errors import InputError, StoreError, WenmaiError
from tools.networks.records import Account
from tools.wording import SPOKEN, Names, Words
from wenmai.app.data_dir import KEY
from wenmai.inputs import error_of

TIMEOUT_S = 3_600.0
NO_KEY = Words(
    "正在运行的服务器 {url} 需要密钥：请把 wenmai keys add 给出的密钥写进环境变量 {key}",
    "the running server {url} asks for a key: put one that wenmai keys add gave into the variable {key}",
)
UNKNOWN_KEY = Words(
    "正在运行的服务器 {url} 不认得环境变量 {key} 里的密钥（写错、过期或已吊销）：请换一个有效的密钥",
    "the running server {url} does not know the key in the variable {key} (misspelled, expired or revoked): "
    "put a valid one there",
)
GONE = Words(
    "正在运行的服务器 {url} 没有回答（{error}）：请稍后重试",
    "the running server {url} did not answer ({error}): try again later",
)
OTHER_USER = Words(
    "正在运行的服务器 {url} 认定这里的用户是 {own}，不能替用户 {user} 操作：请去掉 --user，"
    "或在环境变量 {key} 里换成该用户的密钥，或先停止服务器",
    "for the running server {url} the user here is {own}, not {user}: leave --user out, put a key of that user into "
    "the variable {key}, or stop the server first",
)
NOT_GRANTED = Words(
    "正在运行的服务器 {url} 按密钥决定权限，环境变量 {key} 里的密钥没有这些权限：{names}",
    "the running server {url} knows permissions by the key, and the one in the variable {key} lacks these: {names}",
)
BY_KEY = Words(
    "正在运行的服务器 {url} 按密钥决定 account：请去掉 --account 和 --account-type，或先停止服务器",
    "the running server {url} knows the account by the key: leave --account and --account-type out, or stop the "
    "server first",
)
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
            raise StoreError(GONE.of(url=self.url, error=error)) from error
        self.check(reply)
        return reply.json() if reply.content else None

    async def get(self, model: type[ModelT], path: str, **query: Any) -> ModelT:
        """Return what a path shows."""
        return model.model_validate(await self.ask("GET", path, params=set_fields(query)))

    async def send(self, model: type[ModelT], method: str, path: str, body: Mapping[str, Any] | None = None) -> ModelT:
        """Return what a change gives."""
        return model.model_validate(await self.ask(method, path, json=body))

    async def lines(self, path: str, method: str = "GET", **options: Any) -> AsyncGenerator[str]:
        """Yield the lines of a text. Raises WenmaiError."""
        headers = self.headers() | options.pop("headers", {})
        try:
            async with self.http.stream(method, path, headers=headers, **options) as reply:
                if not reply.is_success:
                    await reply.aread()
                self.check(reply)
                async for line in reply.aiter_lines():
                    yield line
        except httpx.TransportError as error:
            raise StoreError(GONE.of(url=self.url, error=error)) from error

    async def me(self) -> dict[str, Any]:
        """Return who the server takes requests for, and with which rights."""
        found: dict[str, Any] = await self.ask("GET", "/me")
        return found

    async def require(self, user: str | None, permissions: Iterable[str] = (), account: Account | None = None) -> None:
        """Raise InputError for a user, permissions or an account other than the server knows by the key."""
        if account is not None:
            raise InputError(BY_KEY.of(url=self.url))
        me = await self.me()
        if user not in (None, me["user_id"]):
            raise InputError(OTHER_USER.of(url=self.url, own=me["user_id"], user=user, key=KEY))
        if lacking := sorted(set(permissions).difference(me["permissions"])):
            raise InputError(NOT_GRANTED.of(url=self.url, key=KEY, names=Names(lacking)))

    def headers(self) -> dict[str, str]:
        """Return the headers that say who asks, and in which language refusals are read."""
        return {"accept-language": SPOKEN.get(), **({"authorization": f"Bearer {self.key}"} if self.key else {})}

    def check(self, reply: httpx.Response) -> None:
        """Raise WenmaiError for a refusal, with its reason."""
        if reply.is_success:
            return
        if reply.status_code == HTTPStatus.UNAUTHORIZED:
            raise InputError((UNKNOWN_KEY if self.key else NO_KEY).of(url=self.url, key=KEY))
        raise error_from(reply)

    async def close(self) -> None:
        """Close the connection."""
        await self.http.aclose()


def path_of(*parts: object) -> str:
    """Return the path of a resource."""
    return "".join(f"/{quote(str(part), safe='')}" for part in parts)


def set_fields(query: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields that are set; a model such as the guard gives its own."""
    fields: dict[str, Any] = {}
    for name, value in query.items():
        fields |= value.model_dump() if isinstance(value, BaseModel) else {name: value}
    return {name: value for name, value in fields.items() if value is not None and value != []}


def error_from(reply: httpx.Response) -> WenmaiError:
    """Return the error that a refusal names; of a proxy's page its status is told."""
    try:
        problem = reply.json()
        fields = [str(one["field"]).removeprefix("query.") for one in problem.get("errors") or ()]
        return error_of(str(problem.get("code")), str(problem["detail"]), reply.status_code, "".join(fields[:1]))
    except (ValueError, LookupError, TypeError, AttributeError):
        return error_of("", f"HTTP {reply.status_code}", reply.status_code)
