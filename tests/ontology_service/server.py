"""The service on a real socket, in a thread of its own."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.loopback import Listening, listen_watched
from tests.ontology_service.app import MANAGER, QUERY, Recorded, Service
from tests.ontology_service.conditions import Generation
from tests.ontology_service.faults import Fault, Route
from tests.ontology_service.network import Network, load


@dataclass
class OntologyServer:
    """One running service over some networks.

    Attributes:
        keep_alive: let clients keep their connections.
    """

    networks: Sequence[Network]
    generation: Generation = "newer"
    port: int = 0
    keep_alive: bool = True
    service: Service = field(init=False)
    listening: Listening = field(init=False)

    @classmethod
    def of(cls, *folders: Path, generation: Generation = "newer") -> "OntologyServer":
        """Read networks from folders with a `network.yaml`."""
        return cls([load(folder) for folder in folders], generation)

    @property
    def query_base(self) -> str:
        """What KNOWLEDGE_NETWORK_QUERY_API_BASE is set to: internal routes."""
        return f"http://127.0.0.1:{self.port}{QUERY}/in/v1"

    @property
    def manager_base(self) -> str:
        """What KNOWLEDGE_NETWORK_API_BASE is set to."""
        return f"http://127.0.0.1:{self.port}{MANAGER}"

    @property
    def requests(self) -> list[Recorded]:
        """The requests that came."""
        return self.service.requests

    def fault(self, route: Route, fault: Fault) -> None:
        """Let a route have a trouble too."""
        self.service.faults.put(route, fault)

    def well(self) -> None:
        """Take every trouble out and forget the requests."""
        self.service.faults.clear()
        self.service.requests.clear()

    def start(self) -> "OntologyServer":
        """Listen and wait until requests are answered."""
        self.service = Service({one.id: one for one in self.networks}, self.generation)
        self.listening = listen_watched(
            self.service.app(), self.service.connections, self.port, keep_alive=self.keep_alive
        )
        self.port = self.listening.port
        return self

    def stop(self) -> None:
        """Stop, whatever is still being answered."""
        self.listening.stop()

    def __enter__(self) -> "OntologyServer":
        """Start."""
        return self.start()

    def __exit__(self, *_: object) -> None:
        """Stop."""
        self.stop()
