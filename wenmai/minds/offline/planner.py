"""One turn of calls by what the question asks, then the draft."""

import asyncio
from dataclasses import dataclass, replace

from nodes.drafts import chat, written_by_code
from nodes.roles import PlanRequest, Reply
from state.draft import Draft
from tools.control import STOP
from tools.networks.lexicon import Lexicons
from tools.ports import Embedder
from tools.story.linking import EntityLinker, NameTable, fold
from tools.toolboxes import DOCUMENT_TOOLKIT
from wenmai.minds.offline.calibration import STATED
from wenmai.minds.offline.calls.retrieval import hinted_calls, memory_calls, story_calls
from wenmai.minds.offline.calls.turns import Call, next_calls, queries_of, turn
from wenmai.minds.offline.composer import Composer
from wenmai.minds.offline.conversation.replies import reply_to
from wenmai.minds.offline.documents.asking import document_calls, word_calls
from wenmai.minds.offline.drafting import Told, written
from wenmai.minds.offline.networks.ranking import is_network
from wenmai.minds.offline.questions.question import Question, understood

MOST_CALLS = 5
BESIDE_STORY = frozenset({"document", "memory"})


@dataclass(frozen=True, slots=True)
class ReadingPlanner:
    """Chooses calls by rule, and lets the composer write the draft."""

    linker: EntityLinker
    composer: Composer
    embedder: Embedder
    lexicons: Lexicons | None = None

    async def plan(self, request: PlanRequest) -> Reply:
        """Return the calls of the next turn, or the draft."""
        if request.small_talk:
            return chat(reply_to(request))
        table = await self.linker.table(request.library, request.horizon)
        question = understood(request.resolved, table)
        if request.draft_only:
            return await self._draft(request, question, table)
        calls = next_calls(request, await self._network_turns(request, question))
        if calls:
            return turn(len(request.calls), calls)
        words = word_calls(request) if DOCUMENT_TOOLKIT in request.toolkits else []
        calls = next_calls(request, [self._calls(request, question, table)])
        self.embedder.expect_queries(queries_of(calls))
        if calls and words:
            return turn(len(request.calls), calls)
        if words and (draft := await self._draft(request, question, table))["status"] != "not_found":
            return draft
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

    async def _draft(self, request: PlanRequest, question: Question, table: NameTable) -> Draft:
        """Return the draft; where a network was asked only in part, "not found" would be a lie."""
        draft = await self._told(request, question, table)
        if request.networks is None or draft["status"] != "not_found":
            return draft
        from wenmai.minds.offline.networks.guide import asked_in_part

        return written_by_code("error", request.language) if asked_in_part(request) else draft

    async def _told(self, request: PlanRequest, question: Question, table: NameTable) -> Draft:
        """Return what networks hold, then what the rest holds."""
        if not self.lexicons or not any(is_network(piece) for piece in request.evidence):
            return await self._rest(request, question, table)
        from wenmai.minds.offline.networks.guide import network_answer

        lexicon = await self.lexicons(request.networks)
        lines = await asyncio.to_thread(network_answer, request, lexicon)
        told = written(Told(lines.split("\n")), request.evidence, STATED) if lines else None
        if told and (not request.library or not question.entities):
            return told
        if not request.library:
            return await self.composer.refusal(request, question, table)
        rest = await self._rest(request, question, table)
        if told is None or rest["status"] == "not_found":
            return told or rest
        told["sentences"][-1]["text"] += "\n"
        return {**rest, "sentences": told["sentences"] + rest["sentences"], "confidence": told["confidence"]}

    async def _rest(self, request: PlanRequest, question: Question, table: NameTable) -> Draft:
        """Return the draft; without the story where a guarded question names what its reader has not met."""
        if await self._is_unmet(request):
            kept = [piece for piece in request.evidence if piece["kind"] in BESIDE_STORY or is_network(piece)]
            request = replace(request, evidence=kept)
        return await self.composer.draft(request, question, table)

    async def _is_unmet(self, request: PlanRequest) -> bool:
        """Return True if a guarded question names what its reader has not met: other people's deeds are no answer."""
        if request.horizon is None:
            return False
        whole = await self.linker.table(request.library, None)
        visible = await self.linker.table(request.library, request.horizon)
        return any(fold(mention.text) not in visible.spellings for mention in whole.find(request.resolved))
