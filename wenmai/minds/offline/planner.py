"""Tool calls by question type, one a turn along the guide; then stop, beside further searches; then the draft."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage

from nodes.prompts.chinese import user_text
from nodes.roles import PlanRequest
from tools.control import STOP
from tools.documents.semantic_search import NAME as SEMANTIC_SEARCH
from tools.networks.lexicons import Lexicons
from tools.ports import Embedder, PassageStore
from tools.recall.recall_memories import NAME as RECALL
from tools.records import PassageFilter
from tools.story.linking import EntityLinker, NameTable, fold
from tools.toolboxes import DOCUMENT_TOOLKIT
from wenmai.minds.offline.analysis import HISTORY_KINDS, Analysis, analyse
from wenmai.minds.offline.asked_part import asks_for_person
from wenmai.minds.offline.composer import Composer
from wenmai.minds.offline.document_answers import is_weak
from wenmai.minds.offline.document_guide import document_calls
from wenmai.minds.offline.earlier import leans
from wenmai.minds.offline.further import further_searches
from wenmai.minds.offline.kin import RELATION as KINSHIP
from wenmai.minds.offline.kin import asked_kin
from wenmai.minds.offline.networks.ranking import is_network
from wenmai.minds.offline.queries import expanded_query
from wenmai.minds.offline.replies import reply_to

Call = tuple[str, dict[str, Any]]
PAIR_KINDS = ("relation", "evolution", "how", "fact", "scene")  # what two people have to do with each other
OF_ONE = ("who", "attribute", "fact", "how", "scene")  # a passage without the name is about somebody else
EMBEDDED = ("search_memory", "vector_search", "graph_search", RECALL)  # what compares its query by meaning
TITLES = 3  # chapters whose titles are searched for


@dataclass(frozen=True, slots=True)
class OfflinePlanner:
    """The rules of loop.md §8 behind the Planner role."""

    linker: EntityLinker
    composer: Composer
    embedder: Embedder
    passages: PassageStore
    lexicons: Lexicons | None = None

    async def plan(self, request: PlanRequest) -> AIMessage:
        """Return the next call of the guide, `stop`, or the draft."""
        if request.small_talk:
            return AIMessage(user_text(reply_to(request.question), request.language))
        table = await self.linker.table(request.library, request.horizon)
        analysis = analyse(request.resolved, table)
        if request.draft_only:
            return AIMessage(await self.draft(request, analysis, table))
        number = len(request.calls)
        calls = guide(request, analysis, table, await self.titles(request, analysis))
        turns = [*await self.network_turns(request, analysis), *([call] for call in calls)]
        if not any(call["attempt"] == request.attempt for call in request.calls):
            self.embedder.expect_queries(queries_of([call for one in turns for call in one]))
        if calls := next_calls(request, turns):
            return turn(number, calls)
        last = last_searches(request, analysis)
        return turn(number, [*last, (STOP, {"reason": "sufficient" if request.evidence or last else "not_found"})])

    async def titles(self, request: PlanRequest, analysis: Analysis) -> str:
        """Return the titles of the chapters that a question names, for the search that knows no chapters."""
        if analysis.chapters is None or not request.library or "narrative" not in request.toolkits:
            return ""
        first, last = analysis.chapters
        chapters = range(first, min(last, first + TITLES - 1) + 1)
        found = [
            await self.passages.scroll(
                request.library, PassageFilter(chapters=(n, n), horizon=request.horizon), limit=1
            )
            for n in chapters
        ]
        return " ".join(rows[0].chapter_title for rows in found if rows)

    async def network_turns(self, request: PlanRequest, analysis: Analysis) -> list[list[Call]]:
        """Return the calls to networks: of a run with a story too only where the question may be theirs."""
        if self.lexicons is None or request.networks is None:
            return []
        from wenmai.minds.offline.networks.guide import network_turns

        lexicon = await self.lexicons(request.networks)
        turns = await asyncio.to_thread(network_turns, request, lexicon)
        of_story = bool(request.library and analysis.entities)
        return turns if not of_story or any(lexicon.known(name) for name in request.entities) else []

    async def draft(self, request: PlanRequest, analysis: Analysis, table: NameTable) -> str:
        """Return the draft; where a network was asked only in part, "not found" would be a lie (LOP-05)."""
        text = await self.told(request, analysis, table)
        if request.networks is None or text != user_text("not_found", request.language):
            return text
        from wenmai.minds.offline.networks.guide import asked_in_part

        return user_text("error", request.language) if asked_in_part(request) else text

    async def told(self, request: PlanRequest, analysis: Analysis, table: NameTable) -> str:
        """Return what was found; not_found for whom the reader has not met. What networks hold comes first."""
        if self.lexicons and any(is_network(piece) for piece in request.evidence):
            from wenmai.minds.offline.networks.answering import network_answer

            lexicon = await self.lexicons(request.networks)
            told = await asyncio.to_thread(network_answer, request, lexicon)
            if told and (not request.library or not analysis.entities):
                return told
            rest = await self.story_draft(request, analysis, table) if request.library else ""
            none = user_text("not_found", request.language)
            return "\n".join(text for text in (told, rest) if text and text != none) or none
        return await self.story_draft(request, analysis, table)

    async def story_draft(self, request: PlanRequest, analysis: Analysis, table: NameTable) -> str:
        """Return the draft from all but networks."""
        if await self.untold(request, table):
            return user_text("not_found", request.language)
        return await self.composer.draft(request, analysis, table)

    async def untold(self, request: PlanRequest, table: NameTable) -> bool:
        """Tell whether a guarded question names what its reader has not met: other people's deeds are no answer."""
        if request.horizon is None:
            return False
        whole = await self.linker.table(request.library, None)
        return any(fold(mention.text) not in table.spellings for mention in whole.find(request.resolved))


