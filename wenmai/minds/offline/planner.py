"""One turn of calls by what the question asks, then the draft."""

import asyncio
import re
from dataclasses import dataclass, replace

from langchain_core.messages import AIMessage

from nodes.prompts.chinese import refuses, user_text
from nodes.roles import PlanRequest
from tools.control import STOP
from tools.networks.lexicons import Lexicons
from tools.ports import Embedder
from tools.story.linking import EntityLinker, NameTable, fold
from tools.toolboxes import DOCUMENT_TOOLKIT
from wenmai.minds.offline.calls.retrieval import hinted_calls, memory_calls, story_calls
from wenmai.minds.offline.calls.turns import Call, next_calls, queries_of, turn
from wenmai.minds.offline.composer import Composer
from wenmai.minds.offline.conversation.replies import reply_to
from wenmai.minds.offline.documents.asking import document_calls, word_calls
from wenmai.minds.offline.networks.ranking import is_network
from wenmai.minds.offline.questions.question import Question, understood

MOST_CALLS = 5
BESIDE_STORY = frozenset({"document", "memory"})
_MARKED = re.compile(r"(?<=\[E)\d+(?=\])")


@dataclass(frozen=True, slots=True)
class ReadingPlanner:
    """Chooses calls by rule, and lets the composer write the draft."""

    linker: EntityLinker
    composer: Composer
    embedder: Embedder
    lexicons: Lexicons | None = None

    async def plan(self, request: PlanRequest) -> AIMessage:
        """Return the calls of the next turn, or the draft."""
        if request.small_talk:
            return AIMessage(reply_to(request))
        table = await self.linker.table(request.library, request.horizon)
        question = understood(request.resolved, table)
        if request.draft_only:
            return AIMessage(await self._draft(request, question, table))
        calls = next_calls(request, await self._network_turns(request, question))
        if calls:
            return turn(len(request.calls), calls)
        words = word_calls(request) if DOCUMENT_TOOLKIT in request.toolkits else []
        calls = next_calls(request, [self._calls(request, question, table)])
        self.embedder.expect_queries(queries_of(calls))
        if calls and words:
            return turn(len(request.calls), calls)
        if words and not refuses(told := await self._draft(request, question, table), request.language):
            return AIMessage(told)
        calls += next_calls(request, [words])
        reason = "sufficient" if calls or request.evidence else "not_found"
        return turn(len(request.calls), [*calls, (STOP, {"reason": reason})])

    def _calls(self, request: PlanRequest, question: Question, table: NameTable) -> list[Call]:
        documents = document_calls(request) if DOCUMENT_TOOLKIT in request.toolkits else []
        story = story_calls(question, table, request.toolkits)
        return [*documents, *memory_calls(request), *hinted_calls(request), *story][:MOST_CALLS]

    async def _network_turns(self, request: PlanRequest, question: Question) -> list[list[Call]]:
        """Return the calls to networks: of a run with a story too only where the question may be theirs."""
        if self.lexicons is None or request.networks is None:
            return []
        from wenmai.minds.offline.networks.guide import network_turns

        lexicon = await self.lexicons(request.networks)
        turns = await asyncio.to_thread(network_turns, request, lexicon)
        of_story = bool(request.library and question.entities)
        return turns if not of_story or any(lexicon.known(name) for name in request.entities) else []

    async def _draft(self, request: PlanRequest, question: Question, table: NameTable) -> str:
        """Return the draft; where a network was asked only in part, "not found" would be a lie."""
        text = await self._told(request, question, table)
        if request.networks is None or not refuses(text, request.language):
            return text
        from wenmai.minds.offline.networks.guide import asked_in_part

        return user_text("error", request.language) if asked_in_part(request) else text

    async def _told(self, request: PlanRequest, question: Question, table: NameTable) -> str:
        """Return what networks hold, then what the rest holds."""
        if not self.lexicons or not any(is_network(piece) for piece in request.evidence):
            return await self._rest(request, question, table)
        from wenmai.minds.offline.networks.guide import network_answer

        lexicon = await self.lexicons(request.networks)
        told = await asyncio.to_thread(network_answer, request, lexicon)
        if told and (not request.library or not question.entities):
            return told
        rest = await self._rest(request, question, table) if request.library else ""
        found = "\n".join(text for text in (told, rest) if text and not refuses(text, request.language))
        return found or rest or user_text("not_found", request.language)

    async def _rest(self, request: PlanRequest, question: Question, table: NameTable) -> str:
        """Return the draft; without the story where a guarded question names what its reader has not met."""
        if not await self._is_unmet(request):
            return await self.composer.draft(request, question, table)
        kept = [row for row in enumerate(request.evidence, 1) if row[1]["kind"] in BESIDE_STORY or is_network(row[1])]
        told = await self.composer.draft(replace(request, evidence=[piece for _, piece in kept]), question, table)
        return _MARKED.sub(lambda number: str(kept[int(number[0]) - 1][0]), told)

    async def _is_unmet(self, request: PlanRequest) -> bool:
        """Return True if a guarded question names what its reader has not met: other people's deeds are no answer."""
        if request.horizon is None:
            return False
        whole = await self.linker.table(request.library, None)
        visible = await self.linker.table(request.library, request.horizon)
        return any(fold(mention.text) not in visible.spellings for mention in whole.find(request.resolved))
