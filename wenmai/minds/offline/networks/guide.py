"""Calls to networks, the schema by the whole question, then keywords or a question's shape, turn by turn; answers."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from langchain_core.messages import ToolMessage

from nodes.roles import PlanRequest
from state.draft import Sentence
from state.schema import Evidence
from tools.networks.knowledge_network_query import NAME as QUERY
from tools.networks.knowledge_network_retrieval import NAME
from tools.networks.lexicon import Known, Lexicon
from tools.networks.words import identified
from wenmai.minds.offline.calls import Call
from wenmai.minds.offline.networks.asking import (
    is_network,
    neighbours,
    of_network,
    value_of,
    way,
    without_names,
)
from wenmai.minds.offline.networks.focus import focus_of
from wenmai.minds.offline.networks.shapes import Connection, Query, Shape, Walk, asked_of
from wenmai.minds.offline.networks.telling import NetworkAnswer, behind, network_lines
from wenmai.minds.offline.questions.question import content_words

KEYWORDS = 3  # looked for in one question
MARGIN = 0.35  # an instance this much less likely than the first is not looked for


def network_turns(request: PlanRequest, lexicon: Lexicon) -> list[list[Call]]:
    """Return the calls turn by turn; those of one turn do not need each other's results. [] without a network."""
    if request.networks is None:
        return []
    shape = asked_of(request.resolved, lexicon).shape
    if shape is None:
        return [[call] for call in network_calls(request, lexicon)]
    turns = shape_calls(shape, request.evidence, lexicon, several=len(request.networks.ids) > 1)
    if isinstance(shape, Query):
        return turns + [[call] for call in network_calls(request, lexicon) if may_be_label(shape, request.evidence)]
    return [[(NAME, {"query": request.resolved})], *[[call] for call in other_schemas(request, turns, lexicon)], *turns]


def may_be_label(query: Query, evidence: Sequence[Evidence]) -> bool:
    """Return True if nothing was found beside an instance: what is asked may be a label of its own."""
    found = [value_of(piece) for piece in evidence if piece["tool"] == QUERY]
    return found == ["0"] and query.start is not None and not query.counts and not query.others


def other_schemas(request: PlanRequest, turns: Sequence[Sequence[Call]], lexicon: Lexicon) -> list[Call]:
    """Return calls for the types that the question's own words did not recall, by their names.

    A type id that several networks have was recalled of each only if it was told as often.
    """
    saved, is_asked = Counter(saved_types(request)), any("object_types" in answer for answer in answers(request))
    types = {(schema.id, type.id): type.name for schema in lexicon.schemas.values() for type in schema.object_types}
    holders = Counter(id for _, id in types)
    calls: list[Call] = []
    wanted = dict.fromkeys(((args.get("kn_ids") or [""])[0], args["object_type_id"]) for _, args in chain(*turns))
    for only, id in wanted if is_asked else ():
        named = next(name for (network, held), name in types.items() if held == id and only in ("", network))
        place = {"kn_ids": [only]} if only and holders[id] > 1 else {}
        if saved[id] < (holders[id] if only else 1):
            calls.append((NAME, {"query": f"{request.resolved} {named}", **place}))
    return calls


def network_calls(request: PlanRequest, lexicon: Lexicon) -> list[Call]:
    """Return the calls for one label of one instance, or of a few, in their order."""
    # Of a question that left its instance out others may be meant as well: they are looked for behind the likeliest.
    question = identified(request.question, lexicon)[0]
    found = focus_of(question, request.session, lexicon) or focus_of(request.resolved, request.session, lexicon)
    several = request.networks is not None and len(request.networks.ids) > 1
    named = [one.known for one in found if one.named]
    likely = named or [one.known for one in found if one.score >= found[0].score * MARGIN]
    once = {(one.network_id, one.type.id, one.name): one for one in reversed(likely)}  # the first of a name and type
    chosen = [one for one in likely if once[one.network_id, one.type.id, one.name] is one][:KEYWORDS]
    calls = [keyword_call(one.name, one.type.id, one.network_id if several else None) for one in chosen]
    if not found and not lexicon.whole:  # a network too large to know its names: the words of the question
        words = [word for word in content_words(request.resolved) if len(word) > 1][:KEYWORDS]
        saved = saved_types(request)[:2]
        calls = [keyword_call(word, type_id, None) for word in words for type_id in saved][:KEYWORDS]
    return [(NAME, {"query": request.resolved}), *other_schemas(request, [calls], lexicon), *calls]


def saved_types(request: PlanRequest) -> list[str]:
    """Return the object types that the schema calls of this attempt gave."""
    return [one["concept_id"] for answer in answers(request) for one in answer.get("object_types", ())]


def answers(request: PlanRequest) -> list[dict[str, Any]]:
    """Return the results of this attempt's calls that are JSON objects."""
    texts = [message.text for message in request.transcript if isinstance(message, ToolMessage)]
    return [value for text in texts if text.startswith("{") and isinstance(value := json.loads(text), dict)]


def asked_in_part(request: PlanRequest) -> bool:
    """Return True if a keyword's call of this attempt could not ask for everything: relations failed or were late."""
    contexts = [answer["keyword_context"] for answer in answers(request) if "keyword_context" in answer]
    return any(context.get("partial") for context in contexts)


def network_answer(request: PlanRequest, lexicon: Lexicon) -> list[Sentence]:
    asked, evidence = asked_of(request.resolved, lexicon), request.evidence
    if asked.shape is not None:
        plain = without_names(asked.question, [piece for piece in evidence if is_network(piece)])
        lines = NetworkAnswer(evidence, request.language, plain).lines(asked.shape)
        is_open = isinstance(asked.shape, Query) and may_be_label(asked.shape, evidence)
        if lines is not None and not is_open:
            return lines
    return network_lines(asked.question, evidence, request.language, lexicon.labels)


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