def turn(number: int, calls: Sequence[Call]) -> AIMessage:
    """Return a model turn with these calls."""
    numbered = enumerate(calls, number + 1)
    made = [{"id": f"call-{n}", "name": name, "args": args, "type": "tool_call"} for n, (name, args) in numbered]
    return AIMessage("", tool_calls=made)


def next_calls(request: PlanRequest, turns: Sequence[Sequence[Call]]) -> list[Call]:
    """Return the calls of the first turn that this attempt has not made all of, [] when the guide is done.

    Calls of earlier attempts are made again: they are answered from the record.
    """
    done = [(call["tool"], call["args"]) for call in request.calls if call["attempt"] == request.attempt]
    offered = {declaration["name"] for declaration in request.declarations}
    for one in turns:
        if left := [call for call in one if call[0] in offered and call not in done]:
            return left
    return []


def last_searches(request: PlanRequest, analysis: Analysis) -> list[Call]:
    """Return the searches that go with `stop`: further ones, where those of the guide disagree."""
    calls = [call for call in request.calls if call["attempt"] == request.attempt]
    if "narrative" not in request.toolkits or analysis.kind in HISTORY_KINDS:
        return []
    done = [call["args"] for call in calls]
    return [("search_memory", args) for args in further_searches(analysis, calls) if args not in done]


def guide(request: PlanRequest, analysis: Analysis, table: NameTable, titles: str) -> list[Call]:
    """Return the calls for a question in their order: memories where it leans on them (MEM-07), then its type's.

    A refiner's queries come before the latter. With memories alone every question is about them.
    """
    is_narrative = "narrative" in request.toolkits
    typed = narrative_guide(analysis, table, titles) if is_narrative else story_guide(analysis, table)
    search = "search_memory" if is_narrative else "vector_search"
    is_alone = list(request.toolkits) == ["memory"]
    recalls: list[Call] = (
        [(RECALL, {"query": request.resolved})] if is_alone or leans(request.question, request.resolved) else []
    )
    documents = guided_documents(request) if DOCUMENT_TOOLKIT in request.toolkits else []
    hinted: list[Call] = [(search, {"query": query}) for query in request.queries]
    return recalls + documents + hinted + typed


