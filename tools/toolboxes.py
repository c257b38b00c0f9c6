"""The tools of each toolkit."""

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType

from tools.base import Tool
from tools.dispatch import CALL_TIMEOUT_S, Toolbox
from tools.documents.query_table import QUERY_TABLE, QueryTable
from tools.documents.search import (
    KEYWORD_SEARCH,
    LIST_DOCUMENTS,
    ROWS,
    SEMANTIC_SEARCH,
    DocumentSearch,
    KeywordSearch,
    ListDocuments,
    SemanticSearch,
)
from tools.evidence import Quoting
from tools.messages import Text
from tools.networks.knowledge_network_query import NAME as NETWORK_QUERY
from tools.networks.knowledge_network_retrieval import MARGIN_S
from tools.networks.knowledge_network_retrieval import NAME as NETWORK
from tools.ports import DocumentStore, Embedder, PassageStore, StoryGraph, SummaryStore
from tools.recall.recall_memories import NAME as RECALL
from tools.story.graph import FindConnection, GetCharacterEvents, GraphSearch, LookupKnowledge, TrackJourney
from tools.story.list_characters import ListCharacters
from tools.story.names import EntityNames
from tools.story.read_chapters import ReadChapters
from tools.story.read_passage import ReadPassage
from tools.story.search import Retriever, SearchMemory, TrackEntity, VectorSearch

# A recall ends itself after this time; the margin lets it return what it has found.
RECALL_TIMEOUT_S = 90.0
RECALL_MARGIN_S = 5.0

# Toolkits of rag mode's one fixed retrieval.
RAG_TOOLKIT = "rag"
RAG_DOCUMENTS = "rag_documents"
DOCUMENT_TOOLKIT = "documents"

TOOLKITS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "story": ("vector_search", "graph_search", "track_entity", "list_characters", "read_chapters", "read_passage"),
        "narrative": (
            "lookup_knowledge",
            "find_connection",
            "track_journey",
            "get_character_events",
            "search_memory",
            "list_characters",
            "read_chapters",
            "read_passage",
        ),
        "memory": ("recall_memories",),
        "knowledge": (NETWORK, NETWORK_QUERY),
        DOCUMENT_TOOLKIT: (SEMANTIC_SEARCH, KEYWORD_SEARCH, QUERY_TABLE, LIST_DOCUMENTS),
        RAG_TOOLKIT: ("vector_search",),
        RAG_DOCUMENTS: (SEMANTIC_SEARCH,),
    }
)


def story_tools(
    passages: PassageStore,
    graph: StoryGraph,
    embedder: Embedder,
    summaries: SummaryStore | None = None,
    losses: Mapping[str, Text] = MappingProxyType({}),
) -> dict[str, Tool]:
    names = EntityNames(graph)
    quoting = Quoting(passages)
    retriever = Retriever(passages, embedder, losses)
    tools: list[Tool] = [
        VectorSearch(retriever, names),
        GraphSearch(graph, passages, quoting, retriever, names),
        TrackEntity(passages, names),
        LookupKnowledge(graph, quoting, names),
        FindConnection(graph, quoting, names),
        TrackJourney(graph, quoting, names),
        GetCharacterEvents(graph, quoting, names),
        SearchMemory(retriever, names),
        ListCharacters(graph, passages, names, summaries),
        ReadChapters(passages, graph, summaries),
        ReadPassage(passages, names),
    ]
    return {tool.name: tool for tool in tools}


def document_tools(documents: DocumentStore, embedder: Embedder, rows: int = ROWS) -> dict[str, Tool]:
    """Return the four tools over uploaded documents, by name; `rows` is what a search returns by default."""
    search = DocumentSearch(documents, embedder)
    tools: list[Tool] = [
        SemanticSearch(search, rows),
        KeywordSearch(documents),
        QueryTable(documents),
        ListDocuments(documents),
    ]
    return {tool.name: tool for tool in tools}


def toolbox_for(
    toolkits: Sequence[str],
    tools: Mapping[str, Tool],
    timeout_s: float = CALL_TIMEOUT_S,
    recall_timeout_s: float = RECALL_TIMEOUT_S,
    disabled: Collection[str] = (),
) -> Toolbox:
    """Return the tools of these toolkits, and no others, with `stop`; unknown toolkits raise KeyError.

    Tools that are `disabled` remain for rag mode, which offers no tools to the model.
    """
    names = dict.fromkeys(
        name for toolkit in toolkits for name in TOOLKITS[toolkit] if toolkit == RAG_DOCUMENTS or name not in disabled
    )
    own = {RECALL: recall_timeout_s + RECALL_MARGIN_S, NETWORK: timeout_s + MARGIN_S}
    return Toolbox([tools[name] for name in names], timeout_s, own)
