"""knowledge_network_retrieval as the model calls it (knowledge.md §2); identity and session come from the scope."""

from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic

from pydantic import BaseModel, Field

from tools.arguments import WRAPPED_IN
from tools.base import Scope, ToolResult
from tools.formatting import dump
from tools.networks.context import fitted, fitted_schema
from tools.networks.instances import InstanceSearch
from tools.networks.neighbours import Neighbours
from tools.networks.pieces import pieces_of
from tools.networks.retrieval import Reply, Request, Retrieval
from tools.networks.sessions import EXPIRY_S, NOBODY, NetworkSessions
from tools.notes import note
from tools.ports import KnowledgeNetwork

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
            Request(
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
        return of_keyword(reply, scope) if "keyword_context" in reply.answer else of_schema(reply, scope)


def of_schema(reply: Reply, scope: Scope) -> ToolResult:
    """Return the types for the model."""
    count = len(reply.answer["object_types"]) + len(reply.answer["relation_types"])
    return ToolResult(data=reply.answer, text=fitted_schema(reply.answer, scope.budget), items=count)


def of_keyword(reply: Reply, scope: Scope) -> ToolResult:
    """Return a keyword context for the model; a total failure is none of its rows."""
    context = reply.answer["keyword_context"]
    for warning in context["warnings"][:1] if context["failed"] or context["partial"] else ():
        note(warning)
    return ToolResult(
        data=reply.answer,
        text=fitted(reply.answer, scope.budget),
        evidence=pieces_of(reply.answer, reply.network_id, reply.objects),
        items=len(context["instances"]),
        # With nothing found and something not asked, "nothing found" would be a lie.
        ok=not context["failed"] and not (context["partial"] and not context["instances"]),
    )


def retrieval_tool(
    networks: KnowledgeNetwork, new_id: Callable[[], str], seconds: float = 30.0, expiry_s: float = EXPIRY_S
) -> KnowledgeNetworkRetrieval:
    """Return the tool over a port, with sessions of its own."""
    sessions = NetworkSessions(expiry_s=expiry_s)
    retrieval = Retrieval(networks, sessions, new_id, InstanceSearch(networks), Neighbours(networks), monotonic)
    return KnowledgeNetworkRetrieval(retrieval, seconds)
