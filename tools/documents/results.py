"""Chunks and documents in results for a model, and as evidence: one chunk is one piece."""

from typing import Any

from state.context import Language
from state.schema import Evidence
from tools.documents.records import Chunk, DocumentEntry
from tools.evidence import blank

NOTHING = "No relevant documents found."
ENTRY = "{filename} · {mime_type} · {day}"


def chunk_item(chunk: Chunk, language: Language) -> dict[str, Any]:
    """Return a chunk as a row of a search."""
    return {
        "content": chunk.content,
        "filename": chunk.filename,
        "chunk_index": chunk.chunk_index,
        "location": chunk.location.label(language),
    }


def chunk_evidence(chunk: Chunk, score: float | None, language: Language) -> Evidence:
    """Return a chunk as evidence, verbatim, with file and place."""
    return blank(
        "document",
        chunk.chunk_id,
        chunk.content,
        score=score,
        source=chunk.filename,
        location=chunk.location.label(language) or None,
        start=chunk.start,
        end=chunk.end,
    )


def document_evidence(document: DocumentEntry) -> Evidence:
    """Return a listed document as evidence of its existence."""
    day = document.uploaded_at.date().isoformat()
    text = ENTRY.format(filename=document.filename, mime_type=document.mime_type, day=day)
    return blank("document", document.id, text, source=document.filename)
