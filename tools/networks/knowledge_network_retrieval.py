"""knowledge_network_retrieval: schema recall, then keyword context (knowledge.md §2).

`Retrieval` is for direct callers, KnowledgeNetworkRetrieval for the model: identity and session come from the scope.
"""

import asyncio
import logging
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

from pydantic import BaseModel, Field

from tools.arguments import WRAPPED_IN
from tools.base import Scope, ToolResult, note
from tools.errors import KnowledgeRefused
from tools.formatting import dump
from tools.networks import refusals
from tools.networks.context import (
    instance_record,
    keyword_text,
    neighbour_record,
    pieces_of,
    schema_text,
)
from tools.networks.keyword import (
    EXPIRY_S,
    FetchedNeighbours,
    InstanceSearch,
    KeywordMatches,
    NeighbourSearch,
    NetworkSession,
    NetworkSessions,
)
from tools.networks.records import NOBODY, Account, NetworkSchema, ObjectType, RelationType, instance_id, key_of
from tools.networks.refusals import FAILURES_AND_REFUSALS, RefusedCall, of_service
from tools.ports import KnowledgeNetwork, MonotonicClock
from tools.text.scripts import bigrams, folded
from tools.wording import Words

TOP_K = 10  # relation types kept, and half the object types
# What a likeness counts for, by where it was found; a comment says much that is not asked.
BY_NAME, BY_END, BY_PROPERTY, BY_COMMENT = 1.0, 0.8, 0.7, 0.5
LEAST = 0.25  # below it nothing of a label is in the question but a stray pair of characters
WORDS = re.compile(r"[a-z0-9]+")


def relevant_types(question: str, schema: NetworkSchema) -> tuple[list[ObjectType], list[RelationType]]:
    """Return the object types and relation types that a question is about, most relevant first.

    A network of at most TOP_K relation types and 2 * TOP_K object types is kept whole.
    """
    objects, relations = schema.object_types, schema.relation_types
    if len(relations) <= TOP_K and len(objects) <= 2 * TOP_K:
        return list(objects), list(relations)
    text = folded(question)
    own = {one.id: type_score(text, one) for one in objects}
    scores = {one.id: relation_score(text, one, own) for one in relations}
    kept = [one for one in sorted(relations, key=lambda one: -scores[one.id]) if scores[one.id] >= LEAST][:TOP_K]
    ends = dict.fromkeys(end for one in kept for end in (one.source_object_type_id, one.target_object_type_id))
    hits = [id for id in sorted(own, key=lambda id: -own[id]) if own[id] >= LEAST]
    ids = list(dict.fromkeys([*ends, *hits]))[: 2 * TOP_K]
    by_id = {one.id: one for one in objects}
    return [by_id[id] for id in ids if id in by_id], kept


def relation_score(text: str, one: RelationType, own: dict[str, float]) -> float:
    """Return how much of a question a relation type is about, its ends included."""
    ends = max(own.get(one.source_object_type_id, 0.0), own.get(one.target_object_type_id, 0.0))
    return max(BY_NAME * likeness(text, [one.name, one.id]), BY_COMMENT * likeness(text, [one.comment]), BY_END * ends)


def type_score(text: str, one: ObjectType) -> float:
    """Return how much of a question an object type is about: its name, its comment, its properties."""
    properties = [label for prop in one.properties for label in (prop.display_name, prop.name)]
    return max(
        BY_NAME * likeness(text, [one.name, one.id]),
        BY_COMMENT * likeness(text, [one.comment]),
        BY_PROPERTY * likeness(text, properties),
    )


def likeness(text: str, labels: Iterable[str]) -> float:
    """Return the best share of a label that stands in a text, 0..1: bigrams of Chinese, words of identifiers."""

    def share(label: str) -> float:
        if len(label) > 1 and label in text:
            return 1.0
        pairs = bigrams(label)
        if pairs and not label.isascii():
            return len(pairs & bigrams(text)) / len(pairs)
        words, known = set(WORDS.findall(label)), set(WORDS.findall(text))
        return len(words & known) / len(words) if words else 0.0

    return max((share(folded(label)) for label in labels if label), default=0.0)


