"""Store what a finished turn taught: facts, preferences, decisions, without duplicates (Context.remember)."""

import logging
import re
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import NAMESPACE_OID, uuid5

from langgraph.runtime import Runtime

from nodes.answer import TraceSink
from nodes.call_time import call_time
from nodes.checking.evidence import Segment
from nodes.citations import letters
from nodes.drafts import chat
from nodes.notices import joined_warning
from nodes.policy import Policy
from nodes.roles import LearnRequest, Lesson, LessonKind, Minds
from nodes.scope import Clock, context_of, horizon_of, zone_of
from nodes.telling import chosen, forgettable, means_all, names_something, told_in, what_to_forget
from nodes.usage import metered, tokens_left, with_rows
from state.context import Context, Language
from state.result import TurnResult
from state.schema import AgentState, KeptMemory, Outcome, UsageRow
from tools.errors import ModelError, OutOfTokens, StoreError
from tools.memory.days import day_metadata, told_text
from tools.memory.records import (
    FROM_TURN,
    GENERAL,
    SENSITIVE_PERMISSION,
    Memory,
    MemoryFilter,
    MemoryKeyword,
    MemoryQuery,
    StoryGuard,
    utc,
)
from tools.memory.service import MemoryService
from tools.messages import say_in
from tools.recall.context import MemoryReader

TYPES: dict[LessonKind, str] = {
    "fact": "fact",
    "preference": "user_preference",
    "decision": "decision",
    "summary": GENERAL,
}
AGENT = "wenmai"
SUMMARY_CHARACTERS = 80
MARK = re.compile(r"\[\d+\]")


@dataclass(frozen=True, slots=True, kw_only=True)
class LessonOrigin:
    """Where a lesson comes from; `as_of` is the spoiler guard of its turn, `now` its time by the user's clock."""

    user_id: str
    thread_id: str | None
    trace_id: str
    library: str
    as_of: list[int] | None
    now: datetime


def lesson_memory(lesson: Lesson, turn: LessonOrigin, *, again: bool = False) -> Memory:
    """Return a lesson as a memory; its key depends on its text, so that a turn that runs again writes the same."""
    content = MARK.sub("", lesson.content).strip()
    name = f"{turn.user_id}\n{letters(content)}{turn.trace_id if again else ''}"
    days = day_metadata(content, turn.now)
    origin: dict[str, Any] = {"source": FROM_TURN, "library": turn.library, "as_of": turn.as_of, "trace": turn.trace_id}
    return Memory(
        memory_key=str(uuid5(NAMESPACE_OID, name)),
        user_id=turn.user_id,
        content=content,
        created_at=utc(turn.now),
        memory_type=TYPES[lesson.kind],
        summary=(lesson.summary or content)[:SUMMARY_CHARACTERS],
        content_metadata={**origin, **days, **({"slot": lesson.slot} if lesson.slot else {})},
        keywords=tuple(MemoryKeyword(word.lower()) for word in dict.fromkeys(lesson.keywords) if word.strip()),
        agent_id=AGENT,
        thread_id=turn.thread_id,
    )


def kept_row(memory: Memory, outcome: Outcome, supersedes: Sequence[str] = ()) -> KeptMemory:
    return KeptMemory(
        memory_key=memory.memory_key,
        summary=memory.summary or "",
        memory_type=memory.memory_type,
        outcome=outcome,
        supersedes=list(supersedes),
    )


def acknowledgement(done: Sequence[KeptMemory], language: Language) -> str:
    """Return what was done with what the user told."""
    if not done:
        return say_in(language, "turn.none_kept")
    key = "turn.known" if all(row["outcome"] == "known" for row in done) else "turn.noted"
    return say_in(language, key, listed="\n".join(f"- {row['summary']}" for row in done))


LESSONS_MOST = 5  # of one turn
KNOWN_NEAR = 10  # memories near the question that a learner sees
KNOWN_NEWEST = 20  # and newest memories from earlier turns
NEAR_SCORE = 0.3
MEANT_SCORE, MEANT_SHARE = 0.35, 0.8  # relevance of what a request to forget means, and its share of the best
ASKED_MOST = 9  # memories among which the user is asked which to forget

log = logging.getLogger("wenmai.memory")


def question_before(state: AgentState) -> str:
    turns = state["session"]["turns"]
    return turns[-1]["question"] if turns else ""


def guard_of(state: AgentState, context: Context) -> StoryGuard | None:
    """Return the guard that hides memories that reveal more of the story than the run may know."""
    horizon = horizon_of(state)
    return StoryGuard(context.library, horizon) if horizon else None


