"""The KnowledgeNetwork port over an ontology-query service and its ontology-manager ."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from tools.errors import KnowledgeFailed, KnowledgeQueryError, KnowledgeRefused, KnowledgeTimeout
from tools.networks.records import (
    Account,
    Condition,
    Instance,
    InstancePage,
    InstanceQuery,
    NetworkSchema,
    ObjectType,
    PathQuery,
    PathResult,
    Property,
    RelationType,
    Value,
    all_of,
    equals,
)
from tools.wording import Words

if TYPE_CHECKING:
    import httpx

Json = dict[str, Any]
LACKING = Words(
    "知识网络服务的答复有误：缺少 {name}", "the answer of the service of knowledge networks is wrong: it lacks {name}"
)
NO_CONTENT = Words(
    "知识网络服务的答复不完整：路径上的对象没有内容",
    "the answer of the service of knowledge networks is incomplete: an object of a path has no content",
)
NO_LIST = Words(
    "知识网络服务的答复有误：{name} 应为对象的列表",
    "the answer of the service of knowledge networks is wrong: {name} must be a list of objects",
)
START_LIMIT = 1_000  # instances that a path may start at
# Either generation's names of an object's identity and of its name; rows have those with _ alone.
IDENTITIES = ("_instance_identity", "unique_identities")
DISPLAYS = ("_display", "display")


def condition_json(condition: Condition) -> Json:
    """Return a condition as the service reads it.

    `multi_match` also takes its fields as a list: newer servers read that alone, and search every field without it.
    """
    if condition.operation in ("and", "or"):
        return {
            "operation": condition.operation,
            "sub_conditions": [condition_json(one) for one in condition.sub_conditions],
        }
    fields = {"fields": [condition.field]} if condition.operation == "multi_match" else {}
    leaf = {"operation": condition.operation, "field": condition.field, "value": condition.value}
    return {**leaf, "value_from": "const", **fields}


def instances_json(query: InstanceQuery) -> Json:
    """Return the body of interface 1; the limit is always sent."""
    body: Json = {"limit": query.limit, "need_total": query.need_total}
    if query.condition is not None:
        body["condition"] = condition_json(query.condition)
    if query.properties:
        body["properties"] = list(query.properties)
    if query.sort:
        body["sort"] = [{"field": one.field, "direction": one.direction} for one in query.sort]
    if query.search_after:
        body["search_after"] = list(query.search_after)
    return body


def path_json(query: PathQuery) -> Json:
    """Return the body of interface 2 with its one path: it starts at the instance.

    A self-relation is always walked forward: its incoming side starts at every instance of the type.
    """
    key = [equals(name, value) for name, value in query.key.items()]
    own: Json = {
        "id": query.object_type_id,
        "condition": condition_json(key[0] if len(key) == 1 else all_of(*key)),
        "limit": 1,
    }
    if backwards(query):
        ends = [{"id": query.object_type_id, "limit": START_LIMIT}, own]
    else:
        ends = [own, {"id": query.neighbour_type_id, "limit": query.limit}]
    edge = {
        "relation_type_id": query.relation.id,
        "source_object_type_id": ends[0]["id"],
        "target_object_type_id": ends[1]["id"],
    }
    return {"relation_type_paths": [{"object_types": ends, "relation_types": [edge], "limit": query.limit}]}


def backwards(query: PathQuery) -> bool:
    """Return True if the instance is the end of its path."""
    return query.relation.reflexive and query.direction == "incoming"


def read_schema(body: Json) -> NetworkSchema:
    """Return a network's schema. Raises KnowledgeFailed."""
    return NetworkSchema(
        id=text(body, "id", needed=True),
        name=text(body, "name"),
        comment=text(body, "comment"),
        object_types=tuple(map(read_object_type, objects(body, "object_types"))),
        relation_types=tuple(map(read_relation_type, objects(body, "relation_types"))),
    )


def read_object_type(one: Json) -> ObjectType:
    properties = objects(one, "data_properties")
    mapped = any("mapped_field" in known for known in properties)
    return ObjectType(
        id=text(one, "id", needed=True),
        name=text(one, "name"),
        comment=text(one, "comment"),
        properties=tuple(read_property(known, mapped) for known in properties),
        primary_keys=tuple(map(str, one.get("primary_keys") or ())),
        display_key=text(one, "display_key"),
    )


def read_property(one: Json, mapped: bool) -> Property:
    """Return a data property; where others of its type name their field and this one does not, it has none."""
    field = one.get("mapped_field")
    return Property(
        name=text(one, "name", needed=True),
        display_name=text(one, "display_name"),
        type=text(one, "type"),
        comment=text(one, "comment"),
        condition_operations=tuple(map(str, one.get("condition_operations") or ())),
        mapped_field=(text(field, "name") if isinstance(field, dict) else "") if mapped else None,
    )


def read_relation_type(one: Json) -> RelationType:
    return RelationType(
        id=text(one, "id", needed=True),
        name=text(one, "name"),
        comment=text(one, "comment"),
        source_object_type_id=text(one, "source_object_type_id", needed=True),
        target_object_type_id=text(one, "target_object_type_id", needed=True),
        mapping=read_mapping(one.get("mapping_rules")),
    )


def read_mapping(rules: Any) -> tuple[tuple[str, str], ...]:
    """Return the pairs of properties that a relation finds equal; () where it goes through a view of links."""
    pairs = [(end_of(rule, "source"), end_of(rule, "target")) for rule in rules] if isinstance(rules, list) else []
    return tuple(pairs) if all(source and target for source, target in pairs) else ()


def end_of(rule: Any, side: str) -> str:
    end = rule.get(f"{side}_property", rule.get(side)) if isinstance(rule, dict) else None
    name = end.get("name") if isinstance(end, dict) else end
    return name if isinstance(name, str) else ""


