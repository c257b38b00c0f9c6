"""The KnowledgeNetwork port over an ontology-query service and its ontology-manager ."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from tools.errors import KnowledgeFailed, KnowledgeQueryError, KnowledgeRefused, KnowledgeTimeout
from tools.networks.records import Account, InstancePage, InstanceQuery, NetworkSchema, PathQuery, PathResult
from tools.wording import Words
from wenmai.stores.networks.service_messages import (
    START_LIMIT,
    Json,
    backwards,
    instances_json,
    path_json,
    read_neighbours,
    read_page,
    read_schema,
)

if TYPE_CHECKING:
    import httpx

NO_JSON = Words("不是 JSON 的答复", "an answer that is no JSON")
EMPTY = Words("空的答复", "an empty answer")
BAD_ANSWER = Words("知识网络服务返回了{kind}：{url}", "the service of networks gave {kind}: {url}")
ANSWERED = Words(
    "知识网络服务返回 {status} {code}：{details}", "the service of networks answered {status} {code}: {details}"
)
NO_OBJECT = Words(
    "知识网络服务的答复不是 JSON 对象：{url}", "the service of networks answered with no JSON object: {url}"
)
UNREACHABLE = Words(
    "无法连接知识网络服务：{url}（{reason}）", "the service of networks cannot be reached: {url} ({reason})"
)
BROKE_OFF = Words(
    "知识网络服务中断了连接：{url}（{reason}）", "the service of networks broke the connection off: {url} ({reason})"
)
TIMED_OUT = Words(
    "知识网络服务在 {seconds:g} 秒内没有答复：{url}",
    "the service of networks did not answer within {seconds:g} seconds: {url}",
)
QUERY_BASE = "http://ontology-query-svc:13018/api/ontology-query/in/v1"
MANAGER_BASE = "http://ontology-manager-svc:13014/api/ontology-manager"
INTERNAL, EXTERNAL = "/in/v1", "/v1"  # ends of the addresses of either kind of route
CONCURRENCY = 10  # requests at once of one process; a tool call has at most 5
ATTEMPTS = 2  # a kept connection may have been closed meanwhile: queries change nothing and are sent once more
SHOWN = 200  # characters of an error's details
REFUSED = frozenset({401, 403, 404})
BUSY, SLOW = 429, frozenset({408, 504})
PLAIN = "".join(map(chr, range(0x20, 0x7F))).replace("%", "")  # what a header holds as it is


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where the service is, and how it is entered.

    Attributes:
        token: bearer token, which external routes need.
        business_domain: read by newer servers.
    """

    query_base: str = QUERY_BASE
    manager_base: str = MANAGER_BASE
    token: str = field(default="", repr=False)
    business_domain: str = ""
    concurrency: int = CONCURRENCY

    def data(self, path: str) -> str:
        """Return an address of the query side."""
        return f"{self.query_base.rstrip('/')}/{path}"

    def model(self, path: str) -> str:
        """Return an address of the manager, on routes of the same kind as the query side's."""
        base = self.manager_base.rstrip("/")
        if base.endswith(EXTERNAL):
            return f"{base}/{path}"
        internal = self.query_base.rstrip("/").endswith(INTERNAL)
        return f"{base}{INTERNAL if internal else EXTERNAL}/{path}"

    def headers(self, account: Account) -> dict[str, str]:
        """Return the headers of every request."""
        return {
            "Content-Type": "application/json",
            "x-account-id": quote(account.id, safe=PLAIN),
            "x-account-type": account.type,
            **({"Authorization": f"Bearer {self.token}"} if self.token else {}),
            **({"x-business-domain": self.business_domain} if self.business_domain else {}),
        }


