"""list_documents: the documents of a session."""

from dataclasses import dataclass

from pydantic import BaseModel, Field

from tools.base import Scope, ToolResult
from tools.documents.ports import DocumentStore
from tools.documents.records import document_item
from tools.documents.results import document_evidence
from tools.documents.search import seen_by
from tools.formatting import dump

NAME = "list_documents"


class ListDocumentsArguments(BaseModel):
    """Arguments of list_documents."""

    include_preloaded: bool = Field(default=True, description="是否包含预置文档，默认 true")


@dataclass(frozen=True, slots=True)
class ListDocuments:
    """Lists the documents that the run may see."""

    documents: DocumentStore
    name: str = NAME
    description: str = "列出可用的文档。"
    arguments: type[BaseModel] = ListDocumentsArguments

    async def __call__(self, arguments: ListDocumentsArguments, scope: Scope) -> ToolResult:
        """Return the documents: preloaded first, then the newest first."""
        shown = await self.documents.documents(seen_by(scope), include_preloaded=arguments.include_preloaded)
        data = {"total": len(shown), "documents": [document_item(one) for one in shown]}
        return ToolResult(
            data=data, text=dump(data), evidence=[document_evidence(one) for one in shown], items=len(shown)
        )
