"""Uploaded documents in Qdrant Edge: one shard."""

from pathlib import Path

from tools.documents.text import embedded_text, searched_text
from tools.wording import Words
from wenmai.stores.edge.collection_points import CollectionPoints
from wenmai.stores.edge.document_writes import DocumentWrites, EdgeDocumentWrites
from wenmai.stores.edge.schema import TENANT, Schema, search_params, shard_config
from wenmai.stores.edge.store import CollectionPlan, EdgeStore
from wenmai.stores.files.refusals import Content
from wenmai.stores.records.collections import DOCUMENT_LABEL
from wenmai.stores.records.document_payload import WINDOWS, to_chunk
from wenmai.stores.records.vector_policy import CHUNK_WORDS, DOCUMENT_INDEXES
from wenmai.stores.vectors.documents import VectorDocumentStore

DOCUMENTS = "documents"
UNREADABLE = Words(
    "请停止使用它的进程，删除 DATA_DIR/.collections/documents 后重新上传",
    "stop what uses it, delete DATA_DIR/.collections/documents and upload again",
)
SCHEMA = Schema(
    folder="points",
    config=shard_config,
    fields=DOCUMENT_INDEXES,
    tenant=TENANT,
    remedy=Words(
        "或删除 DATA_DIR/.collections/documents 后重新上传",
        "or delete DATA_DIR/.collections/documents and upload again",
    ),
    content=Content(Words("文档库", "the store of documents"), UNREADABLE),
)
PLAN = CollectionPlan(
    DOCUMENTS,
    DOCUMENT_LABEL,
    CHUNK_WORDS,
    SCHEMA,
    embedded=lambda record: embedded_text(to_chunk(record)),
    worded=lambda record: searched_text(to_chunk(record)),
    windows=WINDOWS,
)


def edge_documents(data_dir: Path, embedder: str) -> VectorDocumentStore:
    """Return the documents below a folder. The shard opens at first use; calls run in threads."""
    collection = EdgeStore(data_dir, PLAN, embedder, lambda points: DocumentWrites(points).recover())
    return VectorDocumentStore(CollectionPoints(collection, search_params()), EdgeDocumentWrites(collection))