@dataclass
class KnowledgeService:
    """The KnowledgeNetwork port over HTTP: connections are pooled, a deadline holds for a whole call."""

    endpoint: Endpoint
    _slots: asyncio.Semaphore = field(init=False)

    def __post_init__(self) -> None:
        """Set the limit of requests; nothing is connected."""
        self._slots = asyncio.Semaphore(self.endpoint.concurrency)

    async def schema(self, network_id: str, account: Account, *, timeout_s: float) -> NetworkSchema:
        """Return the object types and relation types of a network."""
        url = self.endpoint.model(f"knowledge-networks/{quote(network_id, safe='')}")
        params = {"include_detail": "true", "mode": "export"}
        return read_schema(await self._timed(timeout_s, "GET", url, account, params, None))

    async def instances(
        self, network_id: str, query: InstanceQuery, account: Account, *, timeout_s: float
    ) -> InstancePage:
        """Return the instances of one object type that match."""
        path = f"knowledge-networks/{quote(network_id, safe='')}/object-types/{quote(query.object_type_id, safe='')}"
        body = await self._timed(timeout_s, "POST", self.endpoint.data(path), account, {}, instances_json(query))
        return read_page(body, query)

    async def neighbours(self, network_id: str, query: PathQuery, account: Account, *, timeout_s: float) -> PathResult:
        """Return the neighbours of one instance along one relation in one direction, by one path."""
        url = self.endpoint.data(f"knowledge-networks/{quote(network_id, safe='')}/subgraph")
        params = {"query_type": "relation_path"}
        asked = self._timed(timeout_s, "POST", url, account, params, path_json(query))
        body, covered = await asyncio.gather(asked, self._covered(network_id, query, account, timeout_s))
        return PathResult(neighbours=read_neighbours(body, query), covered=covered)

    async def close(self) -> None:
        """Close the connections."""
        if "client" in self.__dict__:
            await self.client.aclose()

    @cached_property
    def client(self) -> "httpx.AsyncClient":
        """The pool of connections."""
        import httpx

        limits = httpx.Limits(max_connections=self.endpoint.concurrency)
        return httpx.AsyncClient(limits=limits, timeout=None)

    async def _covered(self, network_id: str, query: PathQuery, account: Account, timeout_s: float) -> bool:
        """Return True unless a path starts at a whole type that is larger than a path may start at."""
        if not backwards(query):
            return True
        every = InstanceQuery(object_type_id=query.object_type_id, limit=1, need_total=True)
        page = await self.instances(network_id, every, account, timeout_s=timeout_s)
        return (page.total_count or 0) <= START_LIMIT

    async def _timed(
        self, timeout_s: float, method: str, url: str, account: Account, params: Mapping[str, str], body: Json | None
    ) -> Json:
        try:
            async with asyncio.timeout(timeout_s), self._slots:
                return await self._sent(method, url, account, params, body)
        except TimeoutError as error:
            raise KnowledgeTimeout(TIMED_OUT.of(seconds=timeout_s, url=url)) from error

    async def _sent(
        self, method: str, url: str, account: Account, params: Mapping[str, str], body: Json | None
    ) -> Json:
        import httpx

        headers = self.endpoint.headers(account)
        if body is not None:
            headers["X-HTTP-Method-Override"] = "GET"
        for attempt in range(1, ATTEMPTS + 1):
            try:
                answer = await self.client.request(method, url, params=params, json=body, headers=headers)
                return read(answer.status_code, answer.content, url)
            except (httpx.RemoteProtocolError, httpx.ReadError) as error:
                if attempt == ATTEMPTS:
                    raise KnowledgeFailed(BROKE_OFF.of(url=url, reason=reason(error))) from error
            except (httpx.HTTPError, httpx.InvalidURL) as error:
                raise KnowledgeFailed(UNREACHABLE.of(url=url, reason=reason(error))) from error
        raise AssertionError("every attempt returns or raises")


def read(status: int, content: bytes, url: str) -> Json:
    """Return the answer of a service. Raises the error of its status; an empty body is a failure."""
    if status != 200:
        raise error_of(status, content, url)
    try:
        body = json.loads(content)
    except ValueError as error:
        kind = EMPTY if not content.strip() else NO_JSON
        raise KnowledgeFailed(BAD_ANSWER.of(kind=kind, url=url), status) from error
    if not isinstance(body, dict):
        raise KnowledgeFailed(NO_OBJECT.of(url=url), status)
    return body


def error_of(
    status: int, content: bytes, url: str
) -> KnowledgeRefused | KnowledgeQueryError | KnowledgeFailed | KnowledgeTimeout:
    """Return the error of a status; the body only adds to its message, as it may be two objects or none."""
    body = first_object(content)
    code = str(body.get("error_code") or "")
    details = str(body.get("error_details") or body.get("description") or "")[:SHOWN]
    message = ANSWERED.of(status=status, code=code, details=details or url)
    if status in REFUSED:
        return KnowledgeRefused(message, status, code)
    if status in SLOW:
        return KnowledgeTimeout(message)
    if 400 <= status < 500 and status != BUSY:
        return KnowledgeQueryError(message, status, code)
    return KnowledgeFailed(message, status)


def first_object(content: bytes) -> dict[str, Any]:
    """Return the first JSON object of a body; none is an empty one."""
    try:
        found, _ = json.JSONDecoder().raw_decode(content.decode(errors="replace").lstrip())
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def reason(error: Exception) -> str:
    """Return why a request failed, on one line."""
    return " ".join(str(error).split())[:SHOWN] or type(error).__name__
