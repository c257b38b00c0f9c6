"""What the service refuses, with the codes of knowledge.md §1."""

from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True)
class Refusal(Exception):
    """An error answer (KNO-05)."""

    status: int
    code: str
    details: str = ""

    @property
    def body(self) -> Json:
        """The error body of the query side."""
        return {
            "error_code": self.code,
            "description": self.code.rsplit(".", 1)[-1],
            "solution": "check the request",
            "error_link": "",
            "error_details": self.details,
        }


def bad_condition(details: str) -> Refusal:
    """Return KNO-17's refusal of a condition."""
    return Refusal(400, "OntologyQuery.InvalidParameter.Condition", details)


def bad_body(details: str) -> Refusal:
    """Return KNO-17's refusal of a body."""
    return Refusal(400, "OntologyQuery.ObjectType.InvalidParameter", details)


def unknown_type(id: str) -> Refusal:
    """Return KNO-17's refusal of an object type."""
    return Refusal(404, "OntologyQuery.ObjectType.ObjectTypeNotFound", f"object type {id} not found")


def unknown_relation(id: str) -> Refusal:
    """Return KNO-31's refusal of a relation type."""
    return Refusal(404, "OntologyQuery.RelationType.RelationTypeNotFound", f"relation type {id} not found")


def unknown_network(id: str) -> Refusal:
    """Return the refusal of a network."""
    return Refusal(404, "OntologyManager.KnowledgeNetwork.NotFound", f"knowledge network {id} not found")
