"""The tool over a network: what it is asked, what it answers, what its port was asked."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

from tests.fake_knowledge import FakeKnowledgeNetwork
from tools.networks.keyword import InstanceSearch, NeighbourSearch, NetworkSessions
from tools.networks.knowledge_network_retrieval import Retrieval, RetrievalReply, RetrievalRequest
from tools.networks.records import Account, InstanceQuery, ObjectType, PathQuery, Property
from tools.ports import KnowledgeNetwork

DATA = Path(__file__).parents[1] / "ontology_service" / "data"
CLINIC = "clinic"
LIN = Account("lin")


@dataclass
class Hands:
    """A clock that is set by hand."""

    seconds: float = 0.0

    def __call__(self) -> float:
        return self.seconds


@dataclass
class NetworkRig:
    """A session with the tool over one port."""

    port: KnowledgeNetwork
    clock: Hands = field(default_factory=Hands)
    session_id: str | None = "s1"
    account: Account = LIN
    networks: Sequence[str] = (CLINIC,)
    retrieval: Retrieval = field(init=False)

    def __post_init__(self) -> None:
        numbers = count(1)
        self.retrieval = Retrieval(
            self.port,
            NetworkSessions(self.clock),
            lambda: f"new-{next(numbers)}",
            InstanceSearch(self.port),
            NeighbourSearch(self.port, clock=self.clock),
            self.clock,
        )

    async def ask(self, query: str, **fields: Any) -> RetrievalReply:
        given = {"session_id": self.session_id, "account": self.account, "kn_ids": list(self.networks)} | fields
        return await self.retrieval(RetrievalRequest(query=query, **given))

    async def schema(self, query: str = "上气道梗阻有哪些症状", **fields: Any) -> dict[str, Any]:
        return (await self.ask(query, **fields)).answer

    async def keyword(self, query: str, type_id: str | None = "disease", **fields: Any) -> dict[str, Any]:
        """Ask for a keyword and return the whole answer."""
        return (await self.ask(query, enable_keyword_context=True, object_type_id=type_id, **fields)).answer

    async def context(self, query: str, type_id: str = "disease", **fields: Any) -> dict[str, Any]:
        """Ask for a keyword, the schema before it, and return the keyword context."""
        await self.schema()
        answer = await self.keyword(query, type_id, **fields)
        context: dict[str, Any] = answer["keyword_context"]
        return context


def fake_clinic() -> FakeKnowledgeNetwork:
    """Return the port over the network `clinic`, in memory."""
    return FakeKnowledgeNetwork.of(DATA / CLINIC)


def instance_queries(port: FakeKnowledgeNetwork) -> list[InstanceQuery]:
    """Return what interface 1 was asked."""
    return [query for _, _, _, query in port.history if isinstance(query, InstanceQuery)]


def path_queries(port: FakeKnowledgeNetwork) -> list[PathQuery]:
    """Return what interface 2 was asked."""
    return [query for _, _, _, query in port.history if isinstance(query, PathQuery)]


def kind(*properties: Property, **fields: Any) -> ObjectType:
    """Return an object type with these properties."""
    return ObjectType(**({"id": "thing", "name": "物", "properties": properties} | fields))


def told(instance: dict[str, Any], relation: str | None = None) -> list[tuple[str, str]]:
    """Return name and direction of an instance's neighbours."""
    return [
        (one["instance_name"], one["relation_direction"])
        for one in instance["neighbors"]
        if relation in (None, one["relation_type_id"])
    ]
