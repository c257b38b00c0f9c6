"""Questions of the command line to a server that holds the stores of the same DATA_DIR."""

import json
import os
from collections.abc import Mapping
from typing import Any

import httpx

from tools.wording import SPOKEN, Words
from wenmai.errors import InputError, StoreError, StoreLocked

KEY = "WENMAI_API_KEY"
LOCAL = "local"  # the user of a server without keys
TIMEOUT_S = 3_600.0
OWN = ("user_id", "permissions", "account", "account_type")  # who asks is for the server to say
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


async def asked_there(
    url: str, question: str, thread: str | None, session: Mapping[str, Any] | None, context: Mapping[str, Any]
) -> dict[str, Any]:
    """Ask a running server and return the result record. Raises WenmaiError."""
    try:
        return await record_from(url, question, thread, session, context)
    except httpx.TransportError as error:
        raise StoreError(GONE.of(url=url, error=error)) from error


async def record_from(
    url: str, question: str, thread: str | None, session: Mapping[str, Any] | None, context: Mapping[str, Any]
) -> dict[str, Any]:
    """Ask, and read the record of the turn. Raises WenmaiError, httpx.TransportError."""
    key = os.environ.get(KEY, "")
    if not key and context.get("user_id") not in (None, LOCAL):
        raise InputError(NOT_LOCAL.of(url=url))
    headers = headers_with(key)
    body = {name: value for name, value in context.items() if name not in OWN}
    async with httpx.AsyncClient(base_url=f"{url}/api/v1", headers=headers, timeout=TIMEOUT_S, trust_env=False) as http:
        path = "/ask" if thread is None else f"/threads/{thread}/ask"
        turn = read(await http.post(path, json={"question": question, "session_context": session, **body}), url)
        turns = f"/threads/{turn['thread_id']}/turns"
        number = read(await http.get(turns, params={"limit": 1}), url)["total"]
        record: dict[str, Any] = read(await http.get(f"{turns}/{number}/record"), url)["record"]
    return record


def headers_with(key: str) -> dict[str, str]:
    """Return the headers of a request: whose it is, and the language of its refusals."""
    return {"accept-language": SPOKEN.get(), **({"authorization": f"Bearer {key}"} if key else {})}


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
