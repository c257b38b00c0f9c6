"""Calls for what goes beyond one instance, and what the evidence says of each step."""

from collections.abc import Iterator, Sequence

from state.schema import Evidence
from tools.networks.knowledge_network_query import NAME as QUERY
from tools.networks.knowledge_network_retrieval import NAME
from tools.networks.lexicon import Known, Lexicon
from wenmai.minds.offline.calls.turns import Call
from wenmai.minds.offline.networks.querying import Query
from wenmai.minds.offline.networks.ranking import Pair, label_of, neighbours, of_network, subject_of, value_of, way
from wenmai.minds.offline.networks.shapes import Connection, Shape, Walk
from wenmai.minds.offline.networks.steps import Step

AT_ONCE = 3  # instances that are looked for in one turn
Wanted = tuple[str, str, str]  # keyword, object type, network


def keyword_call(keyword: str, type_id: str, only: str | None) -> Call:
    """Return a call for a keyword; `only` is its network where the run has several."""
    args = {"query": keyword, "enable_keyword_context": True, "object_type_id": type_id}
    return NAME, {**args, **({"kn_ids": [only]} if only else {})}


def shape_calls(shape: Shape, evidence: Sequence[Evidence], lexicon: Lexicon, *, several: bool) -> list[list[Call]]:
    """Return the calls for a question's shape in turns: those of one turn do not need each other's results.

    Args:
        shape: what is asked.
        lexicon: of the run's networks.
        evidence: of this attempt; later steps are known once the earlier ones have told of them.
        several: whether the run has several networks.
    """
    if isinstance(shape, Query):
        own = [(one.arguments(), {"kn_ids": [one.key[0]]} if several else {}) for one in (shape, *shape.others)]
        return [[(QUERY, arguments | only) for arguments, only in own]]
    if isinstance(shape, Walk):
        turns = walk_turns(shape, evidence)
    elif isinstance(shape, Connection):
        turns = connection_turns(shape, evidence, lexicon)
    else:
        turns = iter([[of_known(one) for one in shape.members[:AT_ONCE]]])
    return [[keyword_call(word, kind, only if several else None) for word, kind, only in turn] for turn in turns]


def of_known(one: Known) -> Wanted:
    """Return keyword, type and network of an instance."""
    return one.name, one.type.id, one.network_id


def walk_turns(walk: Walk, evidence: Sequence[Evidence]) -> Iterator[list[Wanted]]:
    """Give the start, then at each step those of which the evidence says nothing yet."""
    yield [of_known(walk.start)]
    evidence = of_network(walk.start.network_id, evidence)
    names, kind = [walk.start.name], walk.start.type
    for step in walk.steps:
        found = {name: behind(step, name, evidence) for name in names}
        missing = [name for name in names if not found[name]][:AT_ONCE]
        if missing and names != [walk.start.name]:
            yield [(name, kind.id, walk.start.network_id) for name in missing]
        names = list(dict.fromkeys(other for pairs in found.values() for other, _ in pairs))
        kind = step.leads_to


def behind(step: Step, name: str, evidence: Sequence[Evidence]) -> list[Pair]:
    """Return what a step leads to from an instance, each with the piece that says so."""
    pieces = [piece for piece in evidence if label_of(piece) == step.label]
    if step.direction is None:
        return [(value_of(one), one) for one in pieces if one["kind"] == "property" and subject_of(one) == name]
    relations = [one for one in pieces if one["kind"] == "relation"]
    if step.direction == "outgoing":
        return [(value_of(one), one) for one in relations if subject_of(one) == name]
    return [(subject_of(one), one) for one in relations if value_of(one) == name]


def connection_turns(shape: Connection, evidence: Sequence[Evidence], lexicon: Lexicon) -> Iterator[list[Wanted]]:
    """Give both instances, then what stands beside them, until a way between them is told."""
    yield [of_known(shape.one), of_known(shape.other)]
    own = of_network(shape.one.network_id, evidence)
    if not own or not shape.is_of_one_network or way(shape.one.name, shape.other.name, own):
        return
    for name in (shape.other.name, shape.one.name):
        beside = dict.fromkeys(other for other, _ in neighbours(name, own))
        named = (one for other in beside for one in lexicon.known(other))
        known = list({one.name: one for one in named if one.network_id == shape.one.network_id}.values())
        yield [of_known(one) for one in known[:AT_ONCE]]
