"""The product's own search as a LangChain retriever, for other people's chains, graphs and tools."""

import asyncio
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import Field, SkipValidation

from state.account import LOCAL
from tools.documents.scores import DocumentQuestion, text_scores
from tools.documents.search import CANDIDATES
from tools.errors import InputError
from tools.extras import require_extra
from tools.messages import Message, Names
from tools.story.search import MAX_QUERY_CHARACTERS
from wenmai.application.caller import Caller
from wenmai.application.operations import Application
from wenmai.application.paging import Guard
from wenmai.inputs import checked_user, wrong_kind
from wenmai.opening import CallerOptions, open_for
from wenmai.settings.settings import validate_config

if TYPE_CHECKING:
    from langchain_qdrant import QdrantVectorStore

    from wenmai.agent import Agent
    from wenmai.client.client import Client

ROWS = 8
NOT_OF_A_DOCUMENT = ("text", "tool", "call")
GOES_WITH: Mapping[str, Sequence[str]] = {
    "library": ("as_of_chapter", "as_of_part", "agent"),
    "session_id": ("user_id", "agent"),
    "collection": ("filter",),
}


class WenmaiRetriever(BaseRetriever):
    """Finds passages of a library, chunks of the documents that a user sees in a session, or texts of a collection.

    The best come first. Where to look, the spoiler guard, the user and the filter are fields: no caller of the search,
    and no model, can change them.
    """

    library: str | None = None
    session_id: str | None = None
    user_id: str | None = LOCAL
    as_of_chapter: int | None = Field(default=None, ge=0)
    as_of_part: int | None = Field(default=None, ge=1)
    top_k: int = Field(default=ROWS, ge=1)
    collection: SkipValidation[Any] = Field(default=None, exclude=True, repr=False)
    filter: SkipValidation[Any] = Field(default=None, exclude=True, repr=False)
    opened: SkipValidation[Any] = Field(default=None, exclude=True, repr=False)
    settings: Mapping[str, Any] = Field(default_factory=dict, exclude=True, repr=False)

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        if self.opened is not None:
            raise InputError(Message("retriever.use_ainvoke"))
        with ThreadPoolExecutor(1, thread_name_prefix="wenmai-retriever") as pool:
            return pool.submit(asyncio.run, self._found_once(query)).result()

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun
    ) -> list[Document]:
        if self.opened is None:
            return await self._found_once(query)
        return await self._found(Application(self.opened, Caller.local(self.user_id or LOCAL)), query)

    async def _found_once(self, query: str) -> list[Document]:
        if self.collection is not None:
            return await in_collection(self.collection, query, self.filter, self.top_k)
        user = None if self.library or self.user_id == LOCAL else self.user_id  # a server knows who asks by the key
        async with open_for(CallerOptions(user), validate_config(**self.settings)) as app:
            return await self._found(app, query)

    async def _found(self, app: "Application | Client", query: str) -> list[Document]:
        """Return what is found by the operations of this process, or of the server that holds the stores."""
        if not query.strip():
            return []
        query = query[:MAX_QUERY_CHARACTERS]
        if self.library:
            guard = Guard(as_of_chapter=self.as_of_chapter, as_of_part=self.as_of_part)
            found = await app.passages.search(self.library, query, guard=guard, limit=self.top_k)
        else:
            found = await app.documents.search(query, thread_id=self.session_id, limit=self.top_k)
        documents = []
        for piece in found.items:
            items = piece.items()
            known = {name: value for name, value in items if name not in NOT_OF_A_DOCUMENT and value is not None}
            documents.append(Document(str(piece["text"]), id=str(piece["id"]), metadata=known))
        return documents