@dataclass(frozen=True, slots=True)
class Memories:
    """The memories of all users; `forget` deletes some of a user wherever they went."""

    service: MemoryService
    reader: MemoryReader
    forget: Callable[[str, list[str]], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class Remember:
    """Ask the learner what the turn taught, and store it; a failure adds a warning to the answer."""

    minds: Minds
    memories: Memories | None
    traces: TraceSink
    policy: Policy
    clock: Clock
    segment: Segment

    async def __call__(self, state: AgentState, runtime: Runtime[Context]) -> dict[str, Any]:
        """Return the result with the stored lessons; a turn that runs again stores nothing twice.

        Of what was only told there is no result yet: what was done with it is the draft.
        """
        if state["status"] == "statement":
            return await self.acknowledged(state, runtime)
        context, result = context_of(runtime), TurnResult.model_validate(state["result"])
        warning, kept, language = None, list[KeptMemory](), state["language"]
        with metered("learner", result.attempt or 1, self.clock, tokens_left(state, context)) as rows:
            try:
                # Nothing is learnt from a refusal, nor from memories: a copy would outlive one that the user deletes.
                rests_on_memories = any(piece["kind"] == "memory" for piece in result.evidence)
                is_answer = result.status == "answer" and not rests_on_memories
                kept = await self.kept(state, result.answer if is_answer else "", context)
            except (ModelError, StoreError, TimeoutError) as error:
                log.warning("nothing was kept: %s", error)
                warning = say_in(language, "turn.not_kept", reason=str(error) or say_in(language, "turn.timed_out"))
        if not (context.user_id or "").strip():
            warning = say_in(language, "turn.no_user")
        changed = {
            "remembered": kept,
            "usage": with_rows(result.usage, rows, self.policy.prices),
            "warning": joined_warning(result.warning, warning),
        }
        if result.trace:
            await self.traces.amend(result.trace, changed)
        runtime.stream_writer({"event": "memory", "kept": kept})
        return {"result": result.model_copy(update=changed).record}

    async def acknowledged(self, state: AgentState, runtime: Runtime[Context]) -> dict[str, Any]:
        """Keep or forget what the user told, and return the draft that says what was done."""
        context, language = context_of(runtime), state["language"]
        rows, done, text = list[UsageRow](), list[KeptMemory](), say_in(language, "turn.no_user")
        if self.memories is not None and (context.user_id or "").strip():
            forgets = told_in(state["question"], question_before(state)) == "forget"
            with metered("learner", 1, self.clock, tokens_left(state, context)) as rows:
                try:
                    if forgets:
                        done, text = await self.forgotten(self.memories, state, context)
                    else:
                        done = await self.kept(state, "", context)
                        text = acknowledgement(done, language)
                except (ModelError, StoreError, TimeoutError) as error:
                    log.warning("nothing was kept or forgotten: %s", error)
                    text = say_in(language, "turn.not_kept", reason=str(error) or say_in(language, "turn.timed_out"))
        runtime.stream_writer({"event": "memory", "kept": done})
        return {"draft": chat(text), "kept": done, "usage": [*state["usage"], *rows]}

    async def forgotten(self, memories: Memories, state: AgentState, context: Context) -> tuple[list[KeptMemory], str]:
        """Forget the memories that a request means, of those that the run may read; ask which where several fit."""
        user, language, request = context.user_id or "", state["language"], state["question"]
        is_choice = not what_to_forget(request)
        request = question_before(state) if is_choice else request
        meant, is_sure = await self.meant(memories, user, request, context, guard_of(state, context))
        if is_choice:  # of those that the last answer has shown
            shown = state["session"]["turns"][-1]["answer"] if state["session"]["turns"] else ""
            meant = [one for one in meant if told_text(one, zone_of(context)) in shown]
            meant = [meant[at] for at in chosen(state["question"], len(meant)) or ()]
        elif meant and not is_sure:
            listed = "\n".join(f"{at}. {told_text(one, zone_of(context))}" for at, one in enumerate(meant, 1))
            return [], say_in(language, "turn.which_forgotten", listed=listed)
        if not meant:
            return [], say_in(language, "turn.none_forgotten")
        await memories.forget(user, [memory.memory_key for memory in meant])
        # Its words are not said again but those of the request: they would be kept with this turn.
        done: list[KeptMemory] = [{**kept_row(memory, "forgotten"), "summary": ""} for memory in meant]
        return done, say_in(language, "turn.forgotten", n=len(done), what=what_to_forget(request))

    async def meant(
        self, memories: Memories, user: str, request: str, context: Context, guard: StoryGuard | None
    ) -> tuple[list[Memory], bool]:
        """Return the memories that a request to forget means, and whether it surely means all of them.

        Those have all of its words, and it is one or the request asks for all; others are only near in meaning. What
        was replaced is recalled as past, so it can be forgotten too.
        """
        stored = await memories.reader.store.scroll(user, MemoryFilter(active=None))
        readable = [memory for memory in stored if memory.readable(context.permissions)]
        readable = [memory for memory in readable if guard is None or guard.shows(memory)]
        if found := forgettable(request, readable, self.segment):
            is_sure = len(found) == 1 or means_all(request)
            return found if is_sure else found[:ASKED_MOST], is_sure
        if not names_something(request, self.segment):
            return [], False
        query = MemoryQuery(
            query=what_to_forget(request),
            limit=ASKED_MOST,
            min_score=MEANT_SCORE,
            sees_sensitive=SENSITIVE_PERMISSION in context.permissions,
            zone=zone_of(context),
            guard=guard,
        )
        near = (await memories.reader.find(user, query)).found
        return [one.memory for one in near if one.relevance >= MEANT_SHARE * near[0].relevance], False

    async def kept(self, state: AgentState, answer: str, context: Context) -> list[KeptMemory]:
        """Learn and store. Raises ModelError, StoreError, TimeoutError."""
        user = context.user_id or ""  # unchanged: with one more blank it is another user
        if self.memories is None or not user.strip():
            return []
        known, slotted = await self.known(self.memories, user, state, context)
        request = LearnRequest(
            question=state["question"],
            resolved=state["resolved_question"],
            answer=answer,
            known=known,
            language=state["language"],
            names=state["entities"],
        )
        async with call_time(self.policy.model_timeout_s, self.policy.deadline_s):
            try:
                lessons = await self.minds.of(state).learner.learn(request)
            except OutOfTokens:
                if self.minds.fallback is None:
                    raise
                lessons = await self.minds.fallback.learner.learn(request)
        turn = LessonOrigin(
            user_id=user,
            thread_id=state["thread_id"],
            trace_id=state["trace_id"],
            library=context.library,
            as_of=state["as_of"],
            now=self.clock().astimezone(zone_of(context)),
        )
        lessons = lessons[:LESSONS_MOST]
        given = {lesson.slot for lesson in lessons if lesson.slot}
        keys = {one.memory_key for one in known}
        known += [one for one in slotted if one.content_metadata["slot"] in given and one.memory_key not in keys]
        return [await self.keep(self.memories, lesson, turn, known) for lesson in lessons]

    async def known(
        self, memories: Memories, user: str, state: AgentState, context: Context
    ) -> tuple[list[Memory], list[Memory]]:
        """Return the memories that the turn may repeat or contradict, the nearest and the newest; and all with a slot.

        Of those only what a lesson takes the place of is looked at, however old it is.
        """
        query = MemoryQuery(
            query=state["resolved_question"],
            limit=KNOWN_NEAR,
            min_score=NEAR_SCORE,
            sees_sensitive=SENSITIVE_PERMISSION in context.permissions,
        )
        near = [one.memory for one in (await memories.reader.find(user, query)).found]
        guard = guard_of(state, context)
        where = MemoryFilter(types=tuple(TYPES.values()))
        stored = await memories.reader.store.scroll(user, where)
        slotted = [memory for memory in stored if memory.content_metadata.get("slot")]
        all_of_them = {memory.memory_key: memory for memory in [*near, *stored[:KNOWN_NEWEST]]}

        def readable(rows: Iterable[Memory]) -> list[Memory]:
            own = [memory for memory in rows if memory.readable(context.permissions)]
            return [memory for memory in own if guard is None or guard.shows(memory)]

        return readable(all_of_them.values()), readable(slotted)

    async def keep(self, memories: Memories, lesson: Lesson, turn: LessonOrigin, known: list[Memory]) -> KeptMemory:
        """Store one lesson unless it is known; memories that it contradicts become history."""
        said = letters(MARK.sub("", lesson.content))
        for memory in known:
            if letters(MARK.sub("", memory.content)) == said:
                return kept_row(memory, "known")
        newer = lesson_memory(lesson, turn)
        stored = await memories.reader.store.get(turn.user_id, [newer.memory_key])
        if stored and stored[0].is_active:
            return kept_row(stored[0], "known")
        if stored:  # it was true once, and is again: the older record stays history
            newer = lesson_memory(lesson, turn, again=True)
        slot = lesson.slot
        in_place = [one for one in known if slot and one.content_metadata.get("slot") == slot]
        older = [one for one in known if one.memory_key in lesson.supersedes or one in in_place]
        for memory in older:
            await memories.service.supersede(turn.user_id, memory.memory_key, newer)
            known.remove(memory)
        if not older:
            await memories.service.put([newer])
        known.append(newer)
        return kept_row(newer, "superseded" if older else "kept", [memory.memory_key for memory in older])
