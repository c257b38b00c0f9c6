"""Which passages a search may find, as a reader at a horizon knows them."""

from collections.abc import Sequence

from tools.records import Horizon, PassageFilter
from wenmai.stores.records.conditions import Condition, Equals, Filter, Nested, Within, all_of, any_of, one_of


def of_library(library: str, *more: Condition) -> Filter:
    """Return the condition that every query holds."""
    return all_of(Equals("library", library), *more)


def passage_filter(library: str, where: PassageFilter) -> Filter:
    """Return the library and the conditions of `where`."""
    must: list[Condition] = []
    if where.chapters is not None:
        low, high = where.chapters
        must.append(Within("chapter", gte=low, lte=high))
    if where.part is not None:
        must.append(Equals("part", where.part))
    if where.entity is not None:
        must.append(_named((where.entity,), where.horizon))
    if where.any_entity:
        must.append(_named(where.any_entity, where.horizon))
    if where.task_id is not None:
        must.append(Equals("task_id", where.task_id))
    if where.horizon is not None:
        must.append(_visible(where.horizon))
    return of_library(library, *must)


def _named(names: Sequence[str], horizon: Horizon | None) -> Condition:
    """Return the condition that a passage names one of these."""
    if horizon is None:
        return one_of("entities", names)
    return any_of(*(branch for name in names for branch in _known(name, horizon)))


def _known(name: str, horizon: Horizon) -> list[Filter]:
    """Return the conditions that may hold: the name is no secret here, it is revealed by now, or a guise bears it."""
    hidden = _guise(Equals("entity", name), _after("until", horizon))
    worn = _guise(Equals("known_as", name), _reached("since", horizon), _after("until", horizon))
    entity, veiled = Equals("entities", name), Equals("veiled", name)
    return [
        Filter(must=(entity,), must_not=(veiled,)),
        Filter(must=(entity, veiled), must_not=(hidden,)),
        all_of(Equals("known_as", name), worn),
    ]


def _guise(*must: Condition) -> Nested:
    """Return the condition that one guise of a passage meets all of these."""
    return Nested("guises", all_of(*must))


def _after(bound: str, horizon: Horizon) -> Filter:
    """Return the condition that a position of a guise lies beyond the horizon."""
    in_part = all_of(Equals(f"{bound}_part", horizon.part), Within(f"{bound}_chapter", gt=horizon.chapter))
    return any_of(Within(f"{bound}_part", gt=horizon.part), in_part)


def _reached(bound: str, horizon: Horizon) -> Filter:
    """Return the condition that a position of a guise lies before the horizon or at it."""
    return Filter(must_not=(_after(bound, horizon),))


def _visible(horizon: Horizon) -> Filter:
    in_part = all_of(Equals("part", horizon.part), Within("chapter", lte=horizon.chapter))
    # A passage of an earlier part is hidden too when it has no chapter: the range asks for one.
    earlier = all_of(Within("part", lt=horizon.part), Within("chapter", gte=0))
    return any_of(earlier, in_part)
