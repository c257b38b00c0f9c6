"""A running server, as commands ask it."""

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from tools.wording import SPOKEN, Names, Words
from wenmai.cli.placing import KEY
from wenmai.errors import InputError, StoreError, StoreLocked

if TYPE_CHECKING:
    import httpx

TIMEOUT_S = 3_600.0
PAGE_ROWS = 200
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


@dataclass(frozen=True, slots=True)
class Running:
    """A running server, asked as the user of WENMAI_API_KEY, or as the local one."""

    url: str

    def ask(self, method: str, path: str, **options: Any) -> Any:
        """Return what the API answers. Raises WenmaiError."""
        import httpx

        try:
            with httpx.Client(headers=headers(), timeout=TIMEOUT_S, trust_env=False) as http:
                return read(http.request(method, f"{self.url}/api/v1{path}", **options), self.url)
        except httpx.TransportError as error:
            raise StoreError(GONE.of(url=self.url, error=error)) from error

    def rows(self, path: str, **query: Any) -> Iterator[dict[str, Any]]:
        """Yield every row of a list."""
        at, given = 0, known(query)
        while True:
            page = self.ask("GET", path, params={**given, "limit": PAGE_ROWS, "offset": at})
            yield from page["items"]
            at += len(page["items"])
            if not page["items"] or at >= page["total"]:
                return

    def user(self) -> str:
        """Return the user that the server takes commands for."""
        return str(self.ask("GET", "/me")["user_id"])

    def require(self, user: str | None, permissions: Iterable[str] = ()) -> None:
        """Raise InputError for a user or permissions other than those by which the server knows who asks."""
        require_own(self.ask("GET", "/me"), self.url, user, permissions)

    def as_user(self, user: str) -> "Running":
        """Return this server for a user. Raises InputError where it takes commands for another one."""
        self.require(user)
        return self


def headers() -> dict[str, str]:
    """Return the headers that say who asks, and in which language refusals are read."""
    key = os.environ.get(KEY, "")
    return {"accept-language": SPOKEN.get(), **({"authorization": f"Bearer {key}"} if key else {})}


def require_own(me: Mapping[str, Any], url: str, user: str | None, permissions: Iterable[str] = ()) -> None:
    """Raise InputError for a user or permissions other than those by which a server knows who asks."""
    if user not in (None, me["user_id"]):
        raise InputError(OTHER_USER.of(url=url, own=me["user_id"], user=user, key=KEY))
    if lacking := sorted(set(permissions).difference(me["permissions"])):
        raise InputError(NOT_GRANTED.of(url=url, key=KEY, names=Names(lacking)))


def known(query: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields that are given."""
    return {key: value for key, value in query.items() if value not in (None, [])}


def read(reply: "httpx.Response", url: str) -> Any:
    """Return what a server answers. Raises WenmaiError with its reason."""
    if reply.is_success:
        is_lines = reply.headers.get("content-type", "").startswith("application/jsonl")
        return [json.loads(line) for line in reply.text.splitlines()] if is_lines else reply.json()
    if reply.status_code == HTTPStatus.UNAUTHORIZED:
        raise InputError((UNKNOWN_KEY if os.environ.get(KEY) else NO_KEY).of(url=url, key=KEY))
    detail = reason_of(reply)
    if reply.status_code == HTTPStatus.CONFLICT:
        raise StoreLocked(detail)
    raise (StoreError if reply.is_server_error else InputError)(detail)


def reason_of(reply: "httpx.Response") -> str:
    """Return why a server refuses; of what is no refusal of its own, such as a proxy's page, the status."""
    try:
        return str(reply.json()["detail"])
    except (ValueError, LookupError, TypeError):
        return f"HTTP {reply.status_code}"
