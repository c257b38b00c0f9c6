"""A graph over documents of two users and two sessions; minds are offline, scripted, or on the loopback service."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph.state import CompiledStateGraph

from graph.builder import AgentDependencies, build_graph
from nodes.policy import Policy
from nodes.roles import Mind
from state.context import Context
from tests.fake_documents import FakeDocumentStore, document_of
from tests.fakes import FakeCatalog, FakeEmbedder
from tests.graph.rig import NO_WAIT, Rig, Traces, strict_saver, wall_clock
from tests.shipped import shipped_reader
from tests.unit.tools.world import World
from tools.dispatch import Toolbox
from tools.documents.records import PRELOADED, DocumentOwner, Location
from tools.ports import DocumentStore
from tools.records import LibraryInfo
from tools.story.names import EntityLinker
from tools.toolboxes import document_tools, toolbox_for
from wenmai.documents.parsing.reading import read
from wenmai.language.segmenting import cut
from wenmai.minds.offline.mind import offline_mind

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
USER = "林"
NO_DOCUMENTS = "目前没有可供参考的文档，请先上传文档。"
NOT_FOUND = "抱歉，未能找到相关信息。"
ERROR = "抱歉，处理您的问题时出错，请重试。"

HANDBOOK = (
    "员工手册。年假：入职满一年的员工每年享有十五天年假，需提前两周申请。",
    "报销：差旅报销须在三十天内提交发票，审批编号以 FIN-2071 开头。",
    "加班：周末加班按双倍工资计算，也可以换成调休。",
)
WARRANTY = ("产品保修期为两年，自购买之日起计算，人为损坏不在保修范围之内。",)
SECRET_HANDBOOK = ("员工手册（乙公司）。年假：员工每年享有五天年假。内部代号 ZETA-9。",)


@dataclass
class Desk:
    """Documents and a graph that answers from them."""

    documents: DocumentStore = field(default_factory=FakeDocumentStore)
    embedder: FakeEmbedder = field(default_factory=FakeEmbedder)
    world: World = field(default_factory=World)
    mind: Mind | None = None
    policy: Policy = field(default_factory=Policy)
    disabled: Sequence[str] = ()
    traces: Traces = field(default_factory=Traces)
    saver: BaseCheckpointSaver[Any] | None = field(default_factory=strict_saver)
    offered: list[tuple[str, ...]] = field(default_factory=list)
    number: int = 0

    @property
    def offline(self) -> Mind:
        return offline_mind(EntityLinker(self.world.graph), self.world.passages, self.embedder, reader=shipped_reader)

    def parts(self) -> AgentDependencies:
        mind = self.mind or self.offline
        return AgentDependencies(
            mind=mind,
            fallback=self.offline if self.mind else None,
            catalog=FakeCatalog(LibraryInfo(name="natlan", title="原神", embedder="fake", dimension=32)),
            linker=EntityLinker(self.world.graph),
            toolboxes=self.toolbox,
            traces=self.traces,
            policy=self.policy,
            clock=wall_clock,
            segment=cut,
            retries=NO_WAIT,
            documents=self.documents,
        )

    def graph(self) -> CompiledStateGraph[Any, Any, Any, Any]:
        return build_graph(self.parts(), self.saver)

    def toolbox(self, toolkits: Sequence[str]) -> Toolbox:
        self.offered.append(tuple(toolkits))
        tools = self.world.tools() | document_tools(self.documents, self.embedder, self.policy.document_rows)
        return toolbox_for(toolkits, tools, self.policy.tool_timeout_s, disabled=self.disabled)

    async def put(
        self,
        filename: str,
        *texts: str,
        session: str | None = "t1",
        user: str | None = USER,
        locations: Sequence[Location] = (),
    ) -> None:
        """Store a document of a session, or with no session a preloaded one."""
        self.number += 1
        owner = DocumentOwner(user, session) if session else PRELOADED
        at = NOON + timedelta(minutes=self.number)
        id = f"00000000-0000-4000-8000-{self.number:012d}"
        chunks = document_of(*texts, id=id, filename=filename, owner=owner, at=at, locations=locations)
        await self.documents.put(chunks, await self.embedder.embed_passages(texts))

    async def put_file(
        self, filename: str, data: bytes, size: int = 1000, overlap: int = 200, folder: str | None = None
    ) -> list[str]:
        """Store a file of the session, or of a folder of the collection, as the product reads it.

        Return the texts of its chunks.
        """
        self.number += 1
        found: dict[str, Any] = read(filename, data, size, overlap)
        spans = [(start, end) for start, end, _ in found["chunks"]]
        texts = [found["text"][slice(*span)] for span in spans]
        id, at = f"00000000-0000-4000-8000-{self.number:012d}", NOON + timedelta(minutes=self.number)
        places = [Location.from_plain(place) for _, _, place in found["chunks"]]
        owner = DocumentOwner(USER, "t1") if folder is None else DocumentOwner(USER, folder=folder)
        chunks = document_of(*texts, id=id, filename=filename, owner=owner, at=at, locations=places)
        placed = [replace(one, start=start, end=end) for one, (start, end) in zip(chunks, spans, strict=True)]
        await self.documents.put(placed, await self.embedder.embed_passages(texts))
        return texts

    async def stock(self) -> None:
        """Put a preloaded document and two handbooks of the same name into two sessions of two users."""
        places = [Location(page=number) for number in (1, 2, 3)]
        await self.put("保修.md", *WARRANTY, session=None, locations=[Location(heading=("售后", "保修"))])
        await self.put("手册.pdf", *HANDBOOK, locations=places)
        await self.put("手册.pdf", *SECRET_HANDBOOK, session="t2", user="乙")
        if isinstance(self.documents, FakeDocumentStore):
            self.documents.history.clear()
        self.embedder.history.clear()

    async def ask(self, question: str, thread: str | None = "t1", **context: Any) -> dict[str, Any]:
        """Ask on a thread, without an opening search unless one is wanted, and return the result record."""
        own = {"toolkits": ["documents"], "user_id": USER, "library": "natlan", "opening_search": False}
        fields: dict[str, Any] = own | context
        configurable = {"thread_id": thread} if thread else {}
        given = {"messages": [{"role": "user", "content": question}]}
        output = await self.graph().ainvoke(given, {"configurable": configurable}, context=Context(**fields))
        result: dict[str, Any] = output["result"]
        return result

    def asked(self) -> list[str]:
        """Return the methods of the store that were called, in order."""
        assert isinstance(self.documents, FakeDocumentStore)
        return [method for method, _ in self.documents.history]


def scripted(rig: Rig) -> Mind:
    """Return the mind of a rig."""
    return rig.parts().mind
