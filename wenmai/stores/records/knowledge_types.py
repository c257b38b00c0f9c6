"""The types of a network that is kept: as tools read them, and by number, as engines keep them."""

from dataclasses import dataclass
from functools import cached_property

from tools.errors import KnowledgeRefused
from tools.networks.records import NetworkSchema
from tools.wording import Words
from wenmai.knowledge.spec import NetworkSpec, ObjectSpec, to_schema

NO_RELATION = Words("知识网络 {network} 没有关系类型 {id}", "network {network} has no relation type {id}")
NO_TYPE = Words("知识网络 {network} 没有对象类型 {id}", "network {network} has no object type {id}")


@dataclass(frozen=True)
class Types:
    """Object types and relation types of one content of a network."""

    spec: NetworkSpec
    revision: str

    @cached_property
    def schema(self) -> NetworkSchema:
        """The schema as tools read it."""
        return to_schema(self.spec, self.revision)

    def kind(self, id: str) -> tuple[int, ObjectSpec]:
        """Return an object type and its number. Raises KnowledgeRefused (404)."""
        for number, kind in enumerate(self.spec.object_types):
            if kind.id == id:
                return number, kind
        raise KnowledgeRefused(NO_TYPE.of(network=self.spec.id, id=id), 404)

    def relation(self, id: str) -> int:
        """Return the number of a relation type. Raises KnowledgeRefused (404)."""
        for number, relation in enumerate(self.spec.relation_types):
            if relation.id == id:
                return number
        raise KnowledgeRefused(NO_RELATION.of(network=self.spec.id, id=id), 404)
