"""Open the turn: reset every per-turn key, make the question self-contained, answer at once what needs no search."""

import asyncio
import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import HumanMessage
from langgraph.runtime import Runtime

from nodes.drafts import chat, written_by_code
from nodes.modes import NETWORK_TOOLKIT, RAG_TOOLS, documents_alone, mode_of, rag_call, rag_toolkits
from nodes.policy import Policy
from nodes.prompts.planner import DOCUMENTS_TITLE, MEMORIES_TITLE, NETWORKS_TITLE, NO_SESSION, question_prompt
from nodes.results.notices import ONE_RETRIEVAL, slow_model
from nodes.results.usage import metered
from nodes.roles import Minds, Resolution, ResolveRequest
from nodes.scope import Clock, context_of, networks_of, place_of
from nodes.session import VisibleSession, push
from nodes.transcript import made, pack
from nodes.turn import begun, fresh_turn, language_of, last_question, own_thread, thread_of
from state.context import Context, Language, Mode
from state.draft import Draft
from state.schema import AgentState, Rescue
from state.session import Session
from tools.documents.records import DocumentScope
from tools.errors import LibraryNotFound, ModelError, StoreError, StoreGone
from tools.ports import Catalog, DocumentStore
from tools.records import Horizon
from tools.secrets import redacted
from tools.story.guard import read_horizon, strictest
from tools.toolboxes import DOCUMENT_TOOLKIT
from tools.wording import speaking

SHOWN_QUESTION = 50  # characters of a question in the log
MODE_NAMES: dict[Mode, str] = {"agent": "Function Calling", "rag": "RAG"}

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


@dataclass(frozen=True, slots=True)
class ResolvePronouns:
    """Rewrite a question from the session; a self-contained one stays untouched, character for character.

    After a failure of its model it runs again with the fallback mind. After a failure of a store, or without a
    fallback, it opens the turn for an apology and asks no store.
    """

    minds: Minds
    catalog: Catalog
    visible_session: VisibleSession
    readiness: Readiness
    policy: Policy
    clock: Clock

    async def __call__(self, state: AgentState, runtime: Runtime[Context]) -> dict[str, Any]:
        """Return every per-turn key. Raises InputError for a blank question or a foreign thread."""
        context = context_of(runtime)
        now = self.clock()
        question = last_question(state)
        own_thread(state, context)
        language, rescue = language_of(question, context), state.get("rescue")
        horizon = await self.horizon(context, rescue)
        if apologizes(rescue):  # it shows nothing of the session, which stays as it is, and asks no store
            title = context.library or title_without(context)
            kept = state.get("session") or Session(entities=[], topic=None, turns=[])
        else:
            title, kept = await self.looked_up(state, context, horizon)
        session = handed_over(state, kept)
        mode, thread_id = mode_of(context, self.policy), thread_of(runtime)
        shown = redacted(question)[:SHOWN_QUESTION] if self.policy.log_questions else ""
        log.info("Handling question for session %s: %s...", thread_id, shown)
        log.info("Using %s mode", MODE_NAMES[mode])
        ready = None
        if not apologizes(rescue):
            ready = await self.readiness.answer(question, context, mode, thread_id, language)
        request = ResolveRequest(
            question=question,
            session=session,
            library=context.library,
            horizon=horizon,
            language=language,
            mode=mode,
            networks=networks_of(context),
        )
        deadline_at = begun(now, runtime) + context.deadline_s
        with missing_library_as_gone(), speaking(language), metered("resolver", 1, self.clock) as rows:
            resolution = as_asked(question) if ready else await self.resolution(request, rescue, deadline_at)
        return {
            **fresh_turn(now, question, context, self.policy),
            "usage": [*(rescue["usage"] if rescue else []), *rows],
            "deadline_at": deadline_at,
            "language": language,
            "session": session,
            "owner": context.user_id,
            "library": context.library,
            "title": title,
            "as_of": place_of(horizon),
            "thread_id": thread_id,
            "resolved_question": resolution.question,
            "resolutions": resolution.mentions,
            "entities": resolution.entities,
            "topic": resolution.topic,
            "status": "small_talk" if resolution.small_talk else "open",
            "transcript": pack([HumanMessage(question_prompt(question, session, language, resolution.question))]),
            "pending": [],
            **({} if ready or resolution.small_talk else opening(question, resolution, session, context, self.policy)),
            **({"status": "ready", "draft": ready} if ready else {}),
            **rescued(rescue),
        }

    async def horizon(self, context: Context, rescue: Rescue | None) -> Horizon | None:
        """Return the guard of the turn; an apology asks no store. Raises StoreError."""
        if context.as_of_chapter is None:
            return None
        if apologizes(rescue):
            return strictest(context.as_of_chapter, context.as_of_part)
        return await read_horizon(self.catalog, context.library, context.as_of_chapter, context.as_of_part)

    async def looked_up(self, state: AgentState, context: Context, horizon: Horizon | None) -> tuple[str, Session]:
        """Return the title of the run's subject, and the session as its reader may see it. Raises StoreError."""
        title = (await self.catalog.info(context.library)).title if context.library else title_without(context)
        given = state.get("session_context")
        earlier = given.get("turns", ()) if given else ()
        with missing_library_as_gone():
            return title, await self.visible_session(state.get("session"), context.library, horizon, earlier)

    def seconds_left(self, state: AgentState, runtime: Runtime[Context]) -> float:
        """Return the question's seconds while its turn is not open: the state may still hold an older deadline."""
        now = self.clock()
        return begun(now, runtime) + context_of(runtime).deadline_s - now.timestamp()

    async def resolution(self, request: ResolveRequest, rescue: Rescue | None, deadline_at: float) -> Resolution:
        """Ask the resolver within its time; after a failure that of the fallback, or none. Raises ModelError."""
        if rescue is None:
            seconds = min(self.policy.model_timeout_s, deadline_at - self.clock().timestamp())
            try:
                async with asyncio.timeout(seconds):
                    return await self.minds.first.resolver.resolve(request)
            except TimeoutError as exc:
                message = slow_model("resolver", request.language, seconds)
                raise ModelError(message, transient=seconds > 0) from exc
        if rescue["degraded"] and self.minds.fallback:
            return await self.minds.fallback.resolver.resolve(request)
        return as_asked(request.question)


