"""What a Qdrant server is asked about passages: indexes and typed filters; the library stands in every one."""

from collections.abc import Sequence

from qdrant_client import models

from tools.records import Horizon, PassageFilter
from wenmai.stores.edge.query import INTEGER_FIELDS, KEYWORD_FIELDS
from wenmai.stores.qdrant.collection import INTEGER, KEYWORD, TENANT, Index, Plan
from wenmai.stores.qdrant.points import Condition, any_of, equals, within

LIBRARY = "library"


def passage_plan() -> Plan:
    """Return what a collection of passages is made of: the indexes of STO-04, the library is the tenant."""
    indexes: dict[str, Index] = {
        **dict.fromkeys(KEYWORD_FIELDS, KEYWORD),
        **dict.fromkeys(INTEGER_FIELDS, INTEGER),
        LIBRARY: TENANT,
    }
    return Plan(indexes, "段落", "或用 wenmai reembed 换用新的模型")


def of_library(library: str, *more: Condition) -> models.Filter:
    """Return the condition that stands in every query (PLA-03)."""
    return models.Filter(must=[equals(LIBRARY, library), *more])


def typed_filter(library: str, where: PassageFilter) -> models.Filter:
    """Return the conditions of `where` for the server (S000-D02)."""
    must: list[Condition] = []
    if where.chapters is not None:
        low, high = where.chapters
        must.append(within("chapter", gte=low, lte=high))
    if where.entity is not None:
        must.append(_named((where.entity,), where.horizon))
    if where.any_entity:
        must.append(_named(where.any_entity, where.horizon))
    if where.task_id is not None:
        must.append(equals("task_id", where.task_id))
    if where.horizon is not None:
        must.append(_visible(where.horizon))
    return of_library(library, *must)


def _named(names: Sequence[str], horizon: Horizon | None) -> Condition:
    """Return the condition that a passage names one of these, as a reader at the horizon knows them."""
    if horizon is None:
        return any_of("entities", names)
    return models.Filter(should=[branch for name in names for branch in _known(name, horizon)])


def _known(name: str, horizon: Horizon) -> list[models.Filter]:
    """Return the conditions that may hold: the name is no secret here, it is told by now, or a guise bears it."""
    hidden = _guise(equals("entity", name), _after("until", horizon))
    worn = _guise(equals("known_as", name), _reached("since", horizon), _after("until", horizon))
    return [
        models.Filter(must=[equals("entities", name)], must_not=[equals("veiled", name)]),
        models.Filter(must=[equals("entities", name), equals("veiled", name)], must_not=[hidden]),
        models.Filter(must=[equals("known_as", name), worn]),
    ]


def _guise(*must: Condition) -> models.NestedCondition:
    """Return the condition that one guise of a passage fulfils all of these."""
    return models.NestedCondition(nested=models.Nested(key="guises", filter=models.Filter(must=list(must))))


def _after(mark: str, horizon: Horizon) -> models.Filter:
    """Return the condition that a position of a guise lies beyond the horizon."""
    here = models.Filter(must=[equals(f"{mark}_part", horizon.part), within(f"{mark}_chapter", gt=horizon.chapter)])
    return models.Filter(should=[within(f"{mark}_part", gt=horizon.part), here])


def _reached(mark: str, horizon: Horizon) -> models.Filter:
    """Return the condition that a position of a guise lies before the horizon or at it."""
    return models.Filter(must_not=[_after(mark, horizon)])


def _visible(horizon: Horizon) -> models.Filter:
    in_part = models.Filter(must=[equals("part", horizon.part), within("chapter", lte=horizon.chapter)])
    # A passage of an earlier part is hidden too when it has no chapter (STO-19): the range asks for one.
    earlier = models.Filter(must=[within("part", lt=horizon.part), within("chapter", gte=0)])
    return models.Filter(should=[earlier, in_part])