def object_concept(one: ObjectType) -> dict[str, Any]:
    return {
        "concept_type": "object_type",
        "concept_id": one.id,
        "concept_name": one.name,
        "properties": [
            {
                "name": own.name,
                "display_name": own.display_name,
                "type": own.type,
                "comment": own.comment,
                "condition_operations": list(own.condition_operations),
            }
            for own in one.properties
        ],
        "primary_key_field": one.primary_keys[0] if one.primary_keys else None,
        "primary_keys": list(one.primary_keys),
        "display_key": one.display_key or None,
    }


def relation_concept(one: RelationType) -> dict[str, Any]:
    return {
        "concept_type": "relation_type",
        "concept_id": one.id,
        "concept_name": one.name,
        "source_object_type_id": one.source_object_type_id,
        "target_object_type_id": one.target_object_type_id,
    }


logger = logging.getLogger(__name__)

SCHEMA_S = 30.0
WHOLE_S = 30.0  # the whole of one call
NOT_FOUND = Words("未找到匹配的实例", "no matching instance was found")
LONGEST_KEYWORD = 40  # a longer query is a question
QUESTION_ENDS = ("?", "？")
NO_KEYWORD = Words(
    "query 应是一个关键词，而不是完整的问题：一次一个关键词", "query should be one keyword, not a whole question"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalRequest:
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
        """The networks to ask, each once. Raises RefusedCall for one that is not the run's."""
        wanted = [one["knowledge_network_id"] if isinstance(one, Mapping) else one for one in self.kn_ids or ()]
        allowed = list(self.allowed) if self.allowed is not None else wanted
        if foreign := [one for one in wanted if one not in allowed]:
            raise RefusedCall(refusals.FOREIGN, {"kn_ids": allowed, "unknown": foreign})
        if not (wanted or allowed):
            raise RefusedCall(refusals.NO_NETWORK)
        return list(dict.fromkeys(wanted or allowed))


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalReply:
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
    """The two steps, for direct callers."""

    networks: KnowledgeNetwork
    sessions: NetworkSessions
    new_id: Callable[[], str]
    search: InstanceSearch
    neighbours: NeighbourSearch
    clock: MonotonicClock = monotonic

    async def __call__(self, request: RetrievalRequest) -> RetrievalReply:
        """Answer one call; what is wrong with it, or with the service, is an answer too."""
        try:
            if request.enable_keyword_context:
                return await self.keyword(request)
            return await self.schema(request)
        except RefusedCall as refused:
            return RetrievalReply(answer=refused.answer, ok=False)
        except KnowledgeRefused as error:
            return RetrievalReply(answer=of_service(error, ",".join(request.networks)), ok=False)

    async def schema(self, request: RetrievalRequest) -> RetrievalReply:
        """Recall the types that a question is about and add them to the session."""
        if not request.query.strip():
            raise RefusedCall(refusals.BLANK)
        session_id = request.session_id or self.new_id()
        asked = [self.networks.schema(id, request.account, timeout_s=SCHEMA_S) for id in request.networks]
        answers = await asyncio.gather(*asked, return_exceptions=True)
        schemas: list[NetworkSchema] = []
        for id, answer in zip(request.networks, answers, strict=True):
            if isinstance(answer, FAILURES_AND_REFUSALS):
                logger.warning("Schema of %s: %s", id, answer)
                return RetrievalReply(answer=of_service(answer, id), ok=False)
            if isinstance(answer, BaseException):
                raise answer
            schemas.append(answer)
        found = [relevant_types(request.query, schema) for schema in schemas]
        for id, (objects, relations) in zip(request.networks, found, strict=True):
            session = self.sessions.open((request.account.id, session_id, id))
            session.object_types |= {one.id: one for one in objects}
            session.relation_types |= {one.id: one for one in relations}
        concepts = {
            "object_types": [object_concept(one) for objects, _ in found for one in objects],
            "relation_types": [relation_concept(one) for _, relations in found for one in relations],
        }
        return RetrievalReply(answer=concepts if request.session_id else {**concepts, "session_id": session_id})

    async def keyword(self, request: RetrievalRequest) -> RetrievalReply:
        network_id, session, type = self.checked(request)
        until = self.clock() + request.seconds
        matches = await self.search(network_id, type, request.query.strip(), request.account)
        found = [one.instance for one in matches.found]
        starts = {(type.id, instance_id(one, type)): key_of(one, type) for one in found}
        async with session.lock:
            left = until - self.clock()
            around = await self.neighbours(network_id, starts, session, request.account, left)
            answer = keyword_answer(request.query.strip(), type, matches, around, session)
        return RetrievalReply(answer=answer, network_id=network_id, objects=dict(session.object_types))

    def checked(self, request: RetrievalRequest) -> tuple[str, NetworkSession, ObjectType]:
        """Make the checks of keyword mode in their order. Raises RefusedCall."""
        if not request.session_id:
            raise RefusedCall(refusals.NO_SESSION)
        sessions = {id: self.sessions.get((request.account.id, request.session_id, id)) for id in request.networks}
        known = {id: session for id, session in sessions.items() if session and session.has_schema}
        if not known:
            detail = {"message": refusals.NO_SCHEMA_MESSAGE.say(), "session_id": request.session_id}
            raise RefusedCall(refusals.NO_SCHEMA, detail)
        if not request.object_type_id:
            message, suggestion = refusals.NO_TYPE_MESSAGE.say(), refusals.NO_TYPE_SUGGESTION.say()
            raise RefusedCall(refusals.NO_TYPE, {"message": message, "suggestion": suggestion})
        holders = [(id, one) for id, one in known.items() if request.object_type_id in one.object_types]
        if not holders:
            available = [type_id for one in known.values() for type_id in one.object_types]
            raise RefusedCall(refusals.UNKNOWN_TYPE, {"available_object_type_ids": list(dict.fromkeys(available))})
        if len(holders) > 1:
            raise RefusedCall(refusals.SEVERAL, {"kn_ids": [id for id, _ in holders]})
        if not request.query.strip():
            raise RefusedCall(refusals.BLANK)
        network_id, session = holders[0]
        return network_id, session, session.object_types[request.object_type_id]


def keyword_answer(
    keyword: str, type: ObjectType, matches: KeywordMatches, around: FetchedNeighbours, session: NetworkSession
) -> dict[str, Any]:
    """Merge what was found into the session and return the whole answer."""
    records: dict[str, dict[str, Any]] = {}
    for match in matches.found:
        id = instance_id(match.instance, type)
        properties, is_new = session.keep((type.id, id), dict(match.instance.properties))
        records[id] = instance_record(match, type, properties, is_new=is_new)
    known = len(session.sent)
    for link in around.links:
        end = link.neighbour.object_type_id  # one beyond the saved schema is known by its id alone
        ended = session.object_types.get(end) or ObjectType(id=end, name=link.neighbour.object_type_name)
        record = neighbour_record(link, ended)
        session.sent.add((link.link, (record["object_type_id"], record["instance_id"])))
        records[link.start[1]]["neighbors"].append(record)
    fields, instances = matches.fields, list(records.values())
    is_question = len(keyword) > LONGEST_KEYWORD or keyword.endswith(QUESTION_ENDS)
    return {
        "keyword_context": {
            "keyword": keyword,
            "object_type_id": type.id,
            "matched_field": fields[0] if fields else None,
            "instances": instances,
            "statistics": {
                "total_instances": matches.total,
                "returned_instances": len(instances),
                "total_neighbors": sum(len(one["neighbors"]) for one in instances),
                "matched_fields": fields,
                "new_instances": sum(one["is_new"] for one in instances),
                "new_neighbors": len(session.sent) - known,
                "neighbors_truncated": around.dropped,
            },
            "message": None if instances or matches.failed or matches.partial else NOT_FOUND.say(),
            "warnings": [*([NO_KEYWORD.say()] if is_question else []), *matches.warnings, *around.warnings],
            "partial": matches.partial or around.partial,
            "failed": matches.failed,
        }
    }


NAME = "knowledge_network_retrieval"
# the tool keeps the time of a call itself; the margin lets it end with what it has found.
MARGIN_S = 5.0


class KnowledgeNetworkRetrievalArguments(BaseModel):
    """Arguments of knowledge_network_retrieval: neither account nor session is among them."""

    query: str = Field(
        description="完整的问题；enable_keyword_context=True 时为一个关键词，填 * 则列出该类型的实例（前 10 个和总数）"
    )
    enable_keyword_context: bool = Field(
        default=False,
        description="是否启用关键词上下文召回。True：基于关键词召回上下文信息（需要先有schema）；"
        "False：只进行schema召回，不进行关键词上下文召回（默认，保持向后兼容）。",
    )
    object_type_id: str | None = Field(
        default=None,
        description="对象类型ID，用于指定关键词所属的对象类型。当enable_keyword_context=True时，此参数必须提供。"
        "例如：'person'、'disease'等。",
    )
    kn_ids: list[str] | None = Field(
        default=None,
        description="知识网络ID，只能取本次运行的网络，可选；不指定则全部",
        json_schema_extra={WRAPPED_IN: "knowledge_network_id"},
    )


@dataclass(frozen=True, slots=True)
class KnowledgeNetworkRetrieval:
    """The two steps behind one declaration; what the model sees is always compact."""

    retrieval: Retrieval
    seconds: float = 30.0
    name: str = NAME
    description: str = (
        "从知识网络中检索信息。先用完整问题召回 schema（enable_keyword_context=False），再用问题中的关键词召回实例"
        "及其一跳邻居（enable_keyword_context=True，必须给出该关键词所属的 object_type_id；一次一个关键词）。"
    )
    arguments: type[BaseModel] = KnowledgeNetworkRetrievalArguments

    async def __call__(self, arguments: KnowledgeNetworkRetrievalArguments, scope: Scope) -> ToolResult:
        """Return types, or instances with each value and relation as a piece of evidence; an error in its own shape."""
        reply = await self.retrieval(
            RetrievalRequest(
                query=arguments.query,
                account=scope.account or NOBODY,
                session_id=scope.session_id,
                enable_keyword_context=arguments.enable_keyword_context,
                object_type_id=arguments.object_type_id,
                kn_ids=arguments.kn_ids,
                allowed=list(scope.kn_ids),
                seconds=min(self.seconds, scope.seconds),
            )
        )
        if not reply.ok:
            return ToolResult(data=reply.answer, text=dump(reply.answer), ok=False)
        context = reply.answer.get("keyword_context")
        if context is None:
            count = len(reply.answer["object_types"]) + len(reply.answer["relation_types"])
            return ToolResult(data=reply.answer, text=schema_text(reply.answer, scope.budget), items=count)
        for warning in context["warnings"][:1] if context["failed"] or context["partial"] else ():
            note(warning)
        return ToolResult(
            data=reply.answer,
            text=keyword_text(reply.answer, scope.budget),
            evidence=pieces_of(reply.answer, reply.network_id, reply.objects),
            items=len(context["instances"]),
            # With nothing found and something not asked, "nothing found" would be a lie.
            ok=not context["failed"] and not (context["partial"] and not context["instances"]),
        )


def retrieval_tool(
    networks: KnowledgeNetwork, new_id: Callable[[], str], seconds: float = 30.0, expiry_s: float = EXPIRY_S
) -> KnowledgeNetworkRetrieval:
    sessions = NetworkSessions(expiry_s=expiry_s)
    retrieval = Retrieval(networks, sessions, new_id, InstanceSearch(networks), NeighbourSearch(networks), monotonic)
    return KnowledgeNetworkRetrieval(retrieval, seconds)
