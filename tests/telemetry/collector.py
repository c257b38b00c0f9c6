"""A collector of OpenTelemetry on a real socket: it takes OTLP over HTTP and keeps the spans."""

import gzip
from dataclasses import dataclass, field
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tests.loopback import Listening, listen

PROTOBUF = "application/x-protobuf"


@dataclass(slots=True)
class Collector:
    """What was received, in the order of arrival."""

    spans: list[Span] = field(default_factory=list)
    resource: dict[str, Any] = field(default_factory=dict)
    listening: Listening = field(init=False)

    def start(self) -> "Collector":
        """Listen until stopped."""
        self.listening = listen(Starlette(routes=[Route("/v1/traces", self.take, methods=["POST"])]))
        return self

    @property
    def url(self) -> str:
        """The address for OTEL_EXPORTER_OTLP_ENDPOINT."""
        return f"http://127.0.0.1:{self.listening.port}"

    async def take(self, http: Request) -> Response:
        """Keep the spans of one request."""
        assert http.headers["content-type"] == PROTOBUF
        body = await http.body()
        told = ExportTraceServiceRequest.FromString(
            gzip.decompress(body) if http.headers.get("content-encoding") == "gzip" else body
        )
        for resource in told.resource_spans:
            self.resource = attributes(resource.resource)
            self.spans += [span for scope in resource.scope_spans for span in scope.spans]
        return Response(b"", media_type=PROTOBUF)

    def named(self, beginning: str) -> list[Span]:
        """Return the spans whose names begin so."""
        return [span for span in self.spans if span.name.startswith(beginning)]


def attributes(holder: Any) -> dict[str, Any]:
    """Return the attributes of a span or a resource as plain values."""
    return {one.key: plain(one.value) for one in holder.attributes}


def plain(value: Any) -> Any:
    """Return a value of the protocol."""
    kind = value.WhichOneof("value")
    return [plain(one) for one in value.array_value.values] if kind == "array_value" else getattr(value, kind)
