"""Ports of the stores. Every method filters inside the store by library and horizon; None: no spoiler guard.

Failures are the errors of `tools.errors`; "nothing found" is an empty result, never an error.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Protocol

from tools.documents.records import Chunk, DocumentEntry, DocumentOwner, DocumentScope, Matches, RankedChunk, Removed
from tools.memory.records import Memory, MemoryFilter, RankedMemory
from tools.networks.records import Account, InstancePage, InstanceQuery, NetworkSchema, PathQuery, PathResult
from tools.recall.schemas import ExpandRequest, Expansion
from tools.records import (
    Chapter,
    ChapterOutline,
    Entity,
    EventType,
    Horizon,
    LibraryInfo,
    MajorEvent,
    Name,
    Neighbourhood,
    Passage,
    PassageFilter,
    Ranked,
    Relation,
    ScoredPassage,
    Summary,
    SummaryFilter,
)
from tools.story.windows import Embedded


class Embedder(Protocol):
    """Turns texts into unit vectors of `dimension` floats."""

    @property
    def name(self) -> str:
        """Identity of the model, recorded with each library."""
        ...

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        ...

    async def embed_query(self, text: str) -> list[float]:
        """Return the unit vector of a search query. Raises ModelError if the embedder's service fails."""
        ...

    def expect_queries(self, texts: Sequence[str]) -> None:
        """Announce queries that will be embedded soon; an embedder may begin with them, or do nothing."""
        ...

    async def embed_passages(self, texts: Sequence[str]) -> list[list[float]]:
        """Return the unit vectors of passages, in order. Raises ModelError if the embedder's service fails."""
        ...


class WindowEmbedder(Embedder, Protocol):
    """An embedder that returns the vectors of a passage's windows, too."""

    async def embed_windows(self, texts: Sequence[str]) -> list[Embedded]:
        """Return the unit vectors of passages, in order, each with those of its windows. Raises ModelError."""
        ...


class PassageStore(Protocol):
    """Passages with a dense and a sparse (BM25) vector each."""

    async def dense(self, library: str, vector: Sequence[float], where: PassageFilter, limit: int) -> list[Ranked]:
        """Return the rows nearest to `vector` by cosine (-1..1), best first."""
        ...

    async def sparse(self, library: str, text: str, where: PassageFilter, limit: int) -> list[Ranked]:
        """Return the rows that share most with the words of `text` by BM25, best first."""
        ...

    async def fetch(
        self,
        library: str,
        ids: Sequence[str],
        vector: Sequence[float] | None = None,
        horizon: Horizon | None = None,
    ) -> list[ScoredPassage]:
        """Return these passages in the order of `ids` (unknown ids are left out), scored against `vector` if given.

        Their names are those of the horizon, as in `scroll`.
        """
        ...

    async def scroll(
        self, library: str, where: PassageFilter, limit: int | None = None, *, texts: bool = True
    ) -> list[Passage]:
        """Return all (or the first `limit`) matching passages in ascending story position (event_order).

        Without `texts` theirs are '' and are not read.
        """
        ...

    async def count(self, library: str, where: PassageFilter) -> int:
        """Return how many passages match."""
        ...

    async def upsert(self, library: str, passages: Sequence[Passage], vectors: Sequence[Sequence[float]]) -> None:
        """Write passages; the same id is replaced. Durable when it returns."""
        ...

    async def vectors(self, library: str, passages: Sequence[Passage]) -> dict[str, list[float]]:
        """Return the stored dense vectors, by id, of those passages that are stored with the same text."""
        ...

    async def reorder(self, library: str, orders: Mapping[str, int]) -> None:
        """Set `event_order` of these ids and change nothing else."""
        ...

    async def delete(self, library: str, ids: Iterable[str]) -> int:
        """Delete these ids and return how many there were."""
        ...


class KeywordExpander(Protocol):
    """Finds the keywords of a query for memories."""

    async def expand(self, request: ExpandRequest) -> Expansion:
        """Return at most `request.most` keywords by importance. Raises ModelError."""
        ...


