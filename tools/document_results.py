"""Chunks and documents as a model sees them, and as evidence: one chunk is one piece."""

from typing import Any

from state.context import Language
from state.schema import Evidence
from tools.documents import Chunk, DocumentEntry

NOTHING = "No relevant documents found."  # S004-07, S004-09
ENTRY = "{filename} · {mime_type} · {day}"


def chunk_item(chunk: Chunk, language: Language) -> dict[str, Any]:
    """Return what every search shows of a chunk."""
    return {
        "content": chunk.content,
        "filename": chunk.filename,
        "chunk_index": chunk.chunk_index,
        "location": chunk.location.label(language),
    }


def document_item(document: DocumentEntry) -> dict[str, Any]:
    """Return a row of list_documents (S004-08)."""
    return {
        "id": document.id,
        "filename": document.filename,
        "mime_type": document.mime_type,
        "is_preloaded": document.is_preloaded,
        "uploaded_at": document.uploaded_at.isoformat(),
    }


def chunk_evidence(chunk: Chunk, score: float | None, language: Language) -> Evidence:
    """Return a chunk as evidence, verbatim, with file and place (S003-D17)."""
    piece = blank(chunk.chunk_id, chunk.content, chunk.filename)
    piece["score"] = score
    piece["location"] = chunk.location.label(language) or None
    piece["start"], piece["end"] = chunk.start, chunk.end
    return piece


def document_evidence(document: DocumentEntry) -> Evidence:
    """Return a listed document as evidence: that it is there."""
    day = document.uploaded_at.date().isoformat()
    told = ENTRY.format(filename=document.filename, mime_type=document.mime_type, day=day)
    return blank(document.id, told, document.filename)


def blank(id: str, text: str, filename: str) -> Evidence:
    """Return a piece of a document without a place; it is of no story library."""
    return Evidence(
        id=id,
        kind="document",
        tool="",
        call=0,
        text=text,
        score=None,
        library="",
        source=filename,
        part=None,
        chapter=None,
        title=None,
        event_order=None,
        entities=[],
        location=None,
        start=None,
        end=None,
    )
