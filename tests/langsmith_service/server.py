"""A LangSmith that only records, on a real socket, in a thread of its own.

It answers what langsmith 0.15 asks of traces, feedback, data sets and experiments; its format is that of
`langsmith/client.py`.
"""

import uuid
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tests.langsmith_service.records import Json, Records, parts_of, plain, spelled_out
from tests.loopback import Listening, listen

TENANT = "00000000-0000-0000-0000-000000000001"
INFO = {
    "version": "0.12.0",
    "instance_flags": {"zstd_compression_enabled": True},
    "batch_ingest_config": {
        "use_multipart_endpoint": True,
        "scale_up_qsize_trigger": 1000,
        "scale_up_nthreads_limit": 16,
        "scale_down_nempty_trigger": 4,
        "size_limit": 100,
        "size_limit_bytes": 20_971_520,
    },
}


@dataclass
class LangSmithServer:
    """One running service."""

    records: Records = field(default_factory=Records)
    port: int = 0
    listening: Listening = field(init=False)

    @property
    def url(self) -> str:
        """What LANGSMITH_ENDPOINT is set to."""
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> "LangSmithServer":
        """Start on a free port and wait until it listens."""
        self.listening = listen(self.app())
        self.port = self.listening.port
        return self

    def stop(self) -> None:
        """End it."""
        self.listening.stop()

    def app(self) -> Starlette:
        """Return the routes."""
        return Starlette(
            routes=[
                Route("/info", self.info),
                Route("/runs/multipart", self.multipart, methods=["POST"]),
                Route("/runs/batch", self.batch, methods=["POST"]),
                Route("/feedback", self.feedback, methods=["POST"]),
                Route("/datasets", self.datasets, methods=["GET", "POST"]),
                Route("/v1/platform/datasets/{id}/examples", self.examples_by_form, methods=["POST"]),
                Route("/examples", self.examples),
                Route("/examples/bulk", self.examples_in_bulk, methods=["POST"]),
                Route("/sessions", self.sessions, methods=["GET", "POST"]),
                Route("/sessions/{id}", self.session, methods=["GET", "PATCH"]),
                Route("/{rest:path}", self.unknown, methods=["GET", "POST", "PATCH", "PUT", "DELETE"]),
            ]
        )

    async def body(self, request: Request) -> bytes:
        """Return the body, and keep it."""
        body = plain(await request.body(), request.headers.get("content-encoding"))
        self.records.keys.add(request.headers.get("x-api-key", ""))
        self.records.texts.append(f"{request.method} {request.url} {spelled_out(body)}")
        return body

    async def info(self, request: Request) -> Response:
        """Tell how runs are taken."""
        return JSONResponse(INFO)

    async def multipart(self, request: Request) -> Response:
        """Take parts of runs and feedback."""
        self.records.multipart(await self.body(request), request.headers["content-type"])
        for name in {run["session_name"] for run in self.records.runs.values() if "session_name" in run}:
            self.project(name)
        return JSONResponse({}, 202)

    def project(self, name: str, **members: Any) -> Json:
        """Return a project; its first run makes it."""
        found = [one for one in self.records.sessions.values() if one["name"] == name]
        if found:
            return found[0]
        made: Json = {"id": str(uuid.uuid4()), "start_time": now(), "tenant_id": TENANT, "name": name}
        made |= {"reference_dataset_id": None, **members}
        self.records.sessions[made["id"]] = made
        return made

    async def batch(self, request: Request) -> Response:
        """Take whole runs."""
        await self.body(request)
        body: Json = await request.json()
        for run in [*body.get("post", []), *body.get("patch", [])]:
            self.records.run(run)
        return JSONResponse({}, 202)

    async def feedback(self, request: Request) -> Response:
        """Take feedback on one run."""
        await self.body(request)
        self.records.feedback.append(await request.json())
        return JSONResponse(self.records.feedback[-1])

    async def datasets(self, request: Request) -> Response:
        """Find data sets by name, or make one."""
        if request.method == "GET":
            name, id = request.query_params.get("name"), request.query_params.get("id")
            found = [one for one in self.records.datasets.values() if name in (None, one["name"])]
            return JSONResponse([one for one in found if id in (None, one["id"])])
        await self.body(request)
        made = {"id": str(uuid.uuid4()), "created_at": now(), "tenant_id": TENANT, **(await request.json())}
        self.records.datasets[made["id"]] = made
        return JSONResponse(made)

    async def examples_by_form(self, request: Request) -> Response:
        """Take examples in parts."""
        dataset = request.path_params["id"]
        made: dict[str, Json] = {}
        for name, value in parts_of(await self.body(request), request.headers["content-type"]):
            id, _, member = name.partition(".")
            made.setdefault(id, {}).update({member: value} if member else value)
        self.keep(dataset, made)
        return JSONResponse({"count": len(made), "example_ids": list(made)})

    async def examples_in_bulk(self, request: Request) -> Response:
        """Take whole examples."""
        await self.body(request)
        rows = await request.json()
        self.keep("", {row["id"]: row for row in rows})
        return JSONResponse([self.records.examples[row["id"]] for row in rows])

    def keep(self, dataset: str, made: dict[str, Json]) -> None:
        """Keep examples."""
        for id, row in made.items():
            self.records.examples[id] = {
                "dataset_id": dataset,
                "created_at": now(),
                "modified_at": now(),
                **row,
                "id": id,
            }

    async def examples(self, request: Request) -> Response:
        """List the examples of a data set."""
        wanted = request.query_params.get("dataset")
        found = [one for one in self.records.examples.values() if one["dataset_id"] == wanted]
        offset = int(request.query_params.get("offset", 0))
        return JSONResponse(found[offset:])

    async def sessions(self, request: Request) -> Response:
        """Find projects by name, or make one."""
        if request.method == "GET":
            name = request.query_params.get("name")
            return JSONResponse([one for one in self.records.sessions.values() if name in (None, one["name"])])
        await self.body(request)
        return JSONResponse(self.project(**(await request.json())))

    async def session(self, request: Request) -> Response:
        """Return a project, or change it."""
        found = self.records.sessions.setdefault(request.path_params["id"], {})
        if request.method == "PATCH":
            await self.body(request)
            found.update({name: value for name, value in (await request.json()).items() if value is not None})
        return JSONResponse(found)

    async def unknown(self, request: Request) -> Response:
        """Refuse, and keep what was asked."""
        await self.body(request)
        self.records.unknown.append(f"{request.method} {request.url.path}")
        return JSONResponse({"detail": "Not Found"}, 404)


def now() -> str:
    """Return the time as LangSmith writes it."""
    return datetime.now(UTC).isoformat()
