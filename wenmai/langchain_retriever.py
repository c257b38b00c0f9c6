"""The product's own search as a LangChain retriever, for other people's chains, graphs and tools."""

import asyncio
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import Field, SkipValidation

from state.schema import Evidence
from tools.base import Scope
from tools.documents.search import DocumentSearch, chunk_evidence
from tools.errors import InputError
from tools.evidence import passage_evidence
from tools.messages import Message
from tools.records import PassageFilter
from tools.story.search import Retriever
from wenmai.app.container import Services
from wenmai.application.paging import Guard, horizon_of
from wenmai.settings.settings import validate_config

if TYPE_CHECKING:
    from wenmai.agent import Agent

ROWS = 8
NOT_OF_A_DOCUMENT = ("text", "tool", "call")


class WenmaiRetriever(BaseRetriever):
    """Finds passages of a library, or chunks of the documents that a user sees in a session, best first.

    Where to look, the spoiler guard and the user are fields: no caller of the search, and no model, can change them.
    """

    library: str | None = None
    session_id: str | None = None
    user_id: str | None = None
    as_of_chapter: int | None = Field(default=None, ge=0)
    as_of_part: int | None = Field(default=None, ge=1)
    top_k: int = Field(default=ROWS, ge=1)
    opened: SkipValidation[Services | None] = Field(default=None, exclude=True, repr=False)
    settings: Mapping[str, Any] = Field(default_factory=dict, exclude=True, repr=False)

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        if self.opened is not None:
            raise InputError(Message("retriever.use_ainvoke"))
        with ThreadPoolExecutor(1, thread_name_prefix="wenmai-retriever") as pool:
            return pool.submit(asyncio.run, self._found_once(query)).result()

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun
    ) -> list[Document]:
        return await (self._found_once(query) if self.opened is None else self._found(self.opened, query))

    async def _found_once(self, query: str) -> list[Document]:
        services = Services(validate_config(**self.settings))
        try:
            return await self._found(services, query)
        finally:
            await services.close()

    async def _found(self, services: Services, query: str) -> list[Document]:
        if not query.strip():
            return []
        documents = []
        for piece in await (self._passages if self.library else self._chunks)(services, query):
            items = piece.items()
            known = {name: value for name, value in items if name not in NOT_OF_A_DOCUMENT and value is not None}
            documents.append(Document(piece["text"], id=piece["id"], metadata=known))
        return documents

    async def _passages(self, services: Services, query: str) -> list[Evidence]:
        library = self.library or ""
        guard = Guard(as_of_chapter=self.as_of_chapter, as_of_part=self.as_of_part)
        async with services.libraries.reading(library):
            await services.opening.open_library(library)
            horizon = await horizon_of(services.catalog, library, guard)
            search = Retriever(services.passages, services.embedder)
            found = await search.search(library, query, PassageFilter(horizon=horizon), self.top_k)
        return [passage_evidence(one.passage, one.score) for one in found]

    async def _chunks(self, services: Services, query: str) -> list[Evidence]:
        await services.opening.open_embedder()
        scope = Scope(library="", user_id=self.user_id, thread_id=self.session_id)
        found = await DocumentSearch(services.documents, services.embedder).search(query, scope, self.top_k)
        return [chunk_evidence(chunk, score, scope.language) for chunk, score in found]


def retriever(
    library: str | None = None,
    *,
    session_id: str | None = None,
    user_id: str | None = None,
    as_of_chapter: int | None = None,
    as_of_part: int | None = None,
    top_k: int = ROWS,
    agent: "Agent | None" = None,
    **settings: Any,
) -> WenmaiRetriever:
    """Return a LangChain retriever over a library, or over the documents of a user's session.

    `retriever(…).as_tool(name=…, description=…)` is a tool of one argument for an agent.

    Args:
        library: the library to search.
        session_id: instead, the session whose uploaded documents, and the preloaded ones, are searched.
        user_id: whose session it is.
        as_of_chapter: spoiler guard: nothing after this chapter is found.
        as_of_part: part that `as_of_chapter` counts in.
        top_k: rows, at most.
        agent: an open agent whose stores are searched, by `ainvoke` alone; else stores are open as long as a search.
        **settings: settings that differ from the process's, without an agent.

    Raises:
        InputError: neither or both of a library and a session, or a session without its user.
    """
    if (library is None) == (session_id is None) or (session_id and not user_id):
        raise InputError(Message("retriever.library_or_session"))
    return WenmaiRetriever(
        library=library,
        session_id=session_id,
        user_id=user_id,
        as_of_chapter=as_of_chapter,
        as_of_part=as_of_part,
        top_k=top_k,
        opened=None if agent is None else agent.services,
        settings=settings,
    )
