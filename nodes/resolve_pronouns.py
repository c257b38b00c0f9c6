"""Open the turn: reset every per-turn key, make the question self-contained, answer at once what needs no search."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import HumanMessage
from langgraph.runtime import Runtime

from nodes.call_time import call_time
from nodes.drafts import chat, pack, turn_by_code, written_by_code
from nodes.modes import (
    MEMORY_TOOLKIT,
    NETWORK_TOOLKIT,
    RAG_TOOLS,
    documents_alone,
    mode_of,
    offered_toolkits,
    rag_call,
    rag_toolkits,
)
from nodes.notices import slow_model
from nodes.policy import Policy
from nodes.prompts.planner import DOCUMENTS_TITLE, MEMORIES_TITLE, NETWORKS_TITLE, NO_SESSION, question_prompt
from nodes.roles import Minds, Resolution, ResolveRequest
from nodes.scope import Clock, context_of, folders_of, networks_of, place_of
from nodes.telling import Told, told_in
from nodes.turn import (
    NO_SESSION_YET,
    begun,
    deadline_of,
    described,
    fresh_turn,
    language_of,
    last_question,
    push,
    thread_of,
    unknown_to,
    visible_session,
)
from nodes.usage import metered
from state.account import may_go_on
from state.context import Context, Language, Mode
from state.schema import AgentState, Rescue
from state.session import Session
from tools.documents.records import DocumentScope
from tools.errors import InputError, LibraryNotFound, ModelError, StoreError, StoreGone
from tools.messages import Message, say_in, speaking
from tools.networks.words import blanked
from tools.ports import Catalog, DocumentStore
from tools.records import Horizon
from tools.secrets import redacted
from tools.story.guard import read_horizon, strictest
from tools.story.names import EntityLinker
from tools.toolboxes import DOCUMENT_TOOLKIT

SHOWN_QUESTION = 50  # characters of a question in the log
MODE_NAMES: dict[Mode, str] = {"agent": "Function Calling", "rag": "RAG"}

log = logging.getLogger("wenmai.loop")


@dataclass(frozen=True, slots=True)
class ResolvePronouns:
    """Rewrite a question from the session; a self-contained one stays untouched, character for character.

    After a failure of its model it runs again with the fallback mind. After a failure of a store, or without a
    fallback, it opens the turn for an apology and asks no store.
    """

    minds: Minds
    catalog: Catalog
    linker: EntityLinker
    documents: DocumentStore | None
    policy: Policy
    clock: Clock

    async def __call__(self, state: AgentState, runtime: Runtime[Context]) -> dict[str, Any]:
        """Return every per-turn key. Raises InputError for a blank question or a foreign thread."""
        context = context_of(runtime)
        now = self.clock()
        question = last_question(state)
        if "owner" in state and not may_go_on(state["owner"], context.user_id):
            raise InputError(Message("conversation.unknown_thread"))  # to other users it does not exist
        language, rescue = language_of(question, context), state.get("rescue")
        horizon = await self.horizon(context, rescue)
        mode, thread_id, told = mode_of(context, self.policy), thread_of(runtime), None
        ready = dict[str, Any]()
        title, given = context.library or title_without(context), state.get("session_context")
        session: Session
        session, earlier = unknown_to(state.get("session") or NO_SESSION_YET, state["messages"][:-1])
        if not apologizes(rescue):  # an apology shows nothing of the session, which stays as it is, and asks no store
            title = (await self.catalog.info(context.library)).title if context.library else title
            if given and not session["turns"]:
                earlier = given.get("turns") or earlier
            with missing_library_as_gone():
                session = await visible_session(self.linker, session, context.library, horizon, earlier)
                before = session["turns"][-1]["question"] if session["turns"] else ""
                if (told := told_in(question, before)) is not None:
                    table = await self.linker.table(context.library, horizon)
                    told = told_in(blanked(question, table.find(question)), before)  # 我爱罗 is a name
            ready = await self.ready_answer(told, context, mode, thread_id, language)
        is_told = told is not None and not ready
        if given:
            entities = push(session["entities"], given.get("entities", []))
            session = {**session, "entities": entities, "topic": given.get("topic") or session["topic"]}
        if session["entities"] and not apologizes(rescue):
            with missing_library_as_gone():
                names = [await self.linker.table(context.library, horizon)]
            session = {**session, "entities": [described(entity, names) for entity in session["entities"]]}
        shown = redacted(question)[:SHOWN_QUESTION] if self.policy.log_questions else ""
        log.info("Handling question for session %s: %s...", thread_id, shown)
        log.info("Using %s mode", MODE_NAMES[mode])
        request = ResolveRequest(
            question=question,
            session=session,
            library=context.library,
            horizon=horizon,
            language=language,
            mode=mode,
            networks=networks_of(context),
        )
        deadline_at = begun(now, runtime) + deadline_of(context, self.policy)
        left = context.max_tokens
        with missing_library_as_gone(), speaking(language), metered("resolver", 1, self.clock, left) as rows:
            seconds = deadline_at - self.clock().timestamp()
            if self.minds.fallback:
                seconds -= self.policy.kept_s(deadline_of(context, self.policy))
            resolution = as_asked(question) if ready or is_told else await self.resolution(request, rescue, seconds)
        is_searched = mode == "rag" and not (ready or is_told or resolution.small_talk)
        asked = HumanMessage(question_prompt(question, session, language, resolution.question))
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
            "candidates": [*resolution.candidates],
            "entities": resolution.entities,
            "topic": resolution.topic,
            "status": "small_talk" if resolution.small_talk else "open",
            "transcript": pack([asked]),
            "pending": [],
            "warning": resolution.warning,
            **(opening(asked, resolution, context, self.policy, language) if is_searched else {}),
            **({"status": "statement"} if is_told else ready),
            **({"warning": rescue["reason"]} if rescue else {}),
            **({"degraded": True} if rescue and rescue["degraded"] else {}),
            **({"status": "failed", "pending": []} if apologizes(rescue) else {}),
        }

    async def ready_answer(
        self, told: Told | None, context: Context, mode: Mode, thread_id: str | None, language: Language
    ) -> dict[str, Any]:
        """Return the keys of an answer that is given at once, {} if the question takes the usual way.

        What is told may not be kept, nor looked for to be forgotten, and a run on documents alone may have none.
        """
        if told == "statement" and not context.remember:
            return {"status": "ready", "draft": written_by_code("memory_off", language)}
        if told == "forget" and MEMORY_TOOLKIT not in offered_toolkits(context):
            return {"status": "ready", "draft": written_by_code("forgetting_off", language)}
        if not documents_alone(context):
            return {}
        if mode == "agent" and not (thread_id or "").strip():
            return {"status": "ready", "draft": chat(NO_SESSION)}
        try:
            if self.documents and await self.documents.documents(
                DocumentScope(context.user_id, thread_id, folders_of(context))
            ):
                return {}
        except StoreError as error:
            log.warning("documents not looked at: %s", error)
            return {}  # the search reports it
        draft, warning = written_by_code("no_documents", language), say_in(language, "turn.other_sessions")
        return {"status": "ready", "draft": draft, "warning": warning}

    async def horizon(self, context: Context, rescue: Rescue | None) -> Horizon | None:
        """Return the guard of the turn; an apology asks no store. Raises StoreError."""
        if context.as_of_chapter is None:
            return None
        if apologizes(rescue):
            return strictest(context.as_of_chapter, context.as_of_part)
        return await read_horizon(self.catalog, context.library, context.as_of_chapter, context.as_of_part)

    def seconds_left(self, state: AgentState, runtime: Runtime[Context]) -> float:
        """Return the question's seconds while its turn is not open: the state may still hold an older deadline."""
        now = self.clock()
        return begun(now, runtime) + deadline_of(context_of(runtime), self.policy) - now.timestamp()

    async def resolution(self, request: ResolveRequest, rescue: Rescue | None, seconds: float) -> Resolution:
        """Ask the resolver within its time; after a failure that of the fallback, or none. Raises ModelError."""
        if rescue is None:
            try:
                async with call_time(self.policy.model_timeout_s, seconds):
                    return await self.minds.first.resolver.resolve(request)
            except TimeoutError as exc:
                message = slow_model("resolver", request.language, min(self.policy.model_timeout_s, seconds))
                raise ModelError(message, transient=seconds > 0 and self.policy.tries_slow) from exc
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
    return rescue is not None and not rescue["degraded"]


def title_without(context: Context) -> str:
    if DOCUMENT_TOOLKIT in context.toolkits:
        return DOCUMENTS_TITLE
    return NETWORKS_TITLE if NETWORK_TOOLKIT in context.toolkits else MEMORIES_TITLE


def as_asked(question: str) -> Resolution:
    return Resolution(question=question, mentions=[], entities=[], topic=None)


def opening(
    asked: HumanMessage, resolution: Resolution, context: Context, policy: Policy, language: Language
) -> dict[str, Any]:
    """Return the pending call of rag mode, with its transcript and warning."""
    call = rag_call(context.toolkits, resolution.question, policy)
    left = ", ".join(RAG_TOOLS[one] for one in rag_toolkits(context.toolkits)[1:])
    warning = say_in(language, "turn.one_retrieval", used=call["name"], left=left) if left else None
    return {"transcript": pack([asked, turn_by_code(call)]), "pending": [call], "warning": warning}
