"""Uploaded documents on a Qdrant server: one collection."""

from collections.abc import Callable
from datetime import datetime

from wenmai.stores.qdrant.collection import QdrantCollection
from wenmai.stores.qdrant.document_writes import QdrantDocumentWrites
from wenmai.stores.qdrant.points import QdrantPoints
from wenmai.stores.qdrant.server import QdrantServer
from wenmai.stores.records.collections import CollectionPlan
from wenmai.stores.records.vector_policy import CHUNK_WORDS, DOCUMENT_INDEXES
from wenmai.stores.records.words import question_words
from wenmai.stores.servers.documents import ServerDocumentStore

DOCUMENTS = "documents"
PLAN = CollectionPlan("文档", DOCUMENT_INDEXES, "或在服务器上删除集合 documents 后重新上传")


def qdrant_documents(
    server: QdrantServer, embedder: str, clock: Callable[[], datetime], name: str = DOCUMENTS
) -> ServerDocumentStore:
    """Return the documents on a server."""
    points = QdrantPoints(QdrantCollection(server, name, embedder, PLAN), question_words(CHUNK_WORDS))
    return ServerDocumentStore(points, QdrantDocumentWrites(points, clock))
