"""The ontology-query service and its manager as one ASGI application: routes, headers, rules, answers."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request as HttpRequest
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route as HttpRoute

from tests.gemini.wire import Connections
from tests.ontology_service import coarse, instances, paths, schema
from tests.ontology_service.conditions import Generation
from tests.ontology_service.faults import Fault, Faults, Route
from tests.ontology_service.network import Network
from tests.ontology_service.refusals import Json, Refusal, bad_body, unknown_network

QUERY, MANAGER = "/api/ontology-query", "/api/ontology-manager"
NETWORK = "knowledge-networks/{network}"
HEALTH = {"ServerName": "ontology-query", "ServerVersion": "6.0.0", "Language": "go", "GoVersion": "go1.24"}
NULLED = ("datas", "objects", "object_types", "data_properties")  # what the fault "null objects" turns to null
Answer = Callable[[HttpRequest, Json], Json | None]


@dataclass
class Recorded:
    """A request that came, and the status of its answer."""

    route: Route
    method: str
    path: str
    params: dict[str, str]
    headers: dict[str, str]
    body: Any
    status: int = 0


@dataclass
class Service:
    """The state of one running service."""

    networks: dict[str, Network]
    generation: Generation = "newer"
    token: str = "secret-token"
    fragile: bool = False
    faults: Faults = field(default_factory=Faults)
    requests: list[Recorded] = field(default_factory=list)
    connections: Connections = field(default_factory=Connections)

    def app(self) -> Starlette:
        """Return the application."""
        data = f"{QUERY}/{{kind:path}}/{NETWORK}"
        model = f"{MANAGER}/{{kind:path}}/{NETWORK}"
        post = ["POST"]
        return Starlette(
            routes=[
                HttpRoute("/health", lambda _: JSONResponse({**HEALTH, "GoArch": "amd64"})),
                HttpRoute(f"{data}/object-types/{{type}}", self.route("instances", self.instances), methods=post),
                HttpRoute(f"{data}/subgraph", self.route("subgraph", self.subgraph), methods=post),
                HttpRoute(f"{model}/object-types", self.route("schema", self.object_types), methods=post),
                HttpRoute(f"{model}/relation-types", self.route("schema", self.relation_types), methods=post),
                HttpRoute(model, self.route("schema", self.network_schema), methods=["GET"]),
            ]
        )

    def route(self, name: Route, answer: Answer) -> Callable[[HttpRequest], Awaitable[Response]]:
        """Return the endpoint of a route: record, trouble, rules, answer."""

        async def endpoint(http: HttpRequest) -> Response:
            raw = await http.body()
            came = self.recorded(name, http, raw)
            fault = self.faults.take(name, f"{came.path} {raw.decode(errors='replace')}")
            response = await self.troubled(http, fault) if fault and fault.kind != "null objects" else None
            if response is None:
                response = self.answered(http, raw, answer, fault)
            came.status = response.status_code
            return self.cut(http, response) if fault and fault.kind == "cut" else response

        return endpoint

    def recorded(self, name: Route, http: HttpRequest, raw: bytes) -> Recorded:
        """Keep a request."""
        params, headers = dict(http.query_params), dict(http.headers)
        came = Recorded(name, http.method, http.url.path, params, headers, parsed(raw))
        self.requests.append(came)
        return came

    def answered(self, http: HttpRequest, raw: bytes, answer: Answer, fault: Fault | None) -> Response:
        """Return what the rules say, else the answer."""
        try:
            self.check_access(http)
            if http.method == "POST":
                check_headers(http)
            body = parsed(raw) if raw else {}
            if not isinstance(body, dict):
                raise bad_body("the body is no JSON object")
            told = answer(http, body)
        except Refusal as refusal:
            return self.refused(refusal)
        if told is None:
            return Response(status_code=200)
        return JSONResponse(nulled(told) if fault and fault.kind == "null objects" else told)

    def refused(self, refusal: Refusal) -> Response:
        """Return an error; older servers write a second body behind a 406 (KNO-04)."""
        told = json.dumps(refusal.body)
        twice = refusal.status == 406 and self.generation == "older"
        return Response(told * 2 if twice else told, refusal.status, media_type="application/json")

    def check_access(self, http: HttpRequest) -> None:
        """Refuse an external request without its token (KNO-02)."""
        kind = http.path_params["kind"]
        if kind == "in/v1":
            return
        if kind != "v1":
            raise Refusal(404, "Public.NotFound", f"no route {kind}")
        if http.headers.get("authorization") != f"Bearer {self.token}":
            raise Refusal(401, "Public.Unauthorized", "the access token is not valid")

    def network(self, http: HttpRequest) -> Network:
        """Return the network of a request. Raises Refusal."""
        id = http.path_params["network"]
        if id not in self.networks:
            raise unknown_network(id)
        return self.networks[id]

    def network_schema(self, http: HttpRequest, body: Json) -> Json:
        """Answer KNO-07; without include_detail there are no types."""
        told = schema.network_json(self.network(http), self.generation)
        if http.query_params.get("include_detail") != "true" or http.query_params.get("mode") != "export":
            return {name: value for name, value in told.items() if not name.endswith("_types")}
        return told

    def object_types(self, http: HttpRequest, body: Json) -> Json:
        """Answer KNO-12 for object types."""
        network = self.network(http)
        found = [schema.object_json(network.id, one, self.generation) for one in network.schema["object_types"]]
        return coarse.answer(found, body, coarse.OBJECT_TYPES, self.generation)

    def relation_types(self, http: HttpRequest, body: Json) -> Json:
        """Answer KNO-12 for relation types."""
        network = self.network(http)
        found = [schema.relation_json(network, one) for one in network.schema.get("relation_types") or []]
        return coarse.answer(found, body, coarse.RELATION_TYPES, self.generation)

    def instances(self, http: HttpRequest, body: Json) -> Json:
        """Answer interface 1."""
        network, flags = self.network(http), dict(http.query_params)
        return instances.answer(network, http.path_params["type"], body, flags, self.generation)

    def subgraph(self, http: HttpRequest, body: Json) -> Json | None:
        """Answer interface 2; an unknown query_type gives an empty body (KNO-24)."""
        network = self.network(http)
        if http.query_params.get("query_type", "relation_path") != "relation_path":
            return None
        if self.fragile and len(body.get("relation_type_paths") or []) > 1:
            self.connections.close(http)  # several paths run concurrently and may crash the server (KNO-31)
        return paths.answer(network, body, self.generation)

    async def troubled(self, http: HttpRequest, fault: Fault) -> Response | None:
        """Return the answer of a trouble; None where the right answer follows."""
        if fault.kind in ("slow", "cut"):
            await asyncio.sleep(fault.seconds if fault.kind == "slow" else 0)
            return None
        if fault.kind == "hang":
            await gone(http)
        if fault.kind in ("hang", "closed"):
            self.connections.close(http)
        if fault.kind == "gateway":
            return Response("<html>502 Bad Gateway</html>", 502, media_type="text/html")
        if fault.kind == "status":
            return self.refused(Refusal(fault.status, FAILED, "the data view is not available"))
        return Response(status_code=200 if fault.kind == "empty" else 500)

    def cut(self, http: HttpRequest, response: Response) -> Response:
        """Return the first half of an answer, then close the connection."""

        async def half() -> AsyncIterator[bytes]:
            yield bytes(response.body)[: len(response.body) // 2]
            self.connections.close(http)

        headers = {"content-length": str(len(response.body))}
        return StreamingResponse(half(), response.status_code, headers=headers, media_type="application/json")


FAILED = "OntologyQuery.ObjectType.InternalError.GetViewDataByIDFailed"


def check_headers(http: HttpRequest) -> None:
    """Refuse a POST without the headers of a query (KNO-03, KNO-04)."""
    method = http.headers.get("x-http-method-override")
    if method is None:
        raise Refusal(400, "OntologyQuery.NullParameter.OverrideMethod", "X-HTTP-Method-Override is required")
    if method != "GET":
        raise Refusal(400, "OntologyQuery.InvalidParameter.OverrideMethod", f"got {method}")
    if http.headers.get("content-type", "").split(";")[0] != "application/json":
        raise Refusal(406, "OntologyQuery.InvalidRequestHeader.ContentType", "application/json is required")


def parsed(raw: bytes) -> Any:
    """Return a body as JSON, None where it is none."""
    try:
        return json.loads(raw)
    except ValueError:
        return None


def nulled(told: Any) -> Any:
    """Return an answer whose objects are null."""
    if isinstance(told, dict):
        return {name: null_of(value) if name in NULLED else nulled(value) for name, value in told.items()}
    return [nulled(one) for one in told] if isinstance(told, list) else told


def null_of(value: Any) -> Any:
    """Return the objects of an answer as nulls: each of a list, a map as a whole."""
    return [None for _ in value] if isinstance(value, list) else None


async def gone(http: HttpRequest) -> None:
    """Wait until the client has left."""
    while not await http.is_disconnected():
        await asyncio.sleep(0.02)
