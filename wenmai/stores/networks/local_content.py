"""The open files of one local network: its graph and its index, read by calls that block."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tools.errors import KnowledgeFailed
from tools.networks.records import Condition
from tools.wording import Words
from wenmai.knowledge.spec import ObjectSpec
from wenmai.stores.networks.answers import Rows
from wenmai.stores.networks.folders import NetworkFolder, in_layout
from wenmai.stores.networks.graph import KnowledgeGraph
from wenmai.stores.networks.index import KnowledgeIndex
from wenmai.stores.records.knowledge_conditions import Evaluation, Scores
from wenmai.stores.records.knowledge_types import Types

OLD = Words(
    "知识网络 {id} 的文件来自其他版本：请用 wenmai knowledge import 重新导入",
    "the files of network {id} are of another version: import it again by wenmai knowledge import",
)


@dataclass
class LocalContent:
    """The NetworkContent in files; its coroutines never suspend."""

    types: Types
    graph: KnowledgeGraph
    index: KnowledgeIndex

    @classmethod
    def of(cls, found: NetworkFolder) -> "LocalContent":
        """Open the files of a network. Raises KnowledgeFailed for those of an earlier version."""
        if not found.revision.endswith(in_layout("")):
            raise KnowledgeFailed(OLD.of(id=found.spec.id))
        types = Types(found.spec, found.revision)
        return cls(types, KnowledgeGraph(found.folder), KnowledgeIndex(found.folder))

    async def scores(self, number: int, kind: ObjectSpec, condition: Condition | None) -> Scores:
        """Return the score of every instance of a type that matches, by place. Raises KnowledgeQueryError."""
        if condition is None:
            return dict.fromkeys(self.graph.places(number), 1.0)
        return Evaluation(kind, number, self.index, lambda: self.graph.of_kind(number)).scores(condition)

    async def at(self, places: Sequence[int]) -> Rows:
        """Return the instances at these places."""
        return self.graph.at(places)

    async def of_kind(self, number: int) -> Rows:
        """Return all instances of a type, in order."""
        return self.graph.of_kind(number)

    async def pairs(self, number: int) -> list[tuple[int, int]]:
        """Return the places that a relation joins, in order."""
        return self.graph.pairs(number)

    async def place(self, number: int, key: Sequence[Any]) -> int | None:
        """Return the place of the instance of a type with this primary key, None if there is none."""
        return self.index.place(number, key)

    async def beside(self, relation: int, place: int, *, outgoing: bool, limit: int) -> Rows:
        """Return the first neighbours of an instance along a relation, in order."""
        places = self.index.beside(relation, place, outgoing=outgoing, limit=limit)
        rows = self.graph.at(places) if places else {}
        return {one: rows[one] for one in places}

    def close(self) -> None:
        """Close the files."""
        self.graph.close()
        self.index.close()