@contextmanager
def missing_library_as_gone() -> Iterator[None]:
    """Treat a library that a store does not know as lost, because the catalog has it. Raises StoreGone."""
    try:
        yield
    except LibraryNotFound as error:
        raise StoreGone(str(error)) from error


def apologizes(rescue: Rescue | None) -> bool:
    """Return True if the turn is opened for an apology alone."""
    return rescue is not None and not rescue["degraded"]


def title_without(context: Context) -> str:
    """Return the title of a run without a library."""
    if DOCUMENT_TOOLKIT in context.toolkits:
        return DOCUMENTS_TITLE
    return NETWORKS_TITLE if NETWORK_TOOLKIT in context.toolkits else MEMORIES_TITLE


def as_asked(question: str) -> Resolution:
    """Return a question as it is."""
    return Resolution(question=question, mentions=[], entities=[], topic=None)


def rescued(rescue: Rescue | None) -> dict[str, Any]:
    """Return the keys that a failure of the resolver's model leaves in the turn."""
    if rescue is None:
        return {}
    if rescue["degraded"]:
        return {"degraded": True, "warning": rescue["reason"]}
    return {"status": "failed", "warning": rescue["reason"], "pending": []}


def handed_over(state: AgentState, session: Session) -> Session:
    """Return the session with a handed-over session context pushed onto it."""
    given = state.get("session_context")
    if not given:
        return session
    entities = push(session["entities"], given.get("entities", []))
    return {**session, "entities": entities, "topic": given.get("topic") or session["topic"]}


def opening(
    question: str, resolution: Resolution, session: Session, context: Context, policy: Policy
) -> dict[str, Any]:
    """Return the pending call of rag mode, with its transcript and warning; {} in agent mode."""
    if mode_of(context, policy) != "rag":
        return {}
    language = language_of(question, context)
    call = rag_call(context.toolkits, resolution.question, policy)
    asked = HumanMessage(question_prompt(question, session, language, resolution.question))
    left = ", ".join(RAG_TOOLS[one] for one in rag_toolkits(context.toolkits)[1:])
    warning = ONE_RETRIEVAL[language].format(used=call["name"], left=left) if left else None
    return {"transcript": pack([asked, made(call)]), "pending": [call], "warning": warning}


WISH = re.compile(
    r"\s*(?:请|麻烦|帮我|你|您|要|一定)*记住(?![的了过吗])(?!.*(?:[?？谁哪吗呢]|什么|怎么|如何|为什么|多少|几个)).+"
    r"|\s*(?:please |kindly )?remember (?:that )?(?:i|i'm|i’m|my|we|our)\b[^?？]+",
    re.IGNORECASE | re.DOTALL,
)
"""What asks for nothing but to be remembered."""
