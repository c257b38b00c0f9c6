"""What a story graph needs of an engine: transactions, and the few places where its Cypher differs."""

from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeVar

from tools.records import Horizon
from wenmai.stores.graph.rows import Row

T = TypeVar("T")
Label = Literal["Entity", "Alias", "MajorEvent"]
Run = Callable[[str, Mapping[str, Any]], Coroutine[Any, Any, list[Row]]]


class Dialect(Protocol):
    """The parts of a query that an engine writes in its own way."""

    @property
    def event_id(self) -> str:
        """The property that an event is found by."""
        ...

    def event_id_of(self, key: str) -> str:
        """Return the value of that property for an event's key."""
        ...

    def node(self, variable: str, label: Label, keys: str = "") -> str:
        """Return the pattern of a node of one library; `keys` are properties, such as `name: $name`."""
        ...

    def edge(self, type: str | None = None) -> str:
        """Return the pattern of a relation `r`, which may also let through other types than the one given."""
        ...

    def stored_type(self, type: str) -> str:
        """Return the type that a relation has in the database; it may stand in a query."""
        ...

    def shortest_paths(self, max_hops: int, horizon: Horizon | None) -> str:
        """Return the query for the lists of names along all shortest paths of at most `max_hops` relations.

        Its parameters are `here` and `there`, the names of the ends, `avoid`, the kinds of entities that no path may
        lead through, and those of the spoiler guard.
        """
        ...


def directed(dialect: Dialect, type: str | None = None, *, source_keys: str = "", target_keys: str = "") -> str:
    """Return the pattern of a relation `r` from entity `a` to entity `b`."""
    source, target = dialect.node("a", "Entity", source_keys), dialect.node("b", "Entity", target_keys)
    return f"{source}-{dialect.edge(type)}->{target}"


@dataclass(frozen=True, slots=True)
class GraphSession:
    """One transaction on the graph of one library.

    Attributes:
        dialect: how the engine writes Cypher.
        run: runs a query with exactly the parameters that it names, and returns its rows.
        version: returns a number that changes with every write to the library.
    """

    dialect: Dialect
    run: Run
    version: Callable[[], Awaitable[int]]


Work = Callable[[GraphSession], Coroutine[Any, Any, T]]


class GraphEngine(Protocol):
    """A graph database that holds libraries."""

    @property
    def dialect(self) -> Dialect: ...

    async def open(self, library: str) -> None:
        """Open a library's graph before it is read. Raises LibraryNotFound, StoreError."""
        ...

    async def read(self, library: str, work: Work[T]) -> T:
        """Return the result of `work`, which may be called more than once. Raises LibraryNotFound, StoreError."""
        ...

    async def write(self, library: str, work: Work[T]) -> T:
        """Do all of `work` or nothing of it; it may be called more than once. Raises StoreError."""
        ...

    async def release(self, library: str) -> None: ...

    async def close(self) -> None: ...
