"""Questions that are answered without a search: there are no documents, or no session to have them."""

import logging
from dataclasses import dataclass

from nodes.modes import documents_alone
from nodes.prompts.chinese import user_text
from nodes.prompts.documents import NO_SESSION
from state.context import Context, Language, Mode
from tools.documents.ports import DocumentStore
from tools.documents.records import DocumentScope
from tools.errors import StoreError

log = logging.getLogger("wenmai.loop")


@dataclass(frozen=True, slots=True)
class Readiness:
    """Check that a run on documents alone has documents; other runs are always ready."""

    documents: DocumentStore | None

    async def answer(self, context: Context, mode: Mode, thread_id: str | None, language: Language) -> str | None:
        """Return the text that answers at once, None if the question takes the usual way."""
        if not documents_alone(context):
            return None
        if mode == "agent" and not (thread_id or "").strip():
            return NO_SESSION
        return None if await self.something(context, thread_id) else user_text("no_documents", language)

    async def something(self, context: Context, thread_id: str | None) -> bool:
        """Return True if the run sees a document, or if the store fails: then the search reports it."""
        if self.documents is None:
            return False
        try:
            return bool(await self.documents.documents(DocumentScope(context.user_id, thread_id)))
        except StoreError as error:
            log.warning("documents not looked at: %s", error)
            return True
