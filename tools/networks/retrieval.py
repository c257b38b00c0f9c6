"""knowledge_network_retrieval for direct callers: schema recall, then keyword context."""

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

from tools.clock import MonotonicClock
from tools.errors import KnowledgeRefused
from tools.networks import refusals
from tools.networks.context import instance_record, keyword_context, neighbour_record, neighbour_type
from tools.networks.instances import InstanceSearch, Match, Matches
from tools.networks.naming import instance_id, key_of
from tools.networks.neighbours import Neighbourhood, Neighbours, Start
from tools.networks.policy import FAILURES_AND_REFUSALS
from tools.networks.records import Account, NetworkSchema, ObjectType, RelationType
from tools.networks.refusals import Refused, of_service
from tools.networks.schema_recall import concepts, recalled
from tools.networks.sessions import NetworkSession, NetworkSessions, Sent, SessionKey
from tools.ports import KnowledgeNetwork
from tools.wording import Words

logger = logging.getLogger(__name__)

SCHEMA_S = 30.0
WHOLE_S = 30.0  # the whole of one call
LONGEST_KEYWORD = 40  # a longer query is a question
QUESTION_ENDS = ("?", "？")
NO_KEYWORD = Words(
    "query 应是一个关键词，而不是完整的问题：一次一个关键词", "query should be one keyword, not a whole question"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One call; identity and session are the caller's own, never a model's.

    Attributes:
        kn_ids: networks to ask: ids, or `{knowledge_network_id}`; None: all of `allowed`.
        allowed: the run's networks; kn_ids may only name some of them. None: no run limits them.
        seconds: that the whole call may take.
    """

    query: str
    account: Account
    session_id: str | None = None
    enable_keyword_context: bool = False
    object_type_id: str | None = None
    kn_ids: Sequence[str | Mapping[str, str]] | None = None
    allowed: Sequence[str] | None = None
    seconds: float = WHOLE_S

    @property
    def networks(self) -> list[str]:
        """The networks to ask, each once. Raises Refused for one that is not the run's."""
        wanted = [one["knowledge_network_id"] if isinstance(one, Mapping) else one for one in self.kn_ids or ()]
        allowed = list(self.allowed) if self.allowed is not None else wanted
        if foreign := [one for one in wanted if one not in allowed]:
            raise Refused(refusals.FOREIGN, {"kn_ids": allowed, "unknown": foreign})
        if not (wanted or allowed):
            raise Refused(refusals.NO_NETWORK)
        return list(dict.fromkeys(wanted or allowed))


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What a call gave.

    Attributes:
        answer: the schema, the keyword context, or an error, as plain data.
        network_id: the network that a keyword was looked for in; `objects` are its saved object types.
    """

    answer: dict[str, Any]
    ok: bool = True
    network_id: str = ""
    objects: Mapping[str, ObjectType] = field(default_factory=dict[str, ObjectType])


@dataclass(frozen=True, slots=True)
class Retrieval:
    """The tool behind its two faces: direct callers, and the model (`tools.networks.knowledge_network_retrieval`)."""

    networks: KnowledgeNetwork
    sessions: NetworkSessions
    new_id: Callable[[], str]
    search: InstanceSearch
    neighbours: Neighbours
    clock: MonotonicClock = monotonic

    async def __call__(self, request: Request) -> Reply:
        """Answer one call; what is wrong with it, or with the service, is an answer too."""
        try:
            if request.enable_keyword_context:
                return await self.keyword(request)
            return await self.schema(request)
        except Refused as refused:
            return Reply(answer=refused.answer, ok=False)
        except KnowledgeRefused as error:
            return Reply(answer=of_service(error, ",".join(request.networks)), ok=False)

    async def schema(self, request: Request) -> Reply:
        """Recall the types that a question is about and add them to the session."""
        if not request.query.strip():
            raise Refused(refusals.BLANK)
        session_id = request.session_id or self.new_id()
        asked = [self.networks.schema(id, request.account, timeout_s=SCHEMA_S) for id in request.networks]
        answers = await asyncio.gather(*asked, return_exceptions=True)
        schemas: list[NetworkSchema] = []
        for id, answer in zip(request.networks, answers, strict=True):
            if isinstance(answer, FAILURES_AND_REFUSALS):
                logger.warning("Schema of %s: %s", id, answer)
                return Reply(answer=of_service(answer, id), ok=False)
            if isinstance(answer, BaseException):
                raise answer
            schemas.append(answer)
        found = [recalled(request.query, schema) for schema in schemas]
        for id, types in zip(request.networks, found, strict=True):
            self.save(self.key(request, session_id, id), *types)
        found_concepts = concepts(
            [one for types in found for one in types[0]], [one for types in found for one in types[1]]
        )
        return Reply(answer=found_concepts if request.session_id else {**found_concepts, "session_id": session_id})

    def save(self, key: SessionKey, objects: Sequence[ObjectType], relations: Sequence[RelationType]) -> None:
        """Add types to a session, without doubles."""
        session = self.sessions.open(key)
        session.object_types |= {one.id: one for one in objects}
        session.relation_types |= {one.id: one for one in relations}

    async def keyword(self, request: Request) -> Reply:
        """Return the instances that a keyword means with their neighbours."""
        network_id, session, type = self.checked(request)
        until = self.clock() + request.seconds
        matches = await self.search(network_id, type, request.query.strip(), request.account)
        starts = [self.start(match, type) for match in matches.found]
        async with session.lock:
            left = until - self.clock()
            around = await self.neighbours(network_id, starts, session, request.account, left)
            answer = merged(request.query.strip(), type, matches, around, session)
        return Reply(answer=answer, network_id=network_id, objects=dict(session.object_types))

    def checked(self, request: Request) -> tuple[str, NetworkSession, ObjectType]:
        """Make the checks of keyword mode in their order. Raises Refused."""
        if not request.session_id:
            raise refusals.no_session()
        sessions = {id: self.sessions.get(self.key(request, request.session_id, id)) for id in request.networks}
        known = {id: session for id, session in sessions.items() if session and session.has_schema}
        if not known:
            raise refusals.no_schema(request.session_id)
        if not request.object_type_id:
            raise refusals.no_type()
        holders = [(id, one) for id, one in known.items() if request.object_type_id in one.object_types]
        if not holders:
            available = [type_id for one in known.values() for type_id in one.object_types]
            raise Refused(refusals.UNKNOWN_TYPE, {"available_object_type_ids": list(dict.fromkeys(available))})
        if len(holders) > 1:
            raise Refused(refusals.SEVERAL, {"kn_ids": [id for id, _ in holders]})
        if not request.query.strip():
            raise Refused(refusals.BLANK)
        network_id, session = holders[0]
        return network_id, session, session.object_types[request.object_type_id]

    def key(self, request: Request, session_id: str, network_id: str) -> SessionKey:
        """Return what a session is kept under."""
        return request.account.id, session_id, network_id

    def start(self, match: Match, type: ObjectType) -> Start:
        """Return a matched instance as the start of paths."""
        return Start(key=(type.id, instance_id(match.instance, type)), query_key=key_of(match.instance, type))


def merged(
    keyword: str, type: ObjectType, matches: Matches, around: Neighbourhood, session: NetworkSession
) -> dict[str, Any]:
    """Merge what was found into the session and return the whole answer."""
    records: dict[str, dict[str, Any]] = {}
    for match in matches.found:
        id = instance_id(match.instance, type)
        properties, is_new = session.keep((type.id, id), dict(match.instance.properties))
        records[id] = instance_record(match, type, properties, is_new=is_new)
    fresh = 0
    for link in around.links:
        record = neighbour_record(link, neighbour_type(link.neighbour, session.object_types))
        pair: Sent = ((link.start, link.relation.id, link.direction), (record["object_type_id"], record["instance_id"]))
        fresh += pair not in session.sent
        session.sent.add(pair)
        records[link.start[1]]["neighbors"].append(record)
    too_long = len(keyword) > LONGEST_KEYWORD or keyword.endswith(QUESTION_ENDS)
    warnings = [NO_KEYWORD.say()] if too_long else []
    return keyword_context(keyword, type.id, list(records.values()), matches, around, warnings, fresh)
