"""What goes wrong with the service, on demand."""

from dataclasses import dataclass, field
from typing import Literal

Route = Literal["schema", "instances", "subgraph"]
Kind = Literal[
    "hang",  # nothing is sent until the client leaves
    "slow",  # the answer comes late
    "status",  # an error status with its body
    "empty",  # 200 without a body
    "gateway",  # HTML instead of JSON
    "null objects",  # the answer's objects, or its rows, are null
    "closed",  # the connection is closed before an answer
    "cut",  # it is closed in the middle of the body
]


@dataclass
class Fault:
    """One kind of trouble.

    Attributes:
        times: how many requests of the route it meets, None for all.
        only: it meets only requests whose body or address holds this text.
    """

    kind: Kind
    status: int = 500
    seconds: float = 0.2
    times: int | None = None
    only: str = ""


@dataclass
class Faults:
    """The troubles of a running service, by route; a test puts them in and takes them out."""

    by_route: dict[Route, list[Fault]] = field(default_factory=dict)

    def put(self, route: Route, fault: Fault) -> None:
        """Let a route have this trouble too."""
        self.by_route.setdefault(route, []).append(fault)

    def take(self, route: Route, request: str) -> Fault | None:
        """Return the trouble that meets a request."""
        for fault in self.by_route.get(route, []):
            if fault.times != 0 and fault.only in request:
                if fault.times is not None:
                    fault.times -= 1
                return fault
        return None

    def clear(self) -> None:
        """Let everything be well."""
        self.by_route.clear()
