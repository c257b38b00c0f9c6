"""Uploaded documents on a Qdrant server: one collection."""

from collections.abc import Callable
from datetime import datetime

from tools.wording import Words
from wenmai.stores.qdrant.collection import QdrantCollection
from wenmai.stores.qdrant.document_writes import QdrantDocumentWrites
from wenmai.stores.qdrant.points import QdrantPoints
from wenmai.stores.qdrant.server import QdrantServer
from wenmai.stores.records.collections import DOCUMENT_LABEL, CollectionPlan
from wenmai.stores.records.vector_policy import CHUNK_WORDS, DOCUMENT_INDEXES
from wenmai.stores.records.words import question_words
from wenmai.stores.vectors.documents import VectorDocumentStore

DOCUMENTS = "documents"
REMEDY = Words(
    "或在服务器上删除集合 documents 后重新上传", "or drop the collection documents on the server and upload again"
)
PLAN = CollectionPlan(DOCUMENT_LABEL, DOCUMENT_INDEXES, REMEDY)


def qdrant_documents(
    server: QdrantServer, embedder: str, clock: Callable[[], datetime], name: str = DOCUMENTS
) -> VectorDocumentStore:
    """Return the documents on a server."""
    points = QdrantPoints(QdrantCollection(server, name, embedder, PLAN), question_words(CHUNK_WORDS))
    return VectorDocumentStore(points, QdrantDocumentWrites(points, clock))