class StoryGraph(Protocol):
    """Entities with aliases, relations and events of a library."""

    async def names(self, library: str, horizon: Horizon | None) -> list[Name]:
        """Return every visible spelling, in a fixed order. Adapters keep it cached until the next write."""
        ...

    async def entity(self, library: str, name: str, horizon: Horizon | None) -> Entity | None:
        """Return the entity of this canonical name, with its visible aliases."""
        ...

    async def relation_types(self, library: str, horizon: Horizon | None) -> list[str]:
        """Return the types of the visible relations, sorted."""
        ...

    async def neighbourhood(
        self, library: str, name: str, relation: str | None, depth: int, limit: int, horizon: Horizon | None
    ) -> Neighbourhood:
        """Return at most `limit` distinct entities within 1..depth hops, both directions."""
        ...

    async def relations(
        self, library: str, name: str, horizon: Horizon | None, *, other: str | None = None, type: str | None = None
    ) -> list[Relation]:
        """Return the one-hop relations of an entity, both directions, in story position (without one: last)."""
        ...

    async def path(
        self, library: str, start: str, end: str, max_hops: int, avoid_kinds: Sequence[str], horizon: Horizon | None
    ) -> list[Relation]:
        """Return the edges of one shortest path in order, with their true directions; [] if there is none.

        Entities of `avoid_kinds` are not inner nodes. Ties are broken so that the result is always the same.
        """
        ...

    async def events(
        self, library: str, name: str, event_type: EventType | None, horizon: Horizon | None
    ) -> list[MajorEvent]:
        """Return the events that an entity takes part in, in story position."""
        ...

    async def every_event(self, library: str, horizon: Horizon | None) -> list[MajorEvent]:
        """Return all events with those of their participants that are visible, in story position."""
        ...

    async def put_entities(self, library: str, entities: Sequence[Entity]) -> None:
        """Write entities with their aliases; the same name is replaced, relations and events stay."""
        ...

    async def put_chapter(
        self,
        library: str,
        task_id: str,
        part: int,
        chapter: int | None,
        relations: Sequence[Relation],
        events: Sequence[MajorEvent],
    ) -> None:
        """Replace what was extracted from one chapter. Unknown ends are created as entities of the record's kind."""
        ...

    async def put_imported(
        self, library: str, task_id: str, relations: Sequence[Relation], events: Sequence[MajorEvent]
    ) -> None:
        """Replace what was imported under `task_id` (the file's stem), whatever its chapters."""
        ...

    async def delete_source(self, library: str, task_id: str) -> dict[str, int]:
        """Delete a source's relations and events; return counts by kind."""
        ...

    async def delete_entities(self, library: str, names: Sequence[str]) -> int:
        """Delete these entities with their aliases and edges; return how many there were."""
        ...

    async def counts(self, library: str, horizon: Horizon | None = None) -> dict[str, int]:
        """Return how many visible entities, aliases, relations and events there are."""
        ...


class KnowledgeNetwork(Protocol):
    """Typed knowledge networks by id, here or behind an ontology-query service.

    Every method takes the account that asks, and the seconds that it may take. They raise KnowledgeTimeout,
    KnowledgeFailed, KnowledgeRefused (an unknown network or object type: 404) and KnowledgeQueryError; no instances and
    no neighbours are empty results.
    """

    async def schema(self, network_id: str, account: Account, *, timeout_s: float) -> NetworkSchema:
        """Return the object types and relation types of a network."""
        ...

    async def instances(
        self, network_id: str, query: InstanceQuery, account: Account, *, timeout_s: float
    ) -> InstancePage:
        """Return the instances of one object type that match."""
        ...

    async def neighbours(self, network_id: str, query: PathQuery, account: Account, *, timeout_s: float) -> PathResult:
        """Return the neighbours of one instance along one relation in one direction.

        An unknown instance, or one without neighbours, has none; an unknown relation is refused with 404.
        """
        ...


class Catalog(Protocol):
    """The libraries, with their sources and chapters."""

    async def libraries(self) -> list[LibraryInfo]:
        """Return every library, by name."""
        ...

    async def info(self, library: str) -> LibraryInfo:
        """Return one library. Raises LibraryNotFound."""
        ...

    async def chapters(
        self,
        library: str,
        task_id: str | None = None,
        horizon: Horizon | None = None,
        *,
        at: tuple[int, int | None] | None = None,
    ) -> list[Chapter]:
        """Return the stored chapters in reading order.

        Args:
            library: theirs.
            task_id: only those of this source.
            horizon: only those that it shows.
            at: only the one of this part under this slot, in each source.
        """
        ...

    async def outline(
        self, library: str, horizon: Horizon | None = None, *, measured: bool = False
    ) -> list[ChapterOutline]:
        """Return the stored chapters without their texts, in reading order; under a horizon those that it shows.

        Only `measured` ones have their `characters`, which takes reading every text.
        """
        ...

    async def summaries(self, library: str, where: SummaryFilter) -> list[Summary]:
        """Return what a model wrote of chapters and people, by the last chapter covered, then by kind and subject."""
        ...


class SummaryStore(Protocol):
    """What a catalog has of summaries, for the tools that show them."""

    async def summaries(self, library: str, where: SummaryFilter) -> list[Summary]:
        """Return what a model wrote of chapters and people, by the last chapter covered, then by kind and subject."""
        ...


