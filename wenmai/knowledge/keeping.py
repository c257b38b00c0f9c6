"""The port of stored knowledge networks, in files below DATA_DIR or on a server."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from tools.ports import KnowledgeNetwork
from wenmai.knowledge.content import Content
from wenmai.knowledge.spec import NetworkSpec

Progress = Callable[[int, int], None]


def silent(done: int, total: int) -> None:
    """Show nothing."""


@dataclass(frozen=True, slots=True)
class StoredNetwork:
    """A stored network: its schema, and how much of each kind it holds."""

    spec: NetworkSpec
    counts: dict[str, int]


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import did; `written` is False where the very same content was there."""

    network_id: str
    counts: dict[str, int]
    dangling: int
    written: bool


class KnowledgeStore(KnowledgeNetwork, Protocol):
    """The KnowledgeNetwork port of stored networks, with what changes them."""

    async def networks(self) -> list[StoredNetwork]:
        """Return the networks, by id. Raises StoreError."""
        ...

    async def has(self, network_id: str) -> bool:
        """Return True if a network is stored here."""
        ...

    async def content(self, network_id: str) -> Content:
        """Return all that a network holds. Raises KnowledgeRefused (404), KnowledgeFailed."""
        ...

    async def put(self, content: Content, progress: Progress) -> Imported:
        """Make this the content of its network, as a whole or not at all; `progress` gets (done, total).

        Raises StoreLocked, StoreFull, StoreError.
        """
        ...

    async def remove(self, network_id: str) -> dict[str, int]:
        """Remove a network and return how much it held, nothing where that cannot be read.

        Raises KnowledgeRefused (404), StoreLocked.
        """
        ...

    async def close(self) -> None:
        """Close files or connections."""
        ...


def sizes(content: Content) -> dict[str, int]:
    """Return how much of each kind a content holds."""
    return {
        "object_types": len(content.spec.object_types),
        "relation_types": len(content.spec.relation_types),
        "instances": content.instances,
        "relations": content.relations,
    }
