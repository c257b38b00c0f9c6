"""A running server, as commands ask it."""

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import httpx

from tools.wording import SPOKEN, Words
from wenmai.errors import InputError, StoreError, StoreLocked

KEY = "WENMAI_API_KEY"
LOCAL = "local"  # the user of a server without keys
TIMEOUT_S = 3_600.0
PAGE_ROWS = 200
NO_KEY = Words(
    "正在运行的服务器 {url} 需要密钥：请把 wenmai keys add 给出的密钥写进环境变量 {key}",
    "the running server {url} asks for a key: put one that wenmai keys add gave into the variable {key}",
)
GONE = Words(
    "正在运行的服务器 {url} 没有回答（{error}）：请稍后重试",
    "the running server {url} did not answer ({error}): try again later",
)
NOT_LOCAL = Words(
    "正在运行的服务器 {url} 没有密钥，只认本机用户 local：请去掉 --user，或先停止服务器",
    "the running server {url} has no keys and knows the user local alone: leave --user out, or stop the server first",
)


@dataclass(frozen=True, slots=True)
class Running:
    """A running server, asked as the user of WENMAI_API_KEY, or as the local one."""

    url: str

    def ask(self, method: str, path: str, **options: Any) -> Any:
        """Return what the API answers. Raises WenmaiError."""
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

    def as_user(self, user: str) -> "Running":
        """Return this server for a user. Raises InputError where it knows the local one alone."""
        require_user(self.url, user)
        return self


def headers() -> dict[str, str]:
    """Return the headers that say who asks, and in which language refusals are read."""
    key = os.environ.get(KEY, "")
    return {"accept-language": SPOKEN.get(), **({"authorization": f"Bearer {key}"} if key else {})}


def require_user(url: str, user: str | None) -> None:
    """Raise InputError for a user that a server cannot know: without a key there is the local one alone."""
    if user not in (None, LOCAL) and not os.environ.get(KEY):
        raise InputError(NOT_LOCAL.of(url=url))


def known(query: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields that are given."""
    return {key: value for key, value in query.items() if value not in (None, [])}


def read(reply: httpx.Response, url: str) -> Any:
    """Return what a server answers. Raises WenmaiError with its reason."""
    if reply.is_success:
        is_lines = reply.headers.get("content-type", "").startswith("application/jsonl")
        return [json.loads(line) for line in reply.text.splitlines()] if is_lines else reply.json()
    if reply.status_code == httpx.codes.UNAUTHORIZED:
        raise InputError(NO_KEY.of(url=url, key=KEY))
    detail = str(reply.json().get("detail", reply.status_code))
    if reply.status_code == httpx.codes.CONFLICT:
        raise StoreLocked(detail)
    raise (StoreError if reply.is_server_error else InputError)(detail)
