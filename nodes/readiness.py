"""Questions that are answered without a search: there are no documents, no session to have them, or no memory."""

import logging
import re
from dataclasses import dataclass

from nodes.drafts import chat, written_by_code
from nodes.modes import documents_alone
from nodes.prompts.documents import NO_SESSION
from state.context import Context, Language, Mode
from state.draft import Draft
from tools.documents.ports import DocumentStore
from tools.documents.records import DocumentScope
from tools.errors import StoreError

WISH = re.compile(
    r"\s*(?:请|麻烦|帮我|你|您|要|一定)*记住(?![的了过吗])(?!.*(?:[?？谁哪吗呢]|什么|怎么|如何|为什么|多少|几个)).+"
    r"|\s*(?:please |kindly )?remember (?:that )?(?:i|i'm|i’m|my|we|our)\b[^?？]+",
    re.IGNORECASE | re.DOTALL,
)
"""What asks for nothing but to be remembered."""

log = logging.getLogger("wenmai.loop")


@dataclass(frozen=True, slots=True)
class Readiness:
    """Check that a run on documents alone has documents, and that a wish to be remembered can be met."""

    documents: DocumentStore | None

    async def answer(
        self, question: str, context: Context, mode: Mode, thread_id: str | None, language: Language
    ) -> Draft | None:
        """Return what answers at once, None if the question takes the usual way."""
        if not context.remember and WISH.fullmatch(question):
            return written_by_code("memory_off", language)
        if not documents_alone(context):
            return None
        if mode == "agent" and not (thread_id or "").strip():
            return chat(NO_SESSION)
        return None if await self.something(context, thread_id) else written_by_code("no_documents", language)

    async def something(self, context: Context, thread_id: str | None) -> bool:
        """Return True if the run sees a document, or if the store fails: then the search reports it."""
        if self.documents is None:
            return False
        try:
            return bool(await self.documents.documents(DocumentScope(context.user_id, thread_id)))
        except StoreError as error:
            log.warning("documents not looked at: %s", error)
            return True
