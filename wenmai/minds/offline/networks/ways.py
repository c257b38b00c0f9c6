"""Ways of relations between two instances, as the evidence tells them."""

from collections.abc import Sequence

from state.schema import Evidence

LONGEST_WAY = 4  # relations
Beside = tuple[str, Evidence]  # an instance, and the piece that joins it with another


def neighbours(name: str, evidence: Sequence[Evidence]) -> list[Beside]:
    """Return the instances that relations join with one, each with its piece."""
    relations = [one for one in evidence if one["kind"] == "relation" and name in one["entities"]]
    return [(other, one) for one in relations for other in one["entities"] if other != name]


def way(one: str, other: str, evidence: Sequence[Evidence]) -> list[Evidence]:
    """Return the shortest way of relations between two instances, [] where none is told."""
    ways: dict[str, list[Evidence]] = {one: []}
    for _ in range(LONGEST_WAY):
        for name, path in list(ways.items()):
            for beside, piece in neighbours(name, evidence):
                ways.setdefault(beside, [*path, piece])
        if other in ways:
            return ways[other]
    return []
