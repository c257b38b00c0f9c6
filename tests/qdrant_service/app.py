"""The routes that the product uses, as one ASGI application; bodies are read strictly by the client's own models."""

import warnings
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel, ValidationError
from qdrant_client import AsyncQdrantClient, models
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

Json = dict[str, Any]
COLLECTION = "/collections/{name}"


class Upsert(BaseModel, extra="forbid"):
    """The body of an upsert."""

    points: list[models.PointStruct]


class Update(BaseModel, extra="forbid"):
    """The body of a batch of operations."""

    operations: list[models.UpdateOperation]


@dataclass
class QdrantService:
    """The state of one running service.

    Attributes:
        api_key: what a request must carry, None for everybody.
        failure: answered instead of anything else: status and message.
        requests: method and path of every request, with its body.
    """

    client: AsyncQdrantClient
    api_key: str | None = None
    failure: tuple[int, str] | None = None
    requests: list[tuple[str, str, bytes]] = field(default_factory=list)
    indexes: dict[str, dict[str, Json]] = field(default_factory=dict)

    def app(self) -> Starlette:
        """Return the application."""
        routes: list[tuple[str, str, Callable[[str, bytes], Awaitable[Any]]]] = [
            ("GET", f"{COLLECTION}/exists", self.exists),
            ("GET", COLLECTION, self.info),
            ("PUT", COLLECTION, self.create),
            ("PATCH", COLLECTION, self.change),
            ("DELETE", COLLECTION, self.drop),
            ("PUT", f"{COLLECTION}/index", self.index),
            ("PUT", f"{COLLECTION}/points", self.upsert),
            ("POST", f"{COLLECTION}/points/batch", self.update),
            ("POST", f"{COLLECTION}/points/query", self.query),
            ("POST", f"{COLLECTION}/points/scroll", self.scroll),
            ("POST", f"{COLLECTION}/points/count", self.count),
        ]
        return Starlette(routes=[Route(path, self.answering(call), methods=[verb]) for verb, path, call in routes])

    def answering(self, call: Callable[[str, bytes], Awaitable[Any]]) -> Callable[[Request], Awaitable[Response]]:
        """Return an endpoint that checks the key and shapes the answer."""

        async def endpoint(request: Request) -> Response:
            body = await request.body()
            self.requests.append((request.method, request.url.path, body))
            if self.api_key is not None and request.headers.get("api-key") != self.api_key:
                return JSONResponse("Must provide an API key or an Authorization bearer token", 401)
            if self.failure is not None:
                return refused(*self.failure)
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    result = await call(request.path_params["name"], body)
            except ValidationError as error:
                return refused(400, f"Format error in JSON body: {error}")
            except ValueError as error:
                return worded(str(error), request.path_params["name"])
            plain = result.model_dump(mode="json") if isinstance(result, BaseModel) else result
            return JSONResponse({"result": plain, "status": "ok", "time": 0.0})

        return endpoint

    async def exists(self, name: str, _: bytes) -> Json:
        """Tell whether a collection is there."""
        return {"exists": await self.client.collection_exists(name)}

    async def info(self, name: str, _: bytes) -> Json:
        """Describe a collection."""
        known = (await self.client.get_collection(name)).model_dump(mode="json")
        return {**known, "payload_schema": self.indexes.get(name, {})}

    async def create(self, name: str, body: bytes) -> bool:
        """Make a collection."""
        asked = models.CreateCollection.model_validate_json(body)
        return await self.client.create_collection(
            name,
            vectors_config=asked.vectors,
            sparse_vectors_config=asked.sparse_vectors,
            hnsw_config=asked.hnsw_config,
            optimizers_config=asked.optimizers_config,
            metadata=asked.metadata,
        )

    async def change(self, name: str, body: bytes) -> bool:
        """Change a collection's metadata; a null takes a key away, as on the server."""
        asked = models.UpdateCollection.model_validate_json(body)
        return await self.client.update_collection(name, metadata=asked.metadata)

    async def drop(self, name: str, _: bytes) -> bool:
        """Delete a collection."""
        self.indexes.pop(name, None)
        return await self.client.delete_collection(name)

    async def index(self, name: str, body: bytes) -> models.UpdateResult:
        """Make a payload index."""
        asked = models.CreateFieldIndex.model_validate_json(body)
        schema = asked.field_schema
        params = schema.model_dump(mode="json") if isinstance(schema, BaseModel) else {"type": schema}
        self.indexes.setdefault(name, {})[asked.field_name] = {
            "data_type": params["type"],
            "params": params,
            "points": 0,
        }
        return await self.client.create_payload_index(name, asked.field_name, schema)

    async def upsert(self, name: str, body: bytes) -> models.UpdateResult:
        """Write points."""
        return await self.client.upsert(name, Upsert.model_validate_json(body).points)

    async def update(self, name: str, body: bytes) -> list[Json]:
        """Carry out operations."""
        asked = Update.model_validate_json(body)
        return [one.model_dump(mode="json") for one in await self.client.batch_update_points(name, asked.operations)]

    async def query(self, name: str, body: bytes) -> BaseModel:
        """Rank points."""
        asked = models.QueryRequest.model_validate_json(body)
        query: Any = asked.query.nearest if isinstance(asked.query, models.NearestQuery) else asked.query
        return await self.client.query_points(
            name,
            query=query,
            using=asked.using,
            query_filter=asked.filter,
            search_params=asked.params,
            limit=asked.limit or 10,
            with_payload=asked.with_payload or False,
        )

    async def scroll(self, name: str, body: bytes) -> Json:
        """Return a page of points."""
        asked = models.ScrollRequest.model_validate_json(body)
        rows, after = await self.client.scroll(
            name,
            asked.filter,
            limit=asked.limit or 10,
            order_by=asked.order_by,
            offset=asked.offset,
            with_payload=asked.with_payload if asked.with_payload is not None else True,
            with_vectors=asked.with_vector or False,
        )
        return {"points": [row.model_dump(mode="json") for row in rows], "next_page_offset": after}

    async def count(self, name: str, body: bytes) -> models.CountResult:
        """Count points."""
        return await self.client.count(name, models.CountRequest.model_validate_json(body).filter)


def worded(text: str, collection: str) -> Response:
    """Return an error of the client's local mode as the server words it."""
    if "not found" in text:
        return refused(404, f"Not found: Collection `{collection}` doesn't exist!")
    return refused(409 if "already exists" in text else 400, text)


def refused(status: int, message: str) -> Response:
    """Return an error as the server words it."""
    return JSONResponse({"status": {"error": message}, "time": 0.0}, status)
