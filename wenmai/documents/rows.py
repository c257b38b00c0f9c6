"""Documents as plain data: what commands and the server answer, and the files that are uploaded."""

from pathlib import Path
from typing import Any

from tools.documents.records import DocumentEntry, Removed, document_item
from tools.errors import InputError
from tools.wording import Words
from wenmai.documents.service import Uploaded

NO_FILE = Words("没有这个文件：{path}", "there is no file {path}")


def document_row(document: DocumentEntry) -> dict[str, Any]:
    """Return a document as list_documents shows it, with how many chunks it has."""
    return {**document_item(document), "chunks": document.chunks}


def upload_row(uploaded: Uploaded) -> dict[str, Any]:
    """Return what an upload did."""
    replaced = None if uploaded.replaced is None else document_row(uploaded.replaced)
    return {"document": document_row(uploaded.document), "replaced": replaced, "message": uploaded.message}


def removal_row(removed: Removed) -> dict[str, Any]:
    """Return what a removal took."""
    return {"documents": [document_row(one) for one in removed.documents], "chunks": removed.chunks}


def file_bytes(path: Path, most: int) -> bytes:
    """Return the bytes of a file, at most one more than the limit, so that its excess shows. Raises InputError."""
    if not path.is_file():
        raise InputError(NO_FILE.of(path=path))
    with path.open("rb") as file:
        return file.read(most + 1)
