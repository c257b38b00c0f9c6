"""Recall by rule: search, search wider, ask for older messages, read what was cut, hand off (docs/spec/memory.md)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage

from nodes.roles import RecallRequest
from state.recall import RecallCall, SeenMemory
from tools.recall.inputs import FOUND_LIMIT
from tools.wording import Words, speaking
from wenmai.minds.offline.calls.turns import Call, turn
from wenmai.minds.offline.memories.earlier import PATTERNS
from wenmai.minds.offline.questions.words import content_words

WIDE_SCORE = 0.3
SURE_SCORE = 0.5
READ_MOST = 2  # memories that are read whole
SEARCHES_MOST = 2
KEYS_MOST = 10  # as many as a search may give
TOLD_MOST = 5  # memories that the summary names
SUMMARY_CHARACTERS = 60
CONTEXT_WORDS = 8  # words of older messages that a vague query is helped by
DAYS = (3, 14, 62)
"""Days back of yesterday, of last week, of last month."""
OLDER = Words("没有搜索结果，需要查看更早的对话", "nothing was found, older messages are needed")
NOT_FOUND = Words("未找到用户提到的历史记忆", "The memory that the user speaks of was not found")


@dataclass(frozen=True, slots=True)
class OfflineRecaller:
    """Needs no model."""

    async def recall(self, request: RecallRequest) -> AIMessage:
        """Return the next call."""
        with speaking(request.language):
            return turn(len(request.calls), [next_call(request)])


def next_call(request: RecallRequest) -> Call:
    """Return the next step: what is not found yet is looked for, what is cut is read, then the recall ends."""
    if seen := request.seen:
        done = [call["args"].get("memory_key") for call in request.calls if call["tool"] == "get_memory_detail"]
        cut = [key for key in by_score(seen) if not (seen[key]["whole"] or seen[key]["sensitive"])]
        unread = [key for key in cut if key not in done]
        if unread and len(done) < READ_MOST:
            return "get_memory_detail", {"memory_key": unread[0]}
        return handoff(request)
    here = [call for call in request.calls if call["iteration"] == request.iteration.number]
    searched = [call for call in here if call["tool"] == "search_memories"]
    if searched and not searched[-1]["ok"]:  # searching on would fail as well
        return handoff(request)
    if len(searched) >= SEARCHES_MOST:
        return wider_window(request, here)
    return "search_memories", query_of(request, wide=bool(searched))


def query_of(request: RecallRequest, *, wide: bool) -> dict[str, Any]:
    """Return a search within the days that the query names; in a larger window with its words; else any time."""
    days = next((count for count in DAYS if PATTERNS[f"days_{count}"].search(request.query)), None)
    if wide or request.iteration.number > 1:
        score = {"min_relevance_score": WIDE_SCORE} if wide else {}
        return {"query": with_context(request), **score, "limit": FOUND_LIMIT}
    return {"query": request.query, **({"time_range_days": days} if days else {})}


def with_context(request: RecallRequest) -> str:
    """Return the query; where the window grew, with the words of what the user said in it."""
    if request.iteration.number == 1:
        return request.query
    said = " ".join(message["content"] for message in request.window if message["role"] == "user")
    known = content_words(request.query)
    return " ".join([request.query, *[word for word in content_words(said) if word not in known][:CONTEXT_WORDS]])


def wider_window(request: RecallRequest, here: Sequence[RecallCall]) -> Call:
    """Ask for twice the messages, once in an iteration and only where there are older ones; else end."""
    at = request.iteration
    asked = any(call["tool"] == "expand_context_window" for call in here)
    if asked or at.number >= at.most or at.available <= at.window:
        return handoff(request)
    return "expand_context_window", {"reason": OLDER.say(), "requested_size": 2 * at.window}


def handoff(request: RecallRequest) -> Call:
    """Return the end: what the talk leads to and the surest memories, or a question to the user."""
    seen, keys = request.seen, by_score(request.seen)
    if not keys:
        return "handoff", {"search_summary": NOT_FOUND.say(), "confidence": 0.0, "needs_more_info": True}
    sure = [key for key in keys if seen[key]["score"] >= SURE_SCORE] or keys
    known = {**seen, **request.leads}
    kept = list(dict.fromkeys((*request.leads, *sure)))[:KEYS_MOST]
    told = "; ".join(" ".join(known[key]["text"].split())[:SUMMARY_CHARACTERS] for key in kept[:TOLD_MOST])
    return "handoff", {
        "search_summary": told,
        "confidence": max(known[key]["score"] for key in kept),
        "relevant_memory_keys": kept,
    }


def by_score(seen: Mapping[str, SeenMemory]) -> list[str]:
    """Return the keys, best first; the order of the search decides ties."""
    return sorted(seen, key=lambda key: -seen[key]["score"])