async def in_collection(store: "QdrantVectorStore", query: str, where: Any, top_k: int) -> list[Document]:
    """Return the best texts of a collection, with the store's scores as `score`.

    By cosines alone the collection gives candidates, which words and cosines order together, as documents of a session
    are. A store with words of its own (`RetrievalMode.HYBRID`, `SPARSE`) has ordered them already, and of one with
    another distance the scores say no share: its order stays.

    Raises StoreError.
    """
    from langchain_qdrant import RetrievalMode
    from qdrant_client.models import Distance

    from wenmai.stores.qdrant.server import request_errors

    if not query.strip():
        return []
    is_reordered = store.retrieval_mode == RetrievalMode.DENSE and store.distance == Distance.COSINE
    with request_errors(store.collection_name):
        most = max(CANDIDATES, top_k) if is_reordered else top_k
        rows = await store.asimilarity_search_with_score(query, k=most, filter=where)
    if is_reordered:
        asked = DocumentQuestion.of(query[:MAX_QUERY_CHARACTERS], ())
        points = text_scores(asked, [document.page_content for document, _ in rows], [score for _, score in rows])
        rows = [rows[at] for at in sorted(range(len(rows)), key=lambda at: -points[at])]
    for document, score in rows[:top_k]:
        document.metadata["score"] = score
    return [document for document, _ in rows[:top_k]]


def retriever(
    library: str | None = None,
    *,
    collection: "QdrantVectorStore | None" = None,
    filter: Any = None,
    session_id: str | None = None,
    user_id: str | None = LOCAL,
    as_of_chapter: int | None = None,
    as_of_part: int | None = None,
    top_k: int = ROWS,
    agent: "Agent | None" = None,
    **settings: Any,
) -> WenmaiRetriever:
    """Return a LangChain retriever over a library, the documents of a user's session, or a collection of Qdrant.

    `retriever(…).as_tool(name=…, description=…)` is a tool of one argument for an agent.

    Args:
        library: the library to search.
        collection: instead, an existing collection, opened by langchain-qdrant with the embeddings that made it.
        filter: `qdrant_client.models.Filter` that every search of the collection keeps.
        session_id: instead, the session whose uploaded documents, and the preloaded ones, are searched.
        user_id: whose session it is; default: `local`, as on the command line. Nobody (None) has none.
        as_of_chapter: spoiler guard: nothing after this chapter is found.
        as_of_part: part that `as_of_chapter` counts in.
        top_k: rows, at most.
        agent: an open agent whose stores are searched, by `ainvoke` alone; else stores are open as long as a search,
            and where a server holds them it searches, for the user of the key in WENMAI_API_KEY.
        **settings: settings that differ from the process's, without an agent.

    Raises:
        InputError: not exactly one of a library, a session and a collection; what does not go with it, or settings
            with an agent; a session of nobody, a blank user; a collection that is none.
    """
    if collection is not None:
        require_extra("qdrant", "collection=")
        from langchain_qdrant import QdrantVectorStore

        if not isinstance(collection, QdrantVectorStore):
            raise wrong_kind("collection", "QdrantVectorStore", collection)
    places = {"library": library, "session_id": session_id, "collection": collection}
    named = [name for name, place in places.items() if place is not None]
    if len(named) != 1:
        raise InputError(Message("retriever.library_or_session"))
    [place] = named
    user = checked_user(user_id)
    given = {
        "filter": filter,
        "user_id": None if user == LOCAL else user,
        "as_of_chapter": as_of_chapter,
        "as_of_part": as_of_part,
        "agent": agent,
    }
    if wrong := [name for name, value in given.items() if value is not None and name not in GOES_WITH[place]]:
        raise InputError(Message("retriever.not_together", names=Names(wrong), other=place))
    if settings and (agent is not None or collection is not None):
        other = "collection" if agent is None else "agent"
        raise InputError(Message("retriever.not_together", names=Names(settings), other=other))
    if session_id is not None and user is None:
        raise InputError(Message("retriever.session_needs_user"))
    return WenmaiRetriever(
        library=library,
        collection=collection,
        filter=filter,
        session_id=session_id,
        user_id=user_id,
        as_of_chapter=as_of_chapter,
        as_of_part=as_of_part,
        top_k=top_k,
        opened=None if agent is None else agent.services,
        settings=settings,
    )