def guided_documents(request: PlanRequest) -> list[Call]:
    """Return the calls of the document tools; beside stories only the first, which leaves room for theirs."""
    is_offered = any(tool["name"] == SEMANTIC_SEARCH for tool in request.declarations)  # a toggle may switch it off
    searched = not is_offered or any(call["tool"] == SEMANTIC_SEARCH for call in request.calls)
    weak = searched and is_weak(request.resolved, request.evidence)
    calls = document_calls(request.resolved, request.queries, searched=searched, is_weak=weak)
    return calls if request.toolkits == [DOCUMENT_TOOLKIT] else calls[:1]


def queries_of(calls: Sequence[Call]) -> list[str]:
    """Return the texts that these calls will search for: embedding one takes longer than all else of its call."""
    return list(dict.fromkeys(args["query"] for name, args in calls if "query" in args and name in EMBEDDED))


def narrative_guide(analysis: Analysis, table: NameTable, titles: str) -> list[Call]:
    """Return the narrative toolkit's calls (story.md §1): the graph where the type asks for it, then the text.

    `titles` are those of the chapters that the question names: they tell its search what the number does not.
    """
    named: list[Call] = [("search_memory", {"query": titles})] if titles else []
    return graph_calls(analysis) + searches(analysis, table) + named


def graph_calls(analysis: Analysis) -> list[Call]:
    """Return the calls of the graph tools that a type begins with."""
    names, kind = list(analysis.entities), analysis.kind
    if not names:
        return []
    if asked_kin(analysis):
        return [("lookup_knowledge", {"entity": names[0], "relation": KINSHIP})]
    if kind in PAIR_KINDS and len(names) >= 2:
        return [("find_connection", {"entity1": names[0], "entity2": names[1]})]
    if kind in ("who", "network", "relation") or asks_for_person(analysis):
        return [("lookup_knowledge", {"entity": names[0]})]
    if kind in HISTORY_KINDS:
        return [("track_journey", {"entity": names[0]}), ("get_character_events", {"entity": names[0]})]
    return [("get_character_events", {"entity": names[0]})] if kind == "how" else []


def searches(analysis: Analysis, table: NameTable) -> list[Call]:
    """Return the text searches: the question itself, its words with their synonyms, a history also by time.

    A third search costs a tenth of the turn: other questions have it only where these two disagree (`last_searches`).
    """
    expanded = expanded_query(analysis, table)
    only = {"characters": list(analysis.entities)} if analysis.kind in OF_ONE and len(analysis.entities) == 1 else {}
    calls: list[Call] = [
        ("search_memory", {"query": analysis.question}),
        ("search_memory", {"query": expanded, **only}),
    ]
    if analysis.entities and analysis.kind in HISTORY_KINDS:
        in_time = {"query": expanded, "characters": list(analysis.entities), "sort_by": "time"}
        calls.append(("search_memory", in_time))
    return calls


def story_guide(analysis: Analysis, table: NameTable) -> list[Call]:
    """Return the story toolkit's calls (story.md §1)."""
    names, search = list(analysis.entities), {"query": analysis.question}
    calls: list[Call] = []
    if asked_kin(analysis):
        calls.append(("graph_search", {"entity": names[0], "relation": KINSHIP, "depth": 1}))
    elif names and analysis.kind in ("relation", "evolution", "network", "who"):
        calls.append(("graph_search", {"entity": names[0]}))
    if names and analysis.kind in HISTORY_KINDS:
        calls.append(("track_entity", {"entity": names[0], **range_of(analysis, "chapter_range")}))
    calls.append(("vector_search", {**search, **range_of(analysis, "chapter_filter")}))
    expanded = {"query": expanded_query(analysis, table)}
    if names and analysis.kind in ("attribute", "fact", "who", "how"):
        calls.append(("vector_search", {**expanded, "entity_filter": names[0], **range_of(analysis, "chapter_filter")}))
    return [*calls, ("vector_search", expanded)]


def range_of(analysis: Analysis, parameter: str) -> dict[str, list[int]]:
    """Return the chapter bounds as an argument, nothing where the question names none."""
    return {parameter: list(analysis.chapters)} if analysis.chapters else {}