def read_page(body: Json, query: InstanceQuery) -> InstancePage:
    """Return the rows of interface 1. Raises KnowledgeFailed."""
    if "datas" not in body:
        raise KnowledgeFailed(LACKING.of(name="datas"))
    total = body.get("total_count")
    return InstancePage(
        rows=tuple(read_row(row, query.object_type_id) for row in objects(body, "datas")),
        total_count=total if isinstance(total, int) and total else None,
        search_after=tuple(body.get("search_after") or ()),
    )


def read_row(row: Json, object_type_id: str) -> Instance:
    """Return a row; fields that begin with _ are the system's, as no property does."""
    score = row.get("_score")
    return Instance(
        object_type_id=object_type_id,
        properties={name: value for name, value in row.items() if not name.startswith("_")},
        identity=mapping(row, IDENTITIES[:1]),
        display=first_text(row, DISPLAYS[:1]),
        score=float(score) if isinstance(score, int | float) else None,
    )


def read_neighbours(body: Json, query: PathQuery) -> tuple[Instance, ...]:
    """Return the objects at the other end of every path, each once, in order. Raises KnowledgeFailed.

    The request says which end is meant: keys are looked up, never parsed.
    """
    if "entries" not in body:
        raise KnowledgeFailed(LACKING.of(name="entries"))
    end = "source_object_id" if backwards(query) else "target_object_id"
    found: dict[str, Instance] = {}
    for entry in objects(body, "entries"):
        known = entry.get("objects") or {}
        for path in objects(entry, "relation_paths"):
            for edge in objects(path, "relations"):
                key = str(edge.get(end))
                if key not in found:
                    found[key] = read_object(known.get(key), query)
    return tuple(found.values())[: query.limit]


def read_object(one: Any, query: PathQuery) -> Instance:
    """Return an object of a path. Raises KnowledgeFailed for one that a path names and the answer lacks."""
    if not isinstance(one, dict):
        raise KnowledgeFailed(NO_CONTENT)
    properties = one.get("properties") or {}
    return Instance(
        object_type_id=text(one, "object_type_id") or query.neighbour_type_id,
        object_type_name=text(one, "object_type_name"),
        properties={name: value for name, value in properties.items() if not name.startswith("_")},
        identity=mapping(one, IDENTITIES),
        display=first_text(one, DISPLAYS),
    )


def mapping(record: Json, names: Sequence[str]) -> Mapping[str, Value]:
    return next((record[name] for name in names if isinstance(record.get(name), dict)), {})


def first_text(record: Json, names: Sequence[str]) -> str:
    return next((str(record[name]) for name in names if record.get(name) is not None), "")


def objects(record: Json, name: str) -> list[Json]:
    """Return a list of objects; null is an empty one. Raises KnowledgeFailed for anything else."""
    rows = record.get(name) or []
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise KnowledgeFailed(NO_LIST.of(name=name))
    return rows


def text(record: Json, name: str, *, needed: bool = False) -> str:
    """Return a text; null is empty. Raises KnowledgeFailed where one is needed."""
    value = record.get(name)
    if needed and not (isinstance(value, str) and value):
        raise KnowledgeFailed(LACKING.of(name=name))
    return "" if value is None else str(value)


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
class ServiceEndpoint:
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
        return f"{self.query_base.rstrip('/')}/{path}"

    def model(self, path: str) -> str:
        """Return an address of the manager, on routes of the same kind as the query side's."""
        base = self.manager_base.rstrip("/")
        if base.endswith(EXTERNAL):
            return f"{base}/{path}"
        internal = self.query_base.rstrip("/").endswith(INTERNAL)
        return f"{base}{INTERNAL if internal else EXTERNAL}/{path}"

    def headers(self, account: Account) -> dict[str, str]:
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

    endpoint: ServiceEndpoint
    _slots: asyncio.Semaphore = field(init=False)

    def __post_init__(self) -> None:
        """Set the limit of requests; nothing is connected."""
        self._slots = asyncio.Semaphore(self.endpoint.concurrency)

    async def schema(self, network_id: str, account: Account, *, timeout_s: float) -> NetworkSchema:
        url = self.endpoint.model(f"knowledge-networks/{quote(network_id, safe='')}")
        params = {"include_detail": "true", "mode": "export"}
        return read_schema(await self._timed(timeout_s, "GET", url, account, params, None))

    async def instances(
        self, network_id: str, query: InstanceQuery, account: Account, *, timeout_s: float
    ) -> InstancePage:
        path = f"knowledge-networks/{quote(network_id, safe='')}/object-types/{quote(query.object_type_id, safe='')}"
        body = await self._timed(timeout_s, "POST", self.endpoint.data(path), account, {}, instances_json(query))
        return read_page(body, query)

    async def neighbours(self, network_id: str, query: PathQuery, account: Account, *, timeout_s: float) -> PathResult:
        url = self.endpoint.data(f"knowledge-networks/{quote(network_id, safe='')}/subgraph")
        params = {"query_type": "relation_path"}
        asked = self._timed(timeout_s, "POST", url, account, params, path_json(query))
        body, covered = await asyncio.gather(asked, self._covered(network_id, query, account, timeout_s))
        return PathResult(neighbours=read_neighbours(body, query), covered=covered)

    async def close(self) -> None:
        if "client" in self.__dict__:
            await self.client.aclose()

    @cached_property
    def client(self) -> "httpx.AsyncClient":
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
    try:
        found, _ = json.JSONDecoder().raw_decode(content.decode(errors="replace").lstrip())
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def reason(error: Exception) -> str:
    return " ".join(str(error).split())[:SHOWN] or type(error).__name__
