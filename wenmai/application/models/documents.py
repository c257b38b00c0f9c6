"""What operations take and return of documents."""

from datetime import datetime

from pydantic import BaseModel, Field


class DocumentView(BaseModel):
    """An uploaded document."""

    id: str
    filename: str
    mime_type: str
    is_preloaded: bool = Field(description="Everybody sees it; administrators change it")
    uploaded_at: datetime
    chunks: int


class Stored(BaseModel):
    """What an upload did."""

    document: DocumentView
    replaced: DocumentView | None = Field(description="The one of its name that it took the place of")
    message: str


class RemovalReceipt(BaseModel):
    """What a removal took."""

    documents: list[DocumentView]
    chunks: int