class DocumentStore(Protocol):
    """Chunks of uploaded documents with a dense and a sparse (BM25) vector each, and the documents that they make up.

    Reads see what a `DocumentScope` shows and nothing else: the scope is a condition inside every query.
    Writes change documents of a `DocumentOwner`. A document is stored whole or not at all, also after a crash.
    """

    async def put(
        self, chunks: Sequence[Chunk], vectors: Sequence[Sequence[float]], replaces: Sequence[str] = ()
    ) -> DocumentEntry | None:
        """Write one document, all its chunks in order, and return the one that it replaced.

        That is the one of its owner and name, and the one of its owner whose id `replaces` names. Durable when it
        returns. Raises ValueError for no chunks, EmbedderMismatch, StoreFull.
        """
        ...

    async def move(self, documents: Sequence[DocumentEntry], owner: DocumentOwner) -> None:
        """Give documents to another owner, all or none; one that its owner has no longer stays gone."""
        ...

    async def chunks(self, scope: DocumentScope, document_id: str) -> list[Chunk]:
        """Return the chunks of a visible document in order, without the vectors of their parts; else []."""
        ...

    async def documents(self, scope: DocumentScope, *, include_preloaded: bool = True) -> list[DocumentEntry]:
        """Return the visible documents: preloaded first, then the newest first, then by filename."""
        ...

    async def dense(self, scope: DocumentScope, vector: Sequence[float], limit: int) -> list[RankedChunk]:
        """Return the chunks nearest to `vector` by cosine, best first, then by filename and chunk_index."""
        ...

    async def sparse(self, scope: DocumentScope, text: str, limit: int) -> list[RankedChunk]:
        """Return the chunks that share most with the words of `text` by BM25, best first, then as in `dense`.

        Document frequencies are counted over the scope alone: documents of others do not change a score.
        """
        ...

    async def fetch(
        self, scope: DocumentScope, chunk_ids: Sequence[str], vector: Sequence[float] | None = None
    ) -> list[RankedChunk]:
        """Return these chunks in the order of `chunk_ids`, scored by cosine against `vector` (without one: 0.0).

        Ids that are unknown or not visible are left out.
        """
        ...

    async def matching(self, scope: DocumentScope, terms: Sequence[str], limit: int) -> Matches:
        """Return the chunks that hold every term as a literal substring, or when none does, those that hold any.

        Compared after NFKC and case folding; there are no wildcards and no tokenizer is used. Ordered by the
        number of different terms, then of occurrences, both descending, then by filename and chunk_index; `total`
        counts them before the limit.
        """
        ...

    async def remove(self, owner: DocumentOwner, document_id: str) -> Removed:
        """Remove a document with its chunks; an unknown one, or one of another owner, removes nothing."""
        ...

    async def remove_all(self, owner: DocumentOwner) -> Removed:
        """Remove every document of an owner: of a session, or with PRELOADED the preloaded ones."""
        ...

    async def remove_session(self, session_id: str) -> Removed:
        """Remove every document of a deleted session, of any owner; a blank id is no session."""
        ...

    async def remove_user(self, user_id: str) -> Removed:
        """Remove every document of a user, of sessions and of the collection; a blank id is nobody."""
        ...

    async def of_user(self, user_id: str) -> Sequence[DocumentEntry]:
        """Return the documents of a user, of all sessions and of the collection."""
        ...


class MemoryStore(Protocol):
    """Memories with a dense and a sparse (BM25) vector each; every method sees those of one user.

    The user is a condition inside every query. A blank user_id raises InputError; a user without memories has none.
    """

    async def put(self, memories: Sequence[Memory], vectors: Sequence[Sequence[float]]) -> None:
        """Write memories; the same key of the same user is replaced. Durable when it returns."""
        ...

    async def get(self, user_id: str, keys: Sequence[str]) -> list[Memory]:
        """Return these memories, inactive ones too, in the order of `keys`; unknown keys are left out."""
        ...

    async def vectors(self, user_id: str, keys: Sequence[str]) -> dict[str, list[float]]:
        """Return the stored dense vectors of these memories, by key."""
        ...

    async def scroll(self, user_id: str, where: MemoryFilter, limit: int | None = None) -> list[Memory]:
        """Return all (or the first `limit`) matching memories, the newest first, then by key."""
        ...

    async def dense(self, user_id: str, vector: Sequence[float], where: MemoryFilter, limit: int) -> list[RankedMemory]:
        """Return the memories nearest to `vector` by cosine, best first, then as in `scroll`."""
        ...

    async def sparse(self, user_id: str, text: str, where: MemoryFilter, limit: int) -> list[RankedMemory]:
        """Return the memories that share most with the words of `text` by BM25, best first, then as in `scroll`."""
        ...

    async def count(self, user_id: str, where: MemoryFilter) -> int:
        """Return how many memories match."""
        ...

    async def delete(self, user_id: str, keys: Sequence[str]) -> int:
        """Delete these memories and return how many there were."""
        ...


MonotonicClock = Callable[[], float]
