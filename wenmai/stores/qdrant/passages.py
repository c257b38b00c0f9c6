"""Passages and memories on a Qdrant server: one collection each, passages with the marks of their owners."""

from dataclasses import asdict, dataclass

from tools.errors import StoreGone
from wenmai.stores.files.folder import check_name
from wenmai.stores.files.owners import Owner, OwnerSource, foreign_error, require_owner
from wenmai.stores.qdrant.collection import QdrantCollection
from wenmai.stores.qdrant.points import QdrantPoints
from wenmai.stores.qdrant.server import QdrantServer
from wenmai.stores.records.points import MEMORY_WORDS, collection_of
from wenmai.stores.records.words import passage_words, question_words
from wenmai.stores.vectors.memories import MEMORY_PLAN, VectorMemoryStore
from wenmai.stores.vectors.passages import PASSAGE_PLAN, Known, ServerPassageStore

MARK = "owner:{library}"  # in the collection's metadata


def qdrant_passages(
    server: QdrantServer, base: str, embedder: str, known: Known, owner: OwnerSource
) -> ServerPassageStore:
    """Return the passages on a server.

    Args:
        server: where the collection is, or will be.
        base: COLLECTION_NAME.
        embedder: identity of the embedding model in use; each has its own collection.
        known: raises LibraryNotFound for a library that was never made.
        owner: returns the identity of the catalog that these libraries belong to.
    """
    collection = QdrantCollection(server, collection_of(base, embedder), embedder, PASSAGE_PLAN)
    return ServerPassageStore(QdrantPoints(collection, passage_words()), known, QdrantMarks(collection, owner))


@dataclass(frozen=True, slots=True)
class QdrantMarks:
    """The marks of libraries, in the metadata of their collection.

    Attributes:
        owner: returns the identity of the catalog in use.
    """

    collection: QdrantCollection
    owner: OwnerSource

    @property
    def place(self) -> str:
        return f"Qdrant（{self.collection.server.place}）"

    async def owner_of(self, library: str) -> Owner | None:
        mark = await self.collection.mark(MARK.format(library=check_name(library)))
        return Owner(**mark) if mark else None

    async def mark(self, library: str, owner: Owner) -> None:
        await self.collection.set_mark(MARK.format(library=library), asdict(owner))
        found = await self.owner_of(library)  # the server knows no condition: of two that mark at once the last has it
        if found is None or found.id != owner.id:
            raise foreign_error(self.place, library, found)

    async def unmark(self, library: str) -> None:
        if await self.owner_of(library) is not None:
            await self.collection.set_mark(MARK.format(library=library), None)

    async def require_mine(self, library: str) -> None:
        require_owner(self.place, library, await self.owner_of(library), await self.owner())

    async def prepare(self, library: str, dimension: int) -> None:
        try:
            await self._entered(library, dimension)
        except StoreGone:  # dropped since the last call: it is made again
            await self._entered(library, dimension)

    async def claim(self, library: str) -> None:
        mine, found = await self.owner(), await self.owner_of(library)
        require_owner(self.place, library, found, mine)
        if found is None:
            await self.mark(library, mine)

    async def _entered(self, library: str, dimension: int) -> None:
        await self.collection.require_made(dimension)
        await self.claim(library)


MEMORIES = "memories"


def qdrant_memories(server: QdrantServer, embedder: str, name: str = MEMORIES) -> VectorMemoryStore:
    collection = QdrantCollection(server, name, embedder, MEMORY_PLAN)
    return VectorMemoryStore(QdrantPoints(collection, question_words(MEMORY_WORDS)))
